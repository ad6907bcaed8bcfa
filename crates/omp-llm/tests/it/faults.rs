//! Whatever goes wrong is one terminal error that says what, and is classed for what to do.

use omp_llm::{Client, ClientOptions};
use omp_testkit::{Reply, Scenario, Server, Wire};
use omp_types::{FailureKind, StopReason};
use serde_json::json;

use crate::support::{
    ask, ask_once, binary_message, client, model, model_at, options, request, streams_arguments, user,
};

/// Status, the provider's words and the wait it asks for are in the message and in fields of their own.
// proves: LOP-027
#[tokio::test]
async fn statuses_become_classed_failures() {
    let cases = [
        (401, "authentication failed", FailureKind::Auth),
        (403, "not for you", FailureKind::Auth),
        (404, "no such model", FailureKind::Fatal),
        (422, "bad field", FailureKind::Fatal),
        (429, "slow down", FailureKind::RateLimit),
        (429, "You exceeded your current quota", FailureKind::UsageLimit),
        (400, "prompt is too long: 250000 tokens > 200000 maximum", FailureKind::ContextOverflow),
        (500, "oops", FailureKind::Transient),
        (529, "Overloaded", FailureKind::Transient),
    ];
    for wire in Wire::ALL {
        for (status, words, kind) in cases {
            let body = json!({"error": {"type": "some_type", "message": words}});
            let server = Server::start([
                Reply::status(status).body(body.clone()),
                Reply::status(status).body(body).header("retry-after", "7"),
            ]);
            let (client, model, request) = (client(), model(&server, wire), request(vec![user("hi")]));
            let plain = ask(&client, &model, &request).await;
            let failure = plain.failure();
            assert_eq!(plain.message.stop_reason, StopReason::Error);
            assert_eq!(
                (failure.kind, failure.status, failure.retry_after_ms),
                (kind, Some(status), None),
                "{wire} {status} {words}"
            );
            assert!(
                failure.message.starts_with(&status.to_string()) && failure.message.contains(words),
                "{failure:?}"
            );
            assert_eq!(plain.message.error_message.as_ref(), Some(&failure.message));
            let timed = ask(&client, &model, &request).await;
            let failure = timed.failure();
            assert_eq!((failure.kind, failure.retry_after_ms), (kind, Some(7000)), "{wire} {status}");
            assert!(failure.message.contains("7000 ms"), "{failure:?}");
            server.finish();
        }
    }
}

/// Error bodies without JSON, without anything, and endless ones.
#[tokio::test]
async fn error_bodies_may_be_anything() {
    let server = Server::start([
        Reply::status(502).body_bytes("text/html", "<html><body>Bad gateway</body></html>"),
        Reply::status(503).body_bytes("text/plain", ""),
        Reply::status(500).body_bytes("text/plain", "x".repeat(5_000_000)),
        Reply::status(500).body(json!({"error": {"message": "cut"}})).drop_after_bytes(5),
    ]);
    let (client, model, request) =
        (client(), model(&server, Wire::OpenAiCompletions), request(vec![user("hi")]));
    let html = ask(&client, &model, &request).await;
    assert!(
        html.failure().message.contains("502") && html.failure().message.contains("web page"),
        "{:?}",
        html.failure()
    );
    assert_eq!(ask(&client, &model, &request).await.failure().message, "503 Service Unavailable");
    let long = ask(&client, &model, &request).await;
    assert!(long.failure().message.len() < 3000 && long.failure().message.ends_with('…'));
    let cut = ask(&client, &model, &request).await;
    assert_eq!((cut.failure().kind, cut.failure().status), (FailureKind::Transient, Some(500)));
    server.finish();
}

/// A page or an error where a stream should be.
#[tokio::test]
async fn success_without_a_stream_is_explained() {
    let server = Server::start([
        Reply::raw("text/html; charset=utf-8", "<html>Sign in</html>"),
        Reply::new().body(json!({"error": {"message": "model is overloaded", "type": "server"}})),
        Reply::new().body(json!({"error": "unknown field"})),
    ]);
    let (client, model, request) =
        (client(), model(&server, Wire::OpenAiCompletions), request(vec![user("hi")]));
    let page = ask(&client, &model, &request).await;
    assert_eq!(page.failure().kind, FailureKind::Fatal);
    assert!(page.failure().message.contains("web page") && page.failure().message.contains("baseUrl"));
    assert!(page.failure().message.contains(&server.base_url()));
    let busy = ask(&client, &model, &request).await;
    assert_eq!(busy.failure().kind, FailureKind::Transient);
    assert!(busy.failure().message.contains("model is overloaded"));
    // The address holds a port, which must not be mistaken for a status.
    assert_eq!(ask(&client, &model, &request).await.failure().kind, FailureKind::Fatal);
    server.finish();
}

/// Nobody listens; no such name.
#[tokio::test]
async fn unreachable_servers_are_named() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let refused = ask_once(
        &model_at(&format!("http://127.0.0.1:{port}/v1"), Wire::OpenAiCompletions),
        &request(vec![user("x")]),
    )
    .await;
    assert_eq!(refused.failure().kind, FailureKind::NotListening);
    assert!(
        refused.failure().message.contains(&format!("cannot connect to http://127.0.0.1:{port}")),
        "{:?}",
        refused.failure()
    );
    let unknown = ask_once(
        &model_at("http://no-such-host.invalid/v1", Wire::AnthropicMessages),
        &request(vec![user("x")]),
    )
    .await;
    assert_eq!(unknown.failure().kind, FailureKind::Transient);
    assert!(unknown.failure().message.contains("no-such-host.invalid"), "{:?}", unknown.failure());
    for bad in ["not a url", "", "ftp://host/v1"] {
        let outcome = ask_once(&model_at(bad, Wire::OpenAiResponses), &request(vec![user("x")])).await;
        assert!(outcome.failure().message.len() > 10, "{bad}: {:?}", outcome.failure());
    }
}

/// A stream that ends in the middle: of an event, after whole events, inside a call, properly or by force.
#[tokio::test]
async fn broken_streams_keep_what_arrived() {
    for wire in Wire::ALL {
        // A call that comes whole cannot be cut.
        let in_call = if streams_arguments(wire) { 9 } else { 1 };
        for proper in [true, false] {
            let text = || Reply::new().text("0123456789abcdef0123456789abcdef0123456789").delta_size(8);
            let call = || {
                Reply::new()
                    .text("x")
                    .tool_call("read", json!({"path": "a/long/path/to/a/file.txt"}))
                    .argument_size(6)
            };
            let cut = |reply: Reply, events: usize| {
                if proper { reply.end_after_event(events) } else { reply.drop_after_event(events) }
            };
            let half =
                |reply: Reply| if proper { reply.end_after_bytes(700) } else { reply.drop_after_bytes(700) };
            let server = Server::start([cut(text(), 6), half(text()), cut(call(), in_call), cut(text(), 0)]);
            let (client, model, request) = (client(), model(&server, wire), request(vec![user("hi")]));
            for _ in 0..2 {
                let broken = ask(&client, &model, &request).await;
                assert_eq!(broken.failure().kind, FailureKind::Transient, "{wire}");
                assert!(broken.failure().message.contains("connection"), "{:?}", broken.failure());
            }
            let broken = ask(&client, &model, &request).await;
            if let Some(call) = broken.calls().first() {
                assert!(call.invalid_arguments.is_some() && call.arguments.is_empty(), "{wire}");
            } else {
                assert_ne!(wire, Wire::AnthropicMessages, "the cut is inside the call");
            }
            let empty = ask(&client, &model, &request).await;
            assert_eq!(empty.failure().kind, FailureKind::Transient);
            assert!(empty.message.content.is_empty());
            server.finish();
        }
    }
}

/// A call that was cut off can be replayed; the model is told that it never ran.
#[tokio::test]
async fn a_cut_call_makes_a_valid_next_request() {
    for wire in Wire::ALL.into_iter().filter(|wire| streams_arguments(*wire)) {
        let reply = Reply::new()
            .thinking("hm")
            .text("x")
            .tool_call("read", json!({"path": "a/long/path/to/a/file.txt"}))
            .argument_size(4);
        let events = match wire {
            Wire::OpenAiResponses | Wire::AzureOpenAiResponses | Wire::OpenAiCodexResponses => 18,
            _ => 10,
        };
        let server = Server::start([reply.drop_after_event(events), Reply::new().text("ok")]);
        let (client, model) = (client(), model(&server, wire));
        let broken = ask(&client, &model, &request(vec![user("hi")])).await;
        assert_eq!(broken.calls().len(), 1, "{wire}: {:?}", broken.events);
        ask(&client, &model, &request(vec![user("hi"), broken.as_message(), user("again")])).await.done();
        assert!(server.requests()[1].body.to_string().contains("No result"), "{wire}");
        server.finish();
    }
}

/// The data as one event of the wire.
fn framed(wire: Wire, data: &[u8]) -> Vec<u8> {
    match wire {
        Wire::OllamaChat => [data, b"\n"].concat(),
        Wire::BedrockConverseStream => binary_message("messageStart", data),
        _ => [b"data: ", data, b"\n\n"].concat(),
    }
}

/// Bytes that are no text, and data that is no JSON.
// proves: LOP-028
#[tokio::test]
async fn garbage_is_an_error() {
    for wire in Wire::ALL {
        let garbage = [b"{\"type\":\"\xff\xfe\"}", b"{\"type\": ".as_slice(), b"[1,2,3]", b"null"];
        let server =
            Server::start(garbage.map(|data| Reply::raw("text/event-stream", framed(wire, data))).to_vec());
        let (client, model, request) = (client(), model(&server, wire), request(vec![user("hi")]));
        let text = ask(&client, &model, &request).await;
        assert!(text.failure().message.contains("UTF-8"), "{:?}", text.failure());
        for _ in 0..3 {
            let outcome = ask(&client, &model, &request).await;
            assert_eq!(outcome.failure().kind, FailureKind::Fatal, "{wire}");
            assert!(outcome.failure().message.contains("not valid for this API"), "{:?}", outcome.failure());
        }
        assert_eq!(server.requests().len(), 4, "nothing is retried in here");
        server.finish();
    }
}

/// An event without end is refused at the limit.
#[tokio::test]
async fn endless_events_are_bounded() {
    for wire in Wire::ALL {
        let server = Server::start([Reply::new().text(&"x".repeat(200_000)).delta_size(200_000)]);
        let client = Client::new(ClientOptions { max_event_bytes: 64 * 1024, ..options() }).unwrap();
        let outcome = ask(&client, &model(&server, wire), &request(vec![user("hi")])).await;
        assert_eq!(outcome.failure().kind, FailureKind::Fatal);
        assert!(outcome.failure().message.contains("65536 bytes"), "{:?}", outcome.failure());
        server.finish();
    }
}

/// A hundred megabytes in one event: the default limit ends it, and the memory stays small.
#[tokio::test]
async fn a_hundred_megabytes_do_not_fill_the_memory() {
    let mut body = b"data: {\"choices\":[{\"delta\":{\"content\":\"".to_vec();
    body.resize(100_000_000, b'x');
    let server = Server::start(Scenario::from(Reply::raw("text/event-stream", body)));
    let before = resident_bytes();
    let outcome = ask_once(&model(&server, Wire::OpenAiCompletions), &request(vec![user("hi")])).await;
    assert_eq!(outcome.failure().kind, FailureKind::Fatal);
    assert!(outcome.failure().message.contains("larger than"), "{:?}", outcome.failure());
    assert!(outcome.message.content.is_empty());
    // The scripted server copies its reply once; everything beyond is ours.
    let ours = resident_bytes().saturating_sub(before).saturating_sub(100_000_000);
    assert!(ours < 100_000_000, "{ours} bytes");
}

fn resident_bytes() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    text.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

/// A redirect is reported, not followed: the key must not travel.
#[tokio::test]
async fn redirects_are_reported_and_the_key_stays() {
    let stranger = Server::start(Scenario::replies([Reply::new().text("caught")]).repeat(true));
    for wire in Wire::ALL {
        for status in [301, 302, 307, 308] {
            let target = format!("{}/v1/messages?token=secret", stranger.base_url());
            let server = Server::start([Reply::status(status).header("location", &target)]);
            let outcome = ask_once(&model(&server, wire), &request(vec![user("hi")])).await;
            assert_eq!(outcome.failure().kind, FailureKind::Fatal);
            let message = &outcome.failure().message;
            assert!(
                message.contains(&stranger.base_url())
                    && message.contains("baseUrl")
                    && !message.contains("secret"),
                "{message}"
            );
        }
    }
    assert!(stranger.requests().is_empty());
}

/// A provider that repeats the key in its message does not get it into ours.
#[tokio::test]
async fn keys_do_not_show_in_errors() {
    for wire in Wire::ALL {
        let server = Server::start(Scenario::new().expect_key("another"));
        let outcome = ask_once(&model(&server, wire), &request(vec![user("hi")])).await;
        let text = format!("{outcome:?}");
        assert_eq!(outcome.failure().kind, FailureKind::Auth);
        assert!(
            outcome.failure().message.contains("Incorrect API key") && !text.contains("test-key"),
            "{text}"
        );
    }
    let model = model_at("http://user:hunter2@127.0.0.1:1/v1?key=hunter2", Wire::OpenAiCompletions);
    let outcome = ask_once(&model, &request(vec![user("hi")])).await;
    assert!(!format!("{outcome:?}").contains("hunter2"), "{:?}", outcome.failure());
    assert!(!format!("{model:?}").contains("test-key"));
}

/// A wait that the server asks for in another header.
#[tokio::test]
async fn other_wait_headers_are_read() {
    let server = Server::start([
        Reply::status(429).header("retry-after-ms", "1500"),
        Reply::status(429).header("x-ratelimit-reset-ms", "250"),
    ]);
    let (client, model, request) =
        (client(), model(&server, Wire::AnthropicMessages), request(vec![user("hi")]));
    for expected in [1500, 250] {
        assert_eq!(ask(&client, &model, &request).await.failure().retry_after_ms, Some(expected));
    }
    server.finish();
}
