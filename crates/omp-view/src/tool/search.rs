//! `search`: lines that match.

use omp_theme::Token;
use omp_tui::text::{Attributes, Line};
use serde_json::Value;

use super::find::missing;
use super::{Drawing, Drawn, Phase};
use crate::look::count;
use crate::preview::clamped;

pub(super) fn draw(drawing: &Drawing<'_>) -> Drawn {
    let call = drawing.call;
    let within = call.listed("paths");
    let pattern = call.argument("pattern");
    let subject = match within.is_empty() {
        true => pattern.to_owned(),
        false => format!("{pattern} in {within}"),
    };
    let mut body = drawing.trouble().unwrap_or_default();
    if call.is_done() {
        body = found(drawing);
        body.extend(missing(drawing));
    }
    Drawn { subject, figure: figure(drawing), body, ..Drawn::default() }
}

/// How many matches there are, and in how many files.
pub(super) fn figure(drawing: &Drawing<'_>) -> String {
    let call = drawing.call;
    if call.phase != Phase::Done {
        return String::new();
    }
    let (matches, files) = (call.number("/matchCount").unwrap_or(0), call.number("/fileCount").unwrap_or(0));
    let counted = match matches {
        0 => "no matches".to_owned(),
        _ => format!("{} in {}", count(matches, "match"), count(files, "file")),
    };
    let limited = call.flag("/truncated") || call.flag("/limitReached");
    drawing.facts([counted, if limited { "more exist".to_owned() } else { String::new() }])
}

/// Collapsed: the files with their counts. Expanded: the lines.
fn found(drawing: &Drawing<'_>) -> Vec<Line> {
    if !drawing.is_expanded() {
        return counts(drawing);
    }
    let text = drawing.call.detail("/displayContent").and_then(Value::as_str).unwrap_or_default();
    let mut rows: Vec<Line> = text.lines().flat_map(|line| self::line(drawing, line)).collect();
    rows.extend(drawing.truncation());
    rows
}

/// The files with matches, and how many each has.
pub(super) fn counts(drawing: &Drawing<'_>) -> Vec<Line> {
    let files = drawing.call.detail("/fileMatches").and_then(Value::as_array);
    let look = drawing.look;
    let row = |file: &Value| {
        let path = file.get("path").and_then(Value::as_str).filter(|path| !path.is_empty())?;
        let mut line = Line::styled(look.fg(Token::ToolOutput), path);
        let matches = file.get("count").and_then(Value::as_u64).unwrap_or(0);
        line.push(look.fg(Token::Dim), &format!("{}{matches}", look.dot()));
        Some(line)
    };
    let rows: Vec<Line> = files.into_iter().flatten().filter_map(row).collect();
    drawing.items(&rows, "file")
}

/// A heading, a line that matches (`*12│text`), or one around it (` 12│text`).
fn line(drawing: &Drawing<'_>, text: &str) -> Vec<Line> {
    let look = drawing.look;
    if text.starts_with('#') || text.starts_with('[') {
        let name = text.trim_start_matches(['#', '[', ' ']).trim_end_matches(']');
        let name = name.rsplit_once('#').map_or(name, |(name, _)| name);
        return vec![look.row(Token::Accent, name)];
    }
    let Some((number, rest)) = text.split_once('│') else {
        return look.wrapped(Token::ToolOutput, text, 0);
    };
    let matched = number.starts_with('*');
    let mut line =
        Line::styled(look.fg(Token::Dim), &format!("{:>5} ", number.trim_start_matches('*').trim()));
    let style = match matched {
        true => look.fg(Token::ToolOutput).with(Attributes::BOLD),
        false => look.fg(Token::Dim),
    };
    let gutter = line.width();
    line.push(style, clamped(rest));
    line.wrap(look.width, gutter)
}
