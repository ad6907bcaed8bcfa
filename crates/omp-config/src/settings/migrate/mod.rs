//! Old names, shapes and files become new ones.

mod fields;
mod later;
mod startup;

pub(super) use fields::fields;
pub use startup::{IsLight, migrate_files};
