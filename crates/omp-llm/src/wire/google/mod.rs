//! Gemini, from the Gemini API (`google-generative-ai`) and from Vertex AI (`google-vertex`). One body, two doors.

mod contents;
mod credentials;
mod decode;
mod encode;
mod status;
mod thinking;

pub use credentials::{GoogleAuthError, GoogleCredentials, GoogleIdentity, GoogleIdentitySource};
pub(super) use decode::Decoder;
pub(super) use encode::encode;
pub(crate) use status::refine;
