//! Built-in commands, by topic.

mod models;
mod picking;
mod texts;
mod theme;
