//! What a terminal would have shown, within bounds.

use std::io;
use std::sync::{Arc, Mutex};

use omp_shell::sink::{Elision, Sanitizer};
use omp_shell::{Captured, Limits, Sink, Spill};
use proptest::prelude::*;

fn sanitized(bytes: &[u8]) -> String {
    sanitized_chunks([bytes])
}

fn sanitized_chunks<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> String {
    let (mut sanitizer, mut text) = (Sanitizer::default(), String::new());
    for chunk in chunks {
        sanitizer.push(chunk, &mut text);
    }
    sanitizer.finish(&mut text);
    text
}

fn captured(limits: Limits, bytes: &[u8]) -> Captured {
    let mut sink = Sink::new(limits, None);
    for chunk in bytes.chunks(4096) {
        sink.push(chunk);
    }
    sink.finish()
}

#[test]
fn escape_sequences_are_removed() {
    let cases: &[(&str, &str)] = &[
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b[38:2::255:0:0mx\x1b[K", "x"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bPq#0;2;0~\nmore\x1b\\after", "after"),
        ("\x1b_Gpicture\x1b\\after", "after"),
        ("\x1b(Bx\x1b=y\x1b7z", "xyz"),
        ("\u{9b}31mred\u{9d}0;t\u{9c}x", "redx"),
        ("a\x07b\x00c\x7fd\u{85}e", "abcde"),
        ("tab\tstays", "tab\tstays"),
        ("nbsp\u{a0}and é stay", "nbsp\u{a0}and é stay"),
    ];
    for (input, expected) in cases {
        assert_eq!(sanitized(input.as_bytes()), *expected, "{input:?}");
    }
}

#[test]
fn broken_sequences_do_not_swallow_the_rest() {
    assert_eq!(sanitized(b"\x1b]0;never closed\nnext line"), "\nnext line");
    assert_eq!(sanitized(b"\x1b[31\nnext"), "\nnext");
    assert_eq!(sanitized(b"\x1b\nnext"), "\nnext");
    assert_eq!(sanitized(b"a\x1b"), "a");
    let long = format!("\x1b]{}", "x".repeat(10_000));
    assert!(sanitized(long.as_bytes()).len() > 5_000);
    // An escape inside a string that is no terminator begins a sequence of its own.
    assert_eq!(sanitized(b"\x1b]0;t\x1b[31mred"), "red");
}

#[test]
fn line_ends_and_progress_bars() {
    assert_eq!(sanitized(b"a\r\nb\r\n"), "a\nb\n");
    assert_eq!(sanitized(b"a\r\r\nb"), "a\nb");
    assert_eq!(sanitized(b"10%\r50%\r100%\ndone"), "100%\ndone");
    assert_eq!(sanitized(b"10%\r\x1b[K50%\r"), "50%");
    assert_eq!(sanitized(b"spin |\x08/\x08-\n"), "spin -\n");
    assert_eq!(sanitized(b"\x08\x08x"), "x");
}

#[test]
fn invalid_bytes_become_replacement_characters() {
    assert_eq!(sanitized(b"caf\xe9!"), "caf\u{fffd}!");
    assert_eq!(sanitized(b"\xe2\x82"), "\u{fffd}");
    assert_eq!(sanitized_chunks([&b"\xe2"[..], b"\x82", b"\xac"]), "€");
}

proptest! {
    /// The cut of the chunks has no influence, whatever the bytes.
    #[test]
    fn chunks_do_not_matter(bytes in terminal_bytes(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12)) {
        prop_assert_eq!(sanitized_chunks(split(&bytes, &cuts)), sanitized(&bytes));
    }

    #[test]
    fn chunks_do_not_matter_to_the_sink(
        bytes in prop::collection::vec(terminal_bytes(), 0..20).prop_map(|parts| parts.concat()),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        head in 0_usize..60,
    ) {
        let limits = Limits { inline_bytes: 120, head_bytes: head, tail_bytes: 50, tail_lines: 4, max_columns: 20 };
        let mut sink = Sink::new(limits, None);
        split(&bytes, &cuts).into_iter().for_each(|chunk| sink.push(chunk));
        prop_assert_eq!(sink.finish(), captured(limits, &bytes));
    }

    /// Nothing but text comes out, and plain text comes out as it went in.
    #[test]
    fn only_text_comes_out(bytes in terminal_bytes(), plain in "[ -~äß漢\n\t]*") {
        let text = sanitized(&bytes);
        prop_assert!(!text.contains(|c: char| c.is_control() && c != '\n' && c != '\t'), "{:?}", text);
        prop_assert_eq!(sanitized(plain.as_bytes()), plain);
    }

    /// Totals are those of the whole stream; what is shown stays within its bounds.
    #[test]
    fn totals_and_bounds(lines in prop::collection::vec("[a-z漢]{0,40}", 0..80)) {
        let text = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        let limits = Limits { inline_bytes: 300, head_bytes: 100, tail_bytes: 100, tail_lines: 5, max_columns: 30 };
        let captured = captured(limits, text.as_bytes());
        prop_assert_eq!(captured.total_bytes, text.len() as u64);
        prop_assert_eq!(captured.total_lines, lines.len() as u64);
        prop_assert!(captured.text.len() <= 300 + 80);
        if let Some(elision) = captured.elision {
            prop_assert!(elision.tail_lines <= 5);
            prop_assert_eq!(captured.shown_lines, elision.head_lines + elision.tail_lines);
        } else {
            prop_assert_eq!(captured.shown_lines, captured.total_lines);
        }
    }
}

/// Bytes as terminals get them: text, sequences, and garbage.
fn terminal_bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        "[a-zé漢 ]{0,8}".prop_map(String::into_bytes),
        Just(b"\x1b[1;31m".to_vec()),
        Just(b"\x1b]0;t\x07".to_vec()),
        Just(b"\x1b]8;;u\x1b\\".to_vec()),
        Just(b"\x1bPq\x1b\\".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"\r".to_vec()),
        Just(b"\n".to_vec()),
        Just(b"\x08".to_vec()),
        Just("\u{9b}3m\u{a0}".as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 0..5),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn split<'a>(bytes: &'a [u8], cuts: &[prop::sample::Index]) -> Vec<&'a [u8]> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    cuts.sort_unstable();
    let (mut start, mut chunks) = (0, Vec::new());
    for cut in cuts.into_iter().chain([bytes.len()]) {
        chunks.push(&bytes[start..cut]);
        start = cut;
    }
    chunks
}

#[test]
fn a_line_too_long_to_hold_back_is_the_same_for_all_chunks() {
    let mut bytes = "漢x".repeat(40_000).into_bytes();
    bytes.extend_from_slice(b"\rstart again\n");
    let whole = sanitized(&bytes);
    assert_eq!(sanitized_chunks(bytes.chunks(7)), whole);
    assert_eq!(sanitized_chunks(bytes.chunks(65_537)), whole);
    assert!(whole.ends_with("\nstart again\n"));
}

#[test]
fn small_output_is_shown_whole() {
    let text: String = (0..3_000).map(|number| format!("line {number}\n")).collect();
    let captured = captured(Limits::default(), text.as_bytes());
    assert_eq!(captured.text, text);
    assert_eq!((captured.total_lines, captured.elision, captured.is_truncated()), (3_000, None, false));
}

#[test]
fn large_output_keeps_head_and_tail() {
    let text: String = (1..=100_000).map(|number| format!("{number}\n")).collect();
    let captured = captured(Limits::default(), text.as_bytes());
    assert_eq!((captured.total_bytes, captured.total_lines), (text.len() as u64, 100_000));
    let Some(Elision { head_lines, tail_lines }) = captured.elision else { panic!("not truncated") };
    assert_eq!(tail_lines, 500);
    let lines: Vec<&str> = captured.text.lines().collect();
    assert_eq!(lines[0], "1");
    assert_eq!(lines[head_lines as usize - 1], head_lines.to_string());
    assert!(lines[head_lines as usize].starts_with(&format!("[… {} lines", 100_000 - head_lines - 500)));
    assert_eq!(lines[head_lines as usize + 1..].len(), 500);
    assert_eq!(*lines.last().unwrap(), "100000");
    let head_bytes: usize = lines[..head_lines as usize].iter().map(|line| line.len() + 1).sum();
    assert!(head_bytes <= 20 * 1024 && head_bytes > 20 * 1024 - 10);
}

#[test]
fn without_a_head_only_the_tail_is_kept() {
    let text: String = (1..=20_000).map(|number| format!("{number}\n")).collect();
    let captured = captured(Limits { head_bytes: 0, ..Limits::default() }, text.as_bytes());
    assert!(captured.text.starts_with("[… "));
    assert!(captured.text.ends_with("\n20000\n"));
    assert_eq!(captured.elision.unwrap().head_lines, 0);
}

#[test]
fn multibyte_characters_are_never_split() {
    let captured = captured(Limits { max_columns: 0, ..Limits::default() }, "漢".repeat(400_000).as_bytes());
    assert!(captured.is_truncated());
    assert!(!captured.text.contains('\u{fffd}'));
    assert_eq!(captured.total_bytes, 1_200_000);
}

#[test]
fn long_lines_are_cut() {
    let text = format!("{}\nshort\n{}", "x".repeat(10_240), "漢".repeat(300));
    let captured = captured(Limits::default(), text.as_bytes());
    assert_eq!(
        captured.text,
        format!("{}… [+9472 bytes]\nshort\n{}… [+132 bytes]", "x".repeat(768), "漢".repeat(256))
    );
    assert_eq!((captured.cut_columns, captured.elision), (Some(768), None));
    assert_eq!(captured.total_bytes, text.len() as u64);
}

#[test]
fn the_tail_shows_the_line_being_written() {
    let mut sink = Sink::new(Limits::default(), None);
    sink.push(b"one\ntwo\n10%\r20%");
    assert_eq!(sink.tail(1_000), "one\ntwo\n20%");
    assert_eq!(sink.tail(9), "two\n20%");
}

/// A spill that remembers, or fails from the given write on.
#[derive(Clone, Default)]
struct Memory {
    text: Arc<Mutex<String>>,
    writes: Arc<Mutex<usize>>,
    fails_from: Option<usize>,
}

impl Spill for Memory {
    fn write(&mut self, text: &str) -> io::Result<()> {
        let mut writes = self.writes.lock().unwrap();
        *writes += 1;
        if self.fails_from.is_some_and(|from| *writes >= from) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.text.lock().unwrap().push_str(text);
        Ok(())
    }

    fn finish(&mut self) -> io::Result<String> {
        Ok("7".to_owned())
    }
}

fn spilled(memory: &Memory, text: &str) -> Captured {
    let mut sink = Sink::new(Limits::default(), Some(Box::new(memory.clone())));
    text.as_bytes().chunks(1_000).for_each(|chunk| sink.push(chunk));
    sink.finish()
}

#[test]
fn the_whole_stream_is_spilled_when_something_is_hidden() {
    let memory = Memory::default();
    let text: String = (0..20_000).map(|number| format!("\x1b[1m{number}\x1b[0m\r\n")).collect();
    let captured = spilled(&memory, &text);
    let expected: String = (0..20_000).map(|number| format!("{number}\n")).collect();
    assert_eq!(*memory.text.lock().unwrap(), expected);
    let spilled = captured.spilled.unwrap();
    assert_eq!((spilled.name.as_str(), spilled.bytes), ("7", expected.len() as u64));

    let memory = Memory::default();
    let line = "x".repeat(2_000);
    assert!(self::spilled(&memory, &line).spilled.is_some());
    assert_eq!(*memory.text.lock().unwrap(), line);
}

#[test]
fn a_small_stream_is_not_spilled() {
    let memory = Memory::default();
    assert_eq!(spilled(&memory, "all of it\n").spilled, None);
    assert_eq!(*memory.writes.lock().unwrap(), 0);
}

#[test]
fn a_spill_that_fails_is_given_up() {
    for fails_from in [1, 3] {
        let memory = Memory { fails_from: Some(fails_from), ..Memory::default() };
        let captured = spilled(&memory, &"line\n".repeat(50_000));
        assert_eq!((captured.spilled, captured.total_lines), (None, 50_000));
        assert_eq!(*memory.writes.lock().unwrap(), fails_from);
    }
}
