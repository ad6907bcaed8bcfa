//! OpenAI Chat Completions: `POST <base>/chat/completions`, and every server that imitates it.

mod decode;
mod encode;
mod messages;

pub(super) use decode::Decoder;
pub(super) use encode::encode;
