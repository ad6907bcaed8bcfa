//! Rows as text that fits on a screen.

use rusqlite::types::ValueRef;

/// The widest line, and the widest column.
const MAX_WIDTH: usize = 120;
const MAX_COLUMN: usize = 40;
/// A column narrower than this says nothing.
const MIN_COLUMN: usize = 6;
const SEPARATOR: &str = " | ";
/// What is shown of a value that stands alone.
const MAX_VALUE: usize = 16 * 1024;

/// A value for a cell: one line, short.
pub(super) fn cell(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Text(text) => {
            // Four bytes for each character that may be shown.
            let head = &text[..text.len().min(4 * (MAX_WIDTH + 1))];
            one_line(&String::from_utf8_lossy(head))
        }
        other => plain(other),
    }
}

/// A value that stands alone, in full as far as possible.
pub(super) fn whole(value: ValueRef<'_>) -> String {
    let ValueRef::Text(text) = value else { return plain(value) };
    let shown = String::from_utf8_lossy(&text[..text.len().min(MAX_VALUE)]).into_owned();
    match text.len() > MAX_VALUE {
        true => format!("{shown}… ({} bytes)", text.len()),
        false => shown,
    }
}

fn plain(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => "NULL".to_owned(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => format!("{number:?}"),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
        ValueRef::Blob(bytes) => format!("<blob {} bytes>", bytes.len()),
    }
}

/// A text without line ends and other control characters.
pub(super) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' => line.push_str("\\n"),
            '\r' => line.push_str("\\r"),
            '\t' => line.push_str("\\t"),
            letter if letter.is_control() => line.push('\u{fffd}'),
            letter => line.push(letter),
        }
    }
    line
}

/// Rows below the names of their columns; one block for each row if there are too many columns.
pub(super) fn table(columns: &[String], rows: &[Vec<String>]) -> String {
    let columns: Vec<String> = columns.iter().map(|name| one_line(name)).collect();
    let Some(widths) = widths(&columns, rows) else { return blocks(&columns, rows) };
    let line = |cells: &[String]| {
        let cells = cells.iter().zip(&widths).map(|(cell, width)| format!("{:width$}", fitted(cell, *width)));
        cells.collect::<Vec<_>>().join(SEPARATOR).trim_end().to_owned()
    };
    let rule = widths.iter().map(|width| "-".repeat(*width)).collect::<Vec<_>>().join("-+-");
    let mut lines = vec![line(&columns), rule];
    lines.extend(rows.iter().map(|row| line(row)));
    lines.join("\n")
}

/// How wide each column is; `None` if they do not fit beside each other.
fn widths(columns: &[String], rows: &[Vec<String>]) -> Option<Vec<usize>> {
    let mut widths: Vec<usize> = columns.iter().map(|name| length(name)).collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(length(cell));
        }
    }
    for width in &mut widths {
        *width = (*width).clamp(1, MAX_COLUMN);
    }
    let separators = SEPARATOR.len() * columns.len().saturating_sub(1);
    let room = MAX_WIDTH.checked_sub(separators)?;
    while widths.iter().sum::<usize>() > room {
        let widest = widths.iter_mut().max()?;
        if *widest <= MIN_COLUMN {
            return None;
        }
        *widest -= 1;
    }
    Some(widths)
}

fn blocks(columns: &[String], rows: &[Vec<String>]) -> String {
    let label = columns.iter().map(|name| length(name)).max().unwrap_or(0).min(MAX_COLUMN);
    let block = |(number, row): (usize, &Vec<String>)| {
        let mut lines = vec![format!("-- row {number} --")];
        lines.extend(columns.iter().zip(row).map(|(name, cell)| {
            let name = fitted(name, label);
            fitted(&format!("{name:label$}: {cell}"), MAX_WIDTH)
        }));
        lines.join("\n")
    };
    (1..).zip(rows).map(block).collect::<Vec<_>>().join("\n\n")
}

fn length(text: &str) -> usize {
    text.chars().count()
}

fn fitted(text: &str, width: usize) -> String {
    match text.char_indices().nth(width) {
        None => text.to_owned(),
        Some(_) => text.chars().take(width.saturating_sub(1)).chain(['…']).collect(),
    }
}
