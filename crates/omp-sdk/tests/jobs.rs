//! Background jobs and terminals, as a program that embeds a session meets them.

use std::sync::{Arc, Mutex};

use omp_sdk::{
    Audience, Directories, Environment, JobStatus, Listener, Prompt, PtyView, Ptys, Session, SessionOptions,
    TerminalOptions, ToolFilter,
};
use omp_shell::pty::{Size, Terminal};
use omp_testkit::{Home, ModelOptions, Reply, Server, Wire};
use omp_types::AgentEvent;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// The variables that a test sets.
struct Variables(Vec<(&'static str, &'static str)>);

impl Environment for Variables {
    fn var(&self, name: &str) -> Option<String> {
        if name == "PI_BASH_NO_LOGIN" {
            return Some("1".to_owned()); // The machine's own start files have no say here.
        }
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    }
}

#[derive(Clone, Default)]
struct Silent;

impl Listener for Silent {
    fn event(&mut self, _event: AgentEvent) {}
}

fn options(home: &Home, variables: &[(&'static str, &'static str)]) -> SessionOptions {
    let root = home.home_dir().display().to_string();
    let directories = Directories::resolve(|name| (name == "HOME").then(|| root.clone())).unwrap();
    SessionOptions {
        tools: ToolFilter::Only(vec!["bash".into(), "job".into()]),
        ..SessionOptions::new(home.work_dir(), directories, Arc::new(Variables(variables.to_vec())))
    }
}

fn bash(arguments: Value) -> Reply {
    let mut arguments = arguments;
    arguments["_i"] = "x".into();
    Reply::new().tool_call("bash", arguments)
}

fn world(config: &str, replies: Vec<Reply>) -> (Server, Home) {
    let server = Server::start(replies);
    let home = Home::new();
    home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
    home.write("home/.omp/agent/config.yml", config);
    (server, home)
}

const ASYNC: &str = "async:\n  enabled: true\n";

/// The last message that a request ends with.
fn last_message(server: &Server, request: usize) -> String {
    let body = &server.requests()[request].body;
    body["messages"].as_array().unwrap().last().unwrap()["content"].to_string()
}

async fn ask(session: &Session, words: &str) {
    session.prompt(Prompt::text(words), CancellationToken::new()).await.unwrap();
}

/// The loop rests: the program learns of the result and begins a turn with it.
#[tokio::test]
async fn a_resting_session_says_that_a_result_waits() {
    let replies = vec![
        bash(json!({"command": "while [ ! -e end ]; do sleep 0.01; done; echo made", "async": true})),
        Reply::new().text("started"),
        Reply::new().text("thanks"),
    ];
    let (server, home) = world(ASYNC, replies);
    let session = Session::open(options(&home, &[]), Box::new(Silent)).await.unwrap();
    ask(&session, "go").await;
    assert_eq!(session.jobs().list().iter().map(|job| job.status).collect::<Vec<_>>(), [JobStatus::Running]);
    let nothing = session.jobs().deliver(CancellationToken::new()).await.unwrap();
    assert!(nothing.is_none(), "nothing has ended");
    home.write("work/end", "");
    session.jobs().results().await;
    let outcome = session.jobs().deliver(CancellationToken::new()).await.unwrap().expect("a turn");
    assert_eq!(outcome.last_answer().unwrap().texts().collect::<String>(), "thanks");
    assert!(last_message(&server, 2).contains("completed after"), "{}", last_message(&server, 2));
    let again = session.jobs().deliver(CancellationToken::new()).await.unwrap();
    assert!(again.is_none(), "once");
    assert!(session.jobs().next(&CancellationToken::new()).await.unwrap().is_none());
    assert_eq!(session.close().await, [""; 0]);
    server.finish();
}

/// A prompt takes along what has come meanwhile.
#[tokio::test]
async fn the_next_prompt_brings_the_result() {
    let replies = vec![
        bash(json!({"command": "while [ ! -e end ]; do sleep 0.01; done; echo made", "async": true})),
        Reply::new().text("started"),
        Reply::new().text("I see"),
    ];
    let (server, home) = world(ASYNC, replies);
    let session = Session::open(options(&home, &[]), Box::new(Silent)).await.unwrap();
    ask(&session, "go").await;
    home.write("work/end", "");
    session.jobs().results().await;
    ask(&session, "and now?").await;
    let body = server.requests()[2].body.to_string();
    assert_eq!(body.matches("completed after").count(), 1, "{body}");
    assert!(last_message(&server, 2).contains("and now?"), "before the user's words");
    session.close().await;
    server.finish();
}

/// An abort of the turn leaves jobs alone; the end of the session does not, and says so.
#[tokio::test]
async fn jobs_outlive_the_turn_and_not_the_session() {
    let replies = vec![
        bash(json!({"command": "sleep 300", "async": true})),
        Reply::new().text("started"),
        Reply::new().text("ok"),
    ];
    let (server, home) = world(ASYNC, replies);
    let session = Session::open(options(&home, &[]), Box::new(Silent)).await.unwrap();
    ask(&session, "go").await;
    session.control().abort();
    ask(&session, "still there?").await;
    assert_eq!(session.jobs().list()[0].status, JobStatus::Running);
    let cancelled = CancellationToken::new();
    cancelled.cancel();
    assert!(session.jobs().next(&cancelled).await.unwrap().is_none(), "who gives up does not wait");
    let said = session.close().await;
    assert!(said.len() == 1 && said[0].ends_with("was still running and was stopped: sleep 300"), "{said:?}");
    server.finish();
}

/// Without the settings there is no list of jobs.
#[tokio::test]
async fn without_the_settings_nothing_runs_in_the_background() {
    let job = Reply::new().tool_call("job", json!({"_i": "x", "list": true}));
    let (server, home) = world("", vec![job, Reply::new().text("none")]);
    let session = Session::open(options(&home, &[]), Box::new(Silent)).await.unwrap();
    ask(&session, "go").await;
    assert!(
        last_message(&server, 1).contains("Async execution is disabled; no background jobs are available.")
    );
    assert!(session.jobs().list().is_empty());
    server.finish();
}

/// Somebody who looks at terminals.
#[derive(Default)]
struct Screen(Mutex<usize>);

impl PtyView for Screen {
    fn size(&self) -> Size {
        Size::default()
    }

    fn show(&self, _command: &str, _terminal: Terminal) -> Box<dyn Send> {
        *self.0.lock().unwrap() += 1;
        Box::new(())
    }
}

/// proves: SHL-033
#[tokio::test]
async fn a_terminal_needs_three_things() {
    let cases = [
        (true, None, Ptys::Allowed, true, "terminal"),
        (true, Some("0"), Ptys::Allowed, true, "terminal"),
        (false, None, Ptys::Allowed, true, "pipe"),
        (true, Some("1"), Ptys::Allowed, true, "pipe"),
        (true, None, Ptys::Never, true, "pipe"),
        (true, None, Ptys::Allowed, false, "pipe"),
    ];
    futures_util::future::join_all(cases.map(|(wanted, variable, ptys, somebody, expected)| async move {
        let command = json!({"command": "test -t 1 && echo terminal || echo pipe", "pty": wanted});
        let (server, home) = world("", vec![bash(command), Reply::new().text("ok")]);
        let variables: Vec<_> = variable.map(|value| ("PI_NO_PTY", value)).into_iter().collect();
        let screen = Arc::new(Screen::default());
        let view = somebody.then(|| Arc::clone(&screen) as Arc<dyn PtyView>);
        let terminal = TerminalOptions { view, ptys, ..TerminalOptions::default() };
        let options = SessionOptions { terminal, ..options(&home, &variables) };
        let session = Session::open(options, Box::new(Silent)).await.unwrap();
        ask(&session, "go").await;
        let case = format!("{wanted} {variable:?} {ptys:?} {somebody}");
        let result = last_message(&server, 1);
        assert!(result.starts_with(&format!("\"{expected}")), "{case}: {result}");
        assert_eq!(*screen.0.lock().unwrap(), usize::from(expected == "terminal"), "{case}");
        session.close().await;
        server.finish();
    }))
    .await;
}

/// Calls of one turn overlap, unless one of them needs the terminal.
/// proves: SHL-032
#[tokio::test]
async fn commands_run_beside_each_other_and_terminals_alone() {
    // Each waits for the other.
    let meet = |mine: &str, other: &str| json!({"_i": "x", "command": format!("touch {mine}; while [ ! -e {other} ]; do sleep 0.01; done; echo met")});
    let both = Reply::new().tool_call("bash", meet("a", "b")).tool_call("bash", meet("b", "a"));
    // The middle one looks for the others.
    let busy = |name: &str| json!({"_i": "x", "command": format!("touch {name}; sleep 0.1; rm {name}")});
    let look = json!({"_i": "x", "command": "sleep 0.1; ls -1", "pty": true});
    let three = Reply::new()
        .tool_call("bash", busy("first"))
        .tool_call("bash", look)
        .tool_call("bash", busy("third"));
    let (server, home) = world("", vec![both, three, Reply::new().text("ok")]);
    let view = Some(Arc::new(Screen::default()) as Arc<dyn PtyView>);
    let terminal = TerminalOptions { view, ..TerminalOptions::default() };
    let options = SessionOptions { terminal, ..options(&home, &[]) };
    let session = Session::open(options, Box::new(Silent)).await.unwrap();
    ask(&session, "go").await;
    let body = &server.requests()[2].body;
    let messages = body["messages"].as_array().unwrap().iter();
    let results: Vec<&str> = messages
        .filter(|message| message["role"] == "tool")
        .map(|message| message["content"].as_str().unwrap().split("\n\n").next().unwrap())
        .collect();
    assert_eq!(results, ["met", "met", "(no output)", "a\nb", "(no output)"]);
    session.close().await;
    server.finish();
}

/// A command of the user runs as it was typed, in the model's shell, whether the model has the tool or not.
#[tokio::test]
async fn a_user_runs_commands_too() {
    let config = "bash:\n  enabled: false\nbashInterceptor:\n  enabled: true\nasync:\n  enabled: true\n";
    let (server, home) = world(config, vec![Reply::new().text("ok")]);
    let session = Session::open(options(&home, &[]), Box::new(Silent)).await.unwrap();
    ask(&session, "go").await;
    let offered = server.requests()[0].body["tools"].to_string();
    assert!(!offered.contains("\"bash\"") && offered.contains("\"job\""), "{offered}");
    home.write("work/f", "1\n2\n3\n");
    let never = CancellationToken::new();
    let run = async |command: &str| {
        session.shell().run(command, Audience::User, None, &never, |_| {}).await.unwrap()
    };
    let first = run("x=1; cat f | head -1").await;
    assert_eq!((first.output.as_str(), first.exit_code), ("1\n", Some(0)), "neither refused nor tidied up");
    let second = run("echo $x; exit 3").await;
    assert_eq!((second.output.as_str(), second.exit_code, second.cancelled), ("1\n", Some(3), false));
    let long = run("seq 100000").await;
    assert!(long.truncated && long.total_lines == 100_000 && long.artifact_id.is_some(), "{long:?}");
    session.close().await;
    server.finish();
}

/// Inside the executor the end of a command is data, whoever ended it; the tool makes an error of it.
/// proves: SHL-056
#[tokio::test]
async fn a_stopped_command_is_an_answer() {
    let slow = bash(json!({"command": "echo begun; sleep 100", "timeout": 1}));
    let (server, home) = world("", vec![slow, Reply::new().text("ok")]);
    let session = Session::open(options(&home, &[]), Box::new(Silent)).await.unwrap();
    let (never, cancel) = (CancellationToken::new(), CancellationToken::new());
    let limit = Some(std::time::Duration::from_millis(500));
    let late =
        session.shell().run("echo begun; sleep 100", Audience::User, limit, &never, |_| {}).await.unwrap();
    let late = serde_json::to_value(late).unwrap();
    assert_eq!(late["output"], "begun\n[Command timed out after 0.5 seconds]");
    assert_eq!((&late["cancelled"], late.get("exitCode")), (&json!(true), None));
    let seen = cancel.clone();
    let stopped = session
        .shell()
        .run("echo begun; sleep 100", Audience::User, None, &cancel, |_| seen.cancel())
        .await
        .unwrap();
    assert_eq!((stopped.output.as_str(), stopped.cancelled), ("begun\n[Command cancelled]", true));
    ask(&session, "go").await;
    let result = last_message(&server, 1);
    assert!(result.contains("begun") && result.contains("Command timed out after 1 seconds"), "{result}");
    session.close().await;
    server.finish();
}
