//! The outside world, as far as credentials and requests need it.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use omp_llm::Secret;
use omp_llm::registry::{CommandCache, GoogleDefault, Lookup};
use omp_shell::command::{find_shell, run};
use omp_shell::{CommandSpec, Ending, Scope};
use tokio_util::sync::CancellationToken;

use crate::vault::Vault;
use crate::{aws, google};

/// Variables of the process, and the credentials of its user. A trait so that an embedding program or a test can
/// give its own.
pub trait Environment: Send + Sync {
    fn var(&self, name: &str) -> Option<String>;

    /// All variables, as far as they are text.
    fn vars(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// The `.env` file that sets a variable, where one does.
    fn file_of(&self, name: &str) -> Option<PathBuf> {
        let _ = name;
        None
    }

    /// Credentials that the user stored.
    fn vault(&self) -> Option<&Arc<Vault>> {
        None
    }
}

/// How long a `!command` of the models file may take.
const KEY_COMMAND_LIMIT: Duration = Duration::from_secs(10);

/// What the commands printed, for as long as the program runs.
static KEY_COMMANDS: OnceLock<CommandCache> = OnceLock::new();

/// What the registry of models asks about credentials, answered from an environment.
pub struct EnvironmentLookup<'a>(pub &'a dyn Environment);

impl Lookup for EnvironmentLookup<'_> {
    fn env(&self, name: &str) -> Option<String> {
        self.0.var(name)
    }

    fn command(&self, command: &str) -> Option<String> {
        KEY_COMMANDS.get_or_init(CommandCache::new).output(command, Instant::now(), |command| {
            // Looking up a key is not async, so the command gets a thread and a runtime of its own.
            let command = command.to_owned();
            std::thread::spawn(move || capture(&command, KEY_COMMAND_LIMIT)).join().ok().flatten()
        })
    }

    fn stored(&self, provider: &str) -> Option<Secret> {
        self.0.vault()?.peek(provider)
    }

    fn aws_available(&self) -> bool {
        aws::is_available(self.0)
    }

    fn google_default(&self) -> Option<GoogleDefault> {
        google::default(self.0)
    }
}

/// Trimmed output of a command that succeeded in time.
pub(crate) fn capture(command: &str, limit: Duration) -> Option<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
    runtime.block_on(async {
        let scope = Scope::new();
        let environment = omp_shell::Environment::inherited();
        // Only what the command prints on standard output is the value.
        let command = format!("exec 2>/dev/null; {command}");
        let (shell, cwd) = (find_shell(&environment), std::env::current_dir().ok()?);
        let spec = CommandSpec { timeout: Some(limit), ..CommandSpec::new(command, shell, cwd, environment) };
        let outcome = run(&scope, spec, &CancellationToken::new(), |_| {}).await.ok()?;
        scope.end().await;
        (outcome.ending == Ending::Exited(0)).then(|| outcome.output.text.trim().to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Empty;

    impl Environment for Empty {
        fn var(&self, _name: &str) -> Option<String> {
            None
        }
    }

    /// Failure, silence and a command that hangs give nothing; the last is not waited for.
    // proves: MOD-051, MOD-052
    #[test]
    fn commands_give_their_trimmed_output_or_nothing() {
        assert_eq!(KEY_COMMAND_LIMIT, Duration::from_secs(10));
        assert_eq!(capture("printf ' abc\\n'; echo noise >&2", KEY_COMMAND_LIMIT).as_deref(), Some("abc"));
        for nothing in ["false", "echo key; false"] {
            assert_eq!(capture(nothing, KEY_COMMAND_LIMIT), None, "{nothing}");
        }
        let lookup = EnvironmentLookup(&Empty);
        assert_eq!(lookup.command("true"), None, "nothing printed is nothing");
        assert_eq!(capture("sleep 600; echo late", Duration::from_millis(200)), None);
    }
}
