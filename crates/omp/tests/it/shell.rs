//! The shell of a session, through the program.

use std::time::{Duration, Instant};

use omp_testkit::{Home, Reply, Server, Wire, start, survivors, wait_gone};
use serde_json::{Value, json};

use crate::sessions::{lines, session_files};
use crate::support::{LIMIT, home, omp, omp_run};

const SIGINT: i32 = 2;
const CONFIG: &str = "home/.omp/agent/config.yml";

fn bash(command: &str) -> Reply {
    Reply::new().tool_call("bash", json!({"_i": "x", "command": command}))
}

/// Runs one call after the other and returns the texts of their results.
fn texts(config: &str, replies: Vec<Reply>) -> (Home, Vec<String>) {
    let server = Server::start(replies.into_iter().chain([Reply::new().text("done")]).collect::<Vec<_>>());
    let home = home(&server, Wire::OpenAiCompletions);
    home.write(CONFIG, config);
    omp_run(&home, &["-p", "x"]).assert_success();
    server.finish();
    let saved = session_files(&home).first().map(lines).unwrap_or_default();
    let results = saved.into_iter().filter(|line| line["message"]["role"] == "toolResult");
    let text = |line: Value| line["message"]["content"][0]["text"].as_str().unwrap_or_default().to_owned();
    let texts = results.map(text).collect();
    (home, texts)
}

/// What one call changes the next one sees, in bash as in the shell inside the program.
#[test]
fn calls_share_a_shell() {
    for config in ["", "shellPath: embedded\n", "shellPath: /bin/sh\n"] {
        let calls = vec![
            bash("export A=1; f() { echo \"f $1\"; }; cd /usr"),
            bash("echo $A; f x; pwd"),
            bash("echo ${BASH_VERSION:+bash}; exit 3"),
            bash("echo \"[$A]\""),
        ];
        let (_, texts) = texts(config, calls);
        assert!(texts[1].starts_with("1\nf x\n/usr\n"), "{config}: {}", texts[1]);
        assert!(texts[2].contains("Command exited with code 3"), "{config}: {}", texts[2]);
        assert!(texts[3].starts_with("[]\n"), "{config}: {}", texts[3]);
    }
}

/// The embedded shell is a process of this very binary.
#[test]
fn the_embedded_shell_is_the_program_itself() {
    let (home, texts) = texts(
        "shellPath: embedded\n",
        vec![bash("a=(1 2 3); echo ${#a[@]} ${a[@]:1}; echo $0; readlink /proc/$$/exe")],
    );
    let binary = std::fs::canonicalize(env!("CARGO_BIN_EXE_omp")).unwrap();
    let first = texts[0].lines().collect::<Vec<_>>();
    assert_eq!(first[..3], ["3 2 3", "bash", binary.to_str().unwrap()], "{}", texts[0]);
    drop(home);
}

/// A rule of the user's own, for a tool the model has and for one it has not.
/// proves: SHL-017
#[test]
fn own_rules_refuse_commands() {
    let config = "bashInterceptor:\n  enabled: true\n  patterns:\n\
        \x20   - {pattern: '^deploy', tool: read, message: 'ask a person.', flags: i}\n\
        \x20   - {pattern: '^ship', tool: none_such, message: never}\n\
        \x20   - {pattern: '(', tool: read, message: broken}\n";
    let (_, texts) =
        texts(config, vec![bash("DEPLOY now"), bash("ship() { echo shipped; }; ship"), bash("cat f")]);
    assert!(texts[0].starts_with("Blocked: ask a person."), "{}", texts[0]);
    assert!(texts[0].contains("DEPLOY now"), "{}", texts[0]);
    assert!(texts[1].starts_with("shipped\n"), "{}", texts[1]);
    assert!(texts[2].starts_with("Blocked: ") && texts[2].contains("`read`"), "{}", texts[2]);
}

/// proves: SHL-031
#[test]
fn nothing_of_a_shell_outlives_the_program() {
    for config in ["", "shellPath: embedded\n"] {
        let marker = format!("omp-shell-{}-{}", std::process::id(), config.len());
        let (_, texts) = texts(
            config,
            vec![bash(&format!(
                "export MARK={marker}; (setsid sleep 300 >/dev/null 2>&1 &); sleep 300 & echo begun"
            ))],
        );
        assert!(texts[0].starts_with("begun"), "{}", texts[0]);
        wait_gone(&marker, Duration::from_secs(5)).expect("nothing may be left");
        assert!(survivors(&marker).is_empty());
    }
}

/// Lines are cut for the model and whole in the artifact; zero cuts nothing.
/// proves: SHL-045
#[test]
fn long_lines_are_cut_as_the_setting_says() {
    let line = "head -c 10240 /dev/zero | tr '\\0' x; echo";
    let (home, cut) = texts("", vec![bash(line)]);
    assert!(cut[0].starts_with(&format!("{}… [+9472 bytes]\n", "x".repeat(768))), "{}", cut[0]);
    let kept = session_files(&home)[0].with_extension("").join("0.bash.log");
    assert_eq!(std::fs::read_to_string(kept).unwrap(), "x".repeat(10_240) + "\n");
    let (_, whole) = texts("tools:\n  outputMaxColumns: 0\n", vec![bash(line)]);
    assert!(whole[0].starts_with(&"x".repeat(10_240)), "{}", whole[0].len());
}

/// A terminal is for people: without one at the other end a command runs as always.
/// proves: SHL-038
#[test]
fn print_mode_has_no_terminal_for_commands() {
    let command = json!({"_i": "x", "command": "test -t 1 || echo no terminal; tty", "pty": true});
    let server = Server::start([Reply::new().tool_call("bash", command), Reply::new().text("done")]);
    let home = home(&server, Wire::OpenAiCompletions);
    omp_run(&home, &["-p", "x"]).assert_success();
    let request = server.requests().pop().expect("the second request").body.to_string();
    assert!(request.contains("no terminal") && request.contains("not a tty"), "{request}");
    server.finish();
}

/// A person who aborts ends the turn; a command that takes too long is a failed call, and the turn goes on.
/// proves: SHL-054
#[test]
fn only_a_person_interrupts_the_turn() {
    let marker = format!("omp-abort-{}", std::process::id());
    let command = format!("export MARK={marker}; sleep 300");
    let server = Server::start([bash(&command)]);
    let home = home(&server, Wire::OpenAiCompletions);
    let mut running = start(omp(&home, &["--mode", "json", "x"]));
    running.close_stdin();
    let deadline = Instant::now() + LIMIT;
    while !survivors(&marker).iter().any(|process| process.cmdline.contains("sleep 300")) {
        assert!(Instant::now() < deadline, "the tool did not start: {}", running.stderr_so_far());
        std::thread::sleep(Duration::from_millis(10));
    }
    running.signal(SIGINT);
    let output = running.wait(LIMIT);
    assert_eq!(output.code, Some(130), "{}", output.stderr);
    assert_eq!(server.requests().len(), 1, "the model is not asked again");
    server.finish();

    let slow = Reply::new().tool_call("bash", json!({"_i": "x", "command": "sleep 300", "timeout": 1}));
    let server = Server::start([slow, Reply::new().text("went on")]);
    let home = self::home(&server, Wire::OpenAiCompletions);
    let output = omp_run(&home, &["-p", "x"]);
    output.assert_success();
    assert!(output.stdout.contains("went on"), "{}", output.stdout);
    let request = server.requests().pop().expect("the second request").body.to_string();
    assert!(request.contains("Command timed out after 1 seconds"), "{request}");
    server.finish();
}

/// The lines of a program that talks much become few, and all of them are kept.
/// proves: SHL-049
#[test]
fn verbose_programs_are_shortened() {
    let script = "cargo() { seq -f '   Compiling package-%g v1.0.0' 200; echo 'warning: unused'; echo '    Finished'; }\ncargo build";
    let build: String = (1..=200).map(|number| format!("   Compiling package-{number} v1.0.0\n")).collect();
    let build = build + "warning: unused\n    Finished\n";
    let (home, short) = texts("", vec![bash(script)]);
    let expected = "   Compiling package-1 v1.0.0\n[… 199 similar lines]\nwarning: unused\n    \
                    Finished\n\n[raw output: artifact://0]\n";
    assert!(short[0].starts_with(expected), "{}", short[0]);
    let kept = session_files(&home)[0].with_extension("").join("0.bash-original.log");
    assert_eq!(std::fs::read_to_string(kept).unwrap(), build);
    for config in [
        "shellMinimizer:\n  enabled: false\n",
        "shellMinimizer:\n  except: [cargo]\n",
        "shellMinimizer:\n  only: [npm]\n",
        "shellMinimizer:\n  maxCaptureBytes: 1000\n",
    ] {
        let (_, whole) = texts(config, vec![bash(script)]);
        assert!(whole[0].starts_with(&build), "{config}: {}", whole[0]);
    }
    // Too long to be shown as it is, and still whole when it is short.
    let long = script.replace(" 200;", " 3000;");
    let (_, short) = texts("", vec![bash(&long)]);
    assert!(
        short[0].contains("[… 2999 similar lines]\nwarning: unused\n    Finished\n\n[raw output:"),
        "{}",
        short[0]
    );
}
