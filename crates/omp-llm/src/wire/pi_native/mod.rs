//! A gateway of our own kind: `POST <base>/v1/pi/stream`. It takes the conversation as it is kept, speaks to the provider
//! in our stead and streams our own events back. Repairs, schemas and quirks are its business.

mod decode;
mod encode;

pub(super) use decode::Decoder;
pub(super) use encode::encode;
