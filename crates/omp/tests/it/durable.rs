//! What happens to a session file: beside another process, after a crash, on a full disk, with large content.

use std::time::{Duration, Instant};

use omp_testkit::{Home, Reply, Server, Wire, run, start};
use serde_json::json;

use crate::resume::{id_of, replies};
use crate::sessions::{lines, session_files};
use crate::support::{LIMIT, home, omp, omp_run};

pub(crate) fn picture() -> Vec<u8> {
    let pixels: Vec<u8> = (0..64 * 64 * 3u32).map(|number| (number * 7919 % 251) as u8).collect();
    let mut bytes = std::io::Cursor::new(Vec::new());
    let image = image::RgbImage::from_raw(64, 64, pixels).unwrap();
    image.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    bytes.into_inner()
}

/// Pictures are stored once beside the sessions and come back; a text that is too long is cut in the file only.
// proves: SES-073, SES-077
#[test]
fn large_content_stays_out_of_the_file() {
    let server = Server::start(replies(4));
    let home = home(&server, Wire::AnthropicMessages);
    let picture = picture();
    home.write("work/picture.png", &picture);
    omp_run(&home, &["-p", "@picture.png", "look"]).assert_success();
    let file = session_files(&home)[0].clone();
    let blobs: Vec<String> = home.list_files().into_iter().filter(|path| path.contains("/blobs/")).collect();
    let blob = blobs.iter().find(|path| !path.ends_with(".png")).unwrap();
    let name = blob.rsplit('/').next().unwrap();
    assert_eq!(home.read_bytes(blob), picture);
    let mut sum = home.command("sha256sum");
    sum.arg(home.path(blob));
    assert!(run(sum, None, LIMIT).stdout.starts_with(name));
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains(&format!("\"blob:sha256:{name}\"")) && text.len() < 5000, "{text}");
    omp_run(&home, &["-c", "-p", "what was it?"]).assert_success();
    let requests = server.requests();
    let image = |number: usize| requests[number].body.pointer("/messages/0/content/1").unwrap().clone();
    assert_eq!(image(0)["source"], image(1)["source"]);
    assert!(image(0)["source"]["data"].as_str().unwrap().len() > 1024);

    let long = "é".repeat(600_000);
    run(omp(&home, &["-p", "--", "so long"]), Some(long.as_bytes()), LIMIT).assert_success();
    assert!(server.requests()[2].body.to_string().contains(&long), "the model gets all of it");
    let file = session_files(&home).into_iter().find(|path| *path != file).unwrap();
    let saved = lines(&file);
    let message = saved.iter().find(|line| line["message"]["role"] == "user").unwrap();
    let kept = message["message"]["content"].as_str().unwrap();
    assert_eq!(kept.chars().count(), 500_000);
    assert!(kept.ends_with("[Session persistence truncated large content]"));
    omp_run(&home, &["-c", "-p", "go on"]).assert_success();
    server.finish();
}

/// Everything of a session follows the agent directory.
// proves: SES-011
#[test]
fn all_files_follow_the_agent_directory() {
    for profile in [None, Some("spare")] {
        let home = Home::new();
        home.write("work/picture.png", picture());
        let mut command = omp(&home, &["--demo", "-p", "@picture.png", "look"]);
        command.env("TMUX_PANE", "%1");
        match profile {
            Some(name) => command.args(["--profile", name]),
            None => command.env("PI_CODING_AGENT_DIR", home.path("moved")),
        };
        run(command, Some(b""), LIMIT).assert_success();
        let files = home.list_files();
        let old = files.iter().filter(|path| path.starts_with("home/.omp/agent/")).collect::<Vec<_>>();
        assert!(old.is_empty(), "{old:?}");
        for part in ["/sessions/", "/blobs/", "/terminal-sessions/", "/history.db"] {
            assert!(files.iter().any(|path| path.contains(part)), "{part}: {files:?}");
        }
    }
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + LIMIT;
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A second process is told who has the session; it may copy it, or take it away, which the first one notices.
#[test]
fn two_processes_on_one_session_know_of_each_other() {
    let wait = |name: &str| {
        let command = format!("while [ ! -e {name} ]; do sleep 0.01; done; echo waited");
        Reply::new().text("Waiting.").tool_call("bash", json!({"_i": "x", "command": command}))
    };
    let server = Server::start([
        wait("first"),
        Reply::new().text("in a copy"),
        wait("second"),
        Reply::new().text("all done"),
        Reply::new().text("it is mine now"),
    ]);
    let home = home(&server, Wire::AnthropicMessages);
    let mut first = start(omp(&home, &["-p", "begin"]));
    first.close_stdin();
    let locked = || home.list_files().iter().any(|path| path.ends_with(".jsonl.lock"));
    wait_until("the session is not open yet", locked);
    let file = session_files(&home)[0].clone();
    let id = id_of(&file);

    for args in [&["--resume", id.as_str(), "-p", "me too"][..], &["-c", "-p", "me too"]] {
        let refused = omp_run(&home, args);
        assert_eq!(refused.code, Some(1));
        let holder = format!("process {} on ", first.pid());
        for part in ["is in use", &holder, "--fork", "--take-over"] {
            assert!(refused.stderr.contains(part), "{part} is missing: {}", refused.stderr);
        }
    }
    let deleted = omp_run(&home, &["session", "delete", &id]);
    assert!(deleted.code == Some(1) && file.exists(), "{}", deleted.stderr);
    assert_eq!(omp_run(&home, &["--fork", &id, "-p", "a copy"]).stdout, "in a copy\n");
    let mut second = start(omp(&home, &["--resume", &id, "--take-over", "-p", "mine"]));
    second.close_stdin();
    server.wait_for_requests(3, LIMIT);

    let of_nothing = omp_run(&home, &["--take-over", "-p", "x"]);
    assert!(of_nothing.code == Some(1) && of_nothing.stderr.contains("--resume"), "{}", of_nothing.stderr);
    home.write("work/first", "");
    let ended = first.wait(LIMIT);
    assert_eq!(ended.assert_success().stdout, "all done\n", "the conversation goes on in memory");
    assert_eq!(ended.stderr.matches("taken over").count(), 1, "{}", ended.stderr);
    home.write("work/second", "");
    assert_eq!(second.wait(LIMIT).assert_success().stdout, "it is mine now\n");
    let saved = std::fs::read_to_string(&file).unwrap();
    assert!(saved.contains("it is mine now") && !saved.contains("all done"), "{saved}");
    assert!(!locked(), "locks go with their processes");
    server.finish();
}

/// A line that a crash cut off is left out, said, and closed before the next one.
#[test]
fn a_torn_line_is_healed() {
    let server = Server::start(replies(2));
    let home = home(&server, Wire::OpenAiResponses);
    omp_run(&home, &["-p", "begin"]).assert_success();
    let file = session_files(&home)[0].clone();
    let mut torn = std::fs::read(&file).unwrap();
    torn.extend_from_slice(b"{\"type\":\"message\",\"id\":\"0badcafe\",\"mess");
    std::fs::write(&file, &torn).unwrap();
    let output = omp_run(&home, &["-c", "-p", "go on"]);
    assert_eq!(output.assert_success().stdout, "answer 2\n");
    assert_eq!(output.stderr.matches("Skipped 1 line of the session").count(), 1, "{}", output.stderr);
    let after = std::fs::read(&file).unwrap();
    assert!(after.starts_with(&torn) && after[torn.len()] == b'\n', "what was written stays as it was");
    let readable = String::from_utf8(after).unwrap();
    assert_eq!(
        readable.lines().filter(|line| serde_json::from_str::<serde_json::Value>(line).is_err()).count(),
        1
    );
    server.finish();
}

/// A disk that is full is said once; the conversation goes on in memory, and the file stays readable.
#[test]
fn a_full_disk_is_reported_once() {
    let server = Server::start(replies(4));
    let home = home(&server, Wire::OpenAiCompletions);
    omp_run(&home, &["-p", "begin"]).assert_success();
    let file = session_files(&home)[0].clone();
    let long = "word ".repeat(100_000);
    // No file may grow beyond 300 KB; a program that ignores the signal gets an error instead.
    let limited = "trap '' XFSZ; ulimit -f 300; exec \"$0\" -c -p -- \"what is this?\" \"and this?\"";
    let mut command = home.command("bash");
    command.args(["-c", limited, env!("CARGO_BIN_EXE_omp")]);
    let output = run(command, Some(long.as_bytes()), LIMIT);
    assert_eq!(output.assert_success().stdout, "answer 3\n");
    assert_eq!(output.stderr.matches("free disk space").count(), 1, "{}", output.stderr);
    let request = server.requests()[2].body.to_string();
    assert!(
        request.contains("what is this?") && request.contains("answer 2") && request.contains("and this?")
    );

    let before = std::fs::read(&file).unwrap();
    omp_run(&home, &["-c", "-p", "again"]).assert_success();
    let request = server.requests()[3].body.to_string();
    assert!(request.contains("begin") && request.contains("answer 1"), "what was saved is there");
    assert!(std::fs::read(&file).unwrap().starts_with(&before));
    server.finish();
}
