//! Prints how long it takes to rank 100,000 paths. Run in release mode, on a quiet machine:
//!
//! ```text
//! cargo run --release -p omp-workspace --example rank_paths
//! ```

use std::io::{self, Write};
use std::time::Instant;

use omp_workspace::finder::rank;

fn main() -> io::Result<()> {
    let words =
        ["server", "client", "parser", "index", "model", "tests", "widget", "config", "render", "session"];
    let word = |number: usize| words[number % words.len()];
    let paths: Vec<String> = (0..100_000)
        .map(|number| {
            let (one, two, three) = (word(number), word(number / 10), word(number / 100));
            format!("packages/{one}/src/{two}/{three}_{number}.ts")
        })
        .collect();
    for query in ["s", "srvidx", "parser render", "config_4217", "nothingatall"] {
        let start = Instant::now();
        let ranked = rank(paths.iter().map(String::as_str), query, 50, &|| false);
        let best = ranked.first().map_or("nothing", |ranked| ranked.path);
        writeln!(io::stdout(), "{query:>14}: {:>6.1} ms, best {best}", start.elapsed().as_secs_f64() * 1e3)?;
    }
    Ok(())
}
