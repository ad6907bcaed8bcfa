//! What is written down about a leak: enough to count and compare, nothing of the text itself.

use ring::digest::{SHA256, digest};

use crate::model::Model;
use omp_dialects::{Leak, Surface};

/// How much of a record may be the text's outline.
const PREVIEW: usize = 48;

/// Whether the text itself may be written down (`OMP_HARMONY_DEBUG`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LeakRecords {
    #[default]
    Redacted,
    Full,
}

/// A sentence for a person, and in brackets what a program can count. `removed` is the contaminated text.
pub(super) fn record(leak: &Leak, model: &Model, removed: &str, records: LeakRecords) -> String {
    let (place, surface, tool) = match &leak.surface {
        Surface::Text => ("its text".to_owned(), "text", "-"),
        Surface::Thinking => ("its reasoning".to_owned(), "thinking", "-"),
        Surface::Arguments(tool) => (format!("the arguments of {tool}"), "arguments", tool.as_str()),
    };
    let action = if leak.cuttable { "cut" } else { "discard" };
    let signals: Vec<&str> = leak.signals.iter().map(|signal| signal.name()).collect();
    let shown = match records {
        LeakRecords::Redacted => format!("preview {:?}", outline(removed)),
        LeakRecords::Full => format!("text {removed:?}"),
    };
    format!(
        "the model wrote parts of its internal message format into {place} [leak: action {action}, surface \
         {surface}, signals {}, model {}, tool {tool}, removed {} bytes, hash {}, {shown}]",
        signals.join("+"),
        model.selector(),
        removed.len(),
        short_hash(removed),
    )
}

fn short_hash(text: &str) -> String {
    let hash = digest(&SHA256, text.as_bytes());
    hash.as_ref().iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}

/// The shape of the text: letters and digits hidden.
fn outline(text: &str) -> String {
    let hide = |c: char| match c {
        _ if c.is_ascii_alphabetic() => 'x',
        _ if c.is_numeric() => '0',
        _ if c.is_alphabetic() => 'X',
        ' ' | '\n' => ' ',
        _ if c.is_ascii_punctuation() => c,
        _ => '·',
    };
    text.chars().take(PREVIEW).map(hide).collect()
}
