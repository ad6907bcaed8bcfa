//! Going on with a session: which one, where, and beside whom.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use nix::pty::openpty;
use omp_testkit::{Home, Output, Reply, Server, Wire, run, start};
use serde_json::json;

use crate::sessions::{lines, roles, session_files};
use crate::support::{LIMIT, home, omp, omp_run};

fn replies(count: usize) -> Vec<Reply> {
    (1..=count).map(|number| Reply::new().text(&format!("answer {number}"))).collect()
}

fn run_in(home: &Home, directory: &Path, args: &[&str]) -> Output {
    let mut command = omp(home, args);
    command.current_dir(directory);
    run(command, Some(b""), LIMIT)
}

/// In a directory, at a terminal where somebody types a line.
fn typed_in(home: &Home, directory: &Path, args: &[&str], line: &str) -> (Option<i32>, String, String) {
    let pty = openpty(None, None).unwrap();
    let mut command = omp(home, args);
    command.current_dir(directory);
    command.stdin(pty.slave.try_clone().unwrap()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    File::from(pty.master.try_clone().unwrap()).write_all(line.as_bytes()).unwrap();
    let (mut out, mut errors) = (String::new(), String::new());
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    (child.wait().unwrap().code(), out, errors)
}

fn directory(home: &Home, name: &str) -> PathBuf {
    let path = home.path(name);
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn id_of(file: &PathBuf) -> String {
    lines(file)[0]["id"].as_str().unwrap().to_owned()
}

/// Each terminal goes on with its own session, a new one with the newest, and an empty project begins anew.
// proves: SES-146
#[test]
fn continue_follows_the_terminal() {
    let server = Server::start(replies(6));
    let home = home(&server, Wire::OpenAiCompletions);
    let in_pane = |pane: &str, args: &[&str]| {
        let mut command = omp(&home, args);
        command.env("TMUX_PANE", pane);
        run(command, Some(b""), LIMIT).assert_success().stdout.clone()
    };
    assert_eq!(in_pane("%1", &["-c", "-p", "first of one"]), "answer 1\n", "none yet, so a new one");
    in_pane("%2", &["-p", "first of two"]);
    in_pane("%1", &["-c", "-p", "again in one"]);
    in_pane("%2", &["-c", "-p", "again in two"]);
    let requests = server.requests();
    let body = |number: usize| requests[number].body.to_string();
    assert!(body(2).contains("first of one") && !body(2).contains("first of two"));
    assert!(body(3).contains("first of two") && !body(3).contains("first of one"));
    in_pane("%3", &["-c", "-p", "elsewhere"]);
    assert!(server.requests()[4].body.to_string().contains("again in two"), "the newest of the project");
    let other = directory(&home, "other");
    let mut command = omp(&home, &["-c", "-p", "new"]);
    command.env("TMUX_PANE", "%1").current_dir(&other);
    run(command, Some(b""), LIMIT).assert_success();
    assert!(!server.requests()[5].body.to_string().contains("first of one"), "another directory");
    assert_eq!(session_files(&home).len(), 3);
    server.finish();
}

/// A renamed project takes the terminal's last session along.
// proves: SES-148
#[test]
fn a_renamed_project_keeps_its_session() {
    let server = Server::start(replies(2));
    let home = home(&server, Wire::OpenAiCompletions);
    let old = directory(&home, "old");
    let in_pane = |directory: &Path, args: &[&str]| {
        let mut command = omp(&home, args);
        command.env("TMUX_PANE", "%1").current_dir(directory);
        run(command, Some(b""), LIMIT).assert_success().stdout.clone()
    };
    in_pane(&old, &["-p", "before the move"]);
    let file = session_files(&home)[0].clone();
    let new = home.path("new");
    std::fs::rename(&old, &new).unwrap();
    in_pane(&new, &["-c", "-p", "after the move"]);
    assert!(server.requests()[1].body.to_string().contains("before the move"));
    let files = session_files(&home);
    assert_eq!(files.len(), 1);
    assert_ne!(files[0], file);
    assert_eq!(lines(&files[0])[0]["cwd"], new.to_str().unwrap());
    server.finish();
}

/// By path, by the beginning of the id in any case, by the beginning of the file's name; the newest match wins.
// proves: SES-150, SES-151, SES-152
#[test]
fn a_session_is_named_in_many_ways() {
    let server = Server::start(replies(8));
    let home = home(&server, Wire::OpenAiCompletions);
    omp_run(&home, &["-p", "about apples"]).assert_success();
    let first = session_files(&home)[0].clone();
    omp_run(&home, &["-p", "about pears"]).assert_success();
    let id = id_of(&first);
    let name = first.file_name().unwrap().to_str().unwrap().to_owned();
    let (upper, path) = (id[..9].to_uppercase(), first.to_str().unwrap().to_owned());
    for (number, value) in [upper.as_str(), &name[..24], &path, &id].into_iter().enumerate() {
        omp_run(&home, &["--resume", value, "-p", "go on"]).assert_success();
        let body = server.requests()[number + 2].body.to_string();
        assert!(body.contains("about apples") && !body.contains("about pears"), "{value}");
    }
    // Both names begin with the year, and the first session was changed last.
    omp_run(&home, &["--resume", &name[..4], "-p", "which?"]).assert_success();
    assert!(server.requests()[6].body.to_string().contains("go on"));
    // A path that does not exist is a session that begins there.
    omp_run(&home, &["--resume", "./new.jsonl", "-p", "begin"]).assert_success();
    assert_eq!(roles(&lines(&home.path("work/new.jsonl"))), ["user", "assistant"]);
    let unknown = omp_run(&home, &["--resume", "nonsense", "-p", "x"]);
    assert_eq!(unknown.code, Some(1));
    assert!(unknown.stderr.contains("Session \"nonsense\" not found."), "{}", unknown.stderr);
    server.finish();
}

/// At a terminal a session of another directory is copied here after a question; elsewhere it is an error.
// proves: SES-153, SES-155, SES-156
#[test]
fn a_session_of_another_project_is_copied_after_a_question() {
    let server = Server::start(replies(2));
    let home = home(&server, Wire::OpenAiCompletions);
    omp_run(&home, &["-p", "begun at work"]).assert_success();
    let file = session_files(&home)[0].clone();
    let (before, id) = (std::fs::read(&file).unwrap(), id_of(&file));
    let other = directory(&home, "other");
    let args = ["--resume", &id, "-p", "go on"];

    let piped = run_in(&home, &other, &args);
    assert_eq!(piped.code, Some(1));
    assert!(piped.stderr.contains("is in another project"), "{}", piped.stderr);
    for no in ["n\n", "\n"] {
        let (code, _, said) = typed_in(&home, &other, &args, no);
        assert_eq!(code, Some(1));
        assert!(said.contains("Fork into current directory? [y/N]"), "{said}");
        assert!(said.contains("\nResume cancelled: session is in another project.\n"), "{said}");
    }
    assert_eq!(session_files(&home).len(), 1);
    let (code, out, said) = typed_in(&home, &other, &args, "y\n");
    assert_eq!((code, out.as_str()), (Some(0), "answer 2\n"), "{said}");
    assert!(server.requests()[1].body.to_string().contains("begun at work"));
    assert_eq!(std::fs::read(&file).unwrap(), before, "the old session stays");
    let copy = session_files(&home).into_iter().find(|path| *path != file).unwrap();
    let header = &lines(&copy)[0];
    assert_eq!((&header["parentSession"], &header["cwd"]), (&json!(id), &json!(other)));
    server.finish();
}

/// A session whose directory is gone is moved here after a question, wherever it was found.
// proves: SES-154, SES-155, SES-156
#[test]
fn a_session_without_a_directory_is_moved_after_a_question() {
    for shared in [None, Some("shelf")] {
        let server = Server::start(replies(2));
        let home = home(&server, Wire::OpenAiCompletions);
        let gone = directory(&home, "gone");
        let shelf = shared.map(|name| home.path(name).display().to_string());
        let flags: Vec<&str> = shelf.iter().flat_map(|shelf| ["--session-dir", shelf]).collect();
        let with =
            |args: &[&str]| [&flags, args].concat().iter().map(|arg| (*arg).to_owned()).collect::<Vec<_>>();
        let sessions = || {
            let files = home.list_files().into_iter().filter(|path| path.ends_with(".jsonl"));
            files.map(|path| home.path(path)).collect::<Vec<PathBuf>>()
        };
        let first = with(&["-p", "begun long ago"]);
        run_in(&home, &gone, &first.iter().map(String::as_str).collect::<Vec<_>>()).assert_success();
        std::fs::remove_dir(&gone).unwrap();
        let id = id_of(&sessions()[0]);
        let again = with(&["--resume", &id[..8], "-p", "go on"]);
        let again: Vec<&str> = again.iter().map(String::as_str).collect();
        let work = home.work_dir();

        let piped = run_in(&home, &work, &again);
        assert_eq!(piped.code, Some(1));
        assert!(piped.stderr.contains("which no longer exists"), "{}", piped.stderr);
        let (code, _, said) = typed_in(&home, &work, &again, "n\n");
        assert_eq!(code, Some(1));
        assert!(said.contains("Move (re-root) it into the current directory? [Y/n]"), "{said}");
        assert!(said.contains("\nResume cancelled: session is in another project.\n"), "{said}");
        let (code, out, said) = typed_in(&home, &work, &again, "\n");
        assert_eq!((code, out.as_str()), (Some(0), "answer 2\n"), "{said}");
        assert!(server.requests()[1].body.to_string().contains("begun long ago"));
        let files = sessions();
        assert_eq!(files.len(), 1, "moved, not copied");
        assert_eq!(lines(&files[0])[0]["cwd"], work.to_str().unwrap());
        server.finish();
    }
}

/// Everything of a session follows the agent directory.
// proves: SES-011
#[test]
fn all_files_follow_the_agent_directory() {
    let pixels: Vec<u8> = (0..64 * 64 * 3u32).map(|number| (number * 7919 % 251) as u8).collect();
    let mut picture = std::io::Cursor::new(Vec::new());
    let image = image::RgbImage::from_raw(64, 64, pixels).unwrap();
    image.write_to(&mut picture, image::ImageFormat::Png).unwrap();
    for profile in [None, Some("spare")] {
        let home = Home::new();
        home.write("work/picture.png", picture.get_ref());
        let mut command = omp(&home, &["-p", "@picture.png", "look"]);
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
        assert!(
            refused.stderr.contains("is in use") && refused.stderr.contains(&holder),
            "{}",
            refused.stderr
        );
        assert!(
            refused.stderr.contains("--fork") && refused.stderr.contains("--take-over"),
            "{}",
            refused.stderr
        );
    }
    let deleted = omp_run(&home, &["session", "delete", &id]);
    assert!(deleted.code == Some(1) && file.exists(), "{}", deleted.stderr);
    assert_eq!(omp_run(&home, &["--fork", &id, "-p", "a copy"]).stdout, "in a copy\n");
    let mut second = start(omp(&home, &["--resume", &id, "--take-over", "-p", "mine"]));
    second.close_stdin();
    server.wait_for_requests(3, LIMIT);

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
    let whole = std::fs::read(&file).unwrap();
    let mut torn = whole.clone();
    torn.extend_from_slice(b"{\"type\":\"message\",\"id\":\"0badcafe\",\"mess");
    std::fs::write(&file, &torn).unwrap();
    let output = omp_run(&home, &["-c", "-p", "go on"]);
    assert_eq!(output.assert_success().stdout, "answer 2\n");
    assert_eq!(
        output.stderr.matches("1 line of the session could not be read").count(),
        1,
        "{}",
        output.stderr
    );
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
    assert_eq!(output.stderr.matches("make room on the disk").count(), 1, "{}", output.stderr);
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
