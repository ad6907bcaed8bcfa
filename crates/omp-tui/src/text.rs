//! Styled text: what a row is made of, how wide it is, and how it is cut, wrapped and written.
//!
//! There is one width model ([`width`]); everything that measures, cuts or wraps goes through it. Text enters a
//! [`Line`] through [`Line::push`] alone, which replaces control characters, so that nothing a model or a tool wrote can
//! reach the terminal as a command.

mod ansi;
mod cells;
mod line;
pub mod neutral;
mod style;
pub mod width;
mod wrap;
mod write;

pub use ansi::parse_ansi;
pub use cells::Cell;
pub use line::{Graphic, Line, Span};
pub use style::{Attributes, Color, Depth, Style};
pub use write::Pen;
