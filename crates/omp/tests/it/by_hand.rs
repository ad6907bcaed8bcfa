//! Tools by hand: `omp read`, `omp grep`, `omp shell`.

use std::io::Write;

use omp_testkit::terminal::{Answers, Terminal};
use omp_testkit::{Home, ModelOptions, Reply, Server, Wire, run};
use serde_json::json;

use crate::support::{LIMIT, omp_run};

/// What the tool gives a model for a path, in a session of the same home.
fn given(home: &Home, path: &str) -> String {
    let server = Server::start([
        Reply::new().tool_call("read", json!({"_i": "x", "path": path})),
        Reply::new().text("done"),
    ]);
    home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
    omp_run(home, &["-p", "go"]).assert_success();
    let body = server.requests()[1].body.clone();
    server.finish();
    let result =
        body["messages"].as_array().unwrap().iter().find(|message| message["role"] == "tool").cloned();
    match &result.expect("a result")["content"] {
        serde_json::Value::String(text) => text.clone(),
        blocks => blocks[0]["text"].as_str().unwrap().to_owned(),
    }
}

/// One page for one request.
fn page() -> (String, std::thread::JoinHandle<()>) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/page.txt", listener.local_addr().unwrap());
    let serving = std::thread::spawn(move || {
        for _ in 0..2 {
            let (mut stream, _) = listener.accept().unwrap();
            let mut buffer = [0; 4096];
            let _ = std::io::Read::read(&mut stream, &mut buffer).unwrap();
            let body = "words from the web\n";
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nconnection: close\r\ncontent-length";
            write!(stream, "{head}: {}\r\n\r\n{body}", body.len()).unwrap();
        }
    });
    (address, serving)
}

/// proves: CLI-093
#[test]
fn a_file_is_read_as_the_model_reads_it() {
    let home = Home::new();
    let lines: String = (1..=4000).map(|line| format!("line number {line}\n")).collect();
    home.write("work/long.txt", &lines);
    home.write("work/short.txt", "only this\n");
    home.write("home/.omp/agent/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: d\n---\nRead them\n");
    archive(&home);
    database(&home);
    for path in [
        "short.txt",
        "long.txt",
        "long.txt:10-12",
        "skill://pdf",
        "bundle.tar",
        "bundle.tar:inside.txt",
        "some.db:t",
        ".",
    ] {
        let output = omp_run(&home, &["read", path]);
        output.assert_success();
        assert_eq!(output.stdout.trim_end(), given(&home, path).trim_end(), "{path}");
    }
    let (address, serving) = page();
    let output = omp_run(&home, &["read", &address]);
    output.assert_success();
    assert!(output.stdout.contains("words from the web"), "{}", output.stdout);
    assert_eq!(output.stdout.trim_end(), given(&home, &address).trim_end());
    serving.join().unwrap();

    let pixel = [
        0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, b'I', b'H', b'D', b'R', 0, 0, 0, 1, 0,
        0, 0, 1, 8, 6, 0, 0, 0, 0x1f, 0x15, 0xc4, 0x89, 0, 0, 0, 0x0a, b'I', b'D', b'A', b'T', 0x78, 0x9c,
        0x63, 0, 1, 0, 0, 5, 0, 1, 0x0d, 0x0a, 0x2d, 0xb4, 0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xae, 0x42,
        0x60, 0x82,
    ];
    home.write("work/dot.png", pixel);
    let output = omp_run(&home, &["read", "dot.png"]);
    output.assert_success();
    assert!(
        output.stdout.contains(&format!("[image content: image/png, {} bytes", pixel.len())),
        "{}",
        output.stdout
    );

    let output = omp_run(&home, &["read", "missing.txt"]);
    assert_eq!((output.code, output.stdout.as_str()), (Some(1), ""));
    assert!(output.stderr.contains("missing.txt"), "{}", output.stderr);
}

fn archive(home: &Home) {
    home.write("work/inside.txt", "from the archive\n");
    let mut command = home.command("tar");
    command.args(["-cf", "bundle.tar", "inside.txt"]);
    run(command, None, LIMIT).assert_success();
}

fn database(home: &Home) {
    let connection = rusqlite::Connection::open(home.work_dir().join("some.db")).unwrap();
    connection
        .execute_batch("CREATE TABLE t (id INTEGER, name TEXT); INSERT INTO t VALUES (1, 'Ann');")
        .unwrap();
}

/// proves: CLI-094
#[test]
fn files_are_searched_by_hand() {
    let home = Home::new();
    home.write("work/.git/HEAD", "ref: refs/heads/main\n");
    home.write("work/.gitignore", "ignored/\n");
    home.write("work/ignored/x.rs", "needle\n");
    let body: String = (1..=30)
        .map(|line| if line % 3 == 0 { format!("needle {line}\n") } else { format!("hay {line}\n") })
        .collect();
    home.write("work/src/many.rs", &body);
    home.write("work/src/deep/one.txt", "a\nb\nc\nneedle here\nd\ne\nf\n");
    home.write("work/src/more.rs", "needle\n".repeat(15));
    let grep = |args: &[&str]| {
        let output = omp_run(&home, &[&["grep"], args].concat());
        output.assert_success();
        output.stdout
    };
    let text = grep(&["needle"]);
    assert!(text.starts_with("Total matches: 26\nFiles with matches: 3\n"), "{text}");
    let shown = |text: &str| {
        text.lines()
            .filter(|line| {
                line.trim_start().split_once(": ").is_some_and(|(number, _)| number.parse::<u32>().is_ok())
            })
            .count()
    };
    assert_eq!(shown(&text), 20, "{text}");
    assert!(text.contains("Showing 20 of 26 matches"), "{text}");
    assert!(
        text.contains("  2- b\n  3- c\n  4: needle here\n  5- d\n  6- e\n") && !text.contains("1- a"),
        "{text}"
    );
    assert!(!text.contains("ignored"));
    assert_eq!(shown(&grep(&["needle", "-l", "3"])), 3);
    assert!(grep(&["needle", "src/deep", "-C", "0"]).ends_with("src/deep/one.txt\n  4: needle here\n"));
    assert!(grep(&["needle", "src/deep/one.txt"]).contains("4: needle here"));
    let text = grep(&["needle", "-g", "*.rs", "-f"]);
    assert!(text.ends_with("src/many.rs\nsrc/more.rs\n"), "{text}");
    assert!(grep(&["needle", "-c"]).ends_with("src/deep/one.txt: 1\nsrc/many.rs: 10\nsrc/more.rs: 15\n"));
    assert!(grep(&["needle", "--no-gitignore", "-f"]).contains("ignored/x.rs"));
    assert!(grep(&["ne+dle h\\w"]).contains("needle here"), "it is an expression");
    for args in [&["grep"][..], &["grep", ""], &["grep", "("], &["grep", "x", "nowhere"]] {
        let output = omp_run(&home, args);
        let wanted = if args == ["grep", "("] { 0 } else { 1 };
        assert_eq!(output.code, Some(wanted), "{args:?}: {}{}", output.stdout, output.stderr);
    }
}

/// proves: CLI-096
#[test]
fn a_console_keeps_its_state() {
    let home = Home::new();
    home.write("work/below/here.txt", "");
    home.write("home/.bashrc", "alias greet='echo greeted-by-alias'\n");
    let output = omp_run(&home, &["shell"]);
    assert_eq!(output.code, Some(1));
    assert!(output.stderr.contains("needs a terminal"), "{}", output.stderr);

    let start = |args: &[&str]| {
        let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
        command.args(args);
        let mut terminal = Terminal::start(command, 40, 100, Answers::Kind);
        terminal.wait_for("omp$");
        terminal
    };
    let mut terminal = start(&["shell", "-C", "below", "-t", "300"]);
    terminal.send("ls; X=kept; cd ..\n").wait_for("here.txt");
    terminal.send("echo \"$X-$(basename $PWD)\"\n").wait_for("kept-work");
    terminal.send(".help\n").wait_for("working directory persist");
    terminal.send("sleep 60\n").wait_for("timed out after 0.3 seconds");
    terminal.send("false\n").wait_for("[exit 1]");
    terminal.send(".exit\n");
    assert!(terminal.wait_exit().success());

    let mut terminal = start(&["shell", "--no-snapshot"]);
    // What it says is shown while it runs.
    terminal.send("echo be'gun'; sleep 600\n").wait_for("begun").send("\x03").wait_for("[Command cancelled]");
    terminal.send("echo still-there | tr a-z A-Z\n").wait_for("STILL-THERE");
    terminal.wait_until("the next prompt", |screen| screen.trim_end().ends_with("omp$")).send("\x03");
    assert!(terminal.wait_exit().success());

    let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
    command.args(["shell", "-C", "nowhere"]);
    let mut terminal = Terminal::start(command, 10, 80, Answers::Kind);
    terminal.wait_for("cannot use nowhere");
    assert_eq!(terminal.wait_exit().code(), Some(1));
}
