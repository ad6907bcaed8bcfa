//! The editor as rows.

use omp_editor::{Command, Frame, Glyphs, ImageHandle, Look, Motion, Styles};
use omp_tui::text::{Attributes, Line};

use crate::support::{bare, draw, editor, styles, to, typed};

fn texts(rows: &[Line]) -> Vec<String> {
    rows.iter().map(Line::text).collect()
}

#[test]
fn a_box_is_around_the_text() {
    let styles = styles();
    let title = Line::plain("model");
    let look =
        Look { frame: Frame::Box, title: Some(&title), placeholder: "Ask anything", ..bare(24, 10, &styles) };
    let mut empty = editor("|");
    let rendered = empty.render(&look);
    assert_eq!(
        texts(&rendered.rows),
        ["╭─ model ──────────────╮", "│ Ask anything         │", "╰──────────────────────╯"]
    );
    assert_eq!((rendered.cursor.row, rendered.cursor.column), (1, 2));
    assert_eq!(rendered.rows[1].spans()[2].style(), styles.placeholder);
    assert_eq!(rendered.rows[0].spans()[0].style(), styles.border);

    let mut text = editor("hello wide 日本|");
    let rendered = text.render(&look);
    assert_eq!(rendered.rows[1].text(), "│ hello wide 日本      │");
    assert_eq!((rendered.cursor.row, rendered.cursor.column), (1, 2 + 15));

    let right = Line::plain("12%");
    let both = Look { title_right: Some(&right), ..look };
    assert_eq!(text.render(&both).rows[0].text(), "╭─ model ──────── 12% ─╮");
    let tight = Look { width: 16, ..both };
    assert_eq!(text.render(&tight).rows[0].text(), "╭─ model ──────╮");

    let plain = Styles { glyphs: Glyphs::ASCII, ..styles };
    let ascii = Look { styles: &plain, ..look };
    let rows = texts(&editor("x|").render(&ascii).rows);
    assert!(rows.iter().all(|row| row.is_ascii()), "{rows:?}");
}

#[test]
fn rules_and_narrow_screens() {
    let styles = styles();
    let ruled = Look { frame: Frame::Rules, ..bare(10, 10, &styles) };
    assert_eq!(texts(&editor("ab|").render(&ruled).rows), ["──────────", "ab", "──────────"]);
    let narrow = Look { frame: Frame::Box, ..bare(6, 10, &styles) };
    assert_eq!(texts(&editor("ab|").render(&narrow).rows), ["ab"]);
    let flat = Look { frame: Frame::Box, ..bare(20, 1, &styles) };
    assert_eq!(texts(&editor("ab|").render(&flat).rows), ["ab"]);
}

/// Words stay whole; the space at a break does not begin the next row; the cursor has a cell behind a full row.
#[test]
fn lines_break_at_words() {
    let rows = |text: &str, width| draw(&mut editor(text), width, 20);
    assert_eq!(rows("the quick brown fox|", 11).0, ["the quick ", "brown fox"]);
    assert_eq!(rows("abcdefghij|", 5), (vec!["abcd".to_owned(), "efgh".to_owned(), "ij".to_owned()], (2, 2)));
    assert_eq!(rows("abcd|", 5), (vec!["abcd".to_owned()], (0, 4)));
    assert_eq!(rows("abcd |", 5), (vec!["abcd ".to_owned(), String::new()], (1, 0)));
    assert_eq!(rows("日本語|", 5), (vec!["日本".to_owned(), "語".to_owned()], (1, 2)));
    assert_eq!(rows("a\tb|", 20), (vec!["a   b".to_owned()], (0, 5)));
    assert_eq!(rows("a\u{1b}[31mb|", 20), (vec!["a␛[31mb".to_owned()], (0, 7)));
    assert_eq!(rows("👩‍👩‍👧‍👦|x", 20).1, (0, 2));
    assert_eq!(rows("e\u{301}|", 20).1, (0, 1));
    let hidden = rows("\u{301}a\u{202e}b|", 20);
    assert_eq!((hidden.0[0].as_str(), hidden.1), ("◌\u{301}a·b", (0, 4)), "nothing in a prompt is hidden");
}

/// Only the rows around the cursor are shown, with signs where there is more.
#[test]
fn a_long_text_scrolls() {
    let text: Vec<String> = (0..20).map(|n| format!("line {n}")).collect();
    let mut editor = editor(&format!("{}|", text.join("\n")));
    let styles = styles();
    let look = Look { frame: Frame::Box, ..bare(20, 6, &styles) };
    let rendered = editor.render(&look);
    assert_eq!(
        texts(&rendered.rows),
        [
            "╭────────────── ↑ ─╮",
            "│ line 16          │",
            "│ line 17          │",
            "│ line 18          │",
            "│ line 19          │",
            "╰──────────────────╯",
        ]
    );
    for _ in 0..3 {
        editor.apply(to(Motion::Up));
    }
    assert_eq!(editor.render(&look).cursor.row, 1, "the window stays while the cursor is in it");
    editor.apply(to(Motion::TextStart));
    let rendered = editor.render(&look);
    assert_eq!((rendered.rows[1].text().as_str(), rendered.cursor.row), ("│ line 0           │", 1));
    assert!(rendered.rows[5].text().contains('↓') && !rendered.rows[0].text().contains('↑'));
    // Removed text leaves no empty rows.
    editor.apply(to(Motion::TextEnd));
    editor.render(&look);
    for _ in 0..30 {
        editor.apply(Command::DeleteWordBackward);
    }
    assert_eq!(editor.render(&look).rows.len(), 6);
}

#[test]
fn markers_keywords_and_selections_are_seen() {
    let styles = styles();
    let keywords =
        |text: &str| text.match_indices("ultrathink").map(|(at, word)| at..at + word.len()).collect();
    let look = Look { keywords: &keywords, ..bare(60, 10, &styles) };
    let mut editor = editor("first\nplease ultrathink |");
    editor.insert_image(ImageHandle("x".into()));
    let rendered = editor.render(&look);
    let spans: Vec<_> = rendered.rows[1].spans().iter().map(|span| (span.text(), span.style())).collect();
    assert_eq!(
        spans,
        [
            ("please ", styles.text),
            ("ultrathink", styles.keyword),
            (" ", styles.text),
            ("[Image #1]", styles.marker),
            (" ", styles.text),
        ]
    );
    editor.apply(Command::SelectAll);
    let rendered = editor.render(&look);
    let reversed =
        |line: &Line| line.spans().iter().all(|span| span.style().attributes.contains(Attributes::REVERSE));
    assert!(rendered.rows.iter().all(reversed));
    typed(&mut editor, "x");
    assert!(!editor.render(&look).rows.iter().any(reversed));
}

/// A marker wider than the screen is cut, not broken.
#[test]
fn a_marker_is_never_broken() {
    let mut editor = editor("ab |");
    editor.apply(Command::Paste("y\n".repeat(50)));
    let (rows, cursor) = draw(&mut editor, 12, 10);
    assert_eq!(rows, ["ab ", "[Paste #1,…"]);
    assert_eq!(cursor, (1, 11));
}
