//! Anthropic Messages: `POST <base>/v1/messages`.

mod cache;
mod decode;
mod encode;
mod messages;

pub(super) use decode::Decoder;
pub(super) use encode::{Thinking, encode, has_strict};
