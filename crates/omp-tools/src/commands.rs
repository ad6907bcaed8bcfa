//! What runs the commands of a session: processes, shells, the sandbox.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use omp_shell::session::{ShellSpec, Shells};
use omp_shell::{Environment, Scope};
use tokio::sync::OnceCell;

use crate::bash::{PtyView, SetInShell};
use crate::sandbox::Sandbox;

/// Everything that commands of tools and of the user run in.
pub struct Commands {
    /// Owns every process that a tool starts; they end with the session.
    pub scope: Arc<Scope>,
    /// The shells that commands run in. Another conversation gets fresh ones after [`Shells::close`].
    pub shells: Arc<Shells>,
    /// What commands see, before the tool adds its own: usually `Environment::inherited().without(…)`.
    pub environment: Environment,
    /// Where a person sees the terminals of commands; without it no command gets one.
    pub terminal: Option<Arc<dyn PtyView>>,
    /// What commands are confined to.
    pub sandbox: Arc<Sandbox>,
    /// The shell that commands run in, once the first of them has asked for it; without a sandbox.
    pub(crate) shell: OnceCell<Arc<ShellSpec>>,
    /// Where the last command left its shell.
    pub(crate) directory: Mutex<Option<PathBuf>>,
    /// What commands have set in it.
    pub(crate) set_in_shell: SetInShell,
}

impl Commands {
    /// Nothing confines them, and nobody sees a terminal.
    pub fn new(scope: Arc<Scope>, environment: Environment) -> Self {
        Self {
            scope,
            shells: Arc::default(),
            environment,
            terminal: None,
            sandbox: Arc::new(Sandbox::off()),
            shell: OnceCell::new(),
            directory: Mutex::default(),
            set_in_shell: SetInShell::default(),
        }
    }
}
