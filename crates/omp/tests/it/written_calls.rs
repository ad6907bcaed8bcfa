//! Models whose server does not read their tool calls: a call in writing is carried out.

use omp_testkit::{Reply, Server, Wire};

use crate::support::{home, json_lines, omp_run};

/// A call in the form of a family, as the whole text of an answer.
const FORMS: [&str; 8] = [
    r#"{"name": "write", "arguments": {"path": "made.txt", "content": "42"}}"#,
    "```json\n{\"name\": \"write\", \"arguments\": {\"path\": \"made.txt\", \"content\": \"42\"}}\n```",
    "```\n{\"name\": \"write\", \"arguments\": {\"path\": \"made.txt\", \"content\": \"42\"}}\n```",
    "<tool_call>\n{\"name\": \"write\", \"arguments\": {\"path\": \"made.txt\", \"content\": \"42\"}}\n</tool_call>",
    "<|python_tag|>{\"name\": \"write\", \"parameters\": {\"path\": \"made.txt\", \"content\": \"42\"}}",
    "{\"name\": \"write\", \"parameters\": {\"path\": \"made.txt\", \"content\": \"42\"}}<|eot_id|>",
    "[TOOL_CALLS][{\"name\": \"write\", \"arguments\": {\"path\": \"made.txt\", \"content\": \"42\"}}]",
    "[TOOL_CALLS]write[ARGS]{\"path\": \"made.txt\", \"content\": \"42\"}",
];

// proves: IOP-011
#[test]
fn every_form_is_carried_out_on_every_wire_of_local_servers() {
    let wires = [Wire::OpenAiCompletions, Wire::OllamaChat, Wire::OpenAiResponses, Wire::AnthropicMessages];
    for (wire, form) in wires.iter().flat_map(|wire| FORMS.map(|form| (*wire, form))) {
        let server = Server::start([Reply::new().text(form).delta_size(5), Reply::new().text("done")]);
        let home = home(&server, wire);
        let output = omp_run(&home, &["-p", "make it"]);
        output.assert_success();
        assert_eq!(output.stdout, "done\n", "{wire}: {form}");
        assert_eq!(home.read("work/made.txt"), "42", "{wire}: {form}");
        assert_eq!(output.stderr.matches("returns tool calls as text").count(), 1, "{}", output.stderr);
        server.finish();
    }
}

/// The setting for tools does not matter, and it is said once which one there is.
// proves: IOP-011
#[test]
fn whatever_the_format_the_call_is_carried_out_and_the_remark_made_once() {
    for format in ["auto", "native", "qwen3"] {
        let server = Server::start([
            Reply::new().text(FORMS[1]),
            Reply::new().text(FORMS[0]),
            Reply::new().text("done"),
        ]);
        let home = home(&server, Wire::OpenAiCompletions);
        home.write("home/.omp/agent/config.yml", format!("tools:\n  format: {format}\n"));
        let output = omp_run(&home, &["-p", "make it"]);
        output.assert_success();
        assert_eq!(home.read("work/made.txt"), "42", "{format}");
        assert_eq!(output.stderr.matches("set tools.format to").count(), 1, "{format}: {}", output.stderr);
        server.finish();
    }
}

/// What is part of prose, names no tool or does not fit is an answer, as it was written.
// proves: IOP-011
#[test]
fn prose_and_other_objects_stay_text() {
    let prose = format!("I would say {}", FORMS[0]);
    let explained = format!("{}\nThis makes the file.", FORMS[1]);
    let unfit = r#"{"name": "write", "arguments": {"path": "made.txt"}}"#;
    let unknown = r#"{"name": "shred", "arguments": {"path": "made.txt"}}"#;
    for text in [&prose, &explained, unfit, unknown, r#"{"version": 3}"#] {
        let server = Server::start([Reply::new().text(text).delta_size(3)]);
        let home = home(&server, Wire::OpenAiCompletions);
        let output = omp_run(&home, &["-p", "make it"]);
        output.assert_success();
        assert_eq!((output.stdout.trim_end(), output.stderr.as_str()), (text, ""));
        assert!(!home.exists("work/made.txt"));
        server.finish();
    }
}

/// Whoever reads events sees a call and never its text.
// proves: IOP-011
#[test]
fn the_events_show_a_call() {
    let server = Server::start([Reply::new().text(FORMS[1]).delta_size(4), Reply::new().text("done")]);
    let output = omp_run(&home(&server, Wire::OpenAiResponses), &["--mode", "json", "make it"]);
    output.assert_success();
    let kinds: Vec<String> = json_lines(&output)
        .iter()
        .filter_map(|line| line["assistantMessageEvent"]["type"].as_str().map(str::to_owned))
        .collect();
    let of = |kind: &str| kinds.iter().filter(|known| *known == kind).count();
    assert_eq!((of("toolcall_start"), of("toolcall_end"), of("text_start")), (1, 1, 1), "{kinds:?}");
    server.finish();
}
