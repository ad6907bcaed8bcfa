//! Estimates against a real tokenizer, and what messages and images come to.

mod accuracy;
mod images;
mod messages;
