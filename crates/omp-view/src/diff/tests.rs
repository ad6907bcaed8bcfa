use omp_theme::Theme;
use omp_tui::text::{Attributes, Color, Depth};

use super::*;
use crate::code;
use crate::testing::look;

fn options(long: LongLines, most: usize) -> Options<'static> {
    Options { long, numbers: Numbers::Shown, most, language: &|path| code::language_of(path, "") }
}

fn shown(files: &[FileDiff], width: usize, long: LongLines) -> Vec<String> {
    let rows = render(&look(width), files, options(long, 100)).0;
    rows.iter().map(|row| row.text().trim_end().to_owned()).collect()
}

#[test]
fn numbers_signs_and_gaps() {
    let old: String = (1..=30).map(|number| format!("line {number}\n")).collect();
    let new = old.replace("line 5\n", "line five\n").replace("line 20\n", "").replace("line 30\n", "line 30");
    let file = of_texts("a.txt", &old, &new);
    assert_eq!(counts(std::slice::from_ref(&file)), (2, 3));
    let rows = shown(&[file], 40, LongLines::Wrapped);
    let expected = [
        " 2   line 2",
        " 3   line 3",
        " 4   line 4",
        " 5 - line 5",
        " 5 + line five",
        " 6   line 6",
        " 7   line 7",
        " 8   line 8",
        " … 8 unchanged lines",
        "17   line 17",
    ];
    assert_eq!(rows[..10], expected);
    assert_eq!(rows.last().unwrap().trim(), "no newline at the end");
}

#[test]
fn changed_words_are_emphasized() {
    let file = of_texts("a.rs", "let total = a + b;\n", "let sum = a + b;\n");
    for (depth, attribute) in [(Depth::Direct, Attributes::BOLD), (Depth::Indexed, Attributes::UNDERLINE)] {
        let look = Look { depth, ..look(60) };
        let (rows, _) = render(&look, std::slice::from_ref(&file), options(LongLines::Wrapped, 10));
        let marked = |row: &Line| -> Vec<String> {
            let spans = row.spans().iter().filter(|span| span.style().attributes.contains(attribute));
            spans.map(|span| span.text().to_owned()).collect()
        };
        assert_eq!((marked(&rows[0]), marked(&rows[1])), (vec!["total".to_owned()], vec!["sum".to_owned()]));
    }
}

/// Changed lines have the colours of their language on a tint over the whole width; a terminal with fewer colours has the
/// colour of the change itself.
#[test]
fn changed_lines_are_code_on_a_tint() {
    let file = of_texts("a.rs", "fn a() {}\nlet x = 1;\n", "fn a() {}\nlet x = \"two\";\n");
    let look = look(40);
    let (rows, _) = render(&look, std::slice::from_ref(&file), options(LongLines::Cut, 10));
    let grounds =
        |row: &Line| -> Vec<Color> { row.spans().iter().map(|span| span.style().background).collect() };
    assert!(grounds(&rows[0]).iter().all(|ground| *ground == Color::Default), "context has no tint");
    for row in &rows[1..] {
        assert_eq!(row.width(), 40);
        assert!(grounds(row).iter().all(|ground| *ground != Color::Default), "{row:?}");
    }
    let string = rows[2].spans().iter().find(|span| span.text().contains("two")).expect("the string");
    assert_eq!(string.style().foreground, look.theme.color(Token::SyntaxString));

    let few = Look { depth: Depth::Indexed, ..look.clone() };
    let (rows, _) = render(&few, std::slice::from_ref(&file), options(LongLines::Cut, 10));
    let added = look.theme.color(Token::ToolDiffAdded);
    assert!(rows[2].spans().iter().skip(1).all(|span| span.style().foreground == added), "{:?}", rows[2]);
    let own = Look { theme: Theme::built_in("ansi").expect("a theme"), ..look };
    let (rows, _) = render(&own, &[file], options(LongLines::Cut, 10));
    assert!(grounds(&rows[2]).iter().all(|ground| *ground == Color::Default), "the terminal's own colours");
}

/// What changed may stand at the end of a long line: it continues in further rows, a few of them.
#[test]
fn changed_lines_go_on_and_context_is_cut() {
    let long = |end: &str| format!("{}{end}\n", "word ".repeat(12));
    let old = format!("{}{}", long("same"), long("old"));
    let file = of_texts("a.txt", &old, &format!("{}{}", long("same"), long("new")));
    let rows = shown(std::slice::from_ref(&file), 40, LongLines::Cut);
    assert_eq!(rows.len(), 5, "{rows:#?}");
    assert!(rows[0].ends_with('…') && rows[2].ends_with("old") && rows[4].ends_with("new"), "{rows:#?}");
    assert!(rows[4].starts_with("     word"), "{rows:#?}");
    let narrow = shown(&[file], 16, LongLines::Cut);
    assert!(narrow.len() == 7 && narrow[3].ends_with('…'), "{narrow:#?}");
}

#[test]
fn what_has_no_place_has_no_numbers() {
    let file = of_texts("a.txt", "a\nb\n", "a\nc\n");
    let bare = Options { numbers: Numbers::Hidden, ..options(LongLines::Cut, 10) };
    let rows = render(&look(20), &[file], bare).0;
    let rows: Vec<String> = rows.iter().map(|row| row.text().trim_end().to_owned()).collect();
    assert_eq!(rows, ["  a", "- b", "+ c"]);
}

#[test]
fn tabs_line_ends_and_wide_characters() {
    let file = of_texts(
        "a",
        "\tx\r\na\tb\n日本語のとても長い行です\n",
        "\ty\r\na\tb\r\n日本語のとても長い行でした\n",
    );
    let rows = shown(&[file], 24, LongLines::Wrapped);
    assert!(rows.contains(&" 1 -     x␍".to_owned()), "{rows:#?}");
    assert!(rows.contains(&" 2 + a   b␍".to_owned()) && rows.contains(&" 2 - a   b".to_owned()), "{rows:#?}");
    assert!(rows.iter().all(|row| Line::plain(row).width() <= 24), "{rows:#?}");
    let only = of_texts("a", "x\r\n", "y\r\n");
    assert_eq!(shown(&[only], 24, LongLines::Cut), [" 1 - x", " 1 + y"]);
}

#[test]
fn several_files_and_a_limit() {
    let unified =
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- a/gone\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-c\n-d\n";
    let files = parse(unified);
    assert_eq!(files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ["x", "gone"]);
    let (rows, hidden) = render(&look(20), &files, options(LongLines::Cut, 4));
    assert_eq!((rows.len(), hidden), (4, 2));
    assert_eq!(rows[0].text(), "x");
}

#[test]
fn nonsense_is_no_difference() {
    assert!(parse("hello\nworld").is_empty());
    assert!(parse("@@ -x +y @@\n+a").is_empty());
    assert_eq!(counts(&parse("@@ -1,99999999999999999999 +1 @@\n+a")), (0, 0));
}
