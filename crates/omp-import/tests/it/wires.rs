//! An imported conversation goes on with every provider, and with the one that made it as if nothing had happened.

use std::sync::Arc;

use omp_llm::registry::{Lookup, Registry, Wanted};
use omp_llm::{Client, ClientOptions, Model, ProxySource, collect};
use omp_testkit::{Reply, Scenario, Server, Wire};
use omp_types::{
    AssistantBlock, AssistantMessage, Message, ModelRequest, RequestOptions, ThinkingLevel, ToolDefinition,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{FIXTURES, World, import_fixture};

/// Claims: `{"https://api.openai.com/auth":{"chatgpt_account_id":"account-1"}}`.
const CODEX_TOKEN: &str =
    "e30.eyJodHRwczovL2FwaS5vcGVuYWkuY29tL2F1dGgiOnsiY2hhdGdwdF9hY2NvdW50X2lkIjoiYWNjb3VudC0xIn19.c2ln";

struct NoEnvironment;

impl Lookup for NoEnvironment {
    fn env(&self, _name: &str) -> Option<String> {
        None
    }

    fn command(&self, _command: &str) -> Option<String> {
        None
    }
}

/// A reasoning model with eyes on the server.
fn model(server: &Server, wire: Wire, provider: &str, id: &str) -> Model {
    let key = match wire {
        Wire::OpenAiCodexResponses => CODEX_TOKEN,
        Wire::GoogleGeminiCli => r#"'{"token":"test-key","projectId":"project-1"}'"#,
        _ => "test-key",
    };
    let yaml = format!(
        "providers:\n  {provider}:\n    baseUrl: {}\n    apiKey: {key}\n    api: {}\n    \
         models: [{{id: {id}, reasoning: true, input: [text, image]}}]\n",
        server.base_url_for(wire),
        wire.api()
    );
    let registry = Registry::new(Some(&yaml));
    assert_eq!(registry.error(), None);
    let pattern = format!("{provider}/{id}");
    registry.select(Wanted { pattern: Some(&pattern), ..Wanted::default() }, &NoEnvironment).unwrap().model
}

async fn ask(model: &Model, messages: Vec<Arc<Message>>, thinking: ThinkingLevel) -> AssistantMessage {
    let client =
        Client::new(ClientOptions { proxy: ProxySource::Direct, ..ClientOptions::default() }).unwrap();
    let tool = ToolDefinition {
        name: "Read".into(),
        description: "Reads a file.".into(),
        parameters: json!({"type": "object", "properties": {"path": {"type": "string"}}}),
        strict: None,
        free_text: false,
    };
    let options = RequestOptions { thinking, ..RequestOptions::default() };
    let system = vec!["You are a test.".to_owned()].into();
    let request = ModelRequest { system, tools: vec![tool].into(), messages, options };
    let stream = client.stream(Arc::new(model.clone()), &request, CancellationToken::new());
    let message = collect(stream).await.1.expect("an answer");
    assert_eq!(message.error_message, None);
    message
}

fn user(text: &str) -> Arc<Message> {
    Arc::new(Message::user(text, 1))
}

/// The server refuses every request that a provider might refuse.
#[tokio::test]
async fn every_wire_takes_every_import() {
    for wire in Wire::ALL {
        let replies = FIXTURES.map(|_| Reply::new().text("ok"));
        let server = Server::start(Scenario::replies(replies).require_stable_prefix(false));
        let model = model(&server, wire, "other", "scripted");
        for name in FIXTURES {
            let mut messages = import_fixture(name).loaded.context().messages;
            messages.push(user("Go on."));
            ask(&model, messages, ThinkingLevel::Off).await;
        }
        server.finish();
    }
}

/// A thought that Anthropic signed is written into a file of Claude Code; the server that signed it takes it back.
#[tokio::test]
async fn anthropic_takes_its_thoughts_back() {
    let server = Server::start(Scenario::replies([
        Reply::new().thinking("Look first.").tool_call("Read", json!({"path": "a"})),
        Reply::new().text("Done."),
    ]));
    let model = model(&server, Wire::AnthropicMessages, "anthropic", "claude-x");
    let answer = ask(&model, vec![user("hi")], ThinkingLevel::High).await;
    let AssistantBlock::Thinking(thought) = &answer.content[0] else { panic!("{answer:?}") };
    let call = answer.tool_calls().next().unwrap();
    let record = |kind: &str, uuid: &str, parent: Option<&str>, message: Value| {
        let session = "s";
        json!({"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": session, "message": message})
    };
    let part = |uuid: &str, parent: &str, block: Value| {
        let message = json!({"id": "m", "role": "assistant", "model": "claude-x", "content": [block]});
        record("assistant", uuid, Some(parent), message)
    };
    let signature = thought.thinking_signature.as_deref().unwrap();
    let result = json!([{"type": "tool_result", "tool_use_id": call.id, "content": "A"}]);
    let session = World::new().import_lines(&[
        record("user", "1", None, json!({"role": "user", "content": "hi"})),
        part("2", "1", json!({"type": "thinking", "thinking": thought.thinking, "signature": signature})),
        part(
            "3",
            "2",
            json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}),
        ),
        record("user", "4", Some("3"), json!({"role": "user", "content": result})),
    ]);
    ask(&model, session.loaded.context().messages, ThinkingLevel::High).await;
    let sent = &server.requests()[1].body["messages"][1]["content"];
    assert_eq!((&sent[0]["signature"], &sent[1]["id"]), (&json!(signature), &json!(call.id)), "{sent}");
    server.finish();
}

/// The same for reasoning that OpenAI sealed, in a rollout of Codex.
#[tokio::test]
async fn codex_takes_its_thoughts_back() {
    let server = Server::start(Scenario::replies([
        Reply::new().thinking("Look first.").tool_call("Read", json!({"path": "a"})),
        Reply::new().text("Done."),
    ]));
    let model = model(&server, Wire::OpenAiCodexResponses, "openai-codex", "gpt-x");
    let answer = ask(&model, vec![user("hi")], ThinkingLevel::High).await;
    let AssistantBlock::Thinking(thought) = &answer.content[0] else { panic!("{answer:?}") };
    let reasoning: Value = serde_json::from_str(thought.thinking_signature.as_deref().unwrap()).unwrap();
    let call = answer.tool_calls().next().unwrap();
    let line = |payload: Value| json!({"type": "response_item", "payload": payload});
    let session = World::new().import_lines(&[
        json!({"type": "session_meta", "payload": {"id": "x", "cwd": "/p", "model_provider": "openai"}}),
        json!({"type": "turn_context", "payload": {"model": "gpt-x"}}),
        line(json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]})),
        line(reasoning.clone()),
        line(json!({"type": "function_call", "id": call.thought_signature, "call_id": call.id, "name": call.name,
            "arguments": Value::Object(call.arguments.clone()).to_string()})),
        line(json!({"type": "function_call_output", "call_id": call.id, "output": "A"})),
    ]);
    ask(&model, session.loaded.context().messages, ThinkingLevel::High).await;
    let sent = server.requests()[1].body["input"].as_array().unwrap().clone();
    let replayed = sent.iter().find(|item| item["type"] == "reasoning").unwrap();
    assert_eq!(replayed["encrypted_content"], reasoning["encrypted_content"]);
    assert!(sent.iter().any(|item| item["id"] == json!(call.thought_signature)), "{sent:?}");
    server.finish();
}
