//! The public functions on texts.

mod envelope;
mod hunks;
mod properties;
mod replacing;
