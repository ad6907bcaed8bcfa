//! Lists of models, from every kind of server.

use std::net::TcpListener;
use std::time::Duration;

use omp_llm::discovery::{LOOPBACK_LIMIT, ListError, ListedModel, LocalServers, Outcome, fetch_all};
use omp_llm::registry::{Class, Join, Plan, Registry};
use omp_llm::{Api, Client, ClientOptions, Input, Model, ModelSource, ProxySource};
use omp_testkit::{ListReply, ListServer, Reply, Scenario, Server};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::registry::{Environment, model, registry};
use crate::support::{ask, client, options, request, user};

/// A port on which nobody listens.
pub(crate) fn nowhere() -> String {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    format!("http://127.0.0.1:{port}")
}

/// No engine anywhere.
pub(crate) fn no_servers() -> LocalServers {
    let nowhere = nowhere();
    let (ollama, lm_studio, llama_cpp) = (nowhere.clone(), nowhere.clone(), nowhere);
    LocalServers { ollama, lm_studio, llama_cpp, ollama_context: None }
}

/// What a server would say, without one. A provider that is not there says nothing.
pub(crate) fn found(registry: &mut Registry, provider: &str, ids: &[&str]) {
    let plans = registry.plans(&no_servers(), &Environment::default());
    let listed = |id: &&str| ListedModel { id: (*id).to_owned(), ..ListedModel::default() };
    let models: Vec<ListedModel> = ids.iter().map(listed).collect();
    if let Some(plan) = plans.iter().find(|plan| plan.provider == provider) {
        registry.adopt(plan, &models, Join::Over);
    }
}

/// Asks everybody of one class, and takes over what they say.
pub(crate) async fn discover(
    registry: &mut Registry,
    servers: &LocalServers,
    class: Class,
    environment: &Environment,
) -> Vec<(String, Outcome)> {
    let plans = registry.plans(servers, environment);
    let plans: Vec<Plan> = plans.into_iter().filter(|plan| plan.class == class).collect();
    let drafts = plans.iter().map(|plan| registry.draft(plan).unwrap());
    let sources: Vec<_> = drafts.map(|draft| draft.resolve(environment).unwrap()).collect();
    let outcomes = fetch_all(&client(), &sources, &CancellationToken::new()).await;
    for (plan, outcome) in plans.iter().zip(&outcomes) {
        if let Ok(listed) = outcome {
            registry.adopt(plan, &listed.models, Join::Over);
        }
    }
    plans.into_iter().map(|plan| plan.provider).zip(outcomes).collect()
}

/// Discovery of the providers in `yaml`, which must all answer.
pub(crate) async fn configured(yaml: &str) -> Registry {
    let mut registry = registry(yaml);
    let outcomes = discover(&mut registry, &no_servers(), Class::Configured, &Environment::default()).await;
    assert!(!outcomes.is_empty());
    for (provider, outcome) in outcomes {
        assert!(outcome.is_ok(), "{provider}: {outcome:?}");
    }
    registry
}

/// A provider whose list is given much time, for busy machines.
pub(crate) fn listed_at(base: &str, kind: &str, lines: &str) -> String {
    format!(
        "providers:\n  mine:\n    baseUrl: {base}\n    auth: none\n    api: openai-completions\n    discovery: {{type: {kind}, timeoutMs: 20000}}\n    {lines}\n"
    )
}

pub(crate) async fn outcome(yaml: &str) -> Outcome {
    let mut registry = registry(yaml);
    let mut outcomes =
        discover(&mut registry, &no_servers(), Class::Configured, &Environment::default()).await;
    outcomes.remove(0).1
}

/// What one of them said.
pub(crate) fn of<'a>(outcomes: &'a [(String, Outcome)], provider: &str) -> &'a Outcome {
    &outcomes.iter().find(|(id, _)| id == provider).unwrap().1
}

#[tokio::test]
async fn servers_that_answer_are_found_and_usable() {
    let ollama = Server::start(
        Scenario::replies([Reply::new().text("from ollama")]).keyless(true).ollama(["llama3:8b", "qwen:7b"]),
    );
    let studio = Server::start(
        Scenario::replies([Reply::new().text("from studio")]).keyless(true).models(["studio-model"]),
    );
    let llama = Server::start(
        Scenario::replies([Reply::new().text("from llama.cpp")]).keyless(true).models(["gguf"]),
    );
    let servers = LocalServers {
        ollama: format!("{}/v1/", ollama.base_url()),
        lm_studio: format!("{}/v1/", studio.base_url()),
        llama_cpp: llama.base_url(),
        ollama_context: None,
    };
    let mut registry = Registry::new(None);
    discover(&mut registry, &servers, Class::Local, &Environment::default()).await;
    for (pattern, api, text) in [
        ("llama3:8b", Api::OpenAiResponses, "from ollama"),
        ("lm-studio/studio-model", Api::OpenAiCompletions, "from studio"),
        ("gguf", Api::OpenAiResponses, "from llama.cpp"),
    ] {
        let model = model(&registry, pattern);
        assert_eq!((model.api, model.facts.source), (api, ModelSource::Discovered));
        assert_eq!(ask(&client(), &model, &request(vec![user("hi")])).await.text(), text);
    }
    for server in [ollama, studio, llama] {
        server.finish();
    }
}

/// The list, then one look at each model; where they are, what they cost, what they can hold.
///
/// proves: MOD-084, MOD-085
#[tokio::test]
async fn ollama_is_asked_about_each_model() {
    let show = |details: Value| ListReply::Json(details);
    let server = ListServer::start([
        ("/api/tags", ListReply::Json(json!({"models": [{"name": "a:1b", "model": "a:1b"}, {"name": "b"}]}))),
        (
            "/api/show/a:1b",
            show(json!({"model_info": {"llama.context_length": 8192}, "capabilities": ["completion"]})),
        ),
        (
            "/api/show/b",
            show(json!({"model_info": {}, "capabilities": ["completion", "thinking", "vision"]})),
        ),
    ]);
    let servers = LocalServers { ollama: server.base_url(), ..no_servers() };
    let mut found = Registry::new(None);
    discover(&mut found, &servers, Class::Local, &Environment::default()).await;
    let mut calls = server.calls();
    calls[1..].sort();
    assert_eq!(calls, ["GET /api/tags", "POST /api/show", "POST /api/show"]);
    let (first, second) = (model(&found, "ollama/a:1b"), model(&found, "ollama/b"));
    assert_eq!(first.base_url, format!("{}/v1", server.base_url()));
    assert_eq!(first.api, Api::OpenAiResponses);
    assert_eq!((first.cost.input, first.cost.output, first.key), (0.0, 0.0, None));
    assert_eq!((first.context_window, second.context_window), (8192, 128_000));
    assert_eq!((second.reasoning, second.accepts_images()), (true, true));
    assert_eq!((first.reasoning, first.input), (false, vec![Input::Text]));
    let told = LocalServers { ollama_context: Some(65_536), ..servers };
    let mut registry = Registry::new(None);
    discover(&mut registry, &told, Class::Local, &Environment::default()).await;
    for id in ["ollama/a:1b", "ollama/b"] {
        assert_eq!(model(&registry, id).context_window, 65_536);
    }
    server.finish();
}

/// The number that the user gives is for us; the server is not told.
///
/// proves: MOD-085
#[tokio::test]
async fn the_context_length_stays_here() {
    let server = Server::start(Scenario::replies([Reply::new().text("ok")]).keyless(true).ollama(["m"]));
    let servers = LocalServers { ollama: server.base_url(), ollama_context: Some(4096), ..no_servers() };
    let mut registry = Registry::new(None);
    discover(&mut registry, &servers, Class::Local, &Environment::default()).await;
    ask(&client(), &model(&registry, "ollama/m"), &request(vec![user("hi")])).await;
    let show = server.other_requests().into_iter().find(|request| request.path == "/api/show").unwrap();
    for body in [show.raw_body, server.requests()[0].raw_body.clone()] {
        assert!(!String::from_utf8_lossy(&body).contains("num_ctx"));
    }
    server.finish();
}

/// The native endpoints; what they leave open gets the usual values.
///
/// proves: MOD-087, MOD-088
#[tokio::test]
async fn llama_cpp_is_asked_natively() {
    let list = || ListReply::Json(json!({"models": [{"name": "x"}], "data": [{"id": "x.gguf", "meta": {}}]}));
    let server = ListServer::start([
        ("/models", list()),
        (
            "/props",
            ListReply::Json(
                json!({"default_generation_settings": {"n_ctx": 16_384}, "modalities": {"vision": true}}),
            ),
        ),
    ]);
    let at = |base: String| LocalServers { llama_cpp: base, ..no_servers() };
    let mut registry = Registry::new(None);
    discover(&mut registry, &at(server.base_url()), Class::Local, &Environment::default()).await;
    assert_eq!(server.calls(), ["GET /models", "GET /props"]);
    let found = model(&registry, "llama.cpp/x.gguf");
    assert_eq!((found.api, found.context_window, found.max_tokens), (Api::OpenAiResponses, 16_384, 16_384));
    assert_eq!((found.base_url, found.key), (format!("{}/v1", server.base_url()), None));
    assert!(found.input.contains(&Input::Image));
    server.finish();
    let bare = ListServer::start([("/models", list()), ("/props", ListReply::Status(501))]);
    let mut registry = Registry::new(None);
    discover(&mut registry, &at(bare.base_url()), Class::Local, &Environment::default()).await;
    let found = model(&registry, "llama.cpp/x.gguf");
    assert_eq!((found.context_window, found.max_tokens, found.reasoning), (128_000, 32_768, false));
    bare.finish();
}

/// `<base>/models`, whatever server it is.
///
/// proves: MOD-089
#[tokio::test]
async fn lm_studio_is_any_server_of_its_kind() {
    let server = ListServer::start([("/v1/models", ListReply::Json(json!({"data": [{"id": "mlx-model"}]})))]);
    let servers = LocalServers { lm_studio: format!("{}/v1", server.base_url()), ..no_servers() };
    let mut registry = Registry::new(None);
    discover(&mut registry, &servers, Class::Local, &Environment::default()).await;
    let found = model(&registry, "lm-studio/mlx-model");
    assert_eq!((found.api, found.key), (Api::OpenAiCompletions, None));
    assert_eq!(found.base_url, format!("{}/v1", server.base_url()));
    server.finish();
    let unset = LocalServers::from_env(|_| None);
    assert_eq!(unset.lm_studio, "http://127.0.0.1:1234/v1");
    assert_eq!(unset.llama_cpp, "http://127.0.0.1:8080");
    assert_eq!(unset.ollama, "http://127.0.0.1:11434");
}

/// Nobody there, somebody who never answers, and somebody who answers nonsense: given up, and no model.
#[tokio::test]
async fn a_machine_without_servers_is_left_soon() {
    let black_hole = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("http://{}", black_hole.local_addr().unwrap());
    let other = Server::start(Scenario::new());
    let servers = LocalServers { ollama: other.base_url(), lm_studio: silent, ..no_servers() };
    let mut registry = Registry::new(None);
    let outcomes = discover(&mut registry, &servers, Class::Local, &Environment::default()).await;
    assert!(matches!(of(&outcomes, "ollama"), Err(ListError::Status { status: 404, .. })));
    assert_eq!(of(&outcomes, "lm-studio"), &Err(ListError::TimedOut(LOOPBACK_LIMIT)));
    assert!(matches!(of(&outcomes, "llama.cpp"), Err(ListError::Transport(_))));
    assert!(LOOPBACK_LIMIT <= Duration::from_millis(250));
    let found = |model: &Model| model.facts.source == ModelSource::Discovered;
    assert!(!registry.list(&Environment::default()).into_iter().any(|(model, _)| found(model)));
}

/// A proxy does not know what runs on this machine.
#[tokio::test]
async fn the_proxy_is_not_asked_about_this_machine() {
    let server = Server::start(Scenario::new().ollama(["llama3"]));
    let client = Client::new(ClientOptions { proxy: ProxySource::Url(nowhere()), ..options() }).unwrap();
    let registry = Registry::new(None);
    let servers = LocalServers { ollama: server.base_url(), ..no_servers() };
    let environment = Environment::default();
    let plans = registry.plans(&servers, &environment);
    let plan = plans.iter().find(|plan| plan.provider == "ollama").unwrap();
    let source = registry.draft(plan).unwrap().resolve(&environment).unwrap();
    let outcomes = fetch_all(&client, &[source], &CancellationToken::new()).await;
    assert_eq!(outcomes[0].as_ref().unwrap().models.len(), 1);
}

/// Keys of engines are optional and sent where they are set; the key of vLLM alone says that there is one.
///
/// proves: CLI-126
#[tokio::test]
async fn engines_take_keys_but_need_none() {
    let list = || ListReply::Json(json!({"models": [{"name": "m", "model": "m"}]}));
    let show = || ListReply::Json(json!({"capabilities": ["completion"]}));
    let routes = || {
        [
            ("/api/tags", list()),
            ("/api/show/m", show()),
            ("/v1/models", list()),
            ("/models", list()),
            ("/props", show()),
        ]
    };
    let keys = [("OLLAMA_API_KEY", "k"), ("LM_STUDIO_API_KEY", "k"), ("LLAMA_CPP_API_KEY", "k")];
    for (environment, server) in [
        (Environment::default(), ListServer::start(routes())),
        (Environment::with(&keys), ListServer::start(routes()).require("authorization", "Bearer k")),
    ] {
        let base = server.base_url();
        let servers = LocalServers {
            ollama: base.clone(),
            lm_studio: format!("{base}/v1"),
            llama_cpp: base,
            ollama_context: None,
        };
        let mut registry = Registry::new(None);
        let outcomes = discover(&mut registry, &servers, Class::Local, &environment).await;
        assert!(outcomes.len() == 3 && outcomes.iter().all(|(_, outcome)| outcome.is_ok()), "{outcomes:?}");
        server.finish();
    }
    let vllm = |environment: Environment| {
        let plans = Registry::new(None).plans(&no_servers(), &environment);
        plans.into_iter().find(|plan| plan.provider == "vllm").map(|plan| (plan.class, plan.origin()))
    };
    assert_eq!(vllm(Environment::default()), None);
    let (class, origin) = vllm(Environment::with(&[("VLLM_API_KEY", "any")])).unwrap();
    assert_eq!(
        (class, origin.as_str()),
        (Class::Configured, "openai-models-list openai-completions http://127.0.0.1:8000/v1")
    );
}

/// Who is asked when nothing is said, and who when something is.
///
/// proves: MOD-092
#[test]
fn a_block_of_the_file_replaces_the_implicit_engine() {
    let environment = Environment::default();
    let plans = |yaml: &str| registry(yaml).plans(&LocalServers::from_env(|_| None), &environment);
    let of = |plans: Vec<Plan>, id: &str| plans.into_iter().find(|plan| plan.provider == id);
    let implicit = of(plans("providers: {}"), "ollama").unwrap();
    assert_eq!(
        (implicit.class, implicit.origin().as_str()),
        (Class::Local, "ollama openai-responses http://127.0.0.1:11434")
    );
    let moved = of(plans("providers: {ollama: {baseUrl: 'http://box:1'}}"), "ollama").unwrap();
    assert!(moved.origin().ends_with("http://box:1"), "{}", moved.origin());
    let explicit = "providers: {llama.cpp: {baseUrl: 'http://box:2', api: openai-completions, auth: none, discovery: {type: llama.cpp}}}";
    let explicit = of(plans(explicit), "llama.cpp").unwrap();
    assert_eq!(explicit.class, Class::Configured);
    assert_eq!(explicit.origin(), "llama.cpp openai-completions http://box:2");
    let complete = "providers: {lm-studio: {baseUrl: 'http://box:3', auth: none, api: openai-completions, models: [{id: m}]}}";
    assert!(of(plans(complete), "lm-studio").is_none(), "its models are known");
}
