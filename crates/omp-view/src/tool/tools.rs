//! `search_tool_bm25`: tools that were found and are there from now on.

use omp_theme::Token;
use omp_tui::text::Line;
use serde_json::Value;

use super::{Drawing, Drawn};
use crate::look::count;
use crate::preview::more;

/// Matches that a collapsed call shows.
const ITEMS: usize = 5;

/// Characters of a label and of a description that are shown.
const LABEL: usize = 72;
const DESCRIPTION: usize = 96;

pub(super) fn draw(drawing: &Drawing<'_>) -> Drawn {
    let (look, call) = (drawing.look, drawing.call);
    let tools = call.detail("/tools").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut body = drawing.trouble().unwrap_or_default();
    let mut figure = String::new();
    if call.is_done() {
        let total = call.number("/total_tools").unwrap_or(0);
        figure = format!("{} of {}", count(tools.len() as u64, "match"), count(total, "tool"));
        let most = if drawing.is_expanded() { tools.len() } else { ITEMS };
        body.extend(tools.iter().take(most).flat_map(|tool| rows(drawing, tool)));
        if tools.len() > most {
            body.push(more(look, tools.len() - most, "match"));
        }
        let nothing = match (tools.is_empty(), total) {
            (false, _) => None,
            (true, 0) => Some("No discoverable tools are currently loaded."),
            (true, _) => Some("No matching tools found."),
        };
        body.extend(nothing.map(|words| look.row(Token::Muted, words)));
    }
    Drawn { subject: call.argument("query").to_owned(), figure, body, ..Drawn::default() }
}

/// The label with its score, and the description.
fn rows(drawing: &Drawing<'_>, tool: &Value) -> Vec<Line> {
    let look = drawing.look;
    let text = |name: &str| tool.get(name).and_then(Value::as_str).unwrap_or_default();
    let label = if text("label").is_empty() { text("name") } else { text("label") };
    let mut line = Line::styled(look.fg(Token::Accent), &look.cut(label, LABEL));
    if let Some(score) = tool.get("score").and_then(Value::as_f64) {
        line.push(look.fg(Token::Muted), &format!("{}{score:.3}", look.dot()));
    }
    let server = text("server_name");
    if !server.is_empty() {
        line.push(look.fg(Token::Dim), &format!("{}{server}", look.dot()));
    }
    let about = text("description").split_whitespace().collect::<Vec<_>>().join(" ");
    let mut rows = line.wrap(look.width, 2);
    if !about.is_empty() {
        rows.extend(look.wrapped(Token::ToolOutput, &format!("  {}", look.cut(&about, DESCRIPTION)), 2));
    }
    rows
}
