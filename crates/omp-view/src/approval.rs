//! The question whether a call may run.

use omp_theme::{Symbol, Token};
use omp_tui::text::Line;

use crate::Look;
use crate::look::behind;

/// Rows of one value that are shown.
const ROWS: usize = 12;

/// The rows of a question that is given as lines of `Label: value`; lines without a label go on with the value before.
pub fn rows(look: &Look, question: &str) -> Vec<Line> {
    let mut lines = question.lines();
    let title = lines.next().unwrap_or_default();
    let sign = format!("{} ", look.symbol(Symbol::IconQuestion));
    let mut head = Line::styled(look.bold(Token::Warning), &sign);
    head.push(look.bold(Token::Text), title);
    let mut rows = head.wrap(look.width, 2);
    for (label, value) in values(lines) {
        let prefix = Line::styled(look.fg(Token::Muted), &format!("  {label}: "));
        // What is decided about is the brightest.
        let token = match label {
            "Reason" => Token::Warning,
            "Command" | "Code" | "Path" => Token::Text,
            _ => Token::ToolOutput,
        };
        let inner = look.narrower(prefix.width().min(look.width / 2));
        let mut wrapped: Vec<Line> = inner.wrapped(token, &value, 0);
        let hidden = wrapped.len().saturating_sub(ROWS);
        wrapped.truncate(ROWS);
        if hidden > 0 {
            wrapped.push(
                inner.row(Token::Dim, &format!("{} {hidden} more rows", look.symbol(Symbol::FormatEllipsis))),
            );
        }
        let blank = Line::plain(&" ".repeat(look.width.saturating_sub(inner.width)));
        let with = |(index, row): (usize, &Line)| {
            behind(if index == 0 { &prefix } else { &blank }, row).clamp(look.width)
        };
        rows.extend(wrapped.iter().enumerate().map(with));
    }
    rows
}

fn values<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<(&'a str, String)> {
    let mut found: Vec<(&str, String)> = Vec::new();
    for line in lines {
        let label = line.split_once(": ").filter(|(label, _)| is_label(label));
        match (label, found.last_mut()) {
            (Some((label, value)), _) => found.push((label, value.to_owned())),
            (None, Some((_, value))) => {
                value.push('\n');
                value.push_str(line);
            }
            (None, None) => found.push(("Note", line.to_owned())),
        }
    }
    found
}

/// One capitalised word: what a tool's own detail begins with. A line of a command rarely looks like that.
fn is_label(text: &str) -> bool {
    const LABELS: [&str; 11] = [
        "Origin",
        "Reason",
        "Command",
        "Directory",
        "Host",
        "Path",
        "Content",
        "Edit",
        "Code",
        "Action",
        "Assignment",
    ];
    LABELS.contains(&text)
}
