//! Secrets at the border: taken out of every request, put back into every answer.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use futures_util::StreamExt;
use omp_agent::{BatchStream, Model, ModelIdentity};
use omp_config::settings::{Settings, keys};
use omp_guard::secrets::{Entry, Outbound, Restorer, Secrets, from_environment, merged, parse};
use omp_types::ModelRequest;
use tokio_util::sync::CancellationToken;

use crate::options::SessionOptions;

/// The file that names secrets, in the user's directory and in the project's.
const FILE: &str = "secrets.yml";
/// The most that is read of it.
const LARGEST: u64 = 1024 * 1024;

/// The secrets of a session; `None` where they are sent as they are. Placeholders are the same whenever the session is
/// opened again.
pub(crate) fn load(
    options: &SessionOptions,
    settings: &Settings,
    session: &str,
    warnings: &mut Vec<String>,
) -> Option<Arc<Outbound>> {
    if !settings.get(keys::SECRETS_ENABLED) {
        return None;
    }
    let mut entries = from_environment(options.environment.vars());
    entries.extend(named(options, warnings));
    let secrets = Secrets::new(entries, session);
    (!secrets.is_empty()).then(|| Arc::new(Outbound::new(Arc::new(secrets))))
}

/// What the files of the user and of the project name.
pub(crate) fn named(options: &SessionOptions, warnings: &mut Vec<String>) -> Vec<Entry> {
    let user = read(&options.directories.agent.join(FILE), warnings);
    let project = read(&options.cwd.join(".omp").join(FILE), warnings);
    merged(user, project)
}

fn read(path: &Path, warnings: &mut Vec<String>) -> Vec<Entry> {
    let mut text = String::new();
    let whole = std::fs::File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_string(&mut text));
    match whole {
        Ok(length) if length as u64 > LARGEST => {
            warnings.push(format!("{} is larger than 1 MB; it is ignored.", path.display()));
            Vec::new()
        }
        Ok(_) => {
            let (entries, problems) = parse(&text, &path.display().to_string());
            warnings.extend(problems);
            entries
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => {
            warnings.push(format!("{} cannot be read: {error}; it is ignored.", path.display()));
            Vec::new()
        }
    }
}

/// A model that never sees a secret.
pub(crate) struct HiddenModel {
    pub(crate) inner: Arc<dyn Model>,
    pub(crate) outbound: Arc<Outbound>,
}

impl Model for HiddenModel {
    fn identity(&self) -> ModelIdentity {
        self.inner.identity()
    }

    fn stream(&self, request: ModelRequest, cancel: CancellationToken) -> BatchStream {
        let request = self.outbound.request(request);
        let mut restorer = Restorer::new(Arc::clone(self.outbound.secrets()));
        Box::pin(self.inner.stream(request, cancel).map(move |batch| restorer.batch(batch)))
    }

    fn can_force_tools(&self) -> bool {
        self.inner.can_force_tools()
    }
}
