//! Language servers in the program: their switches, where their configuration is, who may be asked what.

use omp_testkit::{Home, LanguageServer, ModelOptions, Reply, Server, Wire};
use serde_json::{Value, json};

use crate::support::omp_run_refusing;

const CONFIG: &str = "home/.omp/agent/config.yml";

/// A server for `.fake` files, which the home knows of once it is configured.
pub(crate) fn install(home: &Home, name: &str, script: &Value) -> LanguageServer {
    LanguageServer::install(&home.path("bin"), name, script)
}

/// The entry of a server in a configuration file.
pub(crate) fn entry(server: &LanguageServer, more: &Value) -> Value {
    let mut entry = json!({"command": server.program(), "fileTypes": [".fake"], "rootMarkers": ["marker"]});
    entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    entry
}

/// A project with one server.
fn world() -> (Home, LanguageServer) {
    let home = Home::new();
    let server = install(&home, "fake", &json!({}));
    home.write("work/marker", "");
    home.write("work/a.fake", "one\n");
    home.write("work/lsp.json", json!({"fake": entry(&server, &json!({}))}).to_string());
    (home, server)
}

fn call(tool: &str, arguments: &Value) -> Reply {
    calling(Reply::new(), tool, arguments)
}

fn calling(reply: Reply, tool: &str, arguments: &Value) -> Reply {
    let mut arguments = arguments.clone();
    arguments["_i"] = "look".into();
    reply.tool_call(tool, arguments)
}

/// The requests of a run in which the model replies with this, and then is done.
fn requests(home: &Home, config: &str, args: &[&str], reply: Reply) -> Vec<Value> {
    let model = Server::start([reply, Reply::new().text("done")]);
    home.models_yml(&model, Wire::OpenAiCompletions, ModelOptions::new());
    // Servers of a project run where it is trusted, or where everything runs.
    let trusting = if config.contains("tools:") { "" } else { "tools:\n  approvalMode: yolo\n" };
    home.write(CONFIG, format!("{trusting}{config}"));
    omp_run_refusing(home, &[&["-p", "go"], args].concat());
    let bodies = model.requests().into_iter().map(|request| request.body).collect();
    model.finish();
    bodies
}

fn tools(request: &Value) -> Vec<&str> {
    let tools = request["tools"].as_array().expect("tools");
    tools.iter().filter_map(|tool| tool["function"]["name"].as_str()).collect()
}

fn results(request: &Value) -> Vec<&str> {
    let messages = request["messages"].as_array().expect("messages").iter();
    messages
        .filter(|message| message["role"] == "tool")
        .map(|message| message["content"].as_str().expect("text"))
        .collect()
}

/// proves: INT-001, CLI-022
#[test]
fn language_servers_can_be_switched_off() {
    let write = json!({"path": "a.fake", "content": "let BAD\n"});
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 3}});
    let script = json!({"rules": [{"word": "BAD", "message": "a bad word"}],
        "answers": {"textDocument/formatting": {"result": [{"range": range, "newText": "LET"}]}}});
    let off = "lsp:\n  formatOnWrite: true\n  enabled: false\n";
    for (config, args, offered) in [
        ("lsp:\n  formatOnWrite: true\n", &["--trust-project"][..], true),
        (off, &["--trust-project"], false),
        ("lsp:\n  formatOnWrite: true\n", &["--trust-project", "--no-lsp"], false),
    ] {
        let (home, server) = world();
        server.play(&script);
        let requests = requests(&home, config, args, call("write", &write));
        assert_eq!(tools(&requests[0]).contains(&"lsp"), offered, "{config} {args:?}");
        let said = results(&requests[1])[0];
        assert_eq!(said.contains("error: a bad word"), offered, "{said}");
        assert_eq!(home.read("work/a.fake"), if offered { "LET BAD\n" } else { "let BAD\n" });
        assert_eq!(server.starts().len(), usize::from(offered));
        server.finish();
    }
    let (home, _server) = world();
    let trusted = ["--trust-project"];
    let requests = requests(&home, "", &trusted, call("lsp", &json!({"action": "status"})));
    let expected = "Active language servers: fake\n- fake: installed, starts on the first request";
    assert_eq!(results(&requests[1])[0], expected);
}

/// Nobody can be asked here, so what would be asked about does not run.
///
/// proves: INT-013
#[test]
fn actions_that_change_something_need_approval() {
    let reading = [
        "diagnostics",
        "definition",
        "type_definition",
        "implementation",
        "references",
        "hover",
        "symbols",
        "status",
        "capabilities",
    ];
    let writing = ["rename", "rename_file", "code_actions", "reload", "request"];
    let (home, server) = world();
    let mut reply = Reply::new();
    for action in reading.iter().chain(&writing) {
        let arguments = json!({"action": action, "file": "a.fake", "new_name": "b.fake", "query": "x/y"});
        reply = calling(reply, "lsp", &arguments);
    }
    let requests = requests(&home, "tools:\n  approvalMode: always-ask\n", &[], reply);
    let results = results(&requests[1]);
    assert_eq!(results.len(), reading.len() + writing.len());
    for (action, said) in reading.iter().chain(&writing).zip(results) {
        assert_eq!(said.contains("needs the user's approval"), writing.contains(action), "{action}: {said}");
    }
    assert!(home.exists("work/a.fake") && !home.exists("work/b.fake"));
    assert!(server.params("x/y").is_empty());
}

/// Outside of `yolo` nothing is started in a project that is not trusted, whatever it is called and whoever installed it.
#[test]
fn a_project_cannot_bring_a_program_along() {
    let status = call("lsp", &json!({"action": "status"}));
    let (home, server) = world();
    let seen = |mode: &str| {
        let config = format!("tools:\n  approvalMode: {mode}\n");
        results(&requests(&home, &config, &[], status.clone())[1])[0].to_owned()
    };
    let refused = "Not started: fake. Reason: the project is not trusted";
    assert!(seen("yolo").contains("Active language servers: fake"));
    assert!(seen("write").contains(refused) && seen("always-ask").contains(refused));
    // The user's own description of a program in the project, by its name, by its path and behind a link.
    std::fs::remove_file(home.path("work/lsp.json")).unwrap();
    home.write("work/package.json", "{}");
    LanguageServer::install(&home.path("work/node_modules/.bin"), "local", &json!({}));
    std::os::unix::fs::symlink(home.path("work/node_modules/.bin/local"), home.path("bin/linked")).unwrap();
    for command in ["local", "node_modules/.bin/local", home.path("bin/linked").to_str().unwrap()] {
        let more = json!({"command": command});
        let table = json!({"fake": entry(&server, &more)});
        home.write("home/.omp/agent/lsp.json", table.to_string());
        assert!(seen("yolo").contains("Active language servers: fake"), "{command}");
        assert!(seen("write").contains(refused), "{command}");
    }
    home.write("home/.omp/agent/lsp.json", json!({"fake": entry(&server, &json!({}))}).to_string());
    // Its own server is no exception: it executes what the project configures.
    assert!(seen("write").contains(refused));
    assert!(server.starts().is_empty());
}

/// Every place sets the arguments of the server; the one that counts most wins.
///
/// proves: INT-083, INT-085
#[test]
fn configuration_comes_from_many_places() {
    let (home, server) = world();
    std::fs::remove_file(home.path("work/lsp.json")).unwrap();
    let plugins = json!({"plugins": {"p@m": [{"installPath": home.path("plugin")}]}});
    home.write("home/.claude/plugins/installed_plugins.json", plugins.to_string());
    for (number, place) in [
        "home/lsp.json",
        "plugin/.lsp.json",
        "home/.gemini/lsp.yaml",
        "home/.omp/agent/lsp.json",
        "work/.gemini/lsp.json",
        "work/.omp/lsp.yml",
        "work/.lsp.json",
    ]
    .into_iter()
    .enumerate()
    {
        let fields = match number {
            0 => entry(&server, &json!({"args": [place]})),
            _ => json!({"args": [place]}),
        };
        home.write(place, json!({"servers": {"fake": fields}}).to_string());
        let trusted = ["--trust-project"];
        let requests = requests(&home, "", &trusted, call("lsp", &json!({"action": "capabilities"})));
        assert!(results(&requests[1])[0].starts_with("fake:"), "{place}");
        assert_eq!(server.starts().len(), number + 1);
        assert_eq!(server.starts()[number], json!([place]));
    }
    server.finish();
}

/// proves: INT-034
#[test]
fn sessions_without_a_screen_start_nothing_in_advance() {
    for mode in [&[][..], &["--mode", "json"]] {
        let (home, server) = world();
        let model = Server::start([Reply::new().text("done")]);
        home.models_yml(&model, Wire::OpenAiCompletions, ModelOptions::new());
        home.write(CONFIG, "lsp:\n  lazy: false\n");
        omp_run_refusing(&home, &[&["-p", "go"], mode].concat());
        assert_eq!(model.requests().len(), 1);
        assert!(server.starts().is_empty(), "{mode:?}");
        model.finish();
    }
}
