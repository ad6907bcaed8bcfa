//! Amazon's Signature Version 4.

use ring::{digest, hmac};

use crate::hosts::AwsCredentials;

const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// Who signs, and for what.
pub(crate) struct AwsSigner<'a> {
    pub(crate) credentials: &'a AwsCredentials,
    pub(crate) region: &'a str,
    pub(crate) service: &'a str,
}

/// The parts of a request that the signature covers.
pub(crate) struct Unsigned<'a> {
    pub(crate) method: &'a str,
    /// As it is sent.
    pub(crate) path: &'a str,
    /// As it is sent, its parameters sorted.
    pub(crate) query: &'a str,
    /// Names in lower case.
    pub(crate) headers: &'a [(&'a str, &'a str)],
    pub(crate) body: &'a [u8],
}

impl AwsSigner<'_> {
    /// The headers that make the request a signed one.
    pub(crate) fn headers(&self, request: &Unsigned<'_>, unix_seconds: u64) -> Vec<(&'static str, String)> {
        let time = basic_time(unix_seconds);
        let mut added = vec![("x-amz-date", time.clone())];
        if let Some(token) = &self.credentials.session_token {
            added.push(("x-amz-security-token", token.reveal().to_owned()));
        }
        let mut signed: Vec<(&str, &str)> = request.headers.to_vec();
        signed.extend(added.iter().map(|(name, value)| (*name, value.as_str())));
        signed.sort_unstable();
        added.push(("authorization", self.authorization(request, &signed, &time)));
        added
    }

    fn authorization(&self, request: &Unsigned<'_>, signed: &[(&str, &str)], time: &str) -> String {
        let names = signed.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(";");
        let canonical = canonical_request(request, signed, &names);
        let date = &time[..8];
        let scope = format!("{date}/{}/{}/aws4_request", self.region, self.service);
        let to_sign = format!("{ALGORITHM}\n{time}\n{scope}\n{}", sha256(canonical.as_bytes()));
        let signature = hexadecimal(keyed(&self.signing_key(date), &to_sign).as_ref());
        let who = &self.credentials.access_key_id;
        format!("{ALGORITHM} Credential={who}/{scope}, SignedHeaders={names}, Signature={signature}")
    }

    /// A key for one day, region and service, made of the secret step by step.
    fn signing_key(&self, date: &str) -> hmac::Tag {
        let secret = format!("AWS4{}", self.credentials.secret_access_key.reveal());
        let mut tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()), date.as_bytes());
        for part in [self.region, self.service, "aws4_request"] {
            tag = keyed(&tag, part);
        }
        tag
    }
}

fn keyed(key: &hmac::Tag, text: &str) -> hmac::Tag {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key.as_ref()), text.as_bytes())
}

fn canonical_request(request: &Unsigned<'_>, signed: &[(&str, &str)], names: &str) -> String {
    let headers: String = signed.iter().map(|(name, value)| format!("{name}:{}\n", value.trim())).collect();
    let path = if request.path.is_empty() { "/" } else { request.path };
    format!(
        "{}\n{}\n{}\n{headers}\n{names}\n{}",
        request.method,
        encoded_again(path),
        request.query,
        sha256(request.body)
    )
}

/// The path is encoded once more for the signature than it is for the wire, slashes excepted.
fn encoded_again(path: &str) -> String {
    path.bytes().fold(String::new(), |mut encoded, byte| {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                encoded.push(byte.into());
            }
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
        encoded
    })
}

fn sha256(bytes: &[u8]) -> String {
    hexadecimal(digest::digest(&digest::SHA256, bytes).as_ref())
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// `20150830T123600Z`: a date of the Gregorian calendar from seconds since 1970.
fn basic_time(unix_seconds: u64) -> String {
    let (days, second) = (unix_seconds / 86_400, unix_seconds % 86_400);
    // Years that begin in March put the leap day last; eras of 400 years repeat.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Secret;

    /// 30 August 2015, 12:36:00, the moment of Amazon's published examples.
    const THEN: u64 = 1_440_938_160;

    fn credentials() -> AwsCredentials {
        AwsCredentials {
            access_key_id: "AKIDEXAMPLE".to_owned(),
            secret_access_key: Secret::new("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
            session_token: None,
            expires_ms: None,
        }
    }

    fn signature(service: &str, request: &Unsigned<'_>) -> String {
        let credentials = credentials();
        let signer = AwsSigner { credentials: &credentials, region: "us-east-1", service };
        let headers = signer.headers(request, THEN);
        let (_, value) = headers.iter().find(|(name, _)| *name == "authorization").unwrap();
        value.rsplit_once("Signature=").unwrap().1.to_owned()
    }

    /// `get-vanilla` and `post-vanilla` of the published test suite.
    #[test]
    fn published_vectors() {
        let vanilla = |method| Unsigned {
            method,
            path: "/",
            query: "",
            headers: &[("host", "example.amazonaws.com")],
            body: b"",
        };
        assert_eq!(
            signature("service", &vanilla("GET")),
            "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"
        );
        assert_eq!(
            signature("service", &vanilla("POST")),
            "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"
        );
    }

    /// The worked example of the documentation: a query and one more header.
    #[test]
    fn documented_example() {
        let request = Unsigned {
            method: "GET",
            path: "/",
            query: "Action=ListUsers&Version=2010-05-08",
            headers: &[
                ("content-type", "application/x-www-form-urlencoded; charset=utf-8"),
                ("host", "iam.amazonaws.com"),
            ],
            body: b"",
        };
        assert_eq!(
            signature("iam", &request),
            "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"
        );
    }

    #[test]
    fn dates_of_every_kind() {
        for (seconds, text) in [
            (0, "19700101T000000Z"),
            (THEN, "20150830T123600Z"),
            (951_782_399, "20000228T235959Z"),
            (951_782_400, "20000229T000000Z"),
            (1_709_251_199, "20240229T235959Z"),
            (1_735_689_600, "20250101T000000Z"),
            (4_107_542_400, "21000301T000000Z"),
        ] {
            assert_eq!(basic_time(seconds), text);
        }
    }

    #[test]
    fn tokens_are_signed_and_sent() {
        let temporary = AwsCredentials { session_token: Some(Secret::new("session")), ..credentials() };
        let signer = AwsSigner { credentials: &temporary, region: "eu-west-1", service: "bedrock" };
        let request = Unsigned {
            method: "POST",
            path: "/model/a%3A0/converse-stream",
            query: "",
            headers: &[("host", "x")],
            body: b"{}",
        };
        let headers = signer.headers(&request, THEN);
        assert_eq!(headers[1], ("x-amz-security-token", "session".to_owned()));
        assert!(headers[2].1.contains("/20150830/eu-west-1/bedrock/aws4_request"));
        assert!(headers[2].1.contains("SignedHeaders=host;x-amz-date;x-amz-security-token,"));
        assert!(canonical_request(&request, &[], "").contains("/model/a%253A0/converse-stream"));
    }
}
