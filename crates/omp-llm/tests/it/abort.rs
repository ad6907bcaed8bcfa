//! Stopping: prompt, complete, and without losing words.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use omp_llm::{Client, ClientOptions, Model, collect};
use omp_testkit::{Reply, Server, Wire};
use omp_types::{FailureKind, ModelRequest, StopReason, StreamEvent};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::{Outcome, ask, check_order, client, model, model_at, options, request, user};

const PROMPT: Duration = Duration::from_millis(100);

/// Cancels after `after` and says how long the stream then took to end.
async fn abort_after(
    client: &Client,
    model: Model,
    request: &ModelRequest,
    after: Duration,
) -> (Outcome, Duration) {
    let cancel = CancellationToken::new();
    let stream = client.stream(Arc::new(model), request, cancel.clone());
    let reading = tokio::spawn(collect(stream));
    tokio::time::sleep(after).await;
    let cancelled = Instant::now();
    cancel.cancel();
    let (events, message) = reading.await.unwrap();
    check_order(&events);
    (Outcome { events, message: message.unwrap() }, cancelled.elapsed())
}

fn assert_aborted(outcome: &Outcome) {
    assert_eq!(outcome.message.stop_reason, StopReason::Aborted);
    assert_eq!(outcome.failure().kind, FailureKind::Aborted);
    assert_eq!(outcome.failure().message, "Request was aborted");
    assert_eq!(outcome.message.error_message.as_deref(), Some("Request was aborted"));
}

/// In the middle of the text: the server sees the connection close, and what was said is kept.
// proves: WIR-004
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn aborting_closes_the_connection_and_keeps_the_words() {
    for wire in Wire::ALL {
        let reply = Reply::new()
            .text("These words arrived. These did not.")
            .delta_size(4)
            .stall_after_event(8, Duration::from_secs(60));
        let server = Server::start([reply]);
        let (client, request) = (client(), request(vec![user("hi")]));
        let cancel = CancellationToken::new();
        let mut stream = client.stream(Arc::new(model(&server, wire)), &request, cancel.clone());
        let mut events = Vec::new();
        while !events.iter().any(|event| matches!(event, StreamEvent::TextDelta { .. })) {
            events.extend(stream.next().await.unwrap());
        }
        let cancelled = Instant::now();
        cancel.cancel();
        while let Some(batch) = stream.next().await {
            events.extend(batch);
        }
        assert!(cancelled.elapsed() < PROMPT, "{wire}: {:?}", cancelled.elapsed());
        check_order(&events);
        let message = events.last().and_then(StreamEvent::terminal).unwrap().clone();
        let outcome = Outcome { events, message };
        assert_aborted(&outcome);
        assert!(
            outcome.text().starts_with("Thes")
                && "These words arrived. These did not.".starts_with(&outcome.text()),
            "{wire}: {}",
            outcome.text()
        );
        drop(stream);
        let gone = server.wait_for_disconnects(1, Duration::from_secs(2));
        assert!(gone[0].at.duration_since(cancelled) < Duration::from_millis(500), "{wire}");
        server.finish();
    }
}

/// Nobody answers the connection: a listener whose queue is full.
// proves: LOP-027
#[tokio::test]
async fn aborting_while_connecting() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    // Nobody accepts; once the backlog is full, new connections hang.
    let mut fillers = Vec::new();
    while fillers.len() < 5000 {
        match std::net::TcpStream::connect_timeout(&address, Duration::from_millis(30)) {
            Ok(filler) => fillers.push(filler),
            Err(_) => break,
        }
    }
    let model = model_at(&format!("http://{address}/v1"), Wire::OpenAiCompletions);
    let (outcome, took) =
        abort_after(&client(), model, &request(vec![user("hi")]), Duration::from_millis(50)).await;
    assert!(took < PROMPT, "{took:?}");
    assert_aborted(&outcome);
}

/// The request is sent and nothing comes back.
// proves: LOP-027
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn aborting_while_waiting_for_the_head() {
    for wire in Wire::ALL {
        let server = Server::start([Reply::new().text("late").delay_before(Duration::from_secs(60))]);
        let (outcome, took) = abort_after(
            &client(),
            model(&server, wire),
            &request(vec![user("hi")]),
            Duration::from_millis(80),
        )
        .await;
        assert!(took < PROMPT, "{wire}: {took:?}");
        assert_aborted(&outcome);
        assert!(outcome.message.content.is_empty());
        server.wait_for_disconnects(1, Duration::from_secs(2));
        server.finish();
    }
}

/// An abort that came before the request sends nothing at all.
#[tokio::test]
async fn aborting_beforehand_sends_nothing() {
    let server = Server::start(Vec::new());
    let cancel = CancellationToken::new();
    cancel.cancel();
    let stream = client().stream(
        Arc::new(model(&server, Wire::AnthropicMessages)),
        &request(vec![user("hi")]),
        cancel,
    );
    let (events, message) = collect(stream).await;
    assert_aborted(&Outcome { events, message: message.unwrap() });
    assert!(server.requests().is_empty());
    server.finish();
}

/// While the body of an error trickles in.
#[tokio::test]
async fn aborting_inside_an_error_body() {
    let body = json!({"error": {"message": "x".repeat(100)}});
    let server =
        Server::start([Reply::status(500).body(body).stall_after_bytes(10, Duration::from_secs(60))]);
    let (outcome, took) = abort_after(
        &client(),
        model(&server, Wire::OpenAiCompletions),
        &request(vec![user("hi")]),
        Duration::from_millis(80),
    )
    .await;
    assert!(took < PROMPT, "{took:?}");
    assert_aborted(&outcome);
}

/// Silence beyond the limit is a failure worth another try; the model's own floor raises the limit, zero removes it.
// proves: WIR-007
#[tokio::test]
async fn silence_is_bounded() {
    let pause = Duration::from_millis(700);
    for wire in Wire::ALL {
        let reply =
            || Reply::new().text("some words, then silence").delta_size(4).stall_after_event(5, pause);
        let server =
            Server::start([reply(), reply(), reply(), Reply::new().text("late").delay_before(pause)]);
        let request = request(vec![user("hi")]);
        let with_limit = |ms: u64| {
            Client::new(ClientOptions { idle_timeout: Duration::from_millis(ms), ..options() }).unwrap()
        };
        let short = with_limit(100);
        let started = Instant::now();
        let silent = ask(&short, &model(&server, wire), &request).await;
        assert!(started.elapsed() < Duration::from_millis(600), "{wire}");
        assert_eq!(silent.failure().kind, FailureKind::Transient, "{wire}");
        assert!(silent.failure().message.contains("idle"), "{:?}", silent.failure());
        let mut patient = model(&server, wire);
        patient.compat.stream_idle_timeout_ms = 5000;
        assert_eq!(ask(&short, &patient, &request).await.done().stop_reason, StopReason::Stop, "{wire}");
        ask(&with_limit(0), &model(&server, wire), &request).await.done();
        let silent = ask(&short, &model(&server, wire), &request).await;
        assert_eq!(
            silent.failure().kind,
            FailureKind::Transient,
            "{wire}: silence before the first byte counts too"
        );
        server.finish();
    }
    assert_eq!(ClientOptions::default().idle_timeout, Duration::from_secs(300));
}
