//! Random numbers and hashes. MD5 and SHA-1 identify things here, they protect nothing.

use ring::digest::{Context, SHA1_FOR_LEGACY_USE_ONLY, SHA256, SHA384, SHA512};
use ring::hmac;
use ring::rand::{SecureRandom as _, SystemRandom};

use super::md5::md5;
use super::{Arguments, Op, OpError, Outcome, Reply};

pub(super) const OPS: &[(&str, Op)] = &[
    ("crypto.random", Op::Now(|_, arguments| random(arguments))),
    ("crypto.hash", Op::Now(|_, arguments| hash(arguments))),
    ("crypto.hmac", Op::Now(|_, arguments| keyed(arguments))),
];

/// More at once is a mistake.
const MOST_RANDOM: u64 = 64 << 20;

pub(super) fn fill(bytes: &mut [u8]) -> Result<(), OpError> {
    SystemRandom::new().fill(bytes).map_err(|_| OpError::new("the system has no random numbers"))
}

fn random(arguments: &Arguments) -> Outcome {
    let length = arguments.number("length").unwrap_or(0);
    if length > MOST_RANDOM {
        return Err(OpError::new("too many random bytes").with("code", "ERR_OUT_OF_RANGE"));
    }
    let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
    fill(&mut bytes)?;
    Ok(Reply::Bytes(bytes))
}

fn unsupported() -> OpError {
    OpError::new("Digest method not supported").with("code", "ERR_CRYPTO_INVALID_DIGEST")
}

fn normal(algorithm: &str) -> String {
    algorithm.to_lowercase().replace("rsa-", "").replace('-', "")
}

fn hash(arguments: &Arguments) -> Outcome {
    let bytes = arguments.bytes.as_deref().unwrap_or_default();
    let algorithm = match normal(arguments.text("algorithm")).as_str() {
        "md5" => return Ok(Reply::Bytes(md5(bytes).to_vec())),
        "sha1" => &SHA1_FOR_LEGACY_USE_ONLY,
        "sha256" => &SHA256,
        "sha384" => &SHA384,
        "sha512" => &SHA512,
        _ => return Err(unsupported()),
    };
    let mut context = Context::new(algorithm);
    context.update(bytes);
    Ok(Reply::Bytes(context.finish().as_ref().to_vec()))
}

/// The key comes in front of the bytes.
fn keyed(arguments: &Arguments) -> Outcome {
    let bytes = arguments.bytes.as_deref().unwrap_or_default();
    let length = usize::try_from(arguments.number("key").unwrap_or(0)).unwrap_or(0);
    let (key, bytes) =
        bytes.split_at_checked(length).ok_or_else(|| OpError::new("the key is longer than its bytes"))?;
    let algorithm = match normal(arguments.text("algorithm")).as_str() {
        "md5" => return Ok(Reply::Bytes(keyed_md5(key, bytes).to_vec())),
        "sha1" => hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY,
        "sha256" => hmac::HMAC_SHA256,
        "sha384" => hmac::HMAC_SHA384,
        "sha512" => hmac::HMAC_SHA512,
        _ => return Err(unsupported()),
    };
    Ok(Reply::Bytes(hmac::sign(&hmac::Key::new(algorithm, key), bytes).as_ref().to_vec()))
}

fn keyed_md5(key: &[u8], bytes: &[u8]) -> [u8; 16] {
    let mut block = [0; 64];
    if key.len() > block.len() {
        block[..16].copy_from_slice(&md5(key));
    } else {
        block[..key.len()].copy_from_slice(key);
    }
    let inner: Vec<u8> = block.iter().map(|byte| byte ^ 0x36).chain(bytes.iter().copied()).collect();
    let outer: Vec<u8> = block.iter().map(|byte| byte ^ 0x5c).chain(md5(&inner)).collect();
    md5(&outer)
}
