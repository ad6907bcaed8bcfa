//! Checkpoints on every wire, and what the modes of a session mean where nobody can be asked.

use omp_testkit::{Reply, Server, Wire};
use serde_json::{Value, json};

use crate::sessions::leave_planning;
use crate::support::{home, omp_run};

const CONFIG: &str = "home/.omp/agent/config.yml";

fn call(name: &str, mut arguments: Value) -> Reply {
    arguments["_i"] = json!("x");
    Reply::new().tool_call(name, arguments)
}

/// A conversation that was cut back is valid for every provider, and so is what follows.
#[test]
fn a_rewind_is_valid_on_every_wire() {
    for wire in Wire::ALL {
        let server = Server::start([
            call("checkpoint", json!({"goal": "look"})),
            call("read", json!({"path": "notes.txt"})),
            Reply::new().text("I forgot something"),
            call("rewind", json!({"report": "it is line 7"})),
            call("read", json!({"path": "notes.txt"})),
            Reply::new().text("done"),
        ]);
        let home = home(&server, wire);
        home.write(CONFIG, "checkpoint:\n  enabled: true\n");
        home.write("work/notes.txt", "the words of the file\n");
        omp_run(&home, &["-p", "go"]).assert_success();
        let after = server.requests()[4].body.to_string();
        assert!(
            after.contains("it is line 7") && !after.contains("the words of the file"),
            "{wire:?}: {after}"
        );
        assert!(server.requests()[5].body.to_string().contains("the words of the file"), "{wire:?}");
        server.finish();
    }
}

/// The names of the tools in a request.
fn tools(body: &Value) -> Vec<&str> {
    let all = body["tools"].as_array().unwrap();
    all.iter().filter_map(|tool| tool["function"]["name"].as_str()).collect()
}

/// Nobody answers in print mode: the model cannot ask, and no plan is begun that nobody could approve.
/// proves: LOP-094, LOP-071
#[test]
fn print_mode_has_nobody_to_ask() {
    let server = Server::start([Reply::new().text("ok"), Reply::new().text("ok")]);
    let home = home(&server, Wire::OpenAiCompletions);
    home.write(CONFIG, "plan:\n  defaultOnStartup: true\n");
    omp_run(&home, &["-p", "go"]).assert_success();
    let body = &server.requests()[0].body;
    assert!(!tools(body).contains(&"ask"), "{:?}", tools(body));
    assert!(!body["messages"].to_string().contains("plan-mode"), "{}", body["messages"]);
    let output = omp_run(&home, &["-p", "--tools", "ask,read", "go"]);
    assert!(output.stderr.contains("ask needs an interactive session"), "{}", output.stderr);
    server.finish();
}

/// A session that was left planning goes on so: nothing is changed, and the plan waits for a person.
#[test]
fn a_session_that_plans_stays_closed_in_print_mode() {
    let server = Server::start([
        Reply::new().text("hello"),
        call("write", json!({"path": "x.txt", "content": "x"}))
            .tool_call("bash", json!({"_i": "x", "command": "touch y.txt"}))
            .tool_call("bash", json!({"_i": "x", "command": "echo only reading"}))
            .tool_call("write", json!({"_i": "x", "path": "local://a-plan.md", "content": "# A\n"}))
            .tool_call("resolve", json!({"_i": "x", "action": "apply", "reason": "ready"})),
        Reply::new().text("it is in local://a-plan.md"),
    ]);
    let home = home(&server, Wire::OpenAiCompletions);
    omp_run(&home, &["-p", "hi"]).assert_success();
    leave_planning(&home);
    omp_run(&home, &["-p", "--continue", "go"]).assert_success();
    let body = &server.requests()[2].body;
    let results = body["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "tool");
    let results: Vec<&str> = results.map(|message| message["content"].as_str().unwrap()).collect();
    assert!(results[0].contains("Plan mode: the working tree is read-only."), "{}", results[0]);
    assert!(results[1].contains("Read-only file system"), "the kernel refuses: {}", results[1]);
    assert!(results[2].contains("only reading"), "{}", results[2]);
    assert!(results[3].contains("Successfully wrote"), "{}", results[3]);
    assert!(results[4].contains("need a person's approval"), "{}", results[4]);
    assert!(!home.exists("work/x.txt") && !home.exists("work/y.txt"));
    server.finish();
}
