//! `--plan-yolo` and `--prewalk`: who plans, who carries out, and when one model takes over from another.

use omp_testkit::{Home, ModelOptions, Reply, Server, Wire};
use serde_json::{Value, json};

use crate::sessions::{lines, session_files};
use crate::support::{home, omp_run};

fn call(name: &str, mut arguments: Value) -> Reply {
    arguments["_i"] = json!("x");
    Reply::new().tool_call(name, arguments)
}

/// A home with two models of one server: `test/scripted` and `other/cheap`.
fn two_models(server: &Server) -> Home {
    let home = home(server, Wire::OpenAiCompletions);
    let cheap = ModelOptions::new().id("cheap");
    let yaml = cheap.yaml(&server.base_url_for(Wire::OpenAiCompletions), Wire::OpenAiCompletions);
    let both = home.read("home/.omp/agent/models.yml") + &yaml.replace("providers:\n  test:", "  other:");
    home.write("home/.omp/agent/models.yml", both);
    home
}

fn asked(server: &Server) -> Vec<String> {
    let model = |request: &omp_testkit::RecordedRequest| {
        request.body["model"].as_str().unwrap_or_default().to_owned()
    };
    server.requests().iter().map(model).collect()
}

fn planned() -> [Reply; 5] {
    [
        call("write", json!({"path": "x.txt", "content": "too early"})),
        call("write", json!({"path": "local://door-plan.md", "content": "# Open the door\n"})),
        call("resolve", json!({"action": "apply", "reason": "ready", "extra": {"title": "door"}})),
        call("write", json!({"path": "x.txt", "content": "open"})),
        Reply::new().text("the door is open"),
    ]
}

/// Nothing is written while the plan is made; then another model carries it out, and nobody was asked.
/// proves: CLI-274
#[test]
fn a_plan_is_approved_by_itself_and_carried_out_by_another_model() {
    let server = Server::start(planned());
    let home = two_models(&server);
    let output = omp_run(
        &home,
        &["--model", "scripted", "--plan-yolo", "--plan-yolo-into", "other/cheap", "-p", "go"],
    );
    assert_eq!(output.assert_success().stdout, "the door is open\n");
    assert_eq!(asked(&server), ["scripted", "scripted", "scripted", "cheap", "cheap"]);
    let requests = server.requests();
    assert!(requests[1].body.to_string().contains("the working tree is read-only"), "{}", requests[1].body);
    assert!(requests[3].body.to_string().contains("The user has approved this plan"), "{}", requests[3].body);
    assert_eq!(home.read("work/x.txt"), "open");
    server.finish();
}

/// Without a model for it the session's own carries it out. A model that does not exist is refused before anything is asked.
#[test]
fn the_same_model_may_carry_it_out() {
    let server = Server::start(planned());
    let home = two_models(&server);
    omp_run(&home, &["--model", "scripted", "--plan-yolo", "-p", "go"]).assert_success();
    assert!(asked(&server).iter().all(|model| model == "scripted"));
    for flag in ["--plan-yolo-into", "--prewalk-into"] {
        let output = omp_run(&home, &["--model", "scripted", flag, "nonsense", "-p", "go"]);
        assert_eq!((output.code, output.stdout.as_str()), (Some(1), ""));
        assert!(output.stderr.contains("nonsense"), "{}", output.stderr);
    }
    server.finish();
}

/// With the first change of a file the cheap model takes over, in the middle of the run, and stays.
/// proves: CLI-274
#[test]
fn a_cheaper_model_takes_over_with_the_first_edit() {
    for flags in [&["--prewalk", "--smol", "other/cheap"][..], &["--prewalk-into", "other/cheap"]] {
        let server = Server::start([
            call("read", json!({"path": "a.txt"})),
            call("write", json!({"path": "missing/\u{0}bad", "content": "no"})),
            call("write", json!({"path": "a.txt", "content": "two\n"})),
            call("read", json!({"path": "a.txt"})),
            Reply::new().text("done"),
            Reply::new().text("again"),
        ]);
        let home = two_models(&server);
        home.write("work/a.txt", "one\n");
        let output = omp_run(&home, &[&["--model", "scripted"], flags, &["-p", "go", "once more"]].concat());
        assert_eq!(output.assert_success().stdout, "again\n");
        assert_eq!(asked(&server), ["scripted", "scripted", "scripted", "cheap", "cheap", "cheap"]);
        assert!(output.stderr.contains("continuing with other/cheap"), "{}", output.stderr);
        let saved = lines(&session_files(&home)[0]);
        let changed = saved.iter().rfind(|line| line["type"] == "model_change").expect("the change is saved");
        assert_eq!(changed["model"], "other/cheap");
        server.finish();
    }
}
