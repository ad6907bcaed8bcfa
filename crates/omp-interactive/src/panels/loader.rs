//! Something that is waited for, and can be stopped.

use omp_keys::table as actions;
use omp_keys::{Bindings, Chord, Context};
use omp_theme::{Symbol, Token};
use omp_tui::input::Key;
use omp_tui::render::Size;
use omp_tui::text::Line;
use omp_view::Look;
use tokio_util::sync::CancellationToken;

use super::{Drawn, Panel, Reaction};

/// A row that says what goes on. It goes with whatever it waits for.
pub(crate) struct Loader {
    what: &'static str,
    cancel: CancellationToken,
}

impl Loader {
    pub(crate) fn new(what: &'static str, cancel: CancellationToken) -> Self {
        Self { what, cancel }
    }
}

impl Panel for Loader {
    fn draw(&mut self, look: &Look, _size: Size) -> Drawn {
        let sign = look.symbol(Symbol::StatusRunning);
        let mut row = Line::styled(look.fg(Token::Accent), &format!("{sign} "));
        let dots = look.symbol(Symbol::FormatEllipsis);
        row.push(look.fg(Token::Text), &format!("{}{dots}", self.what));
        row.push(look.fg(Token::Dim), "  Esc stops it");
        vec![look.shortened(&row, look.width)].into()
    }

    fn key(&mut self, key: Key, keys: &Bindings) -> Reaction {
        if keys.action(Context::Select, Chord::from(key)) == Some(actions::SELECT_CANCEL) {
            self.cancel.cancel();
        }
        Reaction::Stay
    }
}
