//! Why a session could not be opened.

use std::path::PathBuf;

use omp_agent::AgentError;
use omp_auth::AuthError;
use omp_config::settings::SettingsError;
use omp_import::ImportError;
use omp_llm::ClientError;
use omp_llm::registry::SelectError;
use omp_models::{ActivationError, ChoiceError, ProfileError, RoleCycle};
use omp_session::{CopyError, MoveError, OpenError, ResolveError};

use crate::saved::import::ImportFailure;

/// Why a session could not be opened, or did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// Whoever wanted the session could not say what it is to be like.
    #[error("{0}")]
    Options(String),
    /// The model cannot be used, or is not known.
    #[error("{source}")]
    Model {
        /// What the registry says.
        #[source]
        source: SelectError,
        /// Where the user describes models.
        models_file: PathBuf,
        /// Why lists on which the model might have been are not there.
        lists: Vec<String>,
    },
    /// A key alone names no provider.
    #[error("--api-key needs a model to go with: name one with --model, --provider and --model, or --models")]
    KeyWithoutModel,
    /// Roles stand for each other.
    #[error(transparent)]
    Roles(#[from] RoleCycle),
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
        "the variable PI_EDIT_VARIANT is \"{0}\", which is no edit mode: use hashline, apply_patch, patch or replace"
    )]
    EditVariant(String),
    /// The program is about to end.
    #[error("saving was interrupted because the program is about to end; try again")]
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

impl From<ChoiceError> for SessionError {
    fn from(error: ChoiceError) -> Self {
        match error {
            ChoiceError::Unavailable { source, models_file, lists } => {
                Self::Model { source, models_file, lists }
            }
            ChoiceError::KeyWithoutModel => Self::KeyWithoutModel,
            ChoiceError::Roles(cycle) => Self::Roles(cycle),
        }
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
            Self::Model { source, models_file, lists } => {
                let file = models_file.display();
                let mut hints = lists.clone();
                hints.extend(match source {
                    SelectError::MissingKey { variables, .. } if variables.is_empty() => {
                        vec![format!("Set \"apiKey\" for the provider in {file}.")]
                    }
                    SelectError::MissingKey { .. } => {
                        vec![format!(
                            "Log in with `omp login`, set the variable, pass --api-key, or give the provider an \"apiKey\" in {file}."
                        )]
                    }
                    SelectError::KeyCommandFailed { .. } => {
                        vec![format!("Check the provider's \"apiKey\" in {file}.")]
                    }
                    _ => vec![
                        "Run 'omp models' to see what is there.".to_owned(),
                        format!("Other providers and models are described in {file}."),
                    ],
                });
                hints
            }
            Self::Open(OpenError::Held { .. }) => {
                vec!["To take it away from the other process, add --take-over.".to_owned()]
            }
            Self::Resolve(_) | Self::Open(_) | Self::Copy(_) | Self::Move(_) => {
                vec!["Run 'omp session list' to see what --resume and --fork can name here.".to_owned()]
            }
            Self::Profile(ProfileError::MissingCredentials { .. }) => vec![
                "Log in with `omp login <provider>`, set its key, or choose another profile; `omp models profiles` \
                 lists them."
                    .to_owned(),
            ],
            Self::Profile(ProfileError::Unknown { .. }) => {
                vec!["Run 'omp models profiles' to see what there is.".to_owned()]
            }
            Self::Options(_) | Self::KeyWithoutModel
            | Self::Import(_)
            | Self::Credential(_)
            | Self::Roles(_)
            | Self::Settings(_)
            | Self::Interrupted
            | Self::EditVariant(_)
            | Self::Client(_)
            | Self::Agent(_) => Vec::new(),
        }
    }
}
