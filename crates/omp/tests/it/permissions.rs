//! `omp permissions`, scopes of rules, and words about approval that cannot be understood.

use std::os::unix::fs::PermissionsExt;

use omp_testkit::{Home, ModelOptions, Reply, Server, Wire};
use serde_json::{Value, json};

use crate::support::omp_run;

const CONFIG: &str = "home/.omp/agent/config.yml";
const STORE: &str = "home/.omp/agent/permissions.json";

fn world(config: &str) -> Home {
    let home = Home::new();
    home.write(CONFIG, config);
    home
}

fn allow_in_project(home: &Home, root: &std::path::Path, rules: &[&str]) {
    let root = root.canonicalize().unwrap();
    home.write(STORE, json!({"projects": {root.display().to_string(): rules}}).to_string());
}

/// Lists with scopes, explains effects, tests, removes.
// proves: SEC-019
#[test]
fn rules_are_listed_explained_tested_and_removed() {
    let home = world("tools:\n  approvalRules:\n    - git status *\n");
    allow_in_project(&home, &home.work_dir(), &["make test"]);
    let listed = omp_run(&home, &["permissions"]);
    listed.assert_success();
    assert!(listed.stdout.contains("make test     this project"), "{}", listed.stdout);
    assert!(listed.stdout.contains("git status *  everywhere"), "{}", listed.stdout);

    let explained = omp_run(&home, &["permissions", "explain", "git diff --output=F; touch $X"]);
    explained.assert_success();
    for part in ["writes F", "unknown: touch", "no rule allows it"] {
        assert!(explained.stdout.contains(part), "{part}: {}", explained.stdout);
    }
    for printed in [&listed, &explained] {
        assert!(printed.stdout.lines().count() > 1 && !printed.stdout.contains('␊'), "{}", printed.stdout);
    }
    let tested = |command: &str| omp_run(&home, &["permissions", "test", command]);
    let allowed = tested("git status -s && make test");
    assert_eq!(allowed.code, Some(0), "{}", allowed.stdout);
    assert!(
        allowed.stdout.contains("git status * (everywhere), make test (this project)"),
        "{}",
        allowed.stdout
    );
    assert_eq!(tested("git push").code, Some(1));
    let critical = tested("rm -rf \"$DIR\"");
    assert_eq!(critical.code, Some(1));
    assert!(critical.stdout.contains("asks in every mode but yolo"), "{}", critical.stdout);

    omp_run(&home, &["permissions", "remove", "make test"]).assert_success();
    omp_run(&home, &["permissions", "remove", "git status *"]).assert_success();
    assert_eq!(omp_run(&home, &["permissions"]).stdout, "No rules\n");
    assert_ne!(omp_run(&home, &["permissions", "remove", "git status *"]).code, Some(0));
    assert_ne!(omp_run(&home, &["permissions", "explain"]).code, Some(0));
    let json: Value =
        serde_json::from_str(&omp_run(&home, &["permissions", "list", "--json"]).stdout).unwrap();
    assert_eq!(json["rules"], json!([]));
}

/// A rule of one project says nothing about another, and a project cannot bring rules.
// proves: SEC-018
#[test]
fn rules_of_a_project_stay_there() {
    let run = |home: &Home| {
        let call = Reply::new().tool_call("bash", json!({"_i": "x", "command": "touch made"}));
        let server = Server::start([call, Reply::new().text("done")]);
        home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
        omp_run(home, &["-p", "--approval-mode", "always-ask", "go"]);
        server.finish();
        home.exists("work/made")
    };
    let home = world("");
    allow_in_project(&home, &home.work_dir(), &["touch made"]);
    assert!(run(&home), "allowed here");
    let home = world("");
    std::fs::create_dir_all(home.path("other")).unwrap();
    allow_in_project(&home, &home.path("other"), &["touch made"]);
    home.write("work/.omp/permissions.json", json!({"projects": {"/": ["touch made"]}}).to_string());
    assert!(!run(&home), "allowed elsewhere, and by the project itself");
}

/// The rule about edits lets edits through, and neither a command nor an edit that leaves the workspace.
// proves: SEC-018
#[test]
fn a_rule_about_edits_is_about_edits() {
    let calls = Reply::new()
        .tool_call("write", json!({"_i": "x", "path": "made", "content": "w"}))
        .tool_call("write", json!({"_i": "x", "path": "../home/outside", "content": "w"}))
        .tool_call("bash", json!({"_i": "x", "command": "touch run"}));
    let happened = |rules: &str| {
        let home = world(rules);
        let server = Server::start([calls.clone(), Reply::new().text("done")]);
        home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
        omp_run(&home, &["-p", "--approval-mode", "always-ask", "go"]);
        server.finish();
        ["work/made", "home/outside", "work/run"].map(|path| home.exists(path))
    };
    assert_eq!(happened("tools:\n  approvalRules:\n    - edit(*)\n"), [true, false, false]);
    assert_eq!(happened(""), [false, false, false]);
}

/// A typo, a broken file or one that cannot be read: the strictest mode, and one warning that says so.
// proves: SEC-020
#[test]
fn what_cannot_be_understood_is_strict() {
    let check = |home: &Home, what: &str| {
        let calls = Reply::new()
            .tool_call("write", json!({"_i": "x", "path": "written", "content": "w"}))
            .tool_call("bash", json!({"_i": "x", "command": "touch made"}));
        let server = Server::start([calls, Reply::new().text("done")]);
        home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
        let output = omp_run(home, &["-p", "go"]);
        assert!(!home.exists("work/written") && !home.exists("work/made"), "{what}");
        let warnings = output.stderr.matches("everything except reading needs approval").count();
        assert_eq!(warnings, 1, "{what}: {}", output.stderr);
        server.finish();
    };
    for config in [
        "tools:\n  approvalMode: yoloo\n",
        "tools:\n  approvalMode: 7\n",
        "tools.approvalMode: yolo\n",
        "tools: yolo\n",
        "tools:\n  approvalMode: yolo\n  approval:\n    bash: dney\n",
        "tools:\n  approvalMode: yolo\n  approval: [bash]\n",
        "tools:\n  approvalMode: yolo\n bad: [\n",
        "[1, 2]\n",
    ] {
        check(&world(config), config);
    }
    let home = world("tools:\n  approvalMode: yolo\n");
    let file = home.path(CONFIG);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o000)).unwrap();
    // Whoever may read everything cannot be kept from it.
    if std::fs::read(&file).is_err() {
        check(&home, "unreadable");
    }
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    check(&home, "a directory");
    let home = world("");
    home.write("work/.omp/config.yml", "tools: [\n");
    check(&home, "a broken file of the project");
}
