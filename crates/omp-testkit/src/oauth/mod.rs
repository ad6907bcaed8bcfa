//! An authorization server for tests: stricter than the real ones, and it never honours a refresh token twice.

mod answer;
mod browser;
mod finish;
mod grants;
mod ledger;
mod sha256;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

pub(crate) use answer::form;
pub use browser::{BrowserPage, browse};
pub use finish::Projects;
use ledger::Ledger;

use serde_json::{Value, json};

use crate::acceptor::{Acceptor, Stopping, listen};

/// The client that the server knows, unless told otherwise.
pub const CLIENT_ID: &str = "test-client";
/// The scopes it grants.
pub const SCOPES: &str = "read write";

/// How the token endpoint wants its fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TokenEncoding {
    #[default]
    Form,
    Json,
}

/// What the token endpoint does with its next request instead of answering.
#[derive(Clone, Debug)]
pub enum Fault {
    /// Answers with this status and body.
    Answer(u16, String),
    /// Waits, then does its work.
    Slow(Duration),
    /// Waits for [`OAuthServer::release`], then closes without having done anything.
    Hang,
    /// Closes the connection.
    Drop,
}

/// How the server behaves from the start.
#[derive(Clone, Debug)]
pub struct OAuthOptions {
    /// The client that the server knows.
    pub client_id: String,
    pub encoding: TokenEncoding,
    /// Life of an access token in seconds.
    pub lifetime_seconds: u64,
    /// Whose account it is; `None` says nothing about it.
    pub email: Option<String>,
    /// The person refuses.
    pub denies: bool,
    /// `state` must come with the code.
    pub wants_state: bool,
    /// Must come with every request for tokens.
    pub client_secret: Option<String>,
    /// A device login must prove that it ends where it began.
    pub device_pkce: bool,
    /// What Code Assist does about a project.
    pub projects: Projects,
}

impl Default for OAuthOptions {
    fn default() -> Self {
        Self {
            client_id: CLIENT_ID.to_owned(),
            encoding: TokenEncoding::Form,
            lifetime_seconds: 3600,
            email: Some("one@example.org".to_owned()),
            denies: false,
            wants_state: false,
            client_secret: None,
            device_pkce: false,
            projects: Projects::default(),
        }
    }
}

/// Listens on `127.0.0.1` until dropped.
pub struct OAuthServer {
    shared: Arc<Shared>,
    acceptor: Acceptor,
}

struct Shared {
    ledger: Mutex<Ledger>,
    faults: Mutex<VecDeque<Fault>>,
    stopping: Stopping,
    released: AtomicBool,
}

impl Shared {
    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OAuthServer {
    pub fn start() -> Self {
        Self::start_with(OAuthOptions::default())
    }

    /// # Panics
    /// When the system has no free port.
    pub fn start_with(options: OAuthOptions) -> Self {
        let shared = Arc::new(Shared {
            ledger: Mutex::new(Ledger::new(options)),
            faults: Mutex::default(),
            stopping: Stopping::default(),
            released: AtomicBool::new(false),
        });
        let acceptor = Acceptor::start(listen(), &shared.stopping, &shared, answer::serve);
        Self { shared, acceptor }
    }

    pub fn authorize_url(&self) -> String {
        format!("http://{}/authorize", self.acceptor.address())
    }

    pub fn token_url(&self) -> String {
        format!("http://{}/token", self.acceptor.address())
    }

    pub fn device_url(&self) -> String {
        format!("http://{}/device", self.acceptor.address())
    }

    /// Two ways to sign in here, `corp-login` in a browser and `corp-device` with a code, as a file of logins has them. What
    /// they get is stored for `provider`.
    pub fn corp_logins(&self, provider: &str) -> Value {
        json!([{
            "id": "corp-login", "name": "Corp", "storeAs": provider, "clientId": CLIENT_ID, "scopes": ["read", "write"],
            "tokenUrl": self.token_url(),
            "flow": {"kind": "code", "authorizeUrl": self.authorize_url(), "callbackPort": 0, "callbackPath": "/cb"},
        }, {
            "id": "corp-device", "name": "Corp by code", "storeAs": provider, "clientId": CLIENT_ID,
            "tokenUrl": self.token_url(), "flow": {"kind": "device", "deviceUrl": self.device_url()},
        }])
    }

    /// Where OpenAI's form of a device login asks for its code.
    pub fn user_code_url(&self) -> String {
        format!("http://{}/deviceauth/usercode", self.acceptor.address())
    }

    /// Where it asks whether the code was entered.
    pub fn poll_url(&self) -> String {
        format!("http://{}/deviceauth/token", self.acceptor.address())
    }

    /// Tells whose account the last access token is for.
    pub fn identity_url(&self) -> String {
        format!("http://{}/userinfo", self.acceptor.address())
    }

    /// Trades an account's token for one of half an hour, as GitHub does.
    pub fn session_token_url(&self) -> String {
        format!("http://{}/session-token", self.acceptor.address())
    }

    /// How often [`OAuthServer::session_token_url`] was asked.
    pub fn session_tokens(&self) -> usize {
        self.shared.ledger().session_tokens
    }

    /// From now on no account's token is traded, for this reason.
    pub fn refuse_session_tokens(&self, words: &str) {
        self.shared.ledger().session_refusal = Some(words.to_owned());
    }

    /// The host, for logins whose paths are fixed.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.acceptor.address())
    }

    /// Waits until [`OAuthServer::poll_url`] was asked this often.
    ///
    /// # Panics
    /// When that does not happen within `limit`.
    pub fn wait_for_polls(&self, count: usize, limit: Duration) {
        let deadline = Instant::now() + limit;
        while self.shared.ledger().polls < count {
            assert!(Instant::now() < deadline, "{count} polls expected");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// The code that a browser at this address would bring back, without going anywhere.
    ///
    /// # Panics
    /// When the address is not one of a login here.
    pub fn code_for(&self, address: &str) -> String {
        let query = address.split_once('?').map(|(_, query)| query).unwrap_or_default();
        let outcome = grants::authorize(&mut self.shared.ledger(), &answer::form(query.as_bytes()));
        let location = outcome.unwrap_or_else(|words| panic!("{words}"));
        let code = location.split("code=").nth(1).and_then(|rest| rest.split('&').next());
        code.unwrap_or_else(|| panic!("no code in {location}")).to_owned()
    }

    /// A refresh token as an earlier login would have left it.
    pub fn issue_refresh_token(&self) -> String {
        self.shared.ledger().issue_refresh_token()
    }

    /// From now on nobody's refresh token is honoured.
    pub fn revoke_all(&self) {
        self.shared.ledger().refresh_tokens.clear();
    }

    /// Whose account the next tokens are for.
    pub fn set_email(&self, email: Option<&str>) {
        self.shared.ledger().options.email = email.map(str::to_owned);
    }

    pub fn set_lifetime_seconds(&self, seconds: u64) {
        self.shared.ledger().options.lifetime_seconds = seconds;
    }

    /// The person at the other device enters the code; `false` when there is no such code.
    pub fn approve_device(&self, user_code: &str) -> bool {
        self.shared.ledger().approve(user_code)
    }

    /// What the next token request meets.
    pub fn next(&self, fault: Fault) {
        self.shared.faults.lock().unwrap_or_else(PoisonError::into_inner).push_back(fault);
    }

    /// Lets hanging requests go.
    pub fn release(&self) {
        self.shared.released.store(true, Ordering::SeqCst);
    }

    /// Refresh requests that were answered with tokens.
    pub fn refreshes(&self) -> usize {
        self.shared.ledger().refreshes
    }

    /// Every request to the token endpoint, whatever became of it.
    pub fn token_requests(&self) -> usize {
        self.shared.ledger().token_requests
    }

    /// The access token given last.
    pub fn last_access_token(&self) -> Option<String> {
        self.shared.ledger().last_access.clone()
    }

    /// Broken rules so far; a refresh token that was used twice is one.
    pub fn violations(&self) -> Vec<String> {
        self.shared.ledger().violations.clone()
    }

    /// Waits until the token endpoint was asked this often.
    ///
    /// # Panics
    /// When that does not happen within `limit`.
    pub fn wait_for_token_requests(&self, count: usize, limit: Duration) {
        let deadline = Instant::now() + limit;
        while self.token_requests() < count {
            assert!(
                Instant::now() < deadline,
                "{count} token requests expected, saw {}",
                self.token_requests()
            );
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// # Panics
    /// When a rule was broken.
    pub fn assert_clean(&self) {
        assert_eq!(self.violations(), Vec::<String>::new());
    }
}

impl Drop for OAuthServer {
    fn drop(&mut self) {
        self.release();
    }
}
