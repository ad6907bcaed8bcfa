//! Models that servers list: `plan` says who can be asked, `adopt` how an answer joins the registry, `slice` what is
//! compiled in and how it goes together with an answer that is kept.

mod adopt;
mod plan;
mod slice;

pub use adopt::Join;
pub(super) use plan::Described;
pub use plan::{Class, Draft, Plan};
pub use slice::{Slice, bundled_slice};
