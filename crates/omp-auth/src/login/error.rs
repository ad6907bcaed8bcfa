//! Why a login did not come to its end.

use crate::store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    #[error("login cancelled; nothing was stored")]
    Cancelled,
    #[error("login timed out after {minutes} minutes; nothing was stored, try again")]
    TimedOut { minutes: u64 },
    #[error("login refused: {0}; nothing was stored")]
    Denied(String),
    #[error("the code expired before it was entered; nothing was stored, try again")]
    Expired,
    #[error("the login server failed: {0}; nothing was stored, try again")]
    Server(String),
    #[error(
        "this Google account needs its own project; set GOOGLE_CLOUD_PROJECT to its id and log in again \
         (nothing was stored)"
    )]
    NeedsProject,
    #[error("{name} needs a client secret that omp does not include; set {variable} to it and log in again")]
    NeedsSecret { name: String, variable: String },
    #[error(
        "port {port} is in use ({reason}) and there is no terminal to paste the URL into; stop the program \
         that uses the port, or log in from a terminal"
    )]
    Port { port: u16, reason: String },
    #[error("the system provides no random numbers")]
    Random,
    #[error("the login address {0} is not a valid URL; check logins.json")]
    Address(String),
    #[error(transparent)]
    Store(#[from] StoreError),
}
