//! Settings: one table of typed keys, files in layers, and careful saves.
//!
//! - [`TABLE`] is every setting, [`keys`] the same as typed constants.
//! - [`Settings::load`] reads the layers: defaults, the user's file, the project's files, overlays, and what holds
//!   for this process only. A mistake in a file costs that value or that file, never the start.
//! - [`set`], [`reset`] and [`Saver`] change the user's file and touch nothing but the keys that change.
//! - [`migrate_files`] takes over the files of earlier versions.
//! - [`config_file`] reads other files of configuration.
//!
//! Nothing here knows what a setting does.

mod check;
pub mod config_file;
mod docs;
mod doubt;
mod edit;
mod error;
mod file;
mod index;
mod jsonc;
mod key;
mod load;
mod lock;
mod migrate;
mod parse;
mod row;
mod save;
mod saver;
mod scope;
mod table;
mod tree;
mod trust;
mod value;
mod variables;

#[cfg(test)]
mod tests;

pub use docs::docs_page;
pub use error::SettingsError;
pub use index::{find, suggestion};
pub use key::{Key, Kind, kind, strings};
pub use load::{ForeignFile, Layer, Settings, Sources, global_file};
pub(crate) use lock::exclusively;
pub use migrate::{IsLight, migrate_files};
pub(crate) use parse::mapping;
pub use parse::{Format, ParseError, value as parse_document};
pub use row::{Group, Secrecy, Setting, Shape, Variable};
pub use save::{
    Saved, add_entry, add_to_list, has_entry, remove_from_list, reset, reset_value, set, set_member,
};
pub use saver::{SAVE_DELAY, Saver};
pub use table::{TABLE, keys};
pub use value::parse_value;
