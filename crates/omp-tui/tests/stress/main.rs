//! The renderer against terminals that other people wrote.
//!
//! `OMP_TUI_SEED=<n>` runs one seed again and says what it does; `OMP_TUI_SEEDS=<n>` runs that many.

mod blocks;
mod bytes;
mod desk;
mod discipline;
mod document;
mod emulator;
mod history;
mod pty;
mod random;
mod resizing;
mod shadow;
mod storms;
mod widths;
