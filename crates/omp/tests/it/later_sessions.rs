//! Sessions that later releases wrote, and files that are no sessions at all.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use omp_testkit::{Home, ModelOptions, Reply, Server, Wire};
use serde_json::{Value, json};

use crate::sessions::{lines, session_files};
use crate::support::{home, omp_run};

const NAMED: &str = "2026-03-01T10:00:00.000Z";

/// The first line of a file that a later release wrote: 256 bytes with its newline.
fn name(title: &str) -> String {
    let with = |pad: usize| {
        let pad = " ".repeat(pad);
        json!({"type": "title", "v": 1, "title": title, "source": "user", "updatedAt": NAMED, "pad": pad})
            .to_string()
    };
    with(255 - with("".len()).len()) + "\n"
}

fn header(home: &Home) -> Value {
    json!({"type": "session", "version": 3, "id": "019a0000-0000-7000-8000-000000000001", "timestamp": NAMED,
        "cwd": home.work_dir()})
}

/// Entries in a row, each below the one before, from what is special about each.
fn chain(entries: &[Value]) -> String {
    let mut parent = Value::Null;
    let mut text = String::new();
    for (number, entry) in entries.iter().enumerate() {
        let mut entry = entry.clone();
        let id = format!("{number:08x}");
        entry["id"] = json!(id);
        entry["parentId"] = std::mem::replace(&mut parent, json!(id));
        entry["timestamp"] = json!("2026-03-01T11:00:00.000Z");
        text += &format!("{entry}\n");
    }
    text
}

fn said(role: &str, text: &str) -> Value {
    let content = json!([{"type": "text", "text": text}]);
    let message = match role {
        "assistant" => {
            json!({"role": role, "content": content, "api": "x", "provider": "p", "model": "m", "stopReason": "stop", "timestamp": 1})
        }
        _ => json!({"role": role, "content": content, "timestamp": 1}),
    };
    json!({"type": "message", "message": message})
}

/// Where the sessions of the home's project are; none has been used yet.
fn directory(home: &Home) -> PathBuf {
    let output = omp_run(home, &["-p", "to see where sessions go"]);
    output.assert_success();
    let file = session_files(home)[0].clone();
    std::fs::remove_file(&file).unwrap();
    file.parent().unwrap().to_owned()
}

// proves: IOP-001
#[test]
fn a_session_with_a_name_before_its_header_goes_on() {
    let server =
        Server::start([Reply::new().text("-"), Reply::new().text("seven"), Reply::new().text("eight")]);
    let home = home(&server, Wire::OpenAiCompletions);
    let file = directory(&home).join("2026-03-01T10-00-00-000Z_019a0000-0000-7000-8000-000000000001.jsonl");
    let old = name("Numbers of a year")
        + &format!("{}\n", header(&home))
        + &chain(&[said("user", "remember six"), said("assistant", "six it is")]);
    std::fs::write(&file, &old).unwrap();

    let listed = omp_run(&home, &["session", "list"]);
    assert!(listed.stdout.contains("Numbers of a year"), "{}", listed.stdout);
    let shown = omp_run(&home, &["session", "show", "019a0000"]);
    assert!(shown.stdout.contains("six it is"), "{}", shown.stdout);
    assert_eq!(omp_run(&home, &["session", "fsck", "019a0000"]).code, Some(0));
    assert_eq!(omp_run(&home, &["-c", "-p", "the next?"]).stdout, "seven\n");
    assert_eq!(omp_run(&home, &["--resume", file.to_str().unwrap(), "-p", "and then?"]).stdout, "eight\n");
    let requests = server.requests();
    assert!(requests[1].body.to_string().contains("remember six"), "{}", requests[1].body);
    assert!(requests[2].body.to_string().contains("the next?"), "{}", requests[2].body);
    let now = std::fs::read_to_string(&file).unwrap();
    assert!(now.starts_with(&old), "the file only grows");
    assert_eq!(session_files(&home), [file], "no other session began, and nothing was put aside");
    server.finish();
}

/// What a file that is no session looks like from outside.
fn facts(path: &Path) -> (u64, i64, i64, Option<Vec<u8>>) {
    let facts = std::fs::symlink_metadata(path).unwrap();
    (facts.ino(), facts.mtime(), facts.mtime_nsec(), std::fs::read(path).ok())
}

/// Everything that one could do to a file, by its path or by where it is.
fn attempts(path: &str) -> Vec<Vec<&str>> {
    vec![
        vec!["--resume", path, "-p", "x"],
        vec!["--resume", path, "--take-over", "-p", "x"],
        vec!["-c", "-p", "x"],
        vec!["--fork", path, "-p", "x"],
        vec!["--export", path],
        vec!["session", "list", "--all"],
        vec!["session", "show", path],
        vec!["session", "search", "words"],
        vec!["session", "fork", path],
        vec!["session", "branch", path, "00000000"],
        vec!["session", "fsck", path],
        vec!["session", "import", path],
        vec!["session", "recover", path],
        vec!["session", "delete", path],
        vec!["gc", "--older-than", "1", "--max-size", "0", "--apply"],
        vec!["stats", "--summary"],
        vec!["share", path],
    ]
}

// proves: IOP-002
#[test]
fn a_file_that_is_no_session_is_left_alone() {
    let server = Server::start((0..200).map(|_| Reply::new().text("ok")).collect::<Vec<_>>());
    let home = home(&server, Wire::OpenAiCompletions);
    let directory = directory(&home);
    let bytes: Vec<u8> =
        (0..5000_u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let named = name("only a name");
    let contents: [&[u8]; 8] = [
        &bytes,
        b"{\"type\":\"session\",\"version\":3,\"id\":\"x",
        b"\n\n  \n",
        named.as_bytes(),
        b"{\"type\":\"session_meta\",\"payload\":{\"id\":\"x\",\"cwd\":\"/p\"}}\n",
        b"{\"parentUuid\":null,\"sessionId\":\"x\",\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"hi\"}}\n",
        b"{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"message\":{\"role\":\"user\",\"content\":\"no header\"}}\n",
        b"my notes\n",
    ];
    let week = std::time::SystemTime::now() - std::time::Duration::from_secs(30 * 24 * 3600);
    for (number, content) in contents.into_iter().enumerate() {
        let name =
            format!("2026-03-01T10-00-0{number}-000Z_019a0000-0000-7000-8000-00000000000{number}.jsonl");
        let path = directory.join(name);
        std::fs::write(&path, content).unwrap();
        std::fs::File::options().write(true).open(&path).unwrap().set_modified(week).unwrap();
        let before = facts(&path);
        for attempt in attempts(path.to_str().unwrap()) {
            let output = omp_run(&home, &attempt);
            assert!(!output.stderr.contains("panicked"), "{attempt:?}: {}", output.stderr);
            assert_eq!(facts(&path), before, "{number}: {attempt:?}: {}", output.stderr);
        }
        let refused = omp_run(&home, &["--resume", path.to_str().unwrap(), "-p", "x"]);
        assert_eq!(refused.code, Some(1), "{refused:?}");
        assert!(refused.stderr.contains("is not a session"), "{}", refused.stderr);
    }
    let aside = home.list_files().into_iter().filter(|file| file.contains("unreadable")).count();
    assert_eq!(aside, 0, "nothing was put aside");
}

// proves: IOP-003
#[test]
fn messages_of_other_roles_reach_the_model() {
    let server = Server::start([Reply::new().text("-"), Reply::new().text("ok")]);
    let home = Home::new();
    let options = ModelOptions::new().model("compat:\n  supportsDeveloperRole: true");
    home.models_yml(&server, Wire::OpenAiResponses, options);
    let file = directory(&home).join("2026_019a.jsonl");
    let message = |message: Value| json!({"type": "message", "message": message});
    let entries = chain(&[
        said("user", "look at @notes.md"),
        message(
            json!({"role": "fileMention", "timestamp": 1, "files": [{"path": "notes.md", "content": "the plan", "lineCount": 1}]}),
        ),
        said("developer", "be brief"),
        message(
            json!({"role": "pythonExecution", "code": "print(1)", "output": "1\n", "exitCode": 0, "cancelled": false, "truncated": false, "timestamp": 1}),
        ),
        message(
            json!({"role": "pythonExecution", "code": "secret()", "output": "", "excludeFromContext": true, "timestamp": 1}),
        ),
        message(
            json!({"role": "hookMessage", "customType": "h", "content": "from a hook", "display": true, "timestamp": 1}),
        ),
        said("assistant", "seen"),
    ]);
    std::fs::write(&file, name("x") + &format!("{}\n{entries}", header(&home))).unwrap();
    omp_run(&home, &["--resume", file.to_str().unwrap(), "-p", "go on"]).assert_success();
    let body = server.requests()[1].body.clone();
    let items = body["input"].as_array().unwrap().iter().map(|item| {
        let text = item["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        (item["role"].as_str().unwrap_or_default().to_owned(), text)
    });
    let items: Vec<(String, String)> = items.filter(|(role, _)| role != "system").collect();
    let item = |role: &str, text: &str| (role.to_owned(), text.to_owned());
    let from = items.iter().position(|(_, text)| text == "look at @notes.md").unwrap();
    assert_eq!(
        items[from + 1..from + 6],
        [
            item("developer", "<file path=\"notes.md\">\nthe plan\n</file>"),
            item("developer", "be brief"),
            item("user", "Ran Python:\n```python\nprint(1)\n```\nOutput:\n```\n1\n\n```"),
            item("developer", "from a hook"),
            item("assistant", "seen"),
        ]
    );
    assert!(!body.to_string().contains("secret()"), "what is private stays private");
    server.finish();
}

// proves: IOP-004
#[test]
fn a_cleared_conversation_and_a_new_name_are_respected() {
    let server = Server::start([Reply::new().text("-"), Reply::new().text("ok"), Reply::new().text("ok")]);
    let home = home(&server, Wire::AnthropicMessages);
    let file = directory(&home).join("2026_019a.jsonl");
    let entries = chain(&[
        said("user", "the cleared question"),
        said("assistant", "the cleared answer"),
        json!({"type": "reset_boundary"}),
        json!({"type": "title_change", "title": "A new beginning", "previousTitle": "Old", "source": "user"}),
        said("user", "the question that counts"),
        said("assistant", "the answer that counts"),
    ]);
    std::fs::write(&file, format!("{}\n{entries}", header(&home))).unwrap();
    let listed = omp_run(&home, &["session", "list"]);
    assert!(listed.stdout.contains("A new beginning"), "{}", listed.stdout);
    omp_run(&home, &["-c", "-p", "go on"]).assert_success();
    let body = server.requests()[1].body.to_string();
    assert!(body.contains("the question that counts") && !body.contains("cleared"), "{body}");
    assert_eq!(lines(&file)[0]["type"], "session", "the header stays where it was");
    // Of the whole file nothing is lost, and the second time it is the same.
    omp_run(&home, &["-c", "-p", "again"]).assert_success();
    assert!(!server.requests()[2].body.to_string().contains("cleared"));
    assert!(std::fs::read_to_string(&file).unwrap().contains("the cleared answer"));
    server.finish();
}

/// Requests beside the conversation are entries there, and count like those that omp keeps elsewhere.
#[test]
fn side_requests_of_later_sessions_count() {
    let server = Server::start([Reply::new().text("-"), Reply::new().text("ok")]);
    let home = home(&server, Wire::AnthropicMessages);
    let file = directory(&home).join("2026_019a.jsonl");
    let usage = json!({"input": 700, "output": 50, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 750,
        "cost": {"input": 0.2, "output": 0.05, "cacheRead": 0, "cacheWrite": 0, "total": 0.25}});
    let request = json!({"type": "model_usage", "purpose": "title", "role": "tiny", "api": "x", "provider": "p",
        "model": "small", "usage": usage, "stopReason": "stop"});
    let entries = chain(&[said("user", "a question"), request, said("assistant", "an answer")]);
    std::fs::write(&file, format!("{}\n{entries}", header(&home))).unwrap();
    let written = lines(&file)[2].clone();
    let stats = omp_run(&home, &["stats", "--json"]);
    let side = serde_json::from_str::<Value>(&stats.stdout).unwrap()["side"].clone();
    assert_eq!((&side["requests"], &side["inputTokens"]), (&json!(1), &json!(700)), "{side}");
    assert_eq!(side["cost"], 0.25, "{side}");
    omp_run(&home, &["-c", "-p", "go on"]).assert_success();
    assert!(server.requests()[1].body.to_string().contains("an answer"), "the conversation goes through it");
    assert_eq!(lines(&file)[2], written, "and it stays as it was");
    server.finish();
}
