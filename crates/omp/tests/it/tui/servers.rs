//! Language servers on the first screen.

use omp_testkit::{Home, LanguageServer, Reply, Server, Wire};
use serde_json::{Value, json};

use super::Screen;
use crate::lsp::{entry, install};
use crate::support;

/// A home with these servers, and a model that writes a file for them.
fn world(servers: &[(&str, Value, Value)], config: &str) -> (Home, Server, Vec<LanguageServer>) {
    let write = json!({"_i": "x", "path": "a.fake", "content": "one\n"});
    let model = Server::start([Reply::new().tool_call("write", write), Reply::new().text("written.")]);
    let home = support::home(&model, Wire::OpenAiCompletions);
    let installed: Vec<LanguageServer> =
        servers.iter().map(|(name, script, _)| install(&home, name, script)).collect();
    let table: serde_json::Map<String, Value> = servers
        .iter()
        .zip(&installed)
        .map(|((name, _, more), server)| ((*name).to_owned(), entry(server, more)))
        .collect();
    home.write("work/marker", "");
    home.write("work/lsp.json", Value::Object(table).to_string());
    // Servers of a project run where it is trusted, or where everything runs.
    home.write("home/.omp/agent/config.yml", format!("tools:\n  approvalMode: yolo\n{config}"));
    (home, model, installed)
}

/// proves: INT-032, CLI-266
#[test]
fn servers_are_named_and_wait_until_they_are_needed() {
    let (home, model, servers) = world(&[("fake", json!({}), json!({}))], "");
    let mut screen = Screen::in_home(home, model, &["--trust-project"], 30, 100);
    screen.wait_for("● fake  available");
    let shown = screen.terminal.screen();
    let place = |text: &str| shown.find(text).unwrap_or_else(|| panic!("no {text:?} in:\n{shown}"));
    assert!(place("/help: commands") < place("Language servers"), "{shown}");
    assert!(place("Language servers") < place("● fake"), "{shown}");
    assert!(servers[0].starts().is_empty());
    screen.say("go").wait_for("written.");
    assert_eq!(servers[0].starts().len(), 1);
    let (_, _model, _home) = screen.leave();
    servers[0].finish();
}

/// proves: INT-033
#[test]
fn servers_are_started_in_advance_where_that_is_wanted() {
    let home = Home::new();
    let never = json!({"before_initialize": [{"wait_for": home.path("never")}]});
    let (home, model, servers) = world(
        &[("fake", json!({}), json!({})), ("slow", never, json!({"warmupTimeoutMs": 300}))],
        "lsp:\n  lazy: false\n",
    );
    let mut screen = Screen::in_home(home, model, &["--trust-project"], 30, 100);
    screen.wait_for("● fake  ready");
    screen.wait_for("● slow  cannot start slow: LSP request initialize timed out after");
    assert_eq!((servers[0].starts().len(), servers[1].starts().len()), (1, 1));
    assert_eq!(screen.server.requests().len(), 0);
    let (_, _model, _home) = screen.leave();
    servers[0].finish();
}

/// proves: CLI-266
#[test]
fn a_quiet_start_names_no_servers() {
    let (home, model, servers) =
        world(&[("fake", json!({}), json!({}))], "startup:\n  quiet: true\nlsp:\n  lazy: false\n");
    let mut screen = Screen::in_home(home, model, &["--trust-project"], 30, 100);
    screen.say("go").wait_for("written.");
    let shown = screen.terminal.screen();
    assert!(!shown.contains("Language servers") && !shown.contains("● fake"), "{shown}");
    assert_eq!(servers[0].starts().len(), 1, "one process, whoever needs it first");
    let (_, _model, _home) = screen.leave();
    servers[0].finish();
}

/// What `/rewind` and `/redo` do to files is told to servers that want to hear of them.
#[test]
fn servers_hear_of_files_that_go_back() {
    let everything = json!({"watchers": [{"globPattern": "**/*.fake"}]});
    let one = json!({"id": "w", "method": "workspace/didChangeWatchedFiles", "registerOptions": everything});
    let register =
        json!({"request": "client/registerCapability", "params": {"registrations": [one]}, "wait": true});
    let script = json!({"after_initialized": [register]});
    let (home, model, servers) = world(&[("fake", script, json!({}))], "");
    let mut screen = Screen::in_home(home, model, &["--auto-approve", "--trust-project"], 40, 100);
    screen.say("go").wait_for("written.");
    screen.say("/rewind 1 files").wait_for("remove  a.fake");
    screen.say("/redo").wait_for("restore  a.fake");
    let (_, _model, _home) = screen.leave();
    let told: Vec<u64> = servers[0]
        .params("workspace/didChangeWatchedFiles")
        .iter()
        .flat_map(|params| params["changes"].as_array().unwrap().clone())
        .filter_map(|change| change["type"].as_u64())
        .collect();
    // The write itself may come before the server has said what it wants to hear.
    assert!(told.ends_with(&[3, 1]), "{told:?}");
    servers[0].finish();
}
