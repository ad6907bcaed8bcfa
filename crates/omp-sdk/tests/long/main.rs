//! Long conversations: heavy parts that go, history on pictures, what fills the window, what the cache costs.

mod cache;
mod pictures;
mod scripted;
mod shaking;
mod support;
mod turns;
