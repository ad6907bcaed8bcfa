//! The list of saved sessions: before there is a session, and inside one.

use std::path::{Path, PathBuf};

use omp_testkit::terminal::{Answers, Terminal};
use omp_testkit::{Home, Reply, Server, Wire, run};
use serde_json::json;

use super::Screen;
use crate::resume::id_of;
use crate::sessions::{lines, session_files};
use crate::support::{self, LIMIT, omp};

/// A home with a model that answers in order.
fn world(replies: impl IntoIterator<Item = Reply>) -> (Home, Server) {
    let server = Server::start(replies.into_iter().collect::<Vec<_>>());
    (support::home(&server, Wire::OpenAiCompletions), server)
}

fn answers(count: usize) -> Vec<Reply> {
    (1..=count).map(|number| Reply::new().text(&format!("answer-{number}."))).collect()
}

fn directory(home: &Home, name: &str) -> PathBuf {
    let path = home.path(name);
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// A session of a directory that begins with these words; its file.
pub(super) fn begun(home: &Home, directory: &Path, words: &str) -> PathBuf {
    let before = session_files(home);
    let mut command = omp(home, &["-p", words]);
    command.current_dir(directory);
    run(command, Some(b""), LIMIT).assert_success();
    session_files(home).into_iter().find(|file| !before.contains(file)).expect("a new session")
}

/// The program in a directory, as soon as it shows anything.
fn started(home: &Home, directory: &Path, arguments: &[&str]) -> Terminal {
    let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
    command.args(arguments).current_dir(directory);
    Terminal::start(command, 30, 100, Answers::Kind)
}

/// The names of the sessions that are listed, the chosen one with its sign.
fn listed(terminal: &Terminal) -> Vec<String> {
    let screen = terminal.screen();
    let rows = screen.lines().filter(|row| row.contains(" ago") || row.contains("just now"));
    rows.map(|row| row.split("  ").find(|part| !part.trim().is_empty()).unwrap_or_default().trim().to_owned())
        .collect()
}

/// proves: SES-157
#[test]
fn resume_without_a_name_lets_the_user_choose() {
    let (home, server) = world(answers(3));
    let work = home.work_dir();
    let mut none = started(&home, &work, &["--resume"]);
    assert!(none.wait_exit().success());
    assert!(none.screen().contains("No sessions found"), "{}", none.screen());

    let other = directory(&home, "other");
    begun(&home, &other, "about pears");
    // None here, so those of all folders.
    let mut elsewhere = started(&home, &work, &["--resume"]);
    elsewhere.wait_for("Resume a session · all folders").wait_for("about pears").wait_for("/other");
    elsewhere.send("\x1b").wait_exit();

    begun(&home, &work, "about apples");
    let mut here = started(&home, &work, &["--resume"]);
    here.wait_for("Resume a session · this folder  1").wait_for("about apples");
    assert!(!here.screen().contains("about pears"), "{}", here.screen());
    here.send("\r").wait_for("Ask anything").wait_for("answer-2.");
    here.send("and then?\r").wait_for("answer-3.");
    let body = server.requests()[2].body.to_string();
    assert!(body.contains("about apples") && body.contains("and then?"), "{body}");
}

/// Somebody who wants none of the sessions, or none from elsewhere, is told so; that is no failure.
///
/// proves: SES-158, CLI-064
#[test]
fn leaving_the_list_is_no_failure() {
    let (home, _server) = world(answers(1));
    let (work, other) = (home.work_dir(), directory(&home, "other"));
    let file = begun(&home, &work, "about apples");
    for key in ["\x1b", "\x03"] {
        let mut list = started(&home, &work, &["--resume"]);
        list.wait_for("about apples").send(key);
        let status = list.wait_exit();
        assert_eq!(status.code(), Some(0), "{}", list.screen());
        let shown = list.screen();
        assert!(shown.contains("No session selected"), "{shown}");
        assert!(!shown.contains("Resume a session") && !shown.contains("about apples"), "{shown}");
    }
    let mut asked = started(&home, &other, &["--resume", &id_of(&file)]);
    asked.wait_for("Fork into current directory? [y/N]").send("n\r");
    assert_eq!(asked.wait_exit().code(), Some(0));
    assert!(asked.screen().contains("Resume cancelled: session is in another project."));
    assert_eq!(session_files(&home), [file]);
}

/// proves: SES-159
#[test]
fn a_session_of_another_project_is_opened_there() {
    let replies = [
        Reply::new().text("answer-1."),
        Reply::new().tool_call("bash", json!({"_i": "look", "command": "pwd"})),
        Reply::new().text("Looked."),
    ];
    let (home, server) = world(replies);
    let other = directory(&home, "other");
    home.write("other/.omp/config.yml", "temperature: 0.25\n");
    let file = begun(&home, &other, "about pears");
    let mut terminal = started(&home, &home.work_dir(), &["--resume"]);
    terminal.wait_for("about pears").send("\r").wait_for("Ask anything").wait_for("answer-1.");
    terminal.send("where are we?\r").wait_for("Looked.");
    let requests = server.requests();
    assert_eq!(requests[1].body["temperature"], 0.25, "the settings of that project");
    let result = requests[2].body["messages"].as_array().unwrap().last().unwrap()["content"].to_string();
    assert!(result.contains(other.to_str().unwrap()), "{result}");
    assert_eq!(std::fs::read_link(format!("/proc/{}/cwd", terminal.pid())).unwrap(), other);
    assert_eq!(session_files(&home), [file], "no copy");
}

/// proves: SES-160
#[test]
fn the_list_is_used_with_the_keyboard() {
    let (home, _server) = world(answers(4));
    let (work, other) = (home.work_dir(), directory(&home, "other"));
    begun(&home, &other, "about pears");
    let files = ["first one", "second one", "third one"].map(|words| begun(&home, &work, words));
    let artifacts = files[2].with_extension("");
    std::fs::create_dir_all(&artifacts).unwrap();
    std::fs::write(artifacts.join("0.bash.log"), "output").unwrap();

    let mut list = started(&home, &work, &["--resume"]);
    list.wait_for("third one");
    assert_eq!(listed(&list), ["❯ third one", "second one", "first one"]);
    list.send("\x1b[B").wait_for("❯ second one").send("\x1b[A").wait_for("❯ third one");
    list.send("\x1b[A").wait_for("❯ first one").send("\x1b[5~").wait_for("❯ third one");
    list.send("\x1b[6~").wait_for("❯ first one").send("\x1b[5~").wait_for("❯ third one");
    // All projects, and back.
    list.send("\t").wait_for("all folders").wait_for("about pears");
    list.send("\t").wait_for("this folder").wait_without("about pears");
    // What is typed filters.
    list.send("second").wait_for("1 of 3").wait_without("third one").send("\x15").wait_for("third one");
    list.send("\x1b[A");
    // Deleting is asked about.
    list.wait_for("❯ third one").send("\x1b[3~").wait_for("Delete \"third one\" and its artifacts?");
    list.send("n").wait_without("and its artifacts?");
    assert!(files[2].exists() && artifacts.exists());
    list.send("\x1b[3~").wait_for("and its artifacts?").send("\r").wait_for("❯ second one");
    list.wait_without("third one");
    assert!(!files[2].exists() && !artifacts.exists());
    assert!(files[0].exists() && files[1].exists());
    list.send("\x1b[B").wait_for("❯ first one").send("\r").wait_for("Ask anything").wait_for("answer-2.");
    let mut list = started(&home, &work, &["--resume"]);
    list.wait_for("second one").send("\x1b").wait_for("No session selected");
    assert!(list.wait_exit().success());
    let mut list = started(&home, &work, &["--resume"]);
    list.wait_for("second one").send("\x03");
    assert!(list.wait_exit().success());
}

/// By id, title, directory, first message, later text and file, also by letters of a name, and by a prompt that is
/// far inside a session; the better match first.
///
/// proves: SES-161
#[test]
fn sessions_are_found_by_a_few_letters() {
    let (home, _server) = world(answers(4));
    let work = home.work_dir();
    let long = format!("orchard {}", "word ".repeat(1500));
    let first = begun(&home, &work, &long);
    let again = ["--resume", &id_of(&first), "-p", "quince marmalade"];
    support::omp_run(&home, &again).assert_success();
    let other = directory(&home, "lighthouse");
    let second = begun(&home, &other, "tell me of marmalade");
    let third = begun(&home, &other, "bananas");
    let rename = |file: &PathBuf, title: &str| {
        let text = std::fs::read_to_string(file).unwrap();
        let (header, rest) = text.split_once('\n').unwrap();
        let mut header: serde_json::Value = serde_json::from_str(header).unwrap();
        header["title"] = title.into();
        std::fs::write(file, format!("{header}\n{rest}")).unwrap();
    };
    rename(&third, "Yellow fruit");

    let mut list = started(&home, &work, &["--resume"]);
    list.wait_for("orchard").send("\t").wait_for("Yellow fruit").wait_for("marmalade");
    let mut find = |words: &str, count: usize, best: &str| {
        list.send("\x15").wait_until("all sessions", |shown| shown.contains("folders  3"));
        let wanted = format!("{count} of 3");
        list.send(words).wait_for(&wanted);
        list.wait_until(best, |shown| shown.contains(&format!("❯ {best}")));
    };
    find(&id_of(&second)[..12], 1, "tell me of");
    find("yellow", 1, "Yellow fruit");
    find("lighthouse yellow", 1, "Yellow fruit");
    find("bananas", 1, "Yellow fruit");
    find("answer-4", 1, "Yellow fruit");
    find(third.file_stem().unwrap().to_str().unwrap(), 1, "Yellow fruit");
    // Letters in the right order.
    find("ylwfrt", 1, "Yellow fruit");
    // The end of the first session is in no list, but the prompt is remembered.
    find("quince", 1, "orchard");
    // A word of the first message counts more than one that was typed later.
    find("marmalade", 2, "tell me of");
}

/// proves: SES-162
#[test]
fn an_empty_list_says_so() {
    let (home, server) = world(answers(1));
    let mut screen = Screen::in_home(home, server, &[], 30, 100);
    screen.say("/resume").wait_for("No sessions found");
    screen.send("\r").send("\x1b[3~").send("\t");
    screen.wait_for("No sessions in current folder. Press Tab to view all.");
    screen.send("\r").send("\x1b[3~").send("\t").wait_for("No sessions found");
    assert!(!screen.terminal.screen().contains("and its artifacts"));
    screen.send("\x1b").wait_for("Ask anything");
    screen.say("/resume").wait_for("No sessions found").send("\x03");
    assert!(screen.terminal.wait_exit().success());
}

/// proves: SES-163, SES-170
#[test]
fn a_running_session_gives_way_to_another() {
    let slow = Reply::new().tool_call("bash", json!({"_i": "wait", "command": "sleep 60"})).text("never");
    let (home, server) = world(answers(3).into_iter().chain([slow]));
    let (work, other) = (home.work_dir(), directory(&home, "other"));
    begun(&home, &work, "about apples");
    begun(&home, &other, "about pears");
    let mut screen = Screen::in_home(home, server, &[], 30, 100);
    // Cancelled: everything is as it was.
    screen.say("hello").wait_for("answer-3.");
    screen.say("/resume").wait_for("Resume a session · this folder").wait_for("about apples");
    assert!(!screen.terminal.screen().contains("Ask anything"), "in the place of the editor");
    screen.send("\x1b").wait_for("Ask anything").wait_for("answer-3.");
    assert!(!screen.terminal.screen().contains("Resumed session"));
    // A turn with a call is under way when another session is chosen.
    screen.say("work").wait_for("sleep 60").wait_for("Working");
    screen.say("/resume").wait_for("❯ about apples").send("\r");
    screen.wait_for("Resumed session").wait_for("answer-1.");
    screen.terminal.wait_without("Working").wait_without("sleep 60").wait_without("answer-3.");
    screen.wait_for("Ask anything");
    screen.say("/resume").wait_for("this folder").send("\t").wait_for("about pears");
    screen.send("pears").wait_for("1 of").send("\r");
    screen.wait_for("Resumed session in").wait_for("/other").wait_for("answer-2.");
    screen.terminal.wait_without("answer-1.");
}

/// A session whose directory is gone is moved here after a question; who says no sees that nothing was resumed.
///
/// proves: LOP-162
#[test]
fn a_resumption_that_is_called_off_is_none() {
    let (home, server) = world(answers(2));
    let gone = directory(&home, "gone");
    let file = begun(&home, &gone, "about pears");
    std::fs::remove_dir_all(&gone).unwrap();
    let mut screen = Screen::in_home(home, server, &[], 30, 100);
    screen.say("/resume").wait_for("about pears").send("\r").wait_for("which no longer exists");
    screen.send("2").wait_for("Ask anything");
    assert!(!screen.terminal.screen().contains("Resumed session"), "{}", screen.terminal.screen());
    assert!(file.exists());
    screen.say("/resume").wait_for("about pears").send("\r").wait_for("which no longer exists").send("1");
    screen.wait_for("Resumed session").wait_for("answer-1.");
    assert!(!file.exists(), "moved");
}

/// proves: SES-164
#[test]
fn a_plain_start_can_go_on_with_the_latest_session() {
    let (home, server) = world(answers(4));
    let work = home.work_dir();
    begun(&home, &work, "about apples");
    begun(&home, &work, "about pears");
    begun(&home, &directory(&home, "other"), "about plums");
    let mut plain = started(&home, &work, &[]);
    plain.wait_for("Ask anything");
    assert!(!plain.screen().contains("answer-2."), "not unless it is wanted");
    plain.send("\x03").wait_for("again to exit").send("\x03").wait_exit();
    home.write("home/.omp/agent/config.yml", "autoResume: true\n");
    let mut plain = started(&home, &work, &[]);
    plain.wait_for("Ask anything").wait_for("answer-2.");
    plain.send("go on\r").wait_for("answer-4.");
    let body = server.requests()[3].body.to_string();
    assert!(body.contains("about pears") && !body.contains("about plums"), "{body}");
    // It is open, so the next one begins anew.
    let mut second = started(&home, &work, &[]);
    second.wait_for("Ask anything");
    assert!(!second.screen().contains("answer-4."), "{}", second.screen());
}

/// The keys that have a name of their own.
#[test]
fn sessions_are_renamed_sorted_and_located() {
    let (home, _server) = world(answers(2));
    let work = home.work_dir();
    let first = begun(&home, &work, "zebra");
    begun(&home, &work, "ant");
    let mut list = started(&home, &work, &["--resume"]);
    list.wait_for("❯ ant").send("\x1b[B").wait_for("❯ zebra").send("\x12").wait_for("New name: zebra");
    list.send("\x15beaver\r").wait_for("❯ beaver");
    assert_eq!(lines(&first)[0]["title"], "beaver");
    assert_eq!(listed(&list), ["ant", "❯ beaver"], "a name is no use");
    list.send("\x13").wait_for("sort (newest)").send("\x13").wait_for("sort (name)");
    list.send("\x10").wait_for(".jsonl").send("\x10").wait_without(".jsonl");
    list.send("\x04").wait_for("Delete \"beaver\"").send("\x1b").wait_without("and its artifacts");
    // Ctrl+Backspace
    list.send("\x08").wait_for("Delete \"beaver\"").send("y").wait_without("beaver");
    assert!(!first.exists());
}

/// Where nothing is drawn, sessions are chosen by their numbers.
#[test]
fn plain_lines_have_numbers_to_choose_from() {
    let (home, server) = world(answers(3));
    let (work, other) = (home.work_dir(), directory(&home, "other"));
    begun(&home, &other, "about pears");
    let mut lines = started(&home, &work, &["--plain-ui", "--resume"]);
    lines.wait_for("1. about pears, in /").wait_for("Enter to cancel").send("\n");
    assert_eq!(lines.wait_exit().code(), Some(0));
    assert!(lines.screen().contains("No session selected"), "{}", lines.screen());
    begun(&home, &work, "about apples");
    let mut lines = started(&home, &work, &["--plain-ui", "--resume"]);
    lines.wait_for("1. about apples").send("7\n").wait_for("Enter a number from 1 to 1").send("1\n");
    lines.wait_for("Type a prompt").send("and then?\n").wait_for("answer-3.");
    assert!(server.requests()[2].body.to_string().contains("about apples"));
    assert!(!lines.bytes().contains(&0x1b), "nothing is drawn");
}
