//! The terminal of a command: its live screen, with the keys going to it.

use omp_keys::table as actions;
use omp_keys::{Bindings, Chord, Context};
use omp_shell::pty::{self, Screen, Span, Terminal};
use omp_theme::{Symbol, Token};
use omp_tui::input::{Code, CursorKeys, Key, Modifiers, encode};
use omp_tui::render::{Position, Size};
use omp_tui::text::{Attributes, Color, Line, Style};
use omp_view::Look;
use tokio_util::sync::CancellationToken;

use super::{Drawn, Panel, Reaction};

/// Rows that are not the terminal's: its frame, the status line, and something of the conversation.
const OTHERS: usize = 5;
/// A terminal is never smaller, if the screen is not.
const LEAST_ROWS: usize = 3;

/// The size of a terminal on a screen of this size.
pub(crate) fn room(screen: Size) -> pty::Size {
    let rows = screen.height.saturating_sub(OTHERS).max(LEAST_ROWS);
    let cells = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
    pty::Size { columns: cells(screen.width.max(1)), rows: cells(rows) }
}

/// A command on a terminal.
pub(crate) struct Pty {
    command: String,
    terminal: Terminal,
    /// Fires when the command has ended.
    ended: CancellationToken,
    size: pty::Size,
}

impl Pty {
    pub(crate) fn new(command: String, terminal: Terminal, ended: CancellationToken, screen: Size) -> Self {
        Self { command, terminal, ended, size: room(screen) }
    }

    fn rule(look: &Look, text: &str) -> Line {
        let dash = look.symbol(Symbol::BoxSharpHorizontal);
        let mut line = Line::styled(look.fg(Token::BashMode), &format!("{dash} "));
        line.push(look.fg(Token::Muted), &format!("{} ", look.cut(text, look.width.saturating_sub(4))));
        let left = look.width.saturating_sub(line.width());
        line.push(look.fg(Token::BashMode), &dash.repeat(left));
        line.clamp(look.width)
    }
}

impl Panel for Pty {
    fn draw(&mut self, look: &Look, screen: Size) -> Drawn {
        let size = room(screen);
        if size != self.size {
            self.size = size;
            self.terminal.resize(size);
        }
        let shown = self.terminal.screen();
        let title = self.command.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut rows = vec![Self::rule(look, &title)];
        rows.extend(lines(&shown).take(size.rows.into()));
        rows.push(Self::rule(look, &look.hint("Keys go to the command · Esc: end it · Alt+Esc: send Esc")));
        let cursor = shown
            .cursor
            .filter(|(_, row)| *row < size.rows)
            .map(|(column, row)| Position { row: usize::from(row) + 1, column: column.into() });
        Drawn { rows, cursor }
    }

    fn has_edge(&self) -> bool {
        true
    }

    fn key(&mut self, key: Key, keys: &Bindings) -> Reaction {
        let chord = Chord::from(key);
        if keys.action(Context::App, chord) == Some(actions::INTERRUPT) {
            self.terminal.kill();
            return Reaction::Stay;
        }
        let escape = key.code == Code::Escape && key.modifiers == Modifiers::ALT;
        let key = if escape { Key::new(Code::Escape, Modifiers::NONE) } else { key };
        let cursor = match self.terminal.screen().application_cursor {
            true => CursorKeys::Application,
            false => CursorKeys::Normal,
        };
        self.terminal.write(&encode(key, cursor));
        Reaction::Stay
    }

    fn paste(&mut self, text: &str) -> Reaction {
        // A paste must not end its own mark.
        let text = text.replace("\x1b[201~", "");
        match self.terminal.screen().bracketed_paste {
            true => self.terminal.write(format!("\x1b[200~{text}\x1b[201~").as_bytes()),
            false => self.terminal.write(text.replace('\n', "\r").as_bytes()),
        }
        Reaction::Stay
    }

    fn is_stale(&self) -> bool {
        self.ended.is_cancelled()
    }
}

fn lines(screen: &Screen) -> impl Iterator<Item = Line> + '_ {
    screen.lines.iter().map(|spans| {
        let mut line = Line::new();
        spans.iter().for_each(|span| _ = line.push(style(span), &span.text));
        line
    })
}

fn style(span: &Span) -> Style {
    let color = |color: pty::Color| match color {
        pty::Color::Default => Color::Default,
        pty::Color::Indexed(index) => Color::Indexed(index),
        pty::Color::Rgb(red, green, blue) => Color::Rgb(red, green, blue),
    };
    let look = span.look;
    let style = Style::PLAIN.foreground(color(look.foreground)).background(color(look.background));
    let attributes = [
        (look.bold, Attributes::BOLD),
        (look.dim, Attributes::DIM),
        (look.italic, Attributes::ITALIC),
        (look.underline, Attributes::UNDERLINE),
        (look.inverse, Attributes::REVERSE),
    ];
    attributes.into_iter().filter(|(has, _)| *has).fold(style, |style, (_, attribute)| style.with(attribute))
}
