//! Windows of lines, whatever the file.

use std::io::{self, Read};

use omp_workspace::text::{Charset, LineEnding, Request, Stop, Total, Window, read_window};
use proptest::prelude::*;

fn request(ranges: &[std::ops::RangeInclusive<u64>]) -> Request {
    Request { ranges: ranges.to_vec(), asked: 1, max_lines: 3_000, max_bytes: 50 * 1024 }
}

fn window(bytes: &[u8], request: &Request) -> Window {
    read_window(bytes, Charset::detect(bytes), request).unwrap()
}

fn shown(window: &Window) -> Vec<(u64, &str)> {
    let segments = window.segments.iter();
    segments.flat_map(|segment| (segment.first..).zip(segment.lines.iter().map(String::as_str))).collect()
}

#[test]
fn a_range_in_the_middle() {
    let window = window(b"a\nb\nc\nd\ne\n", &request(&[2..=3]));
    assert_eq!(shown(&window), [(2, "b"), (3, "c")]);
    assert_eq!((window.total, window.stop, window.final_newline), (Total::Exactly(5), Stop::Complete, true));
    assert_eq!(window.remaining_after(3), 2);
}

#[test]
fn several_ranges_and_one_beyond_the_end() {
    let window = window(b"a\nb\nc\nd\ne", &request(&[1..=1, 4..=9, 20..=30]));
    assert_eq!(shown(&window), [(1, "a"), (4, "d"), (5, "e")]);
    assert_eq!(window.segments.len(), 2);
    assert_eq!((window.total, window.final_newline), (Total::Exactly(5), false));
}

#[test]
fn an_empty_file_has_no_lines() {
    for bytes in [&b""[..], b"\xef\xbb\xbf", b"\xff\xfe"] {
        let window = window(bytes, &request(&[1..=10]));
        assert_eq!((window.segments.len(), window.total), (0, Total::Exactly(0)), "{bytes:?}");
    }
    assert_eq!(shown(&window(b"\n", &request(&[1..=10]))), [(1, "")]);
}

#[test]
fn the_line_limit_stops() {
    let limited = Request { max_lines: 2, ..request(&[1..=10]) };
    let cut = window(b"a\nb\nc\n", &limited);
    assert_eq!((shown(&cut).len(), cut.stop, cut.total), (2, Stop::Lines, Total::Exactly(3)));
    assert_eq!(window(b"a\nb\n", &limited).stop, Stop::Complete);
    assert_eq!(window(b"a\nb\nc", &limited).stop, Stop::Lines);
}

#[test]
fn the_byte_limit_stops_at_a_whole_line() {
    let limited = Request { max_bytes: 5, ..request(&[1..=10]) };
    let cut = window(b"ab\ncd\nef\n", &limited);
    assert_eq!((shown(&cut), cut.stop), (vec![(1, "ab"), (2, "cd")], Stop::Bytes));
    // The newline of the last line does not count.
    assert_eq!(window(b"ab\ncd\n", &limited).stop, Stop::Complete);
}

#[test]
fn a_first_line_that_is_too_long_is_cut_between_characters() {
    let limited = Request { max_bytes: 10, ..request(&[1..=10]) };
    for end in ["", "\n", "\nnext\n"] {
        let cut = window(format!("{}{end}", "漢".repeat(100)).as_bytes(), &limited);
        assert_eq!((shown(&cut), cut.stop), (vec![(1, "漢漢漢")], Stop::LongLine), "{end:?}");
        assert!(!cut.invalid);
    }
    let big = "x".repeat(100_000) + "\nnext\n";
    let cut = window(big.as_bytes(), &limited);
    assert_eq!((cut.stop, cut.total), (Stop::LongLine, Total::Exactly(2)));
}

#[test]
fn byte_order_marks_are_no_text() {
    let text = "\u{feff}héllo\r\n漢😀\n";
    let utf16 = |unit: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(unit).collect::<Vec<u8>>();
    for bytes in [text.as_bytes().to_vec(), utf16(u16::to_le_bytes), utf16(u16::to_be_bytes)] {
        let window = window(&bytes, &request(&[1..=10]));
        assert_eq!(shown(&window), [(1, "héllo\r"), (2, "漢😀")]);
        assert!(!window.invalid);
    }
}

#[test]
fn invalid_bytes_and_nul_are_replaced_and_reported() {
    let window = self::window(b"caf\xe9\nfine\na\0b\n", &request(&[1..=3]));
    assert_eq!(shown(&window), [(1, "caf\u{fffd}"), (2, "fine"), (3, "a\u{fffd}b")]);
    assert!(window.invalid);
    // Only what is shown counts, and the character itself is no error.
    assert!(!self::window(b"caf\xe9\nfine\n", &request(&[2..=2])).invalid);
    assert!(!self::window("\u{fffd}\n".as_bytes(), &request(&[1..=1])).invalid);
}

/// Counts what is read of it.
struct Counted<'a, R> {
    inner: R,
    served: &'a mut u64,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        *self.served += length as u64;
        Ok(length)
    }
}

#[test]
fn the_start_of_a_huge_file_does_not_need_the_rest() {
    let mut served = 0;
    let lines = Counted { inner: io::repeat(b'\n').take(5 << 30), served: &mut served };
    let window = read_window(lines, Charset::Utf8, &request(&[1..=300])).unwrap();
    assert_eq!(shown(&window).len(), 300);
    assert!(matches!(window.total, Total::MoreThan(lines) if lines > 300));
    assert!(served < 100 << 20, "read {served} bytes");
}

#[test]
fn a_huge_file_without_lines_does_not_need_the_rest() {
    let mut served = 0;
    let one_line = Counted { inner: io::repeat(b'x').take(5 << 30), served: &mut served };
    let window = read_window(one_line, Charset::Utf8, &request(&[1..=300])).unwrap();
    assert_eq!((window.stop, window.segments[0].lines[0].len()), (Stop::LongLine, 50 * 1024));
    assert!(served < 100 << 20, "read {served} bytes");
}

/// Serves its bytes in small pieces, as slow file systems do.
struct Pieces<'a>(&'a [u8], usize);

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.1.clamp(1, buffer.len()).min(self.0.len());
        let (piece, rest) = self.0.split_at(length);
        buffer[..length].copy_from_slice(piece);
        self.0 = rest;
        Ok(length)
    }
}

proptest! {
    /// The same as splitting the whole text, however it is read.
    #[test]
    fn agrees_with_splitting_everything(
        text in "(\u{feff})?([a-c漢]{0,5}(\r?\n|\n)){0,12}[a-c]{0,3}",
        start in 1_u64..15, length in 0_u64..8, gap in 2_u64..5, piece in 1_usize..20,
        charset in prop_oneof![Just(Charset::Utf8Bom), Just(Charset::Utf16Le), Just(Charset::Utf16Be)],
    ) {
        let bytes = charset.encode(&text).unwrap();
        let ranges = [start..=start + length, start + length + gap..=start + length + gap + 1];
        let window = read_window(Pieces(&bytes, piece), charset, &request(&ranges)).unwrap();
        let body = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let mut lines: Vec<&str> = body.split('\n').collect();
        if lines.last() == Some(&"") {
            lines.pop();
        }
        let expected: Vec<(u64, &str)> =
            (1..).zip(lines.iter().copied()).filter(|(n, _)| ranges.iter().any(|range| range.contains(n))).collect();
        prop_assert_eq!(shown(&window), expected);
        prop_assert_eq!(window.total, Total::Exactly(lines.len() as u64));
        prop_assert_eq!(window.final_newline, body.ends_with('\n'));
    }

    #[test]
    fn encoding_and_decoding_are_inverse(text in "[a-zé漢😀\r\n]{0,20}") {
        for charset in [Charset::Utf8, Charset::Utf8Bom, Charset::Utf16Le, Charset::Utf16Be] {
            let bytes = charset.encode(&text).unwrap();
            prop_assert_eq!(charset.decode(&bytes), text.as_str());
            prop_assert_eq!(Charset::detect(&bytes), charset);
            // A mark in the text is not doubled.
            if charset != Charset::Utf8 {
                prop_assert_eq!(charset.encode(&format!("\u{feff}{text}")).unwrap(), bytes);
            }
        }
    }
}

#[test]
fn line_endings() {
    assert_eq!(LineEnding::detect("a\nb\n"), LineEnding::Lf);
    assert_eq!(LineEnding::detect("a\r\nb\r\n"), LineEnding::CrLf);
    assert_eq!(LineEnding::detect("a\r\nb\n"), LineEnding::Mixed);
    assert_eq!(LineEnding::detect("a\rb"), LineEnding::Unknown);
}

/// Broken letters elsewhere in the file are no reason to warn, and those that are shown are one.
#[test]
fn only_broken_letters_that_are_shown_are_reported() {
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let lone = 0xd800_u16.to_le_bytes().to_vec();
    let bytes = [wide("a"), lone, wide("\n"), wide(&"word\n".repeat(100))].concat();
    let invalid = |ranges: &[std::ops::RangeInclusive<u64>]| {
        read_window(bytes.as_slice(), Charset::Utf16Le, &request(ranges)).unwrap().invalid
    };
    assert!(invalid(&[1..=2]) && invalid(&[1..=1_000]));
    assert!(!invalid(&[50..=60]));
}
