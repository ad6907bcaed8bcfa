//! Why there is no credential for a request.

use crate::lock::LockError;
use crate::store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum AuthError {
    #[error(
        "The login of {provider} is no longer accepted ({cause}). Run `omp login {provider}` to log in again."
    )]
    Refused { provider: String, cause: String },
    #[error(
        "The login of {provider} could not be renewed: {reason}. It is kept; try again when the login server \
         can be reached."
    )]
    Unreachable { provider: String, reason: String },
    #[error("The login of {provider} was removed. Run `omp login {provider}`.")]
    Gone { provider: String },
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error(transparent)]
    Store(#[from] StoreError),
}
