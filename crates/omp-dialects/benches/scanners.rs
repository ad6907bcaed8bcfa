//! How fast the dialects' scanners read an answer. Run with `bench/scanners`.
#![expect(clippy::print_stdout, reason = "printing figures is what it is for")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use omp_dialects::{Dialect, Scanner, WrittenCall};
use omp_types::ToolDefinition;
use serde_json::json;

/// Bytes of one answer.
const SIZE: usize = 8 << 20;
/// Bytes that arrive at once: a fast stream, read in batches.
const CHUNK: usize = 4096;

fn tools() -> Vec<ToolDefinition> {
    let properties = json!({"path": {"type": "string"}, "content": {"type": "string"}});
    vec![ToolDefinition {
        name: "write".to_owned(),
        description: "Writes a file.".to_owned(),
        parameters: json!({"type": "object", "properties": properties}),
        strict: None,
        free_text: false,
    }]
}

/// Words with brackets, quotes and code in them.
fn prose() -> String {
    let line = "The loop runs while a < b && c > d; see `Vec<u8>` and the note on page 12, or ask again.\n";
    line.repeat(SIZE / line.len())
}

/// One call with a file in it.
fn call(dialect: Dialect) -> String {
    let line =
        "    let total = items.iter().map(|item| item.price * item.count).sum::<u64>(); // every item\n";
    let arguments = json!({"path": "src/total.rs", "content": line.repeat(SIZE / line.len())});
    dialect.write_calls(&[WrittenCall { id: "functions.write:0", name: "write", arguments: &arguments }])
}

/// Megabytes per second, the best of three.
fn speed(text: &str, scanner: impl Fn() -> Scanner) -> f64 {
    let once = || {
        let mut scanner = scanner();
        let started = Instant::now();
        let mut rest = text;
        while !rest.is_empty() {
            let mut end = rest.len().min(CHUNK);
            while !rest.is_char_boundary(end) {
                end -= 1;
            }
            black_box(scanner.feed(&rest[..end]));
            rest = &rest[end..];
        }
        black_box(scanner.finish());
        started.elapsed()
    };
    let best = (0..3).map(|_| once()).min().unwrap_or(Duration::MAX);
    text.len() as f64 / 1e6 / best.as_secs_f64()
}

fn main() {
    let prose = prose();
    println!("{:<12} {:>10} {:>10}", "MB/s", "words", "a call");
    for dialect in Dialect::ALL {
        let scanner = || Scanner::new(dialect, tools());
        let (words, calls) = (speed(&prose, scanner), speed(&call(dialect), scanner));
        println!("{:<12} {words:>10.0} {calls:>10.0}", dialect.name());
    }
    println!("{:<12} {:>10.0}", "healing", speed(&prose, || Scanner::healer(tools())));
}
