//! What models report about tools, and `omp grievances`.

use omp_testkit::{Home, Reply, Server, Wire};
use serde_json::{Value, json};

use crate::support::{home, omp_run};

const CONFIG: &str = "home/.omp/agent/config.yml";

fn report(tool: &str, text: &str) -> Reply {
    Reply::new().tool_call("report_tool_issue", json!({"_i": "x", "tool": tool, "report": text}))
}

fn offered(server: &Server) -> bool {
    let body = server.requests()[0].body.clone();
    body["tools"].as_array().unwrap().iter().any(|tool| tool["function"]["name"] == "report_tool_issue")
}

fn listed(home: &Home, more: &[&str]) -> Vec<Value> {
    let words = [&["grievances", "list", "-j"], more].concat();
    serde_json::from_str(&printed(home, &words)).unwrap()
}

fn printed(home: &Home, words: &[&str]) -> String {
    let output = omp_run(home, words);
    output.assert_success();
    output.stdout
}

/// A report is a line of a list on this machine, which is shown with the newest first, chosen from, and deleted.
#[test]
fn reports_are_listed_and_deleted() {
    let server = Server::start([
        report("lsp", "rename changed a comment\u{1b}[2J"),
        report("edit", "the second report"),
        Reply::new().text("done"),
    ]);
    let home = home(&server, Wire::OpenAiCompletions);
    home.write(CONFIG, "dev:\n  autoqa: true\n");
    assert_eq!(printed(&home, &["grievances"]), "No reports\n");
    omp_run(&home, &["-p", "go"]).assert_success();
    assert!(offered(&server));

    let shown = printed(&home, &["grievances"]);
    assert!(
        shown.starts_with("2  ") && shown.contains("edit") && shown.contains("rename changed"),
        "{shown}"
    );
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
    assert_eq!(listed(&home, &["-n", "1"])[0]["id"], 2);
    assert_eq!(listed(&home, &["--tool", "lsp"])[0]["id"], 1);
    assert_eq!(listed(&home, &["--id", "1"]).len(), 1);

    let unclear = omp_run(&home, &["grievances", "clean"]);
    assert_eq!(unclear.code, Some(1));
    assert!(unclear.stderr.contains("needs --id, --tool or --all"), "{}", unclear.stderr);
    assert_eq!(printed(&home, &["grievances", "clean", "--tool", "lsp"]), "Deleted 1 report\n");
    assert_eq!(listed(&home, &["--all"])[0]["id"], 2);
    omp_run(&home, &["grievances", "clean", "--all"]).assert_success();
    assert_eq!(listed(&home, &[]).len(), 0);
    server.finish();
}

/// Nobody is asked to report anything unless the user says so.
#[test]
fn the_tool_is_off_by_default() {
    let server = Server::start([Reply::new().text("done")]);
    let home = home(&server, Wire::OpenAiCompletions);
    omp_run(&home, &["-p", "go"]).assert_success();
    assert!(!offered(&server));
    server.finish();
}
