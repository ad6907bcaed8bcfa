//! Plans and texts, through the crate's own surface.

mod carrying;
mod cuts;
mod files;
mod pruning;
mod shake;
mod sizes;
mod support;
mod texts;
