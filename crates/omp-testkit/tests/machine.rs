//! Homes, programs and process trees, with real processes.

mod common;

use omp_testkit::process::PeakMemory;
use omp_testkit::{
    Home, ModelOptions, Process, ProcessTree, Reply, Server, Wire, run, start, survivors, wait_gone,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

const SOON: Duration = Duration::from_secs(10);

#[test]
fn a_home_is_hermetic() {
    let home = Home::new();
    let output = run(home.command("env"), None, SOON);
    output.assert_success();
    let variable = |name: &str| {
        output.stdout.lines().find_map(|line| line.strip_prefix(&format!("{name}="))).map(str::to_owned)
    };
    assert_eq!(variable("HOME"), Some(home.home_dir().display().to_string()));
    assert_eq!(variable("LANG").as_deref(), Some("C.UTF-8"));
    assert_eq!(variable("NO_PROXY").as_deref(), Some("127.0.0.1,localhost"));
    assert_eq!(variable("OLLAMA_BASE_URL").as_deref(), Some("http://127.0.0.1:9"));
    assert!(variable("CARGO_MANIFEST_DIR").is_none(), "the environment of the test is gone");
    assert!(variable("PI_CODING_AGENT_DIR").is_none());
    let directory = run(home.command("pwd"), None, SOON).stdout;
    assert_eq!(directory.trim(), home.work_dir().canonicalize().unwrap().display().to_string());
}

#[test]
fn files_of_a_home() {
    let home = Home::new();
    assert!(home.list_files().is_empty());
    home.write("work/sub/a.txt", "hi");
    home.write("home/.omp/agent/config.yml", "x: 1");
    assert_eq!(home.list_files(), ["home/.omp/agent/config.yml", "work/sub/a.txt"]);
    assert_eq!(home.read("work/sub/a.txt"), "hi");
    assert!(home.agent_dir().join("config.yml").exists());
    let root = home.root().to_owned();
    drop(home);
    assert!(!root.exists());
}

#[test]
fn models_yml() {
    let (home, server) = (Home::new(), Server::start(Reply::new()));
    let options = ModelOptions::new()
        .reasoning(true)
        .provider("headers:\n  X-A: b")
        .model("compat: {supportsStore: false}");
    home.models_yml(&server, Wire::OpenAiResponses, options);
    let expected = format!(
        "providers:
  test:
    baseUrl: {}/v1
    api: openai-responses
    apiKey: test-key
    headers:
      X-A: b
    models:
      - id: scripted
        contextWindow: 200000
        maxTokens: 8192
        reasoning: true
        input: [text, image]
        cost: {{input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1.25}}
        compat: {{supportsStore: false}}
",
        server.base_url()
    );
    assert_eq!(home.read("home/.omp/agent/models.yml"), expected);
    home.models_yml(&server, Wire::AnthropicMessages, ModelOptions::new());
    assert!(home.read("home/.omp/agent/models.yml").contains(&format!("baseUrl: {}\n", server.base_url())));
}

#[test]
fn run_reports_what_happened() {
    let home = Home::new();
    let output = run(home.command("sh").args(["-c", "cat; echo oops >&2; exit 3"]), Some(b"input"), SOON);
    assert_eq!((output.code, output.signal), (Some(3), None));
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("input", "oops\n"));
    let killed = run(home.command("sh").args(["-c", "kill -9 $$"]), None, SOON);
    assert_eq!((killed.code, killed.signal), (None, Some(9)));
    let large = vec![b'x'; 1 << 20];
    assert_eq!(run(home.command("cat"), Some(&large), SOON).stdout_bytes, large);
}

#[test]
fn a_timeout_kills_the_group_and_shows_the_output() {
    let home = Home::new();
    let marker = format!("omp-testkit-timeout-{}", std::process::id());
    let mut command = home.command("sh");
    command.args(["-c", "echo before; sleep 60 & sleep 60"]).env("MARKER", &marker);
    let panic =
        catch_unwind(AssertUnwindSafe(|| run(&mut command, None, Duration::from_millis(300)))).unwrap_err();
    let text = panic.downcast_ref::<String>().unwrap();
    assert!(text.contains("did not end within 300ms") && text.contains("before"), "{text}");
    wait_gone(&marker, SOON).expect("the whole group is gone");
}

#[test]
fn output_held_open_is_reported() {
    let home = Home::new();
    let mut command = home.command("sh");
    command.args(["-c", "sleep 60 & echo done"]);
    let panic =
        catch_unwind(AssertUnwindSafe(|| run(&mut command, None, Duration::from_millis(300)))).unwrap_err();
    assert!(panic.downcast_ref::<String>().unwrap().contains("keeps its output open"));
}

#[test]
fn a_running_program_can_be_talked_to() {
    let home = Home::new();
    let mut cat = start(home.command("cat"));
    cat.write(b"one\n");
    cat.wait_for_stdout("one\n", SOON);
    cat.write(b"two\n");
    cat.close_stdin();
    assert_eq!(cat.wait(SOON).stdout, "one\ntwo\n");
    let sleeper = start(home.command("sleep").arg("60"));
    sleeper.signal(15);
    assert_eq!(sleeper.wait(SOON).signal, Some(15));
}

#[test]
fn trees_survivors_and_their_end() {
    let home = Home::new();
    let marker = format!("omp-testkit-tree-{}", std::process::id());
    let mut command = home.command("sh");
    command.args(["-c", "sleep 61 & sh -c 'sleep 62; true' & wait"]).env("MARKER", &marker);
    let running = start(&mut command);
    let deadline = Instant::now() + SOON;
    let tree = loop {
        let tree = ProcessTree::of(running.pid());
        if tree.processes.iter().filter(|process| process.cmdline.starts_with("sleep")).count() == 2 {
            break tree;
        }
        assert!(Instant::now() < deadline, "{tree:?}");
        std::thread::sleep(Duration::from_millis(5));
    };
    assert_eq!(tree.pids()[0], running.pid());
    assert!(tree.descendants().iter().all(|process| process.pgid == running.pid()));
    assert!(survivors(&marker).len() >= 3);
    assert!(wait_gone(&marker, Duration::from_millis(20)).is_err());
    drop(running);
    wait_gone(&marker, SOON).unwrap();
}

#[test]
fn a_name_with_parentheses_does_not_confuse_stat() {
    let home = Home::new();
    let script = home.write("work/a) b (c", "#!/bin/sh\nsleep 60\n");
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let running = start(home.command(&script));
    assert_eq!(Process::of(running.pid()).unwrap().ppid, std::process::id());
}

#[test]
fn peak_memory_of_a_tree() {
    let home = Home::new();
    let running = start(home.command("sh").args(["-c", "sleep 0.2; true"]));
    let peak = PeakMemory::until_exit(running.pid(), Duration::from_millis(5));
    assert!(peak.samples > 1);
    assert!(peak.rss > 100_000, "{peak:?}");
    assert!(peak.high_water >= peak.rss);
    running.wait(SOON).assert_success();
}

#[test]
fn the_program_serves_until_its_input_closes() {
    let home = Home::new();
    let record = home.path("record.jsonl");
    let mut command = home.command(env!("CARGO_BIN_EXE_omp-scripted-model"));
    command.args(["--builtin", "one-turn", "--record"]).arg(&record);
    let mut program = start(&mut command);
    program.wait_for_stdout("\n", SOON);
    let url = program.stdout_so_far().trim().to_owned();
    let address = url.strip_prefix("http://").expect("a base URL").to_owned();
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    let wire = Wire::OpenAiResponses;
    let body = common::minimal(wire).to_string();
    let request = common::request_bytes(&common::path(wire), &common::default_headers(wire), body.as_bytes());
    std::io::Write::write_all(&mut stream, &request).unwrap();
    assert!(common::read_response(&mut stream).text().contains("scripted model"));
    program.close_stdin();
    program.wait(SOON).assert_success();
    let line: serde_json::Value = serde_json::from_str(home.read("record.jsonl").trim()).unwrap();
    assert_eq!((line["index"].as_u64(), line["wire"].as_str()), (Some(0), Some("openai-responses")));
    assert!(line["monotonic_ns"].is_u64() && line["unix_ns"].as_u64().unwrap() > 1_700_000_000_000_000_000);
}

#[test]
fn the_program_explains_mistakes() {
    let home = Home::new();
    let program = || home.command(env!("CARGO_BIN_EXE_omp-scripted-model"));
    for (arguments, part) in [
        (&["--nonsense"][..], "unknown argument"),
        (&["--builtin", "x"][..], "no built-in scenario"),
        (&["--scenario", "gone.json"][..], "gone.json"),
        (&[][..], "give --scenario or --builtin"),
    ] {
        let output = run(program().args(arguments), None, SOON);
        assert_eq!(output.code, Some(2));
        assert!(output.stderr.contains(part), "{}", output.stderr);
    }
}
