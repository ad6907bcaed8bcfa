//! Why a session could not be opened.

use std::path::PathBuf;

use omp_agent::AgentError;
use omp_auth::AuthError;
use omp_config::settings::SettingsError;
use omp_llm::ClientError;
use omp_llm::registry::SelectError;
use omp_session::{ForkError, MoveError, OpenError, ResolveError};

use crate::roles::RoleCycle;

#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error("{source}")]
    Model {
        #[source]
        source: SelectError,
        models_file: PathBuf,
    },
    #[error("--api-key needs a model to go with: name one with --model, --provider and --model, or --models")]
    KeyWithoutModel,
    #[error(transparent)]
    Roles(#[from] RoleCycle),
    #[error(transparent)]
    Credential(#[from] AuthError),
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error(transparent)]
    Agent(#[from] AgentError),
    #[error(transparent)]
    Resolve(#[from] ResolveError),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Fork(#[from] ForkError),
    #[error(transparent)]
    Move(#[from] MoveError),
}

impl SessionError {
    /// What the user can do about it.
    pub fn hints(&self) -> Vec<String> {
        match self {
            Self::Model { source, models_file } => {
                let file = models_file.display();
                match source {
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
                }
            }
            Self::Resolve(_) | Self::Open(_) | Self::Fork(_) | Self::Move(_) => {
                vec!["Run 'omp session list' to see what --resume and --fork can name here.".to_owned()]
            }
            Self::KeyWithoutModel
            | Self::Credential(_)
            | Self::Roles(_)
            | Self::Settings(_)
            | Self::Client(_)
            | Self::Agent(_) => Vec::new(),
        }
    }
}
