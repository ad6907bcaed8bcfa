//! Patterns, lines and what is around them.

use super::*;

fn rows(pattern: &str, text: &str) -> Vec<(u64, String, bool)> {
    let style = Style { ignore_case: false, before: 1, after: 1, limit: 10 };
    let found = Query::new(pattern, style).unwrap().text(text).unwrap();
    found.rows.into_iter().map(|row| (row.line, row.text, row.matched)).collect()
}

#[test]
fn braces_and_parentheses_may_be_text() {
    for (pattern, text) in [
        ("${platform}", "a ${platform} b"),
        ("interface{}", "interface{}"),
        ("foo(", "foo(bar)"),
        ("a{2,4}$", "aaaa"),
        ("{x}", "{x}"),
        ("fn \\w+\\(\\) \\{", "fn a() {"),
        ("[{}]", "}"),
        ("\\p{Lu}x", "Äx"),
        ("a{2}b", "aab"),
    ] {
        assert_eq!(rows(pattern, text).len(), 1, "{pattern}");
    }
    assert!(rows("a{2,4}$", "a").is_empty(), "a repetition stays one");
}

#[test]
fn lines_around_a_match_are_shown() {
    let shown = rows("c", "a\nb\nc\nd\ne\n");
    let row = |line, text: &str, matched| (line, text.to_owned(), matched);
    assert_eq!(shown, [row(2, "b", false), row(3, "c", true), row(4, "d", false)]);
}

#[test]
fn a_pattern_with_a_line_end_spans_lines() {
    let shown = rows("b\\nc", "a\nb\nc\nd\n");
    assert_eq!(
        shown.iter().filter(|(_, _, matched)| *matched).map(|(line, ..)| *line).collect::<Vec<_>>(),
        [2, 3]
    );
}

#[test]
fn what_is_no_text_has_no_lines() {
    assert!(rows("a", "a\n\0\u{1}a\n").is_empty());
}

/// A line without end takes no more memory than others, and its number and those behind it are right.
#[test]
fn lines_without_end_are_looked_through_in_pieces() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("long.txt");
    let long = "x".repeat(40 * bounded::LONGEST);
    std::fs::write(&path, format!("first\n{long}needle{long}needle\nthird needle\nfourth\n")).unwrap();
    let style = Style { ignore_case: false, before: 1, after: 1, limit: 10 };
    let found = |pattern: &str| {
        let found = Query::new(pattern, style).unwrap().file(&path).unwrap();
        let rows = found.rows.iter().map(|row| (row.line, row.matched)).collect::<Vec<_>>();
        (found.matches, rows)
    };
    assert_eq!(found("needle"), (2, vec![(2, true), (3, true), (4, false)]));
    assert_eq!(found("fourth"), (1, vec![(3, false), (4, true)]));
    let spans = Query::new("third needle\\nfourth", style).unwrap().file(&path).unwrap_err();
    assert_eq!(spans.kind(), io::ErrorKind::FileTooLarge);
    let wide: Vec<u8> =
        [0xff, 0xfe].into_iter().chain("a\nneedle\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    std::fs::write(&path, wide).unwrap();
    assert_eq!(found("needle").1.last(), Some(&(2, true)));
}

/// A file, and what a pattern finds in it: matched lines alone.
fn in_file(content: &[u8], pattern: &str, ranges: &[LineRange]) -> (Vec<u64>, FileMatches) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    std::fs::write(&path, content).unwrap();
    let style = Style { ignore_case: false, before: 1, after: 1, limit: 3 };
    let found = Query::new(pattern, style).unwrap().file_within(&path, ranges, &|| false).unwrap();
    (found.rows.iter().filter(|row| row.matched).map(|row| row.line).collect(), found)
}

#[test]
fn line_ends_of_both_kinds_are_line_ends() {
    for (pattern, lines) in [
        ("one$", vec![1]),
        ("^$", vec![2]),
        ("one\\n\\ntwo", vec![1, 2, 3]),
        ("two\n", vec![3]),
        ("e\\s*$", vec![1]),
    ] {
        for text in ["one\n\ntwo\n", "one\r\n\r\ntwo\r\n"] {
            assert_eq!(in_file(text.as_bytes(), pattern, &[]).0, lines, "{pattern} {text:?}");
        }
    }
    let mixed = b"one\r\ntwo\nthree\r\n";
    assert_eq!(in_file(mixed, "\\r$", &[]).0, [1, 3], "a pattern may be about carriage returns");
    assert_eq!(in_file(mixed, "\\r\\n", &[]).0, [1, 3]);
    assert_eq!(in_file(mixed, "two\\x0athree", &[]).0, [2, 3], "a line end in disguise");
    assert_eq!(in_file(mixed, "[^\\n]+two", &[]).0, [0; 0]);
    assert_eq!(in_file(b"C:\\new\n", "C:\\\\new", &[]).0, [1]);
}

/// Matches outside of a range neither count nor use up what may be shown.
#[test]
fn ranges_far_from_the_start() {
    let text: String = (1..=5000).map(|line| format!("hit {line}\n")).collect();
    let range = |first, last| LineRange { first, last };
    let (lines, found) = in_file(text.as_bytes(), "hit", &[range(4000, Some(4001))]);
    assert_eq!((lines, found.more), (vec![4000, 4001], false));
    let rows: Vec<(u64, bool)> = found.rows.iter().map(|row| (row.line, row.matched)).collect();
    assert_eq!(rows, [(3999, false), (4000, true), (4001, true), (4002, false)]);
    let (lines, found) = in_file(text.as_bytes(), "hit", &[range(1, Some(1)), range(4999, None)]);
    assert_eq!((lines, found.more), (vec![1, 4999, 5000], false));
    assert!(in_file(text.as_bytes(), "hit", &[range(10, Some(20))]).1.more);
}

/// A NUL far from the start does not take away what is text.
#[test]
fn what_is_binary() {
    let mut log = "hit\n".repeat(2).into_bytes();
    log.extend("x\n".repeat(8 * 1024).bytes());
    log.extend(b"\0\0\nhit\n");
    let (lines, found) = in_file(&log, "hit", &[]);
    assert_eq!((lines, found.binary), (vec![1, 2, 8 * 1024 + 4], false));
    let (lines, found) = in_file(b"hit\n\0", "hit", &[]);
    assert!(lines.is_empty() && found.binary);
    assert!(in_file(b"hit\n\0", "hit\\n", &[]).1.binary, "a pattern that spans lines");
}

#[test]
fn a_mark_at_the_start_does_not_shift_lines() {
    let long = "x".repeat(3 * bounded::LONGEST);
    let text = format!("\u{feff}first\n{long}\nlast\n");
    assert_eq!(in_file(text.as_bytes(), "^(first|last|x)", &[]).0, [1, 2, 3]);
    let mut around = Vec::new();
    for more in 0..6 {
        let text = format!("\u{feff}{}needle\nlast\n", "x".repeat(bounded::LONGEST - 8 + more));
        around.push(in_file(text.as_bytes(), "^last", &[]).0);
    }
    assert!(around.iter().all(|lines| *lines == [2]), "{around:?}");
}

#[test]
fn pipes_and_devices_are_named_and_not_opened() {
    let directory = tempfile::tempdir().unwrap();
    let pipe = directory.path().join("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let style = Style { ignore_case: false, before: 1, after: 1, limit: 3 };
    let query = Query::new("x", style).unwrap();
    assert_eq!(query.file(&pipe).unwrap_err().to_string(), "it is a named pipe");
    assert!(query.file(std::path::Path::new("/dev/zero")).unwrap_err().to_string().contains("device"));
    let stopped = query.file_within(std::path::Path::new("/proc/self/maps"), &[], &|| true);
    assert!(stopped.is_err());
}

#[test]
fn errors_say_what_to_write_instead() {
    let style = Style { ignore_case: false, before: 0, after: 0, limit: 3 };
    for (pattern, advice) in [
        ("(?<=a)b", "rg -P"),
        ("(a)\\1", "rg -P"),
        ("*.rs", "not a glob"),
        ("a[b", "`\\[`"),
        ("\\hello", "`\\\\`"),
        ("(a{1000}){1000}", "smaller"),
    ] {
        let error = Query::new(pattern, style).unwrap_err();
        assert!(error.contains(advice), "{pattern}: {error}");
    }
    for pattern in ["\\<word\\>", "\\b{start}x", "a\\/b", "x{,3}", "\\-", "(?i)x", "\\p{L}+"] {
        assert!(Query::new(pattern, style).is_ok(), "{pattern}");
    }
}

/// An error quotes the pattern, which may hold the words of any error.
#[test]
fn the_words_of_a_pattern_are_not_those_of_its_error() {
    for pattern in ["not allowed(", "not allowed (look-around"] {
        let text = format!("it is {pattern} here");
        assert_eq!(rows(pattern, &text).len(), 1, "{pattern}");
    }
    let style = Style { ignore_case: false, before: 0, after: 0, limit: 3 };
    let error = Query::new("look-around[", style).unwrap_err();
    assert!(error.contains("`\\[`") && !error.contains("rg -P"), "{error}");
    assert_eq!(rows("\\\\${x}", "a \\${x} b").len(), 1, "a backslash before code");
}

#[test]
fn other_encodings_are_texts_too() {
    assert_eq!(in_file(b"caf\xe9\nna\xefve\n", "naïve|café", &[]).0, [1, 2]);
    assert_eq!(in_file(b"caf\xe9\nna\xefve\n", "é$\\n", &[]).0, [1], "a pattern that spans lines");
    let shift_jis = encoding_rs::SHIFT_JIS.encode("一行目です\nこれは日本語の文章です\n").0.into_owned();
    assert_eq!(in_file(&shift_jis, "日本語", &[]).0, [2]);
    for convert in [u16::to_le_bytes, u16::to_be_bytes] {
        let unmarked: Vec<u8> = "alpha\nbeta gamma\n".encode_utf16().flat_map(convert).collect();
        let (lines, found) = in_file(&unmarked, "gamma", &[]);
        assert_eq!((lines, found.binary), (vec![2], false));
    }
    let (lines, found) = in_file("größe\nx\n".as_bytes(), "größe", &[]);
    assert_eq!((lines, found.rows[0].text.as_str()), (vec![1], "größe"));
}
