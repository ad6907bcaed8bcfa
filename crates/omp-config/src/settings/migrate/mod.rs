//! Old names, shapes and files become new ones.

mod fields;
mod startup;

pub(super) use fields::fields;
pub use startup::{IsLight, migrate_files};
