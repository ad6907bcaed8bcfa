//! The rules of Cloud Code Assist: what is refused around a body that Google's rules allow.

mod common;

use common::{Response, connect, read_response, request_bytes};
use omp_testkit::{Reply, Server, Wire};
use serde_json::{Value, json};
use std::io::Write;

const PATH: &str = "/v1internal:streamGenerateContent?alt=sse";
const JSON: (&str, &str) = ("content-type", "application/json");
const BEARER: (&str, &str) = ("authorization", "Bearer test-key");

fn body() -> Value {
    let contents = json!([{"role": "user", "parts": [{"text": "hi"}]}]);
    json!({"model": "gemini-2.5-pro", "project": "p", "request": {"contents": contents}})
}

fn send(server: &Server, path: &str, headers: &[(&str, &str)], body: &Value) -> Response {
    let mut stream = connect(server);
    stream.write_all(&request_bytes(path, headers, body.to_string().as_bytes())).expect("the server reads");
    read_response(&mut stream)
}

/// The chunks come in envelopes; the journal tells what is inside from what is around.
#[test]
fn answers_come_in_envelopes() {
    let server = Server::start(Reply::new().text("hello"));
    let response = send(&server, PATH, &[JSON, BEARER], &body());
    assert_eq!(response.status, 200, "{}", response.text());
    let events = response.events();
    assert!(events.iter().all(|(_, data)| data["response"]["candidates"].is_array()), "{events:?}");
    let request = &server.requests()[0];
    assert_eq!((request.wire, &request.envelope["project"]), (Wire::GoogleGeminiCli, &json!("p")));
    assert_eq!(request.body["contents"][0]["parts"][0]["text"], "hi");
    server.finish();
}

#[test]
fn envelopes_are_checked() {
    let changed = |field: &str, value: Value| {
        let mut body = body();
        body[field] = value;
        body
    };
    let without = |field: &str| changed(field, Value::Null);
    let plain = [JSON, BEARER];
    let whole_key = [JSON, ("authorization", r#"Bearer {"token":"t","projectId":"p"}"#)];
    let key = [JSON, BEARER, ("x-goog-api-key", "k")];
    for (headers, body, part) in [
        (&plain[..], without("model"), "model"),
        (&plain, without("project"), "project"),
        (&plain, without("request"), "request"),
        (&plain, changed("model", json!("models/gemini-2.5-pro")), "model"),
        (&plain, changed("stream", json!(true)), "stream"),
        (&plain, changed("request", json!({"contents": []})), "contents"),
        (&plain, changed("request", json!({"model": "m", "contents": []})), "model"),
        (&whole_key, body(), "authentication"),
        (&key, body(), "x-goog-api-key"),
        (&[JSON], body(), "authorization"),
    ] {
        let server = Server::start(Reply::new().text("x"));
        let response = send(&server, PATH, headers, &body);
        assert!(response.status >= 400, "{part} was expected, but it was accepted: {body}");
        assert!(response.text().contains(part), "{part} was expected, not {}", response.text());
        assert_eq!((server.violations().len(), server.unconsumed_replies()), (1, 1));
    }
    let server = Server::start(Reply::new().text("x"));
    let unstreamed = send(&server, "/v1internal:streamGenerateContent", &plain, &body());
    assert!(unstreamed.status == 400 && unstreamed.text().contains("alt=sse"), "{}", unstreamed.text());
}
