//! Going on with a session: which one, and where.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use nix::pty::openpty;
use omp_testkit::{Home, Output, Reply, Server, Wire, run};
use serde_json::json;

use crate::sessions::{lines, roles, session_files};
use crate::support::{LIMIT, home, omp, omp_run};

pub(crate) fn replies(count: usize) -> Vec<Reply> {
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

pub(crate) fn id_of(file: &PathBuf) -> String {
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
        assert_eq!(code, Some(0));
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
        assert_eq!(code, Some(0));
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
