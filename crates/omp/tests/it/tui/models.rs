//! Choosing models.

use std::sync::atomic::{AtomicUsize, Ordering};

use omp_testkit::{Home, Reply, Scenario, Server, Wire};

use super::Screen;
use super::wizard::eventually;

const CONFIG: &str = "home/.omp/agent/config.yml";

/// Every answer has its number.
fn forever() -> Server {
    let count = AtomicUsize::new(0);
    let answer =
        move |_: &_| Reply::new().text(&format!("answer-{}-", count.fetch_add(1, Ordering::Relaxed) + 1));
    Server::start(Scenario::dynamic(answer).keyless(true))
}

/// Sends a prompt and waits for the end of the turn; the model and how hard it thought.
fn ask(screen: &mut Screen) -> (String, String) {
    let number = screen.server.requests().len() + 1;
    screen.say("hello").wait_for(&format!("answer-{number}-")).terminal.wait_without("Working");
    let body = screen.server.requests().last().expect("a request").body.clone();
    let text = |field: &str| body[field].as_str().unwrap_or_default().to_owned();
    (text("model"), text("reasoning_effort"))
}

/// Waits for a row that is this and no more.
fn wait_for_row(screen: &mut Screen, row: &str) {
    screen.terminal.wait_until(row, |shown| shown.lines().any(|line| line.trim() == row));
}

/// Two providers with a model in common, and one that wants a key nobody has.
fn home(server: &Server) -> Home {
    let home = Home::new();
    let base = server.base_url_for(Wire::OpenAiCompletions);
    let thinks = "reasoning: true, thinking: {levels: [low, medium, high]}";
    let models = |names: &[&str]| -> String {
        let models: Vec<String> = names.iter().map(|name| format!("{{id: {name}, {thinks}}}")).collect();
        models.join(", ")
    };
    let block = |name: &str, list: &[&str], auth: &str| {
        format!(
            "  {name}:\n    baseUrl: {base}\n    api: openai-completions\n    {auth}\n    models: [{}]\n",
            models(list)
        )
    };
    home.write(
        "home/.omp/agent/models.yml",
        format!(
            "providers:\n{}{}{}",
            block("one", &["large", "small"], "auth: none"),
            block("two", &["large", "other"], "auth: none"),
            block("locked", &["hidden"], "apiKeyEnv: KEY_OF_NOBODY"),
        ) + "equivalence:\n  overrides:\n    one/large: large\n    two/large: large\n",
    );
    home.write(CONFIG, "modelRoles:\n  default: one/small\n");
    home
}

fn screen(arguments: &[&str]) -> Screen {
    let server = forever();
    let home = home(&server);
    Screen::in_home(home, server, arguments, 40, 110)
}

fn role(home: &Home, role: &str) -> String {
    let config = home.read(CONFIG);
    let roles = config.split_once("modelRoles:\n").map_or("", |(_, roles)| roles);
    let line = roles.lines().find_map(|line| line.trim().strip_prefix(&format!("{role}: ")));
    line.unwrap_or_else(|| panic!("no {role} in {config}")).to_owned()
}

/// Tabs of providers and a view in which each model is one row; typing finds; what cannot be used is not there.
///
/// proves: MOD-147
#[test]
fn models_are_found_under_tabs_and_by_typing() {
    let mut screen = screen(&[]);
    screen.say("/model").wait_for("Choose a model  4").wait_for("All  Canonical  one  two");
    let all = screen.terminal.screen();
    assert!(all.contains("one/large") && all.contains("❯ one/small") && all.contains("two/other"), "{all}");
    assert!(!all.contains("hidden"), "{all}");
    screen.send("\x1b[C").wait_for("one/large and 1 more");
    screen.send("\x1b[C").terminal.wait_without("other");
    screen.send("\x1b[C").wait_for("❯ large").terminal.wait_without("small  small");
    screen.send("othr").wait_for("❯ other").send("\r").wait_for("Switched to two/other");
    assert_eq!(ask(&mut screen).0, "other");
}

/// proves: MOD-150
#[test]
fn a_row_is_kept_as_what_it_stands_for() {
    let mut screen = screen(&[]);
    screen.say("/model").wait_for("Choose a model  4").send("\x1b[C").wait_for("and 1 more");
    screen.send("large\r").wait_for("Switched to one/large");
    assert_eq!(role(&screen.home, "default"), "large");
    screen.say("/model").wait_for("Choose a model  4").send("twolarge\r").wait_for("Switched to two/large");
    assert_eq!(role(&screen.home, "default"), "two/large");
    // A role, with a level.
    screen.say("/model").wait_for("Choose a model  4").send("onesmall").wait_for("❯ one/small").send("\t");
    screen
        .wait_for("Use one/small for which role?")
        .send("slow\r")
        .wait_for("Thinking level of")
        .send("low\r");
    screen.wait_for("slow now uses one/small:low");
    assert_eq!(role(&screen.home, "slow"), "one/small:low");
    screen.say("/models").wait_for("[slow:low]").send("\x1b").wait_for("Ask anything");
}

/// A model can also be named. The choice of `/switch` is for the session.
///
/// proves: CLI-181
#[test]
fn a_choice_for_the_session_is_not_kept() {
    let mut screen = screen(&[]);
    let before = screen.home.read(CONFIG);
    for open in ["/switch\r", "\x1bp"] {
        screen
            .send(open)
            .wait_for("Choose a model for this session  4")
            .send("other\r")
            .wait_for("Switched to two/other");
        assert_eq!(ask(&mut screen).0, "other");
        screen
            .say("/switch")
            .wait_for("for this session  4")
            .send("small\r")
            .wait_for("Switched to one/small");
    }
    assert_eq!(screen.home.read(CONFIG), before);
    screen.say("/model two/other").wait_for("Switched to two/other");
    assert_eq!(role(&screen.home, "default"), "two/other");
    screen.say("/model nothing-like-it").wait_for("nothing-like-it").wait_for("Ask anything");
}

/// The keys go through the models of the run, each with its level; the list begins with them.
///
/// proves: CLI-030, MOD-145
#[test]
fn a_scope_limits_the_keys() {
    let mut screen = screen(&["--models", "one/*:low,two/other"]);
    screen.wait_for("Model scope: one/large:low, one/small:low, two/other");
    let (forward, backward) = ("\x10", "\x1b[112;6u");
    for (key, model, level) in [
        (forward, "one/small", "low"),
        (forward, "two/other", "high"),
        (forward, "one/large", "low"),
        (backward, "two/other", "high"),
        (backward, "one/small", "low"),
    ] {
        screen.send(key);
        wait_for_row(&mut screen, model);
        let id = model.split_once('/').unwrap().1;
        assert_eq!(ask(&mut screen), (id.to_owned(), level.to_owned()));
    }
    screen.say("/switch").wait_for("session  3").terminal.wait_without("two/large");
    screen.send("\x1b").wait_for("Ask anything");
    let (_, server, home) = screen.leave();
    drop(server);
    let server = forever();
    home.write(CONFIG, "startup:\n  quiet: true\n");
    let quiet = Screen::in_home(home, server, &["--models", "one/*"], 40, 110);
    assert!(!quiet.terminal.screen().contains("Model scope"), "{}", quiet.terminal.screen());
}

/// A role of one's own has its place among the others, is given a model and is gone to with the key.
///
/// proves: MOD-137
#[test]
fn roles_of_ones_own_are_gone_through() {
    let server = forever();
    let home = home(&server);
    home.write(
        CONFIG,
        "modelTags:\n  night: {name: Night, color: blue}\ncycleOrder: [default, night, dawn]\nmodelRoles:\n  default: one/small\n",
    );
    let mut screen = Screen::in_home(home, server, &[], 40, 110);
    for (name, model) in [("night", "two/other"), ("dawn", "two/large")] {
        screen.say("/model").wait_for("Choose a model  4").send(model);
        screen.wait_for(&format!("❯ {model}")).send("\t");
        screen
            .wait_for(&format!("Use {model} for which role?"))
            .send(name)
            .wait_for(&format!("❯ {name}"))
            .send("\r");
        screen.wait_for("Thinking level of").send("\r").wait_for(&format!("{name} now uses {model}"));
        assert_eq!(role(&screen.home, name), model);
    }
    for (name, model) in [("night", "other"), ("dawn", "large"), ("default", "small")] {
        screen.send("\x10").wait_for(&format!("{name}: "));
        assert_eq!(ask(&mut screen).0, model);
    }
}

/// A provider is described in the models file by the name of its preset; no key is asked for or written.
///
/// proves: MOD-232
#[test]
fn a_provider_is_added_by_its_preset() {
    let presets = [
        ("minimax", "minimax-proxy", "MINIMAX_CODE_API_KEY"),
        ("minimax-cn", "minimax-cn-proxy", "MINIMAX_CODE_CN_API_KEY"),
        ("glm", "glm-proxy", "ZAI_API_KEY"),
        ("zai", "glm-proxy", "ZAI_API_KEY"),
        ("z-ai", "glm-proxy", "ZAI_API_KEY"),
    ];
    let mut screen = screen(&[]);
    screen.say("/provider add --preset nobody").wait_for("Usage: /provider add --preset");
    for (preset, provider, variable) in presets {
        let file = "home/.omp/agent/models.yml";
        let described = |text: &str| {
            text.contains(&format!("{provider}:")) && text.contains(&format!("apiKeyEnv: {variable}"))
        };
        screen.say(&format!("/provider add --preset {preset}")).wait_for(provider);
        let written = screen.home.path(file);
        eventually("the description", || described(&std::fs::read_to_string(&written).unwrap()));
        // The command line does the same.
        let home = Home::new();
        crate::support::omp_run(&home, &["setup", "provider", "--preset", preset]).assert_success();
        let text = home.read(file);
        assert!(described(&text) && !text.contains("apiKey:"), "{text}");
    }
}
