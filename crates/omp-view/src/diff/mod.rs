//! Differences between two texts, with the words that changed.

mod parse;
mod words;

use omp_theme::{Preset, Symbol, Token};
use omp_tui::text::{Line, Style, width};

pub use parse::{FileDiff, Hunk, Kind, Row};

use crate::Look;
use crate::look::count;

/// Cells between two tab stops.
const TAB: usize = 4;

/// How long lines are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LongLines {
    /// In several rows.
    Wrapped,
    /// Their start.
    Cut,
}

/// The files of a unified difference.
pub fn parse(unified: &str) -> Vec<FileDiff> {
    parse::parse(unified)
}

/// The difference of two texts that belong to a file.
pub fn of_texts(path: &str, old: &str, new: &str) -> FileDiff {
    let diff = similar::TextDiff::from_lines(old, new);
    let unified = diff.unified_diff().context_radius(3).to_string();
    let hunks = parse(&unified).into_iter().flat_map(|file| file.hunks).collect();
    FileDiff { path: path.to_owned(), hunks }
}

/// Added and removed lines.
pub fn counts(files: &[FileDiff]) -> (usize, usize) {
    let rows = || files.iter().flat_map(|file| &file.hunks).flat_map(|hunk| &hunk.rows);
    let of = |kind: Kind| rows().filter(|row| row.kind == kind).count();
    (of(Kind::Added), of(Kind::Removed))
}

/// At most `most` rows of a difference, and how many lines were left out. Several files have their names above them.
pub fn render(look: &Look, files: &[FileDiff], long: LongLines, most: usize) -> (Vec<Line>, usize) {
    let total: usize = files.iter().flat_map(|file| &file.hunks).map(|hunk| hunk.rows.len()).sum();
    let mut rows = Vec::new();
    let mut shown = 0;
    for file in files {
        if rows.len() >= most {
            break;
        }
        if files.len() > 1 {
            rows.push(look.row(Token::Accent, &file.path));
        }
        let drawing = Drawing { look, long, digits: digits(file), marks_returns: mixes_line_ends(file) };
        for (index, hunk) in file.hunks.iter().enumerate() {
            if rows.len() >= most {
                break;
            }
            rows.extend(drawing.gap(index.checked_sub(1).and_then(|before| file.hunks.get(before)), hunk));
            // Words are compared only where they are seen: each line of a hunk is a row or more.
            let part = &hunk.rows[..hunk.rows.len().min(visible(&hunk.rows, most - rows.len().min(most)))];
            let emphases = words::emphases(part);
            for (row, emphasis) in part.iter().zip(emphases) {
                if rows.len() >= most {
                    break;
                }
                rows.extend(drawing.row(row, &emphasis));
                shown += 1;
            }
        }
    }
    rows.truncate(most);
    (rows, total - shown)
}

/// How many of a hunk's lines have to be looked at to draw the first `most`: up to the end of the change that is cut, within
/// reason, because removed lines are compared with the added ones behind them.
fn visible(rows: &[Row], most: usize) -> usize {
    let rest = rows.get(most..).unwrap_or_default();
    most.saturating_add(rest.iter().take(most).take_while(|row| row.kind != Kind::Context).count())
}

/// The digits of the highest line number.
fn digits(file: &FileDiff) -> usize {
    let numbers = file.hunks.iter().flat_map(|hunk| &hunk.rows).map(|row| row.number);
    numbers.max().unwrap_or(1).to_string().len().max(2)
}

/// Whether some lines end with a carriage return and some do not: then it is worth a mark.
fn mixes_line_ends(file: &FileDiff) -> bool {
    let mut rows = file.hunks.iter().flat_map(|hunk| &hunk.rows).map(|row| row.returns);
    let first = rows.next().unwrap_or(false);
    rows.any(|returns| returns != first)
}

struct Drawing<'a> {
    look: &'a Look,
    long: LongLines,
    digits: usize,
    marks_returns: bool,
}

impl Drawing<'_> {
    /// What stands between two hunks.
    fn gap(&self, before: Option<&Hunk>, hunk: &Hunk) -> Option<Line> {
        let end = before?.rows.last()?.number;
        let next = hunk.rows.first()?.number;
        let skipped = next.saturating_sub(end + 1);
        let dots = self.look.symbol(Symbol::FormatEllipsis);
        let text = match skipped {
            0 => dots.to_owned(),
            _ => format!("{:>1$} {2}", dots, self.digits, count(skipped as u64, "unchanged line")),
        };
        Some(self.look.row(Token::Dim, &text))
    }

    fn row(&self, row: &Row, emphasis: &[std::ops::Range<usize>]) -> Vec<Line> {
        let (token, sign) = match row.kind {
            Kind::Added => (Token::ToolDiffAdded, self.look.symbol(Symbol::FormatAdded)),
            Kind::Removed => (Token::ToolDiffRemoved, self.look.symbol(Symbol::FormatRemoved)),
            Kind::Context => (Token::ToolDiffContext, " "),
        };
        let style = self.look.fg(token);
        let mut line = Line::styled(self.look.fg(Token::Dim), &format!("{:>1$} ", row.number, self.digits));
        line.push(style, &format!("{sign} "));
        let gutter = line.width();
        let mut column = 0;
        let mut at = 0;
        for range in emphasis {
            push(&mut line, style, &row.text[at..range.start], &mut column);
            push(&mut line, words::emphasized(style), &row.text[range.clone()], &mut column);
            at = range.end;
        }
        push(&mut line, style, &row.text[at..], &mut column);
        if row.returns && self.marks_returns {
            let mark = if self.look.theme.preset() == Preset::Ascii { "^M" } else { "␍" };
            line.push(self.look.fg(Token::Dim), mark);
        }
        let mut rows = match self.long {
            LongLines::Wrapped => line.wrap(self.look.width, gutter),
            LongLines::Cut => vec![self.look.shortened(&line, self.look.width)],
        };
        if row.unended {
            rows.push(self.look.row(Token::Dim, &format!("{:1$}no newline at the end", "", gutter)));
        }
        rows
    }
}

/// Appends text with its tabs, whose stops are counted from the start of the text: the gutter does not move them.
fn push(line: &mut Line, style: Style, text: &str, column: &mut usize) {
    let mut clean = String::with_capacity(text.len());
    for part in text.split_inclusive('\t') {
        let words = part.strip_suffix('\t').unwrap_or(part);
        clean.push_str(words);
        *column += width::text_width(words);
        if words.len() < part.len() {
            let blanks = TAB - *column % TAB;
            clean.extend(std::iter::repeat_n(' ', blanks));
            *column += blanks;
        }
    }
    line.push(style, &clean);
}

#[cfg(test)]
mod tests;
