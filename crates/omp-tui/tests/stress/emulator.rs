//! Terminals to write to.

use std::num::NonZeroU16;

use alacritty_terminal::Term;
use alacritty_terminal::event::VoidListener;
use alacritty_terminal::grid::{Dimensions as _, Scroll};
use alacritty_terminal::index::{Column, Line as Row};
use alacritty_terminal::term::cell::Flags;
use alacritty_terminal::term::test::TermSize;
use alacritty_terminal::term::{Config, TermMode};
use alacritty_terminal::vte::ansi::{Color, NamedColor, Processor};
use omp_tui::render::{Position, Size};
use omp_tui::text::Line;

/// What a terminal shows in a cell: a character and what is stacked on it. The second half of a wide one is `\0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Glyph {
    first: char,
    rest: Option<Box<str>>,
}

impl Glyph {
    fn new(text: &str) -> Self {
        let mut characters = text.chars();
        let first = characters.next().unwrap_or(' ');
        let rest = characters.as_str();
        Self { first, rest: (!rest.is_empty()).then(|| rest.into()) }
    }

    fn is_blank(&self) -> bool {
        matches!(self.first, ' ' | '\0') && self.rest.is_none()
    }
}

/// One row of a terminal, column by column.
pub(crate) type Shown = Vec<Glyph>;

pub(crate) trait Emulator {
    fn feed(&mut self, bytes: &[u8]);
    fn resize(&mut self, size: Size);
    fn history_len(&self) -> usize;
    /// A row; those before the screen are history.
    fn row(&mut self, index: usize) -> Shown;
    fn cursor(&self) -> Position;
    fn height(&self) -> usize;
    /// Whether a cell of the screen has a background of its own.
    fn is_lit(&self, row: usize, column: usize) -> bool;
    /// The colour of a cell's text, by its number, and whether it is faint.
    fn ink(&self, row: usize, column: usize) -> (Option<u8>, bool);

    /// A reader scrolls up and reads; `None` for a terminal that nobody reads.
    fn scroll_and_read(&mut self) -> Option<Vec<String>> {
        None
    }

    /// What the reader sees now, before returning to the end.
    fn read_on(&mut self) -> Vec<String> {
        Vec::new()
    }

    fn screen(&mut self) -> Vec<Shown> {
        let first = self.history_len();
        (first..first + self.height()).map(|row| self.row(row)).collect()
    }

    fn history(&mut self) -> Vec<Shown> {
        (0..self.history_len()).map(|row| self.row(row)).collect()
    }

    /// Everything, history first, as text.
    fn tape(&mut self) -> Vec<String> {
        let rows = self.history_len() + self.height();
        (0..rows).map(|row| text(&self.row(row))).collect()
    }
}

/// The characters of a row without blanks at its end.
pub(crate) fn text(row: &[Glyph]) -> String {
    let mut text = String::new();
    for glyph in row.iter().filter(|glyph| glyph.first != '\0') {
        text.push(glyph.first);
        text.push_str(glyph.rest.as_deref().unwrap_or_default());
    }
    text.trim_end().to_owned()
}

/// Whether the terminal shows `line` in this row, column by column. Of a character about whose width terminals disagree
/// only the first code point counts, and the cell behind it does not.
pub(crate) fn shows(line: &Line, row: &[Glyph]) -> bool {
    let mut column = 0;
    for cell in line.cells() {
        let Some(found) = row.get(cell.column) else { return false };
        let same = match cell.contested {
            true => cell.text.starts_with(found.first),
            false => *found == Glyph::new(cell.text),
        };
        if !same {
            return false;
        }
        column = cell.column + cell.width;
    }
    row.iter().skip(column).all(Glyph::is_blank)
}

/// A terminal with reflow, synchronized updates and switchable wrapping.
pub(crate) struct Alacritty {
    pub(crate) term: Term<VoidListener>,
    parser: Processor,
}

impl Alacritty {
    pub(crate) fn new(size: Size) -> Self {
        let config = Config { scrolling_history: 20_000, ..Config::default() };
        let term = Term::new(config, &TermSize::new(size.width, size.height), VoidListener);
        Self { term, parser: Processor::new() }
    }

    pub(crate) fn scroll_up(&mut self, rows: i32) {
        self.term.scroll_display(Scroll::Delta(rows));
    }

    pub(crate) fn scroll_offset(&self) -> usize {
        self.term.grid().display_offset()
    }

    /// What a reader who has scrolled sees.
    pub(crate) fn viewport(&mut self) -> Vec<String> {
        let first = self.history_len() - self.scroll_offset();
        (first..first + self.height()).map(|row| text(&self.row(row))).collect()
    }

    /// The rows of history that a reader who has scrolled up by at most 7 rows sees.
    fn read_history(&mut self) -> Vec<String> {
        let mut read = self.viewport();
        read.truncate(7.min(self.scroll_offset()));
        read
    }

    pub(crate) fn wraps(&self) -> bool {
        self.term.mode().contains(TermMode::LINE_WRAP)
    }

    pub(crate) fn cursor_shown(&self) -> bool {
        self.term.mode().contains(TermMode::SHOW_CURSOR)
    }
}

impl Emulator for Alacritty {
    fn feed(&mut self, bytes: &[u8]) {
        self.parser.advance(&mut self.term, bytes);
    }

    fn resize(&mut self, size: Size) {
        self.term.resize(TermSize::new(size.width, size.height));
    }

    fn history_len(&self) -> usize {
        self.term.grid().history_size()
    }

    fn row(&mut self, index: usize) -> Shown {
        let line = Row(index as i32 - self.history_len() as i32);
        let row = &self.term.grid()[line];
        let columns = self.term.columns();
        (0..columns)
            .map(|column| {
                let cell = &row[Column(column)];
                let first = if cell.flags.contains(Flags::WIDE_CHAR_SPACER) { '\0' } else { cell.c };
                let rest = cell.zerowidth().filter(|_| first != '\0');
                Glyph { first, rest: rest.map(|rest| rest.iter().collect::<String>().into()) }
            })
            .collect()
    }

    fn cursor(&self) -> Position {
        let point = self.term.grid().cursor.point;
        Position { row: point.line.0 as usize, column: point.column.0 }
    }

    fn height(&self) -> usize {
        self.term.screen_lines()
    }

    fn is_lit(&self, row: usize, column: usize) -> bool {
        self.term.grid()[Row(row as i32)][Column(column)].bg != Color::Named(NamedColor::Background)
    }

    fn ink(&self, row: usize, column: usize) -> (Option<u8>, bool) {
        let cell = &self.term.grid()[Row(row as i32)][Column(column)];
        let color = if let Color::Indexed(number) = cell.fg { Some(number) } else { None };
        (color, cell.flags.contains(Flags::DIM))
    }

    fn scroll_and_read(&mut self) -> Option<Vec<String>> {
        self.scroll_up(7);
        (self.scroll_offset() > 0).then(|| self.read_history())
    }

    fn read_on(&mut self) -> Vec<String> {
        let read = self.read_history();
        self.term.scroll_display(Scroll::Bottom);
        read
    }
}

/// A plainer terminal: no reflow, no synchronized updates, always wraps.
pub(crate) struct Vt100(vt100::Parser);

fn cells(number: usize) -> NonZeroU16 {
    NonZeroU16::new(number as u16).unwrap()
}

impl Vt100 {
    pub(crate) fn new(size: Size) -> Self {
        Self(vt100::Parser::new(cells(size.height), cells(size.width), 100_000))
    }
}

impl Emulator for Vt100 {
    fn feed(&mut self, bytes: &[u8]) {
        self.0.process(bytes);
    }

    fn resize(&mut self, size: Size) {
        self.0.set_size(cells(size.height), cells(size.width));
    }

    fn history_len(&self) -> usize {
        self.0.screen().scrollback_len()
    }

    fn row(&mut self, index: usize) -> Shown {
        let back = self.history_len().saturating_sub(index);
        self.0.screen_mut().set_scrollback(back);
        let row = (index + back).saturating_sub(self.history_len()) as u16;
        let screen = self.0.screen();
        let shown = (0..screen.size().1.get()).map(|column| match screen.cell(row, column) {
            Some(cell) if cell.is_wide_continuation() => Glyph::new("\0"),
            Some(cell) if cell.has_contents() => Glyph::new(cell.contents()),
            _ => Glyph::new(" "),
        });
        let shown = shown.collect();
        self.0.screen_mut().set_scrollback(0);
        shown
    }

    fn cursor(&self) -> Position {
        let (row, column) = self.0.screen().cursor_position();
        Position { row: row.into(), column: column.into() }
    }

    fn height(&self) -> usize {
        self.0.screen().size().0.get().into()
    }

    fn is_lit(&self, row: usize, column: usize) -> bool {
        let cell = self.0.screen().cell(row as u16, column as u16);
        cell.is_some_and(|cell| cell.bgcolor() != vt100::Color::Default)
    }

    fn ink(&self, row: usize, column: usize) -> (Option<u8>, bool) {
        let Some(cell) = self.0.screen().cell(row as u16, column as u16) else { return (None, false) };
        let color = if let vt100::Color::Idx(number) = cell.fgcolor() { Some(number) } else { None };
        (color, cell.dim())
    }
}
