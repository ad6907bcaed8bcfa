//! What omp and other agents keep in their folders: one mechanism of providers for every kind of item.

mod item;

pub use item::{
    CommandFile, ContextFile, Finding, InterruptMode, Level, Listing, Origin, PromptFile, Rule, Skill,
    StickyRule,
};
