//! A vault in a scratch directory, a clock that tests own, a login at the test server.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use omp_auth::{Clock, Credential, Extra, Logins, NewCredential, Tokens, Vault};
use omp_llm::{Client, ClientOptions, ProxySource, Secret};
use omp_testkit::oauth::{CLIENT_ID, OAuthServer};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A moment like any other.
pub(crate) const NOW: u64 = 1_800_000_000_000;

pub(crate) struct TestClock(AtomicU64);

impl TestClock {
    pub(crate) fn set(&self, now_ms: u64) {
        self.0.store(now_ms, Ordering::SeqCst);
    }
}

impl Clock for TestClock {
    fn now_ms(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

pub(crate) struct World {
    pub(crate) directory: TempDir,
    pub(crate) clock: Arc<TestClock>,
    logins: Logins,
}

impl World {
    /// With one login, `corp`, described by `login` beyond what the server needs.
    pub(crate) fn new(server: &OAuthServer, login: &Value) -> Self {
        let mut entry = json!({
            "id": "corp", "name": "Corp", "clientId": CLIENT_ID, "scopes": ["read", "write"],
            "tokenUrl": server.token_url(),
            "flow": {"kind": "code", "authorizeUrl": server.authorize_url(), "callbackPort": 0, "callbackPath": "/cb"},
        });
        for (name, value) in login.as_object().into_iter().flatten() {
            entry[name] = value.clone();
        }
        let (logins, error) = Logins::with_file(&json!([entry]).to_string());
        assert!(error.is_none(), "{error:?}");
        let clock = Arc::new(TestClock(AtomicU64::new(NOW)));
        Self { directory: tempfile::tempdir().unwrap(), clock, logins }
    }

    pub(crate) fn logins(&self) -> &Logins {
        &self.logins
    }

    /// As if these variables were set.
    pub(crate) fn resolve(&mut self, variable: &dyn Fn(&str) -> Option<String>) {
        assert_eq!(self.logins.resolve(variable), Vec::<String>::new());
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.directory.path().join("agent.db")
    }

    /// As another process would have it.
    pub(crate) fn vault(&self) -> Vault {
        Vault::new(self.path(), self.logins.clone(), Arc::clone(&self.clock) as Arc<dyn Clock>)
    }
}

pub(crate) fn client() -> Client {
    Client::new(ClientOptions { proxy: ProxySource::Direct, ..ClientOptions::default() }).unwrap()
}

pub(crate) fn key(text: &str) -> NewCredential {
    NewCredential::api_key(Secret::new(text))
}

/// An account whose access token ends at `expires_ms`.
pub(crate) fn account(server: &OAuthServer, expires_ms: u64) -> NewCredential {
    let tokens = Tokens {
        access: Secret::new("old-access"),
        refresh: Some(Secret::new(server.issue_refresh_token())),
        obtained_ms: NOW - 3_600_000,
        expires_ms: Some(expires_ms),
        extra: Extra::default(),
    };
    NewCredential { credential: Credential::OAuth(tokens), identity: "one@example.org".to_owned() }
}

/// Waiting without stopping the others.
pub(crate) trait Patience {
    async fn wait_for_token_requests_async(&self);
}

impl Patience for OAuthServer {
    async fn wait_for_token_requests_async(&self) {
        while self.token_requests() == 0 {
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        }
    }
}
