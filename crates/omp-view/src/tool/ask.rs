//! `ask`: questions to the user and what was answered.

use omp_theme::{Symbol, Token};
use omp_tui::text::{Attributes, Line};
use serde_json::Value;

use super::{Drawing, Drawn};
use crate::look::count;

pub(super) fn draw(drawing: &Drawing<'_>) -> Drawn {
    let call = drawing.call;
    let asked =
        call.arguments.get("questions").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let subject = match asked {
        [] => String::new(),
        [one] => text(one, "question").to_owned(),
        several => count(several.len() as u64, "question"),
    };
    let answers: Vec<&Value> = match (call.detail("/results").and_then(Value::as_array), &call.output.details)
    {
        (Some(several), _) => several.iter().collect(),
        (None, Some(one)) if one.get("question").is_some() => vec![one],
        _ => Vec::new(),
    };
    let mut body: Vec<Line> = match answers.is_empty() {
        true => asked.iter().flat_map(|question| open(drawing, question, asked.len() > 1)).collect(),
        false => answers.iter().flat_map(|answer| answered(drawing, answer, answers.len() > 1)).collect(),
    };
    body.extend(drawing.trouble().unwrap_or_default());
    Drawn { subject, body, ..Drawn::default() }
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// A question that waits. Its options stand where they can be chosen; of one that got no answer they are shown here.
fn open(drawing: &Drawing<'_>, question: &Value, several: bool) -> Vec<Line> {
    let look = drawing.look;
    let mut rows = Vec::new();
    if several {
        rows.extend(look.wrapped(Token::Text, text(question, "question"), 0));
    }
    if !drawing.call.phase.is_over() {
        return rows;
    }
    let mark = match question.get("multi").and_then(Value::as_bool) {
        Some(true) => Symbol::CheckboxUnchecked,
        _ => Symbol::RadioUnselected,
    };
    for option in question.get("options").and_then(Value::as_array).into_iter().flatten() {
        let mut line = Line::styled(look.fg(Token::Muted), &format!("{} ", look.symbol(mark)));
        line.push(look.fg(Token::ToolOutput), text(option, "label"));
        let about = text(option, "description");
        if !about.is_empty() {
            line.push(look.fg(Token::Dim), &format!("{}{about}", look.dot()));
        }
        rows.push(look.shortened(&line, look.width));
    }
    rows
}

/// What was chosen; expanded, among what.
fn answered(drawing: &Drawing<'_>, answer: &Value, several: bool) -> Vec<Line> {
    let look = drawing.look;
    let chosen: Vec<&str> = list(answer, "selectedOptions");
    let multi = answer.get("multi").and_then(Value::as_bool).unwrap_or(false);
    let (on, off) = match multi {
        true => (Symbol::CheckboxChecked, Symbol::CheckboxUnchecked),
        false => (Symbol::RadioSelected, Symbol::RadioUnselected),
    };
    let mut rows = Vec::new();
    if several {
        rows.extend(look.wrapped(Token::Text, text(answer, "question"), 0));
    }
    let options = if drawing.is_expanded() { list(answer, "options") } else { chosen.clone() };
    for option in options {
        let is_chosen = chosen.contains(&option);
        let (symbol, token) = if is_chosen { (on, Token::Success) } else { (off, Token::Muted) };
        let mut line = Line::styled(look.fg(token), &format!("{} ", look.symbol(symbol)));
        line.push(look.fg(if is_chosen { Token::Text } else { Token::Dim }), option);
        rows.push(look.shortened(&line, look.width));
    }
    let custom = text(answer, "customInput");
    if !custom.is_empty() {
        let style = look.fg(Token::Text).with(Attributes::ITALIC);
        let mut line = Line::styled(look.fg(Token::Success), &format!("{} ", look.symbol(Symbol::IconEdit)));
        line.push(style, &custom.split_whitespace().collect::<Vec<_>>().join(" "));
        rows.extend(line.wrap(look.width, 2));
    }
    if chosen.is_empty() && custom.is_empty() {
        rows.push(look.row(Token::Warning, "No answer"));
    }
    if answer.get("timedOut").and_then(Value::as_bool) == Some(true) {
        rows.push(look.row(Token::Dim, "Selected automatically: no answer in time"));
    }
    rows
}

fn list<'a>(value: &'a Value, name: &str) -> Vec<&'a str> {
    value.get(name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}
