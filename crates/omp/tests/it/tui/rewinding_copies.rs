//! The history of files in copies of a session, and in sessions that somebody takes away.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use omp_testkit::{Home, Server, start};
use serde_json::Value;

use super::Screen;
use super::rewinding::{bash, file, repository, says, three_prompts, write};
use crate::sessions::{lines, session_files};
use crate::support::{LIMIT, omp, omp_run};

/// The journals of all sessions, with their sessions.
fn journals(home: &Home) -> Vec<PathBuf> {
    let found = home.list_files().into_iter().filter(|path| path.ends_with("file-history/journal"));
    found.map(|path| home.path(&path)).collect()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

fn all(screen: &Screen) -> [Option<String>; 4] {
    ["a.txt", "new.txt", "b.txt", "made.txt"].map(|name| file(screen, name))
}

fn texts(files: [Option<&str>; 4]) -> [Option<String>; 4] {
    files.map(|text| text.map(|text| format!("{text}\n")))
}

/// A copy has the whole history, and writes to its own.
#[test]
fn a_fork_goes_back_by_a_history_of_its_own() {
    let mut screen = three_prompts(vec![write("a.txt", "of the copy\n"), says("delta-done.")]);
    let old = journals(&screen.home);
    let before = read(&old[0]);
    screen.say("/fork").wait_for("Session forked").wait_for("gamma-done.");
    screen.say("question delta").wait_for("delta-done.");
    screen.say("/rewind list").wait_for("1  4 files").wait_for("2  3 files").wait_for("4  1 file");
    screen.say("/rewind 2 files").wait_for("Rewound to before: question beta").wait_for("remove  made.txt");
    assert_eq!(all(&screen), texts([Some("two"), Some("new"), Some("b"), None]));
    assert_eq!(read(&old[0]), before, "nothing is written to the history of the first session");
    assert_eq!(journals(&screen.home).len(), 2);
}

/// A branch goes back before the prompts it has; what was changed by those it has not is somebody else's.
#[test]
fn a_branch_knows_nothing_of_the_prompts_it_left() {
    let mut screen = three_prompts(Vec::new());
    let old = journals(&screen.home);
    let before = read(&old[0]);
    screen.say("/branch").wait_for("Branch from a message").wait_for("❯ question gamma");
    screen.send("\x1b[A").wait_for("❯ question beta").send("\r").wait_for("Branched");
    screen.terminal.wait_without("beta-done.");
    screen
        .send("\x15")
        .say("/rewind 1 files")
        .wait_for("Rewound to before: question alpha")
        .wait_for("Skipped, changed outside");
    assert_eq!(all(&screen), texts([Some("one"), None, Some("B"), Some("made")]));
    assert_eq!(read(&old[0]), before);
    let beta = entry(&screen.home, "question beta");
    let new = journals(&screen.home).into_iter().find(|journal| *journal != old[0]).unwrap();
    assert!(before.contains(&beta) && !prompts(&new).contains(&beta), "{beta}");
    screen.say("/rewind 1 files all").wait_for("remove  made.txt");
    assert_eq!(all(&screen), texts([Some("one"), None, Some("b"), None]));
}

/// The prompts of which a history has checkpoints.
fn prompts(journal: &Path) -> String {
    read(journal).lines().filter(|line| line.contains("\"line\":\"moment\"")).collect()
}

/// The id of the entry in which something was said.
fn entry(home: &Home, text: &str) -> String {
    let all = session_files(home).iter().flat_map(lines).collect::<Vec<_>>();
    let said = all.iter().find(|line| line["message"]["content"].to_string().contains(text));
    said.unwrap()["id"].as_str().unwrap().to_owned()
}

/// What somebody undid in another session is not brought back in a branch that never had it.
#[test]
fn a_branch_does_not_redo_what_it_never_had() {
    let mut screen = three_prompts(Vec::new());
    screen.say("/rewind 2").wait_for("Rewound to before: question beta").terminal.wait_without("beta-done.");
    screen.send("\x15").say("/branch").wait_for("Branch from a message").send("\r").wait_for("Branched");
    screen.terminal.wait_without("alpha-done.");
    screen.send("\x15").say("/redo").wait_for("nothing to redo");
    assert_eq!(all(&screen), texts([Some("two"), Some("new"), Some("b"), None]));
}

/// A copy in another directory has no checkpoints of files that are not there, and says so.
#[test]
fn a_fork_elsewhere_leaves_the_files_of_the_first_directory_alone() {
    let (_, server, home) = three_prompts(vec![write("c.txt", "c\n"), says("delta-done.")]).leave();
    let session = session_files(&home)[0].to_str().unwrap().to_owned();
    std::fs::create_dir(home.path("elsewhere")).unwrap();
    let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
    command.args(["--auto-approve", "--fork", &session]).current_dir(home.path("elsewhere"));
    let mut screen = Screen::with(command, home, server, 50, 110);
    screen.wait_for("The copy has no file history");
    screen.say("/rewind list").wait_for("1  no checkpoint").wait_for("2  no checkpoint");
    screen.say("/rewind 1 files all").wait_for("no checkpoint for this prompt");
    assert_eq!(all(&screen), texts([Some("two"), Some("new"), Some("B"), Some("made")]));
    // From here on it has its own.
    screen.say("question delta").wait_for("delta-done.");
    screen.say("/rewind 4 files").wait_for("remove  c.txt");
    assert!(!screen.home.exists("elsewhere/c.txt"));
}

/// The same without a screen: `omp session` copies by the same rules.
#[test]
fn copies_that_commands_make_have_histories_of_their_own() {
    let (_, server, home) = three_prompts(Vec::new()).leave();
    let session = session_files(&home)[0].to_str().unwrap().to_owned();
    let [first] = journals(&home).try_into().unwrap();
    let beta = entry(&home, "question beta");
    omp_run(&home, &["session", "branch", &session, &beta]).assert_success();
    let branch = journals(&home).into_iter().find(|journal| *journal != first).unwrap();
    assert!(!prompts(&branch).contains(&beta));
    let known = journals(&home);
    omp_run(&home, &["session", "fork", &session]).assert_success();
    let fork = journals(&home).into_iter().find(|journal| !known.contains(journal)).unwrap();
    assert!(prompts(&fork).contains(&beta));
    let known = journals(&home);
    omp_run(&home, &["session", "recover", &session]).assert_success();
    assert_eq!(journals(&home).len(), known.len() + 1);
    server.finish();
}

/// A session that another process took over: its history is that one's, until it ends.
#[test]
fn a_session_that_was_taken_over_leaves_its_history_alone() {
    let wait = "echo of the second > a.txt; touch begun; until test -e go; do sleep 0.02; done";
    let server = Server::start([
        write("a.txt", "two\n"),
        says("alpha-done."),
        bash(wait),
        write("a.txt", "of the first\n"),
        says("gamma-done."),
        says("beta-done."),
        write("c.txt", "c\n"),
        says("delta-done."),
    ]);
    let home = repository(&server);
    let mut first = Screen::in_home(home, server, &["--auto-approve"], 50, 110);
    first.say("question alpha").wait_for("alpha-done.");
    let session = session_files(&first.home)[0].to_str().unwrap().to_owned();
    let arguments = ["--resume", &session, "--take-over", "--auto-approve", "-p", "question beta"];
    let mut second = start(omp(&first.home, &arguments));
    second.close_stdin();
    while !first.home.exists("work/begun") {
        std::thread::yield_now();
    }
    let journal = journals(&first.home).remove(0);
    let before = read(&journal);
    assert!(prompts(&journal).contains(&entry(&first.home, "question beta")));
    first.say("question gamma").wait_for("gamma-done.").wait_for("Cannot create a checkpoint");
    first.say("/rewind 1 files all").wait_for("session is read-only: it was taken over");
    assert_eq!(file(&first, "a.txt").as_deref(), Some("of the first\n"));
    assert_eq!(read(&journal), before);

    first.home.write("work/go", "");
    assert_eq!(second.wait(LIMIT).assert_success().stdout, "beta-done.\n");
    first.say("question delta").wait_for("delta-done.");
    first.say("/rewind list").wait_for("2  no checkpoint").wait_for("3  1 file");
    first.say("/rewind 3 files").wait_for("remove  c.txt");
    for kept in ["question beta", "question delta"] {
        assert!(prompts(&journal).contains(&entry(&first.home, kept)), "{kept}");
    }
}

/// What a session keeps of files is counted, stays as long as the session does, and goes with it.
#[test]
fn the_history_stays_and_goes_with_its_session() {
    let (_, server, home) = three_prompts(Vec::new()).leave();
    let session = session_files(&home)[0].clone();
    let usage = || -> Value { serde_json::from_str(&omp_run(&home, &["du", "--json"]).stdout).unwrap() };
    let kept = below(&session.with_extension(""));
    assert!(kept > 0);
    assert_eq!(usage()["artifacts"]["bytes"], kept);
    // As if nobody had come back for a year.
    let then = SystemTime::now() - Duration::from_secs(365 * 24 * 3600);
    let history = session.with_extension("").join("file-history");
    for directory in [session.with_extension(""), history.join("contents"), history] {
        let files = std::fs::read_dir(&directory).unwrap().map(|file| file.unwrap().path());
        files
            .chain([directory.clone()])
            .for_each(|path| File::open(path).unwrap().set_modified(then).unwrap());
    }
    assert_eq!(omp_run(&home, &["gc", "--apply"]).stdout, "Nothing to remove\n");
    let mut screen = Screen::in_home(home, server, &["-c", "--auto-approve"], 50, 110);
    screen.wait_for("gamma-done.").say("/rewind 1 files").wait_for("Rewound to before: question alpha");
    assert_eq!(all(&screen), texts([Some("one"), None, Some("b"), None]));
    let (_, _, home) = screen.leave();
    omp_run(&home, &["session", "delete", session.to_str().unwrap()]).assert_success();
    assert!(journals(&home).is_empty());
}

fn below(directory: &Path) -> u64 {
    let sizes = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap()).map(|entry| {
        if entry.path().is_dir() { below(&entry.path()) } else { entry.metadata().unwrap().len() }
    });
    sizes.sum()
}

/// A session in a file of the user's choice: copies have its history, and it goes with the file.
#[test]
fn a_file_that_a_user_named_has_a_history_like_others() {
    let server = Server::start([write("a.txt", "two\n"), says("alpha-done.")]);
    let home = repository(&server);
    omp_run(&home, &["--auto-approve", "--resume", "./mine.jsonl", "-p", "question alpha"]).assert_success();
    let mine = home.path("work/mine/file-history/journal");
    assert_eq!(journals(&home), std::slice::from_ref(&mine));
    omp_run(&home, &["session", "fork", "./mine.jsonl"]).assert_success();
    let copy = journals(&home).into_iter().find(|journal| *journal != mine).unwrap();
    assert_eq!(prompts(&copy).matches("\"prompt\"").count(), 1);
    omp_run(&home, &["session", "delete", "./mine.jsonl"]).assert_success();
    assert_eq!(journals(&home), [copy]);
    server.finish();
}
