//! Writes the fingerprints of the public vocabularies:
//! `cargo run --release -p omp-tokens --example vocabulary -- <directory>`.

#[path = "../src/vocabulary.rs"]
#[expect(dead_code, reason = "the reading half is not needed here")]
mod vocabulary;
