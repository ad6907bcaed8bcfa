use omp_tui::text::Attributes;

use super::*;
use crate::testing::look;

fn shown(files: &[FileDiff], width: usize, long: LongLines) -> Vec<String> {
    render(&look(width), files, long, 100).0.iter().map(Line::text).collect()
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
    let (rows, _) = render(&look(60), &[file], LongLines::Wrapped, 10);
    let marked = |row: &Line| -> Vec<String> {
        let spans = row.spans().iter().filter(|span| span.style().attributes.contains(Attributes::UNDERLINE));
        spans.map(|span| span.text().to_owned()).collect()
    };
    assert_eq!((marked(&rows[0]), marked(&rows[1])), (vec!["total".to_owned()], vec!["sum".to_owned()]));
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
    let (rows, hidden) = render(&look(20), &files, LongLines::Cut, 4);
    assert_eq!((rows.len(), hidden), (4, 2));
    assert_eq!(rows[0].text(), "x");
}

#[test]
fn nonsense_is_no_difference() {
    assert!(parse("hello\nworld").is_empty());
    assert!(parse("@@ -x +y @@\n+a").is_empty());
    assert_eq!(counts(&parse("@@ -1,99999999999999999999 +1 @@\n+a")), (0, 0));
}
