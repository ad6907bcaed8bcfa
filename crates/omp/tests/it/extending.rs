//! The examples of docs/extending.md, as they stand there, and those that `omp extensions new` writes.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use omp_testkit::{Home, Output, Reply, Server};
use serde_json::{Value, json};

use crate::extensions::{done, scripted};
use crate::support::{LIMIT, omp, omp_run};

/// A file of the page: the heading above it, where it belongs, what is in it.
struct Example {
    section: String,
    place: String,
    is_executable: bool,
    text: String,
}

fn examples() -> Vec<Example> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/extending.md");
    let page = std::fs::read_to_string(page).expect("docs/extending.md");
    let (mut section, mut named, mut found) = (String::new(), None, Vec::new());
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(heading) = line.strip_prefix("## ") {
            section = heading.to_owned();
        } else if line.starts_with("```") {
            let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            if let Some((place, is_executable)) = named.take() {
                let text = text.join("\n") + "\n";
                found.push(Example { section: section.clone(), place, is_executable, text });
            }
        } else if let Some((place, rest)) = line.strip_prefix('`').and_then(|rest| rest.split_once('`')) {
            named = matches!(rest, "" | " (executable)").then(|| (place.to_owned(), !rest.is_empty()));
        }
    }
    found
}

/// A home with the files of a section, and a model that gives these answers.
fn with(section: &str, replies: Vec<Reply>) -> (Home, Server) {
    let (home, server) = scripted(replies);
    let files: Vec<Example> = examples().into_iter().filter(|file| file.section == section).collect();
    assert!(!files.is_empty(), "no example of {section}");
    for file in files {
        let place = match file.place.strip_prefix("~/") {
            Some(rest) => format!("home/{rest}"),
            None => format!("work/{}", file.place),
        };
        let path = home.write(place, &file.text);
        if file.is_executable {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
    (home, server)
}

fn call(tool: &str, arguments: Value) -> Reply {
    let mut given = arguments;
    given["_i"] = "as asked".into();
    Reply::new().tool_call(tool, given)
}

fn run(home: &Home, arguments: &[&str]) -> Output {
    let output = omp_run(home, arguments);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(!output.stderr.contains("not loaded"), "{output:?}");
    output
}

/// Everything that the model was sent, as text.
fn told(server: &Server) -> String {
    server.requests().iter().map(|request| request.body["messages"].to_string()).collect()
}

#[test]
fn the_extension() {
    let long = "word ".repeat(3000);
    let calls = vec![
        call("word_count", json!({"text": "three small words"})),
        call("word_count", json!({"text": long})),
        done(),
    ];
    let (home, server) = with("Extension", calls);
    run(&home, &["-p", "go", "--yolo"]);
    let told = told(&server);
    assert!(told.contains("3 words") && told.contains("too long: count the words of a part"), "{told}");
    run(&home, &["-p", "/word-count", "--continue"]);
    server.finish();
}

#[test]
fn the_hook_module() {
    let (home, server) = with(
        "Hook module",
        vec![
            call("bash", json!({"command": "git push"})),
            call("bash", json!({"command": "echo fine"})),
            done(),
        ],
    );
    run(&home, &["-p", "go", "--yolo"]);
    let told = told(&server);
    assert!(told.contains("push by hand") && told.contains("fine"), "{told}");
    server.finish();
}

#[test]
fn the_command_hook() {
    let write = |path: &str| call("write", json!({"path": path, "content": "mine\n"}));
    let (home, server) = with("Command hook", vec![write("LICENSE"), write("NOTES"), done()]);
    run(&home, &["-p", "go", "--yolo"]);
    assert!(told(&server).contains("the licence is not ours to change"));
    assert!(!home.exists("work/LICENSE") && home.exists("work/NOTES"));
    server.finish();
}

#[test]
fn the_custom_tool() {
    let calls = vec![call("dice", json!({"sides": 6})), call("dice", json!({"sides": 1})), done()];
    let (home, server) = with("Custom tool", calls);
    run(&home, &["-p", "go", "--yolo"]);
    let told = told(&server);
    assert!(told.contains("of 6") && !told.contains("of 1\""), "{told}");
    server.finish();
}

#[test]
fn the_skill() {
    let (home, server) = with("Skill", vec![done()]);
    run(&home, &["-p", "/skill:release-notes"]);
    assert!(told(&server).contains("Group changes by what users notice"));
    server.finish();
}

#[test]
fn the_markdown_command() {
    let (home, server) = with("Markdown command", vec![done()]);
    run(&home, &["-p", "/explain src/main.rs"]);
    assert!(told(&server).contains("Explain src/main.rs to somebody"));
    server.finish();
}

#[test]
fn the_code_command() {
    let (home, server) = with("Code command", vec![done()]);
    let git = |arguments: &[&str]| {
        let done = home.command("git").args(arguments).output().expect("git");
        assert!(done.status.success(), "{done:?}");
    };
    git(&["init", "-q"]);
    let author = ["-c", "user.name=You", "-c", "user.email=you@example.org"];
    git(&[&author[..], &["commit", "-q", "--allow-empty", "-m", "a first step"]].concat());
    run(&home, &["-p", "/changes 3"]);
    assert!(told(&server).contains("a first step"));
    server.finish();
}

#[test]
fn the_plugin() {
    let (home, server) = with("Plugin", vec![done()]);
    run(&home, &["-p", "go", "--trusted-extension", "greeter"]);
    assert!(told(&server).contains("Greet the user first."));
    server.finish();
}

#[test]
fn every_example_is_run() {
    let sections: BTreeSet<String> = examples().into_iter().map(|example| example.section).collect();
    let run = [
        "Code command",
        "Command hook",
        "Custom tool",
        "Extension",
        "Hook module",
        "Markdown command",
        "Plugin",
        "Skill",
    ];
    assert_eq!(sections.into_iter().collect::<Vec<_>>(), run);
}

/// What `new` writes works as it is, and nothing is written over.
#[test]
fn a_new_extension_works() {
    let calls = vec![
        call("count_it", json!({"text": "one two"})),
        call("lines_here", json!({"directory": "."})),
        call("bash", json!({"command": "rm -rf x"})),
        done(),
    ];
    let (home, server) = scripted(calls);
    home.write("work/kept.txt", "a\nb\n");
    for arguments in [vec!["init", "-q"], vec!["add", "kept.txt"]] {
        let done = home.command("git").args(arguments).output().expect("git");
        assert!(done.status.success(), "{done:?}");
    }
    run(&home, &["extensions", "new", "count-it"]);
    run(&home, &["extensions", "new", "lines-here", "--kind", "tool"]);
    run(&home, &["extensions", "new", "bash", "--kind", "hook"]);
    run(&home, &["extensions", "new", "look", "--kind", "command"]);
    run(&home, &["-p", "go", "--yolo"]);
    let told = told(&server);
    for said in ["2 words", "1 files, 2 lines", "are not allowed here"] {
        assert!(told.contains(said), "{said}: {told}");
    }
    let listed = run(&home, &["extensions", "list"]).stdout;
    for name in [
        "count-it (user, extension)",
        "lines-here (user, tool)",
        "pre/bash (user, hook)",
        "look (user, command)",
    ] {
        assert!(listed.contains(name), "{name}: {listed}");
    }
    let again = omp_run(&home, &["extensions", "new", "count-it"]);
    assert!(again.code == Some(1) && again.stderr.contains("exists already"), "{again:?}");
    for wrong in ["help", "../up", "Big"] {
        assert_eq!(omp_run(&home, &["extensions", "new", wrong]).code, Some(1), "{wrong}");
    }
    server.finish();
}

/// The doctor names what is not offered, what cannot be loaded and what is not trusted; only what is broken is an error.
#[test]
fn the_doctor_says_what_does_not_work() {
    let (home, server) = scripted([done()]);
    let doctor = || omp_run(&home, &["extensions", "doctor", "--json"]);
    home.write(
        "home/.omp/agent/extensions/odd.ts",
        "import { DefaultResourceLoader, truncateHead } from '@oh-my-pi/pi-coding-agent';\nimport { createConnection } from 'node:dgram';\n\
         import left from 'left-pad';\nimport { readFileSync } from 'node:fs';\n\
         export default () => void [DefaultResourceLoader, truncateHead, createConnection, readFileSync];\nexport const x = () => left;\n",
    );
    home.write("work/.omp/extensions/theirs.ts", "export default () => undefined;");
    let first = doctor();
    let report: Value =
        serde_json::from_str(&first.stdout).unwrap_or_else(|error| panic!("{error}: {first:?}"));
    let row = |name: &str| {
        let rows = report["extensions"].as_array().cloned().unwrap_or_default();
        rows.into_iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("{name}: {report}"))
    };
    let odd = row("odd");
    let lacking = &odd["notOffered"];
    assert_eq!(lacking["@oh-my-pi/pi-coding-agent"], json!(["DefaultResourceLoader"]), "{odd}");
    assert_eq!(lacking["node:dgram"], json!([]), "{odd}");
    assert_eq!(lacking["left-pad"], json!([]), "{odd}");
    assert_eq!(lacking.get("node:fs"), None, "{odd}");
    assert!(row("theirs")["refused"].is_string(), "{report}");
    // The package is not there, so it cannot be loaded.
    assert_eq!((first.code, &report["errors"]), (Some(1), &json!(1)), "{report}");
    home.write("home/.omp/agent/extensions/odd.ts", "export default () => undefined;");
    let second = doctor();
    assert_eq!(second.code, Some(0), "{second:?}");
    home.write("home/.omp/agent/extensions/broken.ts", "export default (");
    let third = omp_run(&home, &["extensions", "doctor"]);
    assert!(third.code == Some(1) && third.stdout.contains("broken.ts:1"), "{third:?}");
    drop(server);
}

/// Without a runtime for processes, the extension that needs one says so and the others load.
// proves: IOP-027
#[test]
fn an_extension_that_needs_a_process_says_what_is_missing() {
    let (home, server) = scripted([done()]);
    home.write(
        "home/.omp/agent/extensions/threads.ts",
        "import { Worker } from 'node:worker_threads';\nexport default () => void Worker;\n",
    );
    home.write(
        "home/.omp/agent/extensions/plain.ts",
        crate::extensions::factory("pi.on('session_start', () => log('plain'));"),
    );
    // The oldest of them is too old, and there is no other.
    let node = home.write("bin/node", "#!/bin/sh\necho v20.1.0\n");
    std::fs::set_permissions(&node, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = home.path("bin").display().to_string();
    let mut command = omp(&home, &["-p", "go"]);
    command.env("PATH", &path);
    let output = omp_testkit::run(command, Some(b""), LIMIT);
    assert!(
        output.stderr.contains("neither Bun") && output.stderr.contains("(found: node 20.1.0)"),
        "{output:?}"
    );
    assert_eq!(crate::extensions::log(&home), ["plain"]);
    server.finish();
}
