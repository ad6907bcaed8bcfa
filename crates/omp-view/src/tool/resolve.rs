//! `resolve`: the word on a change that was shown before.

use omp_theme::Token;
use omp_tui::text::Line;
use serde_json::Value;

use super::{Drawing, Drawn};

pub(super) fn draw(drawing: &Drawing<'_>) -> Drawn {
    let (look, call) = (drawing.look, drawing.call);
    let detail = |name: &str| call.detail(name).and_then(Value::as_str);
    let action = detail("/action").unwrap_or(call.argument("action"));
    let reason = detail("/reason").unwrap_or(call.argument("reason"));
    let label = detail("/label").unwrap_or_default();
    let subject = match (action, label) {
        (action, "") => action.to_owned(),
        (action, label) => format!("{action}: {label}"),
    };
    let mut body = Vec::new();
    if !reason.is_empty() {
        let mut line = Line::styled(look.fg(Token::Muted), "Reason: ");
        line.push(look.fg(Token::ToolOutput), &reason.split_whitespace().collect::<Vec<_>>().join(" "));
        body.extend(line.wrap(look.width, 2));
    }
    body.extend(drawing.trouble().unwrap_or_default());
    if call.is_done() && drawing.is_expanded() {
        body.extend(drawing.output(&call.text(), drawing.head(0)));
    }
    let figure = detail("/sourceToolName").unwrap_or_default().to_owned();
    Drawn { subject, figure, body, ..Drawn::default() }
}
