//! Any other tool: its arguments as JSON, its result as text.

use omp_theme::Token;
use omp_tui::text::Line;
use serde_json::{Map, Value};

use super::{Drawing, Drawn};
use crate::code;
use crate::message::image_row;
use crate::preview::Preview;

/// Rows of the result that a collapsed call shows.
const ROWS: usize = 6;

/// Characters of one argument in the header.
const ARGUMENT: usize = 60;

pub(super) fn draw(drawing: &Drawing<'_>) -> Drawn {
    let (look, call) = (drawing.look, drawing.call);
    let mut body = Vec::new();
    if drawing.is_expanded() && !call.arguments.is_empty() {
        body.extend(arguments(drawing));
    }
    match drawing.trouble() {
        Some(trouble) => body.extend(trouble),
        None => body.extend(drawing.output(&call.text(), drawing.head(ROWS))),
    }
    body.extend(call.images().iter().map(|kind| image_row(look, kind)));
    body.extend(drawing.truncation());
    Drawn { subject: inline(drawing, &call.arguments), body, ..Drawn::default() }
}

/// `name: value, other: 1` in one row.
fn inline(drawing: &Drawing<'_>, arguments: &Map<String, Value>) -> String {
    let flat = |value: &Value| match value {
        Value::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    };
    let parts =
        arguments.iter().map(|(name, value)| format!("{name}: {}", drawing.look.cut(&flat(value), ARGUMENT)));
    parts.collect::<Vec<_>>().join(", ")
}

fn arguments(drawing: &Drawing<'_>) -> Vec<Line> {
    let look = drawing.look;
    let json = serde_json::to_string_pretty(&drawing.call.arguments).unwrap_or_default();
    let language = drawing.ready(omp_syntax::Language::of_tag("json"));
    let rows = code::lines(look, &json, language, look.fg(Token::ToolOutput));
    let mut rows = Preview::of_rows(look, &rows, crate::preview::Part::Whole).rows;
    rows.push(Line::new());
    rows
}
