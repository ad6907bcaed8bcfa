//! What a small model does beside the conversation: names of sessions, questions on the side.

use std::time::Duration;

use omp_testkit::{Home, ModelOptions, RecordedRequest, Reply, Scenario, Server, Wire};
use serde_json::{Value, json};

use super::Screen;
use crate::support;

const LIMIT: Duration = Duration::from_secs(20);

/// Does a request ask for a name?
fn asks_for_name(request: &RecordedRequest) -> bool {
    request.body["tools"]
        .as_array()
        .is_some_and(|tools| tools.iter().any(|tool| tool["function"]["name"] == "set_title"))
}

fn named(name: &str) -> Reply {
    Reply::new().tool_call("set_title", json!({"title": name}))
}

/// A program that may ask for names.
fn screen(home: Home, server: Server, arguments: &[&str]) -> Screen {
    let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
    command.args(arguments).env_remove("PI_NO_TITLE");
    Screen::with(command, home, server, 40, 110)
}

fn titled(name: &str) -> Vec<u8> {
    format!("omp: {name}").into_bytes()
}

fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks.iter().filter_map(|block| block["text"].as_str()).collect(),
        _ => String::new(),
    }
}

fn system_of(request: &RecordedRequest) -> String {
    let messages = request.body["messages"].as_array().expect("messages");
    let system =
        messages.iter().filter(|message| message["role"] == "system" || message["role"] == "developer");
    system.map(|message| text_of(&message["content"])).collect()
}

fn header(home: &Home) -> Value {
    let files = home.list_files();
    let file = files.iter().find(|file| file.ends_with(".jsonl")).expect("a session file");
    let text = home.read(file);
    serde_json::from_str(text.lines().next().expect("a header")).expect("JSON")
}

/// proves: CLI-268
#[test]
fn a_session_is_named_once_beside_its_first_real_message() {
    let server = Server::start(Scenario::dynamic(|request| match asks_for_name(request) {
        true => named("Fix the login page"),
        false => Reply::new().text("An answer."),
    }));
    let home = support::home(&server, Wire::OpenAiCompletions);
    let mut screen = screen(home, server, &[]);
    screen.say("Hello there!").wait_for("An answer.");
    assert!(!screen.server.requests().iter().any(asks_for_name), "a greeting says nothing about the work");
    screen.say("the login page is broken");
    screen.terminal.wait_for_bytes(&titled("Fix the login page"));
    screen.terminal.wait_until("two answers", |shown| shown.matches("An answer.").count() == 2);
    screen.say("now the other page");
    screen.terminal.wait_until("three answers", |shown| shown.matches("An answer.").count() == 3);
    let (_, server, home) = screen.leave();
    let requests = server.requests();
    let asked: Vec<&RecordedRequest> = requests.iter().filter(|request| asks_for_name(request)).collect();
    assert_eq!((asked.len(), requests.len()), (1, 4), "one request for a name, three for answers");
    let body = &asked[0].body;
    assert_eq!(support::last_user(body), "the login page is broken");
    assert_eq!(body["tool_choice"]["function"]["name"], "set_title", "the call is demanded");
    let header = header(&home);
    assert_eq!((&header["title"], &header["titleSource"]), (&json!("Fix the login page"), &json!("auto")));
    server.assert_clean();
}

/// The name is late, and nobody waits for it: neither the answer nor the end of the program.
#[test]
fn a_turn_does_not_wait_for_a_name() {
    let server = Server::start(Scenario::dynamic(|request| match asks_for_name(request) {
        true => named("Too late").delay_before(Duration::from_secs(60)),
        false => Reply::new().text("An answer."),
    }));
    let home = support::home(&server, Wire::OpenAiCompletions);
    let mut screen = screen(home, server, &[]);
    screen.say("mend the fence").wait_for("An answer.").terminal.wait_without("Working");
    let (_, server, home) = screen.leave();
    assert_eq!(server.requests().iter().filter(|request| asks_for_name(request)).count(), 1);
    assert_eq!(header(&home)["title"], Value::Null);
}

#[test]
fn nobody_is_asked_for_a_name_where_none_is_wanted() {
    for (arguments, variable) in [(["--no-title"].as_slice(), None), (&[], Some("0"))] {
        let server = Server::start([Reply::new().text("An answer.")]);
        let home = support::home(&server, Wire::OpenAiCompletions);
        let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
        command.args(arguments).env_remove("PI_NO_TITLE");
        if let Some(value) = variable {
            command.env("PI_NO_TITLE", value);
        }
        let mut screen = Screen::with(command, home, server, 30, 100);
        screen.say("mend the fence").wait_for("An answer.").terminal.wait_without("Working");
        let (_, server, _home) = screen.leave();
        assert_eq!(server.requests().len(), 1, "{arguments:?}");
        server.finish();
    }
    // The program that prints ends with its answer, so it asks for no name.
    let server = Server::start([Reply::new().text("An answer.")]);
    let home = support::home(&server, Wire::OpenAiCompletions);
    let mut command = support::omp(&home, &["-p", "mend the fence"]);
    omp_testkit::run(command.env_remove("PI_NO_TITLE"), None, support::LIMIT).assert_success();
    server.finish();
}

/// proves: CFG-094
#[test]
fn title_system_files_replace_the_instructions_for_names_alone() {
    let places = ["work/.omp", "work/.claude", "home/.omp/agent", "home/.codex"];
    let mut told = Vec::new();
    for first in 0..=places.len() {
        let server = Server::start(Scenario::dynamic(|request| match asks_for_name(request) {
            true => named("A fine name"),
            false => Reply::new().text("An answer."),
        }));
        let home = support::home(&server, Wire::OpenAiCompletions);
        for place in &places[first..] {
            home.write(format!("{place}/TITLE_SYSTEM.md"), format!("Name it as {place} would.\n"));
        }
        let mut screen = screen(home, server, &[]);
        screen.say("mend the fence").wait_for("An answer.");
        screen.terminal.wait_for_bytes(&titled("A fine name"));
        let (_, server, _home) = screen.leave();
        let requests = server.requests();
        let (asking, answering): (Vec<_>, Vec<_>) =
            requests.iter().partition(|request| asks_for_name(request));
        told.push(system_of(asking[0]));
        let main = system_of(answering[0]);
        assert!(!main.contains("Name it as") && main.contains("work"), "{main}");
    }
    let built_in = told.pop().expect("the last one");
    let wanted: Vec<String> = places.iter().map(|place| format!("Name it as {place} would.")).collect();
    assert_eq!(told, wanted);
    assert!(built_in.contains("three to seven words"), "{built_in}");
}

/// Where a call cannot be demanded, the name comes as text, and the user's instructions get the form of it behind them.
#[test]
fn names_come_as_text_where_calls_cannot_be_demanded() {
    for (answer, own) in [("<title>Mend the fence", false), ("Mend the fence.", true)] {
        let server =
            Server::start(Scenario::dynamic(move |request| match system_of(request).contains("<title>") {
                true => Reply::new().text(answer),
                false => Reply::new().text("An answer."),
            }));
        let home = Home::new();
        let options = ModelOptions::new().model("compat: {supportsToolChoice: false}");
        home.models_yml(&server, Wire::OpenAiCompletions, options);
        if own {
            home.write("home/.omp/agent/TITLE_SYSTEM.md", "Call it something.\n");
        }
        let mut screen = screen(home, server, &[]);
        screen.say("the fence is broken").wait_for("An answer.");
        screen.terminal.wait_for_bytes(&titled("Mend the fence"));
        let (_, server, _home) = screen.leave();
        let requests = server.requests();
        let asking =
            requests.iter().find(|request| system_of(request).contains("<title>")).expect("a request");
        assert_eq!(asking.body["tools"], Value::Null);
        let system = system_of(asking);
        assert_eq!(system.starts_with("Call it something.\n\n"), own, "{system}");
    }
}

fn is_aside(request: &RecordedRequest) -> bool {
    text_of(support::last_user(&request.body)).starts_with("This is a question on the side")
}

/// The answer is on the screen while a turn runs, and nothing of it is in the conversation.
/// proves: CLI-212
#[test]
fn a_question_on_the_side_leaves_no_trace() {
    let server = Server::start(Scenario::dynamic(|request| {
        let asked = text_of(support::last_user(&request.body));
        match asked {
            asked if asked.contains("never answered") => Reply::new()
                .text("slow words and more")
                .delta_size(5)
                .stall_after_event(3, Duration::from_secs(60)),
            asked if asked.contains("which file") => Reply::new().text("It is **main.rs**."),
            asked if asked.contains("work on it") && !is_last_a_result(request) => Reply::new()
                .tool_call("bash", json!({"_i": "wait", "command": "until [ -e go ]; do sleep 0.05; done"})),
            _ => Reply::new().text("The work is done."),
        }
    }));
    let home = support::home(&server, Wire::OpenAiCompletions);
    let mut screen = Screen::in_home(home, server, &[], 40, 110);
    screen.say("/btw ").wait_for("Usage: /btw <question>");
    screen.say("work on it").wait_for("until [ -e go ]");
    screen.say("/btw which file is it?").wait_for("It is main.rs.");
    let shown = screen.terminal.screen();
    assert!(shown.contains("btw which file is it?") && shown.contains("Working"), "{shown}");
    let requests = screen.server.requests();
    let aside = requests.iter().find(|request| is_aside(request)).expect("a side question");
    assert_eq!(aside.body["tool_choice"], "none");
    let said = aside.body["messages"].to_string();
    assert!(said.contains("work on it") && said.contains("until [ -e go ]"), "{said}");
    let file = session_file(&screen.home);
    let before = screen.home.read(&file);

    // A new one takes its place, and the model that answered the one before is stopped with it.
    screen.say("/btw the first, never answered").wait_for("slow w");
    assert!(!screen.terminal.screen().contains("main.rs"), "{}", screen.terminal.screen());
    screen.say("/btw the second, never answered").wait_for("btw the second").wait_for("slow w");
    screen.server.wait_for_disconnects(1, LIMIT);
    screen.terminal.wait_without("btw the first").wait_for("slow w");
    screen.send("\x1b").terminal.wait_without("btw the second");
    screen.server.wait_for_disconnects(2, LIMIT);
    assert!(screen.terminal.screen().contains("Working"), "the turn goes on: {}", screen.terminal.screen());
    assert_eq!(screen.home.read(&file), before, "nothing was written");

    screen.home.write("work/go", "");
    screen.wait_for("The work is done.");
    let last = screen.server.requests().pop().expect("a request");
    assert!(!last.body.to_string().contains("which file"), "{}", last.body);
    let (_, server, home) = screen.leave();
    let kept = home.read(&file);
    assert!(!kept.contains("which file") && !kept.contains("never answered"), "{kept}");
    server.assert_clean();
}

fn is_last_a_result(request: &RecordedRequest) -> bool {
    request.body["messages"].as_array().and_then(|all| all.last()).is_some_and(|last| last["role"] == "tool")
}

fn session_file(home: &Home) -> String {
    home.list_files().into_iter().find(|file| file.ends_with(".jsonl")).expect("a session file")
}

/// The small model is asked, and where the conversation is too much for it, the session's own.
#[test]
fn side_questions_go_to_the_small_model_first() {
    let own = Server::start([Reply::new().text("A long story."), Reply::new().text("From the large one.")]);
    let small = Server::start([
        Reply::new().text("From the small one."),
        Reply::status(400)
            .body(json!({"error": {"message": "This model's maximum context length is 100 tokens",
            "type": "invalid_request_error", "code": "context_length_exceeded"}})),
    ]);
    let home = Home::new();
    let provider = |name: &str, server: &Server| {
        format!(
            "  {name}:\n    baseUrl: {}\n    api: openai-completions\n    apiKey: test-key\n    models: [{{id: m}}]\n",
            server.base_url_for(Wire::OpenAiCompletions)
        )
    };
    let file = format!("providers:\n{}{}", provider("own", &own), provider("small", &small));
    home.write("home/.omp/agent/models.yml", file);
    home.write("home/.omp/agent/config.yml", "modelRoles:\n  default: own/m\n  smol: small/m\n");
    let mut screen = Screen::in_home(home, own, &[], 40, 110);
    screen.say("tell me").wait_for("A long story.");
    screen.say("/btw who?").wait_for("From the small one.");
    screen.say("/btw who else?").wait_for("From the large one.");
    let (_, own, _home) = screen.leave();
    own.finish();
    small.finish();
}

/// proves: CLI-194
#[test]
fn statistics_are_served_while_the_program_runs() {
    let mut screen = Screen::sized([Reply::new().text("An answer.")], &[], 40, 110);
    screen.say("mend the fence").wait_for("An answer.").terminal.wait_without("Working");
    screen.say("/stats --port x").wait_for("Usage: /stats [--port n]");
    screen.say("/stats --port 0").wait_for("Statistics: http://127.0.0.1:");
    let shown = screen.terminal.screen();
    let address = shown
        .split("Statistics: http://")
        .nth(1)
        .and_then(|rest| rest.split('/').next())
        .expect("an address");
    let page = crate::stats::get(address, "/stats.json");
    let body: Value = serde_json::from_str(page.split("\r\n\r\n").nth(1).expect("a body")).expect("JSON");
    assert_eq!(body["total"]["requests"], 1);
    // Asked for again, it is where it was, also from another session.
    screen.say("/new").wait_for("New session started");
    screen.say("/stats");
    let address = address.to_owned();
    screen
        .terminal
        .wait_until("the same address", |shown| shown.contains(&format!("Statistics: http://{address}/")));
    assert!(crate::stats::get(&address, "/").contains("<svg"));
    screen.leave();
    assert!(std::net::TcpStream::connect(address.as_str()).is_err(), "it ends with the program");
}

/// What is typed while a turn runs comes at the same place when it is played.
#[test]
fn steering_in_a_terminal_is_recorded_and_played() {
    let server = Server::start(Scenario::dynamic(|request| {
        let said = request.body["messages"].to_string();
        match (said.contains("work on it"), said.contains("be quick"), said.contains("and then rest")) {
            (_, false, _) => {
                Reply::new().tool_call("bash", json!({"_i": "wait", "command": "touch begun; sleep 1000"}))
            }
            (_, true, false) => Reply::new().text("Quickly done."),
            _ => Reply::new().text("Resting."),
        }
    }));
    let home = support::home(&server, Wire::OpenAiCompletions);
    let mut screen = Screen::in_home(home, server, &["--record", "bug.jsonl"], 40, 110);
    screen.say("work on it");
    // The tool never ends by itself: what is typed cuts it short, wherever it is then.
    super::wizard::eventually("the tool runs", || screen.home.path("work/begun").exists());
    screen.say("be quick");
    screen.wait_for("Quickly done.").terminal.wait_without("Working");
    screen.say("and then rest").wait_for("Resting.").terminal.wait_without("Working");
    let (_, _server, home) = screen.leave();
    let played = support::omp_run(&home, &["replay", "bug.jsonl"]);
    played.assert_success();
    assert!(played.stdout.contains("Replayed 3 requests"), "{}", played.stdout);
}
