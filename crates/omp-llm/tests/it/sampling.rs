//! Sampling parameters and thinking budgets, in the names of each wire.

use omp_testkit::{Reply, Scenario, Server, Wire};
use omp_types::{RequestOptions, Sampling, ThinkingBudgets, ThinkingLevel};
use serde_json::{Value, json};

use crate::support::{ask_once, model, request_with, user};

const NAMES: [&str; 6] = ["temperature", "top_p", "top_k", "min_p", "presence_penalty", "repetition_penalty"];

fn all() -> Sampling {
    Sampling {
        temperature: Some(0.5),
        top_p: Some(0.9),
        top_k: Some(40.0),
        min_p: Some(0.05),
        presence_penalty: Some(1.0),
        repetition_penalty: Some(1.1),
    }
}

fn server() -> Server {
    let scenario = Scenario::replies([Reply::new().text("x")]).repeat(true);
    Server::start(["top_k", "min_p", "repetition_penalty"].into_iter().fold(scenario, Scenario::allow_field))
}

async fn body(server: &Server, model: &omp_llm::Model, options: RequestOptions) -> Value {
    ask_once(model, &request_with(vec![user("hi")], vec![], options)).await.done();
    server.requests().last().unwrap().body.clone()
}

/// The parameters that were sent, in order.
fn sent(body: &Value) -> Vec<(&'static str, Value)> {
    NAMES.into_iter().filter_map(|name| Some((name, body.get(name)?.clone()))).collect()
}

/// Each wire gets what it knows; what nobody set is not sent.
#[tokio::test]
async fn each_wire_gets_the_parameters_it_knows() {
    let server = server();
    let sampled = || RequestOptions { sampling: all(), ..RequestOptions::default() };
    for wire in Wire::ALL {
        let model = model(&server, wire);
        assert_eq!(sent(&body(&server, &model, RequestOptions::default()).await), []);
    }
    let chat = body(&server, &model(&server, Wire::OpenAiCompletions), sampled()).await;
    assert_eq!(sent(&chat).len(), 6, "{chat}");
    assert_eq!((&chat["top_k"], &chat["min_p"]), (&json!(40), &json!(0.05)));
    let mut official = model(&server, Wire::OpenAiCompletions);
    official.compat.extended_sampling = false;
    let names = |body: &Value| sent(body).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    let plain = body(&server, &official, sampled()).await;
    assert_eq!(names(&plain), ["temperature", "top_p", "presence_penalty"]);
    let responses = body(&server, &model(&server, Wire::OpenAiResponses), sampled()).await;
    assert_eq!(names(&responses), ["temperature", "top_p"]);
    let anthropic = body(&server, &model(&server, Wire::AnthropicMessages), sampled()).await;
    assert_eq!(names(&anthropic), ["temperature", "top_p", "top_k"]);
    server.finish();
}

/// Budgets are the user's, but never below what the API accepts nor above the room there is.
#[tokio::test]
async fn budgets_can_be_changed() {
    let server = server();
    let mut model = model(&server, Wire::AnthropicMessages);
    model.reasoning = true;
    model.levels = ThinkingLevel::ALL.to_vec();
    let budgets = ThinkingBudgets { minimal: 5, low: 3000, high: 1_000_000, ..ThinkingBudgets::default() };
    for (level, budgets, expected) in [
        (ThinkingLevel::Low, ThinkingBudgets::default(), 2048),
        (ThinkingLevel::Medium, ThinkingBudgets::default(), 8192),
        (ThinkingLevel::Minimal, budgets, 1024),
        (ThinkingLevel::Low, budgets, 3000),
        (ThinkingLevel::High, budgets, u64::from(model.max_tokens) - 4000),
    ] {
        let options = RequestOptions {
            thinking: level,
            thinking_budgets: budgets,
            sampling: all(),
            ..RequestOptions::default()
        };
        let body = body(&server, &model, options).await;
        assert_eq!(body["thinking"]["budget_tokens"], expected, "{level:?}");
        assert_eq!(sent(&body), [], "a model that thinks takes no sampling parameters");
    }
    server.finish();
}

/// Moonshot's door for Anthropic's wire scales the temperature itself, so it gets what the user set.
// proves: WIR-141
#[tokio::test]
async fn kimi_gets_the_temperature_as_it_was_set() {
    let server = server();
    let mut model = model(&server, Wire::AnthropicMessages);
    model.id = "kimi-k2-0905-preview".into();
    model.compat = omp_llm::Compat::detect(model.api, "https://api.moonshot.ai/anthropic", &model.id);
    for temperature in [0.6, 1.0, 0.1] {
        let sampling = Sampling { temperature: Some(temperature), ..Sampling::default() };
        let body = body(&server, &model, RequestOptions { sampling, ..RequestOptions::default() }).await;
        assert_eq!(body["temperature"].as_f64(), Some(temperature));
    }
    assert!(body(&server, &model, RequestOptions::default()).await.get("temperature").is_none());
    server.finish();
}
