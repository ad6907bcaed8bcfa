//! The renderer against terminals that other people wrote.
//!
//! `OMP_TUI_SEED=<n>` runs one seed again and says what it does; `OMP_TUI_SEEDS=<n>` runs that many.

mod discipline;
mod document;
mod emulator;
mod ledger_rows;
mod random;
mod shadow;
