//! Edits from their public surface.

mod hashline;
mod patch;
