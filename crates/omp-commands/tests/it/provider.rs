//! What goes to the provider.

use std::sync::Arc;
use std::time::Duration;

use omp_commands::Answer;

use omp_sdk::{AgentError, Outcome, Persistence, Prompt, Session};
use omp_testkit::{Home, ModelOptions, Reply, Scenario, Server, Wire};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::support::{Room, Variables, lines};

/// Anthropic calls it a speed, which only some models have.
/// proves: CLI-182
#[tokio::test]
async fn anthropic_is_asked_for_its_fast_mode() {
    let replies = ["one", "two", "three"].map(|text| Reply::new().text(text));
    let server = Server::start(Scenario::replies(replies));
    let home = Home::new();
    let base = server.base_url_for(Wire::AnthropicMessages);
    let models = "[{id: claude-opus-4-6}, {id: claude-opus-4-5}]";
    home.write(
        "home/.omp/agent/models.yml",
        format!("providers:\n  anthropic:\n    baseUrl: {base}\n    api: anthropic-messages\n    apiKey: test-key\n    models: {models}\n"),
    );
    let room =
        Room::start(home, server, Persistence::New, Variables::default(), "anthropic/claude-opus-4-6").await;
    assert!(room.text("/fast on").await.contains("on"));
    room.say("a").await;
    let last = |room: &Room| room.server.requests().last().unwrap().clone();
    assert_eq!(last(&room).body["speed"], "fast");
    assert!(last(&room).headers["anthropic-beta"].contains("fast-mode-2026-02-01"));
    assert!(room.text("/fast off").await.contains("off"));
    room.say("b").await;
    assert!(last(&room).body.get("speed").is_none());
    assert!(!last(&room).headers.get("anthropic-beta").is_some_and(|betas| betas.contains("fast-mode")));
    assert!(room.text("/fast on").await.contains("on"));
    assert!(room.text("/model anthropic/claude-opus-4-5").await.contains("4-5"));
    room.say("c").await;
    assert!(last(&room).body.get("speed").is_none(), "that model has no speeds");
    room.server.finish();
}

/// proves: CLI-182
#[tokio::test]
async fn the_priority_tier_is_asked_for_while_it_is_on() {
    let replies = ["one", "two", "three"].map(|text| Reply::new().text(text));
    let room = Room::on(Wire::OpenAiResponses, replies, Persistence::New, Variables::default(), |_| {}).await;
    assert_eq!(room.text("/fast status").await, "Fast mode off");
    room.say("a").await;
    assert!(room.request().get("service_tier").is_none());
    assert!(matches!(room.ask("/fast").await, Answer::Changed(text) if text.contains("on")));
    room.say("b").await;
    assert_eq!(room.request()["service_tier"], "priority");
    assert_eq!(room.text("/fast status").await, "Fast mode on");
    assert!(room.text("/fast off").await.contains("off"));
    room.say("c").await;
    assert!(room.request().get("service_tier").is_none());
    assert!(room.text("/fast maybe").await.starts_with("Usage"));
    let changes: Vec<Value> = lines(&room.file())
        .into_iter()
        .filter(|line| line["type"] == "service_tier_change")
        .map(|line| line["serviceTier"].clone())
        .collect();
    assert_eq!(changes, [json!("priority"), Value::Null]);
    room.server.finish();
}

/// The provider knows the conversation by another name afterwards, and what it kept open is closed; here nothing
/// changes.
/// proves: CLI-207
#[tokio::test]
async fn a_conversation_gets_a_new_name_at_the_provider() {
    let slow = Reply::new().text("words that take their time").stall_after_event(3, Duration::from_secs(600));
    let replies = [Reply::new().text("one"), Reply::new().text("two"), slow];
    let server = Server::start(Scenario::replies(replies).websocket(true));
    let home = Home::new();
    home.models_yml(&server, Wire::OpenAiCodexResponses, ModelOptions::new());
    let room = Room::start(home, server, Persistence::New, Variables::default(), "test/scripted").await;
    assert!(room.text("/fresh").await.contains("0 provider states pruned"));
    room.say("a").await;
    let before = (room.context.host.session().conversation().await, std::fs::read(room.file()).unwrap());
    assert!(room.text("/fresh").await.contains("1 provider state pruned"));
    let after = (room.context.host.session().conversation().await, std::fs::read(room.file()).unwrap());
    assert_eq!(before, after);
    room.say("b").await;
    let requests = room.server.requests();
    let name = |place: usize| requests[place].headers["session_id"].clone();
    assert!(name(0) != name(1) && !name(1).is_empty(), "{} {}", name(0), name(1));
    assert!(requests[1].body.to_string().contains("one"), "the conversation goes on");
    assert_eq!((room.server.sockets().opened, room.server.sockets().closed), (2, 1));

    let session = room.context.host.session();
    let running = begin(&session).await;
    assert!(matches!(room.ask("/fresh").await, Answer::Refused(text) if text.contains("still responding")));
    session.control().abort();
    running.await.unwrap().unwrap();
}

/// proves: CLI-216
#[tokio::test]
async fn the_next_request_is_written_to_a_file() {
    let room = Room::new([Reply::new().text("one"), Reply::new().text("two")]).await;
    assert!(matches!(room.ask("/debug").await, Answer::Screen), "the menu needs a screen");
    assert!(room.text("/debug dump-next-request").await.starts_with("Usage"));
    assert!(room.text("/debug dump-next-request no/such/directory.json").await.contains("cannot write"));
    let path = room.home.work_dir().join("next.json");
    assert!(room.text("/debug dump-next-request next.json").await.contains("next.json"));
    room.say("the question").await;
    let first = room.request();
    let written = loop {
        let text = std::fs::read_to_string(&path).unwrap();
        if let Ok(value) = serde_json::from_str::<Value>(&text) {
            break value;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    assert_eq!(written["body"], first);
    assert_eq!(written["model"], "openai/a");
    room.say("again").await;
    assert_eq!(
        serde_json::from_str::<Value>(&std::fs::read_to_string(&path).unwrap()).unwrap(),
        written,
        "only one"
    );
    room.server.finish();
}

/// proves: CLI-180
#[tokio::test]
async fn the_model_is_told_and_changed() {
    let room = Room::new([Reply::new().text("ok")]).await;
    assert_eq!(room.text("/model").await, "Current model: openai/a");
    assert!(room.text("/model nonsense").await.starts_with("unknown model \"nonsense\""));
    assert_eq!(room.text("/model openai/b").await, "Switched to openai/b");
    room.say("hi").await;
    assert_eq!(room.request()["model"], "b");
}

/// What would disturb an answer is refused while it comes.
#[tokio::test]
async fn nothing_is_taken_from_under_an_answer() {
    let slow = Reply::new().text("words that take their time").stall_after_event(3, Duration::from_secs(600));
    let room = Room::new([Reply::new().text("one"), slow]).await;
    room.say("first").await;
    let session = room.context.host.session();
    let running = begin(&session).await;
    for line in ["/move /tmp", "/session delete"] {
        assert!(
            matches!(room.ask(line).await, Answer::Refused(text) if text.contains("still responding")),
            "{line}"
        );
    }
    // What only tells something answers at once.
    assert!(room.text("/session").await.contains("openai/a"));
    assert!(room.text("/dump").await.contains("first"));
    session.control().abort();
    running.await.unwrap().unwrap();
}

/// A prompt that is being answered.
async fn begin(session: &Arc<Session>) -> JoinHandle<Result<Outcome, AgentError>> {
    let asked = Arc::clone(session);
    let running = tokio::spawn(async move { asked.prompt(Prompt::text("go"), Default::default()).await });
    while !session.control().is_running() {
        tokio::task::yield_now().await;
    }
    running
}
