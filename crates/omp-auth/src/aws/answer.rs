//! Temporary keys as Amazon's servers and programs write them.

use omp_llm::{AwsCredentials, Secret};
use serde_json::Value;

/// An object with `AccessKeyId`, `SecretAccessKey` and an end, in either of the two spellings in use.
pub(super) fn from_json(value: &Value) -> Option<AwsCredentials> {
    let text = |names: &[&str]| {
        let found = names.iter().find_map(|name| value[*name].as_str());
        found.filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let end = ["Expiration", "expiration"].iter().map(|name| &value[*name]).find(|end| !end.is_null());
    Some(AwsCredentials {
        access_key_id: text(&["AccessKeyId", "accessKeyId"])?,
        secret_access_key: Secret::new(text(&["SecretAccessKey", "secretAccessKey"])?),
        session_token: text(&["SessionToken", "Token", "sessionToken"]).map(Secret::new),
        expires_ms: end.and_then(time),
    })
}

/// The same from the XML of the role service. Its values hold nothing that XML would write differently.
pub(super) fn from_xml(text: &str) -> Option<AwsCredentials> {
    let inside = between(text, "Credentials")?;
    let member = |name: &str| between(inside, name).map(str::trim).filter(|text| !text.is_empty());
    Some(AwsCredentials {
        access_key_id: member("AccessKeyId")?.to_owned(),
        secret_access_key: Secret::new(member("SecretAccessKey")?),
        session_token: member("SessionToken").map(Secret::new),
        expires_ms: member("Expiration").and_then(milliseconds),
    })
}

/// The text of the first element of that name.
pub(super) fn between<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    rest.split_once(&format!("</{name}>")).map(|(inside, _)| inside)
}

/// A time in ISO form, or in milliseconds since 1970.
fn time(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| milliseconds(value.as_str()?))
}

pub(super) fn milliseconds(text: &str) -> Option<u64> {
    // Older tools wrote the zone as a word.
    let text = text.trim().replace("UTC", "Z");
    let time: jiff::Timestamp = text.parse().ok()?;
    u64::try_from(time.as_millisecond()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn both_spellings_and_xml_are_read() {
        let shown = |found: AwsCredentials| {
            let token = found.session_token.map(|token| token.reveal().to_owned());
            (found.access_key_id, found.secret_access_key.reveal().to_owned(), token, found.expires_ms)
        };
        let wanted = ("A".to_owned(), "s/+=".to_owned(), Some("t".to_owned()), Some(1_800_000_000_000));
        let upper = json!({"AccessKeyId": "A", "SecretAccessKey": "s/+=", "Token": "t", "Expiration": "2027-01-15T08:00:00Z"});
        let lower = json!({"accessKeyId": "A", "secretAccessKey": "s/+=", "sessionToken": "t", "expiration": 1_800_000_000_000_u64});
        let xml = "<R><AssumeRoleResult><Credentials><AccessKeyId>A</AccessKeyId><SecretAccessKey>s/+=</SecretAccessKey>\
                   <SessionToken> t\n</SessionToken><Expiration>2027-01-15T08:00:00Z</Expiration></Credentials></AssumeRoleResult></R>";
        for found in [from_json(&upper), from_json(&lower), from_xml(xml)] {
            assert_eq!(shown(found.unwrap()), wanted);
        }
        assert!(from_json(&json!({"AccessKeyId": "A"})).is_none());
        assert!(from_xml("<Error><Code>AccessDenied</Code></Error>").is_none());
        assert_eq!(milliseconds("2027-01-15T08:00:00UTC"), Some(1_800_000_000_000));
    }
}
