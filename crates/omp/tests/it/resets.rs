//! Connections that break in the middle of an answer.

use std::sync::Mutex;
use std::time::Duration;

use omp_testkit::{Home, RecordedRequest, Reply, Scenario, Server, Wire, run};
use serde_json::{Value, json};

use crate::support::{home, json_lines, omp, omp_run};

/// Answers that break off one after the other before one is given whole.
const IN_A_ROW: usize = 40;
const LIMIT: Duration = Duration::from_secs(80);
/// Nothing is waited for between two attempts, of which there may be many.
const AT_ONCE: &str = "retry:\n  baseDelayMs: 0\n  maxRetries: 1000\n";

/// How an answer breaks off.
#[derive(Clone, Copy, Debug)]
enum Break {
    /// The connection is reset.
    Reset,
    /// The body ends as if that were all.
    Ending,
}

/// A call that leaves a line behind each time it runs.
fn step(number: usize) -> Reply {
    let command = format!("echo {number} >> log");
    Reply::new()
        .text(&format!("Schritt {number} für dich."))
        .tool_call("bash", json!({"_i": "x", "command": command}))
        .argument_size(40)
}

/// How many results a request carries.
fn results(request: &RecordedRequest) -> usize {
    let mark = match request.wire {
        Wire::OpenAiCompletions => r#""role":"tool""#,
        Wire::AnthropicMessages => r#""type":"tool_result""#,
        _ => r#""type":"function_call_output""#,
    };
    request.body.to_string().matches(mark).count()
}

/// Where in an answer the next one breaks off.
#[derive(Default)]
struct Walk {
    position: usize,
    /// Steps that were taken.
    steps: usize,
    /// Attempts at the step that is under way.
    attempts: usize,
}

impl Walk {
    /// The reply to the next request; the last words when every position was tried.
    fn reply(&mut self, request: &RecordedRequest, end: usize, how: Break) -> Reply {
        let steps = results(request);
        if std::mem::replace(&mut self.steps, steps) != steps {
            self.attempts = 0;
        }
        if self.position > end {
            return Reply::new().text("All done.");
        }
        self.attempts += 1;
        if self.attempts > IN_A_ROW {
            return step(steps);
        }
        self.position += 1;
        match how {
            Break::Reset => step(steps).reset_after_bytes(self.position - 1),
            Break::Ending => step(steps).end_after_bytes(self.position - 1),
        }
    }
}

/// Bytes of one step.
fn length_of_a_step(wire: Wire) -> usize {
    let server = Server::start([step(1000), Reply::new().text("Fine.")]);
    let output = omp_run(&home(&server, wire), &["-p", "go"]);
    output.assert_success();
    server.largest_body()
}

fn at_every_byte(wire: Wire, how: Break) {
    at_every_byte_of(0, 1, wire, how);
}

/// Breaks answers off at every byte of one of several parts and looks at what was said, done and sent in the end.
fn at_every_byte_of(part: usize, parts: usize, wire: Wire, how: Break) {
    let length = length_of_a_step(wire);
    let (first, end) = (length * part / parts, length * (part + 1) / parts);
    let walk = Mutex::new(Walk { position: first, ..Walk::default() });
    let server = Server::start(Scenario::dynamic(move |request| {
        walk.lock().expect("no reply panics").reply(request, end, how)
    }));
    let home = home(&server, wire);
    home.write("home/.omp/agent/config.yml", AT_ONCE);
    let arguments = ["-p", "--tools", "bash", "--system-prompt", "You are tested.", "go"];
    let output = run(omp(&home, &arguments), Some(b""), LIMIT);
    output.assert_success();
    assert_eq!(output.stdout, "All done.\n", "{wire} {how:?}");
    let requests = server.requests();
    let last = requests.last().expect("requests were made");
    let expected: Vec<String> = (0..results(last)).map(|number| number.to_string()).collect();
    assert_eq!(home.read("work/log").lines().collect::<Vec<_>>(), expected, "{wire} {how:?}");
    let sent = last.body.to_string();
    for number in expected {
        let words = format!("Schritt {number} f");
        assert_eq!(sent.matches(&words).count(), 1, "{wire} {how:?}: {words:?}");
    }
    let again = requests.len() - 1 - results(last);
    let tried = end - first;
    assert!(again > tried / 2, "{wire} {how:?}: {again} of {tried} were asked for again");
    server.finish();
}

// proves: IOP-007
#[test]
fn a_reset_at_any_byte_of_a_chat_answer_is_survived() {
    at_every_byte(Wire::OpenAiCompletions, Break::Reset);
}

// proves: IOP-007
#[test]
fn a_reset_in_the_first_quarter_of_a_responses_answer_is_survived() {
    at_every_byte_of(0, 4, Wire::OpenAiResponses, Break::Reset);
}

// proves: IOP-007
#[test]
fn a_reset_in_the_second_quarter_of_a_responses_answer_is_survived() {
    at_every_byte_of(1, 4, Wire::OpenAiResponses, Break::Reset);
}

// proves: IOP-007
#[test]
fn a_reset_in_the_third_quarter_of_a_responses_answer_is_survived() {
    at_every_byte_of(2, 4, Wire::OpenAiResponses, Break::Reset);
}

// proves: IOP-007
#[test]
fn a_reset_in_the_last_quarter_of_a_responses_answer_is_survived() {
    at_every_byte_of(3, 4, Wire::OpenAiResponses, Break::Reset);
}

// proves: IOP-007
#[test]
fn a_reset_at_any_byte_of_an_anthropic_answer_is_survived() {
    at_every_byte(Wire::AnthropicMessages, Break::Reset);
}

// proves: IOP-007
#[test]
fn an_early_end_at_any_byte_of_a_chat_answer_is_survived() {
    at_every_byte(Wire::OpenAiCompletions, Break::Ending);
}

// proves: IOP-007
#[test]
fn an_early_end_in_the_first_quarter_of_a_responses_answer_is_survived() {
    at_every_byte_of(0, 4, Wire::OpenAiResponses, Break::Ending);
}

// proves: IOP-007
#[test]
fn an_early_end_in_the_second_quarter_of_a_responses_answer_is_survived() {
    at_every_byte_of(1, 4, Wire::OpenAiResponses, Break::Ending);
}

// proves: IOP-007
#[test]
fn an_early_end_in_the_third_quarter_of_a_responses_answer_is_survived() {
    at_every_byte_of(2, 4, Wire::OpenAiResponses, Break::Ending);
}

// proves: IOP-007
#[test]
fn an_early_end_in_the_last_quarter_of_a_responses_answer_is_survived() {
    at_every_byte_of(3, 4, Wire::OpenAiResponses, Break::Ending);
}

// proves: IOP-007
#[test]
fn an_early_end_at_any_byte_of_an_anthropic_answer_is_survived() {
    at_every_byte(Wire::AnthropicMessages, Break::Ending);
}

const HALF: &str = "half of a sentence that nobody will";

/// An answer that breaks off in its text, and the one that follows.
fn half_and_whole() -> [Reply; 2] {
    [
        Reply::new().text(HALF).delta_size(5).then_error("overloaded_error", "Overloaded"),
        Reply::new().text("the whole answer"),
    ]
}

fn ready(server: &Server, wire: Wire) -> Home {
    let home = home(server, wire);
    home.write("home/.omp/agent/config.yml", AT_ONCE);
    home
}

/// On every wire, wherever the events are cut: standard output has the whole answer and nothing else.
// proves: IOP-007
#[test]
fn every_wire_recovers_in_text_mode() {
    for wire in Wire::ALL {
        for reply in
            [half_and_whole()[0].clone(), Reply::new().text(HALF).delta_size(5).drop_after_bytes(900)]
        {
            let server = Server::start([reply, half_and_whole()[1].clone()]);
            let output = omp_run(&ready(&server, wire), &["-p", "x"]);
            output.assert_success();
            assert_eq!(output.stdout, "the whole answer\n", "{wire}");
            assert!(output.stderr.contains("Retrying (1/1000)"), "{wire}: {}", output.stderr);
            server.finish();
        }
    }
}

/// Whoever reads events sees the half answer end with an error, the retry begin, the whole answer, and the retry end.
// proves: IOP-007
#[test]
fn the_events_tell_the_half_answer_from_the_whole_one() {
    let server = Server::start(half_and_whole());
    let output = omp_run(&ready(&server, Wire::OpenAiCompletions), &["--mode", "json", "x"]);
    output.assert_success();
    let lines = json_lines(&output);
    let told: Vec<String> = lines.iter().filter_map(landmark).collect();
    assert_eq!(
        told,
        [
            "start",
            &format!("end error {HALF}"),
            "retry",
            "start",
            "end stop the whole answer",
            "retried true"
        ]
    );
    let end = lines.iter().find(|line| line["type"] == "turn_end").unwrap();
    assert_eq!(end["message"]["content"][0]["text"], "the whole answer");
    server.finish();
}

fn landmark(line: &Value) -> Option<String> {
    let message = &line["message"];
    let answer = message["role"] == "assistant";
    match line["type"].as_str()? {
        "message_start" if answer => Some("start".to_owned()),
        "message_end" if answer => {
            let text = message["content"][0]["text"].as_str().unwrap_or_default();
            Some(format!("end {} {text}", message["stopReason"].as_str()?))
        }
        "auto_retry_start" => Some("retry".to_owned()),
        "auto_retry_end" => Some(format!("retried {}", line["success"])),
        _ => None,
    }
}

/// The half answer is in the file and never again in a request, also after the session was opened anew.
// proves: IOP-007
#[test]
fn half_answers_stay_in_the_file_and_out_of_requests() {
    let broken_call = Reply::new()
        .text(HALF)
        .tool_call("bash", json!({"_i": "x", "command": "echo never >> log"}))
        .then_error("overloaded_error", "Overloaded");
    let [half, whole] = half_and_whole();
    let server = Server::start([half, broken_call, whole, Reply::new().text("again")]);
    let home = ready(&server, Wire::AnthropicMessages);
    omp_run(&home, &["-p", "x"]).assert_success();
    omp_run(&home, &["-c", "-p", "and now?"]).assert_success();
    let requests = server.requests();
    assert_eq!(requests[0].body["messages"], requests[2].body["messages"]);
    let resumed = requests[3].body["messages"].to_string();
    assert!(!resumed.contains(HALF) && !resumed.contains("never"), "{resumed}");
    assert_eq!(resumed.matches("the whole answer").count(), 1, "{resumed}");
    let files = home.list_files();
    let session = files.iter().find(|path| path.ends_with(".jsonl")).unwrap();
    assert_eq!(home.read(session).matches(HALF).count(), 2);
    assert!(!home.exists("work/log"));
    server.finish();
}

/// A server that never gets to the end is given up by the policy, and what it said last is what is left.
// proves: IOP-007
#[test]
fn the_policy_bounds_what_is_tried() {
    let [half, _] = half_and_whole();
    let server = Server::start([half.clone(), half.clone(), half]);
    let home = home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/config.yml", "retry:\n  baseDelayMs: 1\n  maxRetries: 2\n");
    let output = omp_run(&home, &["-p", "x"]);
    assert_eq!((output.code, output.stdout.trim_end()), (Some(1), HALF));
    assert!(output.stderr.contains("Retry failed after 2 attempts"), "{}", output.stderr);
    server.finish();

    let server = Server::start([half_and_whole()[0].clone()]);
    let home = self::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/config.yml", "retry:\n  enabled: false\n");
    let output = omp_run(&home, &["-p", "x"]);
    assert_eq!((output.code, output.stdout.trim_end()), (Some(1), HALF));
    server.finish();
}
