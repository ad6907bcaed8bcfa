//! Files, prompts and the way back, with real files and the real git.

mod bounds;
mod outside;
mod rewinding;
mod support;
