//! Large panels of the terminal, without the program around them.
//!
//! Each panel is a state machine: it is given what there is to show, takes keys, and answers each with what it wants
//! done. It knows neither sessions nor settings files nor the network, so that all of it can be tested without them.

mod listing;
pub mod login;
pub mod models;
pub mod pager;
mod parts;
pub mod review;
pub mod sessions;
pub mod settings;
#[cfg(test)]
mod testing;
pub mod theme;
pub mod tree;
pub mod welcome;
pub mod wizard;

use omp_tui::render::Position;
use omp_tui::text::Line;

pub use listing::step;
pub use parts::age;

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
