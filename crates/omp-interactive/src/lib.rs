//! The interactive program: what people see and type when they talk to an agent in their terminal.

mod app;
mod appearance;
mod blocks;
mod clipboard;
pub mod commands;
mod conversation;
mod exhibition;
mod images;
mod key_viewer;
mod link;
mod pane;
mod panels;
mod pictures;
mod recent;
mod run;
mod screen;
mod stage;

pub use appearance::page_theme;
pub use clipboard::Clipboard;
pub use exhibition::Exhibition;
pub use key_viewer::show_keys;
pub use link::{Link, Word, Words};
pub use run::{Edit, End, Numbers, Start, run};
