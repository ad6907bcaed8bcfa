//! Tables that fit: cells are wrapped, and a table that is too narrow for that becomes a list of its rows.

use omp_theme::{Symbol, Token};
use omp_tui::text::{Attributes, Line, Style};
use pulldown_cmark::{Alignment, Event, Tag, TagEnd};

use super::block::{Blocks, hanging};
use super::inline::Inline;
use crate::Look;

/// Columns are not made narrower than this to fit a table into its room.
const MIN_COLUMN: usize = 6;
/// So many rows, with the head, decide how wide the columns are. Later ones are wrapped to fit, so that a long table can leave
/// the screen while it is being written …
const MEASURED: usize = 13;
/// … for which each column of a long table has some cells to spare, if there is room.
const SPARE: usize = 4;

/// A cell: its rows before they are wrapped.
type Cell = Vec<Line>;

/// The rows of a table whose start was just read, and where each row of it ends that more text cannot change.
pub(super) fn render(
    blocks: &mut Blocks<'_>,
    alignments: &[Alignment],
    width: usize,
    base: Style,
) -> (Vec<Line>, Vec<usize>) {
    let look = blocks.look;
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    let mut inline: Option<Inline<'_>> = None;
    let mut style = base.with(Attributes::BOLD);
    while let Some(event) = blocks.next() {
        match &event {
            Event::Start(Tag::TableHead | Tag::TableRow) => rows.push(Vec::new()),
            Event::Start(Tag::TableCell) => inline = Some(Inline::new(look, style)),
            Event::End(TagEnd::TableCell) => {
                let cell = inline.take().map(Inline::finish).unwrap_or_default();
                rows.last_mut().into_iter().for_each(|row| row.push(cell.clone()));
            }
            Event::End(TagEnd::TableHead) => style = base,
            Event::End(TagEnd::Table) => break,
            event => inline.iter_mut().for_each(|inline| inline.event(event)),
        }
    }
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let measured = &rows[..rows.len().min(MEASURED)];
    let spare = if rows.len() < MEASURED { 0 } else { SPARE };
    let (lines, mut ends) = match fit(measured, columns, width, spare) {
        Some(widths) => Grid { look, widths, alignments }.render(&rows),
        None => as_list(look, &rows, width),
    };
    if rows.len() < MEASURED {
        ends.clear();
    }
    (lines, ends)
}

/// How wide each column becomes; `None` if they cannot all be readable.
fn fit(rows: &[Vec<Cell>], columns: usize, width: usize, spare: usize) -> Option<Vec<usize>> {
    let natural = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.flatten().map(Line::width).max().unwrap_or(0).max(1)
    };
    let mut widths: Vec<usize> = (0..columns).map(natural).collect();
    let room = width.checked_sub(3 * columns + 1)?;
    let least: usize = widths.iter().map(|width| (*width).min(MIN_COLUMN)).sum();
    if least > room || columns == 0 {
        return None;
    }
    let mut total: usize = widths.iter().sum();
    while total > room {
        // The widest column gives, down to the next widest at once.
        let widest = widths.iter().copied().max()?;
        let next = widths.iter().copied().filter(|one| *one < widest).max().unwrap_or(1);
        let count = widths.iter().filter(|one| **one == widest).count();
        let step = (widest - next).min((total - room).div_ceil(count)).max(1);
        for one in widths.iter_mut().filter(|one| **one == widest) {
            let taken = step.min(total - room);
            *one -= taken;
            total -= taken;
        }
    }
    let each = (room.saturating_sub(total) / columns).min(spare);
    widths.iter_mut().for_each(|one| *one += each);
    Some(widths)
}

struct Grid<'a> {
    look: &'a Look,
    widths: Vec<usize>,
    alignments: &'a [Alignment],
}

impl Grid<'_> {
    fn render(&self, rows: &[Vec<Cell>]) -> (Vec<Line>, Vec<usize>) {
        let mut ends = Vec::new();
        let mut lines =
            vec![self.rule([Symbol::BoxSharpTopLeft, Symbol::BoxSharpTeeDown, Symbol::BoxSharpTopRight])];
        for (index, row) in rows.iter().enumerate() {
            lines.extend(self.row(row));
            if index == 0 {
                lines.push(self.rule([
                    Symbol::BoxSharpTeeRight,
                    Symbol::BoxSharpCross,
                    Symbol::BoxSharpTeeLeft,
                ]));
            }
            ends.push(lines.len());
        }
        lines.push(self.rule([
            Symbol::BoxSharpBottomLeft,
            Symbol::BoxSharpTeeUp,
            Symbol::BoxSharpBottomRight,
        ]));
        (lines, ends)
    }

    fn rule(&self, [left, middle, right]: [Symbol; 3]) -> Line {
        let across = self.look.symbol(Symbol::BoxSharpHorizontal);
        let parts: Vec<String> = self.widths.iter().map(|width| across.repeat(width + 2)).collect();
        let inner = parts.join(self.look.symbol(middle));
        let text = format!("{}{inner}{}", self.look.symbol(left), self.look.symbol(right));
        Line::styled(self.look.fg(Token::MdCodeBlockBorder), &text)
    }

    fn row(&self, row: &[Cell]) -> Vec<Line> {
        let wrapped: Vec<Vec<Line>> = self
            .widths
            .iter()
            .enumerate()
            .map(|(column, width)| {
                row.get(column).into_iter().flatten().flat_map(|line| line.wrap(*width, 0)).collect()
            })
            .collect();
        let height = wrapped.iter().map(Vec::len).max().unwrap_or(1);
        let border = self.look.fg(Token::MdCodeBlockBorder);
        let upright = self.look.symbol(Symbol::BoxSharpVertical);
        let line = |index: usize| {
            let mut line = Line::styled(border, upright);
            for (column, width) in self.widths.iter().enumerate() {
                let cell = wrapped[column].get(index).cloned().unwrap_or_default();
                let missing = width.saturating_sub(cell.width());
                let before = match self.alignments.get(column) {
                    Some(Alignment::Right) => missing,
                    Some(Alignment::Center) => missing / 2,
                    _ => 0,
                };
                line.push(Style::PLAIN, &" ".repeat(1 + before)).append(&cell);
                line.push(Style::PLAIN, &" ".repeat(missing - before + 1)).push(border, upright);
            }
            line
        };
        (0..height).map(line).collect()
    }
}

/// Each row as its cells below each other, every one behind the name of its column.
fn as_list(look: &Look, rows: &[Vec<Cell>], width: usize) -> (Vec<Line>, Vec<usize>) {
    let Some((head, body)) = rows.split_first() else { return Default::default() };
    let mut lines: Vec<Line> = Vec::new();
    let mut ends = vec![0];
    for row in body {
        for (column, cell) in row.iter().enumerate() {
            let mark = match column {
                0 => format!("{} ", look.symbol(Symbol::MdBullet)),
                _ => "  ".to_owned(),
            };
            let mut prefix = Line::styled(look.fg(Token::MdListBullet), &mark);
            let room = width.saturating_sub(prefix.width()).max(1);
            let mut whole = head.get(column).and_then(|name| name.first()).cloned().unwrap_or_default();
            whole.push(look.fg(Token::Muted), ": ");
            cell.first().into_iter().for_each(|line| {
                whole.append(line);
            });
            let mut wrapped = whole.wrap(room, 2);
            wrapped.extend(cell.iter().skip(1).flat_map(|line| line.wrap(room, 0)));
            prefix = prefix.clamp(width);
            lines.extend(hanging(&prefix, &wrapped));
        }
        ends.push(lines.len());
    }
    if body.is_empty() {
        lines.extend(head.iter().flatten().flat_map(|line| line.wrap(width, 0)));
    }
    (lines, ends)
}
