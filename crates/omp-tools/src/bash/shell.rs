//! Which shell a session's commands run in.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError};

use omp_shell::command::find_shell;
use omp_shell::login_environment;
use omp_shell::session::{CommandDirectory, Engine, ShellSpec, StartFiles};

use crate::sandbox::Confine;
use crate::{BashSettings, Commands, Context, Login};

/// The value of `shellPath` that means the shell inside our own binary.
const EMBEDDED: &str = "embedded";

/// Programs that a repository's own configuration would have git run, and repositories inside of others that only
/// pretend to be part of them.
const GIT_GUARD: &[(&str, &str)] = &[
    ("GIT_CONFIG_COUNT", "3"),
    ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
    ("GIT_CONFIG_VALUE_0", "false"),
    ("GIT_CONFIG_KEY_1", "safe.bareRepository"),
    ("GIT_CONFIG_VALUE_1", "explicit"),
    ("GIT_CONFIG_KEY_2", "core.pager"),
    ("GIT_CONFIG_VALUE_2", "cat"),
];

impl Context {
    /// The session's shell. The user's start files are asked with the first command.
    pub(super) async fn shell(&self) -> Arc<ShellSpec> {
        let shell = self.commands.shell.get_or_init(|| async { Arc::new(describe(self).await) });
        Arc::clone(shell.await)
    }

    /// The same shell in a sandbox. Shells in different sandboxes share nothing but the directory they are in. Git is kept
    /// from running what a repository names wherever commands are judged, also where nothing confines them.
    pub(super) async fn confined_shell(&self, confine: &Confine) -> Arc<ShellSpec> {
        let shell = self.shell().await;
        if self.commands.sandbox.is_free() && confine.confined().is_none() {
            return shell;
        }
        let mut shell = ShellSpec::clone(&shell);
        for (name, value) in GIT_GUARD {
            shell.environment.set(*name, *value);
        }
        let Some(confined) = confine.confined() else { return Arc::new(shell) };
        let policy = &confined.confinement.policy;
        if let [only] = policy.writable.as_slice() {
            // Where temporary files usually go, nothing can be written.
            shell.environment.set("TMPDIR", only);
        }
        shell.confined = Some(confined);
        Arc::new(shell)
    }

    /// Where the session's commands are: the last of them said so.
    pub(super) fn here(&self) -> Option<PathBuf> {
        self.commands.directory.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A shell that was not used last begins where the one used last is.
    pub(super) fn follow_directory(&self, shell: &ShellSpec, place: CommandDirectory) -> CommandDirectory {
        match self.here() {
            Some(here)
                if place == CommandDirectory::Current
                    && here != self.commands.shells.directory(shell)
                    && here.is_dir() =>
            {
                CommandDirectory::Stay(here)
            }
            _ => place,
        }
    }

    /// Takes note of where a shell is now.
    pub(super) fn note_directory(&self, shell: &ShellSpec) {
        *self.commands.directory.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(self.commands.shells.directory(shell));
    }
}

async fn describe(context: &Context) -> ShellSpec {
    let Context { commands: Commands { scope, environment, .. }, cwd, settings, .. } = context;
    let settings = &settings.bash;
    let engine = engine(settings, find_shell(environment));
    let (mut environment, start_files) = match &settings.login {
        Login::Off => (environment.clone(), None),
        Login::Without(secrets) => {
            let shell = match &engine {
                Engine::System(path) => path.clone(),
                Engine::Embedded(_) => find_shell(environment),
            };
            let start_files = async {
                if !engine.is_bash() {
                    return None;
                }
                StartFiles::capture(scope, engine.path(), cwd, environment).await.map(Arc::new)
            };
            tokio::join!(login_environment(scope, &shell, cwd, environment, secrets), start_files)
        }
    };
    environment = environment.unattended(settings.ci);
    environment.set("PWD", cwd); // Shells believe it, and an old value would be wrong.
    // A context has shells of its own: they need no owner.
    ShellSpec { prefix: settings.prefix.clone(), start_files, ..ShellSpec::new(engine, environment, cwd) }
}

/// What the user chose; else bash if that is what the system has, else the embedded shell if we have one.
fn engine(settings: &BashSettings, of_the_system: PathBuf) -> Engine {
    let embedded = |path: &PathBuf| Engine::Embedded(path.clone());
    match (&settings.shell, &settings.embedded_shell) {
        (Some(shell), Some(program)) if shell.as_os_str() == EMBEDDED => embedded(program),
        (Some(shell), _) => Engine::System(shell.clone()),
        (None, program) => {
            let found = Engine::System(of_the_system);
            program.as_ref().filter(|_| !found.is_bash()).map_or(found, embedded)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_choice_goes_first_and_bash_second() {
        let mut settings = BashSettings::default();
        let [bash, sh] = ["/bin/bash", "/bin/sh"].map(PathBuf::from);
        let system = |path: &PathBuf| Engine::System(path.clone());
        assert_eq!(engine(&settings, sh.clone()), system(&sh));
        settings.embedded_shell = Some("/omp".into());
        assert_eq!(engine(&settings, bash.clone()), system(&bash));
        assert_eq!(engine(&settings, sh.clone()), Engine::Embedded("/omp".into()), "better than any sh");
        settings.shell = Some(sh.clone());
        assert_eq!(engine(&settings, bash.clone()), system(&sh));
        settings.shell = Some("embedded".into());
        assert_eq!(engine(&settings, bash), Engine::Embedded("/omp".into()));
    }
}
