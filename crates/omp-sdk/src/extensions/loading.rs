//! Loading the extensions: before there is a session, where the command line may have flags of theirs, or with it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use omp_auth::Environment;
use omp_config::Directories;
use omp_config::settings::{Format, Settings, parse_document};
use omp_extension_host::{
    CodeSeal, Connector, Extensions, ExtensionsOptions, FlagSpec, Limits, ProgramFacts,
};
use omp_shell::{Environment as ChildEnvironment, Scope, SecretNames};
use serde_json::{Map, Value};

use crate::extensions::found::{self, Found, RefusedExtension};
use crate::extensions::{ExtensionChoice, SessionExtensions};
use crate::guard::trust::ProjectTrust;
use crate::session::builder::SessionBuilder;

/// The longest run of an extension without a pause, in time of the processor: all others wait for it.
const TURN: Duration = Duration::from_secs(3);

/// Where extensions are looked for, and what they run in.
pub struct ExtensionSurroundings<'a> {
    /// The directories of the program.
    pub directories: &'a Directories,
    /// Where the session works.
    pub cwd: &'a Path,
    /// The settings there.
    pub settings: &'a Settings,
    /// Variables and keys.
    pub environment: &'a Arc<dyn Environment>,
}

/// Extensions that are loaded and have no session yet.
#[derive(Clone, Default)]
pub struct LoadedExtensions {
    set: Option<Arc<Extensions>>,
    refused: Vec<RefusedExtension>,
    warnings: Vec<String>,
}

impl LoadedExtensions {
    /// The flags that they have registered.
    pub fn flags(&self) -> Vec<FlagSpec> {
        self.set.as_ref().map(|set| set.flags()).unwrap_or_default()
    }

    /// What was not loaded, and what is odd about the others.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// What was typed for them.
    pub fn set_flags(&self, values: Map<String, Value>) {
        if let Some(set) = &self.set {
            set.set_flags(values);
        }
    }

    pub(super) fn set(&self) -> Option<&Arc<Extensions>> {
        self.set.as_ref()
    }

    /// No session comes.
    pub async fn end(self) {
        if let Some(set) = self.set {
            set.end().await;
        }
    }
}

impl ExtensionSurroundings<'_> {
    /// Is there any extension at all? Reads directories.
    pub fn has_any(&self, choice: &ExtensionChoice) -> bool {
        !choice.named.is_empty()
            || (!choice.only_named && found::is_any(self.directories, self.cwd, self.settings))
            || found::is_any_named(self.settings)
    }

    /// Finds the extensions and loads them. Without any, nothing is started.
    pub async fn load(&self, choice: &ExtensionChoice) -> LoadedExtensions {
        self.load_trusted(choice, self.trust()).await
    }

    async fn load_trusted(&self, choice: &ExtensionChoice, trust: ProjectTrust) -> LoadedExtensions {
        let mut found = self.find(choice, trust).await;
        found.warnings.extend(found.refusal());
        let Found { specs, refused, mut warnings, seals } = found;
        if specs.is_empty() {
            return LoadedExtensions { set: None, refused, warnings };
        }
        let set = Extensions::load(self.options(choice, seals), specs).await;
        for failure in set.failures() {
            let path = failure.spec.path.display();
            warnings.push(format!("extension {path} was not loaded: {}", failure.reason));
        }
        for extension in set.list() {
            let notes = extension.problems().into_iter().map(|problem| problem.message);
            warnings.extend(notes.map(|note| format!("extension {}: {note}", extension.spec.name)));
        }
        LoadedExtensions { set: Some(set), refused, warnings }
    }

    pub(crate) fn options(
        &self,
        choice: &ExtensionChoice,
        seals: HashMap<PathBuf, Arc<CodeSeal>>,
    ) -> ExtensionsOptions {
        let secrets = SecretNames::default();
        ExtensionsOptions {
            cwd: self.cwd.to_owned(),
            scope: Arc::new(Scope::new()),
            environment: ChildEnvironment::inherited().without(&secrets),
            cache: Some(self.directories.cache().join("extensions")),
            flags: choice.flags.clone(),
            reserved_commands: choice.reserved_commands.clone(),
            seals,
            limits: Limits { turn: TURN, ..Limits::default() },
            connector: Some(connector(Arc::clone(self.environment))),
            program: ProgramFacts {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                agent_directory: self.directories.agent.clone(),
                parse_yaml: |text| parse_document(text, Format::Yaml).ok(),
            },
        }
    }
}

/// How extensions reach the network: over the TLS and the proxies of models, set up with the first request.
fn connector(environment: Arc<dyn Environment>) -> Connector {
    Arc::new(move || {
        let client = omp_llm::Client::new(omp_auth::client_options(environment.as_ref()));
        let client = client.map_err(|error| error.to_string())?;
        client.stranger_builder().map_err(|error| error.to_string())
    })
}

impl SessionBuilder {
    /// Takes over the extensions of the session before or those that are loaded already; else they are loaded now.
    pub(crate) async fn load_extensions(&mut self) {
        let mut choice = std::mem::take(&mut self.options.extensions);
        let playing = matches!(self.options.deck, Some(omp_replay::Deck::Play(_)));
        let carried = choice.carried.clone().filter(|_| !playing);
        let early = choice.loaded.take();
        if carried.is_some() {
            self.extensions =
                SessionExtensions { set: carried, carried: true, ..SessionExtensions::default() };
            self.options.extensions = choice;
            return;
        }
        let loaded = match early {
            // What they did then is in the recording.
            _ if playing => LoadedExtensions::default(),
            Some(early) => early,
            None => {
                let surroundings = ExtensionSurroundings {
                    directories: &self.options.directories,
                    cwd: &self.options.cwd,
                    settings: &self.settings,
                    environment: &self.options.environment,
                };
                surroundings.load_trusted(&choice, self.trust()).await
            }
        };
        let LoadedExtensions { set, refused, warnings } = loaded;
        self.warnings.extend(warnings);
        if let (Some(set), Some(program)) = (&set, &choice.program) {
            set.set_program(Arc::clone(program));
        }
        self.extensions = SessionExtensions { set, refused, ..SessionExtensions::default() };
        self.options.extensions = choice;
    }
}
