//! Enforced schemas on Anthropic's wire: which tools, and what follows when they are too large.

use omp_llm::{Client, StrictPolicy};
use omp_schema::close_for_anthropic;
use omp_testkit::{Reply, Scenario, Server, Wire};
use omp_types::{ModelRequest, RequestOptions, StrictHint, ToolDefinition};
use serde_json::{Value, json};

use crate::registry::{model as configured, registry};
use crate::support::{ask, ask_once, client, model, options, request_with, tool, user};

const WIRE: Wire = Wire::AnthropicMessages;

fn command(name: &str) -> ToolDefinition {
    let properties = json!({
        "command": {"type": "string", "minLength": 1},
        "timeout": {"type": "integer", "minimum": 1, "maximum": 3600, "description": "Seconds."},
    });
    tool(name, json!({"type": "object", "properties": properties, "required": ["command"]}))
}

fn many() -> ModelRequest {
    let tools = ["read", "bash", "python", "write", "edit", "find", "grep", "mcp__x_bash"].map(command);
    request_with(vec![user("hi")], tools.to_vec(), RequestOptions::default())
}

/// The names of the tools that a body marks.
fn strict(body: &Value) -> Vec<&str> {
    let tools = body["tools"].as_array().unwrap();
    let marked = tools.iter().filter(|tool| tool.get("strict").is_some());
    marked.inspect(|tool| assert_eq!(tool["strict"], true)).filter_map(|tool| tool["name"].as_str()).collect()
}

/// The server refuses a marked schema that is open or has limits, so the four are in their strict form.
// proves: MOD-196
#[tokio::test]
async fn four_tools_are_enforced() {
    let server = Server::start(Reply::new().text("ok"));
    ask_once(&model(&server, WIRE), &many()).await.done();
    let body = server.requests()[0].body.clone();
    assert_eq!(strict(&body), ["bash", "python", "edit", "find"]);
    let schema = |index: usize| body["tools"][index]["input_schema"].clone();
    assert_eq!(schema(0)["properties"]["timeout"]["maximum"], 3600, "others keep what they say");
    assert_eq!(schema(0).get("additionalProperties"), None);
    assert_eq!(schema(1)["additionalProperties"], false);
    assert_eq!(schema(1)["required"], json!(["command"]), "optional stays optional");
    assert_eq!(schema(1)["properties"]["timeout"]["description"], "Seconds.\n\n{minimum: 1, maximum: 3600}");
    server.finish();
}

/// The user, the tool and its schema can each rule it out.
#[tokio::test]
async fn what_cannot_be_enforced_is_not_marked() {
    let server = Server::start([Reply::new().text("ok"), Reply::new().text("ok")]);
    let model = model(&server, WIRE);
    let mut request = many();
    let mut tools = request.tools.to_vec();
    tools[1].strict = Some(StrictHint::Never);
    tools[2].parameters["properties"]["env"] =
        json!({"type": "object", "additionalProperties": {"type": "string"}});
    request.tools = tools.into();
    ask_once(&model, &request).await.done();
    assert_eq!(strict(&server.requests()[0].body), ["edit", "find"]);
    let never = omp_llm::ClientOptions { strict: StrictPolicy::Never, ..options() };
    ask(&Client::new(never).unwrap(), &model, &many()).await.done();
    assert!(strict(&server.requests()[1].body).is_empty());
    server.finish();
}

/// Only the marker goes; the provider's flag holds for all of its models.
// proves: MOD-019
#[tokio::test]
async fn a_provider_can_do_without() {
    let server = Server::start(Scenario::replies([Reply::new().text("ok")]).repeat(true));
    for (flag, expected) in
        [("", 4), ("    disableStrictTools: false\n", 4), ("    disableStrictTools: true\n", 0)]
    {
        let yaml = format!(
            "providers:\n  mine:\n    baseUrl: {}\n    apiKey: k\n    api: anthropic-messages\n{flag}    models: [{{id: one}}, {{id: two}}]\n",
            server.base_url_for(WIRE)
        );
        let registry = registry(&yaml);
        for id in ["one", "two"] {
            ask_once(&configured(&registry, &format!("mine/{id}")), &many()).await.done();
            let body = server.requests().last().unwrap().body.clone();
            assert_eq!(strict(&body).len(), expected, "{flag}{id}");
            assert_eq!(body["tools"].as_array().unwrap().len(), 8);
        }
    }
    server.finish();
}

const TOO_LARGE: &str = "The compiled grammar is too large, which would cause performance issues. Simplify your tool schemas or reduce the number of strict tools.";

fn too_large() -> Reply {
    Reply::status(400)
        .body(json!({"type": "error", "error": {"type": "invalid_request_error", "message": TOO_LARGE}}))
}

/// One silent repetition, whether the refusal comes as a status or as the stream's first event; the endpoint and
/// the model are remembered, another model is not.
// proves: MOD-197, MOD-198
#[tokio::test]
async fn a_grammar_too_large_is_given_up() {
    for refusal in [too_large(), Reply::error_event("invalid_request_error", TOO_LARGE)] {
        let ok = || Reply::new().text("ok");
        let server = Server::start([refusal, ok(), ok(), ok()]);
        let (client, mut model) = (client(), model(&server, WIRE));
        for _ in 0..2 {
            let outcome = ask(&client, &model, &many()).await;
            assert_eq!(outcome.done().error_message, None);
            assert_eq!(outcome.text(), "ok");
        }
        model.id = "another".into();
        ask(&client, &model, &many()).await.done();
        let marked: Vec<usize> =
            server.requests().iter().map(|request| strict(&request.body).len()).collect();
        assert_eq!(marked, [4, 0, 0, 4]);
        server.finish();
    }
}

/// Only once, only for this reason, and never after something was shown.
#[tokio::test]
async fn other_refusals_are_final() {
    let broken = Reply::new().text("half").then_error("invalid_request_error", TOO_LARGE);
    let other = Reply::status(400)
        .body(json!({"type": "error", "error": {"type": "invalid_request_error", "message": "bad request"}}));
    let server = Server::start([too_large(), too_large(), broken, other]);
    let model = model(&server, WIRE);
    let twice = ask_once(&model, &many()).await;
    assert!(twice.failure().message.contains("grammar is too large"), "{:?}", twice.failure());
    let half = ask_once(&model, &many()).await;
    assert_eq!(half.text(), "half");
    assert!(half.failure().message.contains("grammar is too large"));
    assert!(ask_once(&model, &many()).await.failure().message.contains("bad request"));
    server.finish();
}

/// What strict mode cannot say stays as it is.
#[test]
fn schemas_that_cannot_be_closed() {
    let of = |property: Value| json!({"type": "object", "properties": {"a": property}});
    for open in [
        json!({}),
        json!({"type": "object"}),
        json!({"type": "object", "additionalProperties": true}),
        json!({"type": "object", "patternProperties": {"^x": {"type": "string"}}}),
        json!({"type": ["object", "null"], "properties": {}}),
        json!({"type": "array", "items": {}}),
        json!({"allOf": [{"type": "string"}, {"enum": ["a"]}]}),
    ] {
        assert_eq!(close_for_anthropic(&of(open.clone())), None, "{open}");
    }
    let fine = json!({
        "type": "object",
        "properties": {
            "a": {"oneOf": [{"type": "string"}, {"type": "object", "properties": {"b": {"type": ["string", "null"]}}}]},
            "c": {"type": "array", "items": {"enum": ["x", "y"]}},
        },
    });
    let closed = close_for_anthropic(&fine).unwrap();
    assert_eq!(closed["properties"]["a"]["anyOf"][1]["additionalProperties"], false);
    assert_eq!(closed["additionalProperties"], false);
    assert_eq!(
        close_for_anthropic(&json!({})),
        Some(json!({"type": "object", "properties": {}, "additionalProperties": false}))
    );
}
