//! Full outputs of tools beside the session.

use std::path::PathBuf;

use omp_testkit::{Home, Reply, Server, Wire};
use serde_json::{Value, json};

use crate::sessions::{lines, session_files};
use crate::support::{home, omp_run};

fn bash(command: &str) -> Reply {
    Reply::new().tool_call("bash", json!({"_i": "x", "command": command}))
}

fn read(path: &str) -> Reply {
    Reply::new().tool_call("read", json!({"_i": "x", "path": path}))
}

/// The results of the session's tools, in order: their texts and details.
fn results(file: &PathBuf) -> Vec<(String, Value)> {
    let saved = lines(file).into_iter().filter(|line| line["message"]["role"] == "toolResult");
    let result = |line: Value| {
        let message = &line["message"];
        let texts = message["content"].as_array().unwrap().iter().filter_map(|block| block["text"].as_str());
        (texts.collect::<Vec<_>>().join("\n"), message["details"].clone())
    };
    saved.map(result).collect()
}

fn run(replies: Vec<Reply>, flags: &[&str]) -> (Home, Vec<(String, Value)>) {
    let server = Server::start(replies.into_iter().chain([Reply::new().text("done")]).collect::<Vec<_>>());
    let home = home(&server, Wire::OpenAiCompletions);
    omp_run(&home, &[&["-p", "x", "--yolo"], flags].concat()).assert_success();
    let results = session_files(&home).first().map(results).unwrap_or_default();
    server.finish();
    (home, results)
}

fn numbers(upto: u32) -> String {
    (1..=upto).map(|number| format!("{number}\n")).collect()
}

/// More than is shown is kept whole from its first byte, named, and read back with selectors; after a resume the
/// numbers go on. What is shown whole leaves nothing behind.
// proves: SES-086, SES-087, SES-088, SES-096, SES-098, SHL-041, SHL-047, SHL-048
#[test]
fn long_outputs_are_kept_whole() {
    let (home, _) = run(vec![bash("echo short")], &[]);
    let file = session_files(&home)[0].clone();
    assert!(!file.with_extension("").exists(), "nothing was hidden, so nothing is kept");

    let replies = vec![
        bash("seq 1 100000"),
        bash("seq 1 20000"),
        read("artifact://0:50000-50001"),
        read("artifact://1:raw:1-2"),
        read("artifact://1"),
    ];
    let (home, results) = run(replies, &[]);
    let file = session_files(&home)[0].clone();
    let directory = file.with_extension("");
    let kept = |name: &str| std::fs::read_to_string(directory.join(name)).unwrap();
    assert_eq!(kept("0.bash.log"), numbers(100_000));
    assert_eq!(kept("1.bash.log"), numbers(20_000));
    let (shown, details) = &results[0];
    assert!(shown.len() < 60_000 && shown.contains("Full output: artifact://0]"), "{}", shown.len());
    let truncation = &details["meta"]["truncation"];
    assert_eq!((&truncation["artifactId"], &truncation["direction"]), (&json!("0"), &json!("middle")));
    assert_eq!((&truncation["truncatedBy"], &truncation["totalLines"]), (&json!("bytes"), &json!(100_000)));
    assert_eq!(truncation["totalBytes"], numbers(100_000).len());
    assert_eq!(truncation["shownRange"]["end"], 100_000);
    for field in ["outputLines", "outputBytes"] {
        assert!(truncation[field].is_u64(), "{truncation}");
    }
    assert!(results[1].0.contains("artifact://1"));
    let range = &results[2].0;
    assert!(range.contains("50000") && range.contains("50001") && !range.contains("49000"), "{range}");
    assert!(results[3].0.starts_with("1\n2"), "{}", results[3].0);
    let whole = &results[4].0;
    assert!(
        whole.contains("1\n2\n3\n") && !whole.contains("[artifact"),
        "plain text without anchors: {whole}"
    );

    let server = Server::start([bash("seq 1 30000"), Reply::new().text("done")]);
    home.models_yml(&server, Wire::OpenAiCompletions, omp_testkit::ModelOptions::new());
    omp_run(&home, &["-c", "-p", "again"]).assert_success();
    server.finish();
    assert_eq!(kept("2.bash.log"), numbers(30_000));
    assert_eq!(kept("0.bash.log"), numbers(100_000), "what was kept stays");
}

/// A line that is cut for the model is whole in the artifact.
// proves: SES-093
#[test]
fn long_lines_are_kept_whole() {
    let (home, results) = run(vec![bash("head -c 10240 /dev/zero | tr '\\0' x; echo; echo end")], &[]);
    assert!(results[0].0.contains("artifact://0"), "{}", results[0].0);
    assert!(!results[0].0.contains(&"x".repeat(2000)));
    let kept = session_files(&home)[0].with_extension("").join("0.bash.log");
    assert_eq!(std::fs::read_to_string(kept).unwrap(), "x".repeat(10_240) + "\nend\n");
}

/// Where nothing can be kept the output is shortened all the same, and nothing is promised.
// proves: SES-097, SHL-046
#[test]
fn an_output_that_cannot_be_kept_is_only_shortened() {
    // The directory of the artifacts cannot be made where a file of its name is.
    let block = "f=$(ls -d ~/.omp/agent/sessions/*/*.jsonl); touch \"${f%.jsonl}\"; seq 1 100000";
    let (_, results) = run(vec![bash(block)], &[]);
    let (shown, details) = &results[0];
    assert!(shown.starts_with("1\n2\n") && shown.contains("\n100000\n"), "the tool succeeds");
    assert!(!shown.contains("artifact://") && shown.contains("Filter the output"), "{shown}");
    assert_eq!(details["meta"]["truncation"].get("artifactId"), None);
}

/// What is wrong with an address is said.
// proves: SES-099
#[test]
fn wrong_addresses_are_explained() {
    let (_, results) = run(
        vec![read("artifact://0"), read("artifact://notes"), bash("seq 1 100000"), read("artifact://7")],
        &[],
    );
    let said: Vec<&str> = [0, 1, 3].into_iter().map(|number| results[number].0.as_str()).collect();
    assert!(said[0].contains("No artifacts directory found"), "{}", said[0]);
    assert!(said[1].contains("artifact:// ID must be numeric, got: notes"), "{}", said[1]);
    assert!(said[2].contains("Artifact 7 not found. Available: 0"), "{}", said[2]);

    let server = Server::start([read("artifact://0"), Reply::new().text("done")]);
    let home = home(&server, Wire::OpenAiCompletions);
    omp_run(&home, &["-p", "x", "--no-session", "--yolo"]).assert_success();
    let answer = server.requests()[1].body.to_string();
    assert!(answer.contains("No session - artifacts unavailable"), "{answer}");
    server.finish();
}
