//! What the tools of one session share.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use omp_shell::{Ci, Environment, Limits, Scope, SecretNames};
use omp_workspace::path::Base;

use crate::resources::{NoResources, Resources};

/// The surroundings of a tool call.
pub struct Context {
    /// The session's working directory, absolute.
    pub cwd: PathBuf,
    /// What `~` stands for.
    pub home: Option<PathBuf>,
    /// Owns every process that a tool starts; they end with the session.
    pub scope: Arc<Scope>,
    /// What commands see, before the tool adds its own: usually `Environment::inherited().without(…)`.
    pub environment: Environment,
    /// The clock, for ages in listings.
    pub now: fn() -> SystemTime,
    pub settings: Settings,
    /// Internal URLs.
    pub resources: Arc<dyn Resources>,
}

impl Context {
    /// A context with the system's clock, the default settings and no internal URLs.
    pub fn new(cwd: PathBuf, home: Option<PathBuf>, scope: Arc<Scope>, environment: Environment) -> Self {
        Self {
            cwd,
            home,
            scope,
            environment,
            now: SystemTime::now,
            settings: Settings::default(),
            resources: Arc::new(NoResources),
        }
    }

    pub(crate) fn base(&self) -> Base<'_> {
        Base { cwd: &self.cwd, home: self.home.as_deref() }
    }
}

/// The user's settings, as far as tools obey them. The setting's name stands beside each field.
#[derive(Clone, Debug)]
pub struct Settings {
    /// `read.defaultLimit`: lines of a read without an end.
    pub read_default_limit: u64,
    /// `readLineNumbers`: text with line numbers.
    pub read_line_numbers: bool,
    /// `readHashLines`: text with the anchors of the edit tool, wherever that tool is active.
    pub read_hash_lines: bool,
    /// `shellPath`: the shell for commands, if it is not the system's bash.
    pub shell: Option<PathBuf>,
    /// `PI_SHELL_PREFIX`: stands before every command.
    pub shell_prefix: Option<String>,
    /// `PI_BASH_NO_LOGIN`.
    pub login: Login,
    /// `PI_BASH_NO_CI`.
    pub ci: Ci,
    /// `tools.maxTimeout`: seconds no command may exceed; 0 for no limit beyond the tool's own.
    pub max_timeout: u64,
    /// `images.autoResize`: scale pictures to what models accept.
    pub resize_images: bool,
    /// `tools.artifactSpillThreshold`, `tools.artifactHeadBytes`, `tools.artifactTailBytes`,
    /// `tools.artifactTailLines`, `tools.outputMaxColumns`.
    pub output: Limits,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            read_default_limit: 300,
            read_line_numbers: false,
            read_hash_lines: true,
            shell: None,
            shell_prefix: None,
            login: Login::Off,
            ci: Ci::Announced,
            max_timeout: 0,
            resize_images: true,
            output: Limits::default(),
        }
    }
}

/// Whether commands see what the user's login shell sets up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Login {
    Off,
    /// All but the variables named here.
    Without(SecretNames),
}
