//! How long answers may be, and what a server wants back of thoughts: what of it reaches the wire.

use omp_testkit::{Home, ModelOptions, Reply, Scenario, Server, Wire};
use serde_json::{Value, json};

use crate::support::omp_run;

/// The body of the first request for a model with these properties.
fn body(wire: Wire, options: ModelOptions, arguments: &[&str]) -> Value {
    let server = Server::start([Reply::new().text("ok")]);
    let home = Home::new();
    home.models_yml(&server, wire, options);
    let mut all = vec!["-p", "hi"];
    all.extend(arguments);
    omp_run(&home, &all).assert_success();
    let body = server.requests()[0].body.clone();
    server.finish();
    body
}

/// Where the limit is in a request; the API of ChatGPT accounts refuses one.
fn place(wire: Wire) -> Option<&'static str> {
    match wire {
        Wire::OpenAiCompletions | Wire::AnthropicMessages => Some("/max_tokens"),
        Wire::OpenAiResponses | Wire::AzureOpenAiResponses => Some("/max_output_tokens"),
        Wire::OpenAiCodexResponses => None,
        Wire::BedrockConverseStream => Some("/inferenceConfig/maxTokens"),
        Wire::OllamaChat => Some("/options/num_predict"),
        Wire::GoogleGenerativeAi | Wire::GoogleGeminiCli | Wire::GoogleVertex => {
            Some("/generationConfig/maxOutputTokens")
        }
    }
}

// proves: IOP-008
#[test]
fn the_limit_of_a_model_reaches_every_wire() {
    for wire in Wire::ALL {
        let body = body(wire, ModelOptions::new().max_tokens(7777), &[]);
        match place(wire) {
            Some(place) => assert_eq!(body.pointer(place), Some(&json!(7777)), "{wire}: {place}"),
            None => assert!(!body.to_string().contains("7777"), "{wire}"),
        }
    }
}

// proves: IOP-008, MOD-026, MOD-168
#[test]
fn the_field_of_the_limit_is_what_the_provider_says() {
    for (field, other) in [("max_tokens", "max_completion_tokens"), ("max_completion_tokens", "max_tokens")] {
        let compat = format!("compat: {{maxTokensField: {field}}}");
        let body = body(Wire::OpenAiCompletions, ModelOptions::new().max_tokens(7777).provider(&compat), &[]);
        assert_eq!((&body[field], body.get(other)), (&json!(7777), None), "{field}");
    }
    // For every model of the provider, also one of which only the id is known.
    let server = Server::start(Scenario::replies([Reply::new().text("ok"), Reply::new().text("ok")]));
    let home = Home::new();
    home.write(
        "home/.omp/agent/models.yml",
        format!(
            "providers:\n  test:\n    baseUrl: {}\n    api: openai-completions\n    apiKey: k\n    \
             compat: {{maxTokensField: max_completion_tokens}}\n    models:\n      - id: a\n      - id: b\n        \
             maxTokens: 500\n",
            server.base_url_for(Wire::OpenAiCompletions)
        ),
    );
    omp_run(&home, &["-p", "--model", "test/a", "hi"]).assert_success();
    omp_run(&home, &["-p", "--model", "test/b", "hi"]).assert_success();
    let limits: Vec<Value> =
        server.requests().iter().map(|request| request.body["max_completion_tokens"].clone()).collect();
    assert_eq!(limits, [json!(16_384), json!(500)]);
    server.finish();
}

/// A limit that nobody stated is not sent, and one that leaves no room for the conversation is made smaller: servers
/// refuse what does not fit into their window.
// proves: IOP-008
#[test]
fn a_limit_is_stated_and_fits() {
    let server = Server::start([Reply::new().text("ok")]);
    let home = Home::new();
    home.write(
        "home/.omp/agent/models.yml",
        format!(
            "providers:\n  test:\n    baseUrl: {}\n    api: openai-completions\n    apiKey: k\n    models:\n      - id: a\n",
            server.base_url_for(Wire::OpenAiCompletions)
        ),
    );
    omp_run(&home, &["-p", "hi"]).assert_success();
    assert!(server.requests()[0].body.get("max_tokens").is_none());
    server.finish();

    let large = ModelOptions::new().context_window(65_536).max_tokens(65_536);
    let limit = body(Wire::OpenAiCompletions, large, &[])["max_tokens"].as_u64().unwrap();
    assert!((4096..65_536).contains(&limit), "{limit}");
}

// proves: IOP-009
#[test]
fn a_thinking_budget_leaves_room_for_the_answer() {
    let think = ["--thinking", "high"];
    let claude = |limit| ModelOptions::new().id("claude-x").reasoning(true).max_tokens(limit);
    for (limit, budget) in [(8192, 4192), (6000, 3000), (32_000, 16_384)] {
        let sent = body(Wire::AnthropicMessages, claude(limit), &think);
        assert_eq!(sent["max_tokens"], limit);
        assert_eq!(sent["thinking"]["budget_tokens"], budget, "Anthropic, {limit}");
        let sent = body(Wire::BedrockConverseStream, claude(limit), &think);
        assert_eq!(sent["additionalModelRequestFields"]["thinking"]["budget_tokens"], budget, "{limit}");
        let gemini = ModelOptions::new().id("gemini-2.5-pro").reasoning(true).max_tokens(limit);
        for wire in [Wire::GoogleGenerativeAi, Wire::GoogleGeminiCli] {
            let sent = body(wire, gemini.clone(), &think);
            let config = &sent["generationConfig"]["thinkingConfig"];
            assert_eq!(config["thinkingBudget"], budget, "{wire}, {limit}");
        }
    }
    // Too little for a budget that the API takes: the model does not think.
    assert!(body(Wire::AnthropicMessages, claude(2000), &think).get("thinking").is_none());
}

/// Servers that check it want thoughts on every turn of the assistant, with calls or without.
// proves: MOD-183
#[test]
fn every_turn_carries_thoughts_where_a_server_wants_them() {
    let server = Server::start([
        Reply::new().thinking("look first").tool_call("read", json!({"_i": "x", "path": "a.txt"})),
        Reply::new().text("It says hello."),
        Reply::new().text("Gladly."),
    ]);
    let home = Home::new();
    let compat = "compat: {requiresReasoningContentForToolCalls: true}";
    home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new().reasoning(true).provider(compat));
    home.write("work/a.txt", "hello");
    omp_run(&home, &["-p", "what does a.txt say?"]).assert_success();
    omp_run(&home, &["-c", "-p", "thanks"]).assert_success();
    let messages = server.requests()[2].body["messages"].as_array().unwrap().clone();
    let thoughts: Vec<&str> = messages
        .iter()
        .filter(|message| message["role"] == "assistant")
        .map(|message| message["reasoning_content"].as_str().unwrap_or_default())
        .collect();
    assert_eq!(thoughts.len(), 2);
    assert_eq!(thoughts[0], "look first");
    assert!(!thoughts[1].is_empty(), "{messages:?}");
    server.finish();
}
