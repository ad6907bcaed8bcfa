//! Start-up diagnostics.

use omp_testkit::{Reply, Server, Wire, run};

use crate::support::{LIMIT, home, omp};

// CLI-067 in part.
#[test]
fn phases_can_be_watched() {
    let server = Server::start([Reply::new().text("ok")]);
    let home = home(&server, Wire::OpenAiCompletions);
    let mut command = omp(&home, &["-p", "x"]);
    command.env("PI_DEBUG_STARTUP", "1");
    let output = run(command, Some(b""), LIMIT);
    output.assert_success();
    for phase in ["stdin", "session"] {
        let start = output.stderr.find(&format!("[startup] {phase}:start\n"));
        let done = output.stderr.find(&format!("[startup] {phase}:done\n"));
        assert!(start.is_some() && start < done, "{}", output.stderr);
    }
    assert_eq!(output.stdout, "ok\n");
    server.finish();
}

#[test]
fn timings_are_summed_up_after_the_prompts() {
    let server = Server::start([Reply::new().text("a"), Reply::new().text("b")]);
    let home = home(&server, Wire::OpenAiCompletions);
    let mut command = omp(&home, &["-p", "x", "y"]);
    command.env("PI_TIMING", "1");
    let output = run(command, Some(b""), LIMIT);
    output.assert_success();
    assert!(output.stderr.starts_with("Timing:"), "{}", output.stderr);
    for row in ["session", "prompt 1", "prompt 2"] {
        assert!(output.stderr.contains(row), "{}", output.stderr);
    }
    server.finish();
}

// proves: CLI-070
#[test]
fn a_crash_is_a_sentence_and_exit_code_one() {
    let home = omp_testkit::Home::new();
    let mut command = omp(&home, &["-p", "x"]);
    command.env("OMP_DEBUG_PANIC", "1");
    let output = run(command, Some(b""), LIMIT);
    assert_eq!(output.code, Some(1));
    assert!(output.stderr.starts_with("Error: omp crashed: OMP_DEBUG_PANIC is set"), "{}", output.stderr);
    assert_eq!(output.stdout, "");
}

/// A start talks to the chosen provider and to nobody else, whatever the setting about updates says.
// proves: CLI-267
#[test]
fn nobody_else_is_called_at_the_start() {
    let elsewhere = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    elsewhere.set_nonblocking(true).unwrap();
    let proxy = format!("http://{}", elsewhere.local_addr().unwrap());
    for setting in ["true", "false"] {
        let server = Server::start([Reply::new().text("ok")]);
        let home = home(&server, Wire::OpenAiCompletions);
        home.write("home/.omp/agent/config.yml", format!("startup:\n  checkUpdate: {setting}\n"));
        let mut command = omp(&home, &["-p", "x"]);
        for variable in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
            command.env(variable, &proxy);
        }
        let output = run(command, Some(b""), LIMIT);
        output.assert_success();
        assert_eq!(output.stderr, "");
        assert_eq!((server.requests().len(), server.other_requests().len()), (1, 0));
        let called = elsewhere.accept().err().map(|error| error.kind());
        assert_eq!(called, Some(std::io::ErrorKind::WouldBlock), "somebody was called through the proxy");
        server.finish();
    }
}

/// A first run without a terminal asks nothing, writes no settings, and says how to get a model.
#[test]
fn a_first_run_without_a_terminal_asks_nothing() {
    let home = omp_testkit::Home::new();
    let output = run(omp(&home, &["-p", "x"]), Some(b""), LIMIT);
    assert_eq!(output.code, Some(1), "{}", output.stderr);
    assert!(output.stderr.contains("no model available"), "{}", output.stderr);
    for way in ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "models.yml"] {
        assert!(output.stderr.contains(way), "{way}: {}", output.stderr);
    }
    run(omp(&home, &["--demo", "-p", "x"]), Some(b""), LIMIT).assert_success();
    assert!(!home.exists("home/.omp/agent/config.yml"));
}

/// The program is built for the oldest processors of its kind: what is faster on newer ones is chosen while it runs, and
/// none is needed. Code in C is compiled with the same defaults.
///
/// proves: TUI-167
#[test]
fn no_newer_processor_is_needed() {
    let newer = [
        ("sse3", cfg!(target_feature = "sse3")),
        ("sse4.2", cfg!(target_feature = "sse4.2")),
        ("popcnt", cfg!(target_feature = "popcnt")),
        ("avx", cfg!(target_feature = "avx")),
        ("avx2", cfg!(target_feature = "avx2")),
        ("lse", cfg!(target_feature = "lse")),
    ];
    let needed: Vec<&str> = newer.iter().filter(|(_, needed)| *needed).map(|(name, _)| *name).collect();
    // Every Mac has a processor of this century.
    assert!(needed.is_empty() || cfg!(target_os = "macos"), "{needed:?}");
    let flags = ["CFLAGS", "CXXFLAGS"].map(|name| std::env::var(name).unwrap_or_default());
    assert!(flags.iter().all(|flags| !flags.contains("-march")), "{flags:?}");
}

/// One file is the whole program: alone in an empty home, without a path or a network, it answers.
#[test]
fn the_program_is_one_file() {
    let home = omp_testkit::Home::new();
    let alone = home.path("omp");
    std::fs::copy(env!("CARGO_BIN_EXE_omp"), &alone).unwrap();
    let mut command = home.command(&alone);
    command.args(["--no-session", "--model", "demo", "-p", "hello"]).env_clear();
    command.env("HOME", home.home_dir()).current_dir(home.work_dir());
    let output = run(command, Some(b""), LIMIT);
    output.assert_success();
    assert!(output.stdout.contains("connect a real model"), "{}", output.stdout);
}
