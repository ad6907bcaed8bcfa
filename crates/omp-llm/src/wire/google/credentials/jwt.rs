//! The signed statement with which a service account asks for a token (RFC 7523, RS256).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rustls::SignatureScheme;
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject as _;
use serde_json::{Value, json};

use super::GoogleAuthError;
use super::identity::ServiceAccount;

const SCOPE: &str = "https://www.googleapis.com/auth/cloud-platform";
/// The longest life Google allows.
const LIFE_SECONDS: u64 = 3600;

pub(super) fn assertion(account: &ServiceAccount, now_ms: u64) -> Result<String, GoogleAuthError> {
    let mut header = json!({"alg": "RS256", "typ": "JWT"});
    if let Some(key_id) = &account.key_id {
        header["kid"] = key_id.clone().into();
    }
    let issued = now_ms / 1000;
    let claims = json!({
        "iss": account.email,
        "scope": SCOPE,
        "aud": account.token_address,
        "iat": issued,
        "exp": issued + LIFE_SECONDS,
    });
    let statement = format!("{}.{}", encode(&header), encode(&claims));
    let signature = sign(account.key.reveal(), statement.as_bytes())?;
    Ok(format!("{statement}.{}", URL_SAFE_NO_PAD.encode(signature)))
}

fn encode(value: &Value) -> String {
    URL_SAFE_NO_PAD.encode(value.to_string())
}

fn sign(pem: &str, message: &[u8]) -> Result<Vec<u8>, GoogleAuthError> {
    let unusable = |cause: String| GoogleAuthError::PrivateKey(cause);
    let key = PrivateKeyDer::from_pem_slice(pem.as_bytes())
        .map_err(|_| unusable("it is not a PEM private key".to_owned()))?;
    let key =
        rustls::crypto::ring::sign::any_supported_type(&key).map_err(|error| unusable(error.to_string()))?;
    let signer = key
        .choose_scheme(&[SignatureScheme::RSA_PKCS1_SHA256])
        .ok_or_else(|| unusable("it is not an RSA key".to_owned()))?;
    signer.sign(message).map_err(|error| unusable(error.to_string()))
}
