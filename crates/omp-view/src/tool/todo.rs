//! `todo`: the list after a change.

use omp_theme::{Symbol, Token};
use omp_tui::text::Line;
use serde_json::Value;

use super::{Drawing, Drawn, Phase};
use crate::todo::{Notes, Status, Todos, tree};

/// Tasks that a collapsed call shows.
const ITEMS: usize = 8;

pub(super) fn draw(drawing: &Drawing<'_>) -> Drawn {
    let call = drawing.call;
    let Some(todos) = call.detail("/phases").and_then(Todos::of_json) else {
        let body = drawing.trouble().unwrap_or_default();
        return Drawn { subject: asked(drawing), body, ..Drawn::default() };
    };
    let total = todos.tasks().count();
    let done = todos.tasks().filter(|task| task.status == Status::Completed).count();
    let figure = if total == 0 { "cleared".to_owned() } else { format!("{done}/{total} done") };
    let most = if drawing.is_expanded() { usize::MAX } else { ITEMS };
    let mut body = tree(drawing.look, &todos, most, Notes::OfTheActive);
    if call.phase == Phase::Failed {
        body.splice(0..0, failure(drawing));
    }
    let active = todos.tasks().find(|task| task.status == Status::InProgress);
    let subject = active.map_or_else(String::new, |task| task.content.clone());
    Drawn { subject, figure, body, ..Drawn::default() }
}

/// What is about to change.
fn asked(drawing: &Drawing<'_>) -> String {
    let ops = drawing.call.arguments.get("ops").and_then(Value::as_array);
    let word = |op: &Value| {
        let name = op.get("op")?.as_str()?;
        let what = op.get("task").or_else(|| op.get("phase")).and_then(Value::as_str).unwrap_or_default();
        Some(format!("{name} {what}").trim_end().to_owned())
    };
    let words: Vec<String> = ops.into_iter().flatten().filter_map(word).collect();
    words.join(", ")
}

/// A warning with the mistakes, which stand in the first line of the result.
fn failure(drawing: &Drawing<'_>) -> Vec<Line> {
    let text = drawing.call.text();
    let errors = text.lines().next().unwrap_or_default().trim_start_matches("Errors: ");
    let sign = drawing.look.symbol(Symbol::StatusWarning);
    drawing.look.wrapped(Token::Warning, &format!("{sign} Todo update failed: {errors}"), 2)
}
