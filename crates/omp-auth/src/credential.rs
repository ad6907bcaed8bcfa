//! What is stored for one account.

use omp_llm::Secret;
use ring::digest;
use serde_json::{Value, json};

/// A token is renewed this long before it ends, so that it does not end on the way.
const SKEW_MS: u64 = 60_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Credential {
    ApiKey(Secret),
    OAuth(Tokens),
}

/// What an authorization server gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tokens {
    pub access: Secret,
    /// Without it the access token is used as long as it works.
    pub refresh: Option<Secret>,
    /// When it was given, by our clock.
    pub obtained_ms: u64,
    /// `None` for tokens that do not end.
    pub expires_ms: Option<u64>,
    /// What the server said beside them.
    pub extra: Extra,
}

/// What requests need beyond the access token, for the few providers that want more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extra {
    /// The project that Google's Code Assist wants to know.
    pub project: Option<String>,
    /// Where this account's requests go, if not to the usual host.
    pub endpoint: Option<String>,
}

impl Tokens {
    /// Can the access token be used for a request now? A clock that was set back says nothing about the rest of its
    /// life, so such a token counts as ended.
    pub fn is_fresh(&self, now_ms: u64) -> bool {
        let Some(expires_ms) = self.expires_ms else { return true };
        let clock_went_back = now_ms.saturating_add(SKEW_MS) < self.obtained_ms;
        !clock_went_back && now_ms.saturating_add(SKEW_MS) < expires_ms
    }

    /// Is it past its end, not merely close to it?
    pub fn is_over(&self, now_ms: u64) -> bool {
        let clock_went_back = now_ms.saturating_add(SKEW_MS) < self.obtained_ms;
        clock_went_back || self.expires_ms.is_some_and(|expires_ms| now_ms >= expires_ms)
    }
}

impl Credential {
    /// What a provider gets to see. With a project it is an object of both, which its wire takes apart.
    pub fn secret(&self) -> Secret {
        match self {
            Self::ApiKey(key) => key.clone(),
            Self::OAuth(tokens) => match &tokens.extra.project {
                Some(project) => {
                    Secret::new(json!({"token": tokens.access.reveal(), "projectId": project}).to_string())
                }
                None => tokens.access.clone(),
            },
        }
    }

    /// Everything in it that opens a door.
    pub(crate) fn secrets(&self) -> Vec<Secret> {
        match self {
            Self::ApiKey(key) => vec![key.clone()],
            Self::OAuth(tokens) => {
                [Some(&tokens.access), tokens.refresh.as_ref()].into_iter().flatten().cloned().collect()
            }
        }
    }

    /// Where requests with it go, if not to the usual host.
    pub fn endpoint(&self) -> Option<&str> {
        match self {
            Self::ApiKey(_) => None,
            Self::OAuth(tokens) => tokens.extra.endpoint.as_deref(),
        }
    }

    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::ApiKey(_) => "api_key",
            Self::OAuth(_) => "oauth",
        }
    }

    /// The column of the store.
    pub(crate) fn to_json(&self) -> String {
        match self {
            Self::ApiKey(key) => json!({"key": key.reveal()}).to_string(),
            Self::OAuth(tokens) => json!({
                "access": tokens.access.reveal(),
                "refresh": tokens.refresh.as_ref().map(Secret::reveal),
                "obtained": tokens.obtained_ms,
                "expires": tokens.expires_ms,
                "project": tokens.extra.project,
                "endpoint": tokens.extra.endpoint,
            })
            .to_string(),
        }
    }

    pub(crate) fn from_json(kind: &str, text: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        let text = |name: &str| value[name].as_str().map(str::to_owned);
        let secret = |name: &str| text(name).map(Secret::new);
        match kind {
            "api_key" => Some(Self::ApiKey(secret("key")?)),
            "oauth" => Some(Self::OAuth(Tokens {
                access: secret("access")?,
                refresh: secret("refresh"),
                obtained_ms: value["obtained"].as_u64()?,
                expires_ms: value["expires"].as_u64(),
                extra: Extra { project: text("project"), endpoint: text("endpoint") },
            })),
            _ => None,
        }
    }
}

/// A credential that was just given to us, and whose it is.
#[derive(Clone, Debug)]
pub struct NewCredential {
    pub credential: Credential,
    /// The same identity again replaces what is stored for it.
    pub identity: String,
}

impl NewCredential {
    /// The same key twice is one credential, two keys are two.
    pub fn api_key(key: Secret) -> Self {
        let identity = fingerprint(key.reveal());
        Self { credential: Credential::ApiKey(key), identity }
    }
}

/// Tells secrets apart without holding them.
fn fingerprint(text: &str) -> String {
    let hash = digest::digest(&digest::SHA256, text.as_bytes());
    hash.as_ref().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(obtained_ms: u64, expires_ms: Option<u64>) -> Tokens {
        let (access, refresh) = (Secret::new("a"), Some(Secret::new("r")));
        Tokens { access, refresh, obtained_ms, expires_ms, extra: Extra::default() }
    }

    #[test]
    fn a_token_is_renewed_before_its_end_and_when_the_clock_jumps() {
        let hour = tokens(10_000_000, Some(13_600_000));
        assert!(hour.is_fresh(10_000_000));
        assert!(hour.is_fresh(13_539_999));
        assert!(!hour.is_fresh(13_540_000), "within the skew");
        assert!(!hour.is_over(13_540_000), "but it still works");
        assert!(hour.is_over(13_600_000));
        assert!(hour.is_fresh(9_950_000), "clocks of machines differ a little");
        assert!(!hour.is_fresh(9_000_000), "the clock was set back");
        assert!(hour.is_over(9_000_000));
        assert!(!hour.is_fresh(u64::MAX));
        assert!(tokens(5, None).is_fresh(u64::MAX));
    }

    #[test]
    fn the_column_is_read_as_it_was_written_and_debug_shows_nothing() {
        let extra = Extra { project: Some("p-1".to_owned()), endpoint: Some("https://x".to_owned()) };
        let special = Credential::OAuth(Tokens { extra, ..tokens(1, Some(2)) });
        assert_eq!(special.secret().reveal(), r#"{"token":"a","projectId":"p-1"}"#);
        for credential in [
            special,
            Credential::ApiKey(Secret::new("k")),
            Credential::OAuth(tokens(1, None)),
            Credential::OAuth(tokens(1, Some(2))),
        ] {
            let read = Credential::from_json(credential.kind(), &credential.to_json());
            assert_eq!(read.as_ref(), Some(&credential));
        }
        assert_eq!(Credential::from_json("oauth", "{}"), None);
        assert_eq!(Credential::from_json("other", "{\"key\":\"k\"}"), None);
        let shown = format!("{:?}", NewCredential::api_key(Secret::new("very-secret")));
        assert!(!shown.contains("very-secret"), "{shown}");
    }
}
