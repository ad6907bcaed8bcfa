//! What a terminal shows: an emulator reads the bytes, a [`Screen`] is a picture of it.

use alacritty_terminal::event::{Event, EventListener};
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::{Cell, Flags};
use alacritty_terminal::term::{Config, Term, TermMode};
use alacritty_terminal::vte::ansi::{self, NamedColor, Processor};
use tokio::sync::mpsc;

use super::device::Size;

/// A picture of the terminal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Screen {
    /// From top to bottom, as many as the terminal has.
    pub lines: Vec<Vec<Span>>,
    /// Column and row, if the cursor is shown.
    pub cursor: Option<(u16, u16)>,
    /// Cursor keys are to be sent in their application form.
    pub application_cursor: bool,
    /// Pasted text is to be marked as such.
    pub bracketed_paste: bool,
}

/// Text of one look.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Span {
    pub text: String,
    pub look: Look,
}

/// How text looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    pub foreground: Color,
    pub background: Color,
    pub bold: bool,
    pub dim: bool,
    pub italic: bool,
    pub underline: bool,
    pub inverse: bool,
}

/// A colour as the command named it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Color {
    /// The terminal's own.
    #[default]
    Default,
    /// Of the palette.
    Indexed(u8),
    Rgb(u8, u8, u8),
}

impl Screen {
    /// The text alone, without blanks at the ends of lines.
    pub fn text(&self) -> String {
        let line = |spans: &Vec<Span>| {
            let text: String = spans.iter().map(|span| span.text.as_str()).collect();
            text.trim_end().to_owned()
        };
        self.lines.iter().map(line).collect::<Vec<_>>().join("\n").trim_end().to_owned()
    }
}

/// The state of a terminal. Memory depends on its size only: what has left the screen is the sink's business.
pub(super) struct Emulator {
    term: Term<Answers>,
    parser: Processor,
}

impl Emulator {
    /// What programs ask the terminal is answered through `answers`.
    pub(super) fn new(size: Size, answers: mpsc::Sender<Vec<u8>>) -> Self {
        let config = Config { scrolling_history: 0, ..Config::default() };
        Self { term: Term::new(config, &Extent(size), Answers(answers)), parser: Processor::new() }
    }

    pub(super) fn advance(&mut self, bytes: &[u8]) {
        self.parser.advance(&mut self.term, bytes);
    }

    pub(super) fn resize(&mut self, size: Size) {
        self.term.resize(Extent(size));
    }

    pub(super) fn screen(&self) -> Screen {
        let (grid, mode) = (self.term.grid(), self.term.mode());
        let lines = (0..grid.screen_lines() as i32)
            .map(|row| spans((0..grid.columns()).map(|column| &grid[Line(row)][Column(column)])))
            .collect();
        let point = grid.cursor.point;
        let place = u16::try_from(point.column.0).ok().zip(u16::try_from(point.line.0).ok());
        Screen {
            lines,
            cursor: place.filter(|_| mode.contains(TermMode::SHOW_CURSOR)),
            application_cursor: mode.contains(TermMode::APP_CURSOR),
            bracketed_paste: mode.contains(TermMode::BRACKETED_PASTE),
        }
    }
}

/// Neighbours of one look become one span.
fn spans<'a>(cells: impl Iterator<Item = &'a Cell>) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for cell in cells {
        // The second half of a wide character.
        if cell.flags.contains(Flags::WIDE_CHAR_SPACER) {
            continue;
        }
        let look = look(cell);
        if spans.last().is_none_or(|span| span.look != look) {
            spans.push(Span { text: String::new(), look });
        }
        if let Some(span) = spans.last_mut() {
            span.text.push(cell.c);
            span.text.extend(cell.zerowidth().into_iter().flatten());
        }
    }
    spans
}

fn look(cell: &Cell) -> Look {
    let has = |flag| cell.flags.intersects(flag);
    Look {
        foreground: color(cell.fg),
        background: color(cell.bg),
        bold: has(Flags::BOLD),
        dim: has(Flags::DIM),
        italic: has(Flags::ITALIC),
        underline: has(Flags::ALL_UNDERLINES),
        inverse: has(Flags::INVERSE),
    }
}

fn color(color: ansi::Color) -> Color {
    match color {
        ansi::Color::Spec(rgb) => Color::Rgb(rgb.r, rgb.g, rgb.b),
        ansi::Color::Indexed(index) => Color::Indexed(index),
        ansi::Color::Named(name) if (name as usize) <= NamedColor::BrightWhite as usize => {
            Color::Indexed(name as u8)
        }
        ansi::Color::Named(_) => Color::Default,
    }
}

/// What the emulator has to say to the command. A command that does not read gets no answers.
struct Answers(mpsc::Sender<Vec<u8>>);

impl EventListener for Answers {
    fn send_event(&self, event: Event) {
        if let Event::PtyWrite(text) = event {
            let _ = self.0.try_send(text.into_bytes());
        }
    }
}

struct Extent(Size);

impl Dimensions for Extent {
    fn total_lines(&self) -> usize {
        self.screen_lines()
    }

    fn screen_lines(&self) -> usize {
        self.0.rows.into()
    }

    fn columns(&self) -> usize {
        self.0.columns.into()
    }
}
