//! Tool choice and strict schemas.

use omp_llm::{Client, ClientOptions, StrictPolicy, Strictness};
use omp_testkit::{Reply, Scenario, Server, Wire};
use omp_types::{ParallelTools, RequestOptions, StrictHint, ToolChoice, ToolDefinition};
use serde_json::{Value, json};

use crate::support::{ask, client, is_google, model, options, read_tool, request_with, tool, user};

/// Three tools: one that can be enforced, one whose author declined, one that strict mode cannot express.
fn tools() -> Vec<ToolDefinition> {
    let mut declined = read_tool();
    declined.name = "declined".into();
    declined.strict = Some(StrictHint::Never);
    let open = tool("open", json!({"type": "object", "additionalProperties": {"type": "string"}}));
    vec![read_tool(), declined, open]
}

/// The `strict` key of each tool, as sent.
async fn strict_keys(wire: Wire, policy: StrictPolicy, host: Strictness) -> Vec<Option<Value>> {
    let server = Server::start([Reply::new().text("x")]);
    let client = Client::new(ClientOptions { strict: policy, ..options() }).unwrap();
    let mut model = model(&server, wire);
    model.compat.strict = host;
    ask(&client, &model, &request_with(vec![user("hi")], tools(), RequestOptions::default())).await.done();
    let body = server.requests()[0].body.clone();
    server.finish();
    let tools = body["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool.get("strict").or_else(|| tool["function"].get("strict")).cloned()).collect()
}

/// With `PI_NO_STRICT` no body holds the key, whatever the host could do.
// proves: WIR-175
#[tokio::test]
async fn strict_marking_can_be_turned_off_everywhere() {
    // Elsewhere tools are in other places and have no such key.
    let known = [
        Wire::OpenAiCompletions,
        Wire::OpenAiResponses,
        Wire::AnthropicMessages,
        Wire::AzureOpenAiResponses,
        Wire::OpenAiCodexResponses,
        Wire::OllamaChat,
    ];
    for wire in known {
        let keys = strict_keys(wire, StrictPolicy::Never, Strictness::WherePossible).await;
        assert_eq!(keys, [None, None, None], "{wire}");
    }
    assert_eq!(
        strict_keys(Wire::OpenAiCompletions, StrictPolicy::Allowed, Strictness::WherePossible).await[0],
        Some(json!(true))
    );
    assert_eq!(
        strict_keys(Wire::OpenAiResponses, StrictPolicy::Allowed, Strictness::WherePossible).await[0],
        Some(json!(true))
    );
}

/// An author's `strict: false` stays where the host knows the key, and is left out where it does not.
// proves: WIR-176
#[tokio::test]
async fn an_explicit_no_is_kept() {
    let (yes, no) = (Some(json!(true)), Some(json!(false)));
    let chat = strict_keys(Wire::OpenAiCompletions, StrictPolicy::Allowed, Strictness::WherePossible).await;
    assert_eq!(chat, [yes.clone(), no.clone(), None]);
    let responses =
        strict_keys(Wire::OpenAiResponses, StrictPolicy::Allowed, Strictness::WherePossible).await;
    assert_eq!(
        responses,
        [yes, no.clone(), no],
        "this wire defaults to strict, so the third says no as well"
    );
    for wire in [Wire::OpenAiCompletions, Wire::OpenAiResponses] {
        assert_eq!(
            strict_keys(wire, StrictPolicy::Allowed, Strictness::Unsupported).await,
            [None, None, None]
        );
    }
}

/// All forms of the choice on the OpenAI wires.
#[tokio::test]
async fn tool_choice_on_the_openai_wires() {
    for wire in [Wire::OpenAiCompletions, Wire::OpenAiResponses] {
        let server = Server::start(Scenario::replies([Reply::new().text("x")]).repeat(true));
        let (client, model) = (client(), model(&server, wire));
        let named = if wire == Wire::OpenAiCompletions {
            json!({"type": "function", "function": {"name": "read"}})
        } else {
            json!({"type": "function", "name": "read"})
        };
        for (choice, expected) in [
            (ToolChoice::Auto, None),
            (ToolChoice::None, Some(json!("none"))),
            (ToolChoice::Required, Some(json!("required"))),
            (ToolChoice::Tool("read".into()), Some(named)),
        ] {
            for parallel_tools in [ParallelTools::Allowed, ParallelTools::OneAtATime] {
                let options = RequestOptions {
                    tool_choice: choice.clone(),
                    parallel_tools,
                    ..RequestOptions::default()
                };
                ask(&client, &model, &request_with(vec![user("hi")], vec![read_tool()], options))
                    .await
                    .done();
                let body = server.requests().last().unwrap().body.clone();
                assert_eq!(body.get("tool_choice").cloned(), expected, "{wire}");
                let single = (parallel_tools == ParallelTools::OneAtATime).then_some(&json!(false)).cloned();
                assert_eq!(body.get("parallel_tool_calls").cloned(), single, "{wire}");
            }
        }
        let mut free = model.clone();
        free.compat.supports_forced_tool_choice = false;
        let options = RequestOptions { tool_choice: ToolChoice::Required, ..RequestOptions::default() };
        ask(&client, &free, &request_with(vec![user("hi")], vec![read_tool()], options)).await.done();
        assert!(server.requests().last().unwrap().body.get("tool_choice").is_none());
        server.finish();
    }
}

/// Without tools there is nothing to choose.
#[tokio::test]
async fn no_tools_no_choice() {
    for wire in Wire::ALL {
        let server = Server::start([Reply::new().text("x")]);
        let options = RequestOptions {
            tool_choice: ToolChoice::Required,
            parallel_tools: ParallelTools::OneAtATime,
            ..RequestOptions::default()
        };
        ask(&client(), &model(&server, wire), &request_with(vec![user("hi")], vec![], options)).await.done();
        server.finish();
    }
}

/// Arguments that are no JSON object are kept as they came, and the call is one that cannot run; the next request is
/// valid all the same.
#[tokio::test]
async fn broken_arguments_are_kept_apart() {
    // Google ends such a turn itself; `google::finish_reasons_are_understood` is about that.
    for wire in Wire::ALL.into_iter().filter(|wire| !is_google(*wire)) {
        for raw in ["{\"path\": \"unfinished", "[1, 2]", "not json", "{} trailing"] {
            let server = Server::start([Reply::new().tool_call_raw("read", raw), Reply::new().text("x")]);
            let (client, model) = (client(), model(&server, wire));
            let build = |messages| request_with(messages, vec![read_tool()], RequestOptions::default());
            let first = ask(&client, &model, &build(vec![user("hi")])).await;
            first.done();
            let call = first.calls()[0];
            assert_eq!(call.invalid_arguments.as_deref(), Some(raw), "{wire}");
            assert!(call.arguments.is_empty());
            let answer = crate::support::failed(call, "not JSON");
            ask(&client, &model, &build(vec![user("hi"), first.as_message(), answer])).await.done();
            server.finish();
        }
    }
}
