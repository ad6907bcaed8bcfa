//! Settings do what they say: each value is seen where it takes effect.

use omp_testkit::{Home, ModelOptions, Output, Reply, Scenario, Server, Wire, run};
use serde_json::{Value, json};

use crate::support::{LIMIT, home, omp, omp_run};

const CONFIG: &str = "home/.omp/agent/config.yml";

fn forever() -> Server {
    Server::start(Scenario::replies([Reply::new().text("ok")]).repeat(true))
}

/// The body of the request that a run with these settings sends.
fn body(server: &Server, home: &Home, config: &str, args: &[&str]) -> Value {
    home.write(CONFIG, config);
    omp_run(home, &[&["-p"], args, &["x"]].concat()).assert_success();
    server.requests().last().unwrap().body.clone()
}

fn with_env(home: &Home, args: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = omp(home, args);
    command.envs(variables.iter().copied());
    let output = run(command, Some(b""), LIMIT);
    output.assert_success();
    output
}

/// Two providers on one server: `one/a`, `one/b` and `two/c`.
fn several_models(server: &Server) -> Home {
    let home = Home::new();
    let provider = |name: &str, models: &str| {
        let base = server.base_url_for(Wire::OpenAiCompletions);
        format!(
            "  {name}:\n    baseUrl: {base}\n    api: openai-completions\n    apiKey: k\n    models: {models}\n"
        )
    };
    let reasoning = "[{id: a, reasoning: true}, {id: b, reasoning: true}]";
    let file = format!("providers:\n{}{}", provider("one", reasoning), provider("two", "[{id: c}]"));
    home.write("home/.omp/agent/models.yml", file);
    home
}

// proves: CFG-055
#[test]
fn sampling_parameters_are_sent_when_they_are_set() {
    let server = Server::start(
        ["top_k", "min_p", "repetition_penalty"]
            .into_iter()
            .fold(Scenario::replies([Reply::new().text("ok")]).repeat(true), Scenario::allow_field),
    );
    let home = home(&server, Wire::OpenAiCompletions);
    let rows = [
        ("temperature", "temperature", 0.25),
        ("topP", "top_p", 0.5),
        ("topK", "top_k", 40.0),
        ("minP", "min_p", 0.125),
        ("presencePenalty", "presence_penalty", 0.75),
        ("repetitionPenalty", "repetition_penalty", 1.25),
    ];
    for (setting, field, value) in rows {
        let set = body(&server, &home, &format!("{setting}: {value}\n"), &[]);
        assert_eq!(set[field].as_f64(), Some(value), "{setting}");
        let unset = body(&server, &home, &format!("{setting}: -1\n"), &[]);
        assert!(rows.iter().all(|(_, field, _)| unset.get(*field).is_none()), "{setting}");
    }
    assert_eq!(body(&server, &home, "serviceTier: flex\n", &[])["service_tier"], "flex");
    assert!(body(&server, &home, "serviceTier: none\n", &[]).get("service_tier").is_none());
    assert!(body(&server, &home, "", &[]).get("service_tier").is_none());
}

// proves: CFG-054
#[test]
fn thinking_follows_the_settings() {
    let server = forever();
    let home = Home::new();
    let options = ModelOptions::new()
        .reasoning(true)
        .max_tokens(64_000)
        .model("thinking: {levels: [minimal, low, medium, high, xhigh]}");
    home.models_yml(&server, Wire::AnthropicMessages, options);
    let budget = |config: &str, args: &[&str]| {
        body(&server, &home, config, args)["thinking"]["budget_tokens"].as_u64()
    };
    let defaults = [("minimal", 1024), ("low", 2048), ("medium", 8192), ("high", 16_384), ("xhigh", 32_768)];
    for (level, tokens) in defaults {
        assert_eq!(budget(&format!("defaultThinkingLevel: {level}\n"), &[]), Some(tokens), "{level}");
    }
    assert_eq!(budget("", &[]), Some(16_384), "high by default");
    assert_eq!(budget("thinkingBudgets:\n  high: 5000\n", &[]), Some(5000));
    assert_eq!(budget("defaultThinkingLevel: high\n", &["--thinking", "low"]), Some(2048), "the flag wins");
    assert_eq!(budget("", &["--thinking", "off"]), None);
}

/// `auto` asks the model of the `smol` role; a rating that cannot be had costs nothing but the rating.
// proves: LOP-093, LOP-089
#[test]
fn automatic_thinking_rates_each_prompt() {
    let main = forever();
    let home = several_models(&main);
    let rate = |answer: Reply| Server::start([answer]);
    let effort = |judge: &Server, prompt: &str| {
        let yaml = home.read("home/.omp/agent/models.yml");
        let base = judge.base_url_for(Wire::OpenAiCompletions);
        let models = yaml.split("  judge:").next().unwrap().to_owned()
            + &format!(
                "  judge:\n    baseUrl: {base}\n    api: openai-completions\n    apiKey: k\n    models: [{{id: j}}]\n"
            );
        home.write("home/.omp/agent/models.yml", models);
        home.write(CONFIG, "defaultThinkingLevel: auto\nmodelRoles:\n  default: one/a\n  smol: judge/j\n");
        omp_run(&home, &["-p", prompt]).assert_success();
        main.requests().last().unwrap().body["reasoning_effort"].as_str().unwrap().to_owned()
    };
    let low = rate(Reply::new().text("low"));
    assert_eq!(effort(&low, "what is this?"), "low");
    let asked = low.requests()[0].body.clone();
    assert!(asked["messages"].to_string().contains("what is this?") && asked.get("tools").is_none());
    low.finish();
    let clamped = rate(Reply::new().text("xhigh"));
    assert_eq!(effort(&clamped, "prove it"), "high", "no more than the model can");
    let failing = rate(Reply::status(400).body(json!({"error": {"message": "no"}})));
    assert_eq!(effort(&failing, "again"), "high");
    let nonsense = rate(Reply::new().text("purple"));
    assert_eq!(effort(&nonsense, "again"), "high");
    let thorough = rate(Reply::new().text("low"));
    assert_eq!(effort(&thorough, "ultrathink about it"), "high", "the word asks for the most there is");
}

// proves: CFG-051
#[test]
fn roles_choose_the_model() {
    let server = forever();
    let home = several_models(&server);
    let model = |config: &str, args: &[&str]| {
        let body = body(&server, &home, config, args);
        let effort = body["reasoning_effort"].as_str().unwrap_or("-").to_owned();
        (body["model"].as_str().unwrap().to_owned(), effort)
    };
    let pair = |model: &str, effort: &str| (model.to_owned(), effort.to_owned());
    assert_eq!(model("", &[]), pair("a", "high"), "the first there is");
    assert_eq!(model("modelRoles:\n  default: two/c\n", &[]), pair("c", "-"));
    assert_eq!(model("modelRoles:\n  default: one/b:low\n", &[]), pair("b", "low"));
    assert_eq!(model("modelRoles:\n  default: one/b\n", &["--model", "two/c"]), pair("c", "-"));
    assert_eq!(model("modelRoles:\n  smol: one/b:medium\n", &["--model", "pi/smol"]), pair("b", "medium"));
    assert_eq!(model("modelRoles:\n  smol: one/b:medium\n", &["--model", "@smol:low"]), pair("b", "low"));
    assert_eq!(model("enabledModels: [one/b]\n", &[]), pair("b", "high"));
    home.write(CONFIG, "modelRoles:\n  default: one/nothing\n");
    let output = omp_run(&home, &["-p", "x"]);
    output.assert_success();
    assert!(
        output.stderr.contains("modelRoles.default") && output.stderr.contains("one/nothing"),
        "{}",
        output.stderr
    );
}

/// A variable or a flag goes before the file, for one run, and the file stays as it is.
// proves: CFG-046, MOD-130
#[test]
fn roles_can_be_overridden_for_one_run() {
    let server = forever();
    let home = several_models(&server);
    let config = "modelRoles:\n  smol: one/a\n  slow: one/a\n  plan: one/a\n";
    home.write(CONFIG, config);
    let model = || server.requests().last().unwrap().body["model"].as_str().unwrap().to_owned();
    for role in ["smol", "slow", "plan"] {
        let selector = format!("pi/{role}");
        let variable = format!("PI_{}_MODEL", role.to_uppercase());
        omp_run(&home, &["-p", "--model", &selector, "x"]).assert_success();
        assert_eq!(model(), "a");
        with_env(&home, &["-p", "--model", &selector, "x"], &[(&variable, "one/b")]);
        assert_eq!(model(), "b", "{variable}");
        let flag = format!("--{role}");
        with_env(&home, &["-p", "--model", &selector, &flag, "two/c", "x"], &[(&variable, "one/b")]);
        assert_eq!(model(), "c", "{flag}");
    }
    assert_eq!(home.read(CONFIG), config);
}

/// Ids are exact: `claude` is a source of files, `anthropic` a provider of models.
// proves: CFG-043, CFG-045
#[test]
fn disabled_providers_are_gone() {
    let server = forever();
    let home = several_models(&server);
    home.write("work/.claude/CLAUDE.md", "From Claude.");
    let run = |config: &str| body(&server, &home, config, &[]);
    let plain = run("");
    assert_eq!(plain["model"], "a");
    assert!(plain.to_string().contains("From Claude."));
    assert_eq!(run("disabledProviders: [one]\n")["model"], "c");
    let without_files = run("disabledProviders: [claude]\n");
    assert!(!without_files.to_string().contains("From Claude.") && without_files["model"] == "a");
    assert!(run("disabledProviders: [anthropic]\n").to_string().contains("From Claude."));
    home.write(CONFIG, "disabledProviders: [one, openai]\n");
    let list = with_env(&home, &["models", "--json"], &[("OPENAI_API_KEY", "k"), ("ANTHROPIC_API_KEY", "k")]);
    let rows: Vec<Value> = serde_json::from_str(&list.stdout).unwrap();
    let of = |provider: &str| rows.iter().filter(|row| row["provider"] == provider).count();
    assert_eq!((of("one"), of("openai")), (0, 0));
    assert!(of("two") == 1 && of("anthropic") > 0);
}

/// Every kind of thing that a source contributes goes with it.
// proves: CFG-044
#[test]
fn a_disabled_source_contributes_nothing() {
    let server = forever();
    let home = home(&server, Wire::OpenAiCompletions);
    home.write("work/.claude/CLAUDE.md", "context words");
    home.write("work/.claude/skills/s/SKILL.md", "---\nname: claude-skill\ndescription: d\n---\nx");
    home.write("work/.claude/commands/c.md", "command words");
    home.write("work/.claude/settings.json", r#"{"personality": "friendly"}"#);
    home.write("work/.claude/SYSTEM.md", "");
    home.write("work/.mcp.json", r#"{"mcpServers": {"m": {"command": "x"}}}"#);
    let all = |config: &str| {
        home.write(CONFIG, config);
        omp_run(&home, &["-p", "/c"]).assert_success();
        let sent = server.requests().last().unwrap().body.to_string();
        let sources = omp_run(&home, &["config", "sources", "--json"]).stdout;
        let traces = ["context words", "claude-skill", "command words", "warm"];
        let seen = traces.map(|trace| sent.contains(trace));
        let listed: Value = serde_json::from_str(&sources).unwrap();
        let rows = listed["sources"].as_array().unwrap().clone();
        (seen, rows.iter().filter(|row| row["provider"] == "claude").count())
    };
    let (seen, found) = all("");
    assert_eq!(seen, [true; 4]);
    assert!(found >= 4, "{found}");
    assert_eq!(all("disabledProviders: [claude]\n"), ([false; 4], 0));
}

// proves: CFG-056
#[test]
fn retries_follow_the_settings() {
    let failing =
        || Reply::status(503).header("retry-after-ms", "1").body(json!({"error": {"message": "busy"}}));
    let attempts = |config: &str| {
        let server = Server::start(Scenario::replies([failing()]).repeat(true));
        let home = home(&server, Wire::OpenAiCompletions);
        home.write(CONFIG, config);
        let output = omp_run(&home, &["-p", "x"]);
        assert_ne!(output.code, Some(0));
        server.requests().len()
    };
    assert_eq!(attempts("retry:\n  enabled: false\n"), 1);
    assert_eq!(attempts("retry:\n  maxRetries: 2\n"), 3);

    let (first, second) = (
        Server::start(
            Scenario::replies([Reply::status(503).body(json!({"error": {"message": "busy"}}))]).repeat(true),
        ),
        forever(),
    );
    let home = Home::new();
    let provider = |name: &str, server: &Server| {
        let base = server.base_url_for(Wire::OpenAiCompletions);
        format!(
            "  {name}:\n    baseUrl: {base}\n    api: openai-completions\n    apiKey: k\n    models: [{{id: m}}]\n"
        )
    };
    home.write(
        "home/.omp/agent/models.yml",
        format!("providers:\n{}{}", provider("first", &first), provider("second", &second)),
    );
    let chain = "modelRoles:\n  default: first/m\nretry:\n  maxRetries: 1\n  baseDelayMs: 1\n  fallbackChains:\n    default: [second/m]\n";
    home.write(CONFIG, chain);
    omp_run(&home, &["-p", "x"]).assert_success();
    assert_eq!(second.requests().len(), 1);
    home.write(CONFIG, format!("{chain}  modelFallback: false\n"));
    assert_ne!(omp_run(&home, &["-p", "x"]).code, Some(0));
    assert_eq!(second.requests().len(), 1);
    home.write(
        CONFIG,
        "retry:\n  enabled: false\n  fallbackChains:\n    slow: [second/m]\n    default: [nonsense]\n",
    );
    let output = omp_run(&home, &["-p", "x"]);
    assert!(
        output.stderr.contains("fallbackChains.slow") && output.stderr.contains("nonsense"),
        "{}",
        output.stderr
    );
}

/// The result of one call of a tool under some settings.
fn tool_result(config: &str, tool: &str, arguments: Value, prepare: impl FnOnce(&Home)) -> String {
    let server = Server::start([Reply::new().tool_call(tool, arguments), Reply::new().text("done")]);
    let home = home(&server, Wire::OpenAiCompletions);
    home.write(CONFIG, config);
    prepare(&home);
    omp_run(&home, &["-p", "x"]).assert_success();
    let messages = server.requests()[1].body["messages"].as_array().unwrap().clone();
    let result = messages.iter().find(|message| message["role"] == "tool").unwrap();
    result["content"].as_str().unwrap().to_owned()
}

// proves: CFG-059
#[test]
fn output_limits_are_settings() {
    let lines = json!({"_i": "x", "command": "seq 1 30000"});
    let output = |config: &str| tool_result(config, "bash", lines.clone(), |_| {});
    let plain = output("");
    assert!(plain.contains("\n30000") && plain.len() > 20_000 && plain.len() < 60_000, "{}", plain.len());
    let whole = output("tools:\n  artifactSpillThreshold: 400\n");
    assert!(whole.len() > 160_000, "{}", whole.len());
    let tail = output("tools:\n  artifactHeadBytes: 0\n  artifactTailBytes: 1\n");
    assert!(tail.len() < 3000 && tail.contains("30000") && !tail.contains("\n2\n"), "{tail}");
    let few = output("tools:\n  artifactTailLines: 5\n  artifactHeadBytes: 1\n");
    assert!(few.lines().count() < 400, "{}", few.lines().count());
    let long = json!({"_i": "x", "command": "printf 'x%.0s' $(seq 1 2000)"});
    let columns = |config: &str| tool_result(config, "bash", long.clone(), |_| {});
    assert!(columns("tools:\n  outputMaxColumns: 100\n").len() < 600);
    assert!(columns("tools:\n  outputMaxColumns: 0\n").len() >= 2000);
}

#[test]
fn reads_follow_the_settings() {
    let text: String = (1..=500).map(|line| format!("line {line}\n")).collect();
    let read = |config: &str| {
        let text = text.clone();
        tool_result(config, "read", json!({"_i": "x", "path": "f.txt"}), move |home| {
            home.write("work/f.txt", text);
        })
    };
    let lines = |text: &str| text.lines().filter(|line| line.contains("line ")).count();
    assert_eq!(lines(&read("read:\n  defaultLimit: 20\n")), 20);
    let tag = |text: &str| text.lines().next().is_some_and(|line| line.starts_with("[f.txt#"));
    let anchored = read("readLineNumbers: true\n");
    assert!(tag(&anchored) && anchored.contains("\n7:line 7\n"), "{anchored}");
    let numbered = read("readLineNumbers: true\nreadHashLines: false\n");
    assert!(!tag(&numbered) && numbered.contains("7|line 7"), "{numbered}");
    assert!(read("readHashLines: false\n").starts_with("line 1\n"));
}

// proves: FIL-218, FIL-155
#[test]
fn searches_and_edits_follow_the_settings() {
    let search = |config: &str| {
        let arguments = json!({"_i": "x", "pattern": "line 5$", "paths": "f.txt"});
        tool_result(config, "search", arguments, |home| {
            home.write("work/f.txt", (1..=9).map(|line| format!("line {line}\n")).collect::<String>());
        })
    };
    assert!(
        search("").ends_with("\n 4:line 4\n*5:line 5\n 6:line 6\n 7:line 7\n 8:line 8"),
        "{}",
        search("")
    );
    let narrow = search("search:\n  contextBefore: 0\n  contextAfter: 1\n");
    assert!(narrow.contains("]\n*5:line 5\n 6:line 6") && !narrow.contains("7:line"), "{narrow}");
    let edit = |config: &str| {
        // The tag of the text below.
        let text = "// Code generated by x. DO NOT EDIT.\n";
        let tag = omp_edits::hashline::Tag::of(text);
        let arguments = json!({"_i": "x", "input": format!("[f.go#{tag}]\nDEL 1\n")});
        tool_result(config, "edit", arguments, move |home| {
            home.write("work/f.go", text);
        })
    };
    assert!(edit("").contains("is a generated file"));
    assert!(edit("edit:\n  blockAutoGenerated: false\n").starts_with("[f.go#"));
    assert!(
        edit("edit:\n  blockAutoGenerated: false\n  enforceSeenLines: true\n").contains("was not displayed")
    );
}

// proves: CFG-058, FIL-236
#[test]
fn tools_follow_the_settings() {
    let server = forever();
    let home = home(&server, Wire::OpenAiCompletions);
    let tools = |config: &str, args: &[&str]| {
        let body = body(&server, &home, config, args);
        let tools = body["tools"].as_array().unwrap().clone();
        let names: Vec<String> =
            tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap().to_owned()).collect();
        (names.join(" "), body["tools"].to_string().contains("\"_i\""))
    };
    let all = "read write edit find search ast_grep ast_edit resolve bash job todo lsp";
    assert_eq!(tools("", &[]), (all.to_owned(), true));
    assert!(!tools("tools:\n  intentTracing: false\n", &[]).1);
    assert_eq!(tools("bash:\n  enabled: false\n", &[]).0, all.replace(" bash", ""));
    let without = "find:\n  enabled: false\nsearch:\n  enabled: false\n";
    assert_eq!(tools(without, &[]).0, all.replace(" find search", ""));
    home.write(CONFIG, "bash:\n  enabled: false\n");
    let output = omp_run(&home, &["-p", "--tools", "read,bash", "x"]);
    assert!(output.stderr.contains("bash.enabled"), "{}", output.stderr);

    let timed = tool_result(
        "tools:\n  maxTimeout: 1\n",
        "bash",
        json!({"_i": "x", "command": "sleep 60", "timeout": 50}),
        |_| {},
    );
    assert!(timed.contains("timed out"), "{timed}");
}

/// The shell is the user's.
#[test]
fn the_shell_is_a_setting() {
    let result = tool_result(
        "shellPath: ~/bin/my-shell\n",
        "bash",
        json!({"_i": "x", "command": "echo hello"}),
        |home| {
            let script = home.write("home/bin/my-shell", "#!/bin/sh\necho \"mine: $*\"\n");
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(script, std::fs::Permissions::from_mode(0o755)).unwrap();
        },
    );
    assert!(result.contains("mine:") && result.contains("echo hello"), "{result}");
}

/// Pictures can be held back.
#[test]
fn images_can_be_blocked() {
    let server = forever();
    let home = Home::new();
    home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
    let mut picture = Vec::new();
    image::DynamicImage::new_rgb8(3000, 4)
        .write_to(&mut std::io::Cursor::new(&mut picture), image::ImageFormat::Png)
        .unwrap();
    home.write("work/p.png", &picture);
    let sent = |config: &str| body(&server, &home, config, &["@p.png"]).to_string();
    assert!(sent("").contains("image_url"));
    assert!(!sent("images:\n  blockImages: true\n").contains("image_url"));
    assert!(sent("").contains("scaled from 3000x4"));
    assert!(!sent("images:\n  autoResize: false\n").contains("scaled from"));
}

/// What flags say holds for the run and is never saved.
// proves: CFG-049
#[test]
fn flags_leave_the_file_alone() {
    let server = forever();
    let home = home(&server, Wire::OpenAiCompletions);
    let config = "# mine\nreadLineNumbers: true\n";
    home.write(CONFIG, config);
    let flags = [
        "--hide-thinking",
        "--approval-mode",
        "write",
        "--auto-approve",
        "--yolo",
        "--no-pty",
        "--api-key",
        "other",
        "--model",
        "test/scripted",
        "--thinking",
        "low",
        "--no-lsp",
    ];
    omp_run(&home, &[&["-p"], flags.as_slice(), &["x"]].concat()).assert_success();
    assert_eq!(home.read(CONFIG), config);
    assert_eq!(server.requests()[0].header("authorization"), Some("Bearer other"));
}
