//! `bash` and `ssh`: commands.

use omp_theme::Token;
use omp_tui::text::Line;
use serde_json::Value;

use super::{Drawing, Drawn, Phase};
use crate::code;
use crate::look::duration;
use crate::preview::Preview;

/// Rows of output that a collapsed call shows.
const ROWS: usize = 8;

/// Lines of the command that a collapsed call shows.
const COMMAND_ROWS: usize = 3;

pub(super) fn draw(drawing: &Drawing<'_>) -> Drawn {
    let call = drawing.call;
    let command = call.argument("command").trim();
    let mut body = more_of_command(drawing, command);
    if !matches!(call.phase, Phase::Pending | Phase::Ready) {
        body.extend(output(drawing));
    }
    let host = call.argument("host");
    let title = (!host.is_empty()).then(|| format!("{} {host}", call.name));
    Drawn { title, subject: command.to_owned(), figure: figure(drawing), body }
}

/// How it ended, where that is worth a word, and how long it took.
fn figure(drawing: &Drawing<'_>) -> String {
    let call = drawing.call;
    if call.flag("/async") || call.detail("/async/jobId").is_some() {
        let id = call.detail("/async/jobId").and_then(Value::as_str).unwrap_or_default();
        return format!("job {id} in the background");
    }
    let ended = match (call.detail("/exitCode").and_then(Value::as_i64), call.flag("/timedOut")) {
        (_, true) => "timed out".to_owned(),
        (Some(0) | None, _) => String::new(),
        (Some(code), _) => match call.detail("/signal").and_then(Value::as_str) {
            Some(signal) => format!("killed by {signal}"),
            None => format!("exit {code}"),
        },
    };
    // The header itself says how long a slow call took.
    let took = call.number("/wallTimeMs").filter(|_| call.took.is_none()).map(duration);
    drawing.facts([ended, took.unwrap_or_default()])
}

/// The lines of the command below its first, which stands in the header.
fn more_of_command(drawing: &Drawing<'_>, command: &str) -> Vec<Line> {
    let look = drawing.look;
    let first = command.lines().next().unwrap_or_default();
    let fits = Line::plain(first).width() + 24 < look.width;
    if !command.contains('\n') && (fits || !drawing.is_expanded()) {
        return Vec::new();
    }
    let language = drawing.ready(omp_syntax::Language::of_tag("bash"));
    let rows = code::lines(look, command, language, look.fg(Token::ToolTitle));
    let part = drawing.head(COMMAND_ROWS);
    let shown = if drawing.is_expanded() { &rows[..] } else { rows.get(1..).unwrap_or_default() };
    let mut rows = Preview::of_rows(look, shown, part).with_hint(look, part);
    rows.push(Line::new());
    rows
}

/// The output, why it is short, and the limit of time.
fn output(drawing: &Drawing<'_>) -> Vec<Line> {
    let call = drawing.call;
    let text = call.text();
    let shown = match drawing.is_expanded() {
        true => text.as_str(),
        false => without_report(&text),
    };
    let stopped = Phase::of_result(&text, true);
    let mut rows = match call.phase {
        Phase::Aborted | Phase::Denied if call.output.details.is_none() && stopped == call.phase => {
            drawing.trouble().unwrap_or_default()
        }
        _ => drawing.output(shown, drawing.tail(ROWS)),
    };
    rows.extend(drawing.truncation());
    rows.extend(footer(drawing));
    rows
}

/// The output without the notices behind it, which header and footer say in other words.
fn without_report(text: &str) -> &str {
    const NOTICES: [&str; 4] =
        ["Wall time: ", "Command exited with ", "Command timed out ", "Command aborted;"];
    let mut text = text.trim_end();
    while let Some((before, last)) = text.rsplit_once("\n\n") {
        let is_notice = NOTICES.iter().any(|words| last.starts_with(words));
        let is_bracketed = last.starts_with('[') && last.ends_with(']') && last.contains("artifact://");
        if last.contains('\n') || !(is_notice || is_bracketed) {
            break;
        }
        text = before;
    }
    text
}

/// The limit of time and the directory. The usual limit is worth a row only while it counts.
fn footer(drawing: &Drawing<'_>) -> Option<Line> {
    let call = drawing.call;
    let asked = call.arguments.get("timeout").and_then(Value::as_f64);
    let usual = asked.is_none() && call.argument("cwd").is_empty();
    if usual && call.is_done() && !drawing.is_expanded() {
        return None;
    }
    let seconds = call.detail("/timeoutSeconds").and_then(Value::as_f64).or(asked)?;
    let mut text = format!("timeout {seconds}s");
    let directory = call.argument("cwd");
    if !directory.is_empty() {
        text.push_str(&format!("{}in {directory}", drawing.look.dot()));
    }
    Some(drawing.look.row(Token::Dim, &text))
}
