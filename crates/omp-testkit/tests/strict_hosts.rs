//! The rules of Azure, Codex, Bedrock and Ollama: what each of them refuses.

mod common;

use common::{Response, changed, connect, read_response, request_bytes};
use omp_testkit::{Reply, Scenario, Server};
use serde_json::{Value, json};
use std::io::Write;

const JSON: (&str, &str) = ("content-type", "application/json");
const BEARER: (&str, &str) = ("authorization", "Bearer test-key");
const AZURE: &str = "/openai/v1/responses?api-version=v1";
const CODEX: &str = "/backend-api/codex/responses";
const BEDROCK: &str = "/model/claude%3A0/converse-stream";
const OLLAMA: &str = "/api/chat";
const CODEX_HEADERS: &[(&str, &str)] = &[
    JSON,
    BEARER,
    ("chatgpt-account-id", "a"),
    ("originator", "omp"),
    ("openai-beta", "responses=experimental"),
];

fn send(server: &Server, path: &str, headers: &[(&str, &str)], body: &Value) -> Response {
    let mut stream = connect(server);
    stream.write_all(&request_bytes(path, headers, body.to_string().as_bytes())).expect("the server reads");
    read_response(&mut stream)
}

/// The message of a refusal in the shape of any of these services.
fn refusal(response: &Response) -> String {
    let body = response.json();
    let places = [&body["error"]["message"], &body["error"], &body["message"]];
    places.iter().find_map(|place| place.as_str()).unwrap_or_default().to_owned()
}

fn accepted(path: &str, headers: &[(&str, &str)], body: &Value) {
    let server = Server::start(Reply::new().text("x"));
    let response = send(&server, path, headers, body);
    assert_eq!(response.status, 200, "{}", response.text());
    server.finish();
}

fn refused(path: &str, headers: &[(&str, &str)], body: &Value, part: &str) {
    let server = Server::start(Reply::new().text("x"));
    let response = send(&server, path, headers, body);
    assert!(response.status >= 400, "{part} was expected, but it was accepted: {body}");
    assert!(refusal(&response).contains(part), "{part} was expected, not {}", response.text());
    assert_eq!((server.violations().len(), server.unconsumed_replies()), (1, 1));
}

fn responses_body() -> Value {
    json!({
        "model": "m", "stream": true, "store": false, "instructions": "be good",
        "input": [{"role": "user", "content": [{"type": "input_text", "text": "hi"}]}],
    })
}

#[test]
fn azure_wants_a_version_and_a_key() {
    let body = responses_body();
    accepted(AZURE, &[JSON, ("api-key", "k")], &body);
    accepted(AZURE, &[JSON, BEARER], &body);
    refused(AZURE, &[JSON], &body, "api-key");
    refused(AZURE, &[("api-key", "k")], &body, "content-type");
    refused("/openai/v1/responses", &[JSON, BEARER], &body, "api-version");
    refused("/openai/v1/responses?api-version=", &[JSON, BEARER], &body, "api-version");
    refused(AZURE, &[JSON, BEARER], &changed(&body, |body| body["odd"] = json!(1)), "odd");
}

#[test]
fn codex_wants_an_account_and_no_parameters() {
    let body = responses_body();
    accepted(CODEX, CODEX_HEADERS, &body);
    for missing in ["authorization", "chatgpt-account-id", "originator", "openai-beta"] {
        let kept: Vec<_> = CODEX_HEADERS.iter().copied().filter(|(name, _)| *name != missing).collect();
        refused(CODEX, &kept, &body, missing);
    }
    for field in ["temperature", "top_p", "max_output_tokens", "prompt_cache_retention"] {
        let with = changed(&body, |body| body[field] = json!(1));
        refused(CODEX, CODEX_HEADERS, &with, &format!("Unsupported parameter: {field}"));
    }
    refused(CODEX, CODEX_HEADERS, &changed(&body, |body| body["store"] = json!(true)), "Store");
    refused(CODEX, CODEX_HEADERS, &changed(&body, |body| body["instructions"] = json!(" ")), "Instructions");
}

fn ollama_body() -> Value {
    let call = json!({"function": {"name": "read", "arguments": {}}});
    json!({
        "model": "m", "stream": true, "think": true, "options": {"num_ctx": 4096, "temperature": 0.5},
        "tools": [{"type": "function", "function": {"name": "read", "description": "d", "parameters": {"type": "object", "properties": {}}}}],
        "messages": [
            {"role": "system", "content": "be good"},
            {"role": "user", "content": "hi", "images": ["iVBORw0KGgo="]},
            {"role": "assistant", "content": "", "thinking": "hm", "tool_calls": [call]},
            {"role": "tool", "tool_name": "read", "content": "text"},
        ],
    })
}

#[test]
fn ollama_refuses_what_it_would_ignore() {
    let body = ollama_body();
    accepted(OLLAMA, &[JSON, BEARER], &body);
    let server = Server::start(Scenario::from(Reply::new().text("x")).keyless(true));
    assert_eq!(send(&server, OLLAMA, &[JSON], &body).status, 200);
    refused(OLLAMA, &[JSON], &body, "authorization");
    let changes: [(&str, Value, &str); 14] = [
        ("/tool_choice", json!("auto"), "tool_choice"),
        ("/stream", json!(false), "stream"),
        ("/think", json!("max"), "think"),
        ("/options/top_n", json!(1), "top_n"),
        ("/options/num_ctx", json!(1.5), "num_ctx"),
        ("/tools/0/function/strict", json!(true), "strict"),
        ("/tools", json!([]), "tools"),
        ("/messages/0/role", json!("developer"), "role"),
        ("/messages/1/content", json!([{"type": "text"}]), "string"),
        ("/messages/1/images/0", json!("data:image/png;base64,AAAA"), "base64"),
        ("/messages/2/tool_calls/0/id", json!("call_1"), "id"),
        ("/messages/2/tool_calls/0/function/arguments", json!("{}"), "arguments"),
        ("/messages/3/tool_name", json!("other"), "other"),
        ("/messages/3", json!({"role": "user", "content": "x"}), "no answers"),
    ];
    for (place, value, part) in changes {
        refused(OLLAMA, &[JSON, BEARER], &with(&body, place, value), part);
    }
}

/// A copy with one member put in or replaced.
fn with(body: &Value, place: &str, value: Value) -> Value {
    let (parent, name) = place.rsplit_once('/').expect("a pointer");
    changed(body, |body| {
        let parent = body.pointer_mut(parent).expect("the parent is there");
        match name.parse::<usize>() {
            Ok(index) if parent.is_array() => parent[index] = value,
            _ => parent[name] = value,
        }
    })
}

fn bedrock_body() -> Value {
    let schema = json!({"json": {"type": "object", "properties": {}}});
    json!({
        "inferenceConfig": {"maxTokens": 4096},
        "system": [{"text": "be good"}, {"cachePoint": {"type": "default"}}],
        "toolConfig": {"tools": [{"toolSpec": {"name": "read", "description": "d", "inputSchema": schema}}]},
        "messages": [
            {"role": "user", "content": [{"text": "hi"}]},
            {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t1", "name": "read", "input": {}}}]},
            {"role": "user", "content": [{"toolResult": {"toolUseId": "t1", "content": [{"text": "x"}], "status": "success"}}]},
        ],
    })
}

#[test]
fn bedrock_checks_every_block() {
    let body = bedrock_body();
    accepted(BEDROCK, &[JSON, BEARER], &body);
    refused(BEDROCK, &[JSON], &body, "authorization");
    refused("/model/claude:0/converse-stream", &[JSON, BEARER], &body, "encoded");
    let result = |status: &str| json!({"toolUseId": "t1", "content": [{"text": "x"}], "status": status});
    let thinking = json!({"thinking": {"type": "enabled", "budget_tokens": 2048}});
    let changes: [(&str, Value, &str); 19] = [
        ("/model", json!("m"), "model"),
        ("/stream", json!(true), "stream"),
        ("/inferenceConfig/topK", json!(1), "topK"),
        ("/inferenceConfig/temperature", json!(1.5), "between 0 and 1"),
        ("/system", json!([{"cachePoint": {"type": "default"}}]), "not possible here"),
        ("/toolConfig/toolChoice", json!({"none": {}}), "none"),
        ("/toolConfig/toolChoice", json!({"tool": {"name": "other"}}), "other"),
        ("/toolConfig/tools/0/toolSpec/description", json!(""), "description"),
        ("/messages/0/role", json!("assistant"), "start with a user"),
        ("/messages/0/content", json!([]), "empty"),
        ("/messages/0/content/0", json!({"text": " "}), "blank"),
        ("/messages/0/content/0", json!({"text": "x", "image": {}}), "exactly one"),
        ("/messages/0/content/0", json!({"image": {"format": "tiff", "source": {"bytes": "AAAA"}}}), "tiff"),
        ("/messages/1/content/0/toolUse/toolUseId", json!("a.b"), "toolUseId"),
        ("/messages/1/content/0/toolUse/input", json!("{}"), "input"),
        ("/messages/2/content/0/toolResult", result("fine"), "status"),
        ("/messages/2/content/0/toolResult/toolUseId", json!("t2"), "Expected toolResult"),
        (
            "/messages/1/content/0",
            json!({"reasoningContent": {"reasoningText": {"text": "x", "signature": "s"}}}),
            "",
        ),
        ("/additionalModelRequestFields", thinking, "Expected `thinking`"),
    ];
    for (place, value, part) in changes {
        refused(BEDROCK, &[JSON, BEARER], &with(&body, place, value), part);
    }
    let without_tools = changed(&body, |body| {
        body.as_object_mut().expect("an object").shift_remove("toolConfig");
    });
    refused(BEDROCK, &[JSON, BEARER], &without_tools, "toolConfig");
}

/// A signature that was not made with the secret is refused, with the text that should have been signed; so is one
/// for another day.
#[test]
fn bedrock_recomputes_signatures() {
    let body = json!({"messages": [{"role": "user", "content": [{"text": "hi"}]}]});
    let scope = "AKID/20250101/us-east-1/bedrock/aws4_request";
    let header = format!(
        "AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host;x-amz-date, Signature={}",
        "0".repeat(64)
    );
    let signed = |date: &'static str| [JSON, ("authorization", header.as_str()), ("x-amz-date", date)];
    refused(BEDROCK, &signed("20250101T000000Z"), &body, "security token");
    let keyed = || {
        Server::start(Scenario::from(Reply::new().text("x")).aws_keys("AKID", "secret", None, "us-east-1"))
    };
    let response = send(&keyed(), BEDROCK, &signed("20250101T000000Z"), &body);
    assert_eq!(response.status, 403);
    assert!(refusal(&response).contains("/model/claude%253A0/converse-stream"), "{}", response.text());
    let response = send(&keyed(), BEDROCK, &signed("20250102T000000Z"), &body);
    assert!(refusal(&response).contains("scoped"), "{}", response.text());
}
