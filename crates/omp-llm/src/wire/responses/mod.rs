//! OpenAI Responses: `POST <base>/responses`, items instead of messages.

mod compact;
mod decode;
mod encode;
mod items;

pub(crate) use compact::compacted;
pub(super) use compact::{PATH as COMPACT, compaction, encode as encode_compaction};
pub(super) use decode::Decoder;
pub(super) use encode::{Limits, Variant, body, encode};
