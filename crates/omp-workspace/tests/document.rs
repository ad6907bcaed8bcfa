//! Edits keep every byte that they do not name.

use omp_workspace::document::{Document, Splice};
use omp_workspace::text::Charset;
use proptest::prelude::*;

fn spliced(bytes: &[u8], start: usize, removed: usize, inserted: &[&str]) -> Vec<u8> {
    let charset = Charset::detect(bytes);
    let inserted: Vec<String> = inserted.iter().map(|line| (*line).to_owned()).collect();
    let document = Document::new(bytes.to_vec(), charset);
    document.splice(&[Splice { start, removed, inserted: &inserted }]).unwrap()
}

fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
    std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(unit).collect()
}

#[test]
fn line_ends_stay_line_by_line() {
    assert_eq!(spliced(b"a\r\nb\nc\r\n", 1, 1, &["B"]), b"a\r\nB\nc\r\n");
    assert_eq!(spliced(b"a\r\nb\nc\r\n", 0, 1, &["A", "AA"]), b"A\r\nAA\r\nb\nc\r\n");
    assert_eq!(spliced(b"a\nb\r\n", 2, 0, &["c"]), b"a\nb\r\nc\n");
}

#[test]
fn a_missing_final_line_end_stays_missing() {
    assert_eq!(spliced(b"a\r\nb", 2, 0, &["c"]), b"a\r\nb\r\nc");
    assert_eq!(spliced(b"a\nb", 1, 1, &["B"]), b"a\nB");
    assert_eq!(spliced(b"a\nb", 1, 1, &[]), b"a");
    assert_eq!(spliced(b"a\nb\n", 0, 2, &[]), b"");
    assert_eq!(spliced(b"", 0, 0, &["a"]), b"a\n");
}

#[test]
fn marks_and_wide_units_stay() {
    assert_eq!(spliced(b"\xef\xbb\xbfa\nb\n", 0, 1, &["A"]), b"\xef\xbb\xbfA\nb\n");
    for unit in [u16::to_le_bytes as fn(u16) -> [u8; 2], u16::to_be_bytes] {
        // U+0A0D and U+0D0A contain the bytes of line ends.
        let old = utf16("grüße\r\n\u{0a0d}\u{0d0a}\r\n€\n", unit);
        assert_eq!(spliced(&old, 0, 1, &["Grüße"]), utf16("Grüße\r\n\u{0a0d}\u{0d0a}\r\n€\n", unit));
    }
}

#[test]
fn old_encodings_are_found_and_kept() {
    let latin: &[u8] = b"caf\xe9 cr\xe8me\nna\xefve\n";
    assert_eq!(spliced(latin, 1, 1, &["d\u{e9}j\u{e0} vu"]), b"caf\xe9 cr\xe8me\nd\xe9j\xe0 vu\n");
    let (japanese, ..) = encoding_rs::SHIFT_JIS.encode("これは日本語の文章です。\r\n二行目もあります。\r\n");
    let (expected, ..) = encoding_rs::SHIFT_JIS.encode("これは日本語の文章です。\r\n表示\r\n");
    assert_eq!(spliced(&japanese, 1, 1, &["表示"]), *expected);
    // Short texts are the hard ones.
    for text in [&b"caf\xe9 ol\xe9\n"[..], b"na\xefve\n", b"Gr\xfc\xdfe\n", b"\xa9 2024\n"] {
        let charset = Charset::detect(text);
        assert_eq!(charset.decode(text), encoding_rs::WINDOWS_1252.decode(text).0, "{}", charset.name());
    }
    let document = Document::new(latin.to_vec(), Charset::detect(latin));
    let foreign = ["汉".to_owned()];
    let error = document.splice(&[Splice { start: 0, removed: 1, inserted: &foreign }]).unwrap_err();
    assert_eq!(error.to_string(), "windows-1252 cannot encode '汉' (U+6C49)");
}

#[test]
fn broken_bytes_elsewhere_are_left_as_they_are() {
    let bytes = "größer\nschöner\n".as_bytes();
    let mut broken = bytes.to_vec();
    broken.extend_from_slice(b"x\xff\xfey\nlast\n");
    assert_eq!(Charset::detect(&broken), Charset::Utf8);
    let mut expected = bytes.to_vec();
    expected.extend_from_slice(b"x\xff\xfey\nLAST\n");
    assert_eq!(spliced(&broken, 3, 1, &["LAST"]), expected);
}

proptest! {
    /// Without a splice the file is the same, whatever its bytes and encoding.
    #[test]
    fn nothing_is_lost(bytes in proptest::collection::vec(any::<u8>(), 0..200), charset in 0..5_usize) {
        let charset = [Charset::Utf8, Charset::Utf8Bom, Charset::Utf16Le, Charset::Utf16Be, Charset::detect(&bytes)][charset];
        let document = Document::new(bytes.clone(), charset);
        prop_assert_eq!(document.splice(&[]).unwrap(), bytes);
    }

    /// What is written reads back as the lines that were asked for.
    #[test]
    fn what_was_asked_for_is_there(lines in proptest::collection::vec("[a-zäöü€ ]{0,6}", 1..8), crlf in any::<bool>(), start in 0..8_usize, new in proptest::collection::vec("[x-zß]{0,4}", 0..4)) {
        let end = if crlf { "\r\n" } else { "\n" };
        let text: String = lines.iter().map(|line| format!("{line}{end}")).collect();
        let start = start.min(lines.len());
        let removed = (lines.len() - start).min(1);
        let document = Document::new(text.into_bytes(), Charset::Utf8);
        let bytes = document.splice(&[Splice { start, removed, inserted: &new }]).unwrap();
        let mut expected = lines;
        expected.splice(start..start + removed, new.iter().cloned());
        let expected: String = expected.iter().map(|line| format!("{line}{end}")).collect();
        prop_assert_eq!(String::from_utf8(bytes).unwrap(), expected);
    }
}
