//! The list of tasks, from call to call and from run to run.

use omp_testkit::{Home, ModelOptions, Reply, Server, Wire};
use serde_json::{Value, json};

use crate::sessions::{lines, session_files};
use crate::support::{home, omp_run};

const CONFIG: &str = "home/.omp/agent/config.yml";

fn todo(ops: &Value) -> Reply {
    Reply::new().tool_call("todo", json!({"_i": "x", "ops": ops}))
}

fn init() -> Value {
    json!([{"op": "init", "list": [{"phase": "Build", "items": ["one", "two"]}, {"phase": "Ship", "items": ["three"]}]}])
}

/// The details of the todo results in a session.
fn details(home: &Home) -> Vec<Value> {
    let saved = lines(&session_files(home)[0]);
    let result = |line: &&Value| line["message"]["toolName"] == "todo";
    saved.iter().filter(result).map(|line| line["message"]["details"].clone()).collect()
}

fn quiet(server: &Server) -> Home {
    let home = home(server, Wire::OpenAiCompletions);
    home.write(CONFIG, "todo:\n  reminders:\n    enabled: false\n");
    home
}

/// The list goes on in the next run without what is finished. The tool leaves nothing but its ordinary results.
// proves: TSN-016, TSN-021, TSN-028
#[test]
fn the_list_goes_on_in_a_resumed_session() {
    let server = Server::start([
        todo(&init()),
        todo(&json!([{"op": "done", "task": "one"}, {"op": "note", "task": "two", "text": "careful"}])),
        Reply::new().text("later"),
        todo(&json!([{"op": "done", "task": "missing"}])),
        todo(&json!([{"op": "append", "phase": "Ship", "items": ["four"]}])),
        Reply::new().text("done"),
    ]);
    let home = quiet(&server);
    omp_run(&home, &["-p", "go"]).assert_success();
    let first = details(&home);
    assert_eq!(first[1]["storage"], "session");
    assert_eq!(
        first[1]["phases"],
        json!([
            {"name": "Build", "tasks": [
                {"content": "one", "status": "completed"},
                {"content": "two", "status": "in_progress", "notes": ["careful"]},
            ]},
            {"name": "Ship", "tasks": [{"content": "three", "status": "pending"}]},
        ])
    );
    let kinds: Vec<Value> = lines(&session_files(&home)[0]).iter().map(|line| line["type"].clone()).collect();
    assert!(!kinds.contains(&json!("custom")) && !kinds.contains(&json!("custom_message")), "{kinds:?}");

    omp_run(&home, &["-c", "-p", "go on"]).assert_success();
    let last = details(&home).pop().unwrap();
    assert_eq!(
        last["phases"],
        json!([
            {"name": "Build", "tasks": [{"content": "two", "status": "in_progress", "notes": ["careful"]}]},
            {"name": "Ship", "tasks": [
                {"content": "three", "status": "pending"},
                {"content": "four", "status": "pending"},
            ]},
        ])
    );
    server.finish();

    // What the user changed last is what counts.
    let file = session_files(&home)[0].clone();
    let mut text = std::fs::read_to_string(&file).unwrap();
    let leaf = lines(&file).last().unwrap()["id"].clone();
    let edit = json!({
        "type": "custom", "id": "edit0001", "parentId": leaf, "timestamp": "2030-01-01T00:00:00.000Z",
        "customType": "user_todo_edit",
        "data": {"phases": [{"name": "Mine", "tasks": [
            {"content": "kept", "status": "pending"}, {"content": "dropped", "status": "abandoned"},
        ]}]},
    });
    text.push_str(&format!("{edit}\n"));
    std::fs::write(&file, text).unwrap();
    let server = Server::start([todo(&json!([{"op": "start", "task": "kept"}])), Reply::new().text("ok")]);
    home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
    omp_run(&home, &["-c", "-p", "again"]).assert_success();
    let last = details(&home).pop().unwrap();
    assert_eq!(
        last["phases"],
        json!([{"name": "Mine", "tasks": [{"content": "kept", "status": "in_progress"}]}])
    );
    server.finish();

    let server = Server::start([todo(&init()), Reply::new().text("ok")]);
    home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
    let output = omp_run(&home, &["-p", "--no-session", "--mode", "json", "x"]);
    output.assert_success();
    assert!(output.stdout.contains("\"storage\":\"memory\""), "{}", output.stdout);
    server.finish();
}

/// Open tasks bring the model back, as often as the settings say.
#[test]
fn open_tasks_bring_the_model_back() {
    for (config, requests) in
        [("", 3), ("todo:\n  reminders:\n    enabled: false\n", 2), ("todo:\n  reminders:\n    max: 0\n", 2)]
    {
        let mut replies = vec![todo(&init()), Reply::new().text("I stop here")];
        if requests == 3 {
            replies.push(Reply::new().text("really"));
        }
        let server = Server::start(replies);
        let home = home(&server, Wire::OpenAiCompletions);
        home.write(CONFIG, config);
        omp_run(&home, &["-p", "go"]).assert_success();
        let bodies = server.requests();
        assert_eq!(bodies.len(), requests, "{config}");
        if requests == 3 {
            let body = bodies[2].body.to_string();
            assert!(body.contains("still open") && body.contains("- three"), "{body}");
        }
        server.finish();
    }
}

/// A call that failed changed what the model believes, not what the user sees: the model is told so, once.
#[test]
fn a_failed_call_is_followed_by_a_reminder() {
    let server = Server::start([
        todo(&json!([{"op": "done", "task": "missing"}])),
        todo(&init()),
        Reply::new().text("done"),
    ]);
    let home = quiet(&server);
    omp_run(&home, &["-p", "go"]).assert_success();
    let reminders =
        |at: usize| server.requests()[at].body.to_string().matches("does not see your progress").count();
    assert_eq!((reminders(0), reminders(1), reminders(2)), (0, 1, 1));
    let saved = lines(&session_files(&home)[0]);
    let reminder = saved.iter().find(|line| line["customType"] == "todo-error-reminder").unwrap();
    assert_eq!(reminder["display"], false);
    server.finish();
}

fn offered(config: &str, args: &[&str]) -> (bool, Value) {
    let server = Server::start([Reply::new().text("ok")]);
    let home = home(&server, Wire::OpenAiCompletions);
    home.write(CONFIG, config);
    omp_run(&home, &[&["-p", "build the thing"], args].concat()).assert_success();
    let body = server.requests()[0].body.clone();
    let tools = body["tools"].as_array().cloned().unwrap_or_default();
    (tools.iter().any(|tool| tool["function"]["name"] == "todo"), body)
}

/// The settings take the tool away, or ask for a list at once.
#[test]
fn the_settings_decide_about_the_tool() {
    assert!(offered("", &[]).0);
    assert!(!offered("todo:\n  enabled: false\n", &[]).0);
    assert!(!offered("", &["--tools", "read"]).0);
    let (_, eager) = offered("todo:\n  eager: preferred\n", &[]);
    assert!(eager["messages"].to_string().contains("begin with a todo list"), "{eager}");
    let (_, silent) = offered("todo:\n  eager: preferred\n  enabled: false\n", &[]);
    assert!(!silent["messages"].to_string().contains("begin with a todo list"));
}
