//! Structural edits over the wire: a preview, and the decision about it.

use omp_testkit::{Home, ModelOptions, Reply, Server, Wire, run};
use serde_json::{Value, json};

use crate::support::{LIMIT, omp, omp_run};

fn preview() -> Reply {
    let arguments = json!({ "_i": "rename", "ops": [{ "pat": "f($A)", "out": "g($A)" }], "paths": ["a.js"] });
    Reply::new().tool_call("ast_edit", arguments)
}

fn resolve(action: &str) -> Reply {
    Reply::new().tool_call("resolve", json!({ "_i": "decide", "action": action, "reason": "as wanted" }))
}

fn home(server: &Server) -> Home {
    let home = Home::new();
    home.models_yml(server, Wire::OpenAiCompletions, ModelOptions::new());
    home.write("work/a.js", "f(1);\n");
    home
}

fn tools(body: &Value) -> Vec<&str> {
    let tools = body["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap()).collect()
}

fn forced(body: &Value) -> bool {
    body["tool_choice"]["function"]["name"] == "resolve"
}

fn reminders(body: &Value) -> usize {
    let messages = body["messages"].as_array().unwrap();
    messages.iter().filter(|message| message.to_string().contains("Call the `resolve` tool now")).count()
}

/// proves: TSN-044, TSN-045, LOP-119
#[test]
fn a_preview_demands_a_decision() {
    let server = Server::start([
        preview(),
        Reply::new().text("I would rather talk."),
        resolve("apply"),
        Reply::new().text("done"),
    ]);
    let home = home(&server);
    omp_run(&home, &["-p", "rename f"]).assert_success();
    let requests = server.requests();
    let bodies: Vec<&Value> = requests.iter().map(|request| &request.body).collect();
    let choices: Vec<bool> = bodies.iter().map(|body| forced(body)).collect();
    assert_eq!(choices, [false, true, true, false], "until the decision was made");
    assert_eq!(bodies.iter().map(|body| reminders(body)).collect::<Vec<_>>(), [0, 1, 2, 2]);
    assert!(bodies[3].to_string().contains("Applied 1 replacement in 1 file."));
    assert!(bodies[3].to_string().contains("[a.js#"), "a fresh tag");
    assert_eq!(home.read("work/a.js"), "g(1);\n");
    let files = home.list_files();
    let session = files.iter().find(|name| name.ends_with(".jsonl")).unwrap();
    assert!(home.read(session).contains("\"resolve-reminder\""), "{}", home.read(session));
    server.finish();
}

/// proves: TSN-040
#[test]
fn the_decision_is_not_for_choice() {
    let server = Server::start([(); 4].map(|()| Reply::new().text("ok")));
    let home = home(&server);
    omp_run(&home, &["-p", "hello"]).assert_success();
    omp_run(&home, &["-p", "--tools", "read,ast_edit", "hello"]).assert_success();
    omp_run(&home, &["-p", "--tools", "read,search", "hello"]).assert_success();
    let requests = server.requests();
    assert!(tools(&requests[0].body).contains(&"resolve"));
    assert_eq!(tools(&requests[1].body), ["read", "ast_edit", "resolve"]);
    assert_eq!(tools(&requests[2].body), ["read", "search"]);
    let schema = requests[1].body["tools"][2]["function"]["parameters"].clone();
    assert_eq!(schema["properties"]["action"]["enum"], json!(["apply", "discard"]));
    let refused = omp_run(&home, &["-p", "--tools", "resolve,read", "hello"]);
    assert!(refused.stderr.contains("unknown tool \"resolve\""), "{}", refused.stderr);
    assert_eq!(tools(&server.requests()[3].body), ["read"]);
    let known = refused.stderr.split("known tools: ").nth(1).unwrap();
    assert!(known.contains("ast_edit") && !known.contains("resolve"), "{known}");
    let completed = omp_run(&home, &["__complete", "tools", "--", ""]).stdout;
    assert!(completed.contains("ast_edit") && !completed.contains("resolve"), "{completed}");
    server.finish();
}

/// Switches take the tools away, and the environment says how many files one edit may change.
/// proves: LOP-124
#[test]
fn switches_of_structural_tools() {
    let server =
        Server::start([Reply::new().text("ok"), preview_all(), resolve("discard"), Reply::new().text("ok")]);
    let home = home(&server);
    home.write("work/b.js", "f(2);\n");
    home.write("home/.omp/agent/config.yml", "astGrep:\n  enabled: false\nastEdit:\n  enabled: false\n");
    omp_run(&home, &["-p", "hello"]).assert_success();
    let first = server.requests()[0].body.clone();
    for gone in ["ast_grep", "ast_edit", "resolve"] {
        assert!(!tools(&first).contains(&gone), "{gone}");
    }
    home.write("home/.omp/agent/config.yml", "{}\n");
    let mut limited = omp(&home, &["-p", "hello"]);
    limited.env("PI_MAX_AST_FILES", "1");
    run(limited, Some(b""), LIMIT).assert_success();
    assert!(server.requests()[2].body.to_string().contains("Limit reached; narrow paths."));
    server.finish();
}

fn preview_all() -> Reply {
    let arguments = json!({ "_i": "rename", "ops": [{ "pat": "f($A)", "out": "g($A)" }], "paths": ["*.js"] });
    Reply::new().tool_call("ast_edit", arguments)
}
