//! Amazon's signatures, recomputed from what arrived.
//!
//! Written from the description of the algorithm, apart from the client's: it starts from the header that the client
//! sent and takes every part from the request.

use super::Refusal;
use crate::server::{AwsKeys, RecordedRequest, Rules};
use ring::{digest, hmac};

const PREFIX: &str = "AWS4-HMAC-SHA256 ";

pub(super) fn is_signed(request: &RecordedRequest) -> bool {
    request.header("authorization").is_some_and(|value| value.starts_with(PREFIX))
}

pub(super) fn check(request: &RecordedRequest, rules: &Rules) -> Result<(), Refusal> {
    if !is_signed(request) {
        return Ok(());
    }
    let Some(keys) = &rules.aws else {
        return Err(Refusal::new(403, "The security token included in the request is invalid."));
    };
    Signed::parse(request)
        .and_then(|signed| signed.check(request, keys))
        .map_err(|text| Refusal::new(403, text))
}

/// The parts of the authorization header.
struct Signed<'a> {
    /// Key id, date, region, service, `aws4_request`.
    scope: Vec<&'a str>,
    names: Vec<&'a str>,
    signature: &'a str,
}

impl<'a> Signed<'a> {
    fn parse(request: &'a RecordedRequest) -> Result<Self, String> {
        let header = request.header("authorization").unwrap_or_default();
        let fields: Vec<&str> = header.trim_start_matches(PREFIX).split(", ").collect();
        let field = |name: &str| {
            let found = fields.iter().find_map(|field| field.strip_prefix(name)?.strip_prefix('='));
            found.ok_or_else(|| format!("Authorization header requires '{name}' parameter."))
        };
        Ok(Self {
            scope: field("Credential")?.split('/').collect(),
            names: field("SignedHeaders")?.split(';').collect(),
            signature: field("Signature")?,
        })
    }

    fn check(&self, request: &RecordedRequest, keys: &AwsKeys) -> Result<(), String> {
        let time = request.header("x-amz-date").unwrap_or_default();
        let (Some(date), true) = (time.get(..8), time.len() == 16 && time.ends_with('Z')) else {
            return Err(format!("x-amz-date: {time:?} is not a time"));
        };
        let expected = [keys.access_key_id.as_str(), date, &keys.region, "bedrock", "aws4_request"];
        if self.scope != expected {
            return Err(format!("Credential should be scoped to {expected:?}, not {:?}", self.scope));
        }
        let token = keys.session_token.as_deref();
        if request.header("x-amz-security-token") != token {
            return Err("The security token included in the request is invalid.".into());
        }
        for name in ["host", "x-amz-date"].into_iter().chain(token.map(|_| "x-amz-security-token")) {
            if !self.names.contains(&name) {
                return Err(format!("'{name}' must be a signed header"));
            }
        }
        if !self.names.is_sorted() {
            return Err("signed headers must be sorted".into());
        }
        let canonical = self.canonical(request);
        let text =
            [PREFIX.trim_end(), time, &self.scope[1..].join("/"), &hash(canonical.as_bytes())].join("\n");
        let mut key = format!("AWS4{}", keys.secret_access_key).into_bytes();
        for part in &self.scope[1..] {
            key = sign(&key, part);
        }
        if hexadecimal(&sign(&key, &text)) == self.signature {
            Ok(())
        } else {
            Err(format!(
                "The request signature we calculated does not match the signature you provided. The Canonical String \
                 for this request should have been\n{canonical}"
            ))
        }
    }

    fn canonical(&self, request: &RecordedRequest) -> String {
        let mut lines = vec![request.method.clone()];
        let segments: Vec<String> = request.path.split('/').map(encode).collect();
        lines.push(segments.join("/"));
        let mut query: Vec<&str> = request.query.split('&').collect();
        query.sort_unstable();
        lines.push(query.join("&"));
        for name in &self.names {
            lines.push(format!("{name}:{}", request.header(name).unwrap_or_default().trim()));
        }
        lines.push(String::new());
        lines.push(self.names.join(";"));
        lines.push(hash(&request.raw_body));
        lines.join("\n")
    }
}

fn encode(segment: &str) -> String {
    let unreserved = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let encoded = segment.bytes().map(|byte| match unreserved(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    });
    encoded.collect()
}

fn sign(key: &[u8], text: &str) -> Vec<u8> {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text.as_bytes()).as_ref().to_vec()
}

fn hash(bytes: &[u8]) -> String {
    hexadecimal(digest::digest(&digest::SHA256, bytes).as_ref())
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
