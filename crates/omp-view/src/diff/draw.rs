//! One line of a difference as rows: its number, its sign, and its text in the colours of its language.
//!
//! Where the terminal shows enough colours, changed lines stand on a tint and changed words on a stronger one. Elsewhere
//! the colour of the text says what changed, and a line below it which words.

use std::ops::Range;

use omp_syntax::Language;
use omp_theme::{Preset, Symbol, Tint, Token};
use omp_tui::text::{Attributes, Color, Depth, Line, Style, width};

use super::parse::{DiffRowKind, Hunk, Row};
use super::{LongLines, Numbers};
use crate::look::count;
use crate::preview::clamped;
use crate::{Look, code};

/// Cells between two tab stops.
const TAB: usize = 4;

/// Rows that a changed line takes where long lines are cut.
const CUT_ROWS: usize = 3;

/// A longer part of a file is shown without the colours of its language.
const COLORED: usize = 128 * 1024;

/// The coloured parts of a line.
pub(super) type Colors = Vec<(Range<usize>, Color)>;

/// How the lines of a file are drawn.
pub(super) struct Drawing<'a> {
    pub(super) look: &'a Look,
    pub(super) long: LongLines,
    pub(super) numbers: Numbers,
    pub(super) digits: usize,
    pub(super) marks_returns: bool,
}

/// The styles of a line.
struct Ink {
    number: Style,
    sign: Style,
    text: Style,
    word: Style,
    /// What is behind all of it.
    ground: Option<Style>,
}

impl Drawing<'_> {
    /// What stands between two hunks.
    pub(super) fn gap(&self, before: Option<&Hunk>, hunk: &Hunk) -> Option<Line> {
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

    /// The colours of changed lines. Each side of the change is read as one text.
    pub(super) fn colors(&self, rows: &[Row], language: Option<Language>) -> Vec<Colors> {
        let mut found = vec![Colors::new(); rows.len()];
        let bytes: usize = rows.iter().map(|row| row.text.len() + 1).sum();
        let Some(language) =
            language.filter(|_| bytes <= COLORED && self.tints(DiffRowKind::Added).is_some())
        else {
            return found;
        };
        for (kind, other) in
            [(DiffRowKind::Removed, DiffRowKind::Added), (DiffRowKind::Added, DiffRowKind::Removed)]
        {
            if !rows.iter().any(|row| row.kind == kind) {
                continue;
            }
            let side = || rows.iter().enumerate().filter(|(_, row)| row.kind != other);
            let text: String = side().flat_map(|(_, row)| [row.text.as_str(), "\n"]).collect();
            for ((place, row), colors) in side().zip(code::colors(self.look, &text, language)) {
                if row.kind == kind {
                    found[place] = colors;
                }
            }
        }
        found
    }

    /// The rows of a line. `words` are the ranges that changed within it.
    pub(super) fn row(
        &self,
        row: &Row,
        words: &[Range<usize>],
        colors: &[(Range<usize>, Color)],
    ) -> Vec<Line> {
        let ink = self.ink(row.kind);
        let sign = match row.kind {
            DiffRowKind::Added => self.look.symbol(Symbol::FormatAdded),
            DiffRowKind::Removed => self.look.symbol(Symbol::FormatRemoved),
            DiffRowKind::Context => " ",
        };
        let mut gutter = Line::new();
        if self.numbers == Numbers::Shown {
            gutter.push(ink.number, &format!("{:>1$} ", row.number, self.digits));
        }
        gutter.push(ink.sign, &format!("{sign} "));
        let mut text = self.text(&row.text, words, colors, &ink);
        if row.returns && self.marks_returns {
            let mark = if self.look.theme.preset() == Preset::Ascii { "^M" } else { "␍" };
            text.push(ink.number, mark);
        }
        let room = self.look.width.saturating_sub(gutter.width()).max(1);
        let mut rows = self.fitted(&text, room, row.kind);
        let mut before = gutter.clone();
        for row in &mut rows {
            let mut whole = std::mem::replace(
                &mut before,
                Line::styled(ink.ground.unwrap_or_default(), &" ".repeat(gutter.width())),
            );
            whole.append(row);
            *row = match ink.ground {
                Some(ground) => whole.fit(self.look.width, ground),
                None => whole,
            };
        }
        if row.unended && self.numbers == Numbers::Shown {
            let text = format!("{:1$}no newline at the end", "", gutter.width());
            rows.push(self.look.row(Token::Dim, &text));
        }
        rows
    }

    /// What fits of a text. A changed line may continue in further rows, because what changed may be at its end.
    fn fitted(&self, text: &Line, room: usize, kind: DiffRowKind) -> Vec<Line> {
        let most = match (self.long, kind) {
            (LongLines::Wrapped, _) => usize::MAX,
            (LongLines::Cut, DiffRowKind::Context) => 1,
            (LongLines::Cut, _) => CUT_ROWS,
        };
        if most == 1 || text.width() <= room {
            return vec![self.look.shortened(text, room)];
        }
        let mut rows = text.wrap(room, 0);
        if rows.len() > most {
            rows.truncate(most);
            let last = rows.pop().unwrap_or_default().fit(room + 1, Style::PLAIN);
            rows.push(self.look.shortened(&last, room));
        }
        rows
    }

    fn text(&self, text: &str, words: &[Range<usize>], colors: &[(Range<usize>, Color)], ink: &Ink) -> Line {
        let text = clamped(text);
        let ends = |range: &Range<usize>| [range.start.min(text.len()), range.end.min(text.len())];
        let mut cuts: Vec<usize> = vec![0, text.len()];
        cuts.extend(words.iter().flat_map(ends));
        cuts.extend(colors.iter().flat_map(|(range, _)| ends(range)));
        cuts.sort_unstable();
        cuts.dedup();
        let (mut line, mut column) = (Line::new(), 0);
        for piece in cuts.windows(2) {
            let (from, to) = (piece[0], piece[1]);
            let style = if words.iter().any(|range| range.contains(&from)) { ink.word } else { ink.text };
            let color = colors.get(colors.partition_point(|(range, _)| range.end <= from));
            let style = match color {
                Some((range, color)) if range.contains(&from) => style.foreground(*color),
                _ => style,
            };
            push(&mut line, style, &text[from..to], &mut column);
        }
        line
    }

    fn ink(&self, kind: DiffRowKind) -> Ink {
        let token = token(kind);
        let Some([line, word]) = self.tints(kind) else {
            let text = self.look.fg(token);
            let word = text.with(Attributes::BOLD | Attributes::UNDERLINE);
            return Ink { number: self.look.fg(Token::Dim), sign: text, text, word, ground: None };
        };
        let text = self.look.fg(Token::Text).background(line);
        let sign = self.look.fg(token).background(line);
        let ground = Some(Style::PLAIN.background(line));
        Ink { number: sign, sign, text, word: text.background(word).with(Attributes::BOLD), ground }
    }

    /// What is behind a changed line and a changed word, where that can be shown.
    fn tints(&self, kind: DiffRowKind) -> Option<[Color; 2]> {
        let shown = kind != DiffRowKind::Context && self.look.depth == Depth::Direct;
        let tint = |tint: Tint| self.look.theme.tint(token(kind), tint).filter(|_| shown);
        Some([tint(Tint::Quiet)?, tint(Tint::Strong)?])
    }
}

fn token(kind: DiffRowKind) -> Token {
    match kind {
        DiffRowKind::Added => Token::ToolDiffAdded,
        DiffRowKind::Removed => Token::ToolDiffRemoved,
        DiffRowKind::Context => Token::ToolDiffContext,
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
