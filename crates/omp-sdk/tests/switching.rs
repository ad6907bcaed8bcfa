//! Changing the model of a session that is under way, as an embedding program does it.

mod common;

use std::sync::Arc;

use omp_sdk::{
    Direction, Directories, Persistence, Prompt, ProviderOptions, Session, SessionOptions, ToolFilter,
    role_names,
};
use omp_testkit::{Home, Reply, Scenario, Server, Wire};
use omp_types::CacheRetention;
use serde_json::Value;

use common::Nothing;

const CONFIG: &str = "home/.omp/agent/config.yml";

fn forever() -> Server {
    Server::start(Scenario::replies([Reply::new().text("ok")]).keyless(true).repeat(true))
}

fn home(server: &Server) -> Home {
    let home = Home::new();
    let base = server.base_url_for(Wire::OpenAiCompletions);
    home.write(
        "home/.omp/agent/models.yml",
        format!(
            "providers:\n  one:\n    baseUrl: {base}\n    api: openai-completions\n    auth: none\n    models: [{{id: a, reasoning: true}}, {{id: b, reasoning: true}}, {{id: c, reasoning: true}}]\n"
        ),
    );
    home
}

fn options(home: &Home, persistence: Persistence) -> SessionOptions {
    let root = home.home_dir().display().to_string();
    let directories = Directories::resolve(|name| (name == "HOME").then(|| root.clone())).unwrap();
    SessionOptions {
        tools: ToolFilter::None,
        persistence,
        ..SessionOptions::new(home.work_dir(), directories, Arc::new(Nothing))
    }
}

async fn open(home: &Home, persistence: Persistence) -> Session {
    Session::open(options(home, persistence), Box::new(Nothing)).await.unwrap()
}

/// Prompts and says which model answered, and how hard it thought.
async fn answer(session: &Session, server: &Server) -> (String, String) {
    session.prompt(Prompt::text("x"), Default::default()).await.unwrap();
    let body = server.requests().last().unwrap().body.clone();
    let text = |key: &str| body[key].as_str().unwrap_or("-").to_owned();
    (text("model"), text("reasoning_effort"))
}

fn pair(model: &str, effort: &str) -> (String, String) {
    (model.to_owned(), effort.to_owned())
}

/// A role that is given a model keeps it; a switch for now leaves no trace in the settings and ends with the
/// session.
/// proves: MOD-138
#[tokio::test]
async fn roles_are_kept_and_switches_are_not() {
    let server = forever();
    let home = home(&server);
    let config = "# mine\nmodelRoles:\n  smol: one/c # small\n";
    home.write(CONFIG, config);
    let session = open(&home, Persistence::New).await;
    assert_eq!(answer(&session, &server).await, pair("a", "high"));

    session.models().switch("one/b:low").await.unwrap();
    assert_eq!(session.model_selector(), "one/b");
    assert_eq!(answer(&session, &server).await, pair("b", "low"));
    assert_eq!(home.read(CONFIG), config);

    session.models().assign_role("slow", "one/c:medium").await.unwrap();
    assert_eq!(
        answer(&session, &server).await,
        pair("b", "low"),
        "another role's model answers nothing here"
    );
    session.models().switch("pi/slow").await.unwrap();
    assert_eq!(answer(&session, &server).await, pair("c", "medium"));
    let kept = format!("{config}  slow: one/c:medium\n");
    assert_eq!(home.read(CONFIG), kept, "the rest of the file stays");

    session.models().assign_role("default", "b").await.unwrap();
    assert_eq!(answer(&session, &server).await.0, "b", "the session goes on with it");
    let kept = home.read(CONFIG);
    assert!(kept.contains("  default: b\n") && kept.contains("smol: one/c # small\n"), "{kept}");

    session.models().switch("one/c").await.unwrap();
    let file = session.file().unwrap();
    session.close().await;
    let lines = std::fs::read_to_string(file).unwrap();
    let changes: Vec<(String, bool)> = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|line| line["type"] == "model_change")
        .map(|line| (line["model"].as_str().unwrap().to_owned(), line["role"] == "temporary"))
        .collect();
    let expected = [("one/a", false), ("one/b", true), ("one/c", true), ("one/b", false), ("one/c", true)];
    assert_eq!(changes, expected.map(|(model, temporary)| (model.to_owned(), temporary)));

    let resumed = open(&home, Persistence::Continue).await;
    assert_eq!(resumed.model_selector(), "one/b", "what was temporary is over");
    let fresh = open(&home, Persistence::New).await;
    assert_eq!(fresh.model_selector(), "one/b", "the default role's");
}

/// What cannot be used is refused before anything is saved.
#[tokio::test]
async fn mistakes_change_nothing() {
    let server = forever();
    let home = home(&server);
    let session = open(&home, Persistence::Off).await;
    assert!(session.models().switch("one/nothing-like-it").await.is_err());
    assert!(session.models().assign_role("default", "one/nothing-like-it").await.is_err());
    assert!(session.models().assign_role("a.b", "one/b").await.is_err());
    assert_eq!(session.model_selector(), "one/a");
    assert!(!home.exists(CONFIG));
}

/// Roles of one's own are known and stepped through; those without a model of their own are passed over.
// MOD-137 without the key of the terminal.
#[tokio::test]
async fn roles_are_stepped_through() {
    let server = forever();
    let home = home(&server);
    home.write(
        CONFIG,
        "modelTags:\n  night: {name: Night, color: blue}\ncycleOrder: [default, night, slow, dawn]\nmodelRoles:\n  default: one/a\n  night: one/b:low\n  dawn: one/c\n",
    );
    let session = open(&home, Persistence::Off).await;
    let names = role_names(&session.settings());
    assert!(names.contains(&"night".to_owned()) && names.contains(&"dawn".to_owned()), "{names:?}");
    assert_eq!(names.iter().filter(|name| *name == "default").count(), 1);
    for (role, expected) in
        [("night", pair("b", "low")), ("dawn", pair("c", "high")), ("default", pair("a", "high"))]
    {
        let gone = session.models().cycle(Direction::Forward).await.unwrap().unwrap();
        assert!(gone.starts_with(&format!("{role}: one/")), "{gone}");
        assert_eq!(answer(&session, &server).await, expected, "{role}");
    }
    let back = session.models().cycle(Direction::Backward).await.unwrap();
    assert_eq!(back.as_deref(), Some("dawn: one/c"));
    home.write(CONFIG, "");
    let alone = open(&home, Persistence::Off).await;
    assert_eq!(alone.models().cycle(Direction::Forward).await.unwrap(), None, "there is nowhere to go");
}

/// What a program asks for goes before what the models file says.
/// proves: MOD-227
#[tokio::test]
async fn a_program_decides_how_long_prompts_are_kept() {
    let server = forever();
    let home = Home::new();
    home.write(
        "home/.omp/agent/models.yml",
        format!(
            "providers:\n  one:\n    baseUrl: {}\n    api: anthropic-messages\n    auth: none\n    cacheRetention: long\n    models: [{{id: a, cacheRetention: long, compat: {{supportsLongPromptCacheRetention: true}}}}]\n",
            server.base_url_for(Wire::AnthropicMessages)
        ),
    );
    let asked = async |cache_retention: Option<CacheRetention>| {
        let provider = ProviderOptions { cache_retention, ..ProviderOptions::default() };
        let options = SessionOptions { provider, ..options(&home, Persistence::Off) };
        let session = Session::open(options, Box::new(Nothing)).await.unwrap();
        session.prompt(Prompt::text("x"), Default::default()).await.unwrap();
        let body = server.requests().last().unwrap().body.to_string();
        (body.contains("cache_control"), body.contains("\"ttl\":\"1h\""))
    };
    assert_eq!(asked(None).await, (true, true));
    assert_eq!(asked(Some(CacheRetention::Short)).await, (true, false));
    assert_eq!(asked(Some(CacheRetention::None)).await, (false, false));
}
