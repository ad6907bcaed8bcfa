//! Output that nobody takes, directories that are gone, words that nobody means.

use std::fs::File;
use std::process::Stdio;

use omp_testkit::{Home, Reply, Scenario, Server, Wire, run};

use crate::support::{LIMIT, home, omp, omp_run};

/// Command lines that print something.
const PRINTING: [&[&str]; 5] =
    [&["-p", "x"], &["--mode", "json", "x"], &["--help"], &["models"], &["config", "list"]];

/// A model that says ok to everything, and a home that knows it.
fn agreeable() -> (Server, Home) {
    let server = Server::start(Scenario::new().reply(Reply::new().text("ok")).repeat(true));
    let home = home(&server, Wire::OpenAiCompletions);
    (server, home)
}

/// A full disk behind standard output is said in every mode and by every command that prints.
#[test]
fn a_full_disk_behind_standard_output_is_said() {
    let (_server, home) = agreeable();
    for args in PRINTING.into_iter().chain([&["session", "list"][..]]) {
        let mut command = omp(&home, args);
        command
            .stdin(Stdio::null())
            .stdout(File::options().write(true).open("/dev/full").expect("/dev/full"));
        let output = command.stderr(Stdio::piped()).output().expect("omp");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{args:?}: {said}");
        assert!(said.contains("Error: cannot write to standard output: "), "{args:?}: {said}");
    }
}

/// A reader that has seen enough is no reason to say anything.
#[test]
fn a_reader_that_leaves_is_not_complained_about() {
    let (_server, home) = agreeable();
    for args in PRINTING.into_iter().chain([&["gallery"][..]]) {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut command = omp(&home, args);
        let output =
            command.stdin(Stdio::null()).stdout(writer).stderr(Stdio::piped()).output().expect("omp");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
        assert!(output.status.code().is_some_and(|code| code < 2), "{args:?}: {}", output.status);
    }
}

/// A directory that was deleted under the shell is named; `--cwd` leads out of it.
#[test]
fn a_deleted_directory_is_named() {
    let server = Server::start([Reply::new().text("ok")]);
    let home = home(&server, Wire::OpenAiCompletions);
    let shell = |rest: &str| {
        let mut command = home.command("sh");
        command.env("OMP", env!("CARGO_BIN_EXE_omp"));
        command.args(["-c", &format!("mkdir gone && cd gone && rmdir ../gone && exec \"$OMP\" {rest}")]);
        run(command, Some(b""), LIMIT)
    };
    for rest in
        ["-p x", "models", "read /etc/hostname", "config list", "session list", "commit", "bench scripted"]
    {
        let output = shell(rest);
        assert_eq!(output.code, Some(1), "{rest}: {}{}", output.stdout, output.stderr);
        assert!(output.stderr.starts_with("Error: "), "{rest}: {}", output.stderr);
        assert!(output.stderr.contains("current directory"), "{rest}: {}", output.stderr);
    }
    let elsewhere = home.work_dir().display().to_string();
    assert_eq!(shell(&format!("--cwd '{elsewhere}' -p x")).assert_success().stdout, "ok\n");
    server.finish();
}

/// What nobody meant to type is not repeated at full length.
#[test]
fn a_flag_without_end_is_cut() {
    let output = omp_run(&Home::new(), &[&format!("--{}", "b".repeat(100_000))]);
    assert_eq!(output.code, Some(2));
    assert!(output.stderr.len() < 300 && output.stderr.contains("bbb..."), "{}", output.stderr);
}

/// `--max-time` and `--no-ui` mean what they say.
#[test]
fn a_run_without_the_terminal_interface() {
    let server = Server::start([Reply::new().text("ok")]);
    let home = home(&server, Wire::OpenAiCompletions);
    assert_eq!(omp_run(&home, &["--no-ui", "x"]).assert_success().stdout, "ok\n");
    let output = omp_run(&home, &["--no-ui"]);
    assert!(output.code == Some(1) && output.stderr.contains("no prompt given"), "{}", output.stderr);
    server.finish();
}
