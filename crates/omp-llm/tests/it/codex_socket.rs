//! The Responses API of ChatGPT accounts over WebSockets.

use std::time::Duration;

use omp_llm::{Client, ClientOptions, Model, SocketMode, SocketOptions};
use omp_testkit::{Reply, Scenario, Server, SocketCount, Wire};
use omp_types::{FailureKind, ModelRequest, RequestOptions, ThinkingLevel};
use serde_json::json;

use crate::support::{CODEX_TOKEN, ask, model, options, read_tool, request_with, result, user};

const WIRE: Wire = Wire::OpenAiCodexResponses;

fn client(mode: SocketMode) -> Client {
    tuned(SocketOptions { mode, retry_delay: Duration::from_millis(1), ..SocketOptions::default() })
}

fn tuned(sockets: SocketOptions) -> Client {
    Client::new(ClientOptions { sockets, ..options() }).unwrap()
}

fn scenario<const N: usize>(replies: [Reply; N]) -> Scenario {
    Scenario::replies(replies).websocket(true)
}

fn ok() -> Reply {
    Reply::new().text("ok")
}

/// A request of the session `s`.
fn say(messages: Vec<std::sync::Arc<omp_types::Message>>) -> ModelRequest {
    let wanted = RequestOptions {
        session_id: Some("s".into()),
        thinking: ThinkingLevel::High,
        ..RequestOptions::default()
    };
    request_with(messages, vec![read_tool()], wanted)
}

fn hi() -> ModelRequest {
    say(vec![user("hi")])
}

fn ways(server: &Server) -> Vec<String> {
    server.requests().into_iter().map(|request| request.method).collect()
}

/// The same body and the same events, one connection for the turns of a session, and the account in its handshake.
// proves: WIR-148
#[tokio::test]
async fn a_session_speaks_over_one_connection() {
    let first = Reply::new().thinking("hm").text("Look.").tool_call("read", json!({"path": "a"}));
    let server = Server::start(scenario([first, ok()]).require_stable_prefix(true));
    let (client, model) = (client(SocketMode::Auto), model(&server, WIRE));
    let asked = ask(&client, &model, &hi()).await;
    assert_eq!((asked.text().as_str(), asked.calls().len()), ("Look.", 1));
    let messages = vec![user("hi"), asked.as_message(), result(asked.calls()[0], "text")];
    let answered = ask(&client, &model, &say(messages)).await;
    assert_eq!(answered.done().texts().collect::<String>(), "ok");
    assert_eq!(answered.message.usage.input, 100);
    assert_eq!(ways(&server), ["WEBSOCKET", "WEBSOCKET"]);
    assert_eq!(server.sockets(), SocketCount { opened: 1, closed: 0 });
    let sent = &server.requests()[1];
    assert_eq!(sent.header("authorization"), Some(format!("Bearer {CODEX_TOKEN}").as_str()));
    assert_eq!(sent.header("chatgpt-account-id"), Some("account-1"));
    assert_eq!(sent.body["input"].as_array().unwrap().len(), 5);
    server.finish();
}

/// Where the handshake is refused, `auto` posts and does not try again; `on` fails.
// proves: WIR-148
#[tokio::test]
async fn a_refused_handshake_leads_back_to_requests() {
    let server = Server::start([ok(), ok()]);
    let model = model(&server, WIRE);
    let auto = client(SocketMode::Auto);
    for _ in 0..2 {
        assert_eq!(ask(&auto, &model, &hi()).await.done().texts().collect::<String>(), "ok");
    }
    assert_eq!(ways(&server), ["POST", "POST"]);
    assert_eq!(server.other_requests().len(), 1, "one handshake was enough");
    let must = ask(&client(SocketMode::On), &model, &hi()).await;
    assert_eq!(must.failure().status, Some(426), "{:?}", must.failure());
    server.finish();
}

// proves: MOD-134
#[tokio::test]
async fn off_means_requests() {
    let server = Server::start(scenario([ok()]));
    ask(&client(SocketMode::Off), &model(&server, WIRE), &hi()).await.done();
    assert_eq!(ways(&server), ["POST"]);
    assert_eq!(server.sockets(), SocketCount::default());
    assert!(server.other_requests().is_empty());
    for (text, mode) in [("auto", SocketMode::Auto), ("off", SocketMode::Off), ("on", SocketMode::On)] {
        assert_eq!(SocketMode::parse(text), Some(mode));
    }
    assert_eq!(SocketMode::parse("maybe"), None);
    server.finish();
}

/// A connection that breaks before a word is opened again, so often; then `auto` posts and `on` gives up.
#[tokio::test]
async fn a_silent_break_is_repeated() {
    let broken = || ok().drop_after_event(0);
    let budget = |mode, retry_budget| {
        tuned(SocketOptions {
            mode,
            retry_budget,
            retry_delay: Duration::from_millis(1),
            ..SocketOptions::default()
        })
    };
    let server = Server::start(scenario([broken(), broken(), ok(), broken(), ok(), broken(), broken()]));
    let model = model(&server, WIRE);
    ask(&budget(SocketMode::Auto, 5), &model, &hi()).await.done();
    assert_eq!(ways(&server), ["WEBSOCKET"; 3]);
    ask(&budget(SocketMode::Auto, 0), &model, &hi()).await.done();
    assert_eq!(ways(&server)[3..], ["WEBSOCKET", "POST"]);
    let given_up = ask(&budget(SocketMode::On, 1), &model, &hi()).await;
    assert_eq!(given_up.failure().kind, FailureKind::Transient);
    assert!(given_up.failure().message.contains("WebSocket"), "{:?}", given_up.failure());
    server.finish();
}

/// What was shown is not shown twice: a break later on is the loop's to repeat. So is a refusal, which says what a
/// POST would have said.
#[tokio::test]
async fn later_breaks_and_refusals_are_failures() {
    let limit = json!({"error": {"type": "usage_limit_reached", "message": "The usage limit has been reached", "resets_in_seconds": 60}});
    let server = Server::start(scenario([
        Reply::new().text("half of it").delta_size(2).drop_after_event(6),
        Reply::status(429).body(limit),
    ]));
    let (client, model) = (client(SocketMode::Auto), model(&server, WIRE));
    let half = ask(&client, &model, &hi()).await;
    assert_eq!(half.failure().kind, FailureKind::Transient);
    assert!("half of it".starts_with(&half.text()) && !half.text().is_empty());
    let limited = ask(&client, &model, &hi()).await;
    assert_eq!(
        (limited.failure().kind, limited.failure().retry_after_ms),
        (FailureKind::UsageLimit, Some(60_000))
    );
    server.finish();
}

/// Another model, another wire: the connection is closed and the way back opens a new one.
// proves: MOD-159
#[tokio::test]
async fn a_switch_starts_clean() {
    let server = Server::start(scenario([ok(), ok(), ok(), ok()]));
    let client = client(SocketMode::Auto);
    let codex = model(&server, WIRE);
    let other = Model { id: "other".into(), ..codex.clone() };
    ask(&client, &codex, &hi()).await.done();
    ask(&client, &other, &hi()).await.done();
    counted(&server, SocketCount { opened: 2, closed: 1 }).await;
    ask(&client, &model(&server, Wire::AnthropicMessages), &hi()).await.done();
    counted(&server, SocketCount { opened: 2, closed: 2 }).await;
    ask(&client, &codex, &hi()).await.done();
    counted(&server, SocketCount { opened: 3, closed: 2 }).await;
    server.finish();
}

/// Waits until the server has seen so many; it reads a good-bye when it comes to it.
async fn counted(server: &Server, wanted: SocketCount) {
    for _ in 0..2_000 {
        if server.sockets() == wanted {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert_eq!(server.sockets(), wanted);
}

/// Silence has a limit of its own.
#[tokio::test]
async fn silence_is_bounded() {
    let server = Server::start(scenario([ok().stall_after_event(1, Duration::from_secs(60))]));
    let sockets = SocketOptions {
        mode: SocketMode::On,
        idle_timeout: Duration::from_millis(100),
        ..SocketOptions::default()
    };
    let silent = ask(&tuned(sockets), &model(&server, WIRE), &hi()).await;
    assert!(silent.failure().message.contains("nothing for 0.1 s"), "{:?}", silent.failure());
    server.finish();
}
