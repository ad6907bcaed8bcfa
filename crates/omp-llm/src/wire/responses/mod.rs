//! OpenAI Responses: `POST <base>/responses`, items instead of messages.

mod decode;
mod encode;
mod items;

pub(super) use decode::Decoder;
pub(super) use encode::{Limits, Variant, body, encode};
