//! tmp
pub mod code;
pub mod gallery;
mod look;
pub mod markdown;
pub use look::{Addresses, Look};
