//! Which secrets a session knows, and what is done about them.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use omp_auth::Environment;
use omp_config::Directories;
use omp_config::settings::{Settings, keys};
use omp_guard::secrets::{
    Known, Mode, Outbound, Reach, SecretEntry, Secrets, from_environment, known_variables, masks, merged,
    parse,
};
use omp_llm::registry::Registry;
use omp_models::load_registry;

use crate::session::options::SessionOptions;

/// The file that names secrets, in the user's directory and in the project's.
const FILE: &str = "secrets.yml";
/// The most that is read of it.
const LARGEST: u64 = 1024 * 1024;

/// What is done about the secrets of a session.
pub(crate) struct SessionSecrets {
    /// What no model may see.
    pub(crate) outbound: Option<Arc<Outbound>>,
    /// What is masked in everything that is shown, kept and recorded.
    pub(crate) masks: Option<Arc<Secrets>>,
}

/// With `secrets.enabled` placeholders stand for secrets in everything that is sent, the same whenever the session is
/// opened again; models use them, so what is kept has the real values. Otherwise values that are known are masked in
/// results and in what is kept.
pub(crate) fn load(
    options: &SessionOptions,
    settings: &Settings,
    stored: Vec<Known>,
    session: &str,
    warnings: &mut Vec<String>,
) -> SessionSecrets {
    if settings.get(keys::SECRETS_ENABLED) {
        let mut entries = from_environment(options.environment.vars());
        entries.extend(named(options, warnings));
        let masks = if settings.get(keys::SECRETS_MASK) { masks(stored) } else { Vec::new() };
        entries.extend(masks.iter().cloned());
        return SessionSecrets {
            outbound: some(Secrets::new(entries, session))
                .map(|secrets| Arc::new(Outbound::new(secrets, Reach::Everything))),
            masks: some(Secrets::new(masks, session)),
        };
    }
    let masks = some(Secrets::new(mask_entries(options, settings, stored, warnings), session));
    let outbound = masks.clone().map(|secrets| Arc::new(Outbound::new(secrets, Reach::Results)));
    SessionSecrets { outbound, masks }
}

/// What is masked where no placeholders are wanted.
pub(crate) fn mask_entries(
    options: &SessionOptions,
    settings: &Settings,
    mut stored: Vec<Known>,
    warnings: &mut Vec<String>,
) -> Vec<SecretEntry> {
    if settings.get(keys::SECRETS_ENABLED) || !settings.get(keys::SECRETS_MASK) {
        return Vec::new();
    }
    stored.extend(known_variables(options.environment.vars()));
    let mut entries = masks(stored);
    // A project has no say in what its user gets to see.
    entries.extend(read(&options.directories.agent.join(FILE), warnings).into_iter().map(one_way));
    entries
}

fn some(secrets: Secrets) -> Option<Arc<Secrets>> {
    (!secrets.is_empty()).then(|| Arc::new(secrets))
}

/// A secret that the user named, masked.
fn one_way(entry: SecretEntry) -> SecretEntry {
    let mode = match entry.mode {
        Mode::Obfuscate => Mode::Replace(Some("[secret:secrets.yml]".to_owned())),
        mode => mode,
    };
    SecretEntry { mode, ..entry }
}

/// Keys that are stored or described, whether the session needs them or not.
pub(crate) fn stored(registry: &Registry, environment: &dyn Environment, given: Option<&str>) -> Vec<Known> {
    let known = |(provider, value): (String, String)| Known { name: format!("{provider} key"), value };
    let mut all: Vec<Known> = registry.written_secrets().into_iter().map(known).collect();
    let logins = environment.vault().map(|vault| vault.secrets()).unwrap_or_default();
    all.extend(logins.into_iter().map(|(provider, secret)| known((provider, secret.reveal().to_owned()))));
    let variables = registry.key_variables().into_iter();
    all.extend(variables.filter_map(|name| environment.var(&name).map(|value| Known { name, value })));
    all.extend(given.map(|key| Known { name: "--api-key".to_owned(), value: key.to_owned() }));
    all
}

/// What is masked where there is no session: in pages and snapshots of saved ones.
pub(crate) fn masks_here(
    directories: &Directories,
    settings: &Settings,
    environment: &dyn Environment,
) -> Option<Arc<Secrets>> {
    if !settings.get(keys::SECRETS_MASK) {
        return None;
    }
    let registry = load_registry(directories, settings, &mut Vec::new());
    let mut known = stored(&registry, environment, None);
    known.extend(known_variables(environment.vars()));
    let mut entries = masks(known);
    entries.extend(read(&directories.agent.join(FILE), &mut Vec::new()).into_iter().map(one_way));
    some(Secrets::new(entries, ""))
}

/// What the files of the user and of the project name.
pub(crate) fn named(options: &SessionOptions, warnings: &mut Vec<String>) -> Vec<SecretEntry> {
    let user = read(&options.directories.agent.join(FILE), warnings);
    let project = read(&options.cwd.join(".omp").join(FILE), warnings);
    merged(user, project)
}

fn read(path: &Path, warnings: &mut Vec<String>) -> Vec<SecretEntry> {
    let mut text = String::new();
    let whole = std::fs::File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_string(&mut text));
    match whole {
        Ok(length) if length as u64 > LARGEST => {
            warnings.push(format!("Ignored {}: larger than 1 MB", path.display()));
            Vec::new()
        }
        Ok(_) => {
            let (entries, problems) = parse(&text, &path.display().to_string());
            warnings.extend(problems);
            entries
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => {
            warnings.push(format!("Ignored {}: {error}", path.display()));
            Vec::new()
        }
    }
}
