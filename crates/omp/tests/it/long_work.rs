//! Work that is longer than its model's window, with models that cannot sum it up.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use omp_testkit::{Home, ModelOptions, RecordedRequest, Reply, Scenario, Server, Usage, Wire, run};
use serde_json::{Value, json};

use crate::support::{LIMIT, last_user, omp};

const CONFIG: &str = "home/.omp/agent/config.yml";
const WINDOW: u64 = 32_768;

/// How a model fails to sum up.
#[derive(Clone, Copy, Debug)]
enum Failing {
    Silent,
    Broken,
    Refusing,
}

impl Failing {
    fn reply(self) -> Reply {
        match self {
            Self::Silent => Reply::new().text(""),
            Self::Broken => Reply::status(500).body(json!({"error": {"message": "it broke"}})),
            Self::Refusing => Reply::status(400).body(json!({"error": {"message": "not like this"}})),
        }
    }
}

/// Only the conversation offers tools.
fn is_conversation(request: &RecordedRequest) -> bool {
    request.body["tools"].as_array().is_some_and(|tools| !tools.is_empty())
}

fn tokens(request: &RecordedRequest) -> u64 {
    omp_tokens::estimate(&String::from_utf8_lossy(&request.raw_body))
}

/// Reads on and on; a prompt is answered after a dozen calls. Now and then several long parts are read at once.
fn work(turn: usize) -> Reply {
    if turn.is_multiple_of(13) {
        return Reply::new().text(&format!("Part {turn} is done."));
    }
    let parts = if turn.is_multiple_of(7) { 4 } else { 1 };
    (0..parts).fold(Reply::new(), |reply, part| {
        let first = (turn * 37 + part * 150) % 800 + 1;
        reply.tool_call("read", json!({"_i": "x", "path": format!("notes.txt:{first}-{}", first + 140)}))
    })
}

fn home(server: &Server, window: u64) -> Home {
    let home = Home::new();
    home.models_yml(server, Wire::OpenAiCompletions, ModelOptions::new().context_window(window));
    home.write(CONFIG, "retry:\n  baseDelayMs: 1\n");
    let lines: String =
        (0..1_000).map(|line| format!("line {line}: what the notes say about the number {line}\n")).collect();
    home.write("work/notes.txt", lines);
    home
}

/// Whatever becomes of the summaries, no request is longer than the window, and the work goes on: a record takes the place of
/// the summary that nobody makes. The server would take requests of any length.
#[test]
fn no_request_is_longer_than_the_window() {
    for (failing, counts) in [(Failing::Silent, true), (Failing::Broken, false), (Failing::Refusing, true)] {
        let turns = AtomicUsize::new(0);
        let sizes = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&sizes);
        let scenario = Scenario::dynamic(move |request: &RecordedRequest| {
            let size = tokens(request);
            seen.lock().unwrap().push(size);
            if !is_conversation(request) {
                return failing.reply();
            }
            let reply = work(turns.fetch_add(1, Ordering::SeqCst) + 1);
            let usage = Usage { input: if counts { size } else { 0 }, ..Usage::default() };
            reply.usage(usage)
        });
        let server = Server::start(scenario.keep_last(2));
        let home = home(&server, WINDOW);
        for prompt in 0..4 {
            let words = match prompt {
                2 => "a long remark, as people paste them ".repeat(900),
                _ => format!("Go on with prompt {prompt}."),
            };
            let mut arguments = vec!["-p", &words];
            if prompt > 0 {
                arguments.push("-c");
            }
            run(omp(&home, &arguments), Some(b""), LIMIT).assert_success();
        }
        let sizes = sizes.lock().unwrap();
        let largest = sizes.iter().max().unwrap();
        assert!(*largest <= WINDOW, "{failing:?}: {largest} tokens in {sizes:?}");
        let sent: u64 = sizes.iter().sum();
        assert!(sizes.len() > 50 && sent > 10 * WINDOW, "{failing:?}: {} requests, {sent}", sizes.len());
        let file = home.list_files().into_iter().find(|file| file.ends_with(".jsonl")).unwrap();
        let lines: Vec<Value> =
            home.read(file).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let records = lines.iter().filter(|line| line["type"] == "compaction").count();
        assert!(records >= 3, "{failing:?}: {records} records");
    }
}

/// A summary that is longer than what it stands for is cut: the conversation never grows by a compaction.
#[test]
fn a_long_summary_does_not_make_the_conversation_longer() {
    let turns = AtomicUsize::new(0);
    let scenario = Scenario::dynamic(move |request: &RecordedRequest| {
        if last_user(&request.body).to_string().contains("<conversation>") {
            let numbers: Vec<String> = (0..9_000).map(|number| number.to_string()).collect();
            return Reply::new().text(&format!("## Goal\nThe goal.\n{}\nThe end.", numbers.join(" ")));
        }
        if !is_conversation(request) {
            return Reply::new().text("A line");
        }
        work(turns.fetch_add(1, Ordering::SeqCst) + 1)
            .usage(Usage { input: tokens(request), ..Usage::default() })
    });
    let server = Server::start(scenario.keep_last(2));
    let home = home(&server, WINDOW);
    let config = home.read(CONFIG);
    home.write(CONFIG, format!("{config}compaction:\n  thresholdTokens: 15000\n"));
    let mut ends = Vec::new();
    for prompt in 0..3 {
        let words = format!("Go on with prompt {prompt}.");
        let mut arguments = vec!["-p", "--mode", "json", &words];
        if prompt > 0 {
            arguments.push("-c");
        }
        let output = run(omp(&home, &arguments), Some(b""), LIMIT);
        output.assert_success();
        let lines = crate::support::json_lines(&output);
        ends.extend(lines.into_iter().filter(|line| line["type"] == "auto_compaction_end"));
    }
    assert!(ends.len() >= 3, "{ends:?}");
    for end in &ends {
        let (before, after) = (&end["result"]["tokensBefore"], &end["result"]["tokensAfter"]);
        assert!(after.as_u64().unwrap() < before.as_u64().unwrap(), "{before} became {after}");
    }
    let file = home.list_files().into_iter().find(|file| file.ends_with(".jsonl")).unwrap();
    let text = home.read(file);
    let summaries = text.lines().filter(|line| line.contains("\"type\":\"compaction\""));
    for line in summaries {
        let entry: Value = serde_json::from_str(line).unwrap();
        let summary = entry["summary"].as_str().unwrap();
        assert!(summary.contains("The goal.") && summary.contains("The end."), "both ends stay: {summary}");
    }
}

/// Twenty decisions survive sixty compactions by a model that forgets everything, and the errors that are the last ones do.
#[test]
fn decisions_survive_a_model_that_forgets() {
    let (turns, summaries) = (AtomicUsize::new(0), Arc::new(AtomicUsize::new(0)));
    let summed = Arc::clone(&summaries);
    let last = Arc::new(Mutex::new(String::new()));
    let newest = Arc::clone(&last);
    let scenario = Scenario::dynamic(move |request: &RecordedRequest| {
        if !is_conversation(request) {
            let summary = last_user(&request.body).to_string().contains("<conversation>");
            summed.fetch_add(usize::from(summary), Ordering::SeqCst);
            return Reply::new().text("Some work was done.");
        }
        *newest.lock().unwrap() = String::from_utf8_lossy(&request.raw_body).into_owned();
        let turn = turns.fetch_add(1, Ordering::SeqCst) + 1;
        let reply = match turn {
            1..=20 => Reply::new().text("I will."),
            21 => Reply::new().tool_call("read", json!({"_i": "x", "path": "no-such-file-4711.txt"})),
            _ if turn < 220 => {
                let first = turn % 800 + 1;
                let path = format!("notes.txt:{first}-{}", first + 60);
                Reply::new().tool_call("read", json!({"_i": "x", "path": path}))
            }
            _ => Reply::new().text("All of it is done."),
        };
        reply.usage(Usage { input: tokens(request), ..Usage::default() })
    });
    let server = Server::start(scenario.keep_last(2));
    let home = home(&server, WINDOW);
    let config = home.read(CONFIG);
    home.write(CONFIG, format!("{config}compaction:\n  thresholdTokens: 13000\n  keepRecentTokens: 1500\n"));
    let decision = |number: usize| format!("The queue {number} must keep {} messages", 300 + number * 17);
    for number in 0..20 {
        let words = format!("{}.", decision(number));
        let mut arguments = vec!["-p", &words];
        if number > 0 {
            arguments.push("-c");
        }
        run(omp(&home, &arguments), Some(b""), LIMIT).assert_success();
    }
    run(omp(&home, &["-p", "-c", "Read all of it."]), Some(b""), LIMIT * 4).assert_success();
    let (last, summaries) = (last.lock().unwrap(), summaries.load(Ordering::SeqCst));
    let known = (0..20).filter(|number| last.contains(&decision(*number))).count();
    assert!(summaries >= 60, "{summaries} summaries");
    assert_eq!(known, 20, "after {summaries} summaries: {last}");
    assert!(last.contains("no-such-file-4711.txt"), "the last error: {last}");
}
