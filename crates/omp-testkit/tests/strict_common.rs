//! Rules that all wires share: headers, JSON, top-level fields, token limits, keys, the stable prefix.

mod common;

use common::{
    assert_accepted, assert_rejected, changed, default_headers, minimal, post, post_with, push, with_tool,
};
use omp_testkit::{Reply, Scenario, Server, Wire};
use serde_json::json;

#[test]
fn minimal_requests_and_tools_pass() {
    for wire in common::ALIKE {
        assert_accepted(wire, &minimal(wire));
        assert_accepted(wire, &with_tool(wire));
    }
}

#[test]
fn the_body_must_be_a_json_object() {
    for wire in common::ALIKE {
        for (body, part) in [(&b"{"[..], "not JSON"), (b"\"\xff\"", "not UTF-8"), (b"[]", "JSON object")] {
            let server = Server::start(Reply::new());
            let response = post_with(&server, wire, &default_headers(wire), body);
            assert_eq!(response.status, 400);
            assert!(response.error().contains(part), "{}", response.error());
        }
    }
}

#[test]
fn top_level_fields() {
    for wire in common::ALIKE {
        let base = minimal(wire);
        assert_rejected(wire, &changed(&base, |body| body["foo"] = json!(1)), "foo");
        assert_rejected(wire, &changed(&base, |body| body["stream"] = json!(false)), "stream");
        assert_rejected(wire, &changed(&base, |body| body["model"] = json!(" ")), "model");
        let list = if wire == Wire::OpenAiResponses { "input" } else { "messages" };
        for name in ["model", list] {
            let without = changed(&base, |body| {
                body.as_object_mut().unwrap().shift_remove(name);
            });
            assert_rejected(wire, &without, "Field required");
        }
        assert_rejected(wire, &changed(&base, |body| body[list] = json!([])), "");
    }
}

#[test]
fn a_scenario_may_allow_a_field() {
    let server = Server::start(Scenario::new().allow_field("enable_thinking").reply(Reply::new().text("x")));
    let body = changed(&minimal(Wire::OpenAiCompletions), |body| body["enable_thinking"] = json!(true));
    assert_eq!(post(&server, Wire::OpenAiCompletions, &body).status, 200);
}

#[test]
fn token_limits() {
    let chat = minimal(Wire::OpenAiCompletions);
    assert_accepted(
        Wire::OpenAiCompletions,
        &changed(&chat, |body| body["max_completion_tokens"] = json!(5)),
    );
    assert_accepted(Wire::OpenAiCompletions, &changed(&chat, |body| body["max_tokens"] = json!(5)));
    assert_rejected(
        Wire::OpenAiCompletions,
        &changed(&chat, |body| body["max_tokens"] = json!(0)),
        "max_tokens",
    );
    assert_rejected(
        Wire::OpenAiCompletions,
        &changed(&chat, |body| body["max_tokens"] = json!(1.5)),
        "max_tokens",
    );
    let both = changed(&chat, |body| {
        body["max_tokens"] = json!(5);
        body["max_completion_tokens"] = json!(5);
    });
    assert_rejected(Wire::OpenAiCompletions, &both, "at the same time");
    let responses = minimal(Wire::OpenAiResponses);
    assert_accepted(
        Wire::OpenAiResponses,
        &changed(&responses, |body| body["max_output_tokens"] = json!(16)),
    );
    assert_rejected(
        Wire::OpenAiResponses,
        &changed(&responses, |body| body["max_output_tokens"] = json!(15)),
        "at least 16",
    );
    assert_rejected(
        Wire::OpenAiResponses,
        &changed(&responses, |body| body["max_tokens"] = json!(50)),
        "max_tokens",
    );
    let anthropic = minimal(Wire::AnthropicMessages);
    let without = changed(&anthropic, |body| {
        body.as_object_mut().unwrap().shift_remove("max_tokens");
    });
    assert_rejected(Wire::AnthropicMessages, &without, "max_tokens: Field required");
    assert_rejected(
        Wire::AnthropicMessages,
        &changed(&anthropic, |body| body["max_tokens"] = json!(-1)),
        "max_tokens",
    );
}

#[test]
fn headers() {
    for wire in common::ALIKE {
        for (missing, status) in [("content-type", 400), ("x-api-key", 401), ("authorization", 401)] {
            let headers = default_headers(wire);
            let kept: Vec<_> = headers.iter().copied().filter(|(name, _)| *name != missing).collect();
            if kept.len() == headers.len() {
                continue;
            }
            let server = Server::start(Reply::new().text("x"));
            let response = post_with(&server, wire, &kept, minimal(wire).to_string().as_bytes());
            assert_eq!(response.status, status, "{wire} without {missing}");
            assert_eq!(server.violations().len(), 1);
        }
    }
}

#[test]
fn anthropic_version() {
    let wire = Wire::AnthropicMessages;
    for version in [None, Some("2024-01-01")] {
        let server = Server::start(Reply::new().text("x"));
        let mut headers = vec![("content-type", "application/json"), ("authorization", "Bearer k")];
        headers.extend(version.map(|version| ("anthropic-version", version)));
        let response = post_with(&server, wire, &headers, minimal(wire).to_string().as_bytes());
        assert!(response.error().contains("anthropic-version"), "{}", response.error());
    }
}

#[test]
fn keys() {
    let wire = Wire::OpenAiCompletions;
    let body = minimal(wire).to_string();
    let no_key = [("content-type", "application/json")];
    let server = Server::start(Scenario::new().keyless(true).reply(Reply::new().text("x")));
    assert_eq!(post_with(&server, wire, &no_key, body.as_bytes()).status, 200);
    let server = Server::start(Scenario::new().expect_key("other").reply(Reply::new().text("x")));
    let refused = post(&server, wire, &minimal(wire));
    assert_eq!(refused.status, 401);
    assert_eq!(refused.json()["error"]["code"], "invalid_api_key");
    assert!(server.violations().is_empty(), "a test may be about a wrong key");
    let right = [("content-type", "application/json"), ("authorization", "Bearer other")];
    assert_eq!(post_with(&server, wire, &right, body.as_bytes()).status, 200);
    server.finish();
}

#[test]
fn lenient_servers_check_nothing() {
    let server = Server::start(Scenario::new().lenient(true).reply(Reply::new().text("x")));
    let response = post_with(&server, Wire::AnthropicMessages, &[], b"{\"odd\": 1}");
    assert_eq!(response.status, 200);
    server.finish();
}

#[test]
fn stable_prefix() {
    for wire in common::ALIKE {
        let replies = (0..6).map(|_| Reply::new().text("x"));
        let server = Server::start(Scenario::replies(replies).require_stable_prefix(true));
        let list = if wire == Wire::OpenAiResponses { "input" } else { "messages" };
        let first = with_tool(wire);
        assert_eq!(post(&server, wire, &first).status, 200);
        let mut second = first.clone();
        push(&mut second, json!({"role": "assistant", "content": "x"}));
        push(&mut second, json!({"role": "user", "content": "more"}));
        assert_eq!(post(&server, wire, &second).status, 200, "an extension");
        assert_eq!(post(&server, wire, &second).status, 200, "the same again");
        let shorter = post(&server, wire, &first);
        assert!(shorter.error().contains(&format!("`{list}` 1 is missing")), "{}", shorter.error());
        let edited = changed(&second, |body| body[list][1]["content"] = json!("y"));
        assert!(post(&server, wire, &edited).error().contains(&format!("`{list}` 1 differs")));
        let tools = changed(&second, |body| {
            body.as_object_mut().unwrap().shift_remove("tools");
        });
        assert!(post(&server, wire, &tools).error().contains("`tools` differs"));
        assert_eq!(server.violations().len(), 3);
    }
}

#[test]
fn stable_prefix_ignores_moving_breakpoints() {
    let wire = Wire::AnthropicMessages;
    let server = Server::start(
        Scenario::replies([Reply::new().text("x"), Reply::new().text("x")]).require_stable_prefix(true),
    );
    let marked = changed(&minimal(wire), |body| {
        body["messages"][0]["content"] =
            json!([{"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}]);
    });
    assert_eq!(post(&server, wire, &marked).status, 200);
    let mut next = minimal(wire);
    push(&mut next, json!({"role": "assistant", "content": "x"}));
    push(&mut next, json!({"role": "user", "content": "more"}));
    assert_eq!(post(&server, wire, &next).status, 200);
    server.finish();
}

#[test]
fn shared_prefix_bytes() {
    let wire = Wire::OpenAiCompletions;
    let server =
        Server::start(Scenario::replies([Reply::new().text("x"), Reply::new().text("x")]).lenient(true));
    post_with(&server, wire, &[], b"{\"a\":1,\"b\":2}");
    post_with(&server, wire, &[], b"{\"a\":1,\"c\":2}");
    assert_eq!(server.shared_prefix_bytes(0), 8);
}
