//! Files, prompts and the way back, with real files and the real git.

mod bounds;
mod copies;
mod damage;
mod limits;
mod outside;
mod rewinding;
mod safety;
mod support;
mod unreadable;
