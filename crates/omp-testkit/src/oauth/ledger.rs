//! What the server has given and what it still honours.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use super::{OAuthOptions, sha256};

/// A code that waits to be exchanged, once.
pub(super) struct PendingCode {
    pub(super) challenge: String,
    pub(super) redirect_uri: String,
    pub(super) state: String,
}

#[derive(Default)]
pub(super) struct Device {
    pub(super) device_code: String,
    pub(super) approved: bool,
    /// What the verifier must hash to.
    pub(super) challenge: Option<String>,
}

pub(super) struct Ledger {
    pub(super) options: OAuthOptions,
    pub(super) codes: HashMap<String, PendingCode>,
    pub(super) refresh_tokens: HashSet<String>,
    pub(super) used_refresh_tokens: HashSet<String>,
    /// By what the person enters.
    pub(super) devices: HashMap<String, Device>,
    pub(super) refreshes: usize,
    pub(super) token_requests: usize,
    pub(super) polls: usize,
    pub(super) session_tokens: usize,
    pub(super) session_refusal: Option<String>,
    pub(super) last_access: Option<String>,
    pub(super) violations: Vec<String>,
    counter: u64,
}

impl Ledger {
    pub(super) fn new(options: OAuthOptions) -> Self {
        Self {
            options,
            codes: HashMap::new(),
            refresh_tokens: HashSet::new(),
            used_refresh_tokens: HashSet::new(),
            devices: HashMap::new(),
            refreshes: 0,
            token_requests: 0,
            polls: 0,
            session_tokens: 0,
            session_refusal: None,
            last_access: None,
            violations: Vec::new(),
            counter: 0,
        }
    }

    pub(super) fn mint(&mut self, kind: &str) -> String {
        self.counter += 1;
        format!("{kind}-{}", self.counter)
    }

    pub(super) fn issue_refresh_token(&mut self) -> String {
        let token = self.mint("refresh");
        self.refresh_tokens.insert(token.clone());
        token
    }

    pub(super) fn approve(&mut self, user_code: &str) -> bool {
        self.devices.get_mut(user_code).map(|device| device.approved = true).is_some()
    }

    /// New tokens; the old refresh token is dead before they leave.
    pub(super) fn tokens(&mut self) -> Value {
        let access = self.mint("access");
        let refresh = self.issue_refresh_token();
        self.last_access = Some(access.clone());
        let mut tokens = json!({
            "access_token": access,
            "refresh_token": refresh,
            "token_type": "Bearer",
            "expires_in": self.options.lifetime_seconds,
            "scope": super::SCOPES,
        });
        if let Some(email) = &self.options.email {
            let claims = json!({"email": email, "sub": "subject"}).to_string();
            tokens["id_token"] = format!("e30.{}.", sha256::base64url(claims.as_bytes())).into();
        }
        tokens
    }
}
