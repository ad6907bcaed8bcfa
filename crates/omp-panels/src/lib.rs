//! Large panels of the terminal, without the program around them.
//!
//! Each panel is a state machine: it is given what there is to show, takes keys, and answers each with what it wants
//! done. It knows neither sessions nor settings files nor the network, so that all of it can be tested without them.

mod list_rows;
mod listing;
pub mod login;
pub mod mcp;
pub mod models;
pub mod pager;
pub mod plugins;
pub mod review;
pub mod sessions;
pub mod settings;
#[cfg(test)]
mod testing;
pub mod theme;
pub mod tree;
pub mod welcome;
pub mod wizard;

use omp_keys::Bindings;
use omp_tui::input::Key;
use omp_tui::render::{Position, Size};
use omp_tui::text::Line;
use omp_view::Look;

pub use list_rows::age;
pub use listing::step;

/// The rows of a panel, and where the cursor stands in them.
#[derive(Clone, Debug, Default)]
pub struct Drawn {
    /// From top to bottom.
    pub rows: Vec<Line>,
    /// Where text is typed, if it is.
    pub cursor: Option<Position>,
}

impl From<Vec<Line>> for Drawn {
    fn from(rows: Vec<Line>) -> Self {
        Self { rows, cursor: None }
    }
}

/// A panel that is a machine and nothing else: it is drawn, takes keys and pasted text, and may wish for something.
pub trait Machine {
    /// What it may want done.
    type Request;

    /// Its rows on a screen of this size.
    fn draw(&mut self, look: &Look, size: Size) -> Drawn;

    /// Takes a key; it may lead to a wish.
    fn key(&mut self, key: Key, keys: &Bindings) -> Option<Self::Request>;

    /// Takes pasted text; where it only searches, nothing is wished for.
    fn paste(&mut self, text: &str) -> Option<Self::Request>;
}
