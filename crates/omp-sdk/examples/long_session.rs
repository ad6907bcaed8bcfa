//! A conversation of 10,000 turns with a scripted model: does memory stay where it is?
//!
//! `cargo run --release -p omp-sdk --example long_session [turns]` prints the resident memory ten times on the way, and the
//! last against the first. Facts that were said on the way must all be in the last request, and each request must go on
//! byte for byte where the last one ended, but for compactions and one change of the model.

#![expect(clippy::print_stdout, reason = "an example prints what it found")]

use std::collections::BTreeMap;
use std::time::Instant;

#[path = "../tests/long/scripted.rs"]
mod scripted;

use scripted::Work;

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::process::ExitCode {
    let turns: usize = std::env::args().nth(1).and_then(|turns| turns.parse().ok()).unwrap_or(10_000);
    let work = Work::begin().await;
    let mut planted = BTreeMap::new();
    let mut sizes = Vec::new();
    let begun = Instant::now();
    for turn in 1..=turns {
        planted.extend(work.turn(turn).await);
        if turn == turns / 2 {
            work.use_model("one/b").await;
        }
        if turn % (turns / 10).max(1) == 0 {
            let file = work.session.file().and_then(|file| file.metadata().ok()).map_or(0, |file| file.len());
            let seen = work.script.seen();
            let resident = resident();
            println!(
                "{turn:6} turns  {:6.1} MB resident  {:6.1} MB session file  {:4} compactions  {:5.1} s",
                megabytes(resident),
                megabytes(file),
                seen.summaries,
                begun.elapsed().as_secs_f64()
            );
            sizes.push(resident);
        }
    }
    work.turn(turns + 1).await;
    work.session.close().await;
    work.server.finish();
    drop(work.home);
    let seen = work.script.seen();
    let ratio = match (sizes.first(), sizes.last()) {
        (Some(first), Some(last)) if *first > 0 => *last as f64 / *first as f64,
        _ => 1.0,
    };
    println!("last/first {ratio:.2}   facts {}/{}", seen.facts().len(), planted.len());
    for fault in &seen.faults {
        println!("fault: {fault}");
    }
    let good = seen.faults.is_empty() && seen.facts() == planted;
    match good {
        true => std::process::ExitCode::SUCCESS,
        false => std::process::ExitCode::FAILURE,
    }
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1_000_000.0
}

/// The memory of this process that is in use, in bytes; 0 where that cannot be asked.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}
