//! The embedding API: a session built by a program instead of by the command line.

use std::sync::{Arc, Mutex};

use omp_sdk::{
    Chain, Directories, Environment, Fallbacks, Listener, Persistence, Prompt, Session, SessionOptions,
    ToolFilter,
};
use omp_testkit::{Home, Reply, Server};
use omp_types::AgentEvent;
use serde_json::{Value, json};

struct NoEnvironment;

impl Environment for NoEnvironment {
    fn var(&self, _name: &str) -> Option<String> {
        None
    }
}

/// Keeps every event, as JSON.
#[derive(Clone, Default)]
struct Events(Arc<Mutex<Vec<Value>>>);

impl Listener for Events {
    fn event(&mut self, event: AgentEvent) {
        self.0.lock().unwrap().push(serde_json::to_value(event).unwrap());
    }
}

fn options(home: &Home) -> SessionOptions {
    let root = home.home_dir().display().to_string();
    let directories = Directories::resolve(|name| (name == "HOME").then(|| root.clone())).unwrap();
    SessionOptions {
        tools: ToolFilter::None,
        ..SessionOptions::new(home.work_dir(), directories, Arc::new(NoEnvironment))
    }
}

/// A stand-in is a temporary `model_change` in the file, with an event when it takes over and when it succeeded.
// proves: LOP-048
#[tokio::test]
async fn a_fallback_is_recorded_as_temporary() {
    let failing = Server::start([Reply::status(503).body(json!({"error": {"message": "busy"}}))]);
    let working = Server::start([Reply::new().text("from the second")]);
    let home = Home::new();
    let provider = |name: &str, server: &Server| {
        format!(
            "  {name}:\n    baseUrl: {}/v1\n    api: openai-completions\n    apiKey: k\n    models: [{{id: m}}]\n",
            server.base_url()
        )
    };
    let file = format!("providers:\n{}{}", provider("first", &failing), provider("second", &working));
    home.write("home/.omp/agent/models.yml", file);

    let chain =
        Chain { role: "default".into(), primary: "first/m".into(), candidates: vec!["second/m".into()] };
    let events = Events::default();
    let options = SessionOptions {
        fallbacks: Some(Fallbacks { chains: vec![chain], ..Fallbacks::default() }),
        model: omp_sdk::ModelOptions::named("first/m"),
        ..options(&home)
    };
    let session = Session::open(options, Box::new(events.clone())).await.unwrap();
    let outcome = session.prompt(Prompt::text("hello"), Default::default()).await.unwrap();
    assert_eq!(outcome.last_answer().unwrap().texts().collect::<String>(), "from the second");
    let path = session.file().expect("a saved session");
    session.close().await;

    let events = events.0.lock().unwrap().clone();
    let find = |kind: &str| events.iter().find(|event| event["type"] == kind).cloned().unwrap_or_default();
    let applied = find("retry_fallback_applied");
    assert_eq!(
        (&applied["from"], &applied["to"], &applied["role"]),
        (&json!("first/m"), &json!("second/m"), &json!("default"))
    );
    let succeeded = find("retry_fallback_succeeded");
    assert_eq!((&succeeded["model"], &succeeded["role"]), (&json!("second/m"), &json!("default")));
    let lines: Vec<Value> = std::fs::read_to_string(path)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let changes: Vec<_> = lines.iter().filter(|line| line["type"] == "model_change").collect();
    assert_eq!((&changes[0]["model"], changes[0].get("role")), (&json!("first/m"), None));
    assert_eq!((&changes[1]["model"], &changes[1]["role"]), (&json!("second/m"), &json!("temporary")));
    failing.finish();
    working.finish();
}

/// Without persistence nothing is written, and two sessions of one program do not disturb each other.
#[tokio::test]
async fn sessions_in_memory_leave_nothing() {
    let server = Server::start([Reply::new().text("a"), Reply::new().text("b")]);
    let home = Home::new();
    home.models_yml(&server, omp_testkit::Wire::AnthropicMessages, omp_testkit::ModelOptions::new());
    let before = home.list_files();
    let open = || async {
        let options = SessionOptions { persistence: Persistence::Off, ..options(&home) };
        Session::open(options, Box::new(Events::default())).await.unwrap()
    };
    let (one, two) = (open().await, open().await);
    for session in [&one, &two] {
        session.prompt(Prompt::text("x"), Default::default()).await.unwrap();
        assert_eq!(session.file(), None);
    }
    assert_eq!(home.list_files(), before);
    server.finish();
}
