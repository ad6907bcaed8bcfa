//! What the Google wires refuse, and how they answer.
#![expect(clippy::needless_pass_by_value, reason = "callers write json!({…}) in place")]

mod common;

use common::{
    assert_accepted, assert_rejected, changed, default_headers, minimal, post, post_with, read_response,
    request_bytes, with_tool,
};
use omp_testkit::{Reply, Scenario, Server, Stop, Usage, Wire};
use serde_json::{Value, json};
use std::io::Write;

const WIRE: Wire = Wire::GoogleGenerativeAi;

/// Posts to the path of another model.
fn post_to(server: &Server, path: &str, headers: &[(&str, &str)], body: &Value) -> common::Response {
    let mut stream = common::connect(server);
    stream.write_all(&request_bytes(path, headers, body.to_string().as_bytes())).expect("the server reads");
    read_response(&mut stream)
}

fn model_path(model: &str) -> String {
    format!("/v1beta/models/{model}:streamGenerateContent?alt=sse")
}

fn refusal(model: &str, body: &Value) -> Option<String> {
    let server = Server::start(Reply::new().text("x"));
    let response = post_to(&server, &model_path(model), &default_headers(WIRE), body);
    (response.status != 200).then(|| response.error())
}

fn call(id: &str) -> Value {
    json!({"functionCall": {"id": id, "name": "read", "args": {"path": "x"}}})
}

fn answer(id: &str) -> Value {
    json!({"functionResponse": {"id": id, "name": "read", "response": {"output": "X"}}})
}

fn said(role: &str, parts: Value) -> Value {
    json!({"role": role, "parts": parts})
}

fn with_contents(contents: Value) -> Value {
    changed(&with_tool(WIRE), |body| body["contents"] = contents)
}

fn user() -> Value {
    said("user", json!([{"text": "hi"}]))
}

#[test]
fn fields_outside_the_contents() {
    let base = with_tool(WIRE);
    assert_accepted(WIRE, &base);
    let config = |value: Value| changed(&base, |body| body["generationConfig"] = value);
    let choice =
        |value: Value| changed(&base, |body| body["toolConfig"] = json!({"functionCallingConfig": value}));
    assert_accepted(WIRE, &config(json!({"temperature": 1, "thinkingConfig": {"thinkingBudget": 0}})));
    assert_accepted(WIRE, &choice(json!({"mode": "ANY", "allowedFunctionNames": ["read"]})));
    for (body, part) in [
        (changed(&base, |body| body["model"] = json!("x")), "model"),
        (changed(&base, |body| body["stream"] = json!(true)), "stream"),
        (changed(&base, |body| body["contents"] = json!([])), "contents"),
        (
            changed(&base, |body| body["systemInstruction"] = json!({"parts": [{"text": " "}]})),
            "systemInstruction",
        ),
        (changed(&base, |body| body["tools"] = json!([])), "tools"),
        (
            changed(&base, |body| body["tools"][0]["functionDeclarations"][0]["strict"] = json!(true)),
            "strict",
        ),
        (changed(&base, |body| body["tools"][0]["functionDeclarations"][0]["name"] = json!("3d")), "letter"),
        (
            changed(&base, |body| body["tools"][0]["functionDeclarations"][0]["parameters"] = json!({})),
            "exclude",
        ),
        (changed(&minimal(WIRE), |body| body["toolConfig"] = json!({})), "without function declarations"),
        (choice(json!({"mode": "any"})), "mode"),
        (choice(json!({"mode": "AUTO", "allowedFunctionNames": ["read"]})), "only with mode ANY"),
        (choice(json!({"mode": "ANY", "allowedFunctionNames": ["other"]})), "other"),
        (config(json!({"max_tokens": 5})), "max_tokens"),
        (config(json!({"maxOutputTokens": 0})), "maxOutputTokens"),
        (config(json!({"topK": 1.5})), "topK"),
        (config(json!({"temperature": 3})), "temperature"),
        (config(json!({"thinkingConfig": {"thinkingBudget": 5, "thinkingLevel": "LOW"}})), "only set one"),
        (config(json!({"thinkingConfig": {"thinkingLevel": "LOW"}})), "not supported"),
        (
            config(json!({"thinkingConfig": {"thinkingBudget": 0, "includeThoughts": true}})),
            "nothing to include",
        ),
        (config(json!({"thinkingConfig": {"thinkingBudget": 90_000}})), "between 0 and 24576"),
        (
            config(json!({"maxOutputTokens": 10, "thinkingConfig": {"thinkingBudget": 10}})),
            "below maxOutputTokens",
        ),
    ] {
        assert_rejected(WIRE, &body, part);
    }
}

#[test]
fn families_differ() {
    let config =
        |value: Value| changed(&minimal(WIRE), |body| body["generationConfig"]["thinkingConfig"] = value);
    for (model, value, part) in [
        ("gemini-2.5-pro", json!({"thinkingBudget": 0}), "between 128"),
        ("gemini-2.5-flash-lite", json!({"thinkingBudget": 5}), "between 512"),
        ("gemini-3-pro-preview", json!({"thinkingBudget": 512}), "takes a thinkingLevel"),
        ("gemini-3-pro-preview", json!({"thinkingLevel": "MEDIUM"}), "not supported"),
    ] {
        let refused = refusal(model, &config(value)).unwrap_or_default();
        assert!(refused.contains(part), "{model}: {refused}");
    }
    assert_eq!(refusal("gemini-3-flash-preview", &config(json!({"thinkingLevel": "MEDIUM"}))), None);
}

#[test]
fn schemas_are_a_closed_set() {
    let with = |schema: Value| {
        changed(&with_tool(WIRE), |body| {
            body["tools"][0]["functionDeclarations"][0]["parametersJsonSchema"] = schema;
        })
    };
    let property = |value: Value| with(json!({"type": "object", "properties": {"a": value}}));
    for (body, part) in [
        (with(json!({})), "object"),
        (with(json!({"type": "object", "anyOf": [{"type": "object"}]})), "top level"),
        (with(json!({"type": "object", "properties": {}, "required": ["a"]})), "not defined"),
        (property(json!({})), "one type"),
        (property(json!({"type": ["string", "null"]})), "one type"),
        (property(json!({"type": "array"})), "items"),
        (property(json!({"type": "string", "const": "x"})), "const"),
        (property(json!({"type": "integer", "enum": [1]})), "strings only"),
        (property(json!({"oneOf": [{"type": "string"}]})), "oneOf"),
        (property(json!({"type": "object", "additionalProperties": false})), "additionalProperties"),
    ] {
        assert_rejected(WIRE, &body, part);
    }
    assert_accepted(WIRE, &property(json!({"type": "string", "nullable": true, "enum": ["a"]})));
}

#[test]
fn contents_have_roles_and_parts() {
    let picture = |kind: &str| json!([{"inlineData": {"mimeType": kind, "data": "aGk="}}]);
    assert_accepted(
        WIRE,
        &with_contents(json!([
            user(),
            said("model", json!([call("1")])),
            said("user", json!([answer("1")]))
        ])),
    );
    assert_accepted(WIRE, &with_contents(json!([said("user", picture("image/png")), user()])));
    let loop_of = |calls: Value, answers: Value| {
        with_contents(json!([user(), said("model", calls), said("user", answers)]))
    };
    for (body, part) in [
        (with_contents(json!([said("assistant", json!([{"text": "x"}]))])), "valid role"),
        (with_contents(json!([said("user", json!([]))])), "parts"),
        (with_contents(json!([said("user", json!([{"text": ""}]))])), "empty"),
        (with_contents(json!([said("user", json!([{"text": "a", "inlineData": {}}]))])), "oneof"),
        (with_contents(json!([said("user", json!([{"text": "a", "thought": true}]))])), "the model's"),
        (with_contents(json!([said("user", picture("image/gif"))])), "Unsupported MIME"),
        (with_contents(json!([said("user", json!([call("1")]))])), "not allowed in role user"),
        (with_contents(json!([said("model", json!([{"text": "x"}])), user()])), "role user"),
        (with_contents(json!([user(), said("model", json!([{"text": "x"}]))])), "role user"),
        (with_contents(json!([user(), said("user", json!([answer("1")]))])), "number of function response"),
        (
            with_contents(json!([user(), said("model", json!([call("1")])), user()])),
            "number of function response",
        ),
        (loop_of(json!([call("1"), call("2")]), json!([answer("1")])), "number of function response"),
        (loop_of(json!([call("1")]), json!([answer("1"), {"text": "x"}])), "nothing else"),
        (loop_of(json!([call("1")]), json!([answer("2")])), "name or id differ"),
        (loop_of(json!([call("1"), call("2")]), json!([answer("2"), answer("1")])), "name or id differ"),
        (loop_of(json!([call("1"), call("1")]), json!([answer("1"), answer("1")])), "used once"),
        (
            loop_of(
                json!([changed(&call("1"), |part| part["functionCall"]["args"] = json!("{}"))]),
                json!([answer("1")]),
            ),
            "args",
        ),
        (
            loop_of(
                json!([changed(&call("1"), |part| part["thoughtSignature"] = json!("made up"))]),
                json!([answer("1")]),
            ),
            "not valid",
        ),
    ] {
        assert_rejected(WIRE, &body, part);
    }
    let toolless = changed(&minimal(WIRE), |body| {
        body["contents"] =
            json!([user(), said("model", json!([call("1")])), said("user", json!([answer("1")]))]);
    });
    assert_rejected(WIRE, &toolless, "'tools' is missing");
}

/// The third generation wants signatures and takes pictures in results.
#[test]
fn the_third_generation() {
    let signed =
        changed(&call("1"), |part| part["thoughtSignature"] = json!("skip_thought_signature_validator"));
    let shown = changed(&answer("1"), |part| {
        part["functionResponse"]["parts"] =
            json!([{"inlineData": {"mimeType": "image/png", "data": "aGk="}}]);
    });
    let body = |call: &Value, answer: &Value| {
        with_contents(json!([user(), said("model", json!([call])), said("user", json!([answer]))]))
    };
    assert_eq!(refusal("gemini-3-pro-preview", &body(&signed, &shown)), None);
    assert!(
        refusal("gemini-3-pro-preview", &body(&call("1"), &shown))
            .unwrap()
            .contains("missing a thought_signature")
    );
    assert!(
        refusal("gemini-2.5-pro", &body(&signed, &shown)).unwrap().contains("not supported by this model")
    );
}

/// A signature belongs to the part it came with.
#[test]
fn signatures_are_recognised() {
    let server = Server::start(Scenario::replies([
        Reply::new().thinking("hm").tool_call_with_id("a", "read", json!({"path": "x"})).tool_call_with_id(
            "b",
            "read",
            json!({"path": "x"}),
        ),
        Reply::new().text("ok"),
    ]));
    let response = post(&server, WIRE, &with_tool(WIRE));
    let parts: Vec<Value> = response
        .events()
        .iter()
        .filter_map(|(_, data)| data.pointer("/candidates/0/content/parts/0").cloned())
        .filter(|part| part.get("functionCall").is_some())
        .collect();
    assert!(parts[0]["thoughtSignature"].is_string() && parts[1].get("thoughtSignature").is_none());
    let body = |parts: &[Value]| {
        with_contents(json!([
            user(),
            said("model", json!(parts)),
            said("user", json!([answer("a"), answer("b")]))
        ]))
    };
    let mut moved = parts.clone();
    moved[1]["thoughtSignature"] = moved[0]["thoughtSignature"].take();
    moved[0].as_object_mut().unwrap().shift_remove("thoughtSignature");
    assert!(post(&server, WIRE, &body(&moved)).error().contains("another part"));
    assert_eq!(post(&server, WIRE, &body(&parts)).status, 200);
}

#[test]
fn the_query_the_key_and_the_error_shape() {
    let server = Server::start(Scenario::replies([]));
    let (headers, body) = (default_headers(WIRE), minimal(WIRE));
    let path = model_path("m");
    let plain = post_to(&server, path.trim_end_matches("?alt=sse"), &headers, &body);
    assert!(plain.error().contains("alt=sse"), "{}", plain.error());
    let json_type = ("content-type", "application/json");
    let none = post_to(&server, &path, &[json_type], &body);
    assert_eq!((none.status, none.json()["error"]["status"].as_str()), (401, Some("UNAUTHENTICATED")));
    let both = [json_type, ("x-goog-api-key", "a"), ("authorization", "Bearer b")];
    assert!(post_to(&server, &path, &both, &body).error().contains("exclude"));
    let stranger = [json_type, ("authorization", "Bearer ya29.made-up")];
    let vertex = "/v1/projects/p/locations/l/publishers/google/models/m:streamGenerateContent?alt=sse";
    assert_eq!(post_to(&server, vertex, &stranger, &body).status, 401);
    let error = post_with(&server, WIRE, &headers, b"{}").json()["error"].clone();
    assert_eq!((&error["code"], &error["status"]), (&json!(400), &json!("INVALID_ARGUMENT")));
    assert_eq!(server.violations().len(), 5);
}

/// Chunks as the real service sends them: calls whole, usage in each, the reason in the last.
#[test]
fn answers() {
    let usage = Usage { input: 10, output: 7, cache_read: 5, cache_write: 0 };
    let reply = Reply::new()
        .thinking("let me see")
        .text("I will read it, then say more.")
        .tool_call("read", json!({"path": "a"}));
    let server = Server::start(reply.usage(usage));
    let events = post(&server, WIRE, &with_tool(WIRE)).events();
    let parts: Vec<&Value> =
        events.iter().map(|(_, data)| &data["candidates"][0]["content"]["parts"][0]).collect();
    let joined = |thought: bool| -> String {
        let of_kind = parts.iter().filter(|part| (part["thought"] == true) == thought);
        of_kind.filter_map(|part| part["text"].as_str()).collect()
    };
    assert_eq!(
        (joined(true).as_str(), joined(false).as_str()),
        ("let me see", "I will read it, then say more.")
    );
    let last = &events.last().unwrap().1;
    assert_eq!(last["candidates"][0]["finishReason"], "STOP");
    let counted = &last["usageMetadata"];
    assert_eq!((&counted["promptTokenCount"], &counted["cachedContentTokenCount"]), (&json!(15), &json!(5)));
    assert_eq!(
        counted["candidatesTokenCount"].as_u64().unwrap() + counted["thoughtsTokenCount"].as_u64().unwrap(),
        7
    );
    for (stop, expected) in
        [(Stop::Length, "MAX_TOKENS"), (Stop::Refusal, "SAFETY"), (Stop::Incomplete, "OTHER")]
    {
        let server = Server::start(Reply::new().text("x").stop(stop));
        let last = post(&server, WIRE, &minimal(WIRE)).events().pop().unwrap().1;
        assert_eq!(last["candidates"][0]["finishReason"], expected);
    }
}

/// Tokens are given out for well-formed requests only.
#[test]
fn token_servers() {
    let server = Server::start(Scenario::new());
    let form = [("content-type", "application/x-www-form-urlencoded")];
    let ask = |path: &str, headers: &[(&str, &str)], body: &str| {
        let mut stream = common::connect(&server);
        stream.write_all(&request_bytes(path, headers, body.as_bytes())).unwrap();
        read_response(&mut stream)
    };
    let refresh = "grant_type=refresh_token&client_id=a&client_secret=b&refresh_token=c";
    let granted = ask("/google/token", &form, refresh);
    assert!(granted.json()["access_token"].as_str().unwrap().starts_with("ya29."));
    assert_eq!(ask("/google/token", &[], refresh).status, 400);
    assert_eq!(ask("/google/token", &form, "grant_type=password").status, 400);
    assert_eq!(ask("/google/denied/token", &form, refresh).json()["error"], "invalid_grant");
    let metadata = common::get(&server, "/computeMetadata/v1/instance/service-accounts/default/token");
    assert_eq!(metadata.status, 400);
    assert_eq!(server.violations().len(), 3);
}

/// Each request extends the one before it.
#[test]
fn stable_prefix() {
    let replies = (0..3).map(|_| Reply::new().text("x"));
    let server = Server::start(Scenario::replies(replies).require_stable_prefix(true));
    let first =
        changed(&with_tool(WIRE), |body| body["systemInstruction"] = json!({"parts": [{"text": "be"}]}));
    assert_eq!(post(&server, WIRE, &first).status, 200);
    let second = changed(&first, |body| {
        body["contents"] = json!([user(), said("model", json!([{"text": "x"}])), user()]);
    });
    assert_eq!(post(&server, WIRE, &second).status, 200);
    assert!(post(&server, WIRE, &first).error().contains("`contents` 1 is missing"));
    let edited = changed(&second, |body| body["contents"][1]["parts"][0]["text"] = json!("y"));
    assert!(post(&server, WIRE, &edited).error().contains("`contents` 1 differs"));
    for field in ["tools", "systemInstruction"] {
        let without = changed(&second, |body| {
            body.as_object_mut().unwrap().shift_remove(field);
        });
        assert!(post(&server, WIRE, &without).error().contains(&format!("`{field}` differs")));
    }
}

/// What is no JSON object is refused in the wire's own shape.
#[test]
fn the_body_must_be_a_json_object() {
    for (body, part) in [(&b"{"[..], "not JSON"), (b"\"\xff\"", "not UTF-8"), (b"[]", "JSON object")] {
        let server = Server::start(Reply::new());
        let response = post_with(&server, WIRE, &default_headers(WIRE), body);
        assert_eq!((response.status, response.json()["error"]["code"].as_u64()), (400, Some(400)));
        assert!(response.error().contains(part), "{}", response.error());
    }
}
