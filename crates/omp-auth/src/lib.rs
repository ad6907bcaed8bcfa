//! Credentials: where they are kept, how a person gets them, which one a request uses, how they stay fresh.
//!
//! [`Vault`] is what a session works with: it chooses among several credentials of a provider, renews access tokens
//! and remembers which ones rest. [`log_in`] is the way to a new one; [`Logins`] is the list of ways. The crate
//! knows no terminal and reads no environment: who logs in is a [`Person`], the time a [`Clock`].

mod choose;
mod clock;
mod credential;
mod error;
pub mod key;
mod lock;
mod login;
mod logins;
mod refresh;
mod session_token;
mod store;
mod token;
mod vault;

pub use clock::{Clock, SystemClock};
pub use credential::{Credential, Extra, NewCredential, Tokens};
pub use error::AuthError;
pub use lock::LockError;
pub use login::{LoginError, Notice, Person, log_in};
pub use logins::{CodeFlow, Encoding, Finish, Flow, Login, Logins, LoginsError};
pub use store::StoreError;
pub use vault::{Account, Exhausted, Grant, Summary, Vault};
