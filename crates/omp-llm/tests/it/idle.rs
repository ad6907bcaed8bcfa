//! How long a stream may be silent: the model's own floor under the setting.

use std::time::Duration;

use omp_llm::registry::Registry;
use omp_llm::{Api, Client, ClientOptions, Compat, StreamLimits};
use omp_testkit::{Reply, Server, Wire};
use omp_types::FailureKind;

use crate::registry::{model, registry};
use crate::support::{self, ask, options, request, user};

/// A stall that the setting would end goes on to the floor; one beyond the floor ends there.
// proves: MOD-174
#[tokio::test]
async fn the_floor_raises_the_limit() {
    let stall = |ms| {
        Reply::new()
            .text("some words, then silence")
            .delta_size(4)
            .stall_after_event(4, Duration::from_millis(ms))
    };
    let server = Server::start([stall(200), stall(60_000)]);
    let yaml = |floor: &str| {
        format!(
            "providers:\n  slow:\n    baseUrl: {}\n    apiKey: k\n    api: openai-completions\n    compat: {{streamIdleTimeoutMs: {floor}}}\n    models: [{{id: scripted}}]\n",
            server.base_url_for(Wire::OpenAiCompletions)
        )
    };
    let client = Client::new(ClientOptions { idle_timeout: Duration::from_millis(50), ..options() }).unwrap();
    let request = request(vec![user("hi")]);
    let patient = model(&registry(&yaml("30000")), "slow/scripted");
    ask(&client, &patient, &request).await.done();
    let floor = model(&registry(&yaml("300")), "slow/scripted");
    let ended = ask(&client, &floor, &request).await;
    assert_eq!(ended.failure().kind, FailureKind::Transient);
    assert!(ended.failure().message.contains("nothing for 0.3 s"), "{:?}", ended.failure());
    let negative = Registry::new(Some(&yaml("-1")));
    assert!(negative.error().is_some_and(|error| error.to_string().contains("streamIdleTimeoutMs")));
    let floor =
        |url: &str| Compat::detect(Api::OpenAiCompletions, url, "deepseek-reasoner").stream_idle_timeout_ms;
    assert_eq!(floor("https://api.z.ai/api/coding/paas/v4"), 600_000);
    assert_eq!(floor("https://open.bigmodel.cn/api/coding/paas/v4"), 600_000);
    assert_eq!(floor("https://api.z.ai/api/paas/v4"), 0);
    assert_eq!(floor("https://api.deepseek.com"), 300_000);
    assert_eq!(floor("https://openrouter.ai/api/v1"), 0);
    server.finish();
}

const OPENAI: [Wire; 4] =
    [Wire::OpenAiCompletions, Wire::OpenAiResponses, Wire::AzureOpenAiResponses, Wire::OpenAiCodexResponses];

fn limited(idle_ms: Option<u64>, first_event_ms: Option<u64>) -> Client {
    let openai_limits = StreamLimits {
        idle: idle_ms.map(Duration::from_millis),
        first_event: first_event_ms.map(Duration::from_millis),
    };
    Client::new(ClientOptions { openai_limits, ..options() }).unwrap()
}

/// OpenAI's wires have a limit of silence of their own; the other wires do not hear of it.
#[tokio::test]
async fn openai_may_be_silent_for_another_time() {
    let stall = |ms| {
        Reply::new()
            .text("some words, then silence")
            .delta_size(4)
            .stall_after_event(5, Duration::from_millis(ms))
    };
    let request = request(vec![user("hi")]);
    for wire in OPENAI {
        let server = Server::start([stall(60_000)]);
        let ended = ask(&limited(Some(200), None), &support::model(&server, wire), &request).await;
        assert!(ended.failure().message.contains("nothing for 0.2 s"), "{wire}: {:?}", ended.failure());
        server.finish();
    }
    let server = Server::start([stall(400)]);
    let other = support::model(&server, Wire::AnthropicMessages);
    ask(&limited(Some(200), None), &other, &request).await.done();
    server.finish();
}

/// The first event has a limit of its own, which neither comments nor headers satisfy.
#[tokio::test]
async fn the_first_event_may_take_another_time() {
    let request = request(vec![user("hi")]);
    for wire in OPENAI {
        let late = Reply::new().text("late").delay_before(Duration::from_secs(60));
        let comments = Reply::new().text("x").comments(true).stall_after_bytes(4, Duration::from_secs(60));
        let server = Server::start([late, comments]);
        for _ in 0..2 {
            let ended = ask(&limited(None, Some(100)), &support::model(&server, wire), &request).await;
            assert_eq!(ended.failure().kind, FailureKind::Transient, "{wire}");
            assert!(ended.failure().message.contains("within 0.1 s"), "{wire}: {:?}", ended.failure());
        }
        server.finish();
    }
}

/// Silence behind the first event is measured as ever, and the limit before it may be the longer one.
#[tokio::test]
async fn the_limits_before_and_behind_the_first_event_are_two() {
    let request = request(vec![user("hi")]);
    let stalled =
        Reply::new().text("some words").delta_size(2).stall_after_event(5, Duration::from_millis(1700));
    let slow = Reply::new().text("ok").delay_before(Duration::from_millis(1300));
    for (reply, client) in [(stalled, limited(None, Some(1500))), (slow, limited(Some(1000), Some(0)))] {
        let server = Server::start([reply]);
        ask(&client, &support::model(&server, Wire::OpenAiResponses), &request).await.done();
        server.finish();
    }
}
