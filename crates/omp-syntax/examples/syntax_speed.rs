//! How long a summary, a block and a search take on a program of 5,000 lines. Run it with `--release`.

use std::io::Write;
use std::time::{Duration, Instant};

use omp_syntax::outline::{self, Options};
use omp_syntax::pattern::{Pattern, Source};
use omp_syntax::{Bounds, Language, block};

const ROUNDS: u32 = 20;

fn program() -> String {
    let body: String =
        (0..7).map(|at| format!("        let v{at} = self.call({at}, \"text\")?;\n")).collect();
    let method =
        |at: usize| format!("    /// Does it.\n    pub fn m{at}(&self, x: u8) -> R {{\n{body}    }}\n");
    let methods: String = (0..500).map(method).collect();
    format!("impl S {{\n{methods}}}\n")
}

fn mean(mut work: impl FnMut()) -> Duration {
    work();
    let start = Instant::now();
    for _ in 0..ROUNDS {
        work();
    }
    start.elapsed() / ROUNDS
}

fn main() -> std::io::Result<()> {
    let text = program();
    let Some(language) = Language::of_path("a.rs", "") else { return Ok(()) };
    let Ok(pattern) = Pattern::new("self.call($A, $_)?", language) else { return Ok(()) };
    let options = Options { limit: usize::MAX, ..Options::default() };
    let summary = mean(|| {
        std::hint::black_box(outline::code(&text, language, &options, Bounds::SIZE));
    });
    let one_block = mean(|| {
        std::hint::black_box(block(&text, language, 2, Bounds::SIZE));
    });
    let search = mean(|| {
        let source = Source::parse(&text, language, Bounds::SIZE);
        std::hint::black_box(source.map(|source| source.search(&pattern).len()));
    });
    let mut out = std::io::stdout().lock();
    writeln!(out, "{} lines, {} KB", text.lines().count(), text.len() / 1024)?;
    writeln!(out, "summary {summary:?}, block {one_block:?}, search {search:?}")
}
