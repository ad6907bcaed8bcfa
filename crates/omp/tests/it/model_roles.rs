//! What models are used for, how hard they think, what they cost and what they can see.

use omp_testkit::{Home, Reply, Scenario, Server, Usage, Wire};
use serde_json::{Value, json};

use crate::support::{home, json_lines, omp_run};

const CONFIG: &str = "home/.omp/agent/config.yml";
const MODELS: &str = "home/.omp/agent/models.yml";

fn forever() -> Server {
    Server::start(Scenario::replies([Reply::new().text("ok")]).keyless(true).repeat(true))
}

/// Providers by their names, each with these models and no key.
fn providers(server: &Server, providers: &[(&str, &str)]) -> Home {
    let home = Home::new();
    let base = server.base_url_for(Wire::OpenAiCompletions);
    let block = |(name, models): &(&str, &str)| {
        format!(
            "  {name}:\n    baseUrl: {base}\n    api: openai-completions\n    auth: none\n    models: [{models}]\n"
        )
    };
    home.write(MODELS, format!("providers:\n{}", providers.iter().map(block).collect::<String>()));
    home
}

fn last(server: &Server) -> Value {
    server.requests().last().expect("a request").body.clone()
}

fn effort(server: &Server, home: &Home, args: &[&str]) -> String {
    omp_run(home, &[&["-p"], args, &["x"]].concat()).assert_success();
    last(server)["reasoning_effort"].as_str().unwrap_or("-").to_owned()
}

/// The setting speaks where no suffix does; the flag goes before both.
/// proves: MOD-136
#[test]
fn the_default_level_fills_the_gap() {
    let server = forever();
    let levels = "thinking: {levels: [minimal, low, medium, high, xhigh]}";
    let home =
        providers(&server, &[("one", &format!("{{id: a, reasoning: true, {levels}}}, {{id: judge}}"))]);
    assert_eq!(effort(&server, &home, &["--model", "one/a"]), "high");
    for level in ["minimal", "low", "medium", "high", "xhigh"] {
        home.write(CONFIG, format!("defaultThinkingLevel: {level}\n"));
        assert_eq!(effort(&server, &home, &["--model", "one/a"]), level);
        assert_eq!(effort(&server, &home, &["--model", "one/a:medium"]), "medium", "a suffix goes before");
        assert_eq!(effort(&server, &home, &["--model", "one/a:medium", "--thinking", "low"]), "low");
    }
    home.write(CONFIG, "defaultThinkingLevel: auto\nmodelRoles:\n  smol: one/judge\n");
    let before = server.requests().len();
    assert_eq!(effort(&server, &home, &["--model", "one/a"]), "high", "no rating in the judge's answer");
    let judged = &server.requests()[before].body;
    assert_eq!(judged["model"], "judge", "auto asks for a rating");
    assert_eq!(effort(&server, &home, &["--model", "one/a", "--thinking", "minimal"]), "minimal");
}

/// A level beyond what the model has becomes the nearest one it has.
/// proves: MOD-037
#[test]
fn levels_are_clamped_to_the_model() {
    let server = forever();
    let models = "{id: usual, reasoning: true}, \
                  {id: narrow, reasoning: true, thinking: {minLevel: low, maxLevel: medium}}, {id: plain}";
    let home = providers(&server, &[("one", models)]);
    for (selector, expected) in [
        ("one/usual:xhigh", "high"),
        ("one/usual:minimal", "minimal"),
        ("one/narrow:xhigh", "medium"),
        ("one/narrow:minimal", "low"),
        ("one/plain:high", "-"),
    ] {
        assert_eq!(effort(&server, &home, &["--model", selector]), expected, "{selector}");
    }
}

/// Prices are for a million tokens, each count by its own.
/// proves: MOD-033
#[test]
fn answers_are_priced() {
    let usage = Usage { input: 1000, output: 500, cache_read: 20_000, cache_write: 0 };
    let server = Server::start([Reply::new().text("ok").usage(usage)]);
    let home = home(&server, Wire::AnthropicMessages);
    let output = omp_run(&home, &["-p", "--mode", "json", "x"]);
    output.assert_success();
    let lines = json_lines(&output);
    let end = lines.iter().rev().find(|line| line["type"] == "message_end").expect("an answer");
    let usage = &end["message"]["usage"];
    assert_eq!(usage["totalTokens"], 21_500, "{usage}");
    let cost = |name: &str| usage["cost"][name].as_f64().expect("a price");
    // One, two and a tenth of a dollar for a million tokens.
    let near = |name: &str, dollars: f64| assert!((cost(name) - dollars).abs() < 1e-12, "{name}: {usage}");
    near("input", 0.001);
    near("output", 0.001);
    near("cacheRead", 0.002);
    near("total", 0.004);
    server.finish();
}

fn picture() -> Vec<u8> {
    let mut bytes = Vec::new();
    let format = image::ImageFormat::Png;
    image::DynamicImage::new_rgb8(4, 4)
        .write_to(&mut std::io::Cursor::new(&mut bytes), format)
        .expect("a picture");
    bytes
}

/// A model without eyes is not sent pictures, neither by the user nor by a tool; both are told.
/// proves: MOD-038
#[test]
fn pictures_are_kept_from_models_that_cannot_see() {
    let server = Server::start(
        Scenario::new()
            .reply(Reply::new().tool_call("read", json!({"path": "p.png"})))
            .reply(Reply::new().text("ok"))
            .keyless(true),
    );
    let home = providers(&server, &[("one", "{id: blind, input: [text]}")]);
    home.write("work/p.png", picture());
    let output = omp_run(&home, &["-p", "@p.png", "what is this?"]);
    output.assert_success();
    let told = "one/blind does not accept images; the image was not sent";
    assert!(output.stderr.contains(told), "{}", output.stderr);
    let requests = server.requests();
    for request in &requests {
        let body = request.body.to_string();
        assert!(!body.contains("image_url") && !body.contains("base64"), "{body}");
        assert!(body.contains("does not accept images"), "{body}");
    }
    let messages = requests[1].body["messages"].as_array().expect("messages");
    let result = messages.iter().find(|message| message["role"] == "tool").expect("a result");
    assert!(result.to_string().contains("does not accept images"), "{result}");
    server.finish();
}

/// A model that sees is sent the picture, and nobody complains.
#[test]
fn pictures_reach_models_that_can_see() {
    let server = forever();
    let home = providers(&server, &[("one", "{id: eyes, input: [text, image]}")]);
    home.write("work/p.png", picture());
    let output = omp_run(&home, &["-p", "@p.png", "what is this?"]);
    output.assert_success();
    assert!(last(&server).to_string().contains("image_url"));
    assert!(!output.stderr.contains("left out"), "{}", output.stderr);
}

/// Names of one's own, and those of other programs, work like the built-in ones; a role that was only introduced
/// is done by the usual model.
/// proves: MOD-233
#[test]
fn roles_can_be_invented() {
    let server = forever();
    let home = providers(&server, &[("one", "{id: a, reasoning: true}, {id: b, reasoning: true}")]);
    home.write(
        CONFIG,
        "modelTags:\n  night: {name: Night}\ncycleOrder: [default, executor, dawn]\nmodelRoles:\n  default: one/a\n  executor: one/b:low\n  architect: pi/executor:medium\n  planner: one/b\n  critic: one/b\n",
    );
    for (role, model, level) in [
        ("executor", "b", "low"),
        ("architect", "b", "medium"),
        ("planner", "b", "high"),
        ("critic", "b", "high"),
        ("default", "a", "high"),
        ("night", "a", "high"),
        ("dawn", "a", "high"),
    ] {
        assert_eq!(effort(&server, &home, &["--model", &format!("pi/{role}")]), level, "{role}");
        assert_eq!(last(&server)["model"], model, "{role}");
    }
    let unknown = omp_run(&home, &["-p", "--model", "pi/noon", "x"]);
    assert_eq!(unknown.code, Some(1));
}

/// Of several models of one id the one that was used last answers, then the preferred provider's, then the first.
/// proves: MOD-119
#[test]
fn ambiguous_ids_follow_habit() {
    let server = Server::start(Scenario::replies([Reply::new().text("ok")]).repeat(true).keyless(true));
    let home = Home::new();
    let base = server.base_url_for(Wire::OpenAiCompletions);
    let block = |name: &str| {
        format!(
            "  {name}:\n    baseUrl: {base}\n    api: openai-completions\n    auth: none\n    headers: {{X-From: {name}}}\n    models: [{{id: same-id}}]\n"
        )
    };
    home.write(MODELS, format!("providers:\n{}{}{}", block("one"), block("two"), block("three")));
    let from = |args: &[&str]| {
        omp_run(&home, &[&["-p"], args, &["x"]].concat()).assert_success();
        server.requests().last().expect("a request").header("x-from").expect("a header").to_owned()
    };
    assert_eq!(from(&["--no-session", "--model", "same-id"]), "one", "the first of the list");
    home.write(CONFIG, "modelProviderOrder: [three]\n");
    assert_eq!(from(&["--no-session", "--model", "same-id"]), "three");
    assert_eq!(from(&["--model", "two/same-id"]), "two");
    assert_eq!(from(&["--model", "same-id"]), "two", "habit goes before order");
    home.write(CONFIG, "modelProviderOrder: [three]\ndisabledProviders: [two]\n");
    assert_eq!(from(&["--model", "same-id"]), "three", "what cannot be used is no habit");
}

/// Roles next to the description of their models; what the settings say goes before.
// MOD-225 without sub-agents, which do not exist yet.
#[test]
fn roles_can_stand_beside_the_models() {
    let server = forever();
    let home = providers(&server, &[("one", "{id: a}, {id: b, reasoning: true}, {id: c}")]);
    let file = home.read(MODELS)
        + "modelBindings:\n  modelRoles: {default: \"one/b:low\", slow: one/c}\n  agentModelOverrides: {executor: one/c}\n";
    home.write(MODELS, file);
    assert_eq!(effort(&server, &home, &[]), "low");
    assert_eq!(last(&server)["model"], "b");
    home.write(CONFIG, "modelRoles:\n  default: one/a\n");
    let output = omp_run(&home, &["-p", "x"]);
    output.assert_success();
    assert_eq!(last(&server)["model"], "a");
    assert!(output.stderr.contains("agentModelOverrides has no effect"), "{}", output.stderr);
    effort(&server, &home, &["--model", "pi/slow"]);
    assert_eq!(last(&server)["model"], "c");
}
