//! Command hooks: programs of the user that are asked before something happens and told afterwards.

use std::os::unix::fs::PermissionsExt;

use omp_testkit::{Home, ModelOptions, Output, Reply, Scenario, Server, Wire};
use serde_json::{Value, json};

use crate::support::{last_user, omp_run};

const SETTINGS: &str = "home/.claude/settings.json";
const PROJECT: &str = "work/.claude/settings.json";

/// A home with a model that gives these answers.
fn scripted(replies: impl Into<Scenario>) -> (Home, Server) {
    let home = Home::new();
    let server = Server::start(replies);
    home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
    (home, server)
}

/// One hook for an event, in a file of Claude Code.
fn hook(home: &Home, file: &str, event: &str, matcher: &str, command: &str) {
    let group = json!({"matcher": matcher, "hooks": [{"type": "command", "command": command}]});
    home.write(file, json!({"hooks": {event: [group]}}).to_string());
}

/// An executable file.
fn program(home: &Home, file: &str, text: &str) {
    let path = home.write(file, text);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn bash(command: &str) -> Reply {
    Reply::new().tool_call("bash", json!({"_i": "x", "command": command}))
}

fn done() -> Reply {
    Reply::new().text("done")
}

/// Runs a prompt without questions.
fn go(home: &Home) -> Output {
    omp_run(home, &["-p", "go", "--yolo"])
}

/// What the model reads about its calls.
fn results(server: &Server) -> Vec<String> {
    let requests = server.requests();
    let messages = requests.last().expect("a request").body["messages"].as_array().cloned().unwrap();
    let text = |message: &Value| message["content"].as_str().unwrap_or_default().to_owned();
    messages.iter().filter(|message| message["role"] == "tool").map(text).collect()
}

/// What a hook was told.
fn told(home: &Home, file: &str) -> Value {
    serde_json::from_str(&home.read(file)).expect("one object of JSON")
}

/// A guard for commands keeps one from running by exit code 2, and the model reads its words.
#[test]
fn exit_2_blocks_a_call() {
    let (home, server) = scripted([bash("touch ran.txt"), done()]);
    hook(&home, SETTINGS, "PreToolUse", "Bash", "cat > seen.json; echo 'not on a Friday' >&2; exit 2");
    assert_eq!(go(&home).code, Some(0));
    assert!(!home.exists("work/ran.txt"));
    assert_eq!(results(&server), ["Error: not on a Friday"]);
    let seen = told(&home, "work/seen.json");
    assert_eq!(seen["hook_event_name"], "PreToolUse");
    assert_eq!(seen["tool_name"], "Bash");
    assert_eq!(seen["tool_input"]["command"], "touch ran.txt");
    assert_eq!(seen["permission_mode"], "bypassPermissions");
    assert_eq!(seen["cwd"], home.work_dir().to_str().unwrap());
    assert!(seen["session_id"].as_str().is_some_and(|id| !id.is_empty()), "{seen}");
    server.finish();
}

/// Matchers see the names of both programs, and files that a call touches as Claude Code names them.
#[test]
fn matchers_know_both_vocabularies() {
    for (matcher, blocks) in
        [("write", true), ("Write", true), ("Edit|Write", true), ("Wri.*", true), ("Read", false)]
    {
        let write = json!({"_i": "x", "path": "new.txt", "content": "w"});
        let (home, server) = scripted([Reply::new().tool_call("write", write), done()]);
        hook(&home, SETTINGS, "PreToolUse", matcher, "cat > seen.json; exit 2");
        go(&home);
        assert_eq!(home.exists("work/new.txt"), !blocks, "{matcher}");
        if blocks {
            let file = home.work_dir().join("new.txt");
            assert_eq!(told(&home, "work/seen.json")["tool_input"]["file_path"], file.to_str().unwrap());
        }
        server.finish();
    }
}

/// A hook for one file of an edit is asked about each file that the edit touches.
#[test]
fn every_file_of_an_edit_is_asked_about() {
    let text = "one\ntwo\n";
    let tag = omp_edits::hashline::Tag::of(text);
    let edit = json!({"_i": "x", "input": format!("[a.txt#{tag}]\nDEL 1\n[.env#{tag}]\nDEL 1\n")});
    let (home, server) = scripted([Reply::new().tool_call("edit", edit), done()]);
    home.write("work/a.txt", text);
    home.write("work/.env", text);
    let guard = r#"grep -q '"file_path":"[^"]*\.env"' && { echo 'keep out of .env' >&2; exit 2; }; exit 0"#;
    hook(&home, SETTINGS, "PreToolUse", "Edit", guard);
    go(&home);
    assert_eq!(results(&server), ["Error: keep out of .env"]);
    assert_eq!(home.read("work/a.txt"), "one\ntwo\n");
    server.finish();
}

/// What a hook prints decides: it can refuse, allow, change the call, and add words for the model.
#[test]
fn decisions_on_standard_output_are_obeyed() {
    let decide = |decision: Value, args: &[&str]| {
        let (home, server) = scripted([bash("touch ran.txt"), done()]);
        let printed = json!({"hookSpecificOutput": decision}).to_string();
        hook(&home, SETTINGS, "PreToolUse", "Bash", &format!("echo '{printed}'"));
        let output = omp_run(&home, &[&["-p", "go"], args].concat());
        let results = results(&server);
        server.finish();
        (home, results, output)
    };
    let deny = json!({"permissionDecision": "deny", "permissionDecisionReason": "never"});
    let (home, told, _) = decide(deny, &["--yolo"]);
    assert!(!home.exists("work/ran.txt") && told == ["Error: never"], "{told:?}");

    let asking = ["--approval-mode", "always-ask"];
    let (home, told, _) = decide(json!({"permissionDecision": "allow"}), &asking);
    assert!(home.exists("work/ran.txt"), "{told:?}");

    let ask = json!({"permissionDecision": "ask", "permissionDecisionReason": "look twice"});
    let (home, told, output) = decide(ask, &["--yolo"]);
    assert!(!home.exists("work/ran.txt") && told[0].contains("needs the user's approval"), "{told:?}");
    assert_eq!(output.code, Some(3), "nobody could be asked");
    assert!(output.stderr.contains("look twice"), "{}", output.stderr);

    let change =
        json!({"updatedInput": {"command": "touch other.txt"}, "additionalContext": "tread lightly"});
    let (home, told, _) = decide(change, &["--yolo"]);
    assert!(home.exists("work/other.txt") && !home.exists("work/ran.txt"));
    assert!(told[0].contains("tread lightly"), "{told:?}");

    let nonsense = json!({"updatedInput": {"cmd": 7}});
    let (home, told, _) = decide(nonsense, &["--yolo"]);
    assert!(!home.exists("work/ran.txt"), "changed arguments are checked again: {told:?}");
}

/// What is dangerous needs a person, whatever a hook allows.
#[test]
fn a_hook_does_not_allow_what_nothing_can_undo() {
    let (home, server) = scripted([bash("rm -rf ~"), done()]);
    let allow = json!({"hookSpecificOutput": {"permissionDecision": "allow"}});
    hook(&home, SETTINGS, "PreToolUse", "Bash", &format!("echo '{allow}'"));
    let output = omp_run(&home, &["-p", "go", "--approval-mode", "write"]);
    assert_eq!(output.code, Some(3), "{output:?}");
    assert!(results(&server)[0].contains("needs the user's approval"), "{:?}", results(&server));
    server.finish();
}

/// A guard that does not work is no consent: the call is not made.
// proves: EXT-049
#[test]
fn a_guard_that_fails_blocks() {
    for (command, said) in [
        ("no-such-program-here", "could not be run"),
        ("sleep 60", "took longer than 1 s"),
        ("kill -9 $$", "signal 9"),
        ("echo '{\"hookSpecificOutput\":'", "cannot be read"),
        ("head -c 3000000 /dev/zero", "printed more than"),
    ] {
        let (home, server) = scripted([bash("touch ran.txt"), done()]);
        let hook = json!({"type": "command", "command": command, "timeout": 1});
        home.write(SETTINGS, json!({"hooks": {"PreToolUse": [{"hooks": [hook]}]}}).to_string());
        go(&home);
        assert!(!home.exists("work/ran.txt"), "{command}");
        assert!(results(&server)[0].contains(said), "{command}: {:?}", results(&server));
        server.finish();
    }
}

/// A hook that only stumbles is told to the user, and the call runs.
#[test]
fn another_exit_code_is_only_said() {
    let (home, server) = scripted([bash("touch ran.txt"), done()]);
    hook(&home, SETTINGS, "PreToolUse", "*", "echo stumbled >&2; exit 1");
    let output = go(&home);
    assert!(home.exists("work/ran.txt"));
    assert!(output.stderr.contains("exited with 1: stumbled"), "{}", output.stderr);
    server.finish();
}

/// Behind a call a hook can tell the model what it thinks of the result.
#[test]
fn a_hook_speaks_about_results() {
    let (home, server) = scripted([bash("echo hello"), done()]);
    hook(&home, SETTINGS, "PostToolUse", "Bash", "cat > seen.json; echo 'run the linter' >&2; exit 2");
    go(&home);
    let told_model = &results(&server)[0];
    assert!(told_model.contains("hello") && told_model.contains("run the linter"), "{told_model}");
    let seen = told(&home, "work/seen.json");
    assert!(seen["tool_response"]["stdout"].as_str().unwrap().contains("hello"), "{seen}");
    server.finish();
}

/// A prompt can be kept from being sent, and can get words to go with it.
#[test]
fn prompts_pass_a_hook() {
    let (home, server) = scripted([] as [Reply; 0]);
    hook(&home, SETTINGS, "UserPromptSubmit", "", "cat > seen.json; echo 'no secrets' >&2; exit 2");
    let output = go(&home);
    assert_ne!(output.code, Some(0));
    assert!(output.stderr.contains("a hook blocked the prompt: no secrets"), "{}", output.stderr);
    assert_eq!(told(&home, "work/seen.json")["prompt"], "go");
    server.finish();

    let (home, server) = scripted([done()]);
    hook(&home, SETTINGS, "UserPromptSubmit", "", "echo 'the branch is main'");
    assert_eq!(go(&home).code, Some(0));
    let body = &server.requests()[0].body;
    assert!(body.to_string().contains("the branch is main"), "{body}");
    server.finish();
}

/// A hook can send the model back to work, and knows when it did.
#[test]
fn a_stop_can_be_refused() {
    let (home, server) = scripted([Reply::new().text("finished"), Reply::new().text("really finished")]);
    let guard = "cat > stop.json; grep -q '\"stop_hook_active\":true' stop.json && exit 0; \
                 echo 'the tests have not run' >&2; exit 2";
    hook(&home, SETTINGS, "Stop", "", guard);
    let output = go(&home);
    assert!(output.stdout.contains("really finished"), "{output:?}");
    assert!(last_user(&server.requests()[1].body).to_string().contains("the tests have not run"));
    server.finish();
}

/// A hook that never lets go is asked three times, not for ever.
#[test]
fn a_stop_is_not_refused_for_ever() {
    let (home, server) = scripted((0..4).map(|_| Reply::new().text("finished")).collect::<Vec<_>>());
    hook(&home, SETTINGS, "Stop", "", "echo again >&2; exit 2");
    assert_eq!(go(&home).code, Some(0));
    server.finish();
}

/// A session begins and ends with hooks; what one of them prints at the beginning goes to the model.
#[test]
fn sessions_begin_and_end_with_hooks() {
    let (home, server) = scripted([done()]);
    let hooks = json!({"hooks": {
        "SessionStart": [
            {"matcher": "startup", "hooks": [{"command": "cat > start.json; echo 'issue 7 is open'"}]},
            {"matcher": "resume", "hooks": [{"command": "touch resumed.txt"}]},
        ],
        "SessionEnd": [{"hooks": [{"command": "cat > end.json"}]}],
    }});
    home.write(SETTINGS, hooks.to_string());
    assert_eq!(go(&home).code, Some(0));
    assert_eq!(told(&home, "work/start.json")["source"], "startup");
    assert_eq!(told(&home, "work/end.json")["reason"], "other");
    assert!(!home.exists("work/resumed.txt"));
    assert!(server.requests()[0].body.to_string().contains("issue 7 is open"));
    server.finish();
    let server = Server::start([done()]);
    home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
    omp_run(&home, &["-p", "more", "--continue"]);
    assert!(home.exists("work/resumed.txt"));
    server.finish();
}

/// `continue: false` ends the run.
#[test]
fn a_hook_can_end_the_run() {
    let (home, server) = scripted([bash("echo hello")]);
    let stop = json!({"continue": false, "stopReason": "enough for today"});
    hook(&home, SETTINGS, "PostToolUse", "", &format!("echo '{stop}'"));
    let output = go(&home);
    assert!(output.stderr.contains("enough for today"), "{output:?}");
    assert_eq!(server.requests().len(), 1);
    server.finish();
}

/// Executable files named after a tool are asked, one after the other; the first that blocks is the last that runs.
// proves: EXT-047, EXT-048
#[test]
fn scripts_named_after_a_tool_are_asked() {
    let (home, server) = scripted([bash("touch ran.txt"), done()]);
    let user = "home/.omp/agent/hooks/pre";
    program(&home, &format!("{user}/bash.1.sh"), "#!/bin/sh\ntouch wrong-name.txt\n");
    program(&home, &format!("{user}/bash.py"), "#!/bin/sh\ncat > first.json\n");
    let block = json!({"block": true, "reason": "ask me first"});
    program(&home, "home/.claude/hooks/pre/bash.sh", &format!("#!/bin/sh\necho '{block}'\n"));
    program(&home, "home/.codex/hooks/pre/bash.rb", "#!/bin/sh\ntouch third.txt\n");
    go(&home);
    assert_eq!(results(&server), ["Error: ask me first"]);
    assert!(!home.exists("work/ran.txt") && !home.exists("work/third.txt"));
    assert!(!home.exists("work/wrong-name.txt"), "it is about a tool named bash.1");
    let first = told(&home, "work/first.json");
    assert_eq!((&first["type"], &first["toolName"]), (&json!("tool_call"), &json!("bash")));
    assert_eq!(first["input"]["command"], "touch ran.txt");
    assert!(first["toolCallId"].is_string());
    server.finish();
}

/// What a script prints stands instead of the result; the last one counts, and a failure stays a failure.
// proves: EXT-050, EXT-051, EXT-052
#[test]
fn scripts_replace_results() {
    let fails = Reply::new()
        .tool_call("bash", json!({"_i": "x", "command": "echo secret-1"}))
        .tool_call("read", json!({"_i": "x", "path": "missing.txt"}));
    let (home, server) = scripted([fails, done()]);
    let replace = |text: &str| format!("#!/bin/sh\ncat > \"$0\".json\necho '{}'\n", json!({"content": text}));
    program(&home, "home/.omp/agent/hooks/post/bash.sh", &replace("first"));
    program(&home, "home/.claude/hooks/post/bash.py", &replace("[redacted]"));
    program(&home, "home/.omp/agent/hooks/post/read.sh", &replace("nothing to see"));
    let output = omp_run(&home, &["-p", "go", "--yolo", "--mode", "json"]);
    assert_eq!(results(&server), ["[redacted]", "Error: nothing to see"]);
    for file in ["home/.omp/agent/hooks/post/bash.sh.json", "home/.claude/hooks/post/bash.py.json"] {
        let seen = told(&home, file);
        assert!(seen["content"].to_string().contains("secret-1"), "each gets the original: {seen}");
        assert_eq!(seen["isError"], false);
    }
    assert_eq!(told(&home, "home/.omp/agent/hooks/post/read.sh.json")["isError"], true);
    let failed = output.stdout.lines().any(|line| {
        let event: Value = serde_json::from_str(line).unwrap();
        event["type"] == "tool_execution_end" && event["toolName"] == "read" && event["isError"] == true
    });
    assert!(failed, "{}", output.stdout);
    server.finish();
}

/// Hooks of a project run when the user has agreed to them, and not when a byte of them has changed since.
// proves: SEC-039
#[test]
fn hooks_of_a_project_need_consent() {
    let (home, server) = scripted([bash("touch one.txt"), done(), bash("touch two.txt"), done()]);
    program(&home, "work/guard.sh", "#!/bin/sh\ntouch guard-ran.txt\n");
    hook(&home, PROJECT, "PreToolUse", "Bash", "\"$CLAUDE_PROJECT_DIR\"/guard.sh");
    let output = go(&home);
    assert!(home.exists("work/one.txt") && !home.exists("work/guard-ran.txt"));
    assert!(output.stderr.contains("have not trusted"), "{}", output.stderr);

    let listed = omp_run(&home, &["trust", "show"]);
    assert!(listed.stdout.contains("PreToolUse (Bash)"), "{listed:?}");
    assert_eq!(omp_run(&home, &["trust", "add"]).code, Some(0));
    go(&home);
    assert!(home.exists("work/two.txt") && home.exists("work/guard-ran.txt"));
    server.finish();

    std::fs::remove_file(home.path("work/guard-ran.txt")).unwrap();
    program(&home, "work/guard.sh", "#!/bin/sh\ntouch guard-ran.txt # changed\n");
    let server = Server::start([bash("true"), done()]);
    home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
    go(&home);
    assert!(!home.exists("work/guard-ran.txt"), "changed code does not run");
    server.finish();
}

/// A guard that the user trusts is not got rid of by writing over it while the session runs, and what the project's own
/// hooks allow counts for nothing.
// proves: SEC-039
#[test]
fn a_project_cannot_loosen_its_guard() {
    let change = json!({"_i": "x", "path": "guard.sh", "content": "#!/bin/sh\nexit 0\n"});
    let replies = [Reply::new().tool_call("write", change), bash("touch ran.txt"), Reply::new().text("done")];
    let (home, server) = scripted(replies);
    program(&home, "work/guard.sh", "#!/bin/sh\nexit 2\n");
    hook(&home, PROJECT, "PreToolUse", "Bash", "sh ./guard.sh");
    assert_eq!(omp_run(&home, &["trust", "add"]).code, Some(0));
    go(&home);
    assert!(home.read("work/guard.sh").contains("exit 0"), "the file itself is an ordinary one");
    assert!(!home.exists("work/ran.txt"), "{:?}", results(&server));
    assert!(results(&server)[1].contains("has changed since you trusted it"), "{:?}", results(&server));
    server.finish();

    let (home, server) = scripted([bash("touch ran.txt"), done()]);
    let allow = json!({"hookSpecificOutput": {"permissionDecision": "allow"}});
    hook(&home, PROJECT, "PreToolUse", "Bash", &format!("echo '{allow}'"));
    assert_eq!(omp_run(&home, &["trust", "add"]).code, Some(0));
    omp_run(&home, &["-p", "go", "--approval-mode", "always-ask"]);
    assert!(!home.exists("work/ran.txt"), "{:?}", results(&server));
    server.finish();
}

/// A hook of the user that runs a file of the project guards nothing with a file that nobody has agreed to, and runs
/// none; a file that is called like a program takes nothing from it.
#[test]
fn files_of_a_project_need_consent_in_every_hook() {
    let (home, server) = scripted([bash("touch ran.txt"), done()]);
    home.write("work/check.sh", "touch planted-ran.txt");
    hook(&home, SETTINGS, "PreToolUse", "Bash", "sh \"$CLAUDE_PROJECT_DIR\"/check.sh");
    go(&home);
    assert!(!home.exists("work/planted-ran.txt") && !home.exists("work/ran.txt"));
    assert!(results(&server)[0].contains("runs a file of the project"), "{:?}", results(&server));
    server.finish();

    let (home, server) = scripted([bash("touch ran.txt"), done()]);
    program(&home, "work/sh", "#!/bin/sh\ntouch planted-ran.txt");
    home.write("home/guard.sh", "exit 2");
    hook(&home, SETTINGS, "PreToolUse", "Bash", "sh ~/guard.sh");
    go(&home);
    assert!(!home.exists("work/planted-ran.txt") && !home.exists("work/ran.txt"));
    server.finish();
}

/// Plugins of Claude Code bring hooks; a setting of omp and one of Claude Code turn hooks off.
#[test]
fn plugins_bring_hooks_and_settings_turn_them_off() {
    let ran = |settings: &str, config: &str| {
        let (home, server) = scripted([bash("true"), done()]);
        let plugin = home.path("home/.claude/plugins/cache/guard");
        let entry = json!({"plugins": {"guard@market": [{"scope": "user", "installPath": plugin}]}});
        home.write("home/.claude/plugins/installed_plugins.json", entry.to_string());
        let command = "sh ${CLAUDE_PLUGIN_ROOT}/guard.sh";
        hook(&home, "home/.claude/plugins/cache/guard/hooks/hooks.json", "PreToolUse", "Bash", command);
        home.write("home/.claude/plugins/cache/guard/guard.sh", "touch plugin-ran.txt");
        home.write(SETTINGS, settings);
        home.write("home/.omp/agent/config.yml", config);
        go(&home);
        server.finish();
        home.exists("work/plugin-ran.txt")
    };
    assert!(ran("{}", ""));
    assert!(!ran(r#"{"disableAllHooks": true}"#, ""));
    assert!(!ran("{}", "hooks:\n  enabled: false\n"));
}

/// What is wrong with a file of hooks is said, and the other hooks run.
#[test]
fn bad_hooks_are_said_and_good_ones_run() {
    let (home, server) = scripted([bash("true"), done()]);
    let hooks = json!({"hooks": {
        "PreToolUse": [
            {"matcher": "(", "hooks": [{"command": "touch never.txt"}]},
            {"hooks": [{"type": "prompt", "prompt": "hm"}, {"command": "touch good.txt"}]},
            {"hooks": [{"command": "touch good.txt"}]},
        ],
        "MoonPhase": [],
    }});
    home.write(SETTINGS, hooks.to_string());
    home.write("home/.omp/agent/hooks/pre/bash.sh", "#!/bin/sh\ntouch not-executable.txt\n");
    let output = go(&home);
    assert!(home.exists("work/good.txt") && !home.exists("work/never.txt"));
    assert!(!home.exists("work/not-executable.txt"));
    for said in ["the matcher \"(\"", "MoonPhase", "chmod +x"] {
        assert!(output.stderr.contains(said), "{said}: {}", output.stderr);
    }
    server.finish();
}

/// A hook that is killed with the run leaves nothing behind.
#[test]
fn a_hook_ends_with_the_run() {
    let (home, server) = scripted([bash("true"), done()]);
    hook(&home, SETTINGS, "PreToolUse", "", "sleep 300 & echo $! > pid.txt; exit 0");
    go(&home);
    let pid: i32 = home.read("work/pid.txt").trim().parse().unwrap();
    assert!(!std::path::Path::new(&format!("/proc/{pid}/root")).exists(), "{pid} lives on");
    server.finish();
}
