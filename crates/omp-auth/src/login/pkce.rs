//! Secrets of one login: who starts it is who finishes it (RFC 7636).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use omp_llm::Secret;
use ring::digest;
use ring::rand::{SecureRandom, SystemRandom};

use super::LoginError;

/// What the token endpoint sees last, and what the browser shows first.
pub(super) struct Pkce {
    pub(super) verifier: Secret,
    pub(super) challenge: String,
}

impl Pkce {
    pub(super) fn new() -> Result<Self, LoginError> {
        let verifier = random_text()?;
        let challenge = URL_SAFE_NO_PAD.encode(digest::digest(&digest::SHA256, verifier.as_bytes()));
        Ok(Self { verifier: Secret::new(verifier), challenge })
    }
}

/// 256 random bits.
pub(super) fn random_text() -> Result<String, LoginError> {
    let mut bytes = [0; 32];
    SystemRandom::new().fill(&mut bytes).map_err(|_| LoginError::Random)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}
