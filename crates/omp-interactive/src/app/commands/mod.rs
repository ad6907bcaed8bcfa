//! Commands that need a screen, by topic: functions that are given the [`App`](super::App), as actions of keys are.

pub(super) mod branch;
pub(super) mod copy;
pub(super) mod debug;
pub(super) mod extensions;
pub(crate) mod login;
pub(crate) mod mcp;
pub(super) mod model_change;
pub(crate) mod models;
pub(super) mod plan_review;
pub(crate) mod plugins;
pub(super) mod queue;
pub(super) mod rewind;
pub(super) mod session;
pub(crate) mod settings;
pub(crate) mod setup;
pub(super) mod share;
pub(super) mod text_answer;
pub(crate) mod theme;
