//! Credentials: where they are kept, how a person gets them, which one a request uses, how they stay fresh.
//!
//! [`Vault`] is what a session works with: it chooses among several credentials of a provider, renews access tokens
//! and remembers which ones rest. [`log_in`] is the way to a new one, [`Logins`] is the list of ways, [`SignIn`] puts both
//! together for a person. Clouds have credentials of their own kind (`aws`, `google`); [`Quotas`] asks what accounts have
//! left. The crate knows no terminal and reads no environment: who logs in is a [`Person`], the time a [`Clock`], variables
//! come from an [`Environment`].

mod aws;
mod choose;
mod client_options;
mod clock;
mod cloud_hosts;
mod credential;
mod environment;
mod error;
mod google;
pub mod key;
mod lock;
mod login;
mod login_rows;
mod logins;
mod mcp_store;
mod provider_credential;
mod quota;
mod refresh;
mod session_token;
mod sign_in;
mod store;
mod tls;
mod token;
mod transport;
mod vault;
mod verify_key;

pub use client_options::{client, client_options};
pub use clock::{Clock, SystemClock};
pub use cloud_hosts::cloud_hosts;
pub use credential::{Credential, Extra, NewCredential, Tokens};
pub use environment::{Environment, EnvironmentLookup};
pub use error::AuthError;
pub use google::google_credentials;
pub use lock::LockError;
pub use login::{BrowserReturn, LoginError, Notice, Person, log_in};
pub use login_rows::{LoginKind, LoginRow, list_logins};
pub use logins::{CodeFlow, Encoding, Finish, Flow, Login, Logins, LoginsError};
pub use mcp_store::{McpLock, McpStore};
pub use provider_credential::{CredentialError, Freshness, credential};
pub use quota::{
    PastQuota, QuotaAnswer, QuotaError, QuotaHistoryError, QuotaReport, QuotaWindow, Quotas,
    past_quotas_text, quotas_text, redact_accounts,
};
pub use sign_in::{RegistryLoader, SignIn, SignInError, SignedIn};
pub use store::StoreError;
pub use transport::socket_options;
pub use vault::{Account, Exhausted, Grant, OnDisabled, Summary, Vault, open_vault};
pub use verify_key::{Verdict, verify_key};
