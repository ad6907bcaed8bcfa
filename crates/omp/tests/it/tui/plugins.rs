//! The plugin browser, and catalogues that are kept up to date.

use omp_testkit::{Home, Reply, Server, Wire};
use serde_json::{Value, json};

use super::plain::again;
use super::{Screen, last_prompt};
use crate::marketplace::{catalogue, plugin, said};
use crate::support;

/// A home with the marketplace `team`, which offers `review` in this version.
fn world(replies: Vec<Reply>) -> (Home, Server) {
    let server = Server::start(replies);
    let home = support::home(&server, Wire::OpenAiCompletions);
    offer(&home, "1.0.0");
    plugin(&home, "market/review", "careful");
    said(&home, &["marketplace", "add", "./market"]);
    (home, server)
}

fn offer(home: &Home, version: &str) {
    let entry = json!([{"name": "review", "source": "./review", "version": version, "description": "Reviews changes"}]);
    catalogue(home, "market", &entry);
}

/// What is installed in the browser is used when it closes.
// proves: HOK-094, CLI-220
#[test]
fn plugins_are_browsed_and_installed() {
    let (home, server) = world(vec![Reply::new().text("looked at.")]);
    let mut screen = Screen::in_home(home, server, &[], 30, 100);
    screen.say("/marketplace").wait_for("Available").wait_for("Reviews changes");
    screen.send("careless").wait_for("No matches").send("\x15").wait_for("review@team");
    screen.send("\r").wait_for("Install here").send("\r").wait_for("review@team 1.0.0 installed (user)");
    screen.send("\x1b").wait_for("Esc: close").send("\x1b").wait_for("Reloaded:");
    screen.say("/review:go the tests").wait_for("looked at.");
    assert!(last_prompt(&screen.server).contains("Go and review the tests"));
    screen.say("/plugins list").wait_for("review@team 1.0.0 (user)");
    screen.say("/marketplace uninstall review@team").wait_for("review@team uninstalled (user)");
    screen.say("/plugins frobnicate").wait_for("unknown action");
    let (_, server, _home) = screen.leave();
    server.finish();
}

/// Without a screen marketplaces are listed, and a plugin has to be named.
// proves: HOK-094
#[test]
fn without_a_screen_everything_is_text() {
    let (home, server) = world(Vec::new());
    let mut lines = again(home, server, &[]);
    lines.say("/marketplace").wait_for("team  ");
    lines.say("/marketplace install").wait_for("name the plugin: name@marketplace");
    lines.say("/marketplace install review@team").wait_for("review@team 1.0.0 installed (user)");
    let (server, _home) = lines.leave();
    server.finish();
}

/// Makes catalogues old, and answers when they were fetched.
fn age(home: &Home) -> Value {
    let file = "home/.omp/marketplaces.json";
    let mut record: Value = serde_json::from_str(&home.read(file)).unwrap();
    record["marketplaces"][0]["updatedAt"] = json!("2020-01-01T00:00:00.000Z");
    home.write(file, record.to_string());
    record["marketplaces"][0]["updatedAt"].clone()
}

/// Old catalogues are fetched again after the start; newer versions are named, installed or ignored.
// proves: HOK-093
#[test]
fn newer_versions_are_told_or_installed() {
    for (mode, shown) in [
        ("notify", Some("Plugin update available: review@team 1.0.0 -> 2.0.0")),
        ("auto", Some("Plugins upgraded: review@team 1.0.0 -> 2.0.0")),
        ("off", None),
    ] {
        let (home, server) = world(vec![Reply::new().text("fine.")]);
        said(&home, &["install", "review@team"]);
        offer(&home, "2.0.0");
        let old = age(&home);
        home.write("home/.omp/agent/config.yml", format!("marketplace:\n  autoUpdate: {mode}\n"));
        let mut screen = Screen::in_home(home, server, &[], 30, 100);
        if let Some(shown) = shown {
            screen.wait_for(shown);
        }
        screen.say("go").wait_for("fine.");
        let record: Value = serde_json::from_str(&screen.home.read("home/.omp/marketplaces.json")).unwrap();
        let fetched = record["marketplaces"][0]["updatedAt"] != old;
        assert_eq!(fetched, shown.is_some(), "{mode}");
        let installed = screen.home.read("home/.omp/plugins/installed_plugins.json");
        assert_eq!(installed.contains("2.0.0"), mode == "auto", "{mode}: {installed}");
        assert!(!screen.terminal.screen().contains("2.0.0") || shown.is_some(), "{mode}");
        let (_, server, _home) = screen.leave();
        server.finish();
    }
}

/// Without a network nothing is said.
// proves: HOK-093
#[test]
fn an_unreachable_marketplace_is_silent() {
    let (home, server) = world(vec![Reply::new().text("fine.")]);
    let entry = json!({"name": "far", "sourceType": "git", "sourceUri": "https://127.0.0.1:9/far.git"});
    home.write("home/.omp/marketplaces.json", json!({"version": 1, "marketplaces": [entry]}).to_string());
    let mut screen = Screen::in_home(home, server, &[], 30, 100);
    screen.say("go").wait_for("fine.");
    let shown = screen.terminal.screen();
    assert!(!shown.contains("far") && !shown.contains("clone"), "{shown}");
    let (_, server, _home) = screen.leave();
    server.finish();
}
