//! Ollama's own API: `POST <root>/api/chat`, one JSON value per line.

mod decode;
mod encode;
mod messages;

pub(super) use decode::Decoder;
pub(super) use encode::encode;
