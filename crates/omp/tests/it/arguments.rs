use omp_testkit::{Home, Reply, Server, Wire, run};
use serde_json::json;

use crate::support::{LIMIT, home, omp, omp_run};

/// A first word that is a command runs it; anything else is a prompt.
// proves: CLI-001
#[test]
fn commands_and_prompts_are_told_apart() {
    let server = Server::start([Reply::new().text("fixed")]);
    let home = home(&server, Wire::OpenAiCompletions);
    let listed = omp_run(&home, &["models"]);
    listed.assert_success();
    assert!(listed.stdout.contains("test/scripted"));
    assert!(server.requests().is_empty());
    let answered = omp_run(&home, &["fix the build"]);
    assert_eq!(answered.stdout, "fixed\n");
    server.finish();
}

// proves: CLI-002
#[test]
fn help_names_everything() {
    let home = Home::new();
    for args in [&["--help"][..], &["-h"], &["help"]] {
        let output = omp_run(&home, args);
        output.assert_success();
        assert!(output.stdout.starts_with(&format!("omp v{}\n", env!("CARGO_PKG_VERSION"))));
        for part in ["--model", "--print", "Examples", "Environment", "ANTHROPIC_API_KEY", "omp -p"] {
            assert!(output.stdout.contains(part), "{part} is missing");
        }
        for command in omp_cli::table::COMMANDS.iter().filter(|command| !command.hidden) {
            assert!(output.stdout.contains(command.name), "{} is missing", command.name);
        }
    }
    assert!(home.list_files().is_empty(), "help must not create files");
}

// proves: CLI-003
#[test]
fn versions_need_nothing() {
    let home = Home::new();
    let version = env!("CARGO_PKG_VERSION");
    for (args, expected) in [
        (&["--version"][..], format!("omp/{version}\n")),
        (&["-v"], format!("omp/{version}\n")),
        (&["launch", "--version"], format!("{version}\n")),
    ] {
        let output = omp_run(&home, args);
        output.assert_success();
        assert_eq!(output.stdout, expected);
    }
    assert!(home.list_files().is_empty(), "a version must not create files");
}

// proves: CLI-004
#[test]
fn every_command_explains_itself() {
    let home = Home::new();
    for command in omp_cli::table::COMMANDS.iter().filter(|command| !command.hidden) {
        let output = omp_run(&home, &[command.name, "--help"]);
        output.assert_success();
        assert!(
            output.stdout.contains(&format!("omp {}", command.name)),
            "{}: {}",
            command.name,
            output.stdout
        );
        assert!(output.stdout.contains("Usage"), "{}", command.name);
    }
}

/// The third word of the contract, `extensions`, is a command of omp.
// proves: CLI-005
#[test]
fn management_words_are_not_sent_as_prompts() {
    let server = Server::start([Reply::new().text("sure")]);
    let home = home(&server, Wire::OpenAiCompletions);
    for word in ["marketplace", "uninstall"] {
        let refused = omp_run(&home, &[word]);
        assert_eq!(refused.code, Some(1));
        let launch = format!("omp launch {word}");
        assert!(refused.stderr.contains("omp plugin") && refused.stderr.contains(&launch), "{refused:?}");
    }
    assert!(server.requests().is_empty());
    assert_eq!(omp_run(&home, &["extensions are great"]).stdout, "sure\n");
    server.finish();
}

// proves: CLI-006, CLI-062
#[test]
fn unknown_flags_stop_before_any_request() {
    let server = Server::start([Reply::new().text("unused")]);
    let home = home(&server, Wire::OpenAiCompletions);
    let before = home.list_files();
    let output = omp_run(&home, &["--modle", "x", "hi"]);
    assert_eq!(output.code, Some(2));
    assert_eq!(output.stdout, "");
    assert!(output.stderr.starts_with("Error: unknown flag: --modle\n"), "{}", output.stderr);
    assert!(output.stderr.contains("--model") && output.stderr.contains("--help"), "{}", output.stderr);
    let several = omp_run(&home, &["--bogus", "--worse", "hi"]);
    assert!(several.stderr.starts_with("Error: unknown flags: --bogus, --worse\n"), "{}", several.stderr);
    assert!(server.requests().is_empty());
    assert_eq!(home.list_files(), before, "no session may be created");
    // The other exit codes of the table.
    assert_eq!(omp_run(&home, &["--help"]).code, Some(0));
    assert_eq!(omp_run(&home, &["-p", "--model", "nope", "x"]).code, Some(1));
    assert_eq!(omp_run(&home, &["-p", "@missing.txt", "x"]).code, Some(1));
}

// proves: CLI-017
#[test]
fn modes_are_checked() {
    let home = Home::new();
    let output = omp_run(&home, &["--mode", "yaml", "x"]);
    assert_eq!(output.code, Some(2));
    for mode in ["text", "json", "rpc", "rpc-ui", "acp"] {
        assert!(output.stderr.contains(mode), "{}", output.stderr);
    }
    let server = Server::start([Reply::new().text("t"), Reply::new().text("j")]);
    let home = crate::support::home(&server, Wire::OpenAiCompletions);
    assert_eq!(omp_run(&home, &["--mode", "text", "x"]).stdout, "t\n");
    assert!(omp_run(&home, &["--mode", "json", "x"]).stdout.starts_with("{\"type\":\"session\""));
    let waiting = omp_run(&home, &["--mode", "rpc"]);
    assert_eq!(waiting.code, Some(1));
    assert!(waiting.stderr.contains("not available yet"), "{}", waiting.stderr);
    server.finish();
}

// proves: CLI-016
#[test]
fn short_and_long_forms_mean_the_same() {
    let more = || Reply::new().text("more");
    let server = Server::start([Reply::new().text("a"), Reply::new().text("b"), more(), more()]);
    let home = home(&server, Wire::OpenAiCompletions);
    assert_eq!(omp_run(&home, &["-p", "x"]).stdout, "a\n");
    assert_eq!(omp_run(&home, &["--print", "x"]).stdout, "b\n");
    for args in [&["-r", "zzz"][..], &["--resume", "zzz"], &["--session", "zzz"]] {
        let output = omp_run(&home, &[args, &["-p", "x"]].concat());
        assert_eq!(output.code, Some(1));
        assert!(output.stderr.contains("Session \"zzz\" not found"), "{}", output.stderr);
    }
    for args in [&["-c", "-p", "again"][..], &["--continue", "-p", "again"]] {
        assert_eq!(omp_run(&home, args).stdout, "more\n");
    }
    assert_eq!(omp_run(&home, &["-h"]).stdout, omp_run(&home, &["--help"]).stdout);
    assert_eq!(omp_run(&home, &["-v"]).stdout, omp_run(&home, &["--version"]).stdout);
    server.finish();
}

// proves: CLI-018
#[test]
fn the_working_directory_can_be_chosen() {
    let server = Server::start([
        Reply::new().tool_call("bash", json!({"_i": "where", "command": "pwd"})),
        Reply::new().text("done"),
    ]);
    let home = home(&server, Wire::OpenAiCompletions);
    home.write("work/sub/keep.txt", "");
    omp_run(&home, &["-p", "--cwd", "sub", "x"]).assert_success();
    let result = server.requests()[1].body["messages"].as_array().unwrap().last().unwrap().clone();
    assert!(result["content"].as_str().unwrap().contains("/sub\n"), "{result}");
    let missing = omp_run(&home, &["-p", "--cwd", "nowhere", "x"]);
    assert_eq!(missing.code, Some(1));
    assert!(
        missing.stderr.contains("nowhere") && missing.stderr.contains("no such directory"),
        "{}",
        missing.stderr
    );
    server.finish();
}

// proves: CLI-019
#[test]
fn sessions_do_not_start_in_the_home_directory() {
    let ask = || {
        [
            Reply::new().tool_call("bash", json!({"_i": "where", "command": "pwd -P"})),
            Reply::new().text("done"),
        ]
    };
    for (args, expected) in [
        (&["-p", "x"][..], "/home/tmp\n"),
        (&["-p", "--allow-home", "x"], "/home\n"),
        (&["-p", "--cwd", ".", "x"], "/home\n"),
    ] {
        let server = Server::start(ask());
        let home = home(&server, Wire::OpenAiCompletions);
        home.write("home/tmp/keep", "");
        let mut command = omp(&home, args);
        command.current_dir(home.home_dir());
        run(command, Some(b""), LIMIT).assert_success();
        let result = server.requests()[1].body["messages"].as_array().unwrap().last().unwrap().clone();
        assert!(result["content"].as_str().unwrap().contains(expected), "{args:?}: {result}");
        server.finish();
    }
}

/// Flags before a command belong to the session and are ignored by other commands.
// proves: CLI-015
#[test]
fn flags_before_a_command_are_accepted() {
    let home = Home::new();
    omp_run(&home, &["--cwd", "nowhere", "models"]).assert_success();
}

// proves: CLI-010, CLI-011
#[test]
fn a_double_dash_and_a_lone_dash_are_words() {
    let server = Server::start([Reply::new().text("a"), Reply::new().text("b")]);
    let home = home(&server, Wire::OpenAiCompletions);
    omp_run(&home, &["-p", "--", "--not-a-flag"]).assert_success();
    omp_run(&home, &["-p", "-"]).assert_success();
    let requests = server.requests();
    assert_eq!(crate::support::last_user(&requests[0].body), "--not-a-flag");
    assert_eq!(crate::support::last_user(&requests[1].body), "-");
    server.finish();
}

#[test]
fn no_request_is_made_but_the_answer() {
    let server = Server::start([Reply::new().text("a"), Reply::new().text("b")]);
    let home = home(&server, Wire::OpenAiCompletions);
    omp_run(&home, &["-p", "--no-title", "x"]).assert_success();
    let mut command = omp(&home, &["-p", "x"]);
    command.env("PI_NO_TITLE", "1");
    run(command, Some(b""), LIMIT).assert_success();
    assert_eq!(server.requests().len(), 2);
    assert!(server.other_requests().is_empty(), "nothing else may be contacted");
    server.finish();
}

#[test]
fn pty_and_lsp_switches_are_accepted() {
    let server = Server::start([Reply::new().text("a")]);
    let home = home(&server, Wire::OpenAiCompletions);
    omp_run(&home, &["-p", "--no-pty", "--no-lsp", "--no-skills", "--no-rules", "--no-extensions", "x"])
        .assert_success();
    server.finish();
}

// proves: CLI-114
#[test]
fn completions_need_a_known_shell() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish"] {
        let output = omp_run(&home, &["completions", shell]);
        output.assert_success();
        assert!(output.stdout.contains("__complete"), "{shell}");
    }
    for args in [&["completions"][..], &["completions", "tcsh"]] {
        let output = omp_run(&home, args);
        assert_eq!(output.code, Some(1));
        assert!(output.stderr.contains("Usage: omp completions <bash|zsh|fish>"), "{}", output.stderr);
    }
}

// proves: CLI-117
#[test]
fn dynamic_candidates_are_offline_and_silent() {
    let server = Server::start([Reply::new()]);
    let home = home(&server, Wire::OpenAiCompletions);
    let output = omp_run(&home, &["__complete", "models", "--", "test/"]);
    output.assert_success();
    assert!(output.stdout.starts_with("test/scripted\t"), "{}", output.stdout);
    assert!(server.other_requests().is_empty());
    home.write("home/.omp/agent/models.yml", "providers: [broken");
    let broken = omp_run(&home, &["__complete", "models", "--", "anthropic/"]);
    broken.assert_success();
    assert!(broken.stdout.contains("anthropic/") && broken.stderr.is_empty(), "{}", broken.stderr);
    for args in [&["__complete"][..], &["__complete", "nonsense"], &["__complete", "sessions", "--", "x"]] {
        let output = omp_run(&home, args);
        output.assert_success();
        assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("", ""));
    }
}

/// Options and commands of later parts are refused with the part's name, never half done.
#[test]
fn what_is_not_there_says_so() {
    let home = Home::new();
    for args in [&["ps"][..], &["-p", "--log-level", "info", "y"]] {
        let output = omp_run(&home, args);
        assert_eq!(output.code, Some(1), "{args:?}");
        assert!(output.stderr.contains("not available yet"), "{args:?}: {}", output.stderr);
    }
}

/// The advisor is a setting, not a flag.
// proves: CLI-276
#[test]
fn there_is_no_advisor_flag() {
    let output = omp_run(&Home::new(), &["--advisor", "-p", "x"]);
    assert_eq!(output.code, Some(2));
    assert!(output.stderr.contains("unknown flag: --advisor"), "{}", output.stderr);
}
