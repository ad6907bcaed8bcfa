//! Models that point at the scripted server, and short ways to talk to them.

use std::sync::Arc;

use indexmap::IndexMap;
use omp_llm::{Api, Client, ClientOptions, Compat, Input, Model, Secret, ThinkingMode, collect};
use omp_testkit::{Reply, Scenario, Server, Wire};
use omp_types::{
    AssistantBlock, AssistantMessage, Cost, Failure, ImageBlock, Message, ModelRequest, RequestOptions,
    StreamEvent, ThinkingLevel, ToolCall, ToolDefinition, ToolResultMessage, UserBlock, UserContent,
    UserMessage,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

pub(crate) const KEY: &str = "test-key";
/// Claims: `{"https://api.openai.com/auth":{"chatgpt_account_id":"account-1"}}`.
pub(crate) const CODEX_TOKEN: &str =
    "e30.eyJodHRwczovL2FwaS5vcGVuYWkuY29tL2F1dGgiOnsiY2hhdGdwdF9hY2NvdW50X2lkIjoiYWNjb3VudC0xIn19.c2ln";

/// What a login to Cloud Code Assist hands out.
pub(crate) const CODE_ASSIST_KEY: &str = r#"{"token":"test-key","projectId":"project-1"}"#;

pub(crate) fn api(wire: Wire) -> Api {
    match wire {
        Wire::OpenAiCompletions => Api::OpenAiCompletions,
        Wire::OpenAiResponses => Api::OpenAiResponses,
        Wire::AnthropicMessages => Api::AnthropicMessages,
        Wire::AzureOpenAiResponses => Api::AzureOpenAiResponses,
        Wire::OpenAiCodexResponses => Api::OpenAiCodexResponses,
        Wire::BedrockConverseStream => Api::BedrockConverseStream,
        Wire::OllamaChat => Api::OllamaChat,
        Wire::GoogleGenerativeAi => Api::GoogleGenerativeAi,
        Wire::GoogleVertex => Api::GoogleVertex,
        Wire::GoogleGeminiCli => Api::GoogleGeminiCli,
    }
}

/// A reasoning model with eyes on the server.
pub(crate) fn model(server: &Server, wire: Wire) -> Model {
    model_at(&server.base_url_for(wire), wire)
}

pub(crate) fn model_at(base_url: &str, wire: Wire) -> Model {
    let mut compat = Compat::detect(api(wire), base_url, "scripted");
    compat.repetition_guard = false;
    Model {
        provider: format!("test-{wire}"),
        id: "scripted".into(),
        name: name(wire).into(),
        api: api(wire),
        base_url: base_url.into(),
        headers: IndexMap::new(),
        key: Some(Secret::new(key(wire))),
        bearer: false,
        reasoning: true,
        thinking: ThinkingMode::Standard,
        levels: vec![ThinkingLevel::Low, ThinkingLevel::Medium, ThinkingLevel::High],
        input: vec![Input::Text, Input::Image],
        cost: Cost { input: 3.0, output: 15.0, cache_read: 0.3, cache_write: 3.75, total: 0.0 },
        context_window: 200_000,
        max_tokens: 16_384,
        compat,
        facts: omp_llm::Facts::default(),
        transport: omp_llm::Transport::default(),
        shaping: omp_llm::Shaping::default(),
    }
}

/// A ChatGPT account's token names the account, Cloud Code Assist wants a project beside the token; every other wire is
/// content with any key.
pub(crate) fn key(wire: Wire) -> &'static str {
    match wire {
        Wire::OpenAiCodexResponses => CODEX_TOKEN,
        Wire::GoogleGeminiCli => CODE_ASSIST_KEY,
        _ => KEY,
    }
}

/// What of the key goes over the wire to prove who asks.
pub(crate) fn proof(wire: Wire) -> &'static str {
    if wire == Wire::GoogleGeminiCli { KEY } else { key(wire) }
}

/// On Bedrock the family of a model decides how it is told to think.
fn name(wire: Wire) -> &'static str {
    if wire == Wire::BedrockConverseStream { "Scripted Claude" } else { "Scripted" }
}

/// The program proxies nothing in tests, whatever the developer's environment says.
pub(crate) fn options() -> ClientOptions {
    ClientOptions { proxy: omp_llm::ProxySource::Direct, ..ClientOptions::default() }
}

pub(crate) fn client() -> Client {
    Client::new(options()).unwrap()
}

pub(crate) fn tool(name: &str, parameters: Value) -> ToolDefinition {
    ToolDefinition::new(name, format!("The tool {name}."), parameters)
}

pub(crate) fn read_tool() -> ToolDefinition {
    let properties = json!({"path": {"type": "string", "description": "File to read."}});
    tool("read", json!({"type": "object", "properties": properties, "required": ["path"]}))
}

pub(crate) fn user(text: &str) -> Arc<Message> {
    Arc::new(Message::user(text, 1))
}

pub(crate) fn result(call: &ToolCall, text: &str) -> Arc<Message> {
    result_blocks(call, vec![UserBlock::text(text)], false)
}

pub(crate) fn failed(call: &ToolCall, text: &str) -> Arc<Message> {
    result_blocks(call, vec![UserBlock::text(text)], true)
}

pub(crate) fn result_blocks(call: &ToolCall, content: Vec<UserBlock>, is_error: bool) -> Arc<Message> {
    Arc::new(Message::ToolResult(ToolResultMessage {
        tool_call_id: call.id.clone(),
        tool_name: call.name.clone(),
        content,
        details: None,
        is_error,
        timestamp: 2,
    }))
}

/// A request with the `read` tool.
pub(crate) fn request(messages: Vec<Arc<Message>>) -> ModelRequest {
    request_with(messages, vec![read_tool()], RequestOptions::default())
}

pub(crate) fn request_with(
    messages: Vec<Arc<Message>>,
    tools: Vec<ToolDefinition>,
    options: RequestOptions,
) -> ModelRequest {
    ModelRequest { system: vec!["You are a test.".to_owned()].into(), tools: tools.into(), messages, options }
}

pub(crate) fn thinking(level: ThinkingLevel) -> RequestOptions {
    RequestOptions { thinking: level, ..RequestOptions::default() }
}

/// Everything one request brought.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) events: Vec<StreamEvent>,
    pub(crate) message: AssistantMessage,
}

impl Outcome {
    pub(crate) fn failure(&self) -> &Failure {
        match self.events.last() {
            Some(StreamEvent::Error { failure, .. }) => failure,
            other => panic!("an error was expected, not {other:?}"),
        }
    }

    pub(crate) fn done(&self) -> &AssistantMessage {
        match self.events.last() {
            Some(StreamEvent::Done { .. }) => &self.message,
            other => panic!("a complete answer was expected, not {other:?}"),
        }
    }

    pub(crate) fn text(&self) -> String {
        self.message.texts().collect()
    }

    pub(crate) fn calls(&self) -> Vec<&ToolCall> {
        self.message.tool_calls().collect()
    }

    pub(crate) fn as_message(&self) -> Arc<Message> {
        Arc::new(Message::Assistant(self.message.clone()))
    }
}

pub(crate) async fn ask(client: &Client, model: &Model, request: &ModelRequest) -> Outcome {
    let stream = client.stream(Arc::new(model.clone()), request, CancellationToken::new());
    let (events, message) = collect(stream).await;
    check_deltas(&events);
    Outcome { events, message: message.expect("a terminal event") }
}

/// One request with the default client.
pub(crate) async fn ask_once(model: &Model, request: &ModelRequest) -> Outcome {
    ask(&client(), model, request).await
}

/// The rules that hold for every stream, also a damaged one: one start, one terminal event at the end, blocks that open
/// before they grow and close at most once. Returns the deltas of each block.
pub(crate) fn check_order(events: &[StreamEvent]) -> Vec<(usize, String)> {
    assert!(matches!(events.first(), Some(StreamEvent::Start)), "{events:?}");
    assert_eq!(events.iter().filter(|event| matches!(event, StreamEvent::Start)).count(), 1);
    assert_eq!(events.iter().filter(|event| event.terminal().is_some()).count(), 1);
    assert!(events.last().is_some_and(|event| event.terminal().is_some()), "{events:?}");
    let mut seen: Vec<(usize, String, bool)> = Vec::new();
    for event in events {
        match event {
            StreamEvent::TextStart { content_index }
            | StreamEvent::ThinkingStart { content_index }
            | StreamEvent::ToolCallStart { content_index, .. } => {
                assert!(seen.iter().all(|(index, ..)| index != content_index), "opened twice: {events:?}");
                seen.push((*content_index, String::new(), true));
            }
            StreamEvent::TextDelta { content_index, delta }
            | StreamEvent::ThinkingDelta { content_index, delta }
            | StreamEvent::ToolCallDelta { content_index, delta, .. } => {
                let block = seen.iter_mut().find(|(index, _, open)| index == content_index && *open);
                block.expect("a delta needs an open block").1.push_str(delta);
            }
            StreamEvent::TextEnd { content_index }
            | StreamEvent::ThinkingEnd { content_index }
            | StreamEvent::ToolCallEnd { content_index, .. } => {
                let block = seen.iter_mut().find(|(index, _, open)| index == content_index && *open);
                block.expect("only an open block ends").2 = false;
            }
            StreamEvent::Start | StreamEvent::Done { .. } | StreamEvent::Error { .. } => {}
        }
    }
    seen.into_iter().map(|(index, deltas, _)| (index, deltas)).collect()
}

/// The deltas of each block concatenate to the final block.
pub(crate) fn check_deltas(events: &[StreamEvent]) {
    let message = events.last().and_then(StreamEvent::terminal).expect("a terminal event");
    for (index, deltas) in check_order(events) {
        compare_block(&message.content[index], &deltas);
    }
}

fn compare_block(block: &AssistantBlock, deltas: &str) {
    match block {
        AssistantBlock::Text(text) => assert_eq!(text.text, deltas),
        AssistantBlock::Thinking(thinking) => assert_eq!(thinking.thinking, deltas),
        AssistantBlock::ToolCall(call) => match &call.invalid_arguments {
            Some(raw) => assert_eq!(raw, deltas),
            None if call.custom => assert_eq!(call.arguments["input"], deltas),
            None if deltas.is_empty() => assert!(call.arguments.is_empty()),
            None => assert_eq!(
                Value::Object(call.arguments.clone()),
                serde_json::from_str::<Value>(deltas).unwrap()
            ),
        },
        other => panic!("{other:?} has no deltas"),
    }
}

/// Events without what differs between two runs of one script: ids, times, and how far views had got.
pub(crate) fn comparable(events: &[StreamEvent]) -> Vec<StreamEvent> {
    let mut events = events.to_vec();
    for event in &mut events {
        match event {
            StreamEvent::Done { message, .. } | StreamEvent::Error { message, .. } => {
                message.timestamp = 0;
                for block in &mut message.content {
                    if let AssistantBlock::ToolCall(call) = block {
                        forget_minted(&mut call.id);
                    }
                }
            }
            StreamEvent::ToolCallStart { id, .. } => forget_minted(id),
            StreamEvent::ToolCallEnd { tool_call, .. } => forget_minted(&mut tool_call.id),
            StreamEvent::ToolCallDelta { partial, .. } => *partial = None,
            _ => {}
        }
    }
    events
}

/// Where the wire has no ids we make our own, by chance.
fn forget_minted(id: &mut String) {
    let ours = id.strip_prefix("call_").is_some_and(|rest| rest.len() == 16);
    if ours {
        *id = "call_minted".to_owned();
    }
}

/// Some wires send calls piece by piece, some whole.
pub(crate) fn streams_arguments(wire: Wire) -> bool {
    wire != Wire::OllamaChat && !is_google(wire)
}

/// Google's bodies, at whichever door.
pub(crate) fn is_google(wire: Wire) -> bool {
    matches!(wire, Wire::GoogleGenerativeAi | Wire::GoogleGeminiCli | Wire::GoogleVertex)
}

/// Server-sent events made by hand.
pub(crate) fn sse(events: &[Value]) -> String {
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}

/// Amazon's binary messages made by hand: one event per name and payload; names that end in `Exception` are
/// exceptions.
pub(crate) fn event_stream(events: &[(&str, Value)]) -> Vec<u8> {
    events.iter().flat_map(|(name, payload)| binary_message(name, payload.to_string().as_bytes())).collect()
}

pub(crate) fn binary_message(name: &str, payload: &[u8]) -> Vec<u8> {
    let exception = name.ends_with("Exception");
    let (label, kind) = if exception { (":exception-type", "exception") } else { (":event-type", "event") };
    let mut headers = Vec::new();
    for (name, value) in [(label, name), (":content-type", "application/json"), (":message-type", kind)] {
        headers.push(name.len() as u8);
        headers.extend_from_slice(name.as_bytes());
        headers.push(7);
        headers.extend_from_slice(&(value.len() as u16).to_be_bytes());
        headers.extend_from_slice(value.as_bytes());
    }
    let mut message = ((16 + headers.len() + payload.len()) as u32).to_be_bytes().to_vec();
    message.extend_from_slice(&(headers.len() as u32).to_be_bytes());
    message.extend_from_slice(&crc32fast::hash(&message).to_be_bytes());
    message.extend_from_slice(&headers);
    message.extend_from_slice(payload);
    message.extend_from_slice(&crc32fast::hash(&message).to_be_bytes());
    message
}

/// One JSON value per line.
pub(crate) fn lines(values: &[Value]) -> String {
    values.iter().map(|value| format!("{value}\n")).collect()
}

/// The body of a request to a model that was changed beforehand.
pub(crate) async fn body_of(wire: Wire, options: RequestOptions, change: impl Fn(&mut Model)) -> Value {
    let server = Server::start([omp_testkit::Reply::new().text("ok")]);
    let mut model = model(&server, wire);
    change(&mut model);
    ask_once(&model, &request_with(vec![user("hi")], vec![read_tool()], options)).await.done();
    let body = server.requests()[0].body.clone();
    server.finish();
    body
}

/// An answer that ends with two calls at once, and one that is all text.
pub(crate) fn two_calls(answer: Reply) -> Scenario {
    let read = |answer: Reply, path: &str| answer.tool_call("read", json!({"path": path}));
    let calls = read(read(answer.text("Reading."), "a"), "b");
    Scenario::replies([calls, Reply::new().text("done")]).require_stable_prefix(true)
}

/// The items of a request in the form of OpenAI's Responses after two calls at once.
pub(crate) const AFTER_TWO_CALLS: [&str; 6] = [
    "message",
    "reasoning",
    "function_call",
    "function_call",
    "function_call_output",
    "function_call_output",
];

/// The beginning of a PNG file, in base64.
pub(crate) const PICTURE: &str = "iVBORw0KGgo=";

/// A question with a PNG picture, and a call whose result is another picture: the messages of the second request.
pub(crate) async fn messages_with_pictures(wire: Wire, result_type: &str) -> Value {
    let picture = |mime: &str| {
        UserBlock::Image(ImageBlock { data: PICTURE.into(), mime_type: mime.into(), detail: None })
    };
    let content = UserContent::Blocks(vec![UserBlock::text("what is it?"), picture("image/png")]);
    let question =
        Arc::new(Message::User(UserMessage { content, steering: false, sealed: None, timestamp: 1 }));
    let server =
        Server::start([Reply::new().tool_call("read", json!({"path": "a"})), Reply::new().text("a cat")]);
    let (client, model) = (client(), model(&server, wire));
    let first = ask(&client, &model, &request(vec![question.clone()])).await;
    let answer = result_blocks(first.calls()[0], vec![picture(result_type)], false);
    ask(&client, &model, &request(vec![question, first.as_message(), answer])).await.done();
    let sent = server.requests()[1].body["messages"].clone();
    server.finish();
    sent
}
