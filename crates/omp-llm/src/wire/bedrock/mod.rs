//! Amazon Bedrock: `POST <endpoint>/model/<id>/converse-stream`, signed or with a bearer token, answered in binary
//! messages.

mod decode;
mod encode;
mod frames;
mod messages;
mod sign;
mod thinking;

pub(super) use decode::Decoder;
pub(super) use encode::{encode, sign_again};
pub(crate) use frames::EventStreamDecoder;
pub(crate) use sign::{AwsSigner, Unsigned};
