//! Prompts, answers and tool calls on the screen.

use std::time::Duration;

use omp_testkit::terminal::{Answers, Terminal};
use omp_testkit::{Home, ModelOptions, Reply, Server, Wire};
use serde_json::json;

use super::{Screen, last_prompt};

/// proves: TUI-001
#[test]
fn a_conversation_stays_in_the_terminal() {
    let lines: String = (1..=60).map(|line| format!("line {line} of the answer\n\n")).collect();
    let mut screen = Screen::new([Reply::new().text(&lines)], &[]);
    assert!(screen.terminal.screen().contains("omp 0."), "{}", screen.terminal.screen());
    screen.say("tell me a lot").wait_for("line 60 of the answer");
    let (terminal, server, _home) = screen.leave();
    assert_eq!(last_prompt(&server), "tell me a lot");
    let bytes = terminal.bytes();
    let text = String::from_utf8_lossy(&bytes);
    assert!(!text.contains("\x1b[?1049h"), "the alternate screen hides the conversation");
    let history = terminal.history();
    for line in 1..=60 {
        let wanted = format!("line {line} of the answer");
        assert_eq!(history.iter().filter(|row| row.trim_end() == wanted).count(), 1, "{wanted}");
    }
    let place = |wanted: &str| history.iter().position(|row| row.contains(wanted)).expect(wanted);
    assert!(place("omp 0.") < place("tell me a lot") && place("tell me a lot") < place("line 1 of"));
}

/// proves: TUI-018, TUI-020
#[test]
fn streaming_never_repaints_everything() {
    let lines: String = (1..=200).map(|line| format!("line {line} of a long answer\n\n")).collect();
    let mut screen = Screen::new([Reply::new().text(&lines).delta_size(40)], &[]);
    let before = screen.terminal.bytes().len();
    screen.say("go").wait_for("line 200 of");
    let bytes = screen.terminal.bytes()[before..].to_vec();
    let text = String::from_utf8_lossy(&bytes);
    for forbidden in ["\x1b[2J", "\x1b[3J", "\x1b[H", "\x1b[1;1H"] {
        assert!(!text.contains(forbidden), "{forbidden:?}");
    }
}

/// proves: TUI-091
#[test]
fn answers_and_tool_calls_grow_on_the_screen() {
    let command = "echo the-first-part; sleep 1; echo the-second-part";
    let mut screen = Screen::new(
        [
            Reply::new()
                .delay_before(Duration::from_millis(300))
                .text("Looking around in this place.")
                .tool_call("bash", json!({"_i": "look", "command": command}))
                .delta_size(8)
                .stall_after_event(4, Duration::from_millis(300)),
            Reply::new().text("That was it."),
        ],
        &[],
    );
    screen.say("look").wait_for("Working").wait_for("Looking a");
    assert!(!screen.terminal.screen().contains("this place"), "{}", screen.terminal.screen());
    screen.wait_for("Looking around in this place.").wait_for("echo the-first-part");
    screen.terminal.wait_until("a part of the output", |shown| shown.matches("the-first-part").count() == 2);
    assert_eq!(screen.terminal.screen().matches("the-second-part").count(), 1, "only the command has it");
    screen.wait_for("That was it.");
    let shown = screen.terminal.screen();
    assert_eq!(shown.matches("Looking around in this place.").count(), 1, "{shown}");
    assert!(shown.matches("the-second-part").count() == 2 && !shown.contains("Working"), "{shown}");
}

/// proves: TUI-092
#[test]
fn stopped_and_failed_answers_say_so() {
    let mut screen = Screen::new(
        [
            Reply::new()
                .text("the first words and more")
                .delta_size(6)
                .stall_after_event(4, Duration::from_secs(30)),
            Reply::status(400)
                .body(json!({"error": {"message": "no such thing", "type": "invalid_request_error"}})),
        ],
        &[],
    );
    screen.say("begin").wait_for("the fi");
    screen.send("\x1b").wait_for("Aborted");
    screen.say("again").wait_for("no such thing");
}

/// proves: TUI-094
#[test]
fn reads_that_follow_each_other_share_a_block() {
    let read = |name: &str| json!({"_i": "read", "path": name});
    let mut screen = Screen::new(
        [
            Reply::new()
                .tool_call("read", read("a.txt"))
                .tool_call("read", read("b.txt"))
                .tool_call("read", read("c.txt")),
            Reply::new().tool_call("bash", json!({"_i": "run", "command": "true"})),
            Reply::new().text("Read them."),
        ],
        &[],
    );
    for name in ["a", "b", "c"] {
        screen.home.write(format!("work/{name}.txt"), "text\n");
    }
    screen.say("read them").wait_for("Read them.");
    assert!(screen.terminal.screen().contains("3 files"), "{}", screen.terminal.screen());
}

/// proves: TUI-097
#[test]
fn output_is_expanded_and_thinking_hidden_by_keys() {
    let call = |command: &str| Reply::new().tool_call("bash", json!({"_i": "count", "command": command}));
    let server = Server::start([
        call("seq 101 160; sleep 2").thinking("a-deep-thought"),
        call("seq 201 260"),
        Reply::new().text("Counted."),
    ]);
    let home = Home::new();
    home.models_yml(&server, Wire::AnthropicMessages, ModelOptions::new().reasoning(true));
    let mut screen = Screen::in_home(home, server, &["--thinking", "high"], 100, 100);
    screen.say("count").wait_for("a-deep-thought").wait_for("160");
    assert!(!screen.terminal.screen().contains("111"), "{}", screen.terminal.screen());
    screen.send("\x0f").wait_for("111");
    screen.wait_for("Counted.").wait_for("211");
    screen.send("\x14").wait_for("Thinking hidden").send("\x14").wait_for("Thinking shown");
}

/// Thinking is hidden from the start by the flag, for the run only, and by the setting, which counts at once.
/// The request is the same.
///
/// proves: CLI-035, CFG-049, CFG-054
#[test]
fn thinking_is_hidden_by_flag_and_setting() {
    const CONFIG: &str = "home/.omp/agent/config.yml";
    let start = |config: &str, arguments: &[&str]| {
        let reply = || Reply::new().thinking("a-deep-thought").text("The answer.");
        let server = Server::start([reply(), Reply::new().thinking("a-second-thought").text("Another.")]);
        let home = Home::new();
        home.models_yml(&server, Wire::AnthropicMessages, ModelOptions::new().reasoning(true));
        home.write(CONFIG, config);
        let arguments = [&["--thinking", "high", "--no-title"], arguments].concat();
        let mut screen = Screen::in_home(home, server, &arguments, 60, 100);
        screen.say("think").wait_for("The answer.");
        screen
    };
    let shown = start("", &[]);
    assert!(shown.terminal.screen().contains("a-deep-thought"), "{}", shown.terminal.screen());
    let mut by_flag = start("# mine\n", &["--hide-thinking"]);
    assert!(!by_flag.terminal.screen().contains("a-deep-thought"), "{}", by_flag.terminal.screen());
    assert!(by_flag.terminal.screen().contains("Thought (Ctrl+T to show)"), "{}", by_flag.terminal.screen());
    by_flag.send("\x14").wait_for("Thinking shown").say("again").wait_for("a-second-thought");
    assert_eq!(by_flag.home.read(CONFIG), "# mine\n", "a flag is never saved");
    let mut by_setting = start("hideThinkingBlock: true\n", &[]);
    assert!(!by_setting.terminal.screen().contains("a-deep-thought"), "{}", by_setting.terminal.screen());
    by_setting.say("/settings").wait_for("Del: reset to default").send("hideThinkingBlock");
    by_setting.wait_for("  hideThinkingBlock · ").send("\r").wait_for("off  (yours)").send("\x1b\x1b");
    by_setting.wait_for("Ask anything").say("again").wait_for("a-second-thought");
    let first = |screen: &Screen| screen.server.requests()[0].body.clone();
    assert_eq!(first(&by_flag)["thinking"], first(&shown)["thinking"]);
    assert_eq!(first(&by_setting)["thinking"], first(&shown)["thinking"]);
    assert!(first(&shown)["thinking"].is_object());
}

/// Links of an answer can be clicked; where they cannot, their addresses are shown.
///
/// proves: CFG-067
#[test]
fn links_follow_the_setting() {
    let shown = |config: &str, term: &str| {
        let server = Server::start([Reply::new().text("See [the docs](https://docs.invalid/a). Done.")]);
        let home = Home::new();
        home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
        home.write("home/.omp/agent/config.yml", config);
        let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
        command.args(["--no-title", "where?"]).env("TERM", term);
        let mut terminal = Terminal::start(command, 30, 100, Answers::Kind);
        terminal.wait_for("Done.");
        let clickable = String::from_utf8_lossy(&terminal.bytes()).contains("\x1b]8;;https://docs.invalid/a");
        (clickable, terminal.screen().contains("the docs (https://docs.invalid/a)"))
    };
    assert_eq!(shown("", "xterm-256color"), (true, false));
    assert_eq!(shown("", "linux"), (false, true));
    assert_eq!(shown("tui:\n  hyperlinks: always\n", "linux"), (true, false));
    assert_eq!(shown("tui:\n  hyperlinks: \"off\"\n", "xterm-256color"), (false, true));
}

/// Ctrl+T hides and shows what was thought, not only what will be; the flag does the same from the beginning.
/// proves: TUI-097
#[test]
fn thinking_is_hidden_and_shown_everywhere() {
    let server = Server::start([Reply::new().thinking("a-deep-thought").text("Counted.")]);
    let home = Home::new();
    home.models_yml(&server, Wire::AnthropicMessages, ModelOptions::new().reasoning(true));
    let mut screen = Screen::in_home(home, server, &["--thinking", "high"], 30, 100);
    screen.say("count").wait_for("a-deep-thought").wait_for("Counted.").terminal.wait_without("Working");
    screen.send("\x14").wait_for("Thinking hidden").wait_for("Thought (Ctrl+T to show)");
    screen.terminal.wait_without("a-deep-thought");
    screen.send("\x14").wait_for("Thinking shown").wait_for("a-deep-thought");
    let (_, server, home) = screen.leave();
    let mut again = Screen::in_home(home, server, &["--continue", "--hide-thinking"], 30, 100);
    again.wait_for("Counted.").wait_for("Thought (Ctrl+T to show)");
    assert!(!again.terminal.screen().contains("a-deep-thought"), "{}", again.terminal.screen());
}

/// A turn that takes its time says how long it took and what it used.
#[test]
fn a_long_turn_is_summed_up() {
    let wait = json!({"_i": "wait", "command": "sleep 3.2"});
    let usage = |input, output| omp_testkit::Usage { input, output, cache_read: 0, cache_write: 0 };
    let replies = [
        Reply::new().tool_call("bash", wait).usage(usage(3_000, 40)),
        Reply::new().text("the-end").usage(usage(3_100, 60)),
    ];
    let mut screen = Screen::new(replies, &["--yolo"]);
    screen.say("wait").wait_for("the-end").wait_for("Done in ").wait_for("6,100 tokens in, 100 out");
    screen.leave();
}
