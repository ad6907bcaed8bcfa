//! Going on with sessions of Claude Code and Codex.

use std::path::PathBuf;

use omp_testkit::{Home, ModelOptions, Reply, Server, Wire};
use serde_json::json;

use crate::sessions::{lines, session_files};
use crate::support::{home, omp_run};

const CLAUDE: &str = include_str!("../../../omp-import/tests/fixtures/claude-2.1.jsonl");
const CODEX: &str = include_str!("../../../omp-import/tests/fixtures/codex-0.144.jsonl");

/// The recorded conversation, as if it had been held in the working directory.
fn here(home: &Home, recorded: &str) -> String {
    recorded.replace("/srv/shop", home.work_dir().to_str().unwrap())
}

/// Our own session files: Codex has a directory of the same name.
fn ours(home: &Home) -> Vec<PathBuf> {
    let agent = home.agent_dir();
    session_files(home).into_iter().filter(|path| path.starts_with(&agent)).collect()
}

fn with_both(home: &Home) {
    home.write(
        "home/.claude/projects/-elsewhere/old.jsonl",
        CLAUDE.replace("Delete the", "Elsewhere: delete the"),
    );
    home.write("home/.claude/projects/-work/abc.jsonl", here(home, CLAUDE));
    home.write("home/.codex/sessions/2025/10/29/rollout-x.jsonl", here(home, CODEX));
}

/// The newest conversation of this directory becomes a session and goes on; the other program's file stays.
// proves: CLI-272
#[test]
fn sessions_of_other_programs_go_on() {
    for (flag, file, words, program) in [
        ("--from-claude", "home/.claude/projects/-work/abc.jsonl", "Delete the second one.", "claude-code"),
        ("--from-codex", "home/.codex/sessions/2025/10/29/rollout-x.jsonl", "Thanks.", "codex"),
    ] {
        for wire in Wire::ALL {
            let server = Server::start([Reply::new().text("going on"), Reply::new().text("and on")]);
            let home = home(&server, wire);
            with_both(&home);
            let before = home.read_bytes(file);
            let output = omp_run(&home, &[flag, "-p", "what next?"]);
            assert_eq!(output.assert_success().stdout, "going on\n", "{}", output.stderr);
            let request = server.requests()[0].body.to_string();
            assert!(request.contains(words) && !request.contains("Elsewhere"), "{wire}: {request}");
            assert_eq!(home.read_bytes(file), before);
            let files = ours(&home);
            assert_eq!(files.len(), 1);
            assert_eq!(lines(&files[0])[0]["importedFrom"]["program"], json!(program));
            assert_eq!(omp_run(&home, &["-c", "-p", "more"]).stdout, "and on\n");
            assert_eq!(ours(&home), files, "it is a session like any other");
            server.finish();
        }
    }
}

/// One beginning at a time.
// proves: CLI-272
#[test]
fn an_import_excludes_other_beginnings() {
    let home = Home::new();
    with_both(&home);
    let others: [&[&str]; 4] = [&["--from-codex"], &["-c"], &["--resume", "x"], &["--fork", "x"]];
    for flag in ["--from-claude", "--from-codex"] {
        for other in others.iter().filter(|other| other[0] != flag) {
            let args: Vec<&str> = [flag].iter().chain(*other).chain(&["-p", "x"]).copied().collect();
            let refused = omp_run(&home, &args);
            assert_eq!(refused.code, Some(1), "{args:?}");
            assert!(refused.stderr.contains("cannot be combined"), "{args:?}: {}", refused.stderr);
        }
        let unsaved = omp_run(&home, &[flag, "--no-session", "-p", "x"]);
        assert!(unsaved.code == Some(1) && unsaved.stderr.contains("--no-session"), "{}", unsaved.stderr);
    }
    assert!(ours(&home).is_empty());
}

#[test]
fn nothing_to_import_is_said() {
    let home = Home::new();
    home.write("home/.claude/projects/-elsewhere/old.jsonl", CLAUDE);
    let output = omp_run(&home, &["--from-claude", "-p", "x"]);
    assert_eq!(output.code, Some(1));
    assert!(output.stderr.contains("no Claude Code session for"), "{}", output.stderr);
    assert!(ours(&home).is_empty());
}

/// By id or by file, from any of the programs.
#[test]
fn a_named_session_is_imported() {
    let server = Server::start([Reply::new().text("here we are")]);
    let home = Home::new();
    home.models_yml(&server, Wire::OpenAiResponses, ModelOptions::new());
    with_both(&home);
    let output = omp_run(&home, &["session", "import", "019f5c5a", "--json"]);
    let made: serde_json::Value = serde_json::from_str(&output.assert_success().stdout).unwrap();
    let id = made["id"].as_str().unwrap();
    assert_eq!(lines(&PathBuf::from(made["path"].as_str().unwrap()))[0]["id"], made["id"]);
    assert_eq!(omp_run(&home, &["--resume", id, "-p", "go on"]).stdout, "here we are\n");
    server.finish();
    let file = home.path("home/.claude/projects/-work/abc.jsonl");
    let by_path = omp_run(&home, &["session", "import", file.to_str().unwrap()]);
    assert!(by_path.assert_success().stdout.contains("Continue with: omp --resume "), "{}", by_path.stdout);
    let unknown = omp_run(&home, &["session", "import", "nobody"]);
    assert!(unknown.code == Some(1) && unknown.stderr.contains("\"nobody\""), "{}", unknown.stderr);
    home.write("work/odd.jsonl", "{}\n");
    let strange = omp_run(&home, &["session", "import", "odd.jsonl"]);
    assert!(strange.stderr.contains("is not a Claude Code, Codex or pi conversation"), "{}", strange.stderr);
}

/// What Codex says before the first prompt does not hide it from lists, however long that is.
#[test]
fn an_imported_codex_session_is_listed_by_its_first_message() {
    let home = Home::new();
    let item = |role: &str, text: String| {
        let payload =
            json!({"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]});
        json!({"timestamp": "2026-03-01T10:00:00.000Z", "type": "response_item", "payload": payload})
    };
    let meta = json!({"id": "019a0000-0000-7000-8000-00000000000a", "timestamp": "2026-03-01T10:00:00.000Z",
        "cwd": home.work_dir(), "originator": "codex_cli_rs", "cli_version": "0.144.0"});
    let records = [
        json!({"timestamp": "2026-03-01T10:00:00.000Z", "type": "session_meta", "payload": meta}),
        item("developer", "rules ".repeat(3000)),
        item("user", format!("<environment_context>\n{}\n</environment_context>", "x ".repeat(4000))),
        item("user", "Rename the parser, please".to_owned()),
        item("assistant", "Done.".to_owned()),
    ];
    let text: String = records.iter().map(|record| format!("{record}\n")).collect();
    let file = home.write("home/rollout.jsonl", text);
    omp_run(&home, &["session", "import", file.to_str().unwrap()]).assert_success();
    let listed = omp_run(&home, &["session", "list"]);
    assert!(listed.stdout.contains("Rename the parser, please"), "{}", listed.stdout);
}
