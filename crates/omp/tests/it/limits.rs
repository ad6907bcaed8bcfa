//! Small limits: a sentence and an exit code, never a signal, and no file is damaged.

use omp_testkit::{Home, Output, Reply, Server, Wire, run};
use serde_json::{Value, json};

use crate::answer_bounds;
use crate::sessions::session_files;
use crate::support::{self, LIMIT};

const CONFIG: &str = "home/.omp/agent/config.yml";

/// The program under a limit that `bash` sets, in its units.
fn limited(home: &Home, limit: &str, args: &[&str]) -> Output {
    let mut command = home.command("bash");
    command.env("OMP", env!("CARGO_BIN_EXE_omp"));
    command.args(["-c", &format!("ulimit {limit}; exec \"$OMP\" \"$@\""), "bash"]).args(args);
    run(command, Some(b""), LIMIT)
}

fn assert_no_signal(output: &Output, what: &str) {
    let code = output.code.unwrap_or(-1);
    assert!((0..3).contains(&code), "{what}: {:?}\n{}{}", output.status, output.stdout, output.stderr);
    for words in ["panicked", "stack overflow", "RUST_BACKTRACE", "memory allocation of", "This is a bug"] {
        assert!(!output.stderr.contains(words), "{what}: {}", output.stderr);
    }
}

/// Every saved line is whole.
fn assert_sessions_sound(home: &Home, what: &str) {
    for file in session_files(home) {
        for line in std::fs::read_to_string(&file).unwrap().lines() {
            assert!(serde_json::from_str::<Value>(line).is_ok(), "{what}: {line}");
        }
    }
}

fn working() -> (Server, Home) {
    let server = Server::start([
        Reply::new()
            .tool_call("bash", json!({"_i": "x", "command": "echo from-the-command"}))
            .tool_call("read", json!({"_i": "x", "path": "deep.json"})),
        Reply::new().text("worked"),
    ]);
    let home = support::home(&server, Wire::OpenAiCompletions);
    home.write("work/deep.json", format!("{}{}", "[".repeat(5000), "]".repeat(5000)));
    (server, home)
}

// proves: SEC-048
#[test]
fn small_limits_end_in_a_sentence() {
    for (limit, expected) in [
        ("-s 64", Ok("worked\n")),
        ("-s 256", Ok("worked\n")),
        ("-n 64", Ok("worked\n")),
        ("-n 20", Err("the limit of 20 open files is too low")),
        ("-n 5", Err("the limit of 5 open files is too low")),
        ("-u unlimited", Ok("worked\n")),
    ] {
        let (_server, home) = working();
        let output = limited(&home, limit, &["-p", "go", "--yolo"]);
        assert_no_signal(&output, limit);
        match expected {
            Ok(said) => assert_eq!(
                (output.stdout.as_str(), output.code),
                (said, Some(0)),
                "{limit}: {}",
                output.stderr
            ),
            Err(words) => {
                assert_eq!(output.code, Some(1), "{limit}");
                assert!(
                    output.stderr.starts_with("Error: ") && output.stderr.contains(words),
                    "{}",
                    output.stderr
                );
                assert!(session_files(&home).is_empty(), "nothing was begun");
            }
        }
        assert_sessions_sound(&home, limit);
    }
    // In between it depends on the machine what is refused; nothing dies.
    for limit in ["-n 24", "-n 28", "-n 32", "-n 40"] {
        let (_server, home) = working();
        assert_no_signal(&limited(&home, limit, &["-p", "go", "--yolo"]), limit);
        assert_sessions_sound(&home, limit);
    }
}

/// The smallest limit, in megabytes, under which the program begins to work.
fn least_memory(home: &Home) -> u64 {
    let reaches = |megabytes: u64| limited(home, &format!("-v {}", megabytes * 1024), &["--version"]);
    let mut reached = false;
    for megabytes in (40..1000).step_by(12) {
        let output = reaches(megabytes);
        let told = output.stderr.contains("the memory limit leaves");
        // Before that the system cannot even load it.
        assert!(
            !reached || told || output.code == Some(0),
            "{megabytes} MB: {:?} {}",
            output.status,
            output.stderr
        );
        reached |= told || output.code == Some(0);
        assert!(!told || output.code == Some(1));
        if output.code == Some(0) {
            return megabytes;
        }
    }
    panic!("no limit is large enough");
}

// proves: SEC-048
#[test]
fn memory_that_runs_out_is_said() {
    let home = Home::new();
    let least = least_memory(&home);
    for (kind, flood, _) in answer_bounds::floods().into_iter().take(3) {
        let home = answer_bounds::home(answer_bounds::serve(flood));
        for more in [0, 16] {
            let limit = format!("-v {}", (least + more) * 1024);
            let output = limited(&home, &limit, &["-p", "go", "--yolo"]);
            assert_no_signal(&output, &format!("{kind}, {limit}"));
            assert!(output.code == Some(0) || output.stderr.contains("Error: "), "{kind}: {}", output.stderr);
            assert_sessions_sound(&home, kind);
        }
    }
}

/// What may not grow stays as it was, and it is said.
// proves: SEC-048
#[test]
fn files_that_may_not_grow_stay_whole() {
    let text = "long ".repeat(20_000);
    let server = Server::start([
        Reply::new().text("first"),
        Reply::new().tool_call("write", json!({"_i": "x", "path": "kept.txt", "content": text})),
        Reply::new().text("second"),
    ]);
    let home = support::home(&server, Wire::OpenAiCompletions);
    home.write("work/kept.txt", "as it was\n");
    home.write("work/page.html", "the old page");
    home.write(CONFIG, "# mine\ntheme:\n  dark: titanium\n");
    support::omp_run(&home, &["-p", "go"]).assert_success();
    let session = session_files(&home)[0].clone();
    let before = std::fs::read_to_string(&session).unwrap();

    // Everything that is there is larger than this already.
    let output = limited(&home, "-f 1", &["-c", "-p", "again"]);
    assert_no_signal(&output, "-f 1");
    assert!(output.stderr.contains("File too large"), "{}", output.stderr);
    let after = std::fs::read_to_string(&session).unwrap();
    assert!(after.starts_with(&before), "what was saved is there");
    assert_sessions_sound(&home, "-f 1");
    assert_eq!(home.read("work/kept.txt"), "as it was\n");
    let refused = server.requests()[2].body.to_string();
    assert!(refused.contains("File too large"), "the model is told: {refused}");

    let output = limited(&home, "-f 0", &["config", "set", "theme.dark", "amber"]);
    assert_no_signal(&output, "config set");
    assert_eq!(output.code, Some(1));
    assert_eq!(home.read(CONFIG), "# mine\ntheme:\n  dark: titanium\n");
    let output = limited(&home, "-f 1", &["--export", session.to_str().unwrap(), "page.html"]);
    assert_no_signal(&output, "export");
    assert!(output.code == Some(1) && output.stderr.contains("File too large"), "{}", output.stderr);
    assert_eq!(home.read("work/page.html"), "the old page");
    let left: Vec<String> = home.list_files().into_iter().filter(|path| path.ends_with(".tmp")).collect();
    assert!(left.is_empty(), "{left:?}");
    server.finish();
}
