//! What arrives bit by bit.

use std::time::Duration;

use omp_dialects::{Dialect, Scanner, may_become_written_calls, written_calls};
use omp_llm::parse_partial;
use omp_shell::{Limits, Sink};
use omp_tui::input::Decoder;
use omp_types::ToolDefinition;
use serde_json::json;

use crate::cut;

/// Server-sent events are the same wherever the stream is cut.
pub(crate) fn sse(data: &[u8]) {
    let decode = |chunks: &[&[u8]]| omp_llm::fuzzing::sse(4096, chunks);
    let (one, other) = cut(data);
    let whole = [one, other].concat();
    let at_once = decode(&[&whole]);
    assert_eq!(at_once, decode(&[one, other]));
    assert_eq!(at_once, decode(&whole.chunks(1).collect::<Vec<_>>()));
}

/// The answer of a provider, on every wire: the first byte chooses, the second cuts. It ends in one message, the same wherever
/// the body was cut.
pub(crate) fn provider(data: &[u8]) {
    let Some((wire, rest)) = data.split_first() else { return };
    let (one, other) = cut(rest);
    let whole = [one, other].concat();
    let at_once = omp_llm::fuzzing::answer(*wire, &[&whole]);
    let in_two = omp_llm::fuzzing::answer(*wire, &[one, other]);
    assert_eq!(at_once, in_two);
}

/// Arguments of a tool call that are not complete: what is complete is read as by anybody.
pub(crate) fn arguments(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let partial = parse_partial(&text);
    if let Ok(serde_json::Value::Object(whole)) = serde_json::from_str(&text) {
        assert_eq!(partial, whole);
    }
    for (end, _) in text.char_indices() {
        let _ = parse_partial(&text[..end]);
    }
}

/// Tool calls as text, in every dialect, and in answers that should not hold any.
pub(crate) fn dialect(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else { return };
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}, "n": {"type": "integer"},
        "list": {"type": "array", "items": {"type": "string"}}, "deep": {"type": "object"}}});
    let tools =
        [ToolDefinition::new("read", "", schema), ToolDefinition::new("run", "", json!({"type": "object"}))];
    let dialect = Dialect::ALL[usize::from(*first) % Dialect::ALL.len()];
    let text = String::from_utf8_lossy(rest);
    let half = (0..=text.len() / 2).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    for mut scanner in [Scanner::new(dialect, tools.to_vec()), Scanner::healer(tools.to_vec())] {
        scanner.feed(&text[..half]);
        scanner.feed(&text[half..]);
        scanner.finish();
    }
    let mut scanner = Scanner::new(dialect, tools.to_vec());
    for (start, character) in text.char_indices() {
        scanner.feed(&text[start..start + character.len_utf8()]);
    }
    scanner.finish();
    let is_call = written_calls(&text, &tools).is_some();
    assert!(!is_call || may_become_written_calls(&text, false), "a call may become one");
}

/// Lines of an MCP server.
pub(crate) fn mcp(data: &[u8]) {
    let (one, other) = cut(data);
    omp_mcp::fuzzing::messages(&[one, other]);
}

/// What a terminal sends. The same events wherever the input is cut, as long as no time passes.
pub(crate) fn keys(data: &[u8]) {
    let (one, other) = cut(data);
    let decode = |chunks: &[&[u8]]| {
        let (mut decoder, mut events) = (Decoder::new(), Vec::new());
        for chunk in chunks {
            decoder.feed(chunk, Duration::ZERO, &mut events);
        }
        let _ = decoder.deadline();
        decoder.expire(Duration::from_secs(60), &mut events);
        decoder.feed(b"x", Duration::from_secs(61), &mut events);
        events
    };
    decode(&[one, other]);
    decode(&[&[one, other].concat()]);
    let mut expecting = Decoder::new();
    expecting.expect_reply(true);
    expecting.feed(data, Duration::ZERO, &mut Vec::new());
}

/// The output of a command: bounded, without control characters, the same wherever it was cut.
pub(crate) fn output(data: &[u8]) {
    let (one, other) = cut(data);
    let captured = |chunks: &[&[u8]]| {
        let mut sink = Sink::new(Limits::default(), None);
        chunks.iter().for_each(|chunk| sink.push(chunk));
        sink.finish()
    };
    let at_once = captured(&[&[one, other].concat()]);
    assert_eq!(at_once.text, captured(&[one, other]).text);
    assert!(
        !at_once.text.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\t')),
        "{:?}",
        at_once.text
    );
}
