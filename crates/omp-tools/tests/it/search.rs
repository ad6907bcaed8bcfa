//! The search tool, as a model uses it.

use crate::support::session::Session;
use crate::support::{Project, invocation, numbered, text};
use omp_agent::Updates;
use omp_edits::hashline::Tag;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

async fn search(session: &Session, arguments: Value) -> String {
    text(&session.call("search", arguments).await.unwrap())
}

async fn details(session: &Session, arguments: Value) -> Value {
    session.call("search", arguments).await.unwrap().details.unwrap()
}

async fn error(session: &Session, arguments: Value) -> String {
    session.call("search", arguments).await.unwrap_err()
}

// proves: FIL-213
#[tokio::test]
async fn the_schema() {
    let session = Session::new();
    let tool = session.tools.iter().find(|tool| tool.definition().name == "search").unwrap();
    let schema = &tool.definition().parameters;
    assert_eq!(schema["required"], json!(["pattern", "paths"]));
    let names: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["pattern", "paths", "i", "gitignore", "skip"]);
    session.project.file("a.txt", "Hello\n");
    assert_eq!(search(&session, json!({ "pattern": "hello", "paths": "a.txt" })).await, "No matches found");
    let found = search(&session, json!({ "pattern": "hello", "paths": ["a.txt"], "i": true })).await;
    assert!(found.ends_with("*1:Hello"), "{found}");
}

// proves: FIL-214, FIL-233
#[tokio::test]
async fn what_makes_no_sense_is_refused() {
    let session = Session::new();
    session.project.file("a.txt", "x\n");
    assert_eq!(error(&session, json!({ "pattern": "  ", "paths": "." })).await, "Pattern must not be empty");
    let look = error(&session, json!({ "pattern": "(?=x)", "paths": "." })).await;
    assert!(look.starts_with("Invalid regex: ") && look.contains("look-around"), "{look}");
    assert!(error(&session, json!({ "pattern": "[", "paths": "." })).await.starts_with("Invalid regex: "));
    let skip = error(&session, json!({ "pattern": "x", "paths": ".", "skip": -1 })).await;
    assert_eq!(skip, "Skip must be a non-negative number");
    for paths in [json!(""), json!([" "]), json!([])] {
        let error = error(&session, json!({ "pattern": "x", "paths": paths })).await;
        assert_eq!(error, "`paths` must contain non-empty paths or globs");
    }
    let trimmed = search(&session, json!({ "pattern": "  x ", "paths": "a.txt" })).await;
    assert!(trimmed.ends_with("*1:x"), "{trimmed}");
}

// proves: FIL-215
#[tokio::test]
async fn patterns_with_a_line_end_span_lines() {
    let session = Session::new();
    session.project.file("a.txt", "foo\nbar\nfoo bar\n");
    let found = search(&session, json!({ "pattern": "foo\\nbar", "paths": "a.txt" })).await;
    assert!(found.contains("*1:foo\n*2:bar"), "{found}");
    let real = search(&session, json!({ "pattern": "foo\nbar", "paths": "a.txt" })).await;
    assert_eq!(real, found);
    let single = search(&session, json!({ "pattern": "foo.bar", "paths": "a.txt" })).await;
    assert!(single.contains("*3:foo bar") && !single.contains("*1:"), "{single}");
}

// proves: FIL-216
#[tokio::test]
async fn brackets_of_code_may_stand_as_they_are() {
    let session = Session::new();
    session.project.file("a.txt", "${platform}\ninterface{}\nfoo(bar)\naaa\n");
    for (pattern, line) in [("${platform}", 1), ("interface{}", 2), ("foo(", 3), ("^a{2,4}$", 4)] {
        let found = search(&session, json!({ "pattern": pattern, "paths": "a.txt" })).await;
        assert!(found.contains(&format!("*{line}:")), "{pattern}: {found}");
    }
}

// proves: FIL-217, FIL-218
#[tokio::test]
async fn rows_of_matches_and_of_what_is_around() {
    let session = Session::new();
    let content = numbered(20);
    session.project.file("a.txt", &content);
    let arguments = json!({ "pattern": "line 10$", "paths": "a.txt" });
    let tag = Tag::of(&content);
    let rows = " 9:line 9\n*10:line 10\n 11:line 11\n 12:line 12\n 13:line 13";
    assert_eq!(search(&session, arguments.clone()).await, format!("[a.txt#{tag}]\n{rows}"));
    let mut project = Project::new();
    project.settings.search.before = 0;
    project.settings.search.after = 1;
    project.settings.read.hash_lines = false;
    project.file("a.txt", &content);
    let plain = Session::with(project);
    assert_eq!(search(&plain, arguments).await, "*10|line 10\n 11|line 11");
}

// proves: FIL-219, FIL-220
#[tokio::test]
async fn a_heading_is_enough_for_an_edit() {
    let session = Session::new();
    session.project.file("src/a.txt", "one\ntwo\n");
    session.project.file("src/b.txt", "two\n");
    let found = search(&session, json!({ "pattern": "two", "paths": "src" })).await;
    let (a, b) = (Tag::of("one\ntwo\n"), Tag::of("two\n"));
    assert_eq!(found, format!("# src/a.txt#{a}\n 1:one\n*2:two\n\n# src/b.txt#{b}\n*1:two"));
    let heading = found.lines().next().unwrap().strip_prefix("# ").unwrap();
    session.edit(&format!("[{heading}]\nSWAP 2:\n+TWO\n")).await.unwrap();
    assert_eq!(session.project.content("src/a.txt"), b"one\nTWO\n");
    // The whole file was remembered, not only what was shown.
    session.project.file("c.txt", numbered(40));
    let alone = search(&session, json!({ "pattern": "line 5$", "paths": "c.txt" })).await;
    let header = alone.lines().next().unwrap();
    session.project.file("c.txt", format!("top\n{}", numbered(40)));
    session.edit(&format!("{header}\nSWAP 30:\n+thirty\n")).await.unwrap();
    assert!(
        String::from_utf8(session.project.content("c.txt")).unwrap().contains("line 29\nthirty\nline 31\n")
    );
}

// proves: FIL-221
#[tokio::test]
async fn many_files_come_in_pages() {
    let session = Session::new();
    for file in 0..45 {
        session.project.file(&format!("f{file:02}.txt"), "hit\n".repeat(30));
    }
    let first = search(&session, json!({ "pattern": "hit", "paths": "." })).await;
    assert_eq!(first.matches("\n*20:hit").count(), 20, "twenty matches of each of twenty files");
    assert!(!first.contains("*21:hit"), "{first}");
    assert!(first.contains("Use skip=20 for the next page"), "{first}");
    let last = search(&session, json!({ "pattern": "hit", "paths": ".", "skip": 40 })).await;
    assert!(
        last.starts_with("# f40.txt#") && last.contains("# f44.txt#") && !last.contains("skip="),
        "{last}"
    );
    let beyond = search(&session, json!({ "pattern": "hit", "paths": ".", "skip": 60 })).await;
    assert!(beyond.starts_with("No more matches"), "{beyond}");
}

// proves: FIL-222
#[tokio::test]
async fn one_file_shows_more_and_has_no_pages() {
    let session = Session::new();
    session.project.file("a.txt", "hit\n".repeat(500));
    let found = search(&session, json!({ "pattern": "hit", "paths": "a.txt", "skip": 40 })).await;
    assert_eq!(found.matches("\n*").count(), 200);
    assert!(found.contains("More matches than shown"), "{found}");
}

// proves: FIL-223
#[tokio::test]
async fn long_lines_are_cut() {
    let session = Session::new();
    session.project.file("a.txt", format!("hit {}\nhit\n", "ä".repeat(5000)));
    let output = session.call("search", json!({ "pattern": "hit", "paths": "a.txt" })).await.unwrap();
    let row = text(&output).lines().nth(1).unwrap().to_owned();
    assert_eq!(row.strip_prefix("*1:").unwrap().chars().count(), 513);
    assert!(row.ends_with('…'), "{row}");
    assert_eq!(output.details.unwrap()["linesTruncated"], true);
    // Such a line was not seen in full.
    let mut project = Project::new();
    project.settings.edit.enforce_seen_lines = true;
    project.file("a.txt", format!("hit {}\nhit\n", "x".repeat(5000)));
    let strict = Session::with(project);
    let found = search(&strict, json!({ "pattern": "hit", "paths": "a.txt" })).await;
    let header = found.lines().next().unwrap();
    assert!(
        strict.edit(&format!("{header}\nSWAP 1:\n+x\n")).await.unwrap_err().contains("was not displayed")
    );
    strict.edit(&format!("{header}\nSWAP 2:\n+x\n")).await.unwrap();
    // So much that looking stops.
    for file in 0..150 {
        session.project.file(&format!("many/{file}"), "hit\n".repeat(30));
    }
    let many = search(&session, json!({ "pattern": "hit", "paths": "many" })).await;
    assert!(many.contains("of more than"), "{many}");
}

// proves: FIL-224
#[tokio::test]
async fn the_text_is_bounded_and_every_file_keeps_its_share() {
    let session = Session::new();
    for file in 0..20 {
        session.project.file(&format!("f{file:02}.txt"), format!("hit {}\n", "x".repeat(400)).repeat(20));
    }
    let output = session.call("search", json!({ "pattern": "hit", "paths": "." })).await.unwrap();
    let found = text(&output);
    assert!(found.len() <= 51_300, "{}", found.len());
    assert_eq!(found.matches("# f").count(), 20);
    assert_eq!(output.details.unwrap()["perFileLimitReached"], true);
}

// proves: FIL-225
#[tokio::test]
async fn hidden_ignored_and_named_files() {
    let session = Session::new();
    session.project.file(".gitignore", "out/\n");
    for name in [".env.txt", "out/gen.txt", "a.txt", ".git/config"] {
        session.project.file(name, "hit\n");
    }
    let files = |details: Value| -> Vec<String> { serde_json::from_value(details["files"].clone()).unwrap() };
    let found = details(&session, json!({ "pattern": "hit", "paths": "." })).await;
    assert_eq!(files(found), [".env.txt", "a.txt"]);
    let all = details(&session, json!({ "pattern": "hit", "paths": ".", "gitignore": false })).await;
    assert_eq!(files(all), [".env.txt", "a.txt", "out/gen.txt"]);
    let named = details(&session, json!({ "pattern": "hit", "paths": ["out/gen.txt", "*.txt"] })).await;
    assert_eq!(files(named), ["out/gen.txt", ".env.txt", "a.txt"]);
}

// proves: FIL-226
#[tokio::test]
async fn a_line_range_limits_the_matches() {
    let session = Session::new();
    session.project.file("a.txt", numbered(100));
    session.project.file("b:7", "line 1\n");
    let matched = |found: &str| -> Vec<String> {
        found
            .lines()
            .filter_map(|row| row.strip_prefix('*'))
            .map(|row| row.split(':').next().unwrap().to_owned())
            .collect()
    };
    let found = search(&session, json!({ "pattern": "5$", "paths": "a.txt:50-70" })).await;
    assert_eq!(matched(&found), ["55", "65"]);
    let several = search(&session, json!({ "pattern": "5$", "paths": "a.txt:1-6,90-" })).await;
    assert_eq!(matched(&several), ["5", "95"]);
    assert_eq!(matched(&search(&session, json!({ "pattern": "line", "paths": "b:7" })).await), ["1"]);
    let glob = error(&session, json!({ "pattern": "x", "paths": "*.txt:1-2" })).await;
    assert_eq!(glob, "Line-range selector requires a single file, not a glob: *.txt");
    session.project.file("dir/x", "");
    let directory = error(&session, json!({ "pattern": "x", "paths": "dir:1-2" })).await;
    assert_eq!(directory, "Line-range selector requires a single file: dir is a directory");
    let missing = error(&session, json!({ "pattern": "x", "paths": "gone.txt:1-2" })).await;
    assert_eq!(missing, "Path not found for line-range selector: gone.txt");
}

// proves: FIL-227, FIL-232
#[tokio::test]
async fn missing_paths_are_told() {
    let session = Session::new();
    session.project.file("a.txt", "hit\n");
    let found = search(&session, json!({ "pattern": "hit", "paths": ["a.txt", "gone"] })).await;
    assert!(found.ends_with("\n\nSkipped missing paths: gone"), "{found}");
    let none = search(&session, json!({ "pattern": "absent", "paths": ["a.txt", "gone"] })).await;
    assert_eq!(none, "No matches found\n\nSkipped missing paths: gone");
    assert_eq!(
        error(&session, json!({ "pattern": "x", "paths": ["gone", "away"] })).await,
        "Path not found: gone, away"
    );
    assert_eq!(search(&session, json!({ "pattern": "absent", "paths": "a.txt" })).await, "No matches found");
}

// proves: FIL-228
#[tokio::test]
async fn several_paths_in_one_string_are_taken_apart() {
    let session = Session::new();
    session.project.file("src/a.txt", "hit\n");
    session.project.file("tests/b.txt", "hit\n");
    for paths in ["src tests", "src,tests", "src;gone, tests"] {
        let found = search(&session, json!({ "pattern": "hit", "paths": paths })).await;
        assert!(found.contains("# src/a.txt#") && found.contains("# tests/b.txt#"), "{paths}: {found}");
    }
    assert_eq!(
        error(&session, json!({ "pattern": "hit", "paths": "src gone" })).await,
        "Path not found: src gone"
    );
}

// proves: FIL-234
#[tokio::test]
async fn what_cannot_be_read_is_passed_over() {
    let session = Session::new();
    session.project.file("a.txt", "hit\n");
    session.project.file("binary", b"hit\0\x01\n");
    // Root may read everything, so a file that nobody can read stands beside one that root can.
    std::os::unix::fs::symlink("nowhere", session.project.path().join("dangling")).unwrap();
    let locked = session.project.file("locked.txt", "other\n");
    std::fs::set_permissions(&locked, std::os::unix::fs::PermissionsExt::from_mode(0o000)).unwrap();
    nix::unistd::mkfifo(&session.project.path().join("fifo"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let found = search(&session, json!({ "pattern": "hit", "paths": "." })).await;
    assert_eq!(found, format!("# a.txt#{}\n*1:hit", Tag::of("hit\n")));
}

// proves: FIL-235
#[tokio::test]
async fn details_tell_all() {
    let session = Session::new();
    for file in 0..21 {
        session.project.file(&format!("src/f{file:02}.txt"), "hit\n".repeat(30));
    }
    let all = details(&session, json!({ "pattern": "hit", "paths": ["src", "gone"] })).await;
    assert_eq!(all["scopePath"], "src");
    assert_eq!((all["matchCount"].as_u64(), all["fileCount"].as_u64()), (Some(400), Some(20)));
    assert_eq!(all["files"][0], "src/f00.txt");
    assert_eq!(all["fileMatches"][0], json!({ "path": "src/f00.txt", "count": 20 }));
    for flag in ["fileLimitReached", "perFileLimitReached", "truncated"] {
        assert_eq!(all[flag], true, "{flag}");
    }
    assert_eq!(all["missingPaths"], json!(["gone"]));
    assert!(all["displayContent"].as_str().unwrap().contains("*1│hit"));
}

#[tokio::test]
async fn an_abort_is_an_error() {
    let session = Session::new();
    session.project.file("a.txt", "hit\n");
    let tool = session.tools.iter().find(|tool| tool.definition().name == "search").unwrap();
    let cancel = CancellationToken::new();
    cancel.cancel();
    let arguments = json!({ "pattern": "hit", "paths": "." });
    let result = tool.run(invocation(&arguments, cancel, Updates::ignored())).await;
    assert_eq!(result.unwrap_err().message, "Operation aborted");
}

#[tokio::test]
async fn other_encodings_are_searched_and_edited() {
    let session = Session::new();
    let utf16: Vec<u8> = "\u{feff}größe\r\nhit\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    session.project.file("wide.txt", utf16);
    let found = search(&session, json!({ "pattern": "größe|hit", "paths": "." })).await;
    assert!(found.contains("*1:größe\n*2:hit"), "{found}");
}

#[tokio::test]
async fn names_with_brackets_are_names_where_they_exist() {
    let session = Session::new();
    session.project.file("app/[id]/page.tsx", "hit\nmiss\nhit\n");
    for path in ["app/[id]/page.tsx", "app/[id]", "app/[id]/*.tsx"] {
        let found = search(&session, json!({ "pattern": "hit", "paths": path })).await;
        assert!(found.contains("*1:hit") && found.contains("*3:hit"), "{path}: {found}");
    }
    let found = search(&session, json!({ "pattern": "hit", "paths": "app/[id]/page.tsx:3-3" })).await;
    assert!(!found.contains("*1:hit") && found.contains("*3:hit"), "{found}");
}

/// Matches that were found but not shown are no lines that the model has seen.
#[tokio::test]
async fn lines_that_are_left_out_were_not_seen() {
    let mut project = Project::new();
    project.settings.edit.enforce_seen_lines = true;
    for file in 0..20 {
        project.file(&format!("f{file:02}.txt"), format!("hit {}\n", "x".repeat(400)).repeat(20));
    }
    let session = Session::with(project);
    let found = search(&session, json!({ "pattern": "hit", "paths": "." })).await;
    assert!(found.contains("\n*1:hit") && !found.contains("\n*20:hit"), "{found}");
    let heading = found.lines().next().unwrap().strip_prefix("# ").unwrap();
    let unseen = session.edit(&format!("[{heading}]\nSWAP 20:\n+x\n")).await.unwrap_err();
    assert!(unseen.contains("was not displayed"), "{unseen}");
    session.edit(&format!("[{heading}]\nSWAP 1:\n+x\n")).await.unwrap();
}

/// Old encodings are shown as `read` shows them, and can be searched for what is seen.
#[tokio::test]
async fn texts_from_before_unicode() {
    let session = Session::new();
    session.project.file("old.txt", b"// caf\xe9\nint gr\xf6\xdfe;\n");
    let found = search(&session, json!({ "pattern": "größe", "paths": "." })).await;
    assert!(found.ends_with(" 1:// café\n*2:int größe;"), "{found}");
    let heading = found.lines().next().unwrap().strip_prefix("# ").unwrap();
    session.edit(&format!("[{heading}]\nSWAP 2:\n+int größer;\n")).await.unwrap();
    assert_eq!(session.project.content("old.txt"), b"// caf\xe9\nint gr\xf6\xdfer;\n");
    let unmarked: Vec<u8> = "alpha\nbeta gamma\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    session.project.file("wide.txt", unmarked);
    let found = search(&session, json!({ "pattern": "gamma", "paths": "." })).await;
    assert!(found.contains(" 1:alpha\n*2:beta gamma"), "{found}");
}

#[tokio::test]
async fn a_file_that_is_named_twice_is_searched_once() {
    let session = Session::new();
    session.project.file("a.txt", "hit\n");
    let found = search(&session, json!({ "pattern": "hit", "paths": ["a.txt", "./a.txt", "a.txt"] })).await;
    assert_eq!(found, format!("[a.txt#{}]\n*1:hit", Tag::of("hit\n")));
}

/// The count is exact where everything was looked at.
#[tokio::test]
async fn named_files_are_all_searched() {
    let session = Session::new();
    let names: Vec<String> = (0..101).map(|number| format!("f{number:03}.txt")).collect();
    names.iter().for_each(|name| drop(session.project.file(name, "hit\n".repeat(20))));
    let found = search(&session, json!({ "pattern": "hit", "paths": names })).await;
    assert!(found.contains("[20 of 101 matching files shown. Use skip=20 for the next page]"), "{found}");
}
