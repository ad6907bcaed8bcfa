//! Encryption of snapshots.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::error::Unspecified;
use ring::rand::{SecureRandom, SystemRandom};

/// The number of bytes that encryption adds: the nonce before the text, the tag after it.
pub(super) const OVERHEAD: usize = 12 + 16;

/// The key of one snapshot. It is in the link and nowhere else.
#[derive(Clone, PartialEq, Eq)]
pub struct ShareKey([u8; 32]);

impl std::fmt::Debug for ShareKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("ShareKey(…)")
    }
}

impl ShareKey {
    /// The key as it stands in a link: base64 with `-` and `_`, without padding.
    pub fn encoded(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0)
    }

    /// The snapshot's page: `<server>/<id>#<key>`.
    pub fn link(&self, server_url: &str, id: &str) -> String {
        format!("{}/{id}#{}", server_url.trim_end_matches('/'), self.encoded())
    }
}

/// Encrypts with a key and a nonce that are used once: AES-256-GCM, the nonce first, the tag last.
pub(super) fn encrypt(mut plain: Vec<u8>) -> Result<(ShareKey, Vec<u8>), Unspecified> {
    let random = SystemRandom::new();
    let (mut key, mut nonce) = ([0; 32], [0; 12]);
    random.fill(&mut key)?;
    random.fill(&mut nonce)?;
    let cipher = LessSafeKey::new(UnboundKey::new(&AES_256_GCM, &key)?);
    cipher.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut plain)?;
    plain.splice(0..0, nonce);
    Ok((ShareKey(key), plain))
}
