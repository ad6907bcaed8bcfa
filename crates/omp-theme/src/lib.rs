//! Themes: which colour and which sign stand for what.
//!
//! A view asks a [`Theme`] for the colour of a [`Token`] or the sign of a [`Symbol`] and never names a colour itself.
//! Themes are JSON files; a good number of them come with the program, others lie in the user's directory.

mod appearance;
mod builtin;
mod catalog;
pub mod color;
mod current;
mod debounce;
mod depth;
mod error;
mod export;
mod file;
mod spinner;
mod symbol;
#[cfg(test)]
mod tests;
mod theme;
mod token;
mod vars;
mod watch;

pub use appearance::{Appearance, Signals, parse_reported_color};
pub use catalog::Catalog;
pub use current::{Current, Slots};
pub use debounce::{Debounce, RELOAD_DELAY};
pub use depth::color_depth;
pub use error::{Mistakes, ThemeError};
pub use export::PageColors;
pub use spinner::Spinner;
pub use symbol::{Preset, Symbol};
pub use theme::{Adjustments, Theme, Tint};
pub use token::Token;
pub use watch::{FileWatch, WatchError};
