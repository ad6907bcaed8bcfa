//! The ssh tool on a machine that a script plays.

use std::sync::{Arc, Mutex};

use crate::support::machine::{Machine, Remote};
use crate::support::text;
use omp_agent::{Scheduling, Updates};
use omp_ssh::Trust;
use omp_types::{Approval, ToolOutput};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

async fn said(remote: &Remote, command: &str) -> String {
    text(&remote.command(command).await.unwrap())
}

async fn complaint(remote: &Remote, arguments: Value) -> String {
    remote.run(arguments).await.unwrap_err().message
}

/// The call that ran the model's command.
fn last_call(machine: &Machine) -> Vec<String> {
    machine.calls().pop().unwrap()
}

/// proves: SHL-094
#[tokio::test]
async fn the_inputs_are_host_command_directory_and_time() {
    let machine = Machine::fake();
    let remote = machine.session();
    let parameters = &remote.tool.definition().parameters;
    let names: Vec<_> = parameters["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["host", "command", "cwd", "timeout"]);
    assert_eq!(parameters["required"], json!(["host", "command"]));
    for (asked, granted) in
        [(Value::Null, 60.0), (json!(0.1), 1.0), (json!(99_999), 3_600.0), (json!(7), 7.0)]
    {
        let mut arguments = json!({ "host": "build", "command": "true" });
        if !asked.is_null() {
            arguments["timeout"] = asked;
        }
        let output = remote.run(arguments).await.unwrap();
        assert_eq!(output.details.unwrap()["timeoutSeconds"], granted);
    }
}

/// proves: SHL-093
#[tokio::test]
async fn only_names_of_hosts_are_accepted() {
    let machine = Machine::fake();
    let message = complaint(&machine.session(), json!({ "host": "10.0.0.5", "command": "true" })).await;
    assert_eq!(message, "Unknown SSH host: 10.0.0.5. Available hosts: build");
    assert_eq!(machine.calls().len(), 0);
}

/// proves: SHL-095
#[tokio::test]
async fn the_systems_ssh_runs_without_questions_and_without_a_terminal() {
    let machine = Machine::fake().with("key", json!("/dev/null"));
    let message = complaint(&machine.session(), json!({ "host": "build", "command": "true" })).await;
    assert!(message.starts_with("SSH key is not a file"), "{message}");
    let machine = Machine::fake();
    assert_eq!(
        said(&machine.session(), "echo -n -- 'it is' $((1 + 1)); test -t 0 || echo pipe").await,
        "-- it is 2pipe"
    );
    for call in machine.calls() {
        for option in ["BatchMode=yes", "StrictHostKeyChecking=accept-new"] {
            let at = call.iter().position(|argument| argument == option).unwrap();
            assert_eq!(call[at - 1], "-o");
        }
        assert!(call.contains(&"-T".to_owned()) && !call.iter().any(|argument| argument.starts_with("-t")));
        // Nothing behind this is an option.
        let end = call.iter().position(|argument| argument == "--").unwrap();
        assert_eq!(call[end + 1], "ci@10.0.0.5");
        let port = call.iter().position(|argument| argument == "-p").unwrap();
        assert!(port < end && call[port + 1] == "2222");
    }
    let mut nowhere = Machine::fake();
    nowhere.path = nowhere.directory.path().display().to_string();
    let message = complaint(&nowhere.session(), json!({ "host": "build", "command": "true" })).await;
    assert_eq!(message, "ssh binary not found on PATH");
}

/// proves: SHL-096
#[tokio::test]
async fn one_connection_serves_all_calls() {
    let machine = Machine::fake();
    let remote = machine.session();
    for _ in 0..2 {
        assert_eq!(said(&remote, "echo hello").await, "hello");
    }
    let opened: Vec<_> =
        machine.calls().into_iter().filter(|call| call.contains(&"ControlMaster=yes".to_owned())).collect();
    assert_eq!(opened.len(), 1);
    assert!(opened[0].contains(&"ControlPersist=3600".to_owned()));
    let socket =
        |call: &[String]| call[call.iter().position(|argument| argument == "-S").unwrap() + 1].clone();
    assert!(machine.calls().iter().all(|call| socket(call) == socket(&opened[0])));

    let refused = Machine::fake();
    std::fs::write(refused.file("refusal"), "ci@10.0.0.5: Permission denied (publickey).\n").unwrap();
    let message = complaint(&refused.session(), json!({ "host": "build", "command": "true" })).await;
    assert_eq!(
        message,
        "Failed to start SSH master for ci@10.0.0.5: ci@10.0.0.5: Permission denied (publickey)."
    );
}

/// proves: SHL-097, SHL-092
#[tokio::test]
async fn machines_are_asked_once_what_they_are() {
    let machine = Machine::fake().with("description", json!("the\nbuilder"));
    let asked = |machine: &Machine| machine.calls_with("omp-probe");
    let first = machine.session();
    let line = "- build (ci@10.0.0.5 port 2222; detecting...): the builder";
    assert!(first.tool.definition().description.ends_with(line), "{}", first.tool.definition().description);
    said(&first, "true").await;
    said(&first, "true").await;
    assert_eq!(asked(&machine), 1);
    let file = std::fs::read_dir(machine.cache()).unwrap().next().unwrap().unwrap().path();
    let kept: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!((&kept["version"], &kept["os"]), (&json!(2), &json!("linux")));

    // Remembered on disk, and shown to the model.
    let second = machine.session();
    assert!(second.tool.definition().description.contains("; linux, "));
    said(&second, "true").await;
    assert_eq!(asked(&machine), 1);

    // Another version of the file is not believed.
    let old = std::fs::read_to_string(&file).unwrap().replace("\"version\": 2", "\"version\": 1");
    std::fs::write(&file, old).unwrap();
    let third = machine.session();
    assert!(third.tool.definition().description.contains("detecting..."));
    said(&third, "true").await;
    assert_eq!(asked(&machine), 2);
    let kept: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(kept["version"], 2);
    std::fs::remove_file(&file).unwrap();
    said(&machine.session(), "true").await;
    assert_eq!(asked(&machine), 3);
}

/// proves: SHL-098, SHL-099
#[tokio::test]
async fn commands_are_written_for_the_shell_of_the_machine() {
    let probe = |answer: &str, has_bash: bool, compat: Value| {
        let machine = Machine::fake().with("compat", compat);
        std::fs::write(machine.file("probe"), answer).unwrap();
        std::fs::write(machine.file("deaf"), "").unwrap();
        if has_bash {
            std::fs::write(machine.file("has-bash"), "").unwrap();
        }
        machine
    };
    let cmd = "\"omp-probe|$(uname)|$SHELL|Windows_NT|$PSEdition|\"\r\n";
    let powershell = "omp-probe|||%OS%|Desktop|\r\n";
    let git = "omp-probe|MINGW64_NT-10.0|/usr/bin/bash|%OS%||\n";
    let cases = [
        ("omp-probe|Linux|/bin/bash|%OS%||\n", false, Value::Null, r"cd -- 'it'\''s' && make"),
        (
            "omp-probe|Linux|/bin/zsh|%OS%||\n",
            false,
            json!(true),
            r"bash -c 'cd -- '\''it'\''\'\'''\''s'\'' && make'",
        ),
        (cmd, false, Value::Null, r#"cd /d "it's" && make"#),
        (powershell, false, Value::Null, "Set-Location -Path 'it''s'; make"),
        (git, false, Value::Null, r"bash -c 'cd -- '\''it'\''\'\'''\''s'\'' && make'"),
        (git, false, json!(false), r"cd -- 'it'\''s' && make"),
        (powershell, true, json!(false), "Set-Location -Path 'it''s'; make"),
    ];
    for (answer, has_bash, compat, expected) in cases {
        let machine = probe(answer, has_bash, compat);
        let arguments = json!({ "host": "build", "command": "make", "cwd": "it's" });
        machine.session().run(arguments).await.unwrap();
        assert_eq!(last_call(&machine).last().unwrap(), expected);
    }
    // A machine is asked whether it has a POSIX shell beside its own.
    let machine = probe(powershell, true, Value::Null);
    machine.session().command("echo $HOME").await.unwrap();
    assert_eq!(last_call(&machine).last().unwrap(), "bash -c 'echo $HOME'");
}

/// proves: SHL-100
#[tokio::test]
async fn keys_are_looked_at_first() {
    use std::os::unix::fs::PermissionsExt;
    let machine = Machine::fake();
    let key = machine.file("key");
    let arguments = || json!({ "host": "build", "command": "true" });
    let machine = machine.with("key", json!(key));
    let shown = key.display();
    assert_eq!(complaint(&machine.session(), arguments()).await, format!("SSH key not found: {shown}"));
    std::fs::create_dir(&key).unwrap();
    assert_eq!(complaint(&machine.session(), arguments()).await, format!("SSH key is not a file: {shown}"));
    std::fs::remove_dir(&key).unwrap();
    std::fs::write(&key, "").unwrap();
    for mode in [0o644, 0o640, 0o601] {
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(mode)).unwrap();
        let expected = format!("SSH key permissions must be 600 or stricter: {shown}");
        assert_eq!(complaint(&machine.session(), arguments()).await, expected);
    }
    assert_eq!(machine.calls().len(), 0);
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).unwrap();
    said(&machine.session(), "true").await;
    assert!(machine.calls().iter().all(|call| {
        let at = call.iter().position(|argument| argument == "-i").unwrap();
        call[at + 1] == key.display().to_string()
    }));
}

/// proves: SHL-101
#[tokio::test]
async fn both_streams_are_one_and_failures_are_errors() {
    let machine = Machine::fake();
    let remote = machine.session();
    assert_eq!(said(&remote, "echo out; echo err >&2").await, "out\nerr");
    assert_eq!(said(&remote, "true").await, "(no output)");
    let error = remote.command("echo half; exit 3").await.unwrap_err();
    assert_eq!(error.message, "half\n\nCommand exited with code 3");
    assert_eq!(error.details.unwrap()["exitCode"], 3);
    assert_eq!(
        remote.command("exit 1").await.unwrap_err().message,
        "(no output)\n\nCommand exited with code 1"
    );
}

/// proves: SHL-102
#[tokio::test]
async fn timeout_and_abort_end_ssh() {
    let machine = Machine::fake();
    let remote = machine.session();
    let pid = machine.file("pid");
    let command = format!("echo begun; echo $$ > {}; exec sleep 1000", pid.display());
    let is_gone = || {
        let pid = std::fs::read_to_string(&pid).unwrap();
        !std::path::Path::new(&format!("/proc/{}", pid.trim())).exists()
    };
    let error = remote.run(json!({ "host": "build", "command": command, "timeout": 1 })).await.unwrap_err();
    let (notice, output) = error.message.split_once('\n').unwrap();
    assert!(
        notice.starts_with("[SSH: command timed out after 1 seconds") && notice.ends_with(']'),
        "{notice}"
    );
    assert_eq!(output, "begun");
    assert!(is_gone());

    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    // The first words of the command are the sign that it runs.
    let updates = Updates::new(move |_| stop.cancel());
    let arguments = json!({ "host": "build", "command": command });
    let error = remote.run_until(arguments.clone(), cancel.clone(), updates).await.unwrap_err();
    let (notice, output) = error.message.split_once('\n').unwrap();
    assert!(notice.starts_with("[Command aborted: ") && notice.ends_with(']'), "{notice}");
    assert_eq!((output, error.details.unwrap()["cancelled"].clone()), ("begun", json!(true)));
    assert!(is_gone());
    let before = remote.run_until(arguments, cancel, Updates::ignored()).await.unwrap_err();
    assert!(before.message.starts_with("[Command aborted: "), "{}", before.message);
}

/// proves: SHL-103
#[tokio::test]
async fn long_output_is_shortened_and_kept_whole() {
    let machine = Machine::fake();
    let output = machine.session().command("seq 1 200000").await.unwrap();
    let whole: String = (1..=200_000).map(|number| format!("{number}\n")).collect();
    assert_eq!(*machine.spilled.lock().unwrap(), whole);
    let truncation = output.details.as_ref().unwrap()["meta"]["truncation"].clone();
    assert_eq!(
        (&truncation["totalBytes"], &truncation["artifactId"]),
        (&json!(whole.len()), &json!("7.ssh.log"))
    );
    let shown = text(&output);
    assert!(shown.len() < 50 * 1024, "{}", shown.len());
    // The command's own text has no address in it; the notice below it does.
    let (body, notice) = shown.rsplit_once("\n\n[").unwrap();
    assert!(body.ends_with("\n200000") && !body.contains("artifact://"));
    assert!(notice.contains("artifact://7.ssh.log"));
    let short = machine.session().command("echo short").await.unwrap();
    assert_eq!(short.details.unwrap().get("meta"), None);
}

/// The other half of the row, calls of one answer, is tested with the loop.
#[tokio::test]
async fn the_tail_is_shown_while_the_command_runs() {
    let machine = Machine::fake();
    let remote = machine.session();
    assert_eq!(remote.tool.scheduling(&Map::new()), Scheduling::Exclusive);
    let go = machine.file("go");
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (kept, signal) = (Arc::clone(&seen), go.clone());
    let updates = Updates::new(move |partial: ToolOutput| {
        kept.lock().unwrap().push(text(&partial));
        std::fs::write(&signal, "").unwrap();
    });
    let command = format!("echo first; until [ -e {} ]; do sleep 0.01; done; echo second", go.display());
    let output = remote
        .run_until(json!({ "host": "build", "command": command }), CancellationToken::new(), updates)
        .await
        .unwrap();
    assert_eq!(text(&output), "first\nsecond");
    assert_eq!(seen.lock().unwrap()[0].trim_end(), "first");
}

/// proves: SHL-105
#[tokio::test]
async fn the_files_of_a_machine_are_a_bonus() {
    let machine = Machine::fake();
    machine.program(
        "sshfs",
        "#!/bin/sh\necho \"$@\" >> \"$(dirname \"$0\")/mounts\"\necho no fuse here >&2\nexit 1\n",
    );
    let remote = machine.session();
    let output = remote.command("echo fine").await.unwrap();
    assert_eq!(text(&output), "fine");
    assert_eq!(output.details.unwrap()["mountError"], "no fuse here");
    remote.command("true").await.unwrap();
    let mounts = std::fs::read_to_string(machine.file("mounts")).unwrap();
    assert_eq!(mounts.lines().count(), 1, "{mounts}");
    assert!(mounts.contains("ci@10.0.0.5:/ ") && mounts.starts_with("-o ro "), "{mounts}");

    let machine = Machine::fake();
    machine.program("sshfs", "#!/bin/sh\nexit 0\n");
    machine.program("fusermount3", "#!/bin/sh\necho \"$@\" >> \"$(dirname \"$0\")/unmounts\"\n");
    let remote = machine.session();
    let output = remote.command("true").await.unwrap();
    let place = output.details.unwrap()["mountedAt"].as_str().unwrap().to_owned();
    assert!(std::path::Path::new(&place).is_dir() && !machine.file("unmounts").exists());
    remote.connections.close().await;
    assert_eq!(std::fs::read_to_string(machine.file("unmounts")).unwrap(), format!("-u {place}\n"));
    assert!(!std::path::Path::new(&place).exists());
}

#[test]
fn people_are_shown_where_a_command_goes() {
    let machine = Machine::fake();
    let arguments = json!({ "host": "build", "command": "make", "cwd": "/srv" });
    let arguments = arguments.as_object().unwrap();
    let shown = |trust: Trust| -> Vec<(&str, String)> {
        let details = machine.session_of(trust).tool.approval_details(arguments);
        details.into_iter().map(|detail| (detail.label, detail.value)).collect()
    };
    let own = "build (ci@10.0.0.5 port 2222)".to_owned();
    assert_eq!(shown(Trust::User), [("Host", own), ("Command", "make".into()), ("Directory", "/srv".into())]);
    let foreign = "build (ci@10.0.0.5 port 2222, defined by this project in /p/.omp/ssh.json)";
    assert_eq!(shown(Trust::Project)[0], ("Host", foreign.to_owned()));
    let tool = machine.session().tool;
    assert_eq!(tool.approval(arguments), Some(Approval::EXEC));
    let fatal = json!({ "host": "build", "command": "rm -rf /" });
    assert!(tool.approval(fatal.as_object().unwrap()).unwrap().insists);
}

/// A machine that came with the project gets no agent and no tunnel of the user's.
#[tokio::test]
async fn a_projects_machine_gets_nothing_of_ours() {
    let machine = Machine::fake();
    machine.session_of(Trust::Project).command("true").await.unwrap();
    for call in machine.calls() {
        for option in ["ForwardAgent=no", "ForwardX11=no", "ClearAllForwardings=yes", "PermitLocalCommand=no"]
        {
            assert!(call.contains(&option.to_owned()), "{option}: {call:?}");
        }
    }
}
