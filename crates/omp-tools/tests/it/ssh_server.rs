//! The ssh tool with a real OpenSSH on both sides.

use crate::support::machine::Machine;
use crate::support::text;
use omp_agent::Updates;
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// The process id of the shared connection, from its socket.
fn master(machine: &Machine) -> i32 {
    let socket = sockets(machine).pop().expect("a socket");
    let all = omp_testkit::process::all().into_iter();
    let mut found = all.filter(|process| process.cmdline.contains(&socket) && !process.is_zombie());
    found.next().expect("a connection").pid as i32
}

fn sockets(machine: &Machine) -> Vec<String> {
    let directories = std::fs::read_dir(machine.runtime()).unwrap().flatten();
    let inside = directories.flat_map(|directory| std::fs::read_dir(directory.path()).unwrap().flatten());
    inside.map(|entry| entry.path().display().to_string()).collect()
}

#[tokio::test]
async fn commands_run_on_the_other_side() {
    let Some(machine) = Machine::real() else { return };
    let remote = machine.session();
    let output =
        remote.command("echo \"it's $((40 + 2))\"; echo err >&2; test -t 0 || echo no terminal").await;
    let mut lines: Vec<String> = text(&output.unwrap()).lines().map(str::to_owned).collect();
    lines.sort();
    assert_eq!(lines, ["err", "it's 42", "no terminal"]);
    let odd = machine.directory.path().join("it's; $HOME `x`");
    std::fs::create_dir(&odd).unwrap();
    let output = remote.run(json!({ "host": "build", "command": "pwd", "cwd": odd })).await.unwrap();
    assert_eq!(text(&output), odd.display().to_string());
    let missing = remote.run(json!({ "host": "build", "command": "echo ran", "cwd": "/no/such" })).await;
    assert!(!missing.unwrap_err().message.contains("ran"));
    let error = remote.command("echo half; exit 3").await.unwrap_err();
    assert_eq!(error.message, "half\n\nCommand exited with code 3");
    // A command is never an option of ours.
    let trace = machine.directory.path().join("trace");
    let odd = remote.command(&format!("-oProxyCommand=touch\\ {}", trace.display())).await;
    assert!(odd.unwrap_err().message.contains("invalid option") && !trace.exists());
    assert!(machine.session().tool.definition().description.contains("; linux, "));
    remote.connections.close().await;
}

#[tokio::test]
async fn a_megabyte_arrives_whole() {
    let Some(machine) = Machine::real() else { return };
    let remote = machine.session();
    let output = remote.command("seq 1 170000").await.unwrap();
    let whole: String = (1..=170_000).map(|number| format!("{number}\n")).collect();
    assert!(whole.len() > 1024 * 1024);
    assert_eq!(*machine.spilled.lock().unwrap(), whole);
    assert_eq!(output.details.unwrap()["meta"]["truncation"]["totalBytes"], whole.len());
    remote.connections.close().await;
}

/// A connection that died is opened again; one call that is stopped does not harm the next.
#[tokio::test]
async fn connections_recover() {
    let Some(machine) = Machine::real() else { return };
    let remote = machine.session();
    assert_eq!(text(&remote.command("echo one").await.unwrap()), "one");
    let first = master(&machine);
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    let updates = Updates::new(move |_| stop.cancel());
    let hanging = json!({ "host": "build", "command": "echo begun; exec sleep 1000" });
    let error = remote.run_until(hanging, cancel, updates).await.unwrap_err();
    assert!(
        error.message.starts_with("[Command aborted: ") && error.message.ends_with("\nbegun"),
        "{}",
        error.message
    );
    assert_eq!(text(&remote.command("echo two").await.unwrap()), "two");
    assert_eq!(master(&machine), first, "the same connection");

    nix::sys::signal::kill(nix::unistd::Pid::from_raw(first), nix::sys::signal::Signal::SIGKILL).unwrap();
    // The signal is sent, which is not yet the end: a dying connection still takes commands.
    while omp_testkit::process::all()
        .iter()
        .any(|process| process.pid as i32 == first && !process.is_zombie())
    {
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
    assert_eq!(sockets(&machine).len(), 1, "its socket is left behind");
    assert_eq!(text(&remote.command("echo three").await.unwrap()), "three");
    assert_ne!(master(&machine), first);

    // Nothing is left when the session closes.
    let second = master(&machine);
    remote.connections.close().await;
    assert!(sockets(&machine).is_empty());
    assert_eq!(std::fs::read_dir(machine.runtime()).unwrap().count(), 0);
    machine.scope.end().await;
    assert!(!std::path::Path::new(&format!("/proc/{second}")).exists());
}

#[tokio::test]
async fn a_refusal_is_told_in_the_words_of_ssh() {
    let Some(machine) = Machine::real() else { return };
    std::fs::write(machine.directory.path().join("authorized_keys"), "").unwrap();
    let error = machine.session().command("true").await.unwrap_err();
    assert!(error.message.starts_with("Failed to start SSH master for test.invalid: "), "{}", error.message);
    assert!(error.message.contains("Permission denied"), "{}", error.message);
}
