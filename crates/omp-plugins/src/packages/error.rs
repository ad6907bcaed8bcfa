//! Why something could not be done with a package.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::commit::CommitError;
use super::target::TargetError;
use super::unpack::UnpackError;
use crate::git::GitError;
use crate::records::RecordError;
use crate::registry::RegistryError;

#[derive(Debug, Error)]
pub enum PackageError {
    #[error(transparent)]
    Target(#[from] TargetError),
    #[error(transparent)]
    Registry(#[from] RegistryError),
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Commit(#[from] CommitError),
    #[error("cannot install {name}: {source}")]
    Unpack { name: String, source: UnpackError },
    #[error("cannot install {name}: {reason}")]
    Install { name: String, reason: String },
    #[error("no plugin {0:?} is installed (see: omp plugin list)")]
    NotInstalled(String),
    #[error("{plugin} has no feature {feature:?} (it has {})", listed(available))]
    UnknownFeature { plugin: String, feature: String, available: Vec<String> },
    #[error("{plugin} has no setting {key:?} (it has {})", listed(available))]
    UnknownSetting { plugin: String, key: String, available: Vec<String> },
    #[error("{plugin}: {key}: {reason}")]
    InvalidSetting { plugin: String, key: String, reason: String },
    #[error("cannot link {}: {reason}", path.display())]
    Link { path: PathBuf, reason: String },
    #[error("cannot write below {}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("stopped; nothing was changed")]
    Cancelled,
}

impl From<RecordError> for PackageError {
    fn from(error: RecordError) -> Self {
        Self::Commit(error.into())
    }
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
