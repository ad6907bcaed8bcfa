//! Dialects in a conversation: requests without native tools, answers with calls lifted out of their text, and what
//! guards against markup that a model leaks. The dialects themselves are `omp-dialects`.

mod audit;
mod guard;
mod in_band;
mod lift;
mod written;

pub use audit::LeakRecords;
pub(crate) use guard::{Guard, is_affected};
pub(crate) use in_band::in_band;
pub(crate) use lift::{Lifting, lift};
pub use omp_dialects::{Dialect, ToolFormat};
pub(crate) use omp_dialects::{inert, is_harmony_served};
pub(crate) use written::{SaidOnce, is_read, read};
