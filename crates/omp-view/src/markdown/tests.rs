use proptest::prelude::*;

use super::*;
use crate::testing::look;

fn texts(rows: &[Line]) -> Vec<String> {
    rows.iter().map(Line::text).collect()
}

fn at(width: usize, text: &str) -> Vec<String> {
    texts(&render(&look(width), text))
}

#[test]
fn the_usual_blocks() {
    let text = "# Title\nSome *words* and `code`.\n\n- one\n- two\n  - inner\n- [x] done\n- [ ] open\n\n3. three\n4. four\n\n> quoted\n> text\n\n---\n\n```rust\nfn f() {}\n\n    g();\n```\nend[^1]\n\n[^1]: the note\n";
    assert_eq!(
        at(40, text),
        [
            "Title",
            "",
            "Some words and code.",
            "",
            "• one",
            "• two",
            "  • inner",
            "■ done",
            "□ open",
            "",
            "3. three",
            "4. four",
            "",
            "▎ quoted",
            "▎ text",
            "",
            &"─".repeat(40),
            "",
            "╭─ rust",
            "│ fn f() {}",
            "│ ",
            "│     g();",
            "╰─",
            "",
            "end[^1]",
            "",
            "[^1]: the note",
        ]
    );
}

#[test]
fn words_wrap_below_their_bullet() {
    assert_eq!(at(14, "- one two three four\n- x"), ["• one two", "  three four", "• x"]);
    assert_eq!(at(12, "> a b c d e f g h"), ["▎ a b c d e", "▎ f g h"]);
}

/// An item of several blocks is kept apart from the next one; a break in HTML leaves no indent.
#[test]
fn items_and_breaks() {
    assert_eq!(at(40, "1. a\n\n   b\n2. c\n3. d\n"), ["1. a", "", "   b", "", "2. c", "3. d"]);
    assert_eq!(at(40, "one<br> two<br/>three\n"), ["one", "two", "three"]);
}

/// The words alone, for places with one row.
#[test]
fn marks_are_left_out() {
    assert_eq!(words("# A **b** `c`\n\n- d\n- [e](f) <g>\n"), "A b c d e <g>");
    assert_eq!(words("snake_case and 2 * 3 * 4"), "snake_case and 2 * 3 * 4");
    assert_eq!(words(""), "");
}

/// A difference has the colours of a difference.
#[test]
fn a_difference_in_a_fence() {
    let look = look(40);
    let rows = render(&look, "```diff\n@@ -1 +1 @@\n-a\n+b\n c\n```\n");
    let colors: Vec<_> =
        rows[1..5].iter().map(|row| row.spans().last().unwrap().style().foreground).collect();
    let tokens = [Token::Accent, Token::ToolDiffRemoved, Token::ToolDiffAdded, Token::MdCodeBlock];
    assert_eq!(colors, tokens.map(|token| look.theme.color(token)));
}

#[test]
fn links_can_be_clicked_and_other_addresses_are_shown() {
    let mut look = look(60);
    let rows = render(&look, "see [the docs](https://x.org/a) and [file](src/a.rs)");
    assert_eq!(rows[0].text(), "see the docs and file (src/a.rs)");
    let linked = rows[0].spans().iter().find(|span| span.link().is_some()).unwrap();
    assert_eq!((linked.text(), &**linked.link().unwrap()), ("the docs", "https://x.org/a"));
    look.addresses = crate::Addresses::Shown;
    assert_eq!(
        render(&look, "[a](https://x.org) <https://y.org>")[0].text(),
        "a (https://x.org) https://y.org"
    );
    assert_eq!(at(60, "[a]: https://x.org\n\nsee [a]"), ["[a]: https://x.org", "", "see a"]);
}

#[test]
fn tables_fit_or_become_lists() {
    let table = "| name | what it does |\n|---|--:|\n| a | short |\n| bb | a longer description |\n";
    assert_eq!(
        at(40, table),
        [
            "┌──────┬──────────────────────┐",
            "│ name │         what it does │",
            "├──────┼──────────────────────┤",
            "│ a    │                short │",
            "│ bb   │ a longer description │",
            "└──────┴──────────────────────┘",
        ]
    );
    let narrow = at(24, table);
    assert!(narrow.iter().all(|row| Line::plain(row).width() <= 24), "{narrow:#?}");
    assert!(
        narrow.iter().any(|row| row.contains("description")) && narrow[0].starts_with('┌'),
        "{narrow:#?}"
    );
    assert_eq!(
        at(12, table)[..3],
        ["• name: a", "  what it", "    does: "].map(|row| row.trim_end().to_owned())
    );
}

#[test]
fn html_is_text_and_nothing_is_obeyed() {
    assert_eq!(
        at(40, "<div onclick=\"x\">\nhi\n</div>\n\na <b>c</b>"),
        ["<div onclick=\"x\">", "hi", "</div>", "", "a <b>c</b>"]
    );
    let rows = at(40, "a\x1b[2Jb `c\x07`\n\n```\n\x1b]0;t\x07\n```");
    assert!(rows.iter().all(|row| !row.chars().any(char::is_control)), "{rows:?}");
}

#[test]
fn nesting_without_end_is_drawn_flat() {
    let rows = at(40, &format!("{} deep", ">".repeat(50_000)));
    assert!(rows.iter().any(|row| row.contains("deep")));
    let list: String = (0..500).map(|depth| format!("{}- x\n", "  ".repeat(depth))).collect();
    assert!(at(20, &list).iter().all(|row| Line::plain(row).width() <= 20));
}

#[test]
fn settled_rows_keep_their_words() {
    let text = "# A\n\npara one\ngoes on\n\n- a\n- b\n\n```rust\nlet s = \"x\n\";\nfn f() {}\n```\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\nend\n";
    let mut stream = MarkdownStream::new(look(40), Style::PLAIN);
    let mut before: Vec<String> = Vec::new();
    for character in text.chars() {
        stream.push(&character.to_string());
        stream.tail();
        let now = texts(stream.settled());
        assert_eq!(now[..before.len()], before[..], "after {character:?}");
        before = now;
    }
    assert!(before.len() > 10);
    stream.finish();
    assert_eq!(texts(stream.settled())[..before.len()], before[..]);
}

/// What is complete leaves the part that is drawn again, however long the list or the table around it is.
#[test]
fn items_and_rows_are_over_before_their_list_or_table_is() {
    let mut stream = MarkdownStream::new(look(60), Style::PLAIN);
    for item in 0..50 {
        stream
            .push(&format!("{item}. item\n   - inner {item} of a list in a list\n\n     with a paragraph\n"));
        stream.tail();
        assert!(stream.open_bytes() < 60, "{}", stream.open_bytes());
    }
    let whole = stream.rows().len();
    assert!(stream.final_rows() + 2 >= whole, "{} of {whole}", stream.final_rows());
    assert_eq!(
        texts(&stream.rows())[..4],
        ["0. item", "   • inner 0 of a list in a list", "", "     with a paragraph"]
    );
    let mut stream = MarkdownStream::new(look(60), Style::PLAIN);
    stream.push("| a | b |\n|---|---|\n");
    for row in 0..100 {
        stream.push(&format!("| row {row} | with words |\n"));
    }
    stream.push("| half a");
    assert_eq!(stream.final_rows(), 103);
    assert_eq!(texts(&stream.rows())[102], "│ row 99     │ with words     │");
}

#[test]
fn the_work_for_a_piece_does_not_grow_with_the_text() {
    let mut stream = MarkdownStream::new(look(80), Style::PLAIN);
    for index in 0..2_000 {
        stream.push(&format!("Paragraph {index} has some words.\n\n"));
        stream.tail();
    }
    stream.finish();
    // Each paragraph is drawn once as the tail and once for good.
    assert!(stream.blocks_drawn() <= 2 * 2_000 + 2, "{}", stream.blocks_drawn());
}

#[test]
fn a_text_without_any_end_is_cut_into_blocks() {
    let mut stream = MarkdownStream::new(look(200), Style::PLAIN);
    for _ in 0..12 {
        stream.push(&"x".repeat(16 * 1024));
        assert!(stream.open_bytes() <= MAX_OPEN);
    }
    stream.finish();
    let cells: usize = stream.settled().iter().map(Line::width).sum();
    assert_eq!(cells, 12 * 16 * 1024);
    let mut code = MarkdownStream::new(look(200), Style::PLAIN);
    code.push("```\n");
    for _ in 0..12 {
        code.push(&"y".repeat(16 * 1024));
        assert!(code.open_bytes() <= MAX_OPEN);
    }
}

/// The most text that is ever looked at again.
const MAX_OPEN: usize = 48 * 1024;

const PIECES: &[&str] = &[
    "# head\n",
    "word ",
    "two words\n",
    "\n",
    "\n\n",
    "- item\n",
    "  - nested\n",
    "1. one\n",
    "2. two\n",
    "   - deeper\n",
    "     - deepest\n",
    "   paragraph of an item\n",
    "  more\n",
    "    3) three\n",
    "> quote\n",
    "```rust\n",
    "```\n",
    "~~~\n",
    "fn f() {}\n",
    "| a | b |\n",
    "|---|---|\n",
    "| 1 | 2 |\n",
    "| 日本 | a wider cell |\n",
    "| a | b |\n|--|--|\n| 1 |\n| 2 |\n| 3 |\n| 4 |\n| 5 |\n| 6 |\n| 7 |\n| 8 |\n| 9 |\n| 10 |\n| 11 |\n| 12 |\n",
    "---\n",
    "    indented\n",
    "<div>\n",
    "</div>\n",
    "[a]: http://x.org\n",
    "[a]",
    "[a](b)",
    "*it*",
    "**bo",
    "ld** ",
    "`co",
    "de`",
    "\\\n",
    "- [ ] task\n",
    "[^1]: note\n",
    "[^1]",
    "#",
    "-",
    "+ ",
    "*",
    "`",
    "\t",
    "é日",
    "<!-- c\n",
    "-->\n",
    "![i](u)",
    "  ",
    ">",
    "[b]:\n",
    "/url\n",
    "\"title\"\n",
    "\"open\n",
    "'t'\n",
    "(x\n",
    "\r\n",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn streaming_ends_like_drawing_at_once(
        pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..40),
        cuts in proptest::collection::vec(1usize..12, 1..20),
    ) {
        let text: String = pieces.concat();
        let look = look(30);
        let whole = render_in(&look, &text, Style::PLAIN);
        let mut stream = MarkdownStream::new(look, Style::PLAIN);
        let mut rest = text.as_str();
        let mut cuts = cuts.iter().cycle();
        while !rest.is_empty() {
            let at = rest.ceil_char_boundary((*cuts.next().unwrap()).min(rest.len()));
            let before = texts(stream.settled());
            let mut kept = texts(&stream.rows());
            kept.truncate(stream.final_rows());
            stream.push(&rest[..at]);
            rest = &rest[at..];
            stream.tail();
            prop_assert_eq!(&texts(&stream.settled()[..before.len()]), &before, "{:?}", text);
            prop_assert_eq!(&texts(&stream.rows()[..kept.len()]), &kept, "{:?}", text);
        }
        stream.finish();
        prop_assert_eq!(stream.settled(), &whole[..], "{:?}", text);
        prop_assert!(whole.iter().all(|row| row.width() <= 30), "{:?}", text);
    }
}

/// Whoever is told twice that nothing follows has said nothing more.
#[test]
fn an_end_may_be_told_again() {
    let mut stream = MarkdownStream::new(look(40), Style::PLAIN);
    stream.push("some words without a line end");
    stream.tail();
    stream.finish();
    stream.finish();
    assert_eq!(texts(&stream.rows()), ["some words without a line end"]);
}

/// Code has its words at once and its colours as soon as its language is ready, which somebody else sees to.
#[test]
fn colours_wait_for_their_language() {
    let (sender, asked) = std::sync::mpsc::channel();
    let mut look = look(40);
    let base = look.fg(Token::MdCodeBlock);
    look.preparer = crate::code::Preparer::new(move |language| sender.send(language).unwrap());
    let colours = |rows: &[Line], word: &str| {
        let row = rows.iter().find(|row| row.text().contains(word)).expect("the line").clone();
        row.spans().iter().any(|span| span.text().contains("let") && span.style() != base)
    };
    let mut stream = MarkdownStream::new(look.clone(), look.fg(Token::Text));
    stream.push("```rust\nlet one = 1;\nlet two = 2;\n");
    assert!(!colours(&stream.rows(), "one"), "nothing is waited for");
    let asked: Vec<_> = asked.try_iter().collect();
    assert_eq!(asked.len(), 1, "once");
    omp_syntax::highlight::prepare(asked[0]);
    stream.push("let three = 3;\n");
    assert!(colours(&stream.rows(), "three"));
    stream.push("```\n");
    assert!(colours(&stream.rows(), "one"), "what is over has all of them");
}
