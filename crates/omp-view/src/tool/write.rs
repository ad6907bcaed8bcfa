//! `write`: a file that comes into being.

use omp_theme::Token;
use omp_tui::text::Line;

use super::read::numbered;
use super::{Drawing, Drawn, Phase};
use crate::look::count;
use crate::preview::{Part, Preview};

/// Rows of the content that a collapsed call shows.
const ROWS: usize = 8;

/// The end of a content that is still being written, in bytes: enough for the rows that are shown.
const WINDOW: usize = 16 * 1024;

pub(super) fn draw(drawing: &Drawing<'_>) -> Drawn {
    let call = drawing.call;
    let content = call.argument("content");
    let lines = content.lines().count() as u64;
    let figure = match call.phase {
        Phase::Pending if content.is_empty() => String::new(),
        _ => drawing.facts([
            count(lines, "line"),
            if call.flag("/created") { "new file".to_owned() } else { String::new() },
            if call.flag("/madeExecutable") { "executable".to_owned() } else { String::new() },
        ]),
    };
    let mut body = drawing.trouble().unwrap_or_default();
    if body.is_empty() && !content.is_empty() {
        body = shown(drawing, content, lines);
    }
    Drawn { subject: call.argument("path").to_owned(), figure, body, ..Drawn::default() }
}

/// While the content arrives its end is shown, afterwards its start.
fn shown(drawing: &Drawing<'_>, content: &str, lines: u64) -> Vec<Line> {
    let look = drawing.look;
    let base = look.fg(Token::ToolOutput);
    if drawing.call.phase != Phase::Pending {
        let part = drawing.head(ROWS);
        // Colours need what comes before, not what comes after.
        let start = if drawing.is_expanded() { content } else { head(content) };
        let (rows, indent) = numbered(drawing, start, 1, base);
        let mut preview = Preview::hanging(look, &rows, part, indent);
        preview.hidden += usize::try_from(lines).unwrap_or(usize::MAX).saturating_sub(rows.len());
        return preview.with_hint(look, part);
    }
    let from = content.ceil_char_boundary(content.len().saturating_sub(WINDOW));
    let from = content[from..].find('\n').filter(|_| from > 0).map_or(from, |at| from + at + 1);
    let first = content[..from].matches('\n').count() as u64 + 1;
    let (rows, indent) = numbered(drawing, &content[from..], first, base);
    Preview::hanging(look, &rows, Part::Tail(ROWS), indent).rows
}

/// The lines that a collapsed call needs.
fn head(content: &str) -> &str {
    let end = content.match_indices('\n').nth(ROWS).map_or(content.len(), |(at, _)| at + 1);
    &content[..end]
}
