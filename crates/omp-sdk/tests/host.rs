//! One session after another in one program, as an embedding program does it.

mod common;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use omp_sdk::{
    Directories, Host, Listener, Outfit, Persistence, Prompt, Session, SessionError, SessionOptions,
    SwitchError, ToolFilter,
};
use omp_testkit::{Home, ModelOptions, Reply, Scenario, Server, Wire, run};
use omp_types::UserContent;
use serde_json::{Value, json};

use common::Nothing;

const LIMIT: Duration = Duration::from_secs(60);

/// A program with the tools that a test names.
struct Program {
    directories: Directories,
    tools: ToolFilter,
}

impl Program {
    fn new(home: &Home, tools: ToolFilter) -> Arc<Self> {
        let root = home.home_dir().display().to_string();
        let directories = Directories::resolve(|name| (name == "HOME").then(|| root.clone())).unwrap();
        Arc::new(Self { directories, tools })
    }

    async fn start(self: &Arc<Self>, cwd: PathBuf, persistence: Persistence) -> Host {
        let first = SessionOptions { persistence, ..self.options(&cwd).unwrap() };
        Host::start(Arc::clone(self) as Arc<dyn Outfit>, first).await.unwrap()
    }
}

impl Outfit for Program {
    fn options(&self, cwd: &Path) -> Result<SessionOptions, SessionError> {
        let new = SessionOptions::new(cwd.to_owned(), self.directories.clone(), Arc::new(Nothing));
        Ok(SessionOptions { tools: self.tools.clone(), ..new })
    }

    fn listener(&self) -> Box<dyn Listener> {
        Box::new(Nothing)
    }
}

fn models(home: &Home, server: &Server) {
    let base = server.base_url_for(Wire::OpenAiCompletions);
    let models = "[{id: a, reasoning: true}, {id: b, reasoning: true}, {id: c, reasoning: true}]";
    home.write(
        "home/.omp/agent/models.yml",
        format!(
            "providers:\n  one:\n    baseUrl: {base}\n    api: openai-completions\n    auth: none\n    models: {models}\n"
        ),
    );
}

fn answering() -> Server {
    Server::start(Scenario::replies([Reply::new().text("ok")]).keyless(true).repeat(true))
}

async fn say(session: &Session, text: &str) {
    session.prompt(Prompt::text(text), Default::default()).await.unwrap();
}

/// The last request: its model, its effort, and what was said in it.
fn asked(server: &Server) -> (String, String, Vec<String>) {
    let body = server.requests().last().unwrap().body.clone();
    let text = |key: &str| body[key].as_str().unwrap_or("-").to_owned();
    let said = body["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "user");
    let words = |message: &Value| message["content"].as_str().unwrap_or_default().to_owned();
    (text("model"), text("reasoning_effort"), said.map(words).collect())
}

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The id of the entry in which the user said something.
fn said(path: &Path, text: &str) -> String {
    let is_it = |line: &&Value| line["message"]["role"] == "user" && line["message"]["content"] == text;
    lines(path).iter().find(is_it).unwrap()["id"].as_str().unwrap().to_owned()
}

/// A switch in the middle of an answer ends it, leaves a whole file behind and drops what was queued; what runs next
/// runs in the other session.
/// proves: SES-166
#[tokio::test]
async fn a_switch_stops_what_runs() {
    let pause = Duration::from_secs(600);
    let server = Server::start(
        Scenario::replies([
            Reply::new().text("first"),
            Reply::new().text("kept"),
            Reply::new().text("many words that never end").stall_after_event(3, pause),
            Reply::new().text("again"),
        ])
        .keyless(true),
    );
    let home = Home::new();
    models(&home, &server);
    let program = Program::new(&home, ToolFilter::None);
    let host = program.start(home.work_dir(), Persistence::New).await;
    say(&host.session(), "in the first").await;
    let first = host.session().file().unwrap();

    host.begin().await.unwrap();
    say(&host.session(), "in the second").await;
    let (old, second) = (host.session(), host.session().file().unwrap());
    assert_ne!(first, second);
    let running = {
        let old = Arc::clone(&old);
        tokio::spawn(async move { old.prompt(Prompt::text("cut short"), Default::default()).await })
    };
    while server.requests().len() < 3 {
        tokio::task::yield_now().await;
    }
    old.control().steer(UserContent::Text("steering".into()));
    old.control().follow_up(UserContent::Text("follow-up".into()));

    let arrival = host.resume(&first).await.unwrap();
    assert_eq!((arrival.previous.as_deref(), arrival.elsewhere), (Some(second.as_path()), None));
    running.await.unwrap().unwrap();
    assert_eq!(old.control().queued(), (0, 0));
    assert_eq!(host.session().control().queued(), (0, 0));
    assert!(old.prompt(Prompt::text("too late"), Default::default()).await.is_err());
    let saved = lines(&second);
    let last = saved.iter().rfind(|line| line["message"]["role"] == "assistant").unwrap();
    assert_eq!(last["message"]["stopReason"], "aborted");
    assert!(!std::fs::read_to_string(&second).unwrap().contains("steering"));

    say(&host.session(), "back").await;
    assert_eq!(asked(&server).2, ["in the first", "back"]);
    assert_eq!(lines(&second), saved, "nothing is added to the session that was left");
    server.finish();
}

/// Model, effort and words are those of the target; the model is the first recorded one that can be used.
/// proves: SES-168
#[tokio::test]
async fn a_switch_takes_up_what_the_target_had() {
    let server = answering();
    let home = Home::new();
    models(&home, &server);
    let program = Program::new(&home, ToolFilter::None);
    let begin = SessionOptions {
        model: omp_sdk::ModelOptions::named("one/b:low"),
        ..program.options(&home.work_dir()).unwrap()
    };
    let host = Host::start(program.clone(), begin).await.unwrap();
    say(&host.session(), "with b").await;
    let low = host.session().file().unwrap();
    assert_eq!(asked(&server), ("b".into(), "low".into(), vec!["with b".into()]));

    host.begin().await.unwrap();
    say(&host.session(), "with the usual one").await;
    assert_eq!(asked(&server).0, "a", "what was asked for at the start was said of the first session");
    host.session().models().switch("one/c").await.unwrap();
    say(&host.session(), "with c").await;
    let usual = host.session().file().unwrap();

    host.resume(&low).await.unwrap();
    say(&host.session(), "more").await;
    assert_eq!(asked(&server), ("b".into(), "low".into(), vec!["with b".into(), "more".into()]));

    // The target's own model is gone; the one that stood in for it is not.
    let file = home.read("home/.omp/agent/models.yml").replace("{id: a, reasoning: true}, ", "");
    home.write("home/.omp/agent/models.yml", file);
    let arrival = host.resume(&usual).await.unwrap();
    assert!(arrival.remarks.iter().any(|remark| remark.contains("one/a")), "{:?}", arrival.remarks);
    say(&host.session(), "still").await;
    assert_eq!(asked(&server).0, "c");
    server.assert_clean();
}

/// proves: SES-171
#[tokio::test]
async fn tools_work_where_the_session_belongs() {
    let pwd = || Reply::new().tool_call("bash", json!({"command": "pwd", "_i": "where"}));
    let reply = |text: &str| Reply::new().text(text);
    let server =
        Server::start(Scenario::replies([reply("one"), reply("two"), pwd(), reply("there")]).keyless(true));
    let home = Home::new();
    models(&home, &server);
    let (here, there) = (home.work_dir(), home.path("other"));
    std::fs::create_dir_all(there.join(".omp")).unwrap();
    std::fs::write(there.join(".omp/config.yml"), "defaultThinkingLevel: low\n").unwrap();
    std::fs::write(there.join("AGENTS.md"), "Mind the other project.").unwrap();
    let program = Program::new(&home, ToolFilter::Only(vec!["bash".into()]));
    let host = program.start(there.clone(), Persistence::New).await;
    say(&host.session(), "begun there").await;
    let other = host.session().file().unwrap();
    host.session().close().await;

    let host = program.start(here.clone(), Persistence::New).await;
    say(&host.session(), "here").await;
    assert_eq!(asked(&server).1, "high");
    let arrival = host.resume(&other).await.unwrap();
    assert_eq!((arrival.elsewhere.as_ref(), host.session().cwd()), (Some(&there), there.clone()));
    say(&host.session(), "where are you?").await;
    let body = server.requests().last().unwrap().body.clone();
    let result =
        body["messages"].as_array().unwrap().iter().find(|message| message["role"] == "tool").unwrap();
    assert!(result["content"].as_str().unwrap().starts_with(&there.display().to_string()), "{result}");
    assert!(body["messages"][0].to_string().contains("Mind the other project."));
    assert_eq!(body["reasoning_effort"], "low", "the settings of the other project");

    // Where the directory is gone, nothing happens without a word.
    host.begin().await.unwrap();
    let before = host.session().header().id;
    std::fs::rename(&there, home.path("renamed")).unwrap();
    let refused = host.resume(&other).await.unwrap_err();
    assert!(matches!(&refused, SwitchError::DirectoryGone { cwd, .. } if *cwd == there), "{refused}");
    assert_eq!(host.session().header().id, before);
    server.finish();
}

/// proves: SES-172
#[tokio::test]
async fn a_switch_that_fails_changes_nothing() {
    let server = answering();
    let home = Home::new();
    models(&home, &server);
    let program = Program::new(&home, ToolFilter::None);
    let other = program.start(home.work_dir(), Persistence::New).await;
    say(&other.session(), "held by another").await;
    let held = other.session().file().unwrap();

    let host = program.start(home.work_dir(), Persistence::New).await;
    say(&host.session(), "mine").await;
    host.session().control().follow_up(UserContent::Text("still to say".into()));
    let (file, id) = (host.session().file().unwrap(), host.session().header().id);
    let before = std::fs::read(&file).unwrap();
    assert!(matches!(host.resume(&held).await, Err(SwitchError::Session(SessionError::Open(_)))));
    let directory = home.path("home/directory.jsonl");
    std::fs::create_dir_all(&directory).unwrap();
    assert!(host.resume(&directory).await.is_err());
    assert_eq!((host.session().header().id, host.session().control().queued()), (id, (0, 1)));
    assert_eq!(std::fs::read(&file).unwrap(), before);
    say(&host.session(), "more").await;
    assert_eq!(asked(&server).2, ["mine", "more", "still to say"]);

    // The session that is open already is no other one.
    let arrival = host.resume(&file).await.unwrap();
    assert_eq!(arrival, Default::default());
    say(&host.session(), "and on").await;
    server.assert_clean();
}

/// The copy has everything under a new id and names its origin, which stays as it was.
#[tokio::test]
async fn a_fork_is_a_whole_copy() {
    let server = answering();
    let home = Home::new();
    models(&home, &server);
    let program = Program::new(&home, ToolFilter::None);
    let host = program.start(home.work_dir(), Persistence::New).await;
    assert!(matches!(host.fork().await, Err(SwitchError::NotSaved)));
    say(&host.session(), "one").await;
    let origin = host.session().file().unwrap();
    let (before, id) = (std::fs::read(&origin).unwrap(), host.session().header().id);
    host.fork().await.unwrap();
    say(&host.session(), "two").await;
    let copy = host.session().file().unwrap();
    assert_ne!(copy, origin);
    assert_eq!(std::fs::read(&origin).unwrap(), before);
    let header = host.session().header();
    assert_eq!((header.parent_session, header.id == id), (Some(id.clone()), false));
    assert_eq!(asked(&server).2, ["one", "two"]);

    let memory = program.start(home.work_dir(), Persistence::Off).await;
    say(&memory.session(), "unsaved").await;
    assert!(matches!(memory.fork().await, Err(SwitchError::NotSaved)));
    server.assert_clean();
}

/// Branching begins a new file before a message; navigating stays in the same one.
#[tokio::test]
async fn branches_go_back_before_a_message() {
    let server = answering();
    let home = Home::new();
    models(&home, &server);
    let program = Program::new(&home, ToolFilter::None);
    let host = program.start(home.work_dir(), Persistence::New).await;
    for text in ["one", "two", "three"] {
        say(&host.session(), text).await;
    }
    let origin = host.session().file().unwrap();
    let session = host.session();
    let moved = session.tree().navigate(&said(&origin, "two"), None).await.unwrap().unwrap();
    assert_eq!(moved.prefill.as_deref(), Some("two"));
    say(&session, "second").await;
    assert_eq!(asked(&server).2, ["one", "second"]);
    assert_eq!(host.session().file().unwrap(), origin, "the same file");
    let three = said(&origin, "three");
    let answer = lines(&origin).iter().find(|line| line["parentId"] == three.as_str()).unwrap()["id"].clone();
    let moved =
        session.tree().navigate(answer.as_str().unwrap(), Some("what came of it".into())).await.unwrap();
    assert_eq!(moved.unwrap().prefill, None);
    say(&session, "on").await;
    let told = asked(&server).2;
    assert_eq!((&told[..3], told.len()), (&["one".to_owned(), "two".into(), "three".into()][..], 5));
    assert!(told[3].contains("what came of it"), "{told:?}");
    assert!(matches!(session.tree().navigate("nonesuch", None).await, Err(SwitchError::NoSuchEntry(_))));

    let before = std::fs::read(&origin).unwrap();
    let arrival = host.branch(&three).await.unwrap();
    assert_eq!(arrival.prompt.as_deref(), Some("three"));
    say(&host.session(), "third").await;
    assert_eq!(asked(&server).2, ["one", "two", "third"]);
    assert_ne!(host.session().file().unwrap(), origin);
    assert_eq!(std::fs::read(&origin).unwrap(), before);

    // Before the first message there is nothing to copy.
    host.branch(&said(&host.session().file().unwrap(), "one")).await.unwrap();
    let parent = host.session().header().parent_session;
    say(&host.session(), "first").await;
    assert_eq!((asked(&server).2, parent.is_some()), (vec!["first".to_owned()], true));

    let memory = program.start(home.work_dir(), Persistence::Off).await;
    say(&memory.session(), "unsaved").await;
    assert!(memory.session().tree().navigate("nonesuch", None).await.is_err());
    server.assert_clean();
}

/// What a provider keeps of a conversation ends with it, and with the messages it was about.
/// proves: SES-169
#[tokio::test]
async fn connections_end_with_their_conversation() {
    let replies = (0..5).map(|_| Reply::new().text("ok"));
    let server = Server::start(Scenario::replies(replies).websocket(true));
    let home = Home::new();
    home.models_yml(&server, Wire::OpenAiCodexResponses, ModelOptions::new().reasoning(true));
    let program = Program::new(&home, ToolFilter::None);
    let host = program.start(home.work_dir(), Persistence::New).await;
    say(&host.session(), "one").await;
    say(&host.session(), "two").await;
    assert_eq!((server.sockets().opened, server.sockets().closed), (1, 0));
    let held = host.session();
    let file = held.file().unwrap();
    held.tree().navigate(&said(&file, "two"), None).await.unwrap();
    say(&held, "another second").await;
    assert_eq!(server.sockets().opened, 2, "the messages before are others now");
    host.begin().await.unwrap();
    say(&host.session(), "anew").await;
    assert_eq!(server.sockets().opened, 3);
    host.resume(&file).await.unwrap();
    say(&host.session(), "back").await;
    while server.sockets().closed < 3 {
        tokio::task::yield_now().await;
    }
    assert_eq!(server.sockets().opened, 4);
    server.finish();
}

/// What a program that is run with a library that writes down every forced file does with its sessions.
#[tokio::test]
#[ignore = "run by what_was_said_is_forced_to_the_disk"]
async fn switches_copies_and_ends() {
    let note = |text: &str| {
        let log = std::env::var_os("SYNCED_LOG").unwrap();
        let mut log = std::fs::OpenOptions::new().append(true).create(true).open(log).unwrap();
        std::io::Write::write_all(&mut log, format!("-- {text}\n").as_bytes()).unwrap();
    };
    let server = answering();
    let home = Home::new();
    models(&home, &server);
    let program = Program::new(&home, ToolFilter::None);
    let host = program.start(home.work_dir(), Persistence::New).await;
    say(&host.session(), "one").await;
    let first = host.session().file().unwrap();
    note(&format!("copy {}", first.display()));
    host.fork().await.unwrap();
    say(&host.session(), "two").await;
    let second = host.session().file().unwrap();
    note(&format!("switch {}", second.display()));
    host.begin().await.unwrap();
    say(&host.session(), "three").await;
    let third = host.session().file().unwrap();
    note(&format!("end {}", third.display()));
    host.session().close().await;
}

/// proves: SES-068
#[test]
fn what_was_said_is_forced_to_the_disk() {
    let directory = Home::new();
    let (library, log) = (directory.path("synced.so"), directory.path("log"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/preload/synced.c");
    let mut compiler = directory.command("cc");
    compiler.args(["-shared", "-fPIC", "-o"]).args([&library, &source]).arg("-ldl");
    run(compiler, None, LIMIT).assert_success();
    let mut helper = directory.command(std::env::current_exe().unwrap());
    helper.args(["--exact", "switches_copies_and_ends", "--ignored"]);
    helper.env("LD_PRELOAD", &library).env("SYNCED_LOG", &log);
    run(helper, None, LIMIT).assert_success();
    let log = std::fs::read_to_string(log).unwrap();
    let parts: Vec<&str> = log.split("-- ").skip(1).collect();
    assert_eq!(parts.len(), 3, "{log}");
    for (part, word) in parts.iter().zip(["copy ", "switch ", "end "]) {
        let (file, forced) = part.strip_prefix(word).unwrap().split_once('\n').unwrap();
        assert!(forced.lines().any(|line| line == file), "{word}: {file} is not among\n{forced}");
    }
}
