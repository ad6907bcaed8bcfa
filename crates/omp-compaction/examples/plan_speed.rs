//! How long it takes to plan a compaction of 200,000 tokens. Prints milliseconds.
#![allow(clippy::print_stdout, reason = "a number for people")]

use std::sync::Arc;
use std::time::Instant;

use omp_compaction::Plan;
use omp_session::{Entry, EntryKind, MessageEntry};
use omp_types::Message;

fn main() {
    let text = "fn main() { println!(\"{}\", 40 + 2); } // some code, some words\n".repeat(40);
    let entry = |number: usize| Entry {
        id: format!("{number:08x}"),
        parent_id: None,
        timestamp: String::new(),
        kind: EntryKind::Message(MessageEntry { message: Arc::new(Message::user(text.as_str(), 0)) }),
    };
    let each = omp_tokens::estimate(&text).max(1);
    let entries: Vec<Entry> = (0..usize::try_from(200_000 / each).unwrap_or(1)).map(entry).collect();
    let path: Vec<&Entry> = entries.iter().collect();
    for _ in 0..5 {
        let begun = Instant::now();
        let plan = Plan::new(&path, 20_000).expect("a long conversation can be cut");
        let spent = begun.elapsed().as_secs_f64() * 1000.0;
        println!("{} messages, {} kept: {spent:.1} ms", path.len(), plan.kept.len());
    }
}
