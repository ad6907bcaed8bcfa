//! Why a session could not be opened.

use omp_agent::AgentError;
use omp_auth::AuthError;
use omp_config::settings::SettingsError;
use omp_import::ImportError;
use omp_llm::ClientError;
use omp_models::{ActivationError, ChoiceError, ProfileError, RoleCycle};
use omp_session::{CopyError, MoveError, OpenError, ResolveError};

use crate::saved::import::ImportFailure;

/// Why a session could not be opened, or did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// Whoever wanted the session could not say what it is to be like.
    #[error("{0}")]
    Options(String),
    /// There is no model to work with.
    #[error(transparent)]
    Model(#[from] ChoiceError),
    /// The model profile cannot be used.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// The credential of the provider cannot be used.
    #[error(transparent)]
    Credential(#[from] AuthError),
    /// The settings cannot be read or written.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// A variable names no edit mode.
    #[error(
        "PI_EDIT_VARIANT is \"{0}\", which is not an edit mode: use hashline, apply_patch, patch or replace"
    )]
    EditVariant(String),
    /// The program is about to end.
    #[error("interrupted because omp is exiting; try again")]
    Interrupted,
    /// Nothing can be sent.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The loop refused.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// No session is meant by the name.
    #[error(transparent)]
    Resolve(#[from] ResolveError),
    /// The session cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The session cannot be copied.
    #[error(transparent)]
    Copy(#[from] CopyError),
    /// The session cannot be moved.
    #[error(transparent)]
    Move(#[from] MoveError),
    /// The conversation of another program cannot be taken over.
    #[error(transparent)]
    Import(#[from] ImportFailure),
}

impl From<RoleCycle> for SessionError {
    fn from(cycle: RoleCycle) -> Self {
        Self::Model(cycle.into())
    }
}

impl From<ActivationError> for SessionError {
    fn from(error: ActivationError) -> Self {
        match error {
            ActivationError::Profile(error) => Self::Profile(error),
            ActivationError::Settings(error) => Self::Settings(error),
        }
    }
}

impl From<ImportError> for SessionError {
    fn from(error: ImportError) -> Self {
        Self::Import(error.into())
    }
}

impl SessionError {
    /// What the user can do about it.
    pub fn hints(&self) -> Vec<String> {
        match self {
            Self::Model(error) => error.hints(),
            Self::Open(OpenError::Held { .. }) => {
                vec!["Add --take-over to take it from the other process.".to_owned()]
            }
            Self::Resolve(_) | Self::Open(_) | Self::Copy(_) | Self::Move(_) => {
                vec![
                    "Run omp --resume without an argument to choose a session, or omp session list to list them."
                        .to_owned(),
                ]
            }
            Self::Profile(ProfileError::MissingCredentials { .. }) => vec![
                "Log in with `omp login <provider>`, set its key, or choose another profile; `omp models profiles` \
                 lists them."
                    .to_owned(),
            ],
            Self::Profile(ProfileError::Unknown { .. }) => {
                vec!["Run 'omp models profiles' to list them.".to_owned()]
            }
            Self::Options(_)
            | Self::Import(_)
            | Self::Credential(_)
            | Self::Settings(_)
            | Self::Interrupted
            | Self::EditVariant(_)
            | Self::Client(_)
            | Self::Agent(_) => Vec::new(),
        }
    }
}
