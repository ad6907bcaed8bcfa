//! Every `compat` key, seen in the body of a request with both of its values.

use std::sync::Arc;

use omp_llm::Model;
use omp_llm::registry::{Lookup, Registry, Wanted};
use omp_testkit::{Reply, Scenario, Server, Wire};
use omp_types::{
    AssistantBlock, AssistantMessage, Message, ModelRequest, RequestOptions, StopReason, ThinkingBlock,
    ThinkingLevel, ToolCall, ToolChoice, ToolResultMessage, Usage, UserBlock,
};
use serde_json::{Map, Value, json};

use crate::support::{ask_once, read_tool, request_with, user};

struct Nothing;

impl Lookup for Nothing {
    fn env(&self, _name: &str) -> Option<String> {
        None
    }

    fn command(&self, _command: &str) -> Option<String> {
        None
    }
}

/// A server that takes what quirky hosts want.
fn server() -> Server {
    let scenario = Scenario::replies([Reply::new().text("x")]).repeat(true).lenient(true);
    Server::start(scenario)
}

/// The model of a file whose `compat` block is `block`.
fn model(server: &Server, wire: Wire, block: &str) -> Model {
    configured(&server.base_url_for(wire), wire.api(), block).unwrap()
}

fn configured(base: &str, api: &str, block: &str) -> Result<Model, String> {
    let yaml = format!(
        "providers:\n  mine:\n    baseUrl: {base}\n    api: {api}\n    apiKey: k\n    models:\n      - id: m\n        \
         reasoning: true\n        thinking: {{levels: [minimal, low, medium, high, xhigh]}}\n        compat: {block}\n"
    );
    let registry = Registry::new(Some(&yaml));
    if let Some(error) = registry.error() {
        return Err(error.to_owned());
    }
    let wanted = Wanted { pattern: Some("mine/m"), ..Wanted::default() };
    Ok(registry.select(wanted, &Nothing).map_err(|error| error.to_string())?.model)
}

fn thinking(level: ThinkingLevel) -> RequestOptions {
    RequestOptions { thinking: level, ..RequestOptions::default() }
}

async fn send(server: &Server, model: &Model, request: &ModelRequest) -> Value {
    ask_once(model, request).await.done();
    server.requests().last().unwrap().body.clone()
}

/// The body for a question with one tool on offer.
async fn asked(server: &Server, block: &str, options: RequestOptions) -> Value {
    let model = model(server, Wire::OpenAiCompletions, block);
    send(server, &model, &request_with(vec![user("hi")], vec![read_tool()], options)).await
}

/// A call and its result by `author`, with or without the thoughts that led to it.
fn called(author: &Model, thoughts: Option<&str>) -> Vec<Arc<Message>> {
    let mut content = Vec::new();
    if let Some(thoughts) = thoughts {
        let block = ThinkingBlock { thinking: thoughts.to_owned(), thinking_signature: None };
        content.push(AssistantBlock::Thinking(block));
    }
    content.push(AssistantBlock::ToolCall(ToolCall {
        id: "call_long_identity_1".into(),
        name: "read".into(),
        arguments: Map::from_iter([("path".to_owned(), json!("a"))]),
        invalid_arguments: None,
        thought_signature: None,
        intent: None,
        custom: false,
    }));
    let answer = Message::Assistant(AssistantMessage {
        content,
        api: author.api.name().into(),
        provider: author.provider.clone(),
        model: author.id.clone(),
        response_id: None,
        usage: Usage::default(),
        stop_reason: StopReason::ToolUse,
        error_message: None,
        timestamp: 0,
    });
    let result = Message::ToolResult(ToolResultMessage {
        tool_call_id: "call_long_identity_1".into(),
        tool_name: "read".into(),
        content: vec![UserBlock::text("the file")],
        details: None,
        is_error: false,
        timestamp: 0,
    });
    vec![user("hi"), Arc::new(answer), Arc::new(result)]
}

/// The messages for a conversation with a call, and a question after it.
async fn replayed(server: &Server, block: &str, thoughts: Option<&str>) -> Vec<Value> {
    let model = model(server, Wire::OpenAiCompletions, block);
    let mut messages = called(&model, thoughts);
    messages.push(user("and?"));
    let options = thinking(ThinkingLevel::High);
    let body = send(server, &model, &request_with(messages, vec![read_tool()], options)).await;
    body["messages"].as_array().unwrap().clone()
}

fn of<'a>(messages: &'a [Value], role: &str) -> Vec<&'a Value> {
    messages.iter().filter(|message| message["role"] == role).collect()
}

/// A configured value wins over what was detected, in both directions.
// proves: MOD-163, MOD-164, MOD-165, MOD-167, MOD-168, MOD-172, MOD-177
#[tokio::test]
async fn keys_of_the_request() {
    let server = server();
    let body = async |block: &str| asked(&server, block, RequestOptions::default()).await;
    assert_eq!(body("{supportsStore: true}").await["store"], false);
    assert!(body("{supportsStore: false}").await.get("store").is_none());
    assert!(body("{}").await.get("store").is_none(), "not on a host nobody knows");
    assert_eq!(body("{supportsDeveloperRole: true}").await["messages"][0]["role"], "developer");
    assert_eq!(body("{supportsDeveloperRole: false}").await["messages"][0]["role"], "system");
    assert_eq!(body("{}").await["stream_options"], json!({"include_usage": true}));
    assert!(body("{supportsUsageInStreaming: false}").await.get("stream_options").is_none());
    let limits = body("{alwaysSendMaxTokens: true, maxTokensField: max_completion_tokens}").await;
    assert_eq!(limits["max_completion_tokens"], 16_384);
    assert_eq!(body("{alwaysSendMaxTokens: true, maxTokensField: max_tokens}").await["max_tokens"], 16_384);
    assert!(body("{alwaysSendMaxTokens: false}").await.get("max_tokens").is_none());
    assert_eq!(body("{extraBody: {gateway: m1, top: 2}}").await["gateway"], "m1");
    let official = configured("https://api.openai.com/v1", "openai-completions", "{}").unwrap();
    assert!(official.compat.supports_store && official.compat.supports_developer_role);
    let overruled =
        configured("https://api.openai.com/v1", "openai-completions", "{supportsStore: false}").unwrap();
    assert!(!overruled.compat.supports_store);
}

// proves: MOD-166
#[tokio::test]
async fn system_messages_are_kept_apart_or_joined() {
    let server = server();
    for (block, count) in [
        ("{supportsMultipleSystemMessages: true}", 2),
        ("{supportsMultipleSystemMessages: false}", 1),
        ("{}", 1),
    ] {
        let model = model(&server, Wire::OpenAiCompletions, block);
        let mut request = request_with(vec![user("hi")], vec![], RequestOptions::default());
        request.system = Arc::from(["one".to_owned(), "two".to_owned()]);
        let body = send(&server, &model, &request).await;
        let messages = body["messages"].as_array().unwrap();
        assert_eq!(of(messages, "system").len(), count, "{block}");
    }
    let known = configured("https://openrouter.ai/api/v1", "openai-completions", "{}").unwrap();
    assert!(known.compat.chat.multiple_system_messages);
}

// proves: MOD-169, MOD-170, MOD-171
#[tokio::test]
async fn a_choice_of_tools_may_exclude_reasoning() {
    let server = server();
    let body = async |block: &str, tool_choice: ToolChoice| {
        asked(&server, block, RequestOptions { tool_choice, ..thinking(ThinkingLevel::High) }).await
    };
    let forced = || ToolChoice::Tool("read".to_owned());
    let plain = body("{}", forced()).await;
    assert!(plain.get("tool_choice").is_some() && plain.get("reasoning_effort").is_some());
    let silent = body("{supportsToolChoice: false}", forced()).await;
    assert!(silent.get("tool_choice").is_none() && silent.get("reasoning_effort").is_some());
    let on_forced = "{disableReasoningOnForcedToolChoice: true}";
    assert!(body(on_forced, forced()).await.get("reasoning_effort").is_none());
    assert!(body(on_forced, ToolChoice::None).await.get("reasoning_effort").is_some());
    let on_any = "{disableReasoningOnToolChoice: true}";
    assert!(body(on_any, ToolChoice::None).await.get("reasoning_effort").is_none());
    assert!(body(on_any, ToolChoice::Auto).await.get("reasoning_effort").is_some());
    let detect = |base: &str| configured(base, "openai-completions", "{}").unwrap().compat.chat;
    assert!(detect("https://api.deepseek.com/v1").no_reasoning_with_tool_choice);
    assert!(detect("https://api.moonshot.ai/v1").no_reasoning_with_forced_tools);
}

// proves: MOD-178, MOD-179, MOD-180, MOD-181
#[tokio::test]
async fn reasoning_is_asked_for_in_the_words_of_the_host() {
    let server = server();
    let body = async |block: &str| asked(&server, block, thinking(ThinkingLevel::Xhigh)).await;
    assert_eq!(body("{}").await["reasoning_effort"], "xhigh");
    assert!(body("{supportsReasoningEffort: false}").await.get("reasoning_effort").is_none());
    let none = body("{supportsReasoningParams: false, thinkingFormat: zai}").await;
    assert!(none.get("reasoning_effort").is_none() && none.get("thinking").is_none());
    assert_eq!(body("{reasoningEffortMap: {xhigh: max}}").await["reasoning_effort"], "max");
    let low = asked(&server, "{reasoningEffortMap: {xhigh: max}}", thinking(ThinkingLevel::Low)).await;
    assert_eq!(low["reasoning_effort"], "low");
    assert_eq!(body("{thinkingFormat: openai}").await["reasoning_effort"], "xhigh");
    assert_eq!(body("{thinkingFormat: openrouter}").await["reasoning"]["effort"], "xhigh");
    assert_eq!(body("{thinkingFormat: zai}").await["thinking"]["type"], "enabled");
    assert_eq!(body("{thinkingFormat: qwen}").await["enable_thinking"], true);
    let template = body("{thinkingFormat: qwen-chat-template}").await;
    assert_eq!(template["chat_template_kwargs"]["enable_thinking"], true);
    let copilot = configured("https://api.githubcopilot.com", "openai-completions", "{}").unwrap();
    assert!(!copilot.compat.chat.reasoning_params);
    let deepseek = configured("https://api.deepseek.com/v1", "openai-completions", "{}").unwrap();
    assert_eq!(deepseek.compat.chat.effort_words["xhigh"], "max");
    let wrong = configured("https://a.example/v1", "openai-completions", "{reasoningEffortMap: {huge: x}}");
    assert!(wrong.unwrap_err().contains("reasoningEffortMap"));
}

// proves: MOD-182, MOD-183, MOD-184, MOD-185
#[tokio::test]
async fn turns_with_calls_carry_what_the_host_wants() {
    let server = server();
    let call = async |block: &str, thoughts: Option<&str>| {
        let messages = replayed(&server, block, thoughts).await;
        of(&messages, "assistant")[0].clone()
    };
    for field in ["reasoning_content", "reasoning", "reasoning_text"] {
        let block = format!("{{reasoningContentField: {field}, requiresReasoningContentForToolCalls: true}}");
        let kept = call(&block, Some("I must look")).await;
        assert_eq!(kept[field], "I must look", "{field}");
    }
    let required = "{requiresReasoningContentForToolCalls: true}";
    assert_eq!(call(required, Some("I must look")).await["reasoning_content"], "I must look");
    assert!(!call(required, None).await["reasoning_content"].as_str().unwrap().is_empty());
    assert!(call("{}", None).await.get("reasoning_content").is_none());
    let honest =
        "{requiresReasoningContentForToolCalls: true, allowsSyntheticReasoningContentForToolCalls: false}";
    assert!(call(honest, None).await.get("reasoning_content").is_none());
    assert!(call("{}", None).await["content"].is_null());
    let text = call("{requiresAssistantContentForToolCalls: true}", None).await;
    assert!(!text["content"].as_str().unwrap().is_empty());
}

// proves: MOD-186
#[tokio::test]
async fn some_keys_hold_only_while_the_model_thinks() {
    let server = server();
    let block = "{maxTokensField: max_tokens, alwaysSendMaxTokens: true, extraBody: {a: 1}, \
                 whenThinking: {maxTokensField: max_completion_tokens, extraBody: {b: 2}}}";
    let off = asked(&server, block, RequestOptions::default()).await;
    assert_eq!((&off["max_tokens"], &off["a"], off.get("b")), (&json!(16_384), &json!(1), None));
    let on = asked(&server, block, thinking(ThinkingLevel::High)).await;
    assert!(on.get("max_tokens").is_none());
    assert_eq!((&on["max_completion_tokens"], &on["a"], &on["b"]), (&json!(16_384), &json!(1), &json!(2)));
    let wrong = configured("https://a.example/v1", "openai-completions", "{whenThinking: {nonsense: 1}}");
    assert!(wrong.unwrap_err().contains("nonsense"));
}

// proves: MOD-187, MOD-188, MOD-189, MOD-190
#[tokio::test]
async fn what_mistral_wants() {
    let server = server();
    let plain = replayed(&server, "{}", Some("hm")).await;
    assert!(of(&plain, "tool")[0].get("name").is_none());
    assert_eq!(of(&plain, "assistant").len(), 1);
    let named = replayed(&server, "{requiresToolResultName: true}", None).await;
    assert_eq!(of(&named, "tool")[0]["name"], "read");
    let between = replayed(&server, "{requiresAssistantAfterToolResult: true}", None).await;
    let roles: Vec<&str> = between.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert!(roles.ends_with(&["tool", "assistant", "user"]), "{roles:?}");
    let as_text = replayed(&server, "{requiresThinkingAsText: true}", Some("I must look")).await;
    let turn = of(&as_text, "assistant")[0].clone();
    assert!(turn["content"].as_str().unwrap().contains("<thinking>\nI must look\n</thinking>"));
    assert!(turn.get("reasoning_content").is_none());
    let short = replayed(&server, "{requiresMistralToolIds: true}", None).await;
    let id = of(&short, "assistant")[0]["tool_calls"][0]["id"].as_str().unwrap().to_owned();
    assert!(id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{id}");
    assert_eq!(of(&short, "tool")[0]["tool_call_id"], id.as_str());
    let mistral = configured("https://api.mistral.ai/v1", "openai-completions", "{}").unwrap().compat;
    assert!(mistral.requires_tool_result_name && mistral.chat.assistant_after_results);
    assert!(mistral.chat.thinking_as_text && mistral.chat.nine_letter_ids);
}

// proves: MOD-191, MOD-192
#[tokio::test]
async fn strict_schemas_are_sent_where_they_are_wanted() {
    let server = server();
    let strict = async |block: &str| {
        let body = asked(&server, block, RequestOptions::default()).await;
        body["tools"][0]["function"].get("strict").cloned()
    };
    assert_eq!(strict("{}").await, None, "a host nobody knows gets none");
    assert_eq!(strict("{supportsStrictMode: true}").await, Some(json!(true)));
    assert_eq!(strict("{supportsStrictMode: false}").await, None);
    assert_eq!(strict("{supportsStrictMode: true, toolStrictMode: none}").await, None);
    let mut loose = read_tool();
    loose.parameters = json!({"type": "object", "additionalProperties": {"type": "string"}});
    for (block, expected) in
        [("{supportsStrictMode: true}", None), ("{toolStrictMode: all_strict}", Some(json!(true)))]
    {
        let model = model(&server, Wire::OpenAiCompletions, block);
        let request = request_with(vec![user("hi")], vec![loose.clone()], RequestOptions::default());
        let body = send(&server, &model, &request).await;
        assert_eq!(body["tools"][0]["function"].get("strict").cloned(), expected, "{block}");
    }
}

/// Routing goes to the aggregator that understands it, and nowhere else.
// proves: MOD-060, MOD-193, MOD-201
#[tokio::test]
async fn routing_is_for_its_own_host() {
    let server = server();
    let block = "{openRouterRouting: {only: [a]}, vercelGatewayRouting: {order: [b]}}";
    let elsewhere = asked(&server, block, RequestOptions::default()).await;
    assert!(elsewhere.get("provider").is_none() && elsewhere.get("providerOptions").is_none());
    let yaml = "providers:\n  openrouter:\n    apiKey: k\n    compat: {openRouterRouting: {order: [first]}, extraBody: {a: 1}}\n    \
                models:\n      - {id: anthropic/m, api: openai-completions, compat: {openRouterRouting: {only: [up]}, extraBody: {b: 2}}}\n    \
                baseUrl: https://openrouter.ai/api/v1\n";
    let registry = Registry::new(Some(yaml));
    assert_eq!(registry.error(), None);
    let wanted = Wanted { pattern: Some("openrouter/anthropic/m"), ..Wanted::default() };
    let model = registry.select(wanted, &Nothing).unwrap().model;
    let request = request_with(vec![user("hi")], vec![], RequestOptions::default());
    let body = omp_llm::preview(&model, &request);
    assert_eq!(body["provider"], json!({"order": ["first"], "only": ["up"]}));
    assert_eq!((&body["a"], &body["b"]), (&json!(1), &json!(2)), "blocks merge key by key");
}

// proves: MOD-194
#[tokio::test]
async fn keys_of_the_anthropic_wire() {
    let server = server();
    let replay = async |block: &str| {
        let model = model(&server, Wire::AnthropicMessages, block);
        let mut messages = called(&model, Some("unsigned"));
        messages.push(user("and?"));
        let request = request_with(messages, vec![read_tool()], RequestOptions::default());
        send(&server, &model, &request).await["messages"].clone()
    };
    let plain = replay("{}").await.to_string();
    assert!(!plain.contains("\"type\":\"thinking\""), "an unsigned thought is text");
    let native = replay("{replayUnsignedThinking: true}").await.to_string();
    assert!(native.contains("\"type\":\"thinking\""), "{native}");
    let result = |messages: &Value| messages[2]["content"][0].clone();
    assert!(result(&replay("{}").await).get("id").is_none());
    let repeated = result(&replay("{requiresToolResultId: true}").await);
    assert_eq!(repeated["id"], repeated["tool_use_id"]);
}

/// What the catalogue decides is not the user's to set, and neither is what nobody knows.
// proves: MOD-195
#[test]
fn unknown_keys_are_named() {
    for key in
        ["disableAdaptiveThinking", "supportsSamplingParams", "supportsMidConversationSystem", "nonsense"]
    {
        let error = configured("https://a.example/v1", "anthropic-messages", &format!("{{{key}: true}}"));
        assert!(error.unwrap_err().contains(key), "{key}");
    }
    for (key, value) in [("supportsStore", "7"), ("maxTokensField", "many"), ("toolStrictMode", "some")] {
        let error = configured("https://a.example/v1", "openai-completions", &format!("{{{key}: {value}}}"));
        assert!(error.unwrap_err().contains(key), "{key}");
    }
}

// proves: MOD-175, MOD-176
#[tokio::test]
async fn keys_of_the_prompt_cache() {
    let server = server();
    let marked = asked(&server, "{cacheControlFormat: anthropic}", RequestOptions::default()).await;
    assert!(marked.to_string().contains("cache_control"));
    for block in ["{cacheControlFormat: none}", "{}"] {
        let plain = asked(&server, block, RequestOptions::default()).await;
        assert!(!plain.to_string().contains("cache_control"), "{block}");
    }
    let claude = Registry::new(None);
    let wanted = Wanted { pattern: Some("openrouter/anthropic/x"), api_key: Some("k"), ..Wanted::default() };
    let claude = claude.select(wanted, &Nothing).unwrap().model;
    assert_eq!(claude.compat.cache_control, omp_llm::CacheControlFormat::Anthropic);
    let patient = omp_llm::ClientOptions { retention: omp_llm::Retention::Long, ..crate::support::options() };
    let client = omp_llm::Client::new(patient).unwrap();
    for (block, expected) in [
        ("{supportsLongPromptCacheRetention: true}", Some(json!("24h"))),
        ("{supportsLongPromptCacheRetention: false}", None),
        ("{}", None),
    ] {
        let model = model(&server, Wire::OpenAiResponses, block);
        let options = RequestOptions { prompt_cache_key: Some("s".into()), ..RequestOptions::default() };
        let request = request_with(vec![user("hi")], vec![], options);
        crate::support::ask(&client, &model, &request).await.done();
        let body = server.requests().last().unwrap().body.clone();
        assert_eq!(body.get("prompt_cache_retention").cloned(), expected, "{block}");
    }
}

/// A result that no call asked for reaches no host, whatever the key says.
// proves: MOD-173
#[tokio::test]
async fn calls_and_results_are_paired() {
    let server = server();
    for block in ["{strictResponsesPairing: true}", "{strictResponsesPairing: false}"] {
        let model = model(&server, Wire::OpenAiResponses, block);
        let mut messages = called(&model, None);
        messages.remove(1);
        messages.push(user("and?"));
        let body = send(&server, &model, &request_with(messages, vec![], RequestOptions::default())).await;
        assert!(!body["input"].to_string().contains("function_call_output"), "{block}");
    }
}
