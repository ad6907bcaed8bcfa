//! The find tool, as a model uses it.

use std::time::{Duration, SystemTime};

use crate::support::session::Session;
use crate::support::{Project, invocation, text};
use omp_agent::Updates;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// Files whose order in time is the order of the list, the newest first.
fn files(project: &Project, names: &[&str]) {
    for (age, name) in names.iter().enumerate() {
        let path = project.file(name, "x");
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_900_000_000 - age as u64);
        std::fs::File::open(path).unwrap().set_modified(time).unwrap();
    }
}

async fn find(session: &Session, arguments: Value) -> String {
    text(&session.call("find", arguments).await.unwrap())
}

async fn found(session: &Session, arguments: Value) -> Vec<String> {
    let output = session.call("find", arguments).await.unwrap();
    serde_json::from_value(output.details.unwrap()["files"].clone()).unwrap()
}

async fn error(session: &Session, arguments: Value) -> String {
    session.call("find", arguments).await.unwrap_err()
}

// proves: FIL-195
#[tokio::test]
async fn the_schema_and_its_defaults() {
    let session = Session::new();
    let tool = session.tools.iter().find(|tool| tool.definition().name == "find").unwrap();
    let schema = &tool.definition().parameters;
    assert_eq!(schema["required"], json!(["paths"]));
    let names: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["paths", "hidden", "gitignore", "limit", "timeout"]);
    (0..205).for_each(|number| drop(session.project.file(&format!("f{number}"), "")));
    assert_eq!(found(&session, json!({ "paths": ["f*"] })).await.len(), 200);
    assert_eq!(found(&session, json!({ "paths": ["f*"], "limit": 1000 })).await.len(), 200);
    assert_eq!(found(&session, json!({ "paths": ["f*"], "limit": 3, "timeout": 9999 })).await.len(), 3);
    assert_eq!(found(&session, json!({ "paths": ["f*"], "limit": 3, "timeout": -1 })).await.len(), 3);
}

// proves: FIL-196
#[tokio::test]
async fn a_path_without_a_pattern() {
    let session = Session::new();
    files(&session.project, &["src/main.rs", "src/deep/a.rs", "other.rs"]);
    assert_eq!(find(&session, json!({ "paths": ["src/main.rs"] })).await, "# src/\nmain.rs");
    let below = found(&session, json!({ "paths": ["src"] })).await;
    assert_eq!(below.len(), 3, "{below:?}");
    assert!(
        below.contains(&"src/deep/".to_owned()) && below.contains(&"src/deep/a.rs".to_owned()),
        "{below:?}"
    );
}

// proves: FIL-197
#[tokio::test]
async fn where_a_pattern_begins_decides_its_depth() {
    let session = Session::new();
    files(&session.project, &["a.ts", "src/b.ts", "src/deep/c.ts", "lib/d.ts", "lib/d.js"]);
    assert_eq!(
        found(&session, json!({ "paths": ["*.ts"] })).await,
        ["a.ts", "src/b.ts", "src/deep/c.ts", "lib/d.ts"]
    );
    assert_eq!(found(&session, json!({ "paths": ["**/*.ts"] })).await.len(), 4);
    assert_eq!(found(&session, json!({ "paths": ["src/*.ts"] })).await, ["src/b.ts"]);
    assert_eq!(found(&session, json!({ "paths": ["src/**/*.ts"] })).await, ["src/b.ts", "src/deep/c.ts"]);
    assert_eq!(found(&session, json!({ "paths": ["lib/d.{ts,js}"] })).await, ["lib/d.ts", "lib/d.js"]);
    assert_eq!(found(&session, json!({ "paths": ["d.?s"] })).await.len(), 2);
}

// proves: FIL-198
#[tokio::test]
async fn the_newest_comes_first_and_nothing_twice() {
    let session = Session::new();
    files(&session.project, &["b.rs", "src/a.rs", "c.rs"]);
    assert_eq!(
        found(&session, json!({ "paths": ["c.rs", "*.rs", "src/*.rs"] })).await,
        ["b.rs", "src/a.rs", "c.rs"]
    );
}

// proves: FIL-199
#[tokio::test]
async fn paths_are_a_folded_tree() {
    let session = Session::new();
    files(&session.project, &["a/b/c/x.rs", "top.rs", "a/b/c/y.rs", "a/b/d/z.rs", "e/w.rs"]);
    let shown = find(&session, json!({ "paths": ["*.rs"] })).await;
    assert_eq!(shown, "top.rs\n# a/b/\n## c/\nx.rs\ny.rs\n## d/\nz.rs\n# e/\nw.rs");
    std::fs::create_dir(session.project.path().join("f.rs")).unwrap();
    assert!(find(&session, json!({ "paths": ["f.*"] })).await.ends_with("f.rs/"));
}

// proves: FIL-200
#[tokio::test]
async fn details_tell_what_was_left_out() {
    let session = Session::new();
    (0..201).for_each(|number| drop(session.project.file(&format!("src/f{number}"), "")));
    let output = session.call("find", json!({ "paths": ["src/f*", "nowhere"] })).await.unwrap();
    let details = output.details.unwrap();
    assert_eq!(details["scopePath"], "src");
    assert_eq!(details["fileCount"], 200);
    assert_eq!(details["files"].as_array().unwrap().len(), 200);
    assert_eq!(details["truncated"], true);
    assert_eq!(details["resultLimitReached"], 200);
    assert_eq!(details["missingPaths"], json!(["nowhere"]));
    assert_eq!(details["meta"]["limits"]["resultLimit"]["reached"], 200);
    let few = session.call("find", json!({ "paths": ["src/f1"] })).await.unwrap().details.unwrap();
    assert_eq!(few["truncated"], false);
    assert!(few.get("resultLimitReached").is_none() && few.get("missingPaths").is_none());
}

// proves: FIL-201
#[tokio::test]
async fn nothing_is_a_result() {
    let session = Session::new();
    assert_eq!(find(&session, json!({ "paths": ["*.nope"] })).await, "No files found matching pattern");
}

// proves: FIL-202
#[tokio::test]
async fn missing_paths_are_told() {
    let session = Session::new();
    files(&session.project, &["src/a.rs"]);
    let shown = find(&session, json!({ "paths": ["src", "gone", "away/*.rs"] })).await;
    assert_eq!(shown, "# src/\na.rs\n\nSkipped missing paths: gone, away/*.rs");
    assert_eq!(error(&session, json!({ "paths": ["gone", "away"] })).await, "Path not found: gone, away");
    assert_eq!(error(&session, json!({ "paths": ["gone"] })).await, "Path not found: gone");
}

// FIL-203 in part.
#[tokio::test]
async fn each_entry_is_a_walk_of_its_own() {
    let session = Session::new();
    files(&session.project, &["deep/one/a.rs", "deep/two/b.rs", "deep/three/c.rs"]);
    // Files that a common walk would have read on its way.
    session.project.file("deep/.gitignore", "*.rs\n");
    session.project.file("deep/two/.gitignore", "!*.rs\n");
    assert_eq!(
        found(&session, json!({ "paths": ["deep/one", "deep/two"], "gitignore": false })).await.len(),
        3
    );
    let output = session.call("find", json!({ "paths": ["deep/one/*.rs", "deep/two"] })).await.unwrap();
    let details = output.details.unwrap();
    assert_eq!(details["scopePath"], "deep/one, deep/two");
    assert!(!details["files"].to_string().contains("three"), "{details}");
}

// proves: FIL-204
#[tokio::test]
async fn several_paths_in_one_string_are_taken_apart() {
    let session = Session::new();
    files(&session.project, &["src/a.rs", "tests/b.rs", "c d.txt", "e,f.txt"]);
    assert_eq!(found(&session, json!({ "paths": ["src,tests"] })).await, ["src/a.rs", "tests/b.rs"]);
    assert_eq!(found(&session, json!({ "paths": ["src; tests"] })).await, ["src/a.rs", "tests/b.rs"]);
    assert_eq!(found(&session, json!({ "paths": ["src tests"] })).await, ["src/a.rs", "tests/b.rs"]);
    assert_eq!(found(&session, json!({ "paths": ["src,gone"] })).await, ["src/a.rs"]);
    assert_eq!(error(&session, json!({ "paths": ["src gone"] })).await, "Path not found: src gone");
    assert_eq!(found(&session, json!({ "paths": ["c d.txt"] })).await, ["c d.txt"]);
    assert_eq!(found(&session, json!({ "paths": ["e,f.txt"] })).await, ["e,f.txt"]);
}

// proves: FIL-205
#[tokio::test]
async fn what_makes_no_sense_is_refused() {
    let session = Session::new();
    files(&session.project, &["a.rs"]);
    for paths in [json!([""]), json!(["  "]), json!([])] {
        let error = error(&session, json!({ "paths": paths })).await;
        assert_eq!(error, "`paths` must contain non-empty globs or paths");
    }
    std::os::unix::fs::symlink("/", session.project.path().join("top")).unwrap();
    for root in ["/", "/*", "/**/*.rs", "/tmp/..", "/../*.rs", "top"] {
        let error = error(&session, json!({ "paths": [root] })).await;
        assert_eq!(error, "Searching from root directory '/' is not allowed");
    }
    assert_eq!(
        error(&session, json!({ "paths": ["*"], "limit": 0 })).await,
        "Limit must be a positive number"
    );
    assert_eq!(error(&session, json!({ "paths": ["a.rs/*.x"] })).await, "Path is not a directory: a.rs");
    assert!(error(&session, json!({ "paths": ["[z"] })).await.contains("Invalid glob"));
}

// proves: FIL-207
#[tokio::test]
async fn an_abort_is_an_error() {
    let session = Session::new();
    files(&session.project, &["a.rs"]);
    let tool = session.tools.iter().find(|tool| tool.definition().name == "find").unwrap();
    let cancel = CancellationToken::new();
    cancel.cancel();
    let result = tool.run(invocation(&json!({ "paths": ["*"] }), cancel, Updates::ignored())).await;
    assert_eq!(result.unwrap_err().message, "Operation aborted");
}

// proves: FIL-208
#[tokio::test]
async fn ignored_and_hidden_files() {
    let session = Session::new();
    files(&session.project, &["a.rs", ".hidden.rs", "out/gen.rs", ".git/x.rs"]);
    session.project.file(".gitignore", "out/\n");
    assert_eq!(found(&session, json!({ "paths": ["*.rs"] })).await, ["a.rs", ".hidden.rs"]);
    assert_eq!(found(&session, json!({ "paths": ["*.rs"], "hidden": false })).await, ["a.rs"]);
    let all = found(&session, json!({ "paths": ["*.rs"], "gitignore": false })).await;
    assert_eq!(all, ["a.rs", ".hidden.rs", "out/gen.rs"]);
}

// proves: FIL-209
#[tokio::test]
async fn the_text_is_bounded_by_bytes_alone() {
    let session = Session::new();
    let long = "n".repeat(200);
    for number in 0..200 {
        session.project.file(&format!("{number:03}{long}/{long}/f"), "");
    }
    let output = session.call("find", json!({ "paths": ["f*"] })).await.unwrap();
    assert!(text(&output).len() <= 51_300, "{}", text(&output).len());
    assert_eq!(output.details.as_ref().unwrap()["meta"]["truncation"]["truncatedBy"], "bytes");
    assert_eq!(output.details.unwrap()["files"].as_array().unwrap().len(), 200);
    assert_eq!(found(&session, json!({ "paths": ["f*"], "limit": 2.9 })).await.len(), 2);
}

// proves: FIL-212
#[tokio::test]
async fn backslashes_are_slashes() {
    let session = Session::new();
    files(&session.project, &["src/a.ts"]);
    assert_eq!(found(&session, json!({ "paths": ["src\\*.ts"] })).await, ["src/a.ts"]);
}

/// Frameworks name directories `[id]` and `{slug}`; what is there is meant.
#[tokio::test]
async fn names_with_brackets_are_names_where_they_exist() {
    let session = Session::new();
    files(
        &session.project,
        &["app/[id]/page.tsx", "app/[id]/b.ts", "app/i/other.tsx", "[top].ts", "x{1}.ts"],
    );
    assert_eq!(found(&session, json!({ "paths": ["app/[id]/page.tsx"] })).await, ["app/[id]/page.tsx"]);
    assert_eq!(found(&session, json!({ "paths": ["app/[id]"] })).await.len(), 2);
    assert_eq!(found(&session, json!({ "paths": ["app/[id]/*.tsx"] })).await, ["app/[id]/page.tsx"]);
    assert_eq!(found(&session, json!({ "paths": ["[top].ts"] })).await, ["[top].ts"]);
    assert_eq!(found(&session, json!({ "paths": ["x{1}.ts"] })).await, ["x{1}.ts"]);
    assert_eq!(
        found(&session, json!({ "paths": ["app/[i]/*.tsx"] })).await,
        ["app/i/other.tsx"],
        "a pattern"
    );
}

#[tokio::test]
async fn a_pattern_with_a_slash_at_its_end_means_directories() {
    let session = Session::new();
    files(&session.project, &["src/a/x.rs", "src/b/y.rs", "src/c.rs"]);
    let mut found = found(&session, json!({ "paths": ["src/*/"] })).await;
    found.sort();
    assert_eq!(found, ["src/a/", "src/b/"]);
}

/// Thousands of entries are no reason for thousands of threads.
#[tokio::test]
async fn many_entries_in_one_call() {
    let session = Session::new();
    let names: Vec<String> = (0..1500).map(|number| format!("d{number}/f")).collect();
    names.iter().for_each(|name| drop(session.project.file(name, "")));
    let paths: Vec<String> = (0..1500).map(|number| format!("d{number}")).collect();
    let output = session.call("find", json!({ "paths": paths })).await.unwrap();
    assert!(
        text(&output)
            .ends_with("[Showing the newest 200 of 1500 matches. Narrow the pattern to see the others]")
    );
}

/// A name cannot pretend to be several results.
#[tokio::test]
async fn names_stay_on_their_lines() {
    let session = Session::new();
    files(&session.project, &["a\nsecret.rs", "b.rs"]);
    let said = find(&session, json!({ "paths": ["*.rs"] })).await;
    let mut lines: Vec<&str> = said.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["a\\nsecret.rs", "b.rs"]);
    assert!(found(&session, json!({ "paths": ["a*"] })).await.contains(&"a\nsecret.rs".to_owned()));
}
