//! Which model is used, and what is said when none can be.

use omp_testkit::{Home, ModelOptions, Reply, Scenario, Server, Wire, run};

use crate::support::{LIMIT, omp, omp_run};

/// The reason, the variable and the file, and exit 1.
// proves: CLI-058
#[test]
fn a_model_without_a_key_says_what_to_set() {
    let home = Home::new();
    let output = omp_run(&home, &["-p", "--model", "anthropic/claude-sonnet-4-5", "x"]);
    assert_eq!(output.code, Some(1));
    let file = home.agent_dir().join("models.yml");
    for part in ["anthropic", "ANTHROPIC_API_KEY", &file.display().to_string()] {
        assert!(output.stderr.contains(part), "{part}: {}", output.stderr);
    }
    let unset = Home::new();
    unset.write("home/.omp/agent/models.yml", "providers:\n  mine:\n    baseUrl: http://127.0.0.1:9/v1\n    api: openai-completions\n    apiKey: '!false'\n    models: [{id: m}]\n");
    let failed = omp_run(&unset, &["-p", "--model", "mine/m", "x"]);
    assert_eq!(failed.code, Some(1));
    assert!(failed.stderr.contains("key command"), "{}", failed.stderr);
    let unasked = omp_run(&unset, &["-p", "x"]);
    assert!(unasked.stderr.contains("skipping provider mine: the key command"), "{}", unasked.stderr);
}

/// The file may have any of four endings; what is wrong in it is named.
// proves: CFG-014, CFG-015
#[test]
fn the_models_file_may_be_yaml_or_json() {
    let server = Server::start(Scenario::replies([Reply::new().text("ok")]).repeat(true));
    let base = server.base_url_for(Wire::OpenAiCompletions);
    let yaml = format!(
        "providers:\n  mine:\n    baseUrl: {base}\n    api: openai-completions\n    apiKey: k\n    models: [{{id: m}}]\n"
    );
    let json = format!(
        r#"{{"providers": {{"mine": {{"baseUrl": "{base}", "api": "openai-completions", "apiKey": "k", "models": [{{"id": "m"}}]}}}}}}"#
    );
    let commented = format!("// my models\n{json}");
    for (name, text) in
        [("models.yml", &yaml), ("models.yaml", &yaml), ("models.json", &json), ("models.jsonc", &commented)]
    {
        let home = Home::new();
        home.write(format!("home/.omp/agent/{name}"), text);
        let output = omp_run(&home, &["-p", "x"]);
        assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("ok\n", ""), "{name}");
        assert_eq!(home.exists("home/.omp/agent/models.yml"), name == "models.yml" || name == "models.json");
        if name == "models.json" {
            // Converted once: from then on the new file counts, and the old one is not looked at.
            home.write("home/.omp/agent/models.json", "{broken");
            let again = omp_run(&home, &["-p", "x"]);
            assert_eq!((again.stdout.as_str(), again.stderr.as_str()), ("ok\n", ""));
        }
    }
    let home = Home::new();
    assert!(
        omp_run(&home, &["-p", "x"]).stderr.contains("no model available"),
        "without a file nothing is wrong"
    );
    home.write("home/.omp/agent/models.yml", yaml.replace("apiKey: k", "apiKey: [1]"));
    let wrong = omp_run(&home, &["-p", "x"]).stderr;
    assert!(wrong.contains("models.yml") && wrong.contains("line 5"), "{wrong}");
    home.write("home/.omp/agent/models.yml", yaml.replace("apiKey", "apiKeys"));
    let unknown = omp_run(&home, &["-p", "x"]).stderr;
    assert!(unknown.contains("models.yml") && unknown.contains("apiKeys"), "{unknown}");
}

#[test]
fn unknown_models_are_explained() {
    let home = Home::new();
    let unknown = omp_run(&home, &["-p", "--model", "claude-sonet-4-5", "x"]);
    assert_eq!(unknown.code, Some(1));
    assert!(
        unknown.stderr.contains("claude-sonet-4-5") && unknown.stderr.contains("anthropic/claude-sonnet-4-5"),
        "{}",
        unknown.stderr
    );
    let provider = omp_run(&home, &["-p", "--provider", "antropic", "x"]);
    assert_eq!(provider.code, Some(1));
    assert!(provider.stderr.contains("anthropic"), "{}", provider.stderr);
}

// proves: CLI-031
#[test]
fn a_key_needs_a_model() {
    let home = Home::new();
    let output = omp_run(&home, &["-p", "--api-key", "k", "x"]);
    assert_eq!(output.code, Some(1));
    for flag in ["--model", "--provider", "--models"] {
        assert!(output.stderr.contains(flag), "{}", output.stderr);
    }
    let server = Server::start(Scenario::replies([Reply::new().text("ok")]).expect_key("from-flag"));
    let home = crate::support::home(&server, Wire::AnthropicMessages);
    omp_run(&home, &["-p", "--model", "test/scripted", "--api-key", "from-flag", "x"]).assert_success();
    server.finish();
}

/// A file with a mistake leaves the built-in models usable and is named.
// proves: CLI-069, MOD-006
#[test]
fn a_broken_models_file_is_a_warning() {
    let home = Home::new();
    home.write(
        "home/.omp/agent/models.yml",
        "providers:\n  mine:\n    api: openai-completions\n    models: [{id: m}]\n",
    );
    let output = omp_run(&home, &["models"]);
    output.assert_success();
    assert!(output.stdout.contains("\nanthropic: "), "{}", output.stdout);
    assert!(output.stderr.contains("provider mine: \"baseUrl\" is required"), "{}", output.stderr);
    assert!(output.stderr.contains("models.yml"), "{}", output.stderr);
    home.write(
        "home/.omp/agent/models.yml",
        "providers: {mine: {baseUrl: http://127.0.0.1:9, contextWidow: 3}}",
    );
    let typo = omp_run(&home, &["models"]);
    assert!(typo.stderr.contains("contextWidow"), "{}", typo.stderr);
}

/// Environment name, literal, command: three ways to give a key.
// proves: MOD-012
#[test]
fn keys_come_from_three_places() {
    for (value, expected) in [
        ("MY_KEY", "from-env"),
        ("sk-literal", "sk-literal"),
        ("\"!printf ' from-command\\\\n'\"", "from-command"),
    ] {
        let server = Server::start(Scenario::replies([Reply::new().text("ok")]).expect_key(expected));
        let home = Home::new();
        home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new().api_key(value));
        let mut command = omp(&home, &["-p", "x"]);
        command.env("MY_KEY", "from-env");
        run(command, Some(b""), LIMIT).assert_success();
        server.finish();
    }
}

/// A server on this machine is found and used when nothing else is configured.
#[test]
fn local_servers_come_before_the_demo() {
    let server = Server::start(
        Scenario::replies([Reply::new().text("from ollama")]).keyless(true).ollama(["llama3:8b"]),
    );
    let home = Home::new();
    let mut command = omp(&home, &["-p", "x"]);
    command.env("OLLAMA_BASE_URL", server.base_url());
    let output = run(command, Some(b""), LIMIT);
    output.assert_success();
    assert_eq!(output.stdout, "from ollama\n");
    assert_eq!(server.requests()[0].body["model"], "llama3:8b");
    server.finish();
}

/// The demo runs the real tools and says what it is. Without it, a script is told that there is no model.
///
/// proves: CLI-062
#[test]
fn the_demo_does_real_work_and_says_so() {
    let home = Home::new();
    home.write("work/README.md", "# The Project\n");
    for mode in ["text", "json"] {
        let none = omp_run(&home, &["--mode", mode, "-p", "what is this?"]);
        assert_eq!((none.code, none.stdout.as_str()), (Some(1), ""), "{mode}: {}", none.stderr);
        assert!(
            none.stderr.contains("no model available") && none.stderr.contains("--demo"),
            "{}",
            none.stderr
        );
    }
    home.write("home/.omp/agent/models.yml", "providers:\n  x: [\n");
    let broken = omp_run(&home, &["-p", "what is this?"]);
    assert_eq!(broken.code, Some(1));
    assert!(broken.stderr.contains("models.yml: line 2"), "{}", broken.stderr);
    std::fs::remove_file(home.path("home/.omp/agent/models.yml")).unwrap();
    let tour = omp_run(&home, &["--demo", "-p", "what is this?"]);
    tour.assert_success();
    assert!(
        tour.stdout.contains("# The Project") && tour.stdout.contains("ANTHROPIC_API_KEY"),
        "{}",
        tour.stdout
    );
    let made = omp_run(&home, &["--demo", "-p", "please create and run a small file"]);
    made.assert_success();
    assert!(home.read("work/omp-demo.sh").contains("echo"));
    assert!(made.stdout.contains("Hello from omp-demo.sh"), "{}", made.stdout);
    let again = omp_run(&home, &["--demo", "-p", "please create and run a small file"]);
    assert!(
        again.stdout.contains("Hello from omp-demo-2.sh"),
        "the first file is not overwritten: {}",
        again.stdout
    );
}
