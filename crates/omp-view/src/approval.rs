//! The question whether a call may run.

use omp_theme::{Symbol, Token};
use omp_tui::text::{Line, neutral};

use crate::Look;
use crate::look::behind;

/// Rows of one value that are shown: its first and its last ones. What matters may stand at either end.
const FIRST_ROWS: usize = 8;
const LAST_ROWS: usize = 4;

/// The rows of a question: what is asked, and values with their labels.
pub fn rows(look: &Look, title: &str, values: &[(&str, String)]) -> Vec<Line> {
    let sign = format!("{} ", look.symbol(Symbol::IconQuestion));
    let mut head = Line::styled(look.bold(Token::Warning), &sign);
    head.push(look.bold(Token::Text), &neutral::exact_line(title));
    let mut rows = head.wrap(look.width, 2);
    for (label, value) in values {
        let prefix = Line::styled(look.fg(Token::Muted), &format!("  {label}: "));
        // What is decided about is the brightest.
        let token = match *label {
            "Reason" => Token::Warning,
            "Command" | "Code" | "Path" => Token::Text,
            _ => Token::ToolOutput,
        };
        let inner = look.narrower(prefix.width().min(look.width / 2));
        let mut wrapped: Vec<Line> = inner.wrapped(token, &neutral::exact(value), 0);
        let hidden = wrapped.len().saturating_sub(FIRST_ROWS + LAST_ROWS);
        if hidden > 0 {
            let dots = look.symbol(Symbol::FormatEllipsis);
            let gap = inner.row(Token::Dim, &format!("{dots} {hidden} more rows"));
            wrapped.splice(FIRST_ROWS..FIRST_ROWS + hidden, [gap]);
        }
        let blank = Line::plain(&" ".repeat(look.width.saturating_sub(inner.width)));
        let with = |(index, row): (usize, &Line)| {
            behind(if index == 0 { &prefix } else { &blank }, row).clamp(look.width)
        };
        rows.extend(wrapped.iter().enumerate().map(with));
    }
    rows
}
