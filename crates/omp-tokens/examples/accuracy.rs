//! Prints, for each kind of file below the directories given, the error of our estimate against a real
//! tokenizer and the speed: `cargo run --release -p omp-tokens --example accuracy -- <directory>...`.
#![expect(clippy::print_stdout, reason = "an example prints what it found")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use omp_tokens::{Family, estimate_for};

const FAMILIES: [(Family, &str); 2] = [(Family::O200k, "o200k_base"), (Family::Cl100k, "cl100k_base")];

fn main() {
    let mut kinds: BTreeMap<String, String> = BTreeMap::new();
    for directory in std::env::args().skip(1) {
        collect(Path::new(&directory), &mut kinds);
    }
    println!("{:<12} {:<12} {:>10} {:>10} {:>8} {:>8}", "kind", "family", "bytes", "tokens", "error", "MB/s");
    for (kind, text) in &kinds {
        for (family, name) in FAMILIES {
            let Some(real) = tiktoken::get_encoding(name) else { continue };
            let tokens = real.count(text) as f64;
            let estimate = estimate_for(family, text) as f64;
            let started = Instant::now();
            std::hint::black_box(estimate_for(family, std::hint::black_box(text)));
            let speed = text.len() as f64 / 1e6 / started.elapsed().as_secs_f64();
            let error = (estimate - tokens) / tokens * 100.0;
            println!("{kind:<12} {name:<12} {:>10} {tokens:>10} {error:>7.2}% {speed:>8.0}", text.len());
        }
    }
}

/// Texts by the ending of their file's name, at most 16 MB of each.
fn collect(path: &Path, kinds: &mut BTreeMap<String, String>) {
    if path.is_dir() {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        let mut below: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        below.sort();
        below.iter().filter(|path| !path.ends_with("target")).for_each(|path| collect(path, kinds));
    } else if let (Some(kind), Ok(text)) = (path.extension(), std::fs::read_to_string(path)) {
        let all = kinds.entry(kind.to_string_lossy().into_owned()).or_default();
        if all.len() < 16_000_000 {
            all.push_str(&text);
        }
    }
}
