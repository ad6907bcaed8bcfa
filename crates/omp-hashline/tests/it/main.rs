//! The patch language from its public surface.

mod errors;
mod language;
mod lenient;
mod properties;
mod repairs;
mod stale;
mod support;
