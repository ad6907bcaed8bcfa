//! Which calls run, which are refused, and what the model is told.

use std::os::unix::fs::PermissionsExt;

use omp_testkit::{Home, ModelOptions, Reply, Server, Wire};
use serde_json::json;

use crate::support::omp_run;

const CONFIG: &str = "home/.omp/agent/config.yml";

/// One answer that reads, writes and runs.
fn calls() -> Reply {
    Reply::new()
        .tool_call("read", json!({"_i": "x", "path": "a.txt"}))
        .tool_call("write", json!({"_i": "x", "path": "written.txt", "content": "w"}))
        .tool_call("bash", json!({"_i": "x", "command": "echo ran > ran.txt"}))
}

fn bash(command: &str) -> Reply {
    Reply::new().tool_call("bash", json!({"_i": "x", "command": command}))
}

/// What a model that makes these calls reads about them.
fn results(home: &Home, config: &str, args: &[&str], reply: Reply) -> Vec<String> {
    let server = Server::start([reply, Reply::new().text("done")]);
    home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
    home.write(CONFIG, config);
    let output = omp_run(home, &[&["-p", "go"], args].concat());
    // Calls that nobody could be asked about have an exit code of their own.
    assert!(matches!(output.code, Some(0 | 3)), "{output:?}");
    assert_eq!(home.read(CONFIG), config, "what flags say is never saved");
    let results = server.requests()[1].tool_results();
    server.finish();
    results
}

fn world() -> Home {
    let home = Home::new();
    home.write("work/a.txt", "hello");
    home
}

/// Which of reading, writing and running happened; the others failed with a sentence that says why.
fn happened(config: &str, args: &[&str]) -> [bool; 3] {
    let home = world();
    let results = results(&home, config, args, calls());
    let happened =
        [results[0].contains("hello"), home.exists("work/written.txt"), home.exists("work/ran.txt")];
    for (result, happened) in results.iter().zip(happened) {
        assert_eq!(
            result.contains("needs the user's approval") || result.contains("is blocked"),
            !happened,
            "{result}"
        );
    }
    happened
}

/// Three modes, three tiers; nobody can be asked here, so what would be asked about does not run.
// proves: TSN-054, TSN-067, CFG-057
#[test]
fn modes_let_tiers_through() {
    let mode =
        |mode: &str| happened(&format!("tools:\n  approvalMode: {mode}\nsandbox:\n  mode: off\n"), &[]);
    assert_eq!(mode("auto"), [true, true, false], "without a sandbox it is the mode write");
    assert_eq!(mode("yolo"), [true, true, true]);
    assert_eq!(mode("write"), [true, true, false]);
    assert_eq!(mode("always-ask"), [true, false, false]);
    assert_eq!(happened("tools:\n  approval:\n    bash: prompt\n", &[]), [true, true, false]);
    assert_eq!(
        happened("tools:\n  approval:\n    bash: deny\n    read: prompt\n", &[]),
        [false, true, false]
    );
}

/// Flags stand above the settings, for one run.
// proves: TSN-055
#[test]
fn flags_set_the_mode() {
    let ask = "tools:\n  approvalMode: always-ask\n";
    assert_eq!(happened(ask, &["--yolo"]), [true, true, true]);
    assert_eq!(happened(ask, &["--auto-approve"]), [true, true, true]);
    assert_eq!(happened(ask, &["--auto-approve", "--approval-mode", "write"]), [true, true, true]);
    assert_eq!(happened(ask, &["--approval-mode", "yolo"]), [true, true, true]);
    let unconfined = format!("{ask}sandbox:\n  mode: off\n");
    assert_eq!(happened(&unconfined, &["--approval-mode", "write"]), [true, true, false]);
    assert_eq!(
        happened("tools:\n  approvalMode: yolo\n", &["--approval-mode", "always-ask"]),
        [true, false, false]
    );
}

/// The user's word on a tool counts in every mode.
// proves: TSN-056
#[test]
fn policies_stand_above_the_mode() {
    let with = |mode: &str, policy: &str| {
        happened(&format!("tools:\n  approvalMode: {mode}\n  approval:\n    bash: {policy}\n"), &[])[2]
    };
    for mode in ["always-ask", "write", "yolo"] {
        assert!(with(mode, "allow"), "{mode}");
        assert!(!with(mode, "prompt"), "{mode}");
        assert!(!with(mode, "deny"), "{mode}");
    }
}

/// A word that is no policy means that everything is asked about; case and space do not matter.
// proves: TSN-057
#[test]
fn other_words_are_no_policy() {
    let with = |mode: &str, policy: &str| {
        happened(&format!("tools:\n  approvalMode: {mode}\n  approval:\n    bash: {policy}\n"), &[])[2]
    };
    assert!(!with("yolo", "maybe") && !with("yolo", "12"));
    assert!(!with("write", "maybe"));
    assert!(with("write", "\" Allow \""));
    assert!(!with("yolo", "DENY"));
}

/// A forbidden tool does not run, and the model learns which setting says so.
// proves: TSN-058
#[test]
fn forbidden_tools_do_not_run() {
    let home = world();
    let results = results(&home, "tools:\n  approval:\n    write: deny\n", &[], calls());
    assert!(results[1].contains("Tool \"write\" is blocked by user policy."), "{}", results[1]);
    assert!(results[1].contains("tools.approval.write"), "{}", results[1]);
    assert!(!home.exists("work/written.txt") && home.exists("work/ran.txt"));
}

/// A program that is called like the dangerous one, and only leaves a trace.
fn with_reboot() -> Home {
    let home = world();
    let script = home.write("work/reboot", "#!/bin/sh\ntouch rebooted\n");
    std::fs::set_permissions(script, std::fs::Permissions::from_mode(0o755)).unwrap();
    home
}

/// What nothing can undo is asked about although the tool is allowed; only a ban stands above that.
// proves: TSN-060
#[test]
fn dangerous_commands_are_asked_about_although_allowed() {
    for mode in ["write", "always-ask"] {
        let config =
            format!("tools:\n  approvalMode: {mode}\n  approval:\n    bash: allow\nsandbox:\n  mode: off\n");
        let home = with_reboot();
        let said = results(&home, &config, &[], bash("cd . && ./reboot"));
        assert!(
            said[0].contains("needs the user's approval") && said[0].contains("Reason: Shuts"),
            "{}",
            said[0]
        );
        assert!(!home.exists("work/rebooted"));
        results(&home, &config, &[], bash("echo reboot > harmless"));
        assert!(home.exists("work/harmless"), "{mode}");
        let deny = config.replace("allow", "deny");
        assert!(results(&home, &deny, &[], bash("./reboot"))[0].contains("is blocked by user policy"));
    }
}

/// The mode that never asks does not ask about them either, unless the user wants to be asked.
// proves: TSN-061
#[test]
fn dangerous_commands_run_where_nothing_is_asked() {
    let home = with_reboot();
    results(&home, "tools:\n  approvalMode: yolo\n", &[], bash("./reboot"));
    assert!(home.exists("work/rebooted"));
    let home = with_reboot();
    let said = results(&home, "tools:\n  approval:\n    bash: prompt\n", &[], bash("./reboot"));
    assert!(said[0].contains("needs the user's approval"), "{}", said[0]);
    assert!(!home.exists("work/rebooted"));
}

/// Rules speak for commands, and for nothing that stands beside them.
#[test]
fn rules_need_no_question() {
    let config = "tools:\n  approvalMode: write\n  approvalRules:\n    - touch one *\n    - pwd\nsandbox:\n  mode: off\n";
    let home = with_reboot();
    results(&home, config, &[], bash("touch one two && pwd"));
    assert!(home.exists("work/one") && home.exists("work/two"));
    for command in ["touch three", "touch one && touch three", "touch one > three", "pwd; ./reboot"] {
        let said = results(&home, config, &[], bash(command));
        assert!(said[0].contains("needs the user's approval"), "{command}: {}", said[0]);
    }
    let with_env = json!({"_i": "x", "command": "touch one", "env": {"PATH": "."}});
    let said = results(&home, config, &[], Reply::new().tool_call("bash", with_env));
    assert!(said[0].contains("The variable PATH decides which programs run"), "{}", said[0]);
    assert!(!home.exists("work/three") && !home.exists("work/rebooted"));
    let said =
        results(&home, "tools:\n  approvalMode: write\n  approvalRules: [./reboot]\n", &[], bash("./reboot"));
    assert!(said[0].contains("Reason"), "no rule speaks for what nothing can undo: {}", said[0]);
}
