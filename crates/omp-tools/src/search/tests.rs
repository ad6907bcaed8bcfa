//! What happens between a search and its answer.

use std::sync::Arc;

use omp_shell::{Environment, Scope};
use omp_types::UserBlock;

use super::*;

/// The answer to a search for `hit` in a file that is something else when it is given.
fn answered(before: &str, after: &str) -> String {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.txt");
    std::fs::write(&path, before).unwrap();
    let scope = Arc::new(Scope::new());
    let mut context = Context::new(directory.path().to_owned(), None, scope, Environment::inherited());
    context.settings.edit.active = true;
    let targets = Targets::new(&context, Internal::default(), &["a.txt".to_owned()]).unwrap();
    let style = Style { ignore_case: false, before: 1, after: 1, limit: ALONE };
    let query = Query::new("hit", style).unwrap();
    let collected = collect::collect(&context, &targets, &query, true, &CancellationToken::new()).unwrap();
    std::fs::write(&path, after).unwrap();
    let answer = Answer { context: &context, targets: &targets, collected, alone: true, skip: 0 };
    answer.output().content.iter().filter_map(UserBlock::as_text).collect()
}

/// A tag says that the lines are those of the file; an edit would trust it.
#[test]
fn a_file_that_has_changed_since_gets_no_tag() {
    let before = "one\nhit\nthree\n";
    assert!(answered(before, before).starts_with("[a.txt#"));
    assert!(answered(before, "one\nhit\nthree\nfour\n").starts_with("[a.txt#"), "what is shown is still so");
    for after in ["zero\none\nhit\nthree\n", "one\nhit it\nthree\n", "one\n", ""] {
        assert_eq!(answered(before, after), " 1|one\n*2|hit\n 3|three", "{after:?}");
    }
    let long = format!("hit {}\n", "x".repeat(600));
    assert!(answered(&long, &long).starts_with("[a.txt#"));
    assert!(answered(&long, &format!("a {long}")).starts_with("*1|hit"));
    let minified = format!("{}hit {}\n", "a".repeat(300_000), "b".repeat(9_000));
    assert!(answered(&minified, &minified).starts_with("[a.txt#"));
}
