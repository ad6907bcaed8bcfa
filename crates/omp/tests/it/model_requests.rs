//! How the user's file and the settings shape what is sent.

use omp_testkit::{Home, Output, RecordedRequest, Reply, Scenario, Server, Wire, run};

use crate::support::{LIMIT, omp, omp_run};

const CONFIG: &str = "home/.omp/agent/config.yml";
const MODELS: &str = "home/.omp/agent/models.yml";

fn forever() -> Server {
    Server::start(Scenario::replies([Reply::new().text("ok")]).keyless(true).repeat(true))
}

/// A provider on the server with these lines of its own.
fn home(server: &Server, wire: Wire, provider: &str, model: &str) -> Home {
    let home = Home::new();
    let base = server.base_url_for(wire);
    let lines: String = provider.lines().map(|line| format!("    {line}\n")).collect();
    let fields: String = model.lines().map(|line| format!("        {line}\n")).collect();
    home.write(
        MODELS,
        format!(
            "providers:\n  one:\n    baseUrl: {base}\n    api: {}\n{lines}    models:\n      - id: m\n        reasoning: true\n{fields}",
            wire.api()
        ),
    );
    home
}

fn with_env(home: &Home, args: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = omp(home, args);
    command.envs(variables.iter().copied());
    run(command, Some(b""), LIMIT)
}

fn sent(server: &Server, home: &Home, variables: &[(&str, &str)]) -> RecordedRequest {
    with_env(home, &["-p", "--model", "one/m", "x"], variables).assert_success();
    server.requests().last().expect("a request").clone()
}

/// The variable is a variable: without it there is no key, however much its name looks like one.
/// proves: MOD-226
#[test]
fn a_key_may_be_a_variable_and_nothing_else() {
    let server =
        Server::start(Scenario::replies([Reply::new().text("ok")]).repeat(true).expect_key("secret"));
    let home = home(&server, Wire::OpenAiCompletions, "apiKeyEnv: MY_KEY", "");
    let without = omp_run(&home, &["-p", "--model", "one/m", "x"]);
    assert_eq!(without.code, Some(1));
    assert!(without.stderr.contains("provider one has no API key; set MY_KEY"), "{}", without.stderr);
    assert!(server.requests().is_empty());
    let listed = omp_run(&home, &["models", "one", "--json"]).stdout;
    assert!(listed.contains("\"available\": false"), "{listed}");
    sent(&server, &home, &[("MY_KEY", "secret")]);
    let empty = with_env(&home, &["-p", "--model", "one/m", "x"], &[("MY_KEY", "")]);
    assert_eq!(empty.code, Some(1), "an empty variable is none");
    let both = home.read(MODELS).replace("apiKeyEnv:", "apiKey: k\n    apiKeyEnv:");
    home.write(MODELS, both);
    let said = omp_run(&home, &["models"]).stderr;
    assert!(said.contains("set \"apiKey\" or \"apiKeyEnv\", not both"), "{said}");
    server.finish();
}

/// The id of the request is not the one that users write.
/// proves: MOD-229
#[test]
fn the_wire_may_have_another_id() {
    for wire in [
        Wire::OpenAiCompletions,
        Wire::OpenAiResponses,
        Wire::AnthropicMessages,
        Wire::OllamaChat,
        Wire::GoogleGenerativeAi,
    ] {
        let server = Server::start(Scenario::replies([Reply::new().text("ok")]).repeat(true));
        let home = home(&server, wire, "apiKey: k", "wireModelId: upstream-7");
        let request = sent(&server, &home, &[]);
        let named = request.body["model"] == "upstream-7" || request.path.contains("/models/upstream-7:");
        assert!(named, "{wire:?}: {} {}", request.path, request.body["model"]);
        let sessions = home.list_files().into_iter().filter(|file| file.ends_with(".jsonl"));
        let all: String = sessions.map(|file| home.read(file)).collect();
        assert!(all.contains("one/m") && !all.contains("upstream-7"), "{wire:?}: {all}");
        server.finish();
    }
    let server = forever();
    let home =
        home(&server, Wire::OpenAiCompletions, "apiKey: k\nmodelOverrides: {m: {wireModelId: patched}}", "");
    assert_eq!(sent(&server, &home, &[]).body["model"], "patched");
}

/// Headers are taken out, then set; fields are added to the body, but the request stays the request it is. What
/// a model says goes over what its provider says.
/// proves: MOD-228
#[test]
fn requests_can_be_transformed() {
    let scenario = ["added", "both", "own"]
        .into_iter()
        .fold(Scenario::replies([Reply::new().text("ok")]).repeat(true).keyless(true), Scenario::allow_field);
    let server = Server::start(scenario);
    let provider = "auth: none\nheaders: {X-Gone: a, X-Kept: b, X-Null: c, X-Stainless-Lang: d, OpenAI-Beta: e}\nrequestTransform:\n  profile: openai-proxy\n  setHeaders: {X-Null: null, X-Set: FROM_ENV, X-Both: provider}\n  extraBody: {added: 1, both: 1, model: evil, messages: [], stream: false, tools: [], tool_choice: none}";
    let plain = home(&server, Wire::OpenAiCompletions, provider, "");
    let request = sent(&server, &plain, &[("FROM_ENV", "value")]);
    for (name, value) in [
        ("x-gone", Some("a")),
        ("x-kept", Some("b")),
        ("x-null", None),
        ("x-set", Some("value")),
        ("x-both", Some("provider")),
        ("x-stainless-lang", None),
        ("openai-beta", None),
        ("user-agent", Some("omp")),
    ] {
        assert_eq!(request.header(name), value, "{name}");
    }
    let body = &request.body;
    assert_eq!((&body["model"], &body["stream"]), (&"m".into(), &true.into()), "{body}");
    assert!(
        !body["messages"].as_array().expect("messages").is_empty()
            && !body["tools"].as_array().expect("tools").is_empty()
    );
    assert_ne!(body["tool_choice"], "none");
    assert_eq!((&body["added"], &body["both"]), (&1.into(), &1.into()));

    let model = "requestTransform:\n  stripHeaders: [X-Gone]\n  setHeaders: {X-Both: model, User-Agent: mine/1}\n  extraBody: {both: 2, own: 3}";
    let refined = home(&server, Wire::OpenAiCompletions, provider, model);
    let request = sent(&server, &refined, &[]);
    for (name, value) in [
        ("x-gone", None),
        ("x-stainless-lang", Some("d")),
        ("x-both", Some("model")),
        ("x-null", None),
        ("user-agent", Some("mine/1")),
    ] {
        assert_eq!(request.header(name), value, "{name}: a list of one's own replaces the profile's");
    }
    let body = &request.body;
    assert_eq!((&body["added"], &body["both"], &body["own"]), (&1.into(), &2.into(), &3.into()));

    let wrong = home(&server, Wire::OpenAiCompletions, "auth: none\nrequestTransform: {profile: other}", "");
    let said = omp_run(&wrong, &["models"]).stderr;
    assert!(said.contains("unknown \"requestTransform.profile\" \"other\""), "{said}");
    let typo = home(&server, Wire::OpenAiCompletions, "auth: none\nrequestTransform: {stripHeader: [a]}", "");
    let said = omp_run(&typo, &["models"]).stderr;
    assert!(said.contains("requestTransform") && said.contains("stripHeader"), "{said}");
}

/// Model before provider before the variable; nothing asked for is nothing sent.
/// proves: MOD-227
#[test]
fn the_cache_is_kept_as_long_as_asked() {
    let long = "compat: {supportsLongPromptCacheRetention: true}";
    let kept = |wire: Wire, provider: &str, model: &str, variable: Option<&str>| {
        let server = Server::start(Scenario::replies([Reply::new().text("ok")]).repeat(true));
        let home = home(&server, wire, &format!("apiKey: k\n{long}\n{provider}"), model);
        let variables: Vec<_> = variable.map(|word| ("PI_CACHE_RETENTION", word)).into_iter().collect();
        let args = ["-p", "--model", "one/m", "--prompt-cache-key", "mine", "x"];
        with_env(&home, &args, &variables).assert_success();
        let body = server.requests().last().expect("a request").body.clone();
        server.finish();
        body
    };
    let anthropic = |provider: &str, model: &str, variable: Option<&str>| {
        let body = kept(Wire::AnthropicMessages, provider, model, variable).to_string();
        match (body.contains("cache_control"), body.contains("\"ttl\":\"1h\"")) {
            (true, true) => "long",
            (true, false) => "short",
            _ => "none",
        }
    };
    assert_eq!(anthropic("", "", None), "short", "the default");
    assert_eq!(anthropic("", "", Some("long")), "long");
    assert_eq!(anthropic("", "", Some("none")), "none");
    assert_eq!(
        anthropic("cacheRetention: none", "", Some("long")),
        "none",
        "the provider before the variable"
    );
    assert_eq!(
        anthropic("cacheRetention: none", "cacheRetention: long", None),
        "long",
        "the model before it"
    );
    let overridden = "cacheRetention: none\nmodelOverrides: {m: {cacheRetention: short}}";
    assert_eq!(anthropic(overridden, "", Some("long")), "short");

    let responses = |provider: &str, variable: Option<&str>| {
        let body = kept(Wire::OpenAiResponses, provider, "", variable);
        assert_eq!(body["prompt_cache_key"], "mine", "the key is another matter");
        body.get("prompt_cache_retention").cloned()
    };
    assert_eq!(responses("cacheRetention: long", None), Some("24h".into()));
    assert_eq!(responses("cacheRetention: none", Some("long")), None);
    assert_eq!(responses("cacheRetention: short", Some("long")), None);

    let server = forever();
    let wrong = home(&server, Wire::OpenAiCompletions, "auth: none\ncacheRetention: always", "");
    let said = omp_run(&wrong, &["models"]).stderr;
    assert!(said.contains("provider one") && said.contains("cacheRetention"), "{said}");
}

/// Kimi Code is spoken to in one of two wires, unless the file says in which.
/// proves: MOD-133
#[test]
fn kimi_has_two_wires() {
    let server = forever();
    let home = Home::new();
    let base = format!("{}/coding/v1", server.base_url());
    home.write(MODELS, format!("providers:\n  kimi-code:\n    baseUrl: {base}\n    auth: none\n"));
    let path = |config: &str| {
        home.write(CONFIG, config);
        omp_run(&home, &["-p", "--model", "kimi-code/kimi-for-coding", "x"]).assert_success();
        server.requests().last().expect("a request").path.clone()
    };
    assert_eq!(path(""), "/coding/v1/messages");
    assert_eq!(path("providers:\n  kimiApiFormat: openai\n"), "/coding/v1/chat/completions");
    assert_eq!(path("providers:\n  kimiApiFormat: anthropic\n"), "/coding/v1/messages");
    home.write(
        MODELS,
        format!(
            "providers:\n  kimi-code:\n    baseUrl: {base}\n    auth: none\n    api: openai-completions\n"
        ),
    );
    assert_eq!(path(""), "/coding/v1/chat/completions", "whoever names a wire gets it");
}

/// The route of OpenRouter's requests; an id that has one keeps it.
/// proves: MOD-135
#[test]
fn openrouter_has_routes() {
    let server = forever();
    let home = Home::new();
    let base = server.base_url_for(Wire::OpenAiCompletions);
    let other = format!(
        "  one:\n    baseUrl: {base}\n    api: openai-completions\n    auth: none\n    models: [{{id: m}}]\n"
    );
    home.write(MODELS, format!("providers:\n  openrouter:\n    baseUrl: {base}\n    auth: none\n{other}"));
    let model = |variant: &str, selector: &str| {
        home.write(CONFIG, format!("providers:\n  openrouterVariant: {variant}\n"));
        omp_run(&home, &["-p", "--model", selector, "x"]).assert_success();
        server.requests().last().expect("a request").body["model"].as_str().expect("a model").to_owned()
    };
    let id = "vendor/some-model";
    let selector = format!("openrouter/{id}");
    assert_eq!(model("default", &selector), id);
    for variant in ["nitro", "floor", "online", "exacto"] {
        assert_eq!(model(variant, &selector), format!("{id}:{variant}"));
    }
    assert_eq!(model("nitro", &format!("{selector}:free")), format!("{id}:free"));
    assert_eq!(model("nitro", "one/m"), "m", "nobody else has such routes");
}

/// A provider is described by its name, with a variable and no key; what stands in the file stays.
// MOD-232 without `/provider add`, which needs the terminal.
#[test]
fn providers_can_be_described_by_name() {
    let home = Home::new();
    let file = "# mine\nproviders:\n  one: # first\n    baseUrl: http://one/v1\n    auth: none\n    api: openai-completions\n    models: [{id: m}]\n";
    home.write(MODELS, file);
    for (preset, provider, variable) in [
        ("minimax", "minimax-proxy", "MINIMAX_CODE_API_KEY"),
        ("minimax-cn", "minimax-cn-proxy", "MINIMAX_CODE_CN_API_KEY"),
        ("glm", "glm-proxy", "ZAI_API_KEY"),
    ] {
        let secret = [(variable, "very-secret")];
        let output = with_env(&home, &["setup", "provider", "--preset", preset], &secret);
        output.assert_success();
        assert!(output.stdout.contains(provider) && output.stdout.contains(variable), "{}", output.stdout);
        let listed = with_env(&home, &["models", provider], &secret);
        listed.assert_success();
        assert!(
            listed.stdout.starts_with(&format!("{provider}: ready\n")),
            "{} {}",
            listed.stdout,
            listed.stderr
        );
    }
    let written = home.read(MODELS);
    assert!(written.starts_with(file) && !written.contains("very-secret"), "{written}");
    let check = |home: &Home| omp_run(home, &["setup", "provider", "--preset", "glm", "--check"]);
    let empty = Home::new();
    assert_eq!((check(&empty).code, empty.exists(MODELS)), (Some(1), false), "a check writes nothing");
    assert_eq!(
        (check(&home).code, check(&home).stdout.as_str()),
        (Some(0), "Provider glm-proxy is in models.yml\n")
    );
    for alias in ["zai", "z-ai"] {
        let again = omp_run(&home, &["setup", "provider", "--preset", alias]);
        again.assert_success();
        assert!(again.stdout.contains("already has a provider glm-proxy"), "{}", again.stdout);
    }
    assert_eq!(home.read(MODELS), written);
    home.write(MODELS, "providers: [");
    assert_eq!(omp_run(&home, &["setup", "provider", "--preset", "glm"]).code, Some(1));
    assert_eq!(home.read(MODELS), "providers: [", "what was not understood is not touched");
    let nothing = omp_run(&home, &["setup", "python"]);
    assert_eq!(nothing.code, Some(1));
    assert!(nothing.stderr.contains("not available yet"), "{}", nothing.stderr);
}
