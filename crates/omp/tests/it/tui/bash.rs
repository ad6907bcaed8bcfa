//! Commands that the user runs with `!`.

use omp_testkit::{Reply, Server, Wire};
use serde_json::json;

use super::Screen;
use crate::sessions::{lines, roles, session_files};

/// A command is a message of its own in the file, with its output; the model reads of it with the next prompt, and of a
/// private one never. Both are back on the screen when the session is resumed. What cannot be run is an error on the screen.
///
/// proves: SHL-060
#[test]
fn commands_of_the_user_are_part_of_the_session() {
    let replies = [Reply::new().text("Hello."), Reply::new().text("I see it."), Reply::new().text("Again.")];
    let mut screen = Screen::new(replies, &[]);
    screen.say("hi").wait_for("Hello.");
    screen.say("!echo shared-$((40+2)); exit 3").wait_for("shared-42").wait_for("exit 3");
    screen.say("!!echo private-$((50+2))").wait_for("private-52").wait_for("not sent to the model");
    screen.say("what did I do?").wait_for("I see it.");
    let body = screen.server.requests()[1].body.to_string();
    assert!(body.contains("shared-42") && body.contains("exit code 3"), "{body}");
    assert!(!body.contains("private"), "{body}");
    let (_, server, home) = screen.leave();

    let saved = lines(&session_files(&home)[0]);
    assert_eq!(roles(&saved), ["user", "assistant", "bashExecution", "bashExecution", "user", "assistant"]);
    let commands: Vec<_> = saved
        .iter()
        .map(|line| &line["message"])
        .filter(|message| message["role"] == "bashExecution")
        .collect();
    assert_eq!(commands[0]["command"], "echo shared-$((40+2)); exit 3");
    assert_eq!((&commands[0]["output"], &commands[0]["exitCode"]), (&json!("shared-42\n"), &json!(3)));
    assert_eq!(commands[0].get("excludeFromContext"), None);
    assert_eq!(commands[1]["excludeFromContext"], true);

    let mut screen = Screen::in_home(home, server, &["-c"], 40, 100);
    screen.wait_for("! echo shared-").wait_for("shared-42").wait_for("private-52").wait_for("not sent");
    screen.say("and now?").wait_for("Again.");
    let body = screen.server.requests()[2].body.to_string();
    assert!(body.contains("shared-42") && !body.contains("private"), "{body}");

    let server = Server::start([Reply::new()]);
    let home = crate::support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/config.yml", "shellPath: /nonexistent/shell\n");
    let mut screen = Screen::in_home(home, server, &[], 30, 100);
    screen.say("!echo never").wait_for("error: ").wait_for("/nonexistent/shell");
}

/// A command while the model works is read with the prompt after it.
#[test]
fn a_command_beside_the_model_waits_for_the_next_prompt() {
    let slow = Reply::new().text("slow words that take their time").delta_size(5);
    let slow = slow.stall_after_event(3, std::time::Duration::from_millis(700));
    let mut screen = Screen::new([slow, Reply::new().text("I see it.")], &[]);
    screen.say("begin").wait_for("slow");
    screen.say("!echo beside-$((40+2))").wait_for("beside-42").wait_for("their time");
    screen.terminal.wait_without("Working");
    screen.say("and?").wait_for("I see it.");
    let body = screen.server.requests()[1].body.to_string();
    let (reply, command) = (body.find("their time"), body.find("beside-42"));
    assert!(reply.is_some() && command > reply, "{body}");
}

/// Commands of the user are not those of the model: switching its tool off and intercepting its calls change nothing.
#[test]
fn the_switches_of_the_tool_do_not_count() {
    let server = Server::start([Reply::new().text("No tools.")]);
    let home = crate::support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/config.yml", "bash:\n  enabled: false\nbashInterceptor:\n  enabled: true\n");
    home.write("work/f.txt", "content-of-f\n");
    let mut screen = Screen::in_home(home, server, &[], 30, 100);
    screen.say("!cat f.txt").wait_for("content-of-f");
    screen.say("hi").wait_for("No tools.");
    let tools = screen.server.requests()[0].body["tools"].to_string();
    assert!(!tools.contains("\"bash\""), "{tools}");
}
