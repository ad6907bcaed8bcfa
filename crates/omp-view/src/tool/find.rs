//! `find`: names of files.

use omp_theme::{Symbol, Token};
use omp_tui::text::Line;
use serde_json::Value;

use super::{Drawing, Drawn, Phase};
use crate::look::count;

pub(super) fn draw(drawing: &Drawing<'_>) -> Drawn {
    let call = drawing.call;
    let files = listed(drawing);
    let figure = match call.phase {
        Phase::Done => drawing.facts([
            count(call.number("/fileCount").unwrap_or(files.len() as u64), "result"),
            if call.flag("/truncated") { "more exist".to_owned() } else { String::new() },
        ]),
        _ => String::new(),
    };
    let mut body = drawing.items(&files, "result");
    if call.is_done() {
        body.extend(missing(drawing));
    }
    body.extend(drawing.trouble().unwrap_or_default());
    Drawn { subject: call.listed("paths"), figure, body, ..Drawn::default() }
}

fn listed(drawing: &Drawing<'_>) -> Vec<Line> {
    let files = drawing.call.detail("/files").and_then(Value::as_array);
    let names = files.into_iter().flatten().filter_map(Value::as_str);
    names.map(|name| Line::styled(drawing.look.fg(Token::ToolOutput), name)).collect()
}

/// Paths that were asked for and are not there.
pub(super) fn missing(drawing: &Drawing<'_>) -> Option<Line> {
    let paths = drawing.call.detail("/missingPaths")?.as_array()?;
    let names: Vec<&str> = paths.iter().filter_map(Value::as_str).collect();
    let sign = drawing.look.symbol(Symbol::StatusWarning);
    Some(drawing.look.row(Token::Warning, &format!("{sign} Not found: {}", names.join(", "))))
}
