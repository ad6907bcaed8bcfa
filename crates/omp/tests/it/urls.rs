//! Internal URLs, as a model uses them: one router behind every tool.

use std::path::{Path, PathBuf};

use omp_testkit::{Home, Reply, Server, Wire};
use serde_json::{Value, json};

use crate::sessions::{lines, session_files};
use crate::support::{home, omp_run};

pub(crate) fn call(tool: &str, arguments: Value) -> Reply {
    let mut arguments = arguments;
    arguments["_i"] = json!("x");
    Reply::new().tool_call(tool, arguments)
}

pub(crate) fn read(path: &str) -> Reply {
    call("read", json!({ "path": path }))
}

pub(crate) fn write(path: &str, content: &str) -> Reply {
    call("write", json!({ "path": path, "content": content }))
}

pub(crate) fn bash(command: &str) -> Reply {
    call("bash", json!({ "command": command }))
}

/// What a tool answered.
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) details: Value,
    pub(crate) failed: bool,
}

/// Runs one session in which the model makes these calls, and returns what it was told.
pub(crate) fn answers(home: &Home, calls: Vec<Reply>) -> Vec<Answer> {
    let count = calls.len();
    let server = Server::start(calls.into_iter().chain([Reply::new().text("done")]).collect::<Vec<_>>());
    home.models_yml(&server, Wire::OpenAiCompletions, omp_testkit::ModelOptions::new());
    omp_run(home, &["-p", "x", "--yolo"]).assert_success();
    server.finish();
    let saved = session_files(home).into_iter().flat_map(|file| lines(&file));
    let results = saved.filter(|line| line["message"]["role"] == "toolResult");
    let answers: Vec<Answer> = results.map(|line| answer(&line["message"])).collect();
    assert_eq!(answers.len(), count);
    answers
}

fn answer(message: &Value) -> Answer {
    let texts = message["content"].as_array().unwrap().iter().filter_map(|block| block["text"].as_str());
    Answer {
        text: texts.collect::<Vec<_>>().join("\n"),
        details: message["details"].clone(),
        failed: message["isError"] == true,
    }
}

/// The directory beside the only session.
pub(crate) fn artifacts(home: &Home) -> PathBuf {
    session_files(home)[0].with_extension("")
}

fn errors(home: &Home, urls: &[&str], expected: &str) {
    let answers = answers(home, urls.iter().map(|url| read(url)).collect());
    for (url, answer) in urls.iter().zip(answers) {
        assert!(answer.failed && answer.text.contains(expected), "{url}: {}", answer.text);
    }
}

/// Written through its URL, read back in both spellings, listed, and edited by the anchors of a read.
// proves: CLI-240, FIL-088
#[test]
fn the_scratch_area_is_written_read_and_edited() {
    let home = Home::new();
    let answers = answers(
        &home,
        vec![
            read("local://"),
            write("local://notes/plan.md", "hello\n"),
            read("local://notes/plan.md"),
            read("LOCAL:/notes/plan.md:raw"),
            read("local://"),
            // 5BF9 is the tag of a file that says hello.
            call("edit", json!({ "input": "[local://notes/plan.md#5BF9]\nSWAP 1.=1:\n+goodbye" })),
            read("local://notes"),
            read("local://notes/other.md"),
        ],
    );
    let root = artifacts(&home).join("local");
    assert_eq!(answers[0].text.trim_end(), format!("Root: {}\n(empty)", root.display()));
    assert_eq!(answers[1].text, "Successfully wrote 6 bytes to local://notes/plan.md");
    assert_eq!(answers[1].details, json!({}));
    assert_eq!(answers[2].text, "[local://notes/plan.md#5BF9]\n1:hello");
    assert_eq!(answers[2].details["contentType"], "text/markdown");
    assert_eq!(answers[3].text, "hello\n");
    let listed = format!("Root: {}\n1 file\n\n- [notes/plan.md](local://notes/plan.md) (6B)", root.display());
    assert_eq!(answers[4].text.trim_end(), listed);
    assert!(!answers[5].failed && answers[5].text.contains("local://notes/plan.md"), "{}", answers[5].text);
    assert_eq!(std::fs::read_to_string(root.join("notes/plan.md")).unwrap(), "goodbye\n");
    assert!(answers[6].text.starts_with("plan.md  8B"), "{}", answers[6].text);
    let missing = "File not found: local://notes/other.md. There are: local://notes/plan.md.";
    assert_eq!((answers[7].text.as_str(), answers[7].failed), (missing, true));
}

/// A session that is never saved has its scratch area among the temporary files, and keeps nothing that `artifact://`
/// could read.
// proves: SES-104
#[test]
fn a_session_in_memory_has_a_scratch_area_but_no_artifacts() {
    let calls = [
        write("local://a.md", "x\n"),
        read("local://"),
        bash("seq 1 100000"),
        read("artifact://0"),
        read("agent://A"),
    ];
    let server = Server::start(calls.into_iter().chain([Reply::new().text("done")]).collect::<Vec<_>>());
    let home = home(&server, Wire::OpenAiCompletions);
    omp_run(&home, &["-p", "x", "--no-session", "--yolo"]).assert_success();
    let body = server.requests().last().unwrap().body.clone();
    server.finish();
    let messages = body["messages"].as_array().unwrap().clone();
    let told: Vec<&str> = messages
        .iter()
        .filter(|message| message["role"] == "tool")
        .map(|message| message["content"].as_str().unwrap())
        .collect();
    let root = told[1].lines().next().unwrap().strip_prefix("Root: ").unwrap();
    assert_eq!(std::fs::read_to_string(Path::new(root).join("a.md")).unwrap(), "x\n");
    assert_eq!(Path::new(root).parent().unwrap().file_name().unwrap(), "omp-local");
    assert!(Path::new(root).starts_with(home.root()), "{root}");
    assert!(told[2].contains("[Showing the first") && !told[2].contains("artifact://"), "{}", told[2]);
    assert!(told[3].contains("No session - artifacts unavailable"), "{}", told[3]);
    assert!(told[4].contains("No session - agent outputs unavailable"), "{}", told[4]);
    assert_eq!(session_files(&home), Vec::<PathBuf>::new());
}

/// Nothing leads out of the scratch area: not a path, however it is written, and not a link.
// proves: CLI-239
#[test]
fn the_scratch_area_cannot_be_left() {
    let home = Home::new();
    home.write("outside/secret.txt", "secret\n");
    let urls = [
        "local://../x",
        "local://a/../../x",
        "local://%2e%2e/x",
        "local://a/%2E%2E%2f..%2Fx",
        "local:///etc/passwd",
        "local://%2Fetc/passwd",
        "local://..\\x",
        "local://a/..",
    ];
    for url in urls {
        let answers = answers(&Home::new(), vec![read(url), write(url, "x"), bash(&format!("cat {url}"))]);
        for answer in answers {
            assert!(answer.failed && answer.text.contains("not allowed"), "{url}: {}", answer.text);
        }
    }
    let outside = home.path("outside");
    let link = format!("ln -s {0} local://d && ln -s {0}/secret.txt local://f", outside.display());
    let answers = answers(
        &home,
        vec![
            bash(&link),
            read("local://d/secret.txt"),
            read("local://f"),
            write("local://d/new.txt", "x"),
            write("local://f", "x"),
        ],
    );
    for answer in &answers[1..] {
        assert!(answer.failed && answer.text.contains("leads outside the scratch area"), "{}", answer.text);
    }
    assert_eq!(home.read("outside/secret.txt"), "secret\n");
    assert_eq!(std::fs::read_dir(outside).unwrap().count(), 1);
}

/// Characters that mean something in a URL are written encoded in names.
// proves: CLI-237
#[test]
fn names_are_percent_encoded() {
    let home = Home::new();
    let url = "local://a%3A7%3Fb%23c%20d.md";
    let answers = answers(
        &home,
        vec![
            write(url, "one\ntwo\n"),
            read(&format!("{url}:raw:2-2")),
            read("local://"),
            read("local://%zz"),
            read("mcp://server/x:5"),
        ],
    );
    assert!(artifacts(&home).join("local/a:7?b#c d.md").is_file());
    assert_eq!(answers[1].text.trim_end(), "two");
    assert!(answers[2].text.contains(&format!("[a:7?b#c d.md]({url})")), "{}", answers[2].text);
    assert!(answers[3].text.contains("% must be followed by two hexadecimal digits"), "{}", answers[3].text);
    // Nothing is cut off a URL of another program.
    assert!(answers[4].text.contains("'server/x:5'"), "{}", answers[4].text);
}

/// Unknown schemes are named with the known ones; known ones without a part behind them say so.
#[test]
fn other_schemes_are_explained() {
    let known = "Supported: agent://, artifact://, history://, issue://, local://, mcp://, memory://, omp://, pr://, \
                 rule://, skill://, vault://.";
    errors(&Home::new(), &["nope://x", "s3://bucket/key"], known);
    let later = ["history://", "memory://root"];
    errors(&Home::new(), &later, "are not available yet");
}

/// The pages of this program are inside it, can be searched all at once, and nothing else is.
// proves: CLI-241
#[test]
fn the_documentation_is_inside_the_program() {
    let search =
        |path: &str| call("search", json!({ "pattern": "PI_CODING_AGENT_DIR|--no-session", "paths": path }));
    let home = Home::new();
    let answers = answers(
        &home,
        vec![
            read("omp://"),
            read("omp://usage.md:raw:1-1"),
            read("OMP://docs/usage.md:raw:1-1"),
            read("omp://setings.md"),
            read("omp://../Cargo.toml"),
            read("omp://docs/%2e%2e/Cargo.toml"),
            search("omp://"),
            search("omp://usage.md"),
            write("omp://usage.md", "x"),
            search("omp://*.md"),
        ],
    );
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    for page in std::fs::read_dir(docs).unwrap() {
        let name = page.unwrap().file_name().into_string().unwrap();
        // The manual page is for `man`.
        if name.ends_with(".1") {
            continue;
        }
        assert!(answers[0].text.contains(&format!("(omp://{name})")), "{name}: {}", answers[0].text);
    }
    assert!(answers[1].text.starts_with("# "), "{}", answers[1].text);
    assert_eq!(answers[1].text, answers[2].text);
    let suggested: Vec<&str> = answers[3].text.split("omp://").skip(1).collect();
    assert!(suggested[0].starts_with("settings.md") && suggested.len() <= 5, "{}", answers[3].text);
    for answer in &answers[3..6] {
        assert!(answer.failed, "{}", answer.text);
    }
    assert!(answers[6].text.matches("# omp://").count() >= 2, "{}", answers[6].text);
    assert!(!answers[6].text.contains(".md#"), "no tags on what cannot be edited: {}", answers[6].text);
    assert!(answers[7].text.starts_with('*') || answers[7].text.starts_with(' '), "{}", answers[7].text);
    assert!(answers[8].failed && answers[8].text.contains("read-only"), "{}", answers[8].text);
    let glob = "Glob patterns are not supported for internal URLs: omp://*.md";
    assert_eq!((answers[9].text.as_str(), answers[9].failed), (glob, true));
}

/// A skill is shown whole, whatever its length, unless lines of it are asked for.
// proves: FIL-070
#[test]
fn skills_are_read_whole() {
    let home = Home::new();
    let body: String = (1..=4_000).map(|number| format!("step {number} of many steps\n")).collect();
    home.write("work/.omp/skills/long/SKILL.md", format!("---\ndescription: Long\n---\n{body}"));
    let answers = answers(&home, vec![read("skill://long"), read("skill://long:raw:5-6")]);
    assert!(answers[0].text.ends_with(body.trim_end()), "{}", answers[0].text.len());
    assert!(!answers[0].text.contains("[Showing"));
    assert!(
        answers[1].text.starts_with("step 2 of many steps\nstep 3 of many steps\n"),
        "{}",
        answers[1].text
    );
}
