//! Checkpoints, questions, plans, goals and loops, as a program that embeds sessions drives them.

mod ask;
mod breaks;
mod checkpoint;
mod compacting;
mod compacting_alone;
mod compacting_branch;
mod compacting_faults;
mod compacting_handoff;
mod compacting_more;
mod compacting_rebuilt;
mod compacting_recovery;
mod compacting_sealed;
mod goal;
mod looping;
mod plan;
mod plan_guard;
mod resume;
mod support;
