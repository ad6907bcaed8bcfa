//! How a session reacts to its user, as the settings say: each of them as it is, and changed.

use std::time::Duration;

use omp_testkit::{Home, Reply, Server, Wire};
use serde_json::json;

use super::{Screen, last_prompt};

const CONFIG: &str = "home/.omp/agent/config.yml";

fn screen(config: &str, replies: Vec<Reply>) -> Screen {
    let server = Server::start(replies);
    let home = crate::support::home(&server, Wire::OpenAiCompletions);
    home.write(CONFIG, config);
    Screen::in_home(home, server, &[], 40, 100)
}

fn default_of(home: &Home, path: &str) -> String {
    crate::support::omp_run(home, &["config", "get", path]).stdout.trim().to_owned()
}

/// Which words came with each request, of those that were queued.
fn queued(screen: &Screen) -> Vec<Vec<&'static str>> {
    let words = ["steer-one", "steer-two", "later-one", "later-two"];
    let mut seen: Vec<&str> = Vec::new();
    let mut rounds = Vec::new();
    for request in screen.server.requests() {
        let body = request.body.to_string();
        let new: Vec<&str> =
            words.into_iter().filter(|word| body.contains(word) && !seen.contains(word)).collect();
        seen.extend(&new);
        rounds.push(new);
    }
    rounds
}

/// proves: CFG-069
#[test]
fn waiting_messages_come_one_by_one_or_together() {
    let all = "steeringMode: all\nfollowUpMode: all\n";
    let one_by_one = vec![vec![], vec!["steer-one"], vec!["steer-two"], vec!["later-one"], vec!["later-two"]];
    let together = vec![vec![], vec!["steer-one", "steer-two"], vec!["later-one", "later-two"]];
    for (config, expected) in [("", one_by_one), (all, together)] {
        let slow = Reply::new().text("slow words that take their time").delta_size(5);
        let mut replies = vec![slow.stall_after_event(3, Duration::from_millis(1500))];
        replies.extend((1..expected.len()).map(|number| Reply::new().text(&format!("answer-{number}-"))));
        let mut screen = screen(config, replies);
        screen.say("begin").wait_for("slow");
        screen.send("later-one").wait_for("later-one").send("\x11").wait_for("1 message queued");
        screen.send("later-two").wait_for("later-two").send("\x11").wait_for("2 messages queued");
        screen.say("steer-one").wait_for("3 messages queued").say("steer-two").wait_for("4 messages queued");
        let shown = screen.terminal.screen();
        for row in [
            "↳ steering  steer-one",
            "↳ steering  steer-two",
            "○ queued    later-one",
            "○ queued    later-two",
        ] {
            assert!(shown.contains(row), "{row} in {shown}");
        }
        screen.wait_for(&format!("answer-{}-", expected.len() - 1));
        assert_eq!(queued(&screen), expected, "{config}");
    }
}

/// proves: CFG-069
#[test]
fn steering_stops_tools_or_waits_for_them() {
    let call = |command: &str| Reply::new().tool_call("bash", json!({"_i": "run", "command": command}));
    let mut screen = screen("", vec![call("echo begun; sleep 300"), Reply::new().text("turned")]);
    screen.say("go").wait_for("begun").say("other way").wait_for("turned");
    let command = "echo begun; until test -e go; do sleep 0.01; done; echo by-itself";
    let mut screen = self::screen("interruptMode: wait\n", vec![call(command), Reply::new().text("turned")]);
    screen.say("go").wait_for("begun").say("other way").wait_for("1 message queued");
    screen.home.write("work/go", "");
    screen.wait_for("turned");
    let body = screen.server.requests()[1].body.to_string();
    assert!(body.contains("by-itself") && body.contains("other way"), "{body}");
}

/// A file that steering mentions goes with it.
// proves: IOP-010
#[test]
fn steering_attaches_what_it_mentions() {
    let call = Reply::new().tool_call("bash", json!({"_i": "run", "command": "echo begun; sleep 300"}));
    let mut screen = screen("", vec![call, Reply::new().text("turned")]);
    screen.home.write("work/src/a.ts", "export const answer = 42;");
    screen.say("go").wait_for("begun").say("rather see @src/a.ts now").wait_for("turned");
    let said = screen.server.requests()[1].body["messages"].to_string();
    assert!(
        said.contains("rather see @src/a.ts now") && said.contains("export const answer = 42;"),
        "{said}"
    );
}

/// proves: CFG-069
#[test]
fn two_escapes_open_what_is_wanted() {
    for (config, opened) in [
        ("", Some("Session tree")),
        ("doubleEscapeAction: tree\n", Some("Session tree")),
        ("doubleEscapeAction: branch\n", Some("Branch from a message")),
        ("doubleEscapeAction: none\n", None),
    ] {
        let mut screen = screen(config, vec![Reply::new().text("an-answer")]);
        screen.say("a question").wait_for("an-answer").terminal.wait_without("Working");
        screen.send("\x1b[27u\x1b[27u");
        match opened {
            Some(title) => drop(screen.wait_for(title)),
            None => {
                screen.send("typed").wait_for("│ typed");
                let shown = screen.terminal.screen();
                assert!(
                    !shown.contains("Session tree") && !shown.contains("Branch from a message"),
                    "{shown}"
                );
            }
        }
    }
}

/// proves: CFG-069
#[test]
fn a_start_goes_on_where_it_is_wanted() {
    for (config, resumed) in [("", false), ("autoResume: true\n", true)] {
        let server = Server::start([Reply::new().text("earlier-answer")]);
        let home = crate::support::home(&server, Wire::OpenAiCompletions);
        home.write(CONFIG, config);
        crate::support::omp_run(&home, &["-p", "a question"]).assert_success();
        let mut screen = Screen::in_home(home, server, &[], 40, 100);
        if resumed {
            screen.wait_for("earlier-answer");
        }
        assert_eq!(screen.terminal.screen().contains("earlier-answer"), resumed, "{config}");
    }
}

/// A question waits for ever unless a time is set; then the recommended answer is given.
///
/// proves: CFG-069
#[test]
fn questions_wait_as_long_as_is_wanted() {
    let options = json!([{"label": "red"}, {"label": "green"}]);
    let questions =
        json!([{"id": "color", "question": "Which color?", "recommended": 1, "options": options}]);
    let ask = || Reply::new().tool_call("ask", json!({"_i": "ask", "questions": questions}));
    let mut patient = screen("", vec![ask(), Reply::new().text("Chosen.")]);
    assert_eq!(default_of(&patient.home, "ask.timeout"), "0");
    assert_eq!(default_of(&patient.home, "ask.notify"), "on");
    patient.say("go").send("\x1b[O").wait_for("Which color?");
    patient.terminal.wait_for_bytes(b"\x07");
    patient.answer("red").wait_for("❯ red").send("\r").wait_for("Chosen.");
    let body = patient.server.requests()[1].body.to_string();
    assert!(body.contains("User selected: red"), "{body}");
    let config = "ask:\n  timeout: 1\n  notify: off\n";
    let mut hurried = screen(config, vec![ask(), Reply::new().text("Chosen.")]);
    hurried.say("go").send("\x1b[O").wait_for("Which color?").wait_for("Chosen.");
    let body = hurried.server.requests()[1].body.to_string();
    assert!(body.contains("green"), "{body}");
}

/// Ctrl+C stops what is running and keeps what is typed; pressed again within two seconds it exits.
#[test]
fn ctrl_c_stops_before_it_exits() {
    let slow = Reply::new().text("slow words that take their time").delta_size(5);
    let mut screen = Screen::new([slow.stall_after_event(3, Duration::from_secs(30))], &[]);
    screen
        .say("!sleep 300")
        .wait_for("◐ running")
        .send("\x03")
        .wait_for("Stopped (press Ctrl+C again to exit)");
    screen.terminal.wait_without("◐ running");
    std::thread::sleep(Duration::from_secs(2));
    screen.say("begin").wait_for("slow").send("a draft").wait_for("│ a draft");
    screen.send("\x03").wait_for("Aborted").wait_for("│ a draft");
    screen.send("\x03");
    assert!(screen.terminal.wait_exit().success(), "{}", screen.terminal.screen());
}

/// A mistyped command is not sent to the model; two slashes send it all the same.
#[test]
fn unknown_commands_are_answered_with_suggestions() {
    let mut screen = Screen::new([Reply::new().text("understood"), Reply::new().text("once more")], &[]);
    screen
        .say("/modle opus")
        .wait_for("unknown command /modle: did you mean /model")
        .wait_for("│ /modle opus");
    screen
        .send("\x15")
        .wait_for("Ask anything")
        .say("/qqqqqqqq")
        .wait_for("unknown command /qqqqqqqq: see: /help");
    screen.send("\x15").wait_for("Ask anything").say("//qqqqqqqq of yours").wait_for("understood");
    assert_eq!(last_prompt(&screen.server).trim(), "/qqqqqqqq of yours");
    screen.say("/usr/bin is what?").wait_for("once more");
    assert_eq!(screen.server.requests().len(), 2, "nothing else was sent");
}

/// The mode changes for the session, in the status line and for the next call; the settings file stays.
#[test]
fn the_approval_mode_changes_for_the_session() {
    let call = || Reply::new().tool_call("bash", json!({"_i": "x", "command": "touch made"}));
    let replies = [call(), Reply::new().text("first"), call(), Reply::new().text("second")];
    let mut screen = Screen::new(replies, &["--approval-mode", "always-ask"]);
    screen.wait_for("always-ask").say("/approval").wait_for("asks before every edit and command (current)");
    screen.say("/approval never").wait_for("unknown approval mode \"never\"");
    screen.say("begin").wait_for("touch made").refuse().wait_for("first");
    screen.say("/approval yolo").wait_for("Approval mode: yolo for this session");
    screen.say("again").wait_for("second");
    assert!(screen.home.exists("work/made"));
    assert!(
        !screen.home.exists("home/.omp/agent/config.yml")
            || !screen.home.read("home/.omp/agent/config.yml").contains("yolo")
    );
}
