//! The prompt editor: a state machine that is told [`Command`]s and answers with [`Outcome`]s.
//!
//! - [`Editor`] holds the text, its cursor, undo, killed texts, the list of completions and the walk through earlier
//!   prompts. It draws itself into rows ([`Editor::render`]).
//! - [`Content`] is what is in it, for the rest of the program: text, folded pastes, pictures.
//! - [`decide`] holds what Enter, Escape and double presses mean, as functions of a state.
//! - [`vi`] turns keys into commands, for those who want them.
//!
//! Nothing here reads files, keys or clocks: what is needed from outside is asked for ([`Request`]) or handed in.

mod command;
mod complete;
mod content;
pub mod decide;
mod drop;
mod editor;
mod history;
mod mode;
mod text;
pub mod vi;
mod view;

pub use command::{Command, Motion, Operator, Outcome, Side, Target};
pub use complete::{Arguments, CommandInfo, Offer, Request, Source, SubcommandInfo};
pub use content::{Content, ContentPart, Draft, ImageHandle, Wrapping};
pub use drop::{Dropped, dropped};
pub use editor::{Editor, LargePaste, Options, PASTE_CHOICES, PasteChoice, Submission};
pub use history::{HistorySearch, Prompts, SearchOutcome, SearchRequest};
pub use mode::{Border, Meaning, Prefix, Visibility};
pub use text::Position;
pub use view::{Frame, Glyphs, Look, Rendered, Styles};
