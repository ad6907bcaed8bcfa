//! The plain interface: lines, no drawing.

use omp_testkit::terminal::{Answers, Terminal};
use omp_testkit::{Home, Reply, Scenario, Server, Wire};
use serde_json::json;

use crate::support;

pub(super) struct Lines {
    terminal: Terminal,
    server: Server,
    home: Home,
}

fn plain(replies: impl Into<Scenario>, arguments: &[&str]) -> Lines {
    let server = Server::start(replies);
    let home = support::home(&server, Wire::OpenAiCompletions);
    again(home, server, arguments)
}

pub(super) fn again(home: Home, server: Server, arguments: &[&str]) -> Lines {
    let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
    command.arg("--plain-ui").args(arguments);
    let mut terminal = Terminal::start(command, 50, 100, Answers::Kind);
    terminal.wait_for("Type a prompt");
    Lines { terminal, server, home }
}

impl Lines {
    pub(super) fn wait_for(&mut self, text: &str) -> &mut Self {
        self.terminal.wait_for(text);
        self
    }

    /// Types a line once the program waits for one.
    pub(super) fn say(&mut self, line: &str) -> &mut Self {
        self.wait_for("> ").terminal.send(format!("{line}\n"));
        self
    }

    fn answer(&mut self, line: &str) -> &mut Self {
        std::thread::sleep(super::PAUSE);
        self.terminal.send(format!("{line}\n"));
        self
    }

    /// Leaves with Ctrl+D. Nothing that was written moved the cursor or had a colour.
    pub(super) fn leave(mut self) -> (Server, Home) {
        self.terminal.wait_until("the prompt", |shown| shown.trim_end().ends_with('>')).send("\x04");
        assert!(self.terminal.wait_exit().success(), "{}", self.terminal.screen());
        assert!(!self.terminal.bytes().contains(&0x1b), "{}", self.terminal.screen());
        (self.server, self.home)
    }
}

#[test]
fn a_conversation_in_lines() {
    let mut lines = plain(
        [
            Reply::new()
                .thinking("hm")
                .text("I look first.")
                .tool_call("bash", json!({"_i": "x", "command": "echo from-tool"})),
            Reply::new().text("The first line.\nThe **second** \u{1b}[31mline\u{1b}[m."),
        ],
        &[],
    );
    lines.say("look around").wait_for("I look first.").wait_for("bash: echo from-tool");
    lines
        .wait_for("bash is done")
        .wait_for("  from-tool")
        .wait_for("The first line.\nThe **second** ␛[31mline␛[m.");
    let (server, home) = lines.leave();
    server.finish();
    assert_eq!(crate::sessions::session_files(&home).len(), 1);

    // Resumed, everything is heard again.
    let server = Server::start([Reply::new()]);
    let mut lines = again(home, server, &["-c"]);
    lines.wait_for("You: look around").wait_for("bash is done").wait_for("The **second** ␛[31mline␛[m.");
    lines.leave();
}

#[test]
fn it_is_wanted_by_a_flag_a_variable_or_the_terminal() {
    for (name, value, wanted) in [
        ("ACCESSIBLE", "1", true),
        ("TERM", "dumb", true),
        ("ACCESSIBLE", "0", false),
        ("TERM", "xterm", false),
    ] {
        let server = Server::start([Reply::new()]);
        let home = support::home(&server, Wire::OpenAiCompletions);
        let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
        command.env(name, value);
        let mut terminal = Terminal::start(command, 30, 100, Answers::Kind);
        terminal.wait_for(if wanted { "Type a prompt" } else { "Ask anything" });
    }
}

#[test]
fn calls_questions_and_plans_are_answered_by_number() {
    let bash = |command: &str| Reply::new().tool_call("bash", json!({"_i": "run", "command": command}));
    let question = json!({"_i": "ask", "questions": [{
        "id": "colour", "question": "Which colour?",
        "options": [{"label": "Red", "description": "like fire"}, {"label": "Blue"}],
    }]});
    let mut lines = plain(
        [
            bash("touch refused"),
            bash("touch allowed"),
            Reply::new().tool_call("ask", question),
            Reply::new().text("All answered."),
        ],
        &["--approval-mode", "always-ask"],
    );
    lines.say("go").wait_for("touch refused").wait_for("1. Yes, this once").wait_for("Number or name:");
    lines.answer("9").wait_for("no option 9");
    lines.answer("no").wait_for("bash was not allowed.");
    lines.wait_for("Command: touch allowed").answer("1").wait_for("bash is done");
    lines.wait_for("Which colour?").wait_for("1. Red - like fire").answer("blue").wait_for("All answered.");
    assert!(!lines.home.exists("work/refused") && lines.home.exists("work/allowed"));
    let body = lines.server.requests()[3].body.to_string();
    assert!(body.contains("Blue"), "{body}");
    lines.leave();
}

/// An edit is agreed to for the session in lines, too.
#[test]
fn edits_are_agreed_to_with_a_scope_in_lines() {
    let write =
        |path: &str| Reply::new().tool_call("write", json!({"_i": "x", "path": path, "content": "new"}));
    let mut lines = plain(
        [write("one.txt"), write("two.txt"), Reply::new().text("Both written.")],
        &["--approval-mode", "always-ask"],
    );
    lines.say("go").wait_for("2. Yes, for this session - all edits of files in the workspace");
    lines.wait_for("4. Yes, always in every project").answer("2").wait_for("Both written.");
    assert!(lines.home.exists("work/one.txt") && lines.home.exists("work/two.txt"));
    lines.leave();
}

/// A refusal can carry words for the model.
// proves: SEC-030
#[test]
fn a_refusal_in_lines_has_words() {
    let call = Reply::new().tool_call("bash", json!({"_i": "run", "command": "touch one"}));
    let mut lines = plain([call, Reply::new().text("I see.")], &["--approval-mode", "always-ask"]);
    lines.say("go").wait_for("Refuse and tell the model why").answer("refuse").wait_for("do instead?");
    lines.answer("touch two instead").wait_for("I see.");
    let body = lines.server.requests()[1].body.to_string();
    assert!(body.contains("The user says: touch two instead"), "{body}");
    assert!(!lines.home.exists("work/one"));
    lines.leave();
}

#[test]
fn commands_and_the_shell_work() {
    let mut lines = plain([Reply::new().text("I see."), Reply::new().text("New.")], &[]);
    lines.say("!echo shared-$((40+2)); exit 4").wait_for("shared-42").wait_for("exit code 4");
    lines.say("!!echo private-$((40+2))").wait_for("private-42");
    lines.say("what was that?").wait_for("I see.");
    let body = lines.server.requests()[0].body.to_string();
    assert!(body.contains("shared-42") && !body.contains("private"), "{body}");
    lines.say("/session").wait_for("Session");
    lines.say("/settings").wait_for("/settings needs");
    lines.say("/usage").wait_for("No account that reports its quota");
    lines.say("/usage reset").wait_for("available yet");
    lines.say("/drop").wait_for("Delete this session").answer("1").wait_for("Session kept");
    assert_eq!(crate::sessions::session_files(&lines.home).len(), 1);
    lines.say("/new").wait_for("New session started");
    lines.say("hello").wait_for("New.");
    assert!(!lines.server.requests()[1].body.to_string().contains("what was that?"));
    lines.say("/resume").wait_for("Which session?").answer("2").wait_for("You: what was that?");
    lines.wait_for("Session resumed").say("/exit");
    assert!(lines.terminal.wait_exit().success());
}

#[test]
fn control_c_stops_the_model_and_then_leaves() {
    let slow = Reply::new().text("slow\nwords that take their time").delta_size(5);
    let mut lines = plain([slow.stall_after_event(4, std::time::Duration::from_secs(30))], &[]);
    lines.say("begin").wait_for("slow");
    lines.answer("quickly please").wait_for("reads this at its next step");
    lines.terminal.send("\x03");
    lines.wait_for("Stopped.");
    lines.terminal.wait_until("the prompt", |shown| shown.trim_end().ends_with('>')).send("\x03");
    lines.wait_for("again to exit").terminal.send("\x03");
    assert!(lines.terminal.wait_exit().success(), "{}", lines.terminal.screen());
}

/// What is typed while the model works is words for it, unless it is a command.
#[test]
fn commands_are_answered_while_the_model_works() {
    let slow = Reply::new().text("slow\nwords that take their time").delta_size(5);
    let mut lines = plain([slow.stall_after_event(4, std::time::Duration::from_secs(30))], &[]);
    lines.say("begin").wait_for("slow");
    lines.answer("/tools").wait_for("Tools of the model (* can be called now)");
    lines.answer("/settings").wait_for("Something is still running");
    lines.answer("!ls").wait_for("Shell commands run when the model is done");
    lines.answer("/exit");
    assert!(lines.terminal.wait_exit().success(), "{}", lines.terminal.screen());
    assert!(!lines.server.requests()[0].body.to_string().contains("/tools"));
}

#[test]
fn a_goal_is_steered_by_words_in_lines_too() {
    let server = Server::start([Reply::new().text("on my way")]);
    let home = support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/config.yml", "goal:\n  continuationModes: []\n");
    let mut lines = again(home, server, &[]);
    lines.say("/goal set").wait_for("What is the goal?");
    lines.say("/goal set reach the moon").wait_for("on my way");
    lines.say("/goal budget some").wait_for("is not a valid budget");
    lines.say("/goal budget 5k").wait_for("Budget set");
    lines.say("/goal show").wait_for("Goal (active): reach the moon");
    let (server, _) = lines.leave();
    server.finish();
}

/// Ctrl+C also stops a command that asks a model.
#[test]
fn control_c_stops_a_command() {
    let numbers: Vec<String> = (100..250).map(|number| number.to_string()).collect();
    let long = |name: &str| Reply::new().text(&format!("{name} {}", numbers.join(" ")));
    let slow = Reply::new().text("a summary").delay_before(std::time::Duration::from_secs(30));
    let server = Server::start([long("first-answer"), long("second-answer"), slow]);
    let home = support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/config.yml", "compaction:\n  keepRecentTokens: 350\n");
    let mut lines = again(home, server, &[]);
    let is_free = |shown: &str| shown.trim_end().ends_with('>');
    lines.say("one").wait_for("first-answer").terminal.wait_until("the prompt", is_free);
    lines.answer("two").wait_for("second-answer").terminal.wait_until("the prompt", is_free);
    lines.answer("/compact");
    lines.server.wait_for_requests(3, support::LIMIT);
    lines.terminal.send("\x03");
    lines.wait_for("Stopped");
    lines.leave();
}

/// A file that a line mentions goes with it.
// proves: IOP-010
#[test]
fn a_mentioned_file_is_attached() {
    let mut lines = plain([Reply::new().text("seen")], &[]);
    lines.home.write("work/src/a.ts", "export const answer = 42;");
    lines.say("look at @src/a.ts").wait_for("seen");
    let (server, _home) = lines.leave();
    let said = server.requests()[0].body["messages"].to_string();
    assert!(said.contains("look at @src/a.ts") && said.contains("export const answer = 42;"), "{said}");
    server.finish();
}

/// Extensions ask in lines and say lines; what they would place on a screen is left out, and a component is none.
#[test]
fn extensions_speak_in_lines() {
    let server = Server::start([Reply::new().text("as you like")]);
    let home = support::home(&server, Wire::OpenAiCompletions);
    home.write(
        "home/.omp/agent/extensions/mine.ts",
        r#"export default (pi) => {
          pi.registerCommand("ask", { handler: async (args, ctx) => {
            ctx.ui.setStatus("key", "never seen");
            const fruit = await ctx.ui.select("Which fruit?", ["Apple", "Pear"]);
            const sure = await ctx.ui.confirm("Really?", "");
            const nothing = await ctx.ui.custom(() => ({ render: () => ["never drawn"] }));
            ctx.ui.notify(`\x1b[31m${fruit} ${sure} ${nothing} ${ctx.hasUI}\x1b[0m`);
            pi.sendUserMessage("now this");
          } });
        };"#,
    );
    let mut lines = again(home, server, &[]);
    lines.say("/ask").wait_for("2. Pear");
    lines.answer("2").wait_for("Really?");
    lines.answer("yes").wait_for("Pear true undefined true").wait_for("as you like");
    let shown = lines.terminal.screen();
    assert!(!shown.contains("never"), "{shown}");
    lines.leave().0.finish();
}
