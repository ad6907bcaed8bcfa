//! `bash`: one command in a fresh shell.

mod report;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_agent::{Invocation, Tool, ToolError};
use omp_shell::command::{self, CommandSpec, find_shell};
use omp_shell::{Environment, Snapshot, login_environment};
use omp_types::{ToolDefinition, ToolOutput};
use serde::Deserialize;
use tokio::sync::OnceCell;

use crate::{Context, Login};
use report::Report;

pub(crate) const NAME: &str = "bash";

const DEFAULT_TIMEOUT: f64 = 300.0;
const MIN_TIMEOUT: f64 = 1.0;
const MAX_TIMEOUT: f64 = 3_600.0;

pub(crate) struct Bash {
    definition: ToolDefinition,
    context: Arc<Context>,
    /// What commands see before the tool adds its own, once the first of them has asked for it.
    environment: OnceCell<Environment>,
}

#[derive(Deserialize)]
struct Arguments {
    command: String,
    #[serde(default)]
    env: BTreeMap<String, String>,
    timeout: Option<f64>,
    cwd: Option<String>,
}

impl Bash {
    pub(crate) fn new(context: Arc<Context>) -> Self {
        let definition = crate::definition(NAME, include_str!("prompt.md"), include_str!("schema.json"));
        Self { definition, context, environment: OnceCell::new() }
    }

    async fn execute(&self, call: Invocation) -> Result<ToolOutput, ToolError> {
        let arguments: Arguments = crate::arguments(call.arguments)?;
        let timeout = Timeout::new(arguments.timeout, self.context.settings.max_timeout);
        let Some(environment) = call.cancel.run_until_cancelled(self.environment()).await else {
            return Err(ToolError::new("Command aborted."));
        };
        let spec = self.spec(arguments, timeout, environment)?;
        let show = |snapshot: &Snapshot| call.updates.send(ToolOutput::text(snapshot.tail.clone()));
        let outcome = command::run(&self.context.scope, spec, &call.cancel, show)
            .await
            .map_err(|error| ToolError::new(error.to_string()))?;
        Report { outcome, timeout }.into_result()
    }

    fn spec(
        &self,
        arguments: Arguments,
        timeout: Timeout,
        environment: &Environment,
    ) -> Result<CommandSpec, ToolError> {
        check_names(&arguments.env)?;
        let cwd = self.working_directory(arguments.cwd.as_deref())?;
        let environment = self.complete(environment.clone(), arguments.env, &cwd);
        let command = match &self.context.settings.shell_prefix {
            Some(prefix) => format!("{prefix} {}", arguments.command),
            None => arguments.command,
        };
        Ok(CommandSpec {
            command,
            shell: self.shell(&environment),
            cwd,
            environment,
            timeout: Some(timeout.duration()),
            limits: self.context.settings.output,
            spill: self.context.spills.open(NAME),
        })
    }

    fn shell(&self, environment: &Environment) -> PathBuf {
        self.context.settings.shell.clone().unwrap_or_else(|| find_shell(environment))
    }

    /// What was inherited and, if the user wants it, what the login shell adds.
    async fn environment(&self) -> &Environment {
        let Context { scope, cwd, environment, settings, .. } = self.context.as_ref();
        let ask = || async {
            match &settings.login {
                Login::Off => environment.clone(),
                Login::Without(secrets) => {
                    login_environment(scope, &self.shell(environment), cwd, environment, secrets).await
                }
            }
        };
        self.environment.get_or_init(ask).await
    }

    /// What the call asks for stands above what keeps programs unattended, and that above everything else.
    fn complete(
        &self,
        environment: Environment,
        wanted: BTreeMap<String, String>,
        cwd: &std::path::Path,
    ) -> Environment {
        let mut environment = environment.unattended(self.context.settings.ci);
        environment.set("PWD", cwd); // Shells believe it, and an old value would be wrong.
        environment.extend(wanted);
        environment
    }

    fn working_directory(&self, typed: Option<&str>) -> Result<PathBuf, ToolError> {
        let Some(typed) = typed else { return Ok(self.context.cwd.clone()) };
        let path = self.context.base().resolve(typed).map_err(|error| ToolError::new(error.to_string()))?;
        match std::fs::metadata(&path) {
            Ok(metadata) if metadata.is_dir() => Ok(path),
            Ok(_) => Err(ToolError::new(format!("Working directory is not a directory: {}", path.display()))),
            Err(_) => Err(ToolError::new(format!("Working directory does not exist: {}", path.display()))),
        }
    }
}

impl Tool for Bash {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn run<'a>(&'a self, call: Invocation) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        self.execute(call).boxed()
    }
}

fn check_names(env: &BTreeMap<String, String>) -> Result<(), ToolError> {
    let bad_name = |name: &&String| {
        let mut characters = name.chars();
        let starts_well = characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
        !(starts_well && characters.all(|character| character.is_ascii_alphanumeric() || character == '_'))
    };
    if let Some(name) = env.keys().find(bad_name) {
        return Err(ToolError::new(format!("Invalid bash env name: {name}")));
    }
    match env.iter().find(|(_, value)| value.contains('\0')) {
        Some((name, _)) => Err(ToolError::new(format!("The value of {name} contains a NUL character."))),
        None => Ok(()),
    }
}

/// How long a command may take, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Timeout {
    requested: Option<f64>,
    seconds: f64,
    /// The most that is allowed.
    limit: f64,
}

impl Timeout {
    fn new(requested: Option<f64>, max_timeout: u64) -> Self {
        let limit = if max_timeout > 0 { MAX_TIMEOUT.min(max_timeout as f64) } else { MAX_TIMEOUT };
        let seconds = requested.unwrap_or(DEFAULT_TIMEOUT).clamp(MIN_TIMEOUT, MAX_TIMEOUT).min(limit);
        Self { requested, seconds, limit }
    }

    fn duration(self) -> Duration {
        Duration::from_secs_f64(self.seconds)
    }

    /// Said when the call asked for something else than it got.
    fn notice(self) -> Option<String> {
        let requested = self.requested.filter(|requested| *requested != self.seconds)?;
        Some(format!(
            "[Timeout clamped to {} seconds; {requested} was requested, {MIN_TIMEOUT} to {} are allowed]",
            self.seconds, self.limit
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts_are_clamped_and_said_so() {
        assert_eq!(Timeout::new(None, 0).seconds, 300.0);
        assert_eq!(Timeout::new(None, 0).notice(), None);
        assert_eq!(Timeout::new(Some(5.5), 0).notice(), None);
        assert_eq!(Timeout::new(Some(0.1), 0).seconds, 1.0);
        assert_eq!(Timeout::new(Some(99_999.0), 0).seconds, 3_600.0);
        assert_eq!(
            Timeout::new(Some(99_999.0), 0).notice().unwrap(),
            "[Timeout clamped to 3600 seconds; 99999 was requested, 1 to 3600 are allowed]"
        );
        assert_eq!(Timeout::new(None, 60).seconds, 60.0);
        assert_eq!(Timeout::new(Some(120.0), 60).seconds, 60.0);
        assert_eq!(Timeout::new(Some(f64::INFINITY), 0).seconds, 3_600.0);
        assert_eq!(Timeout::new(Some(-1.0), 0).seconds, 1.0);
    }
}
