//! Gemini, from the Gemini API (`google-generative-ai`) and from Vertex AI (`google-vertex`). One body, two doors; the
//! third, `google-gemini-cli`, puts it into an envelope of its own (`super::code_assist`).

mod contents;
mod credentials;
mod decode;
mod encode;
mod status;
mod thinking;

pub use credentials::{GoogleAuthError, GoogleCredentials, GoogleIdentity, GoogleIdentitySource};
pub(super) use decode::Decoder;
pub(super) use encode::{body, encode, model_name};
pub(crate) use status::refine;
