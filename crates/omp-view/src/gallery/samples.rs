//! Calls as tools really make and answer them.

use omp_types::{ImageBlock, ToolOutput, UserBlock};
use serde_json::{Map, Value, json};

use crate::todo::Todos;

/// One tool with what its call looks like from start to end.
pub(super) struct Sample {
    pub(super) name: &'static str,
    pub(super) partial: Map<String, Value>,
    pub(super) arguments: Map<String, Value>,
    pub(super) update: ToolOutput,
    pub(super) done: ToolOutput,
    pub(super) failed: ToolOutput,
}

pub(super) const ANSWER: &str = "# What I found\n\nThe loop in `parse` is *quadratic*: every **push** copies the [whole text](https://example.org/why).\n\n1. Keep the offset\n2. Drain once\n   - at the end\n\n> Measure before you optimise.\n\n```rust\nfn drain(&mut self, upto: usize) {\n    self.text.drain(..upto); // once\n}\n```\n";

pub(super) const THOUGHT: &str = "The user asks about speed.\n\nI should look at the parser first.";

pub(super) const TABLE: &str = "| crate | lines | what it holds |\n|---|--:|---|\n| `omp-tui` | 2,267 | the terminal engine: renderer, widths, input |\n| `omp-view` | 3,900 | messages and tools as rows |\n";

pub(super) const QUESTION: [(&str, &str); 3] =
    [("Reason", "Deletes files"), ("Command", "rm -rf target\necho done"), ("Directory", "/work")];

/// The question about an edit.
pub(super) const CHANGE: [(&str, &str); 2] = [("Path", "src/lib.rs"), ("Difference", DIFF)];

const DIFF: &str = "--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -10,6 +10,7 @@\n fn total(items: &[Item]) -> u64 {\n     let mut sum = 0;\n     for item in items {\n-        sum += item.price;\n+        sum += item.price * item.count;\n+        log(item);\n     }\n     sum\n@@ -40,3 +41,2 @@\n fn main() {\n-    old();\n }\n";

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

fn sample(name: &'static str, partial: Value, arguments: Value, done: ToolOutput, failed: &str) -> Sample {
    Sample {
        name,
        partial: object(partial),
        arguments: object(arguments),
        update: ToolOutput::default(),
        done,
        failed: ToolOutput::text(failed),
    }
}

fn output(text: &str, details: Value) -> ToolOutput {
    ToolOutput::text(text).with_details(details)
}

pub(super) fn samples() -> Vec<Sample> {
    let mut all = files();
    all.extend(searches());
    all.extend(structures());
    all.extend(commands());
    all.extend(talk());
    all
}

fn files() -> Vec<Sample> {
    let code = "use std::fs;\n\n/// Reads it.\nfn main() {\n    println!(\"{}\", fs::read_to_string(\"a\").unwrap());\n}";
    let shown = json!({ "displayContent": { "text": code, "startLine": 1 } });
    let page = json!({ "method": "markdown", "contentType": "text/html", "meta": { "truncation": {
        "truncatedBy": "lines", "totalLines": 5200, "outputLines": 3000 } } });
    let picture = ToolOutput {
        content: vec![
            UserBlock::text("Read image file [image/png]"),
            UserBlock::Image(ImageBlock {
                data: "AAAA".to_owned(),
                mime_type: "image/png".to_owned(),
                detail: None,
            }),
        ],
        details: None,
    };
    vec![
        sample(
            "read",
            json!({ "path": "src/ma" }),
            json!({ "path": "src/main.rs" }),
            output(code, shown),
            "src/main.rs: no such file. Did you mean src/mian.rs?",
        ),
        sample(
            "read",
            json!({ "path": "https://exa" }),
            json!({ "path": "https://example.org/docs" }),
            output("# Docs\n\nHello", page),
            "https://example.org/docs: 404 Not Found",
        ),
        sample("read", json!({}), json!({ "path": "logo.png" }), picture, "logo.png: not an image"),
        sample(
            "write",
            json!({ "path": "src/new.rs", "content": "fn a() {}\nfn b" }),
            json!({ "path": "src/new.rs", "content": format!("{code}\n\nfn more() {{}}\nfn most() {{}}\nfn last() {{}}\n") }),
            output("Successfully wrote 120 bytes", json!({ "created": true })),
            "src/new.rs: permission denied",
        ),
        sample(
            "edit",
            json!({ "input": "[src/lib.rs#A1B2]\nSWAP 13\n+        sum += item.pr" }),
            json!({ "input": "[src/lib.rs#A1B2]\nSWAP 13\n+        sum += item.price * item.count;\n" }),
            output(
                "[src/lib.rs#C3D4]\n13:        sum += item.price * item.count;\n\nWarnings:\nLine 13 was relocated",
                json!({ "diff": DIFF, "firstChangedLine": 13, "op": "update" }),
            ),
            "the tag #A1B2 is not that of src/lib.rs: read the file again",
        ),
        sample(
            "edit",
            json!({ "path": "a.txt", "old_string": "on" }),
            json!({ "path": "a.txt", "old_string": "one two three", "new_string": "one 2 three" }),
            output(
                "Replaced",
                json!({ "diff": "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one two three\n+one 2 three\n", "firstChangedLine": 1, "op": "update" }),
            ),
            "the text is not in a.txt",
        ),
    ]
}

fn searches() -> Vec<Sample> {
    let files: Vec<String> = (1..=12).map(|number| format!("src/part{number}.rs")).collect();
    let matches = json!([{ "path": "src/a.rs", "count": 2 }, { "path": "src/b/c.rs", "count": 1 }]);
    let found = "# src/a.rs#1A2B\n 11│fn before() {}\n*12│fn needle() {\n*30│    needle();\n\n# src/b/c.rs#3C4D\n*7│use a::needle;";
    vec![
        sample(
            "find",
            json!({ "paths": ["src/**"] }),
            json!({ "paths": ["src/**/*.rs"] }),
            output(
                "",
                json!({ "fileCount": 12, "files": files, "truncated": false, "missingPaths": ["lib"] }),
            ),
            "src: too large",
        ),
        sample(
            "search",
            json!({ "pattern": "need" }),
            json!({ "pattern": "needle", "paths": ["src"] }),
            output(
                "",
                json!({ "matchCount": 3, "fileCount": 2, "fileMatches": matches, "displayContent": found, "truncated": false }),
            ),
            "invalid regular expression: unclosed group",
        ),
    ]
}

fn structures() -> Vec<Sample> {
    let matches = json!([{ "path": "src/a.rs", "count": 2 }, { "path": "src/b/c.rs", "count": 1 }]);
    vec![
        sample(
            "ast_grep",
            json!({ "pat": "foo($" }),
            json!({ "pat": "foo($A)", "paths": ["src"] }),
            output(
                "[src/a.rs#1A2B]\n*12:foo(1)\n  meta: A=1",
                json!({ "matchCount": 3, "fileCount": 2, "fileMatches": matches, "limitReached": true, "parseErrors": ["src/x.rs"] }),
            ),
            "the pattern is not valid Rust",
        ),
        sample(
            "ast_edit",
            json!({ "ops": [{ "pat": "foo($A)" }] }),
            json!({ "ops": [{ "pat": "foo($A)", "out": "bar($A)" }], "paths": ["src"] }),
            output(
                "# src/a.rs\n-12:foo(1)\n+12:bar(1)\n\nPreview: 1 replacement in 1 file. Nothing is written until `resolve` applies it.",
                json!({ "totalReplacements": 1, "filesTouched": 1, "applied": false }),
            ),
            "no files match",
        ),
        sample(
            "resolve",
            json!({ "action": "app" }),
            json!({ "action": "apply", "reason": "The preview is what was asked for." }),
            output(
                "Applied 1 replacement in 1 file.",
                json!({ "action": "apply", "reason": "The preview is what was asked for.", "label": "1 replacement in 1 file", "sourceToolName": "ast_edit" }),
            ),
            "Apply failed: src/a.rs changed since the preview.",
        ),
        sample(
            "search_tool_bm25",
            json!({ "query": "ca" }),
            json!({ "query": "calendar events" }),
            output(
                "{}",
                json!({ "total_tools": 48, "tools": [{ "name": "mcp__cal_list", "label": "List events", "description": "Lists the events of a calendar.", "server_name": "cal", "score": 7.123_456 }] }),
            ),
            "the query must contain a letter or a number",
        ),
    ]
}

fn commands() -> Vec<Sample> {
    let log: String =
        (1..=40).map(|number| format!("test case {number} ... \u{1b}[32mok\u{1b}[0m\n")).collect();
    let text = format!(
        "{log}\n[Showing the last 40 of 9000 lines. Full output: artifact://7]\n\nWall time: 3.40 seconds"
    );
    let truncated = json!({ "exitCode": 0, "wallTimeMs": 3400, "timeoutSeconds": 120, "meta": { "truncation": {
        "direction": "tail", "truncatedBy": "bytes", "totalLines": 9000, "outputLines": 40, "artifactId": "7" } } });
    let mut bash = sample(
        "bash",
        json!({ "command": "cargo nex" }),
        json!({ "command": "cargo nextest run\necho done", "timeout": 120 }),
        output(&text, truncated),
        "",
    );
    bash.update = ToolOutput::text("compiling\nrunning 40 tests");
    bash.failed = output(
        "error: no such command\n\nCommand exited with code 101\n\nWall time: 0.10 seconds",
        json!({ "exitCode": 101, "wallTimeMs": 100, "timeoutSeconds": 120 }),
    );
    let mut ssh = sample(
        "ssh",
        json!({ "host": "build" }),
        json!({ "host": "build", "command": "uptime" }),
        output(
            "up 3 days\n\nWall time: 0.30 seconds",
            json!({ "host": "build", "exitCode": 0, "wallTimeMs": 300, "timeoutSeconds": 60 }),
        ),
        "",
    );
    ssh.failed = output(
        "Command timed out after 60 seconds",
        json!({ "host": "build", "cancelled": true, "timedOut": true, "timeoutSeconds": 60 }),
    );
    let jobs = json!({ "jobs": [
        { "id": "bash-1", "type": "bash", "status": "running", "label": "cargo build", "durationMs": 64_000 },
        { "id": "bash-2", "type": "bash", "status": "failed", "label": "make", "durationMs": 1_200, "errorText": "make: *** no targets" } ] });
    vec![
        bash,
        ssh,
        sample(
            "job",
            json!({}),
            json!({ "poll": ["bash-1", "bash-2"] }),
            output("", jobs),
            "No such job: bash-9",
        ),
        sample(
            "github",
            json!({ "op": "is" }),
            json!({ "op": "issue_view", "issue": 12, "repo": "a/b" }),
            output("# Issue 12\n\nIt is slow.\n\nsecond\nthird\nfourth\nfifth\nsixth", Value::Null),
            "gh: not logged in",
        ),
    ]
}

fn talk() -> Vec<Sample> {
    let question = json!({ "id": "q", "question": "Which database?", "options": [{ "label": "SQLite", "description": "one file" }, { "label": "Postgres" }] });
    let answer = json!({ "question": "Which database?", "options": ["SQLite", "Postgres"], "multi": false, "selectedOptions": ["SQLite"] });
    let goal = json!({ "objective": "All tests pass", "status": "active", "tokenBudget": 500_000, "tokensUsed": 120_000, "timeUsedMs": 95_000 });
    let mut todo = sample(
        "todo",
        json!({ "ops": [{ "op": "start" }] }),
        json!({ "ops": [{ "op": "done", "task": "Write the parser" }] }),
        output("", json!({ "phases": phases() })),
        "",
    );
    todo.failed =
        output("Errors: Task \"x\" not found\nRemaining items: none.", json!({ "phases": phases() }));
    vec![
        todo,
        sample(
            "ask",
            json!({ "questions": [{ "question": "Which da" }] }),
            json!({ "questions": [question] }),
            output("User selected: SQLite", answer),
            "no user is available to answer",
        ),
        sample(
            "checkpoint",
            json!({ "goal": "Find" }),
            json!({ "goal": "Find out why the cache misses" }),
            output("Checkpoint created.", json!({ "goal": "Find out why the cache misses" })),
            "a checkpoint already exists",
        ),
        sample(
            "rewind",
            json!({ "report": "The ca" }),
            json!({ "report": "The cache key holds the **time**.\n\n- remove it\n- add a test" }),
            output("Rewound.", json!({ "rewound": true })),
            "there is no checkpoint to rewind to",
        ),
        sample(
            "goal",
            json!({ "op": "create" }),
            json!({ "op": "create", "objective": "All tests pass" }),
            output("", json!({ "goal": goal })),
            "a goal is already active",
        ),
        sample(
            "mcp__cal_list_events",
            json!({ "calendar": "wo" }),
            json!({ "calendar": "work", "from": "2026-01-01", "limit": 5, "tags": ["a", "b"] }),
            output("[]", Value::Null),
            "the server disconnected",
        ),
    ]
}

fn phases() -> Value {
    let task = |content: &str, status: &str| json!({ "content": content, "status": status });
    json!([
        { "name": "Parser", "tasks": [
            task("Write the parser", "completed"),
            { "content": "Test it", "status": "in_progress", "notes": ["Use proptest", "Watch the widths"] },
            task("Fuzz it", "pending"),
            task("Rewrite it in assembly", "abandoned"),
        ] },
        { "name": "Docs", "tasks": (1..=8).map(|number| task(&format!("Page {number}"), "pending")).collect::<Vec<_>>() },
    ])
}

pub(super) fn todos() -> Todos {
    Todos::of_json(&phases()).unwrap_or_default()
}
