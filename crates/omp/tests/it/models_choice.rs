//! Which model answers: flags, lists, roles, defaults; and what reaches it.

use omp_testkit::{Home, ModelOptions, Output, Reply, Scenario, Server, Wire, run};

use crate::support::{LIMIT, omp, omp_run};

const CONFIG: &str = "home/.omp/agent/config.yml";
const MODELS: &str = "home/.omp/agent/models.yml";

fn forever() -> Server {
    Server::start(Scenario::replies([Reply::new().text("ok")]).keyless(true).repeat(true))
}

/// `one/a`, `one/b` and `two/c`, which all reason and need no key.
fn several(server: &Server, more: &str) -> Home {
    let home = Home::new();
    let base = server.base_url_for(Wire::OpenAiCompletions);
    let provider = |name: &str, ids: [&str; 2]| {
        let [first, second] = ids.map(|id| format!("{{id: {id}, reasoning: true}}"));
        format!(
            "  {name}:\n    baseUrl: {base}\n    api: openai-completions\n    auth: none\n    models: [{first}, {second}]\n"
        )
    };
    home.write(
        MODELS,
        format!("providers:\n{}{}{more}", provider("one", ["a", "b"]), provider("two", ["c", "d"])),
    );
    home
}

fn last(server: &Server) -> (String, String) {
    let body = server.requests().last().expect("a request").body.clone();
    let effort = body["reasoning_effort"].as_str().unwrap_or("-");
    (body["model"].as_str().expect("a model").to_owned(), effort.to_owned())
}

fn answered(server: &Server, home: &Home, args: &[&str]) -> (String, String) {
    omp_run(home, &[&["-p"], args, &["x"]].concat()).assert_success();
    last(server)
}

fn pair(model: &str, effort: &str) -> (String, String) {
    (model.to_owned(), effort.to_owned())
}

fn fails(home: &Home, args: &[&str]) -> Output {
    let output = omp_run(home, &[&["-p"], args, &["x"]].concat());
    assert_eq!(output.code, Some(1), "{}", output.stdout);
    output
}

/// Each source in turn, by taking the one before away.
// proves: MOD-123
#[test]
fn the_first_model_has_five_sources() {
    let server = forever();
    let home = several(&server, "");
    home.write(CONFIG, "modelRoles:\n  default: one/b:low\n");
    let with_lists = &["--models", "two/d:medium,one/a"][..];
    assert_eq!(answered(&server, &home, &[with_lists, &["--model", "one/a"]].concat()), pair("a", "high"));
    assert_eq!(answered(&server, &home, with_lists), pair("d", "medium"));
    home.write(CONFIG, "modelRoles:\n  default: one/b:low\nenabledModels: [\"two/*:minimal\"]\n");
    assert_eq!(answered(&server, &home, &[]), pair("c", "minimal"));
    home.write(CONFIG, "modelRoles:\n  default: one/b:low\n");
    assert_eq!(answered(&server, &home, &[]), pair("b", "low"));
    home.write(CONFIG, "");
    assert_eq!(answered(&server, &home, &[]), pair("a", "high"), "the default of the first that can be used");
    let known = Home::new();
    let base = server.base_url_for(Wire::OpenAiCompletions);
    known.write(MODELS, format!("providers: {{deepseek: {{baseUrl: {base}, auth: none}}}}\n"));
    assert_eq!(answered(&server, &known, &[]).0, "deepseek-v4-pro", "the default of a provider we know");
}

/// A session goes on with its model, whatever the lists say.
// proves: MOD-124
#[test]
fn resumed_sessions_keep_their_model() {
    let server = forever();
    let home = several(&server, "");
    assert_eq!(answered(&server, &home, &["--model", "two/d"]).0, "d");
    assert_eq!(answered(&server, &home, &["--continue", "--models", "one/a"]).0, "d");
    assert_eq!(answered(&server, &home, &["--models", "one/b"]).0, "b");
}

/// Lists that name nothing are answered; single words that name nothing are said.
#[test]
fn lists_must_name_something() {
    let server = forever();
    let home = several(&server, "");
    let nothing = fails(&home, &["--models", "nothing-a,nothing-b"]);
    assert!(nothing.stderr.contains("nothing-a"), "{}", nothing.stderr);
    let output = omp_run(&home, &["-p", "--models", "nothing-a,@plan,one/b", "x"]);
    output.assert_success();
    assert!(output.stderr.contains("--models: \"nothing-a\""), "{}", output.stderr);
    assert_eq!(last(&server).0, "b");
}

/// Roles stand for models and for each other; the level that is written first on the way wins.
// proves: MOD-126, MOD-127, MOD-128
#[test]
fn roles_lead_to_models() {
    let server = forever();
    let home = several(&server, "equivalence: {overrides: {two/d: my-canonical}}\n");
    home.write(
        CONFIG,
        "modelRoles:\n  slow: one/b:high\n  plan: pi/slow:low\n  task: pi/slow\n  smol: my-canonical:minimal\n  mine: two/c\n",
    );
    for (selector, expected) in [
        ("pi/slow", pair("b", "high")),
        ("pi/plan", pair("b", "low")),
        ("pi/task", pair("b", "high")),
        ("@plan:medium", pair("b", "medium")),
        ("pi/smol", pair("d", "minimal")),
        ("@mine:low", pair("c", "low")),
    ] {
        assert_eq!(answered(&server, &home, &["--model", selector]), expected, "{selector}");
    }
    assert_eq!(answered(&server, &home, &["--models", "pi/plan"]), pair("b", "low"));
}

// proves: MOD-129
#[test]
fn roles_that_stand_for_each_other_are_said() {
    let server = forever();
    let home = several(&server, "");
    home.write(CONFIG, "modelRoles:\n  smol: pi/slow\n  slow: pi/plan:low\n  plan: \"@smol\"\n");
    let output = fails(&home, &["--model", "pi/smol"]);
    assert!(output.stderr.contains("smol -> slow -> plan -> smol"), "{}", output.stderr);
    let unknown = fails(&home, &["--model", "pi/nobody"]);
    assert!(unknown.stderr.contains("pi/nobody"), "{}", unknown.stderr);
}

/// All ten exist without being set: what nobody was given to is done by the usual model.
// proves: MOD-125
#[test]
fn built_in_roles_are_always_there() {
    let server = forever();
    let home = several(&server, "");
    home.write(CONFIG, "modelRoles:\n  default: two/c\n");
    for role in
        ["default", "smol", "slow", "vision", "plan", "designer", "commit", "title", "task", "advisor"]
    {
        let selector = format!("pi/{role}:low");
        assert_eq!(answered(&server, &home, &["--model", &selector]), pair("c", "low"), "{role}");
    }
}

/// Which of several providers serves a model, and that the session says which it was.
// proves: MOD-081
#[test]
fn sessions_record_the_concrete_model() {
    let server = forever();
    let home = several(&server, "equivalence: {overrides: {one/a: shared, two/d: shared}}\n");
    assert_eq!(answered(&server, &home, &["--model", "shared"]).0, "a");
    home.write(CONFIG, "modelProviderOrder: [two]\n");
    assert_eq!(answered(&server, &home, &["--model", "shared"]).0, "d");
    let sessions: Vec<String> =
        home.list_files().into_iter().filter(|file| file.ends_with(".jsonl")).collect();
    let all: String = sessions.iter().map(|file| home.read(file)).collect();
    assert!(all.contains("one/a") && all.contains("two/d") && !all.contains("shared"), "{all}");
}

/// Scoped entries hold in their directory and below, not beside it.
// proves: MOD-141, MOD-142, MOD-143, MOD-144
#[test]
fn lists_may_depend_on_the_directory() {
    let server = forever();
    let home = several(&server, "");
    for directory in ["home/work/sub", "home/workshop"] {
        home.write(format!("{directory}/file"), "");
    }
    let model_in = |directory: &str, config: &str| {
        home.write(CONFIG, config);
        let directory = home.path(directory);
        answered(&server, &home, &["--cwd", directory.to_str().expect("UTF-8")]).0
    };
    let models = "enabledModels:\n  - path: ~/work\n    models: [two/d]\n  - one/b\n";
    assert_eq!(model_in("home/work", models), "d");
    assert_eq!(model_in("home/work/sub", models), "d");
    assert_eq!(model_in("home/workshop", models), "b");
    for key in ["paths: [~/work]", "pathPrefix: ~/work", "pathPrefixes: [~/work]"] {
        let models = format!("enabledModels:\n  - {key}\n    values: [two/d]\n");
        assert_eq!(model_in("home/work", &models), "d", "{key}");
        assert_eq!(model_in("home/workshop", &models), "a", "an empty list means all: {key}");
    }
    let disabled = "disabledProviders:\n  - path: ~/work\n    providers: [one]\n";
    assert_eq!(model_in("home/work/sub", disabled), "c");
    assert_eq!(model_in("home/workshop", disabled), "a");
}

/// One run of a command, however often its value is needed; what fails leaves its header out.
// proves: MOD-015, MOD-049, MOD-050, MOD-053
#[test]
fn commands_run_once() {
    let server =
        Server::start(Scenario::replies([Reply::new().text("ok")]).expect_key("secret").repeat(true));
    let home = Home::new();
    let counter = home.path("count");
    let command = format!("\"!echo x >> {}; echo secret\"", counter.display());
    let headers = format!(
        "headers: {{X-Command: {command}, X-Variable: MY_HEADER, X-Literal: plain, X-Fails: \"!false\", X-Silent: \"!true\"}}"
    );
    let options = ModelOptions::new()
        .api_key(&command)
        .provider(&headers)
        .model(&format!("headers: {{X-Model: {command}}}"));
    home.models_yml(&server, Wire::OpenAiCompletions, options);
    let mut omp = omp(&home, &["-p", "one", "two", "three"]);
    omp.env("MY_HEADER", "from-env");
    run(omp, Some(b""), LIMIT).assert_success();
    assert_eq!(server.requests().len(), 3);
    for request in server.requests() {
        for (name, value) in [
            ("x-command", "secret"),
            ("x-model", "secret"),
            ("x-variable", "from-env"),
            ("x-literal", "plain"),
        ] {
            assert_eq!(request.header(name), Some(value), "{name}");
        }
        assert_eq!((request.header("x-fails"), request.header("x-silent")), (None, None));
    }
    assert_eq!(home.read("count"), "x\n");
    server.finish();
}

/// A slash in an id, no key, the documented block.
// proves: MOD-199, MOD-028, MOD-108
#[test]
fn a_local_server_without_a_key() {
    let server = forever();
    let home = Home::new();
    home.write(
        MODELS,
        format!(
            "providers:\n  local-openai:\n    baseUrl: {}\n    auth: none\n    api: openai-completions\n    models:\n      - id: Qwen/Qwen2.5-Coder-32B-Instruct\n        name: Qwen 2.5 Coder 32B (local)\n",
            server.base_url_for(Wire::OpenAiCompletions)
        ),
    );
    for selector in
        ["local-openai/Qwen/Qwen2.5-Coder-32B-Instruct", "qwen/qwen2.5-coder-32b-instruct", "qwen"]
    {
        assert_eq!(answered(&server, &home, &["--model", selector]).0, "Qwen/Qwen2.5-Coder-32B-Instruct");
    }
    assert_eq!(server.requests()[0].header("authorization"), None);
}

/// The documented proxy in front of Anthropic: a bearer token, no strict tools.
// proves: MOD-016, MOD-200
#[test]
fn a_hosted_proxy_with_a_bearer_token() {
    let server = Server::start(Scenario::replies([Reply::new().text("ok")]).keyless(true));
    let home = Home::new();
    home.write(
        MODELS,
        format!(
            "providers:\n  anthropic-proxy:\n    baseUrl: {}\n    apiKey: ANTHROPIC_PROXY_API_KEY\n    api: anthropic-messages\n    authHeader: true\n    disableStrictTools: true\n    models:\n      - id: claude-sonnet-4-20250514\n        name: Claude Sonnet 4 (Proxy)\n        reasoning: true\n        input: [text, image]\n",
            server.base_url_for(Wire::AnthropicMessages)
        ),
    );
    let mut command = omp(&home, &["-p", "x"]);
    command.env("ANTHROPIC_PROXY_API_KEY", "proxy-key");
    run(command, Some(b""), LIMIT).assert_success();
    let request = &server.requests()[0];
    assert_eq!(request.header("authorization"), Some("Bearer proxy-key"));
    let tools = request.body["tools"].as_array().expect("tools");
    assert!(!tools.is_empty() && tools.iter().all(|tool| tool.get("strict").is_none()));
}

/// Disabled before anything else is asked; the id is the same everywhere.
// proves: MOD-109
#[test]
fn a_provider_has_one_id() {
    let server = forever();
    let home = several(&server, "");
    home.write(CONFIG, "disabledProviders: [one]\n");
    let listed = omp_run(&home, &["models"]).stdout;
    assert!(!listed.contains("one/a") && listed.contains("two/c"), "{listed}");
    let gone = fails(&home, &["--model", "one/a"]);
    assert!(gone.stderr.contains("one/a"), "{}", gone.stderr);
    home.write(CONFIG, "");
    assert_eq!(answered(&server, &home, &["--model", "one/a"]).0, "a");
}
