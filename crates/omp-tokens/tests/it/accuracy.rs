//! Estimates stay within five percent of the real count, over what a coding agent reads.

use std::path::{Path, PathBuf};

use omp_tokens::{Family, estimate, estimate_for};

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The texts of a directory whose names end with `ending`, one after another.
fn texts(directory: &str, ending: &str) -> String {
    fn walk(path: &Path, ending: &str, all: &mut String) {
        let mut below: Vec<PathBuf> = std::fs::read_dir(path)
            .expect("a directory")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        below.sort();
        for path in below {
            if path.is_dir() {
                walk(&path, ending, all);
            } else if path.to_string_lossy().ends_with(ending) && all.len() < 400_000 {
                all.push_str(&std::fs::read_to_string(&path).expect("a text"));
            }
        }
    }
    let mut all = String::new();
    walk(&workspace().join(directory), ending, &mut all);
    assert!(all.len() > 200, "{directory} has texts");
    all
}

/// The schemas of the tools, each the block of JSON in its `tool.md`.
fn schemas() -> String {
    let pages = texts("crates/omp-tools/src", "tool.md");
    let blocks = pages.split("```json\n").skip(1).filter_map(|rest| rest.split_once("```"));
    let schemas: String = blocks.map(|(schema, _)| schema).collect();
    assert!(schemas.len() > 2_000);
    schemas
}

fn close(family: Family, name: &str, kind: &str, text: &str) {
    let real = tiktoken::get_encoding(name).expect("a tokenizer").count(text) as f64;
    let ours = estimate_for(family, text) as f64;
    let error = (ours - real).abs() / real;
    assert!(error < 0.05, "{kind} with {name}: {ours} instead of {real}");
}

fn both(kind: &str, text: &str) {
    close(Family::O200k, "o200k_base", kind, text);
    close(Family::Cl100k, "cl100k_base", kind, text);
}

#[test]
fn code_is_within_five_percent() {
    both("Rust", &texts("crates/omp-agent/src", ".rs"));
}

#[test]
fn prose_is_within_five_percent() {
    both("Markdown", &texts("docs", ".md"));
}

#[test]
fn data_is_within_five_percent() {
    both("JSON", &schemas());
    both("TSV", &texts("crates/omp-llm/data", ".tsv"));
}

#[test]
fn other_scripts_are_within_five_percent() {
    for script in ["chinese", "japanese", "korean", "russian"] {
        both(script, &texts("crates/omp-tokens/tests/it/texts", &format!("{script}.txt")));
    }
}

#[test]
fn odd_texts_are_within_five_percent() {
    both("spaces", &format!("{}x\n", " ".repeat(5_000)).repeat(20));
    both("one letter", &"a".repeat(100_000));
    both("digits", &"0123456789 ".repeat(2_000));
    both("signs", &"=== --- *** {}[]();\n".repeat(500));
    both("contractions", &"I'm sure they'll say it's what we've DON'T \n".repeat(200));
    both("line ends", &"a\r\nb\r\n\r\n\tc\n".repeat(500));
    both("accents", &"e\u{301}te\u{301} nai\u{308}ve café Ünïcode\n".repeat(200));
}

#[test]
fn small_texts_are_exact() {
    for (text, tokens) in [("", 0), ("a", 1), (" ", 1), ("hello world", 2), ("\n", 1), ("é", 1)] {
        assert_eq!(estimate(text), tokens, "{text:?}");
    }
}
