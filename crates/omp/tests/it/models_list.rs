//! `omp models` in all of its forms.

use omp_testkit::{Home, Output, Reply, Server, Wire, run};
use serde_json::{Value, json};

use crate::support::{LIMIT, home, omp, omp_run};

const MODELS: &str = "home/.omp/agent/models.yml";

fn with_key(home: &Home, args: &[&str]) -> Output {
    let mut command = omp(home, args);
    command.env("ANTHROPIC_API_KEY", "k");
    let output = run(command, Some(b""), LIMIT);
    output.assert_success();
    output
}

fn rows(output: &Output) -> Vec<Value> {
    serde_json::from_str(&output.stdout).expect("a JSON array")
}

fn find<'a>(rows: &'a [Value], selector: &str) -> &'a Value {
    rows.iter().find(|row| row["selector"] == selector).unwrap_or_else(|| panic!("{selector} is not listed"))
}

/// A table for each provider: those that can be used first, the others with what they lack.
// proves: MOD-148, MOD-001
#[test]
fn models_are_listed_by_provider() {
    let fresh = Home::new();
    let output = omp_run(&fresh, &["models"]);
    output.assert_success();
    assert_eq!(output.stderr, "", "no file is no mistake");
    let missing = "\nanthropic: no key, set ANTHROPIC_OAUTH_TOKEN or ANTHROPIC_API_KEY (";
    assert!(
        output.stdout.contains(missing) && !output.stdout.contains("anthropic/claude"),
        "{}",
        output.stdout
    );
    let named = omp_run(&fresh, &["models", "anthropic"]).stdout;
    assert!(named.contains("ANTHROPIC_API_KEY\n  anthropic/claude"), "{named}");
    let server = Server::start([Reply::new()]);
    let home = home(&server, Wire::OpenAiCompletions);
    let listed = with_key(&home, &["models"]).stdout;
    let at = |part: &str| listed.find(part).unwrap_or_else(|| panic!("{part}: {listed}"));
    assert!(at("test: ready\n") < at("  test/scripted "), "{listed}");
    assert!(at("anthropic: ready\n") < at("openai: no key, set OPENAI_API_KEY ("));
    let line = listed.lines().find(|line| line.contains("anthropic/claude-sonnet-4-5")).unwrap();
    for part in ["200k context", "64k output", "thinking, images", "anthropic-messages"] {
        assert!(line.contains(part), "{line}");
    }
    let moved = home.path("home/.omp/agent");
    let elsewhere = Home::new();
    let mut command = omp(&elsewhere, &["models"]);
    command.env("PI_CODING_AGENT_DIR", &moved);
    assert!(run(command, Some(b""), LIMIT).stdout.contains("test/scripted"), "the directory can be moved");
}

/// A provider's id shows that provider, `find` looks everywhere.
#[test]
fn lists_can_be_narrowed() {
    let server = Server::start([Reply::new()]);
    let home = home(&server, Wire::OpenAiCompletions);
    let selectors = |args: &[&str]| -> Vec<String> {
        rows(&omp_run(&home, args)).iter().map(|row| row["selector"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(selectors(&["models", "scripted", "--json"]), ["test/scripted"]);
    let one = selectors(&["models", "Anthropic", "--json"]);
    assert!(one.len() > 2 && one.iter().all(|selector| selector.starts_with("anthropic/")), "{one:?}");
    let everywhere = selectors(&["models", "find", "anthropic", "--json"]);
    assert!(
        everywhere.iter().any(|selector| selector.starts_with("openrouter/anthropic/")),
        "{everywhere:?}"
    );
    assert!(omp_run(&home, &["models", "list"]).stdout.contains("test/scripted"));
    assert_eq!(omp_run(&home, &["models", "find", "nothing-like-it"]).stdout, "No matching models\n");
}

/// One line for each model, whoever offers it.
// proves: MOD-149
#[test]
fn the_canonical_view_coalesces() {
    let home = Home::new();
    let text = with_key(&home, &["models", "canonical"]).stdout;
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("claude-sonnet-4-5 ")).collect();
    assert_eq!(lines.len(), 1, "{text}");
    for part in ["ready", "anthropic/claude-sonnet-4-5", "openrouter/anthropic/claude-sonnet-4.5"] {
        assert!(lines[0].contains(part), "{}", lines[0]);
    }
    let rows = rows(&with_key(&home, &["models", "canonical", "sonnet", "--json"]));
    assert!(rows.iter().all(|row| row["id"].as_str().unwrap().contains("sonnet")));
    let row = rows.iter().find(|row| row["id"] == "claude-sonnet-4-5").unwrap();
    assert_eq!(
        (&row["variants"][0], &row["available"]),
        (&json!("anthropic/claude-sonnet-4-5"), &json!(true))
    );
}

/// The flag of another program gives both views.
// proves: MOD-152
#[test]
fn the_flag_lists_both_views() {
    let home = Home::new();
    let output = with_key(&home, &["--list-models"]);
    let (canonical, concrete) = output.stdout.split_once("\nModels by provider\n").expect("two parts");
    assert!(canonical.starts_with("Canonical models\n") && canonical.contains("\nclaude-sonnet-4-5 "));
    assert!(concrete.contains("\nanthropic: ready\n  anthropic/claude-sonnet-5 "), "{concrete}");
}

/// Everything that can be said about a model can be seen; values of headers cannot.
// proves: MOD-029
#[test]
fn json_shows_every_field() {
    let home = Home::new();
    home.write(
        MODELS,
        r#"
providers:
  mine:
    baseUrl: https://mine.example.com/v1
    apiKey: k
    api: openai-completions
    compat: {supportsStore: true}
    models:
      - id: m
        name: My Model
        api: anthropic-messages
        reasoning: true
        thinking: {minLevel: low, maxLevel: high, defaultLevel: medium}
        input: [text, image]
        cost: {input: 1, output: 2, cacheRead: 0.5, cacheWrite: 1.5}
        premiumMultiplier: 0.25
        contextWindow: 12345
        maxTokens: 678
        headers: {X-Secret: hunter2}
        compat: {extraBody: {a: 1}}
        contextPromotionTarget: mine/bigger
"#,
    );
    let output = omp_run(&home, &["models", "mine", "--json"]);
    assert!(!output.stdout.contains("hunter2"));
    assert_eq!(
        rows(&output)[0],
        json!({
            "selector": "mine/m",
            "provider": "mine",
            "id": "m",
            "name": "My Model",
            "api": "anthropic-messages",
            "baseUrl": "https://mine.example.com/v1",
            "contextWindow": 12345,
            "maxTokens": 678,
            "reasoning": true,
            "thinking": {"levels": ["low", "medium", "high"], "defaultLevel": "medium"},
            "input": ["text", "image"],
            "cost": {"input": 1.0, "output": 2.0, "cacheRead": 0.5, "cacheWrite": 1.5},
            "premiumMultiplier": 0.25,
            "contextPromotionTarget": "mine/bigger",
            "headers": ["X-Secret"],
            "compat": {"supportsStore": true, "extraBody": {"a": 1}},
            "source": "file",
            "available": true,
        })
    );
}

/// The documented endpoint in front of Anthropic's models, with its prices.
// proves: MOD-202
#[test]
fn documented_prices_are_listed() {
    let home = Home::new();
    home.write(
        MODELS,
        r#"
providers:
  bedrock-anthropic:
    baseUrl: https://bedrock-runtime.us-east-1.amazonaws.com/anthropic
    apiKey: AWS_BEARER_TOKEN
    api: anthropic-messages
    disableStrictTools: true
    models:
      - id: claude-sonnet-4-20250514
        name: Claude Sonnet 4 (Bedrock)
        input: [text, image]
        contextWindow: 200000
        maxTokens: 16384
        cost: {input: 3.00, output: 15.00, cacheRead: 0.30, cacheWrite: 3.75}
"#,
    );
    let rows = rows(&omp_run(&home, &["models", "--json"]));
    let row = find(&rows, "bedrock-anthropic/claude-sonnet-4-20250514");
    assert_eq!(row["cost"], json!({"input": 3.0, "output": 15.0, "cacheRead": 0.3, "cacheWrite": 3.75}));
}

/// A mistake in one provider discards the whole file and says where; the next run after the repair has both.
// proves: MOD-007, MOD-008
#[test]
fn a_file_is_used_whole_or_not_at_all() {
    let home = Home::new();
    let good = "  good:\n    baseUrl: http://x/v1\n    auth: none\n    api: openai-completions\n    models: [{id: m}]\n";
    let bad = "  bad:\n    baseUrl: http://y/v1\n    auth: none\n    api: openai-completions\n    models: [{id: m, contextWindow: 0}]\n";
    home.write(MODELS, format!("providers:\n{good}{bad}"));
    let broken = omp_run(&home, &["models"]);
    broken.assert_success();
    assert!(
        !broken.stdout.contains("good/m") && broken.stdout.contains("\nanthropic: "),
        "{}",
        broken.stdout
    );
    let sentence = "provider bad, model m: \"contextWindow\" must be a positive number";
    assert!(broken.stderr.contains("models.yml") && broken.stderr.contains(sentence), "{}", broken.stderr);
    home.write(MODELS, format!("providers:\n{good}{}", bad.replace("contextWindow: 0", "contextWindow: 9")));
    let repaired = omp_run(&home, &["models"]).stdout;
    assert!(repaired.contains("good/m") && repaired.contains("bad/m"), "{repaired}");
}

/// YAML is read, JSON beside it is not; JSON alone becomes YAML.
// proves: MOD-002, MOD-003
#[test]
fn json_is_migrated_once_and_then_left_alone() {
    let home = Home::new();
    let json = |name: &str| {
        format!(
            r#"{{"providers": {{"{name}": {{"baseUrl": "http://x/v1", "auth": "none", "api": "openai-completions", "models": [{{"id": "m"}}]}}}}}}"#
        )
    };
    home.write("home/.omp/agent/models.json", json("first"));
    assert!(omp_run(&home, &["models"]).stdout.contains("first/m"));
    assert!(home.read(MODELS).contains("first"), "the providers are in the YAML file now");
    home.write("home/.omp/agent/models.json", json("second"));
    let listed = omp_run(&home, &["models"]).stdout;
    assert!(listed.contains("first/m") && !listed.contains("second/m"), "{listed}");
}

/// Whatever lies where the file should be, the program goes on and says what it found.
#[test]
fn odd_files_do_not_stop_the_program() {
    for (make, word) in [
        (
            Box::new(|home: &Home| drop(home.write(MODELS, [0xff, 0xfe, 0x00]))) as Box<dyn Fn(&Home)>,
            "cannot read",
        ),
        (Box::new(|home: &Home| drop(home.write(MODELS, vec![b'#'; 9 * 1024 * 1024]))), "larger than 8 MiB"),
        (Box::new(|home: &Home| std::fs::create_dir_all(home.path(MODELS)).unwrap()), "it is a directory"),
    ] {
        let home = Home::new();
        make(&home);
        let output = omp_run(&home, &["models"]);
        output.assert_success();
        assert!(output.stdout.contains("\nanthropic: "), "{word}");
        assert!(output.stderr.contains("models.yml") && output.stderr.contains(word), "{}", output.stderr);
    }
}
