//! What the question about a call says, tool by tool, and which tools are asked about at all.

use std::os::unix::fs::PermissionsExt;

use omp_testkit::{Home, Reply, Server, Wire};
use serde_json::{Value, json};

use super::Screen;
use crate::support;

/// The rows of the question on the screen, between its rules.
fn question(screen: &mut Screen, name: &str) -> Vec<String> {
    screen.wait_for(&format!("Allow tool: {name}"));
    let shown = screen.terminal.screen();
    let rows = shown.lines().map(str::trim_end).skip_while(|row| !row.contains("Allow tool: "));
    rows.take_while(|row| !row.starts_with("──")).map(str::to_owned).collect()
}

fn asking(replies: Vec<Reply>, prepare: impl FnOnce(&Home)) -> Screen {
    let server = Server::start(replies);
    let home = support::home(&server, Wire::OpenAiCompletions);
    prepare(&home);
    Screen::in_home(home, server, &["--approval-mode", "always-ask"], 40, 100)
}

fn call(tool: &str, arguments: &Value) -> Reply {
    let mut arguments = arguments.clone();
    arguments["_i"] = json!("why");
    Reply::new().tool_call(tool, arguments)
}

/// Everything that changes what a command does is shown.
// proves: SEC-024
#[test]
fn circumstances_of_a_command_are_shown() {
    let arguments =
        json!({"command": "make", "env": {"CFLAGS": "-O2", "V": "1"}, "pty": true, "timeout": 1200});
    let mut screen = asking(vec![call("bash", &arguments), Reply::new().text("Refused.")], |_| {});
    screen.say("go");
    let shown = question(&mut screen, "bash").join("\n");
    for expected in ["Command: make", "Environment: CFLAGS=-O2", "V=1", "Terminal: yes", "Timeout: 1200 s"] {
        assert!(shown.contains(expected), "{expected}: {shown}");
    }
    screen.refuse();
    screen.wait_for("Refused.");
}

/// A command that the sandbox stops is asked about once, with the path; the answer lets it run outside. The status line
/// says what holds all the while, and what the user types after `!` is not confined.
// proves: SEC-008, SEC-051
#[test]
fn a_blocked_command_can_be_let_out() {
    let home = Home::new();
    let outside = home.path("home/outside.txt");
    let command = format!("python3 -c \"open('{}','w').write('out')\"", outside.display());
    let replies = vec![
        call("bash", &json!({"command": command})),
        call("bash", &json!({"command": command})),
        Reply::new().text("Done."),
    ];
    let server = Server::start(replies);
    home.models_yml(&server, Wire::OpenAiCompletions, omp_testkit::ModelOptions::new());
    let mut screen = Screen::in_home(home, server, &[], 40, 140);
    screen.wait_for("auto (sandbox)");
    screen.say("go");
    let shown = question(&mut screen, "bash").join("\n");
    assert!(shown.contains("the sandbox blocked writing") && shown.contains("outside.txt"), "{shown}");
    screen.refuse();
    screen.wait_for("Work within its limits");
    let shown = question(&mut screen, "bash").join("\n");
    assert!(shown.contains("run it outside the sandbox?"), "{shown}");
    assert!(!outside.exists(), "no means no");
    screen.answer("1");
    screen.wait_for("Done.");
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), "out");
    assert!(screen.terminal.screen().contains("auto (sandbox)"));
    screen.say("!echo mine > ../home/mine.txt && echo was written").wait_for("was written");
    let body = screen.server.requests()[1].body.to_string();
    assert!(body.contains("The sandbox blocked writing"), "the model is told: {body}");
}

/// The answer that lets a command out can hold for the next ones, is listed, and can be taken back.
// proves: SEC-008
#[test]
fn letting_out_can_become_a_rule() {
    let home = Home::new();
    let configure = || call("bash", &json!({"command": "git config user.name me"}));
    let replies = vec![
        configure(),
        configure(),
        Reply::new().text("Twice."),
        configure(),
        Reply::new().text("Refused."),
    ];
    let server = Server::start(replies);
    home.models_yml(&server, Wire::OpenAiCompletions, omp_testkit::ModelOptions::new());
    assert!(home.command("git").args(["init", "-q"]).status().unwrap().success());
    let mut screen = Screen::in_home(home, server, &[], 40, 140);
    screen.wait_for("auto (sandbox)").say("go").wait_for("run it outside the sandbox?");
    screen.wait_for("Yes, always in this project").answer("3").wait_for("Twice.");
    let config = std::fs::read_to_string(screen.home.path("work/.git/config")).unwrap();
    assert!(config.contains("name = me"), "{config}");
    screen.say("/permissions").wait_for("(outside the sandbox)");
    let shown = screen.terminal.screen();
    let row = shown.lines().find(|row| row.contains("(outside the sandbox)")).unwrap().trim();
    let rule = &row[row.find("git config").unwrap()..];
    screen.say(&format!("/permissions remove {rule}")).wait_for("emoved");
    // Git writes nothing where the value is there already.
    screen.home.write("work/.git/config", config.replace("name = me", ""));
    screen.say("again").wait_for("run it outside the sandbox?").refuse().wait_for("Refused.");
}

/// A mount goes when somebody outside replaces the file under it: the next command is in a new sandbox.
#[test]
fn a_replaced_file_stays_protected() {
    let home = Home::new();
    let spoil =
        || call("bash", &json!({"command": "python3 -c \"open('.git/config','a').write('spoilt')\""}));
    let server = Server::start([spoil(), Reply::new().text("One."), spoil(), Reply::new().text("Two.")]);
    home.models_yml(&server, Wire::OpenAiCompletions, omp_testkit::ModelOptions::new());
    assert!(home.command("git").args(["init", "-q"]).status().unwrap().success());
    let mut screen = Screen::in_home(home, server, &[], 40, 140);
    screen.wait_for("auto (sandbox)").say("go");
    screen.wait_for("run it outside the sandbox?").refuse().wait_for("One.");
    // As editors and git itself write: another file, under the same name.
    for _ in 0..2 {
        screen.home.write("work/.git/new", "[core]\n\tbare = false\n");
        std::fs::rename(screen.home.path("work/.git/new"), screen.home.path("work/.git/config")).unwrap();
    }
    screen.say("again").wait_for("run it outside the sandbox?").refuse().wait_for("Two.");
    let config = std::fs::read_to_string(screen.home.path("work/.git/config")).unwrap();
    assert!(!config.contains("spoilt"), "{config}");
}

/// What is known to leave is asked about first, and then runs outside; another call under the same id does not.
#[test]
fn what_is_known_to_leave_is_asked_about_first() {
    let home = Home::new();
    let both = Reply::new()
        .tool_call("bash", json!({"_i": "why", "command": "touch ../home/known.txt"}))
        .tool_call("bash", json!({"_i": "why", "command": "python3 -c \"open('../home/other.txt','w')\""}));
    let server = Server::start([both, Reply::new().text("Done.")]);
    home.models_yml(&server, Wire::OpenAiCompletions, omp_testkit::ModelOptions::new());
    let (known, other) = (home.path("home/known.txt"), home.path("home/other.txt"));
    let mut screen = Screen::in_home(home, server, &[], 40, 140);
    screen.say("go");
    screen.wait_for("outside the workspace");
    screen.answer("1");
    screen.wait_for("run it outside the sandbox?");
    // The command that was allowed may still be starting.
    super::wizard::eventually("the first file", || known.exists());
    assert!(!other.exists());
    screen.refuse();
    screen.wait_for("Done.");
    assert!(!other.exists());
}

/// A command on a terminal is in the same sandbox.
// proves: SEC-009
#[test]
fn a_command_on_a_terminal_is_confined() {
    let home = Home::new();
    let outside = home.path("home/outside.txt");
    let command = format!("python3 -c \"open('{}','w').write('out')\"", outside.display());
    let reply = call("bash", &json!({"command": command, "pty": true}));
    let server = Server::start([reply, Reply::new().text("Done.")]);
    home.models_yml(&server, Wire::OpenAiCompletions, omp_testkit::ModelOptions::new());
    let mut screen = Screen::in_home(home, server, &[], 40, 140);
    screen.wait_for("auto (sandbox)");
    screen.say("go");
    let shown = question(&mut screen, "bash").join("\n");
    assert!(shown.contains("the sandbox blocked writing"), "{shown}");
    screen.refuse();
    screen.wait_for("Done.");
    assert!(!outside.exists());
}

/// Each tool says what its call would do. The tools of servers, and those that run code, browsers and agents, do not exist yet.
#[test]
fn every_tool_says_what_it_would_do() {
    let cases = [
        (
            "bash",
            json!({"command": "touch one\ntouch two", "cwd": "sub"}),
            vec!["? Allow tool: bash", "  Command: touch one", "           touch two", "  Directory: sub"],
        ),
        (
            "bash",
            json!({"command": "missing/reboot now"}),
            vec![
                "? Allow tool: bash",
                "  Reason: Shuts down or restarts the machine",
                "  Command: missing/reboot now",
            ],
        ),
        (
            "write",
            json!({"path": "a.txt", "content": "first\nsecond"}),
            vec!["? Allow tool: write", "  Path: a.txt", "  Content: first", "           second"],
        ),
        (
            "ssh",
            json!({"host": "build", "command": "uptime"}),
            vec!["? Allow tool: ssh", "  Host: build (h)", "  Command: uptime"],
        ),
        (
            "edit",
            json!({"input": "[notes.txt#0000]\nDEL 1\n"}),
            vec![
                "? Allow tool: edit",
                "  Path: notes.txt",
                "  Fails: Edit rejected: #0000 is not a hash of notes.txt from this session; the file is #B686.",
                "  Edit: [notes.txt#0000]",
                "        DEL 1",
            ],
        ),
        ("read", json!({"path": "notes.txt"}), vec!["? Allow tool: read", "  Path: notes.txt"]),
    ];
    for (tool, arguments, expected) in cases {
        let mut screen = asking(vec![call(tool, &arguments), Reply::new().text("Refused.")], |home| {
            home.write("work/notes.txt", "one\n");
            home.write("home/.omp/agent/config.yml", "tools:\n  approval:\n    read: prompt\n");
            home.write("home/.omp/agent/ssh.json", json!({"hosts": {"build": {"host": "h"}}}).to_string());
            let ssh = home.write("bin/ssh", "#!/bin/sh\nexit 255\n");
            std::fs::set_permissions(ssh, std::fs::Permissions::from_mode(0o755)).unwrap();
        });
        screen.say("go");
        let shown = question(&mut screen, tool);
        let answers = shown.iter().position(|row| row.starts_with("❯ 1. Yes, this once")).expect("answers");
        assert_eq!(shown[..answers], expected, "{tool}");
        screen.refuse().wait_for("Refused.");
    }
}

/// A path that leads somewhere else is shown with where it leads.
// proves: SEC-029
#[test]
fn a_path_is_shown_with_what_it_leads_to() {
    let out = |path: &str| json!({"path": path, "content": "x"});
    let replies = vec![call("write", &out("docs/../away/a.txt")), Reply::new().text("Refused.")];
    let mut screen = asking(replies, |home| {
        std::os::unix::fs::symlink(home.path("home"), home.path("work/away")).unwrap();
    });
    screen.say("go");
    let shown = question(&mut screen, "write").join(" ").replace("  ", " ");
    let real = screen.home.path("home").canonicalize().unwrap().join("a.txt");
    let flat = |text: &str| text.split_whitespace().collect::<String>();
    let shown = flat(&shown);
    assert!(shown.contains(&flat("Path: docs/../away/a.txt")), "{shown}");
    assert!(shown.contains(&flat(&format!("Resolves to: {}", real.display()))), "{shown}");
    assert!(shown.contains(&flat("Reason: outside the workspace")), "{shown}");
    screen.refuse().wait_for("Refused.");
    assert!(!screen.home.exists("home/a.txt"));
}

/// What was approved is what is written: a directory that became a link while the question was on the screen is not
/// followed.
// proves: SEC-032
#[test]
fn a_path_that_moves_after_the_answer_is_refused() {
    let write = json!({"path": "sub/a.txt", "content": "swapped"});
    let mut screen = asking(vec![call("write", &write), Reply::new().text("Done.")], |home| {
        std::fs::create_dir(home.path("work/sub")).unwrap();
    });
    screen.say("go");
    question(&mut screen, "write");
    std::fs::remove_dir(screen.home.path("work/sub")).unwrap();
    std::os::unix::fs::symlink(screen.home.path("home"), screen.home.path("work/sub")).unwrap();
    screen.answer("\r").wait_for("Done.");
    assert!(!screen.home.exists("home/a.txt"));
    let told = screen.server.requests().last().unwrap().body.to_string();
    assert!(told.contains("the user was not asked to approve that path"), "{told}");
}
