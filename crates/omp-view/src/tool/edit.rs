//! `edit` in all its modes: what was asked for while it is asked, what changed when it is done.

use omp_theme::{Symbol, Token};
use omp_tui::text::Line;
use serde_json::Value;

use super::{Call, Drawing, Drawn, Phase, patch};
use crate::code;
use crate::diff::{self, FileDiff, LongLines, Numbers};
use crate::look::count;
use crate::preview::{Part, more};

/// Rows of a difference that a collapsed call shows.
const ROWS: usize = 16;

/// Rows of a patch that is still being written.
const PENDING_ROWS: usize = 8;

pub(super) fn draw(drawing: &Drawing<'_>) -> Drawn {
    let call = drawing.call;
    let files = files(call);
    let changed = changes(call);
    let (added, removed) = diff::counts(&changed);
    let figure = match call.phase {
        Phase::Done => drawing.facts([
            format!("+{added} -{removed}"),
            call.number("/firstChangedLine").map(|line| format!("line {line}")).unwrap_or_default(),
            operation(call),
        ]),
        _ => String::new(),
    };
    let mut body = Vec::new();
    if !changed.is_empty() {
        body = difference(drawing, &changed, Numbers::Shown);
    } else if !call.is_done() {
        body = asked(drawing);
    }
    body.extend(drawing.trouble().unwrap_or_default());
    if call.is_done() {
        body.extend(warnings(drawing));
    }
    Drawn { subject: subject(&files), figure, body, ..Drawn::default() }
}

fn subject(files: &[String]) -> String {
    match files {
        [] => String::new(),
        [one] => one.clone(),
        [first, rest @ ..] => format!("{first} and {}", count(rest.len() as u64, "more file")),
    }
}

/// The files the call names.
fn files(call: &Call) -> Vec<String> {
    match call.argument("path") {
        "" => patch::files(call.argument("input")),
        path => vec![path.to_owned()],
    }
}

/// Anything but an update is said.
fn operation(call: &Call) -> String {
    match call.detail("/op").and_then(Value::as_str) {
        Some("update") | None => String::new(),
        Some(other) => other.to_owned(),
    }
}

/// What changed, as the result says.
fn changes(call: &Call) -> Vec<FileDiff> {
    if let Some(unified) = call.detail("/diff").and_then(Value::as_str) {
        return diff::parse(unified);
    }
    Vec::new()
}

fn difference(drawing: &Drawing<'_>, changed: &[FileDiff], numbers: Numbers) -> Vec<Line> {
    let (long, most) = match drawing.is_expanded() {
        true => (LongLines::Wrapped, usize::MAX),
        false => (LongLines::Cut, ROWS),
    };
    let language = |path: &str| drawing.ready(code::language_of(path, ""));
    let options = diff::Options { long, numbers, most, language: &language };
    let (mut rows, hidden) = diff::render(drawing.look, changed, options);
    if hidden > 0 {
        rows.push(more(drawing.look, hidden, "line"));
    }
    rows
}

/// The text of the request.
fn asked(drawing: &Drawing<'_>) -> Vec<Line> {
    let call = drawing.call;
    let (old, new) = (call.argument("old_string"), call.argument("new_string"));
    if call.phase != Phase::Pending && !old.is_empty() {
        return difference(drawing, &[diff::of_texts(call.argument("path"), old, new)], Numbers::Hidden);
    }
    let mut text = call.argument("input").to_owned();
    for edit in call.arguments.get("edits").and_then(Value::as_array).into_iter().flatten() {
        text.push_str(edit.get("diff").and_then(Value::as_str).unwrap_or_default());
        text.push('\n');
    }
    let signed =
        |sign: &str, text: &str| -> String { text.lines().map(|line| format!("{sign}{line}\n")).collect() };
    text.push_str(&signed("-", old));
    text.push_str(&signed("+", new));
    if call.phase == Phase::Pending {
        // There is nothing to expand yet.
        return patch::preview(drawing, &text, Part::Tail(PENDING_ROWS)).rows;
    }
    let part = drawing.head(PENDING_ROWS);
    patch::preview(drawing, &text, part).with_hint(drawing.look, part)
}

/// What the tool warned of.
fn warnings(drawing: &Drawing<'_>) -> Vec<Line> {
    let text = drawing.call.text();
    let Some((_, warnings)) = text.split_once("Warnings:\n") else { return Vec::new() };
    let sign = drawing.look.symbol(Symbol::StatusWarning);
    let lines = warnings.lines().filter(|line| !line.trim().is_empty()).take(4);
    lines.flat_map(|line| drawing.look.wrapped(Token::Warning, &format!("{sign} {line}"), 2)).collect()
}
