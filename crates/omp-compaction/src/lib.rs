//! Makes a conversation shorter: plans and texts, no I/O, no models, no clock.
//!
//! A conversation outgrows its model. [`threshold`] says when, [`measure`] how far it has come, [`Plan::new`] what is summed
//! up and what stays. The model's words become the entry of the session in [`finish`]; what must survive word for word is a
//! [`Carried`] block beside them. Before any of that, [`prune`] blanks results of tools that are not worth their room.
//! [`BranchPlan`] does the same for a branch that is left behind.

mod branch;
mod carry;
mod cut;
mod decisions;
mod digest;
mod failures;
mod files;
mod finish;
mod measure;
mod plan;
mod prompts;
mod prune;
mod serialize;
mod shake;
mod threshold;
mod window;

pub use branch::{BranchPlan, branch_summary};
pub use carry::{Carried, Dropped};
pub use cut::{is_cut_point, is_turn_start};
pub use digest::digest;
pub use failures::FailedCall;
pub use files::FileActivity;
pub use finish::{Finished, Words, finish, finish_shorter, sealed_note};
pub use measure::{Measured, Scale, count_ratio, counted_beside, measure};
pub use plan::{Nothing, Piece, Plan, standing};
pub use prompts::{
    AUTO_CONTINUE, HANDOFF_CONTEXT, Request, Wishes, branch_request, handoff, history_request,
    prefix_request, short_request,
};
pub use prune::{Blank, Protect, Stale, USELESS, prune, squeeze, stale};
pub use serialize::{Detail, serialize, within};
pub use shake::{Outcome as ShakeOutcome, Shake, Shaken, without_images};
pub use threshold::{Limits, brim, keep_recent, threshold};
pub use window::learned_window;
