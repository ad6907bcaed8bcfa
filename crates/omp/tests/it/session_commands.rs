//! `omp session`, `omp du` and `omp gc`.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use omp_testkit::{Home, Output, Reply, Server, Wire, run};
use serde_json::{Value, json};

use crate::sessions::{lines, roles, session_files};
use crate::support::{LIMIT, home, omp, omp_run};

fn document(output: &Output) -> Value {
    serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn id_of(file: &PathBuf) -> String {
    lines(file)[0]["id"].as_str().unwrap().to_owned()
}

/// A home with one session of two turns.
fn with_a_session() -> (Home, PathBuf, String) {
    let server = Server::start([Reply::new().text("forty-two it is"), Reply::new().text("you are welcome")]);
    let home = home(&server, Wire::AnthropicMessages);
    omp_run(&home, &["-p", "remember the number 42", "thanks"]).assert_success();
    server.finish();
    let file = session_files(&home)[0].clone();
    let id = id_of(&file);
    (home, file, id)
}

fn run_in(home: &Home, directory: &Path, args: &[&str]) -> Output {
    let mut command = omp(home, args);
    command.current_dir(directory);
    run(command, Some(b""), LIMIT)
}

/// What a list knows of a session, here and in every directory.
// proves: SES-142, SES-145
#[test]
fn sessions_are_listed_with_what_is_known_of_them() {
    let server = Server::start([Reply::new().text("one"), Reply::new().text("two")]);
    let home = home(&server, Wire::OpenAiCompletions);
    let other = home.path("other");
    std::fs::create_dir(&other).unwrap();
    omp_run(&home, &["-p", "first question"]).assert_success();
    run_in(&home, &other, &["-p", "second question"]).assert_success();
    server.finish();

    let here = document(&omp_run(&home, &["session", "list", "--json"]));
    assert_eq!(here.as_array().unwrap().len(), 1);
    let row = &here[0];
    let file = PathBuf::from(row["path"].as_str().unwrap());
    let header = lines(&file)[0].clone();
    assert_eq!((&row["id"], &row["cwd"]), (&header["id"], &header["cwd"]));
    assert_eq!((&row["created"], &row["title"]), (&header["timestamp"], &Value::Null));
    assert_eq!((&row["firstMessage"], &row["messageCount"]), (&json!("first question"), &json!(2)));
    assert_eq!(row["status"], "complete");
    assert!(row["text"].as_str().unwrap().contains("one"), "{row}");
    assert!(row["modified"].as_str().unwrap().starts_with("20"), "{row}");

    let all = document(&omp_run(&home, &["session", "list", "--all", "--json"]));
    let names: Vec<&str> = all.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["second question", "first question"], "the newest first");
    let text = omp_run(&home, &["session", "list", "--all", "-n", "1"]).stdout;
    assert!(text.contains("second question") && text.contains("/other"), "{text}");
    assert_eq!(text.lines().count(), 1);
    let shelf = file.parent().unwrap().to_str().unwrap();
    for scope in [&[][..], &["--all"]] {
        let args = [&["session", "list", "--json", "--session-dir", shelf], scope].concat();
        assert_eq!(document(&run_in(&home, &other, &args)), here, "one directory for all of them");
    }
}

#[test]
fn a_session_is_shown_as_text_and_as_json() {
    let (home, file, id) = with_a_session();
    let before = std::fs::read(&file).unwrap();
    let text = omp_run(&home, &["session", "show", &id[..6]]).assert_success().stdout.clone();
    for words in ["remember the number 42", "forty-two it is", "thanks", "you are welcome"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let shown = document(&omp_run(&home, &["session", "show", &id, "--json"]));
    let saved = lines(&file);
    assert_eq!(shown["header"], saved[0]);
    assert_eq!(shown["entries"].as_array().unwrap(), &saved[1..]);
    assert_eq!(std::fs::read(&file).unwrap(), before, "reading changes nothing");

    let unknown = omp_run(&home, &["session", "show", "zzz"]);
    assert_eq!(unknown.code, Some(1));
    assert!(unknown.stderr.contains("Session \"zzz\" not found."), "{}", unknown.stderr);
    let nothing = omp_run(&home, &["session", "show"]);
    assert!(nothing.stderr.contains("needs a session"), "{}", nothing.stderr);
}

#[test]
fn words_are_found_in_all_sessions() {
    let (home, file, id) = with_a_session();
    let found = document(&omp_run(&home, &["session", "search", "FORTY", "it", "--json"]));
    assert_eq!((found.as_array().unwrap().len(), &found[0]["session"]), (1, &json!(id)));
    let entry = lines(&file).into_iter().find(|line| line["id"] == found[0]["entry"]).unwrap();
    assert_eq!(entry["message"]["role"], "assistant");
    let text = omp_run(&home, &["session", "search", "forty"]).stdout;
    assert!(text.contains(&id) && text.contains("forty-two it is"), "{text}");
    assert_eq!(omp_run(&home, &["session", "search", "elephant"]).stdout, "No matches\n");
}

/// Copies leave the old file alone, and can be gone on with.
#[test]
fn sessions_are_copied_whole_and_up_to_a_message() {
    let (home, file, id) = with_a_session();
    let before = std::fs::read(&file).unwrap();
    let copy = document(&omp_run(&home, &["session", "fork", &id, "--json"]));
    let copy = lines(&PathBuf::from(copy["path"].as_str().unwrap()));
    assert_eq!(copy[0]["parentSession"], json!(id));
    assert_ne!(copy[0]["id"], json!(id));
    assert_eq!(copy[1..], lines(&file)[1..]);

    let users: Vec<Value> =
        lines(&file).into_iter().filter(|line| line["message"]["role"] == "user").collect();
    let branch =
        |entry: &Value| omp_run(&home, &["session", "branch", &id, entry.as_str().unwrap(), "--json"]);
    let second = document(&branch(&users[1]["id"]));
    assert_eq!(second["prompt"], "thanks");
    let branched = PathBuf::from(second["path"].as_str().unwrap());
    assert_eq!(roles(&lines(&branched)), ["user", "assistant"]);
    let first = document(&branch(&users[0]["id"]));
    let begun = PathBuf::from(first["path"].as_str().unwrap());
    assert!(
        roles(&lines(&begun)).is_empty(),
        "before the first message only the choice of the model is made"
    );
    let answer = lines(&file).into_iter().find(|line| line["message"]["role"] == "assistant").unwrap();
    let refused = branch(&answer["id"]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("not a user message"), "{}", refused.stderr);
    assert_eq!(std::fs::read(&file).unwrap(), before, "the old file is only read");

    let server = Server::start([Reply::new().text("another way")]);
    home.models_yml(&server, Wire::AnthropicMessages, omp_testkit::ModelOptions::new());
    let new = id_of(&branched);
    assert_eq!(omp_run(&home, &["--resume", &new, "-p", "no thanks"]).stdout, "another way\n");
    let request = server.requests()[0].body.to_string();
    assert!(request.contains("forty-two") && !request.contains("you are welcome"), "{request}");
    server.finish();
}

/// A file that a crash and an accident damaged is described, and made whole under another name.
#[test]
fn damage_is_named_and_repaired() {
    let (home, file, id) = with_a_session();
    let sound = omp_run(&home, &["session", "fsck", &id]);
    assert!(sound.assert_success().stdout.contains(": ok, "), "{}", sound.stdout);
    let text = std::fs::read_to_string(&file).unwrap();
    let mut damaged: Vec<String> = text.lines().map(str::to_owned).collect();
    let middle = damaged.len() - 2;
    damaged[middle] = "{\"type\":\"mess".to_owned();
    let last = damaged.last_mut().unwrap();
    last.truncate(40);
    std::fs::write(&file, damaged.join("\n")).unwrap();
    let before = std::fs::read(&file).unwrap();

    let found = omp_run(&home, &["session", "fsck", &id]);
    assert_eq!(found.code, Some(1));
    let line = format!("line {}: unreadable line", middle + 1);
    assert!(
        found.stdout.contains(&line) && found.stdout.contains("the last line is truncated"),
        "{}",
        found.stdout
    );
    let listed = document(&omp_run(&home, &["session", "fsck", &id, "--json"]));
    assert_eq!((&listed["sound"], listed["findings"].as_array().unwrap().len()), (&json!(false), 2));

    let recovered = document(&omp_run(&home, &["session", "recover", &id, "--json"]));
    assert_eq!(recovered["lost"], 2);
    let new = recovered["path"].as_str().unwrap();
    omp_run(&home, &["session", "fsck", new]).assert_success();
    assert_eq!(roles(&lines(&PathBuf::from(new))), ["user", "assistant"]);
    assert_eq!(std::fs::read(&file).unwrap(), before, "the damaged file stays");
}

/// Nothing of the file can be read: that is said, and no empty session appears beside it.
#[test]
fn nothing_that_can_be_recovered_leaves_no_session() {
    let (home, file, _) = with_a_session();
    let text = std::fs::read_to_string(&file).unwrap();
    let header = text.lines().next().unwrap().to_owned();
    let damaged = [
        String::new(),
        "hello\n".to_owned(),
        format!("{header}\n"),
        format!("{header}\n{{\"type\":\"me\nx\n"),
    ];
    for damaged in damaged {
        std::fs::write(&file, &damaged).unwrap();
        let before = home.list_files();
        let failed = omp_run(&home, &["session", "recover", &file.display().to_string()]);
        assert_eq!(failed.code, Some(1), "{damaged:?}: {}", failed.stdout);
        assert!(failed.stderr.contains("cannot recover"), "{damaged:?}: {}", failed.stderr);
        assert_eq!(home.list_files(), before, "{damaged:?}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), damaged, "the damaged file stays");
    }
    // One entry is enough.
    let kept = text.lines().find(|line| line.contains("\"role\":\"user\"")).unwrap();
    std::fs::write(&file, format!("garbage\n{kept}\n")).unwrap();
    let recovered = document(&omp_run(&home, &["session", "recover", &file.display().to_string(), "--json"]));
    assert_eq!((&recovered["entries"], &recovered["newHeader"]), (&json!(1), &json!(true)), "{recovered}");
}

/// Only by its whole name, and with its artifacts.
#[test]
fn a_session_is_deleted_by_its_whole_name() {
    let (home, file, id) = with_a_session();
    let artifacts = file.with_extension("");
    std::fs::create_dir(&artifacts).unwrap();
    std::fs::write(artifacts.join("0.bash.log"), "x").unwrap();
    let short = omp_run(&home, &["session", "delete", &id[..8]]);
    assert_eq!(short.code, Some(1));
    assert!(short.stderr.contains("give the full id"), "{}", short.stderr);
    assert!(file.exists());
    let deleted = omp_run(&home, &["session", "delete", &id]);
    assert_eq!(deleted.assert_success().stdout, format!("Deleted: {}\n", file.display()));
    assert!(!file.exists() && !artifacts.exists());
    assert_eq!(omp_run(&home, &["session"]).stdout, "No sessions yet\n");
}

fn age(path: &Path, days: u64) {
    let then = SystemTime::now() - Duration::from_secs(days * 24 * 3600);
    std::fs::File::options().write(true).open(path).unwrap().set_modified(then).unwrap();
}

/// Nothing goes without being told to, and only what the limits name.
#[test]
fn room_is_counted_and_freed_on_request() {
    let (home, file, _) = with_a_session();
    let orphan = home.write(format!("home/.omp/agent/blobs/{}", "ab".repeat(32)), vec![0; 5000]);
    let usage = document(&omp_run(&home, &["du", "--json"]));
    let bytes = std::fs::metadata(&file).unwrap().len();
    assert_eq!(usage["sessions"], json!({"files": 1, "bytes": bytes}));
    assert_eq!(usage["blobs"], json!({"files": 1, "bytes": 5000}));
    assert!(usage["history"]["files"].as_u64().unwrap() >= 1, "{usage}");
    let sum: u64 = ["sessions", "artifacts", "blobs", "working", "logs", "history"]
        .iter()
        .map(|part| usage[part]["bytes"].as_u64().unwrap())
        .sum();
    assert_eq!(usage["total"]["bytes"], sum);
    let text = omp_run(&home, &["du"]).stdout;
    assert!(text.contains("blobs") && text.contains("4.8 KB"), "{text}");

    let fresh = omp_run(&home, &["gc", "--apply"]);
    assert_eq!(fresh.stdout, "Nothing to remove\n", "what is new stays");
    age(&orphan, 8);
    age(&file, 40);
    let shown = omp_run(&home, &["gc"]).stdout;
    assert!(shown.contains("Would remove 1 item and free 4.8 KB"), "{shown}");
    assert!(orphan.exists());
    let older = document(&omp_run(&home, &["gc", "--older-than", "30", "--json"]));
    let reasons: Vec<&Value> =
        older["items"].as_array().unwrap().iter().map(|item| &item["reason"]).collect();
    assert_eq!(reasons, ["session over the limit", "unreferenced image"]);
    assert_eq!((&older["applied"], &older["bytes"]), (&json!(false), &json!(5000 + bytes)));
    let applied = omp_run(&home, &["gc", "--apply"]).stdout;
    assert!(applied.contains("Removed 1 item, freed 4.8 KB"), "{applied}");
    assert!(!orphan.exists() && file.exists(), "sessions go only when a limit says so");
    omp_run(&home, &["gc", "--older-than", "30", "--apply"]).assert_success();
    assert!(!file.exists());
}
