//! What to do about a failure that only the user can mend: a key that was refused, a model that nobody knows, a local
//! server that is not running.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::StreamExt;
use omp_agent::{BatchStream, Model, ModelIdentity};
use omp_auth::Environment;
use omp_llm::KeyOrigin;
use omp_types::{Failure, FailureKind, ModelRequest, StreamEvent};
use tokio_util::sync::CancellationToken;

/// A model whose failures say what to do.
pub(crate) struct RemedyModel {
    pub(crate) inner: Arc<dyn Model>,
    pub(crate) remedies: Arc<Remedies>,
    pub(crate) model: Arc<omp_llm::Model>,
}

impl Model for RemedyModel {
    fn identity(&self) -> ModelIdentity {
        self.inner.identity()
    }

    fn stream(&self, request: ModelRequest, cancel: CancellationToken) -> BatchStream {
        let (remedies, model) = (Arc::clone(&self.remedies), Arc::clone(&self.model));
        Box::pin(self.inner.stream(request, cancel).map(move |mut batch| {
            for event in &mut batch {
                if let StreamEvent::Error { failure, message, .. } = event
                    && let Some(remedy) = remedies.of(&model, failure)
                {
                    failure.message = format!("{}\n{remedy}", failure.message);
                    message.error_message = Some(failure.message.clone());
                }
            }
            batch
        }))
    }

    fn can_force_tools(&self) -> bool {
        self.inner.can_force_tools()
    }
}

/// Where keys and models come from.
pub(crate) struct Remedies {
    pub(crate) environment: Arc<dyn Environment>,
    pub(crate) models_file: PathBuf,
    pub(crate) home: PathBuf,
}

impl Remedies {
    fn of(&self, model: &omp_llm::Model, failure: &Failure) -> Option<String> {
        match (failure.kind, failure.status) {
            (FailureKind::NotListening, _) => {
                Some("Start the server, or choose another model with /model (in a shell: --model)".to_owned())
            }
            (FailureKind::Auth, Some(401 | 403)) => Some(self.key(model)),
            (FailureKind::Fatal, Some(404)) => Some(self.unknown_model(model)),
            _ => None,
        }
    }

    /// Where the key came from, and how to get another one.
    fn key(&self, model: &omp_llm::Model) -> String {
        let provider = &model.provider;
        let log_in = format!("run /login {provider} (in a shell: omp login {provider})");
        let file = self.shown(&self.models_file);
        match &model.facts.key_origin {
            KeyOrigin::Given => format!("The key was given with --api-key: pass another one, or {log_in}"),
            KeyOrigin::Login => format!("The key is that of your login for {provider}: {log_in}"),
            KeyOrigin::None => format!("No key was sent for {provider}: {log_in}"),
            KeyOrigin::ModelsFile => match model.key.as_ref().map(|key| key.reveal()) {
                Some(name) if is_variable_name(name) => format!(
                    "apiKey of {provider} in {file} names the variable {name}, which is not set: set it, or \
                     edit the file"
                ),
                _ => format!("The key is apiKey of {provider} in {file}: edit it there"),
            },
            KeyOrigin::Variable(name) => match self.environment.file_of(name) {
                Some(path) => {
                    format!("The key is {name} in {}: edit it there, or {log_in}", self.shown(&path))
                }
                None => format!("The key is in the variable {name}: set another one, or {log_in}"),
            },
        }
    }

    fn unknown_model(&self, model: &omp_llm::Model) -> String {
        let (provider, file) = (&model.provider, self.shown(&self.models_file));
        let address = match model.facts.source {
            omp_llm::ModelSource::File => format!("check id and baseUrl of {provider} in {file}"),
            _ => format!("addresses and models of your own are in {file}"),
        };
        format!(
            "{} was asked for at {}: choose another model with /model (in a shell: omp models {provider}); {address}",
            model.id, model.base_url
        )
    }

    /// A path with `~` for the home directory.
    fn shown(&self, path: &Path) -> String {
        match path.strip_prefix(&self.home) {
            Ok(rest) => format!("~/{}", rest.display()),
            Err(_) => path.display().to_string(),
        }
    }
}

/// A value that was meant to be the name of a variable is sent as it is when there is no such variable.
fn is_variable_name(key: &str) -> bool {
    let fits = |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_';
    key.contains('_') && key.chars().all(fits) && key.starts_with(|first: char| first.is_ascii_uppercase())
}
