//! `checkpoint`, `rewind` and `goal`: where the work stands.

use omp_theme::Token;
use omp_types::Goal;

use super::{Drawing, Drawn};
use crate::look::{count, duration, grouped};
use crate::markdown;
use crate::preview::Preview;

/// Rows of a report that a collapsed call shows.
const ROWS: usize = 6;

pub(super) fn draw(drawing: &Drawing<'_>) -> Drawn {
    let call = drawing.call;
    let mut drawn = match call.name.as_str() {
        "rewind" => rewind(drawing),
        "goal" => goal(drawing),
        _ => Drawn { subject: call.argument("goal").to_owned(), ..Drawn::default() },
    };
    drawn.body.extend(drawing.trouble().unwrap_or_default());
    drawn
}

/// The report that replaces what was tried.
fn rewind(drawing: &Drawing<'_>) -> Drawn {
    let report = drawing.call.argument("report").trim();
    let rows = markdown::render_in(drawing.look, report, drawing.look.fg(Token::ToolOutput));
    let part = drawing.head(ROWS);
    let subject =
        if report.is_empty() { String::new() } else { count(report.lines().count() as u64, "line") };
    let body = Preview::of_rows(drawing.look, &rows, part).with_hint(drawing.look, part);
    Drawn { subject: format!("report {subject}").trim_end().to_owned(), body, ..Drawn::default() }
}

fn goal(drawing: &Drawing<'_>) -> Drawn {
    let call = drawing.call;
    let known = call.detail("/goal").and_then(|goal| serde_json::from_value::<Goal>(goal.clone()).ok());
    let Some(goal) = known else {
        let subject = format!("{} {}", call.argument("op"), call.argument("objective"));
        return Drawn { subject: subject.trim().to_owned(), ..Drawn::default() };
    };
    let used = match goal.token_budget {
        Some(budget) => format!("{} of {} tokens", grouped(goal.tokens_used), grouped(budget)),
        None => count(goal.tokens_used, "token"),
    };
    let time = if goal.time_used_ms > 0 { duration(goal.time_used_ms) } else { String::new() };
    let figure = drawing.facts([goal.status.word().to_owned(), used, time]);
    Drawn { subject: goal.objective, figure, ..Drawn::default() }
}
