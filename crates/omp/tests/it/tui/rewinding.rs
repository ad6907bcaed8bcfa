//! `/rewind` and `/redo`: files and the conversation, back and forth.

use omp_testkit::{Home, Reply, Server, Wire};
use serde_json::json;

use super::{Screen, last_prompt};
use crate::support;

const QUESTION: &str = "Rewind to before this prompt?";

/// A home whose working directory is a repository with `a.txt` and `b.txt` committed.
pub(super) fn repository(server: &Server) -> Home {
    let home = support::home(server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/config.yml", "edit:\n  mode: replace\ndoubleEscapeAction: branch\n");
    home.write("work/a.txt", "one\n");
    home.write("work/b.txt", "b\n");
    home.write("work/.gitignore", "*.log\n");
    git(&home, &["init", "-q"]);
    git(&home, &["add", "-A"]);
    git(&home, &["commit", "-qm", "first"]);
    home
}

fn git(home: &Home, arguments: &[&str]) {
    let who = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.org"];
    let done = home.command("git").args(who).args(arguments).status().unwrap();
    assert!(done.success(), "{arguments:?}");
}

fn edit(path: &str, from: &str, to: &str) -> Reply {
    Reply::new().tool_call("edit", json!({"_i": "x", "path": path, "old_string": from, "new_string": to}))
}

pub(super) fn write(path: &str, content: &str) -> Reply {
    Reply::new().tool_call("write", json!({"_i": "x", "path": path, "content": content}))
}

pub(super) fn bash(command: &str) -> Reply {
    Reply::new().tool_call("bash", json!({"_i": "x", "command": command}))
}

pub(super) fn says(text: &str) -> Reply {
    Reply::new().text(text)
}

pub(super) fn file(screen: &Screen, name: &str) -> Option<String> {
    std::fs::read_to_string(screen.home.work_dir().join(name)).ok()
}

/// Three prompts: an edit with a new file, a command, and one that only talks.
pub(super) fn three_prompts(more: Vec<Reply>) -> Screen {
    let first = edit("a.txt", "one", "two");
    let replies = vec![
        first,
        write("new.txt", "new\n"),
        says("alpha-done."),
        bash("echo B > b.txt; echo made > made.txt; echo noise > run.log"),
        says("beta-done."),
        says("gamma-done."),
    ];
    let server = Server::start(replies.into_iter().chain(more).collect::<Vec<_>>());
    let home = repository(&server);
    let mut screen = Screen::in_home(home, server, &["--auto-approve"], 50, 110);
    screen.say("question alpha").wait_for("alpha-done.");
    screen.say("question beta").wait_for("beta-done.");
    screen.say("question gamma").wait_for("gamma-done.");
    assert_eq!(file(&screen, "a.txt").as_deref(), Some("two\n"), "{}", screen.terminal.screen());
    assert_eq!(file(&screen, "b.txt").as_deref(), Some("B\n"));
    screen
}

/// The whole row: a checkpoint before each prompt, the list, files and conversation back and forth, what others changed
/// and what is ignored left alone, off, on, and gone.
///
/// proves: CLI-279
#[test]
fn files_and_conversation_go_back_and_forth() {
    let mut screen =
        three_prompts(vec![says("delta-done."), write("a.txt", "four\n"), says("epsilon-done.")]);
    screen.say("/rewind list").wait_for("Prompts, and the files");
    screen.wait_for("1  4 files").wait_for("2  2 files").wait_for("3  no files");

    screen.say("/rewind 2 files").wait_for("Rewound to before: question beta").wait_for("remove  made.txt");
    assert_eq!((file(&screen, "b.txt").as_deref(), file(&screen, "made.txt")), (Some("b\n"), None));
    assert_eq!(file(&screen, "a.txt").as_deref(), Some("two\n"));
    assert_eq!(file(&screen, "run.log").as_deref(), Some("noise\n"), "ignored files are not protected");
    screen.say("/redo").wait_for("Undid the last /rewind").wait_for("restore  made.txt");
    assert_eq!(
        (file(&screen, "b.txt").as_deref(), file(&screen, "made.txt")),
        (Some("B\n"), Some("made\n".to_owned()))
    );
    screen.say("/redo").wait_for("nothing to redo");

    // With a menu, and with a file that somebody else changed.
    screen.home.write("work/new.txt", "mine\n");
    screen.say("/rewind").wait_for("type to search").wait_for("❯ question gamma  no files");
    screen.send("\x1b[A\x1b[A").wait_for("❯ question alpha  4 files").send("\r").wait_for(QUESTION);
    screen.wait_for("revert  a.txt").wait_for("Changed outside this session").wait_for("remove  new.txt");
    screen.wait_for("1. Conversation and files").send("1").wait_for("Rewound (/redo to undo)");
    screen.wait_for("Skipped, changed outside").terminal.wait_without("alpha-done.");
    screen.wait_for("│ question alpha");
    assert_eq!(
        (file(&screen, "a.txt").as_deref(), file(&screen, "b.txt").as_deref()),
        (Some("one\n"), Some("b\n"))
    );
    assert_eq!(file(&screen, "new.txt").as_deref(), Some("mine\n"));

    screen.send("\x15").say("/redo").wait_for("Undid the last /rewind").wait_for("gamma-done.");
    assert_eq!(
        (file(&screen, "a.txt").as_deref(), file(&screen, "b.txt").as_deref()),
        (Some("two\n"), Some("B\n"))
    );

    // Off: nothing is kept of what comes. On again, and everything is forgotten.
    screen.say("/rewind off").wait_for("File history off for this session");
    screen.say("question delta").wait_for("delta-done.");
    screen.say("/rewind list").wait_for("File history is off");
    screen.say("/rewind on").wait_for("File history on for this session");
    screen.say("question epsilon").wait_for("epsilon-done.");
    assert_eq!(file(&screen, "a.txt").as_deref(), Some("four\n"));
    screen.say("/rewind 5 files").wait_for("Rewound to before: question epsilon");
    assert_eq!(file(&screen, "a.txt").as_deref(), Some("two\n"));
    screen.say("/rewind clear").wait_for("3 checkpoints cleared");
    screen.say("/rewind 1 files").wait_for("no checkpoint for this prompt");
    assert_eq!(file(&screen, "a.txt").as_deref(), Some("two\n"), "files are as they are");
}

/// The conversation alone goes back, files stay; a session that is resumed goes on where the rewind left it, and its
/// checkpoints are there.
#[test]
fn a_resumed_session_goes_on_where_the_rewind_left_it() {
    let mut screen = three_prompts(vec![says("delta-done.")]);
    screen
        .say("/rewind 2 conversation")
        .wait_for("Rewound to before: question beta")
        .wait_for("No files changed");
    screen.terminal.wait_without("beta-done.");
    assert_eq!(file(&screen, "b.txt").as_deref(), Some("B\n"));
    screen.send("\x15").wait_for("Ask anything");
    let (_, server, home) = screen.leave();

    let mut screen = Screen::in_home(home, server, &["-c", "--auto-approve"], 50, 110);
    screen.wait_for("alpha-done.");
    assert!(!screen.terminal.screen().contains("beta-done."), "{}", screen.terminal.screen());
    screen.say("question delta").wait_for("delta-done.");
    let body = screen.server.requests().last().unwrap().body.to_string();
    assert!(body.contains("question alpha") && !body.contains("question beta"), "{body}");
    screen.say("/rewind 1").wait_for("Rewound to before: question alpha").wait_for("revert  a.txt");
    assert_eq!(
        (file(&screen, "a.txt").as_deref(), file(&screen, "b.txt").as_deref()),
        (Some("one\n"), Some("b\n"))
    );
    assert_eq!((file(&screen, "new.txt"), file(&screen, "made.txt")), (None, None));
}

/// The model hears of files that went back while its conversation stayed.
#[test]
fn the_model_is_told_of_files_that_went_back() {
    let mut screen = three_prompts(vec![says("delta-done.")]);
    screen.say("/rewind 1 files").wait_for("Rewound to before: question alpha");
    screen.say("question delta").wait_for("delta-done.");
    let body = screen.server.requests().last().unwrap().body.to_string();
    assert!(body.contains("put these files back") && body.contains("- a.txt (revert)"), "{body}");
    assert_eq!(last_prompt(&screen.server), "question delta");
}

/// A session that is not saved has no history of files, nor has one whose user wants none; a prompt that only reads
/// leaves nothing.
#[test]
fn without_a_saved_session_there_is_no_history() {
    let server = Server::start([write("a.txt", "two\n"), says("alpha-done."), says("beta-done.")]);
    let home = repository(&server);
    let mut screen = Screen::in_home(home, server, &["--no-session", "--auto-approve"], 40, 110);
    screen.say("question alpha").wait_for("alpha-done.");
    for command in ["/rewind 1 files", "/rewind off", "/rewind clear", "/redo"] {
        screen.say(command).wait_for("no file history: the session is not saved");
        screen.send("\x0c");
    }
    assert_eq!(file(&screen, "a.txt").as_deref(), Some("two\n"));
    assert!(!screen.home.list_files().iter().any(|path| path.contains("file-history")));
}

#[test]
fn a_prompt_that_only_reads_leaves_nothing() {
    let reads = Reply::new().tool_call("read", json!({"_i": "x", "path": "a.txt"}));
    let server = Server::start([reads, says("alpha-done."), write("a.txt", "two\n"), says("beta-done.")]);
    let home = repository(&server);
    let mut screen = Screen::in_home(home, server, &["--auto-approve"], 40, 110);
    let kept = |screen: &Screen| screen.home.list_files().iter().any(|path| path.contains("file-history"));
    screen.say("question alpha").wait_for("alpha-done.");
    assert!(!kept(&screen));
    screen.say("question beta").wait_for("beta-done.");
    assert!(kept(&screen));
}

/// Killed in the middle of a prompt: the checkpoint is there, who changed what since is not known, and both can be had.
#[test]
fn a_killed_program_leaves_its_checkpoint() {
    let server = Server::start([bash("echo half > a.txt; sleep 600"), says("beta-done."), says("never")]);
    let home = repository(&server);
    let mut screen = Screen::in_home(home, server, &["--auto-approve"], 50, 110);
    screen.say("question alpha");
    while file(&screen, "a.txt").as_deref() != Some("half\n") {
        std::thread::yield_now();
    }
    let pid = screen.terminal.pid();
    assert!(screen.home.command("kill").args(["-9", &pid.to_string()]).status().unwrap().success());
    screen.terminal.wait_exit();
    let Screen { server, home, .. } = screen;
    home.write("work/b.txt", "mine\n");

    let mut screen = Screen::in_home(home, server, &["-c", "--auto-approve"], 50, 110);
    screen.wait_for("question alpha");
    screen.say("/rewind 1 files").wait_for("Skipped, changed outside this session");
    assert_eq!(
        (file(&screen, "a.txt").as_deref(), file(&screen, "b.txt").as_deref()),
        (Some("half\n"), Some("mine\n"))
    );
    screen.say("/rewind 1 files all").wait_for("revert  a.txt");
    assert_eq!(
        (file(&screen, "a.txt").as_deref(), file(&screen, "b.txt").as_deref()),
        (Some("one\n"), Some("b\n"))
    );
    screen.say("/redo").wait_for("Undid the last /rewind");
    assert_eq!(
        (file(&screen, "a.txt").as_deref(), file(&screen, "b.txt").as_deref()),
        (Some("half\n"), Some("mine\n"))
    );
}

/// What cannot be brought back is named with the reason; everything else comes back.
#[test]
fn what_cannot_come_back_is_named_and_the_rest_comes_back() {
    let mut screen = three_prompts(Vec::new());
    let work = screen.home.work_dir();
    // What became of the files is looked at in the background; the list waits for it.
    screen.say("/rewind list").wait_for("no files  question gamma");
    for name in ["b.txt", "made.txt"] {
        std::fs::remove_file(work.join(name)).unwrap();
    }
    screen.home.write("work/b.txt/mine.log", "mine\n");
    let piped = screen.home.command("mkfifo").arg(work.join("made.txt")).status().unwrap();
    assert!(piped.success());
    screen.say("/rewind 1 files all").wait_for("revert  a.txt").wait_for("remove  new.txt");
    screen.wait_for("failed  b.txt: a directory with other files is in its place");
    screen.wait_for("Not tracked, left unchanged").wait_for("made.txt (not a file or link)");
    assert_eq!((file(&screen, "a.txt").as_deref(), file(&screen, "new.txt")), (Some("one\n"), None));
    assert_eq!(file(&screen, "b.txt/mine.log").as_deref(), Some("mine\n"));
}
