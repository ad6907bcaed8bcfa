//! `inspect_image`: a question about a picture, and what another model said.

use omp_theme::{Symbol, Token};
use omp_tui::text::Line;
use serde_json::Value;

use super::{Drawing, Drawn};
use crate::look::grouped;
use crate::preview::more;

/// Cells of the question, and of a line of the answer.
const QUESTION: usize = 100;
const LINE: usize = 120;

/// Lines of the answer.
const COLLAPSED: usize = 4;
const EXPANDED: usize = 16;

pub(super) fn draw(drawing: &Drawing<'_>) -> Drawn {
    let (look, call) = (drawing.look, drawing.call);
    let question = call.argument("question").split_whitespace().collect::<Vec<_>>().join(" ");
    let mut body = Vec::new();
    if !question.is_empty() {
        body.push(cut(drawing, Token::Muted, &question, QUESTION));
    }
    match drawing.trouble() {
        Some(trouble) => body.extend(trouble),
        None => body.extend(answer(drawing)),
    }
    let text = |pointer: &str| call.detail(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    let footer = drawing.facts([text("/model"), text("/mimeType")]);
    if !footer.is_empty() {
        body.push(look.row(Token::Dim, &footer));
    }
    Drawn { subject: call.argument("path").to_owned(), body, ..Drawn::default() }
}

/// A row of at most so many cells.
fn cut(drawing: &Drawing<'_>, token: Token, text: &str, most: usize) -> Line {
    let look = drawing.look;
    look.shortened(&Line::styled(look.fg(token), text), most.min(look.width))
}

/// The first lines; the model got all of them.
fn answer(drawing: &Drawing<'_>) -> Vec<Line> {
    let look = drawing.look;
    let text = drawing.call.text();
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let most = if drawing.is_expanded() { EXPANDED } else { COLLAPSED };
    let shown = lines.iter().take(most);
    let mut rows: Vec<Line> = shown.map(|line| cut(drawing, Token::ToolOutput, line, LINE)).collect();
    let hidden = lines.len().saturating_sub(most);
    if hidden > 0 && !drawing.is_expanded() {
        rows.push(more(look, hidden, "line"));
    } else if hidden > 0 {
        let dots = look.symbol(Symbol::FormatEllipsis);
        rows.push(look.row(Token::Dim, &format!("{dots} {} more", grouped(hidden as u64))));
    }
    rows
}
