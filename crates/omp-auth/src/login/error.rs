//! Why a login did not come to its end.

use crate::store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    #[error("The login was cancelled. Nothing was stored.")]
    Cancelled,
    #[error("Nobody finished the login within {minutes} minutes. Nothing was stored; start again.")]
    TimedOut { minutes: u64 },
    #[error("The login was refused: {0}. Nothing was stored.")]
    Denied(String),
    #[error("The code was not entered in time. Nothing was stored; start again.")]
    Expired,
    #[error("The login server cannot be used: {0}. Nothing was stored; try again.")]
    Server(String),
    #[error(
        "This Google account needs a project of its own. Set GOOGLE_CLOUD_PROJECT to its id and log in again. \
         Nothing was stored."
    )]
    NeedsProject,
    #[error(
        "{name} needs the client secret of the program it was made for, which omp does not hand out. Set {variable} to \
         it and log in again."
    )]
    NeedsSecret { name: String, variable: String },
    #[error(
        "Port {port} of this machine cannot be used ({reason}) and nothing can be pasted here. \
             End the program that uses the port, or log in from a terminal."
    )]
    Port { port: u16, reason: String },
    #[error("The system gives no random numbers.")]
    Random,
    #[error("The address {0} of this login is not a usable address. Check logins.json.")]
    Address(String),
    #[error(transparent)]
    Store(#[from] StoreError),
}
