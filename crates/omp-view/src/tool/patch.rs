//! Texts that say what is to change, coloured by how their lines begin.

use omp_theme::Token;
use omp_tui::text::Line;

use super::Drawing;
use crate::preview::{Part, Preview, clamped};

/// The rows of a patch in whichever language: added and removed lines, and the words that lead them.
pub(super) fn preview(drawing: &Drawing<'_>, text: &str, part: Part) -> Preview {
    let look = drawing.look;
    let lines: Vec<&str> = text.lines().collect();
    let range = match part {
        Part::Tail(most) => lines.len().saturating_sub(most)..lines.len(),
        Part::Head(most) => 0..lines.len().min(most),
        Part::Whole => 0..lines.len(),
    };
    let rows = lines[range].iter().map(|line| Line::styled(look.fg(token(line)), clamped(line)));
    let rows: Vec<Line> = rows.collect();
    let mut preview = Preview::of_rows(look, &rows, part);
    preview.hidden += lines.len() - rows.len();
    preview
}

fn token(line: &str) -> Token {
    const OPERATIONS: [&str; 5] = ["SWAP", "DEL", "INS", "MV", "RM"];
    match line.chars().next() {
        Some('+') => Token::ToolDiffAdded,
        Some('-') => Token::ToolDiffRemoved,
        Some('@' | '[' | '*' | '#') => Token::Accent,
        _ if OPERATIONS.iter().any(|word| line.starts_with(word)) => Token::Accent,
        _ => Token::ToolDiffContext,
    }
}

/// The files that a patch names: `[path#TAG]` and `*** Update File: path`.
pub(super) fn files(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in text.lines() {
        let anchored = line.strip_prefix('[').and_then(|rest| rest.split(['#', ']']).next());
        let enveloped =
            line.strip_prefix("*** ").and_then(|rest| rest.split_once(" File: ")).map(|(_, path)| path);
        let name = anchored.or(enveloped).map(str::trim).filter(|name| !name.is_empty());
        if let Some(name) = name.filter(|name| !found.iter().any(|known| known == name)) {
            found.push(name.to_owned());
        }
    }
    found
}
