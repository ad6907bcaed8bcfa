//! `read`: files, folders, pages and whatever else has an address.

use omp_theme::Token;
use omp_tui::text::{Line, Style};
use serde_json::Value;

use super::{Drawing, Drawn};
use crate::code;
use crate::look::{behind, count, grouped};
use crate::message::image_row;
use crate::preview::{Part, Preview};

/// Rows of a file that are shown where a preview is asked for.
const PREVIEW: usize = 6;

pub(super) fn draw(drawing: &Drawing<'_>) -> Drawn {
    let call = drawing.call;
    let mut body = drawing.trouble().unwrap_or_default();
    if call.is_done() {
        body = content(drawing);
    } else if drawing.is_expanded() || drawing.look.read_preview {
        // While the file is being read, its colours can be made ready.
        drawing.ready(code::language_of(call.argument("path"), ""));
    }
    Drawn { subject: call.argument("path").to_owned(), figure: figure(drawing), body, ..Drawn::default() }
}

/// How much was read, and how.
fn figure(drawing: &Drawing<'_>) -> String {
    let call = drawing.call;
    if !call.is_done() {
        return String::new();
    }
    let images = call.images();
    if !images.is_empty() {
        return images.join(", ");
    }
    let lines = match call.detail("/displayContent/text").and_then(Value::as_str) {
        Some(text) => text.lines().count(),
        None => call.text().lines().count(),
    };
    let text = |pointer: &str| call.detail(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    let moved = text("/suffixResolution/to");
    let found = if moved.is_empty() { moved } else { format!("found {moved}") };
    let what = match call.number("/meta/truncation/totalLines") {
        Some(total) => format!("{} of {}", grouped(lines as u64), count(total, "line")),
        None if call.flag("/isDirectory") => count(lines as u64, "entry"),
        None => count(lines as u64, "line"),
    };
    drawing.facts([what, text("/method"), text("/contentType"), found])
}

/// The file with its numbers and colours. Collapsed it is not shown unless a preview is asked for.
fn content(drawing: &Drawing<'_>) -> Vec<Line> {
    let (look, call) = (drawing.look, drawing.call);
    let images: Vec<Line> = call.images().iter().map(|kind| image_row(look, kind)).collect();
    let part = match (drawing.is_expanded(), look.read_preview) {
        (true, _) => Part::Whole,
        (false, true) => Part::Head(PREVIEW),
        (false, false) => return images,
    };
    let base = look.fg(Token::ToolOutput);
    let shown = call.detail("/displayContent/text").and_then(Value::as_str);
    let mut rows = match shown {
        Some(text) => {
            let first = call.number("/displayContent/startLine").unwrap_or(1);
            let (rows, indent) = numbered(drawing, text, first, base);
            Preview::hanging(look, &rows, part, indent).with_hint(look, part)
        }
        None => drawing.output(&call.text(), part),
    };
    rows.extend(drawing.truncation());
    rows.extend(images);
    rows
}

/// Lines behind their numbers, and the cells that these take. Behind a gap the numbers are not known, so there are none.
pub(super) fn numbered(drawing: &Drawing<'_>, text: &str, first: u64, base: Style) -> (Vec<Line>, usize) {
    let look = drawing.look;
    let path = drawing.call.argument("path");
    let path = path.split(':').next().unwrap_or(path);
    let lines = code::lines(look, text, drawing.ready(code::language_of(path, text)), base);
    let digits = (first + lines.len() as u64).to_string().len().max(2);
    let mut number = Some(first);
    let mut rows = Vec::new();
    for (line, source) in lines.iter().zip(text.split('\n')) {
        if source == "…" {
            number = None;
        }
        let shown = number.map(|number| number.to_string()).unwrap_or_default();
        let gutter = Line::styled(look.fg(Token::Dim), &format!("{shown:>digits$}  "));
        rows.push(behind(&gutter, line));
        number = number.map(|number| number + 1);
    }
    (rows, digits + 2)
}
