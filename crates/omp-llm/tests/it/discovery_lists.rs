//! Lists of models that the user's file asks for, and those of hosted providers.

use std::time::Duration;

use omp_llm::discovery::{LOOPBACK_LIMIT, ListError, NETWORK_LIMIT};
use omp_llm::registry::{Class, Registry};
use omp_llm::{Api, ModelSource, Transport};
use omp_testkit::{ListReply, ListServer, Reply, Scenario, Server};
use serde_json::{Value, json};

use crate::discovery::{configured, discover, listed_at, no_servers, of, outcome};
use crate::registry::{Environment, model, registry};
use crate::support::{ask, client, request, user};

/// `<base>/v1/models`, with the provider's credential if it has one.
///
/// proves: MOD-093, MOD-094, MOD-096
#[tokio::test]
async fn any_server_can_list_the_way_of_openai() {
    let list = json!({"data": [
        {"id": "both", "max_model_len": 32_000, "context_length": 64_000},
        {"id": "one", "context_length": 64_000},
        {"id": "none"},
    ]});
    let open = ListServer::start([("/v1/models", ListReply::Json(list))]);
    let other = json!({"data": [{"id": "both", "max_model_len": 1_000_000}]});
    let keyed = ListServer::start([("/v1/models", ListReply::Json(other))])
        .require("authorization", "Bearer sk-list");
    let registry = configured(&format!(
        "providers:\n  vllm-fast:\n    baseUrl: {}\n    auth: none\n    api: openai-completions\n    discovery: {{type: openai-models-list, timeoutMs: 20000}}\n  vllm-long:\n    baseUrl: {}/v1\n    apiKey: sk-list\n    api: openai-responses\n    discovery: {{type: openai-models-list, timeoutMs: 20000}}\n",
        open.base_url(),
        keyed.base_url(),
    ))
    .await;
    let window = |id: &str| model(&registry, id).context_window;
    assert_eq!(
        [window("vllm-fast/both"), window("vllm-fast/one"), window("vllm-fast/none")],
        [32_000, 64_000, 128_000]
    );
    let (fast, long) = (model(&registry, "vllm-fast/both"), model(&registry, "vllm-long/both"));
    assert_eq!((long.context_window, long.api), (1_000_000, Api::OpenAiResponses));
    assert_eq!(
        (fast.base_url, long.base_url),
        (format!("{}/v1", open.base_url()), format!("{}/v1", keyed.base_url()))
    );
    assert!(open.requests().iter().all(|request| request.header("authorization").is_none()));
    open.finish();
    keyed.finish();
}

/// The wire of each model is what the list says of it; one that no wire is known for is not offered.
///
/// proves: MOD-097, MOD-099
#[tokio::test]
async fn proxies_serve_several_wires() {
    let list = json!({"data": [
        {"id": "claude", "supported_endpoint_types": ["openai", "anthropic"]},
        {"id": "gpt", "supported_endpoint_types": ["openai"]},
        {"id": "odd", "supported_endpoint_types": ["jina-rerank"]},
        {"id": "silent"},
        {"id": "small", "supported_endpoint_types": ["openai"], "context_length": 4096},
        {"id": "said", "supported_endpoint_types": ["openai"], "max_output_tokens": 77},
    ]});
    let server = ListServer::start([("/v1/models", ListReply::Json(list))]);
    let yaml = |api: &str| {
        format!(
            "providers:\n  mine:\n    baseUrl: {}/v1\n    auth: none\n    {api}\n    discovery: {{type: proxy}}\n",
            server.base_url()
        )
    };
    let without = configured(&yaml("")).await;
    let listed = without.list(&Environment::default());
    let ids: Vec<&str> =
        listed.iter().filter(|(model, _)| model.provider == "mine").map(|(model, _)| &*model.id).collect();
    assert_eq!(ids, ["claude", "gpt", "small", "said"]);
    assert_eq!(model(&without, "mine/claude").api, Api::AnthropicMessages);
    assert_eq!(model(&without, "mine/gpt").api, Api::OpenAiCompletions);
    let limit = |id: &str| model(&without, id).max_tokens;
    assert_eq!(
        [limit("mine/claude"), limit("mine/gpt"), limit("mine/small"), limit("mine/said")],
        [8192, 32_768, 4096, 77]
    );
    let with = configured(&yaml("api: openai-responses")).await;
    for id in ["mine/odd", "mine/silent"] {
        assert_eq!(model(&with, id).api, Api::OpenAiResponses);
    }
    server.finish();
}

/// One address ends in `/v1` and serves both wires.
///
/// proves: MOD-098
#[tokio::test]
async fn one_address_serves_both_wires() {
    let list = json!({"data": [
        {"id": "claude", "supported_endpoint_types": ["anthropic"]},
        {"id": "gpt", "supported_endpoint_types": ["openai"]},
    ]});
    let server = Server::start(
        Scenario::replies([Reply::new().text("a"), Reply::new().text("b")]).keyless(true).model_list(list),
    );
    let yaml = format!(
        "providers:\n  mine:\n    baseUrl: {}/v1\n    auth: none\n    discovery: {{type: proxy}}\n",
        server.base_url()
    );
    let registry = configured(&yaml).await;
    for (id, text) in [("mine/claude", "a"), ("mine/gpt", "b")] {
        assert_eq!(ask(&client(), &model(&registry, id), &request(vec![user("hi")])).await.text(), text);
    }
    let paths: Vec<String> = server.requests().into_iter().map(|request| request.path).collect();
    assert_eq!(paths, ["/v1/messages", "/v1/chat/completions"]);
    server.finish();
}

/// The provider that is compiled in needs an address and nothing else.
///
/// proves: MOD-095
#[tokio::test]
async fn vllm_needs_an_address_only() {
    let server = ListServer::start([(
        "/v1/models",
        ListReply::Json(json!({"data": [{"id": "qwen", "max_model_len": 40_960}]})),
    )]);
    let mut registry =
        registry(&format!("providers:\n  vllm:\n    baseUrl: {}/v1\n    auth: none\n", server.base_url()));
    let outcomes = discover(&mut registry, &no_servers(), Class::Configured, &Environment::default()).await;
    assert!(of(&outcomes, "vllm").is_ok(), "{outcomes:?}");
    let found = model(&registry, "vllm/qwen");
    assert_eq!((found.context_window, found.key), (40_960, None));
    assert_eq!(found.base_url, format!("{}/v1", server.base_url()));
    server.finish();
    let unasked = Registry::new(None);
    let plans = unasked.plans(&no_servers(), &Environment::default());
    assert!(plans.iter().all(|plan| plan.provider != "vllm"), "nobody said that there is one");
}

/// A slow server is found with time of its own, and elsewhere than on this machine without.
///
/// proves: MOD-021, MOD-091
#[tokio::test]
async fn slow_servers_need_time() {
    let slow = ListReply::Slow(Duration::from_millis(900), json!({"data": [{"id": "m"}]}));
    let server = ListServer::start([("/v1/models", slow)]);
    let yaml = |base: &str, limit: &str| {
        format!(
            "providers:\n  mine:\n    baseUrl: {base}\n    auth: none\n    api: openai-completions\n    discovery: {{type: openai-models-list{limit}}}\n"
        )
    };
    assert_eq!(outcome(&yaml(&server.base_url(), "")).await, Err(ListError::TimedOut(LOOPBACK_LIMIT)));
    assert_eq!(outcome(&yaml(&server.base_url(), ", timeoutMs: 20000")).await.unwrap().models.len(), 1);
    let elsewhere = server.base_url().replace("127.0.0.1", "0.0.0.0");
    assert_eq!(outcome(&yaml(&elsewhere, "")).await.unwrap().models.len(), 1);
    assert_eq!(NETWORK_LIMIT, Duration::from_secs(10));
    server.finish();
}

/// Whatever a server sends, it becomes a sentence and costs no more than the limits say.
#[tokio::test]
async fn bad_lists_are_sentences() {
    let html = ListReply::Page("text/html", "<html><body>Log in</body></html>".to_owned());
    for (reply, sentence) in [
        (html, "/v1/models sent text/html instead of a model list"),
        (
            ListReply::Page("application/json", "{\"data\": 3}".to_owned()),
            "sent unexpected data instead of a model list",
        ),
        (
            ListReply::Page("application/json", "\"x\"".to_owned()),
            "sent unexpected data instead of a model list",
        ),
        (ListReply::Status(500), "/v1/models returned HTTP 500 instead of a model list"),
        (ListReply::Status(401), "HTTP 401 instead of a model list; check the provider's key"),
        (ListReply::Broken, "cannot fetch its model list: "),
        (ListReply::Flood(100 * 1024 * 1024), "sent more than 16 MiB instead of a model list"),
    ] {
        let server = ListServer::start([("/v1/models", reply)]);
        let error =
            outcome(&listed_at(&server.base_url(), "openai-models-list", "")).await.unwrap_err().to_string();
        assert!(error.contains(sentence), "{error}");
        server.finish();
    }
}

/// Twenty thousand models are read; entries that cannot be used do not spoil the others.
#[tokio::test]
async fn long_and_odd_lists_are_read() {
    let mut data: Vec<Value> = (0..20_000)
        .map(|number| json!({"id": format!("model-{number}"), "context_length": 1000 + number}))
        .collect();
    data.extend([
        json!({"id": "evil\u{1b}[2J"}),
        json!({"id": "x".repeat(5000)}),
        json!({"id": ""}),
        json!({"id": 7}),
        json!("text"),
        json!({"id": "model-3"}),
        json!({"id": "odd", "context_length": "many", "max_model_len": -5, "name": {"a": 1}}),
    ]);
    let server = ListServer::start([("/v1/models", ListReply::Json(json!({ "data": data })))]);
    let yaml = listed_at(&server.base_url(), "openai-models-list", "");
    let listed = outcome(&yaml).await.unwrap();
    assert_eq!((listed.models.len(), listed.left_out), (20_001, 3));
    let registry = configured(&yaml).await;
    assert_eq!(model(&registry, "mine/model-19999").context_window, 20_999);
    assert_eq!(model(&registry, "mine/odd").context_window, 128_000);
    server.finish();
}

/// What the file says of a model goes before its server's word; everything of the provider holds for found models too.
///
/// proves: MOD-023
#[tokio::test]
async fn the_file_goes_before_the_server() {
    let list = json!({"data": [{"id": "own", "max_model_len": 1}, {"id": "found", "max_model_len": 2}]});
    let server = ListServer::start([("/v1/models", ListReply::Json(list))]);
    let yaml = listed_at(
        &server.base_url(),
        "openai-models-list",
        "transport: pi-native\n    headers: {X-Team: t}\n    compat: {supportsStore: true}\n    models: [{id: own, contextWindow: 99}]\n    modelOverrides: {found: {name: Renamed}}",
    );
    let mut registry = configured(&yaml).await;
    for _ in 0..2 {
        let own = model(&registry, "mine/own");
        assert_eq!((own.context_window, own.facts.source), (99, ModelSource::File));
        let found = model(&registry, "mine/found");
        assert_eq!((found.name.as_str(), found.context_window), ("Renamed", 2));
        assert!(found.compat.supports_store);
        assert_eq!((own.transport, found.transport), (Transport::PiNative, Transport::PiNative));
        assert_eq!(found.headers["X-Team"], "t");
        // A second list, as a refresh brings it.
        discover(&mut registry, &no_servers(), Class::Configured, &Environment::default()).await;
    }
    assert_eq!(server.requests()[0].header("x-team"), Some("t"));
    server.finish();
}

/// Lists of makers come in pages and in their own words.
#[tokio::test]
async fn hosted_lists_are_read_in_full() {
    let page = |data: Value, more: bool, last: &str| json!({"data": data, "has_more": more, "last_id": last});
    let server = ListServer::start([(
        "/v1/models",
        ListReply::Json(page(json!([{"id": "claude-next", "display_name": "Claude Next", "max_input_tokens": 500_000, "max_tokens": 9000}]), false, "claude-next")),
    )])
    .require("x-api-key", "k")
    .require("anthropic-version", "2023-06-01");
    let google = json!({"models": [
        {"name": "models/gemini-9", "displayName": "Gemini 9", "inputTokenLimit": 5000, "outputTokenLimit": 600, "thinking": true, "supportedGenerationMethods": ["generateContent"]},
        {"name": "models/embedding-1", "supportedGenerationMethods": ["embedContent"]},
    ]});
    let gemini =
        ListServer::start([("/v1beta/models", ListReply::Json(google))]).require("x-goog-api-key", "g");
    let yaml = format!(
        "providers:\n  anthropic:\n    baseUrl: {}\n    apiKey: ' k '\n  google:\n    baseUrl: {}/v1beta\n    apiKey: g\n",
        server.base_url(),
        gemini.base_url()
    );
    let mut registry = registry(&yaml);
    let outcomes = discover(&mut registry, &no_servers(), Class::Hosted, &Environment::default()).await;
    for provider in ["anthropic", "google"] {
        assert!(of(&outcomes, provider).is_ok(), "{outcomes:?}");
    }
    let claude = model(&registry, "anthropic/claude-next");
    assert_eq!(
        (claude.name.as_str(), claude.context_window, claude.max_tokens),
        ("Claude Next", 500_000, 9000)
    );
    let found = model(&registry, "google/gemini-9");
    assert_eq!((found.context_window, found.max_tokens, found.reasoning), (5000, 600, true));
    assert!(
        registry.list(&Environment::default()).iter().all(|(model, _)| !model.id.contains("embedding-1"))
    );
    server.finish();
    gemini.finish();
}
