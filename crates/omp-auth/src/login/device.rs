//! Login with a short code on any device (RFC 8628).

use std::time::Duration;

use serde_json::Value;
use tokio::time::{Instant, sleep};

use super::pkce::Pkce;
use super::{Attempt, LoginError, Notice, PATIENCE, as_text, server_says};
use crate::logins::Login;
use crate::token::{self, Granted, Refusal};

/// How often a server is asked that does not say.
const DEFAULT_INTERVAL: Duration = Duration::from_secs(5);
/// However impatient a server is.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(200);
const LONGEST_INTERVAL: Duration = Duration::from_secs(60);
/// What `slow_down` adds, by the standard.
const SLOWER: Duration = Duration::from_secs(5);
/// Asking may fail this often in a row before the login does.
const MAX_FAILURES: u32 = 5;

pub(super) async fn run(
    attempt: &Attempt<'_>,
    login: &Login,
    device_url: &str,
    with_pkce: bool,
) -> Result<Granted, LoginError> {
    let pkce = with_pkce.then(Pkce::new).transpose()?;
    let body = token::encode(login.encoding, question(login, pkce.as_ref()));
    let answer = attempt.ask(device_url, &body).await?;
    let member = |name: &str| answer[name].as_str().filter(|text| !text.is_empty());
    let incomplete = || LoginError::Server("the response contains no user code".to_owned());
    let device_code = member("device_code").ok_or_else(incomplete)?;
    let user_code = member("user_code").ok_or_else(incomplete)?;
    let address = member("verification_uri").or_else(|| member("verification_url")).ok_or_else(incomplete)?;
    let address = member("verification_uri_complete").unwrap_or(address);
    attempt.person.tell(Notice::EnterCode { url: as_text(address), code: as_text(user_code) });
    let lifetime = seconds(&answer["expires_in"]).unwrap_or(PATIENCE).min(3 * PATIENCE);
    let mut fields = vec![
        ("grant_type".to_owned(), "urn:ietf:params:oauth:grant-type:device_code".to_owned()),
        ("device_code".to_owned(), device_code.to_owned()),
        ("client_id".to_owned(), login.client_id.clone()),
    ];
    if let Some(pkce) = &pkce {
        fields.push(("code_verifier".to_owned(), pkce.verifier.reveal().to_owned()));
    }
    poll(attempt, login, &fields, Pace::new(&answer["interval"]), Instant::now() + lifetime).await
}

/// What the device endpoint is asked.
fn question(login: &Login, pkce: Option<&Pkce>) -> Vec<(String, String)> {
    let mut fields = vec![("client_id", login.client_id.clone())];
    if !login.scopes.is_empty() {
        fields.push(("scope", login.scopes.join(" ")));
    }
    if let Some(pkce) = pkce {
        fields.push(("code_challenge", pkce.challenge.clone()));
        fields.push(("code_challenge_method", "S256".to_owned()));
    }
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

async fn poll(
    attempt: &Attempt<'_>,
    login: &Login,
    fields: &[(String, String)],
    mut pace: Pace,
    deadline: Instant,
) -> Result<Granted, LoginError> {
    loop {
        sleep(pace.interval).await;
        if Instant::now() >= deadline {
            return Err(LoginError::Expired);
        }
        let now_ms = attempt.clock.now_ms();
        let refusal = match token::request(attempt.client, login, fields.to_vec(), now_ms).await {
            Ok(granted) => return Ok(granted),
            Err(refusal) => refusal,
        };
        pace.after(&refusal)?;
    }
}

/// How long to wait before the server is asked again.
pub(super) struct Pace {
    pub(super) interval: Duration,
    failures: u32,
}

impl Pace {
    pub(super) fn new(interval: &Value) -> Self {
        let interval = seconds(interval).unwrap_or(DEFAULT_INTERVAL);
        Self { interval: interval.clamp(SHORTEST_INTERVAL, LONGEST_INTERVAL), failures: 0 }
    }

    /// Keeps waiting, slower if asked to, or gives the reason to stop.
    fn after(&mut self, refusal: &Refusal) -> Result<(), LoginError> {
        let text = refusal.sentence();
        if text.contains("authorization_pending") {
            self.failures = 0;
            return Ok(());
        }
        if text.contains("slow_down") {
            self.interval = (self.interval + SLOWER).min(LONGEST_INTERVAL);
            return Ok(());
        }
        if text.contains("expired_token") {
            return Err(LoginError::Expired);
        }
        match refusal {
            Refusal::Final(_) => Err(LoginError::Denied(text.to_owned())),
            Refusal::Passing(_) => self.failed(text),
        }
    }

    pub(super) fn failed(&mut self, text: &str) -> Result<(), LoginError> {
        self.failures += 1;
        if self.failures > MAX_FAILURES { Err(server_says(text)) } else { Ok(()) }
    }

    pub(super) fn answered(&mut self) {
        self.failures = 0;
    }
}

/// A number of seconds, also where a server writes it as text.
fn seconds(value: &Value) -> Option<Duration> {
    let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())?;
    Duration::try_from_secs_f64(number).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_server_sets_the_pace_within_reason() {
        assert_eq!(Pace::new(&json!(null)).interval, DEFAULT_INTERVAL);
        assert_eq!(Pace::new(&json!("2")).interval, Duration::from_secs(2));
        assert_eq!(Pace::new(&json!(0)).interval, SHORTEST_INTERVAL);
        assert_eq!(Pace::new(&json!(1e9)).interval, LONGEST_INTERVAL);
        assert_eq!(Pace::new(&json!(-1)).interval, DEFAULT_INTERVAL);
        let mut pace = Pace::new(&json!(1));
        let said = |code: &str| token::refusal(400, &json!({"error": code}));
        pace.after(&said("authorization_pending")).unwrap();
        assert_eq!(pace.interval, Duration::from_secs(1));
        pace.after(&said("slow_down")).unwrap();
        assert_eq!(pace.interval, Duration::from_secs(6));
        assert!(matches!(pace.after(&said("access_denied")), Err(LoginError::Denied(_))));
        assert!(matches!(pace.after(&said("expired_token")), Err(LoginError::Expired)));
    }

    #[test]
    fn a_short_outage_does_not_end_a_login() {
        let mut pace = Pace::new(&json!(1));
        let down = Refusal::Passing("down".to_owned());
        for _ in 0..MAX_FAILURES {
            pace.after(&down).unwrap();
        }
        assert!(matches!(pace.after(&down), Err(LoginError::Server(_))));
    }
}
