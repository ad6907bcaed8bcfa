//! `ast_grep` and `ast_edit`: code by its structure.

use omp_theme::{Symbol, Token};
use omp_tui::text::Line;
use serde_json::Value;

use super::{Drawing, Drawn, patch, search};
use crate::look::count;

/// Rows of changes that a collapsed call shows.
const ROWS: usize = 12;

pub(super) fn draw_grep(drawing: &Drawing<'_>) -> Drawn {
    let call = drawing.call;
    let mut body = drawing.trouble().unwrap_or_default();
    if call.is_done() {
        body = match drawing.is_expanded() {
            true => drawing.output(&call.text(), drawing.head(0)),
            false => search::counts(drawing),
        };
        body.extend(issues(drawing));
    }
    let subject = within(call.argument("pat"), &call.listed("paths"));
    Drawn { subject, figure: search::figure(drawing), body, ..Drawn::default() }
}

pub(super) fn draw_edit(drawing: &Drawing<'_>) -> Drawn {
    let call = drawing.call;
    let mut body = drawing.trouble().unwrap_or_default();
    let mut figure = String::new();
    if call.is_done() {
        let total = call.number("/totalReplacements").unwrap_or(0);
        let files = call.number("/filesTouched").unwrap_or(0);
        let state = match (total, call.flag("/applied")) {
            (0, _) => String::new(),
            (_, true) => "applied".to_owned(),
            (_, false) => "preview".to_owned(),
        };
        let counted = format!("{} in {}", count(total, "replacement"), count(files, "file"));
        figure = drawing.facts([counted, state]);
        let part = drawing.head(ROWS);
        body = patch::preview(drawing, call.text().trim(), part).with_hint(drawing.look, part);
        body.extend(issues(drawing));
    }
    let first = call.arguments.get("ops").and_then(Value::as_array).and_then(|ops| ops.first());
    let word = |name: &str| first.and_then(|op| op.get(name)).and_then(Value::as_str).unwrap_or_default();
    let arrow = drawing.look.symbol(Symbol::FormatArrow);
    let change = match (word("pat"), word("out")) {
        ("", _) => String::new(),
        (from, to) => format!("{from} {arrow} {to}"),
    };
    Drawn { subject: within(&change, &call.listed("paths")), figure, body, ..Drawn::default() }
}

fn within(what: &str, paths: &str) -> String {
    match paths {
        "" => what.to_owned(),
        paths => format!("{what} in {paths}"),
    }
}

/// Files that were not understood.
fn issues(drawing: &Drawing<'_>) -> Option<Line> {
    let issues = drawing.call.detail("/parseErrors")?.as_array()?.len() as u64;
    let sign = drawing.look.symbol(Symbol::StatusWarning);
    Some(drawing.look.row(Token::Warning, &format!("{sign} {} not parsed", count(issues, "file"))))
}
