//! Files, prompts and the way back, with real files and the real git.

mod bounds;
mod damage;
mod outside;
mod rewinding;
mod safety;
mod support;
