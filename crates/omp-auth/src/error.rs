//! Why there is no credential for a request.

use crate::lock::LockError;
use crate::store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum AuthError {
    #[error(
        "the login for {provider} is no longer valid ({cause}); run `omp login {provider}` to log in again"
    )]
    Refused { provider: String, cause: String },
    #[error("cannot refresh the login for {provider}: {reason}; it is kept, try again later")]
    Unreachable { provider: String, reason: String },
    #[error("the login for {provider} was removed; run `omp login {provider}`")]
    Gone { provider: String },
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error(transparent)]
    Store(#[from] StoreError),
}
