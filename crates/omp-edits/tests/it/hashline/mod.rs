//! The patch language from its public surface.

mod chain;
mod errors;
mod language;
mod lenient;
mod misuse;
mod properties;
mod repairs;
mod stale;
mod support;
