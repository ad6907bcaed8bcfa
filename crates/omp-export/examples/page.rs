//! Writes the page of the sample session of the tests, or of a given session, to look at it in a browser:
//! `cargo run -p omp-export --example page -- <directory> [session.jsonl]`.

#[path = "../tests/it/sample.rs"]
mod sample;

use std::path::PathBuf;

use omp_export::{PageOptions, SessionView, html};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = PathBuf::from(std::env::args().nth(1).ok_or("Name a directory for the page.")?);
    let (sample, blobs) = sample::save(&directory);
    let session = std::env::args().nth(2).map_or(sample, PathBuf::from);
    let tools = sample::tools();
    let options = PageOptions {
        system_prompt: Some(sample::SYSTEM_PROMPT),
        tools: &tools,
        blobs: Some(&blobs),
        ..PageOptions::default()
    };
    let mut out = std::io::BufWriter::new(std::fs::File::create(directory.join("page.html"))?);
    html(&SessionView::open(&session)?, &options, &mut out)?;
    Ok(())
}
