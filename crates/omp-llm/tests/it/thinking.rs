//! Thoughts that come back exactly as they were made.

use omp_llm::{Client, ClientOptions, Interleaving, ThinkingMode};
use omp_testkit::{Reply, Scenario, Server, Wire};
use omp_types::{AssistantBlock, ModelRequest, RequestOptions, Sampling, StopReason, ThinkingLevel};
use serde_json::{Value, json};

use crate::support::{
    ask, ask_once, client, model, options, read_tool, request_with, result, thinking, user,
};

fn think(messages: Vec<std::sync::Arc<omp_types::Message>>) -> ModelRequest {
    request_with(messages, vec![read_tool()], thinking(ThinkingLevel::High))
}

/// Three turns of thoughts, sealed thoughts and calls: the server knows its own signatures and sealed items, insists
/// on finding them in place, and on the whole history as a stable prefix.
// proves: WIR-020
#[tokio::test]
async fn signed_thoughts_are_replayed_exactly() {
    for wire in [Wire::AnthropicMessages, Wire::OpenAiResponses] {
        let turn = |thought: &str| {
            Reply::new()
                .thinking(thought)
                .redacted_thinking()
                .text("Looking.")
                .tool_call("read", json!({"path": "x"}))
        };
        let thoughts = ["  first,\n with \"quotes\" and ünïcode  ", "second", "third"];
        let server = Server::start(
            Scenario::replies(thoughts.map(turn))
                .reply(Reply::new().thinking("last").text("done"))
                .require_stable_prefix(true),
        );
        let (client, model) = (client(), model(&server, wire));
        let mut messages = vec![user("hi")];
        for _ in thoughts {
            let answer = ask(&client, &model, &think(messages.clone())).await;
            answer.done();
            messages.extend([answer.as_message(), result(answer.calls()[0], "contents")]);
        }
        ask(&client, &model, &think(messages.clone())).await.done();
        let body = &server.requests()[3].body;
        if wire == Wire::AnthropicMessages {
            for (index, thought) in thoughts.iter().enumerate() {
                let blocks = &body["messages"][1 + 2 * index]["content"];
                let AssistantBlock::Thinking(made) =
                    &messages[1 + 2 * index].as_assistant().unwrap().content[0]
                else {
                    panic!()
                };
                assert_eq!(
                    blocks[0],
                    json!({"type": "thinking", "thinking": thought, "signature": made.thinking_signature})
                );
                assert_eq!(blocks[1]["type"], "redacted_thinking");
            }
        } else {
            let sealed = body["input"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|item| item["encrypted_content"].is_string())
                .count();
            assert_eq!(sealed, 6, "two per turn");
        }
        for pair in 0..3 {
            assert!(server.shared_prefix_bytes(pair) > 300, "{wire}: bytes are shared, not only meanings");
        }
        server.finish();
    }
}

/// An answer that was cut off inside a thought leaves no dangling thought behind.
#[tokio::test]
async fn a_thought_that_nothing_follows_is_dropped() {
    for wire in Wire::ALL {
        let server = Server::start([
            Reply::new().thinking("endless").stop(omp_testkit::Stop::Length),
            Reply::new().text("ok"),
        ]);
        let (client, model) = (client(), model(&server, wire));
        let cut = ask(&client, &model, &think(vec![user("hi")])).await;
        assert_eq!(cut.done().stop_reason, StopReason::Length);
        ask(&client, &model, &think(vec![user("hi"), cut.as_message(), user("shorter, please")]))
            .await
            .done();
        assert!(!server.requests()[1].body.to_string().contains("endless"), "{wire}");
        server.finish();
    }
}

/// Inside a tool loop that began without a thought the API refuses to begin thinking; after the next prompt it may.
#[tokio::test]
async fn thinking_waits_for_the_next_prompt() {
    let server = Server::start([
        Reply::new().tool_call("read", json!({"path": "x"})),
        Reply::new().text("ok"),
        Reply::new().text("ok"),
    ]);
    let (client, model) = (client(), model(&server, Wire::AnthropicMessages));
    let quiet = request_with(vec![user("hi")], vec![read_tool()], RequestOptions::default());
    let first = ask(&client, &model, &quiet).await;
    let mut messages = vec![user("hi"), first.as_message(), result(first.calls()[0], "x")];
    let second = ask(&client, &model, &think(messages.clone())).await;
    messages.extend([second.as_message(), user("and now?")]);
    ask(&client, &model, &think(messages)).await.done();
    let requests = server.requests();
    assert!(requests[1].body.get("thinking").is_none());
    assert_eq!(requests[2].body["thinking"]["type"], "enabled");
    server.finish();
}

/// Budgets grow with the level and leave room for the answer; adaptive models get a word.
#[tokio::test]
async fn levels_become_budgets_or_words() {
    let server = Server::start(Scenario::replies([Reply::new().text("ok")]).repeat(true));
    let client = client();
    let mut model = model(&server, Wire::AnthropicMessages);
    model.levels = ThinkingLevel::ALL.to_vec();
    let mut last = 0;
    for level in [
        ThinkingLevel::Minimal,
        ThinkingLevel::Low,
        ThinkingLevel::Medium,
        ThinkingLevel::High,
        ThinkingLevel::Max,
    ] {
        ask(&client, &model, &request_with(vec![user("hi")], vec![], thinking(level))).await.done();
        let body = server.requests().last().unwrap().body.clone();
        let budget = body["thinking"]["budget_tokens"].as_u64().unwrap();
        assert!(budget >= 1024 && budget >= last && budget + 1024 <= body["max_tokens"].as_u64().unwrap());
        last = budget;
    }
    let sampling = Sampling { temperature: Some(0.2), ..Sampling::default() };
    let tiny = RequestOptions { max_tokens: Some(500), sampling, ..thinking(ThinkingLevel::High) };
    ask(&client, &model, &request_with(vec![user("hi")], vec![], tiny)).await.done();
    let body = server.requests().last().unwrap().body.clone();
    assert!(body.get("thinking").is_none());
    assert_eq!((&body["max_tokens"], &body["temperature"]), (&json!(500), &json!(0.2)));
    model.thinking = ThinkingMode::AnthropicAdaptive;
    for (level, word) in
        [(ThinkingLevel::Minimal, "low"), (ThinkingLevel::Medium, "medium"), (ThinkingLevel::Max, "max")]
    {
        ask(&client, &model, &request_with(vec![user("hi")], vec![], thinking(level))).await.done();
        let body = server.requests().last().unwrap().body.clone();
        assert_eq!(
            (&body["thinking"], &body["output_config"]["effort"]),
            (&json!({"type": "adaptive"}), &json!(word))
        );
    }
    server.finish();
}

/// The header of interleaved thinking goes out with thoughts, unless the user turned it off.
#[tokio::test]
async fn interleaved_thinking_can_be_turned_off() {
    let server = Server::start(Scenario::replies([Reply::new().text("ok")]).repeat(true));
    let mut model = model(&server, Wire::AnthropicMessages);
    model.compat.thinking.interleaved = true;
    let beta = async |interleaving: Interleaving, level: ThinkingLevel| {
        let client = Client::new(ClientOptions { interleaving, ..options() }).unwrap();
        ask(&client, &model, &request_with(vec![user("hi")], vec![], thinking(level))).await.done();
        server.requests().last().unwrap().header("anthropic-beta").map(str::to_owned)
    };
    assert!(beta(Interleaving::Allowed, ThinkingLevel::High).await.unwrap().contains("interleaved-thinking"));
    assert_eq!(beta(Interleaving::Off, ThinkingLevel::High).await, None);
    assert_eq!(beta(Interleaving::Allowed, ThinkingLevel::Off).await, None);
    server.finish();
}

/// Models that reason but sign nothing get their thoughts back only where the endpoint asks for it.
#[tokio::test]
async fn unsigned_thoughts_are_replayed_on_request() {
    let wire = Wire::OpenAiCompletions;
    for replay in [false, true] {
        let server = Server::start([
            Reply::new().thinking("my own").tool_call("read", json!({"path": "x"})),
            Reply::new().text("ok"),
        ]);
        let (client, mut model) = (client(), model(&server, wire));
        model.compat.thinking.replay_unsigned = replay;
        let first = ask(&client, &model, &think(vec![user("hi")])).await;
        ask(&client, &model, &think(vec![user("hi"), first.as_message(), result(first.calls()[0], "x")]))
            .await
            .done();
        let assistant = server.requests()[1].body["messages"][2].clone();
        let expected = if replay { json!("my own") } else { Value::Null };
        assert_eq!(assistant["reasoning_content"], expected);
        assert_eq!(assistant["content"], Value::Null);
        server.finish();
    }
}

/// A model that does not reason is never asked to.
#[tokio::test]
async fn models_without_reasoning_are_left_alone() {
    for wire in Wire::ALL {
        let server = Server::start([Reply::new().text("ok")]);
        let mut model = model(&server, wire);
        model.reasoning = false;
        ask_once(&model, &think(vec![user("hi")])).await.done();
        let body = server.requests()[0].body.clone();
        for field in ["thinking", "reasoning", "reasoning_effort", "include"] {
            assert!(body.get(field).is_none(), "{wire}: {field}");
        }
        server.finish();
    }
}
