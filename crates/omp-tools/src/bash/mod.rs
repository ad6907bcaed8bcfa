//! `bash`: one command in the session's shell.

mod background;
mod intercept;
mod minimize;
mod report;
mod set;
mod shell;
mod terminal;
mod urls;
mod user;
mod work;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_agent::{Invocation, Scheduling, Tool, ToolError};
use omp_guard::command::Verdict;
use omp_guard::command_text;
use omp_sandbox::Denial;
use omp_shell::session::{Call, CommandDirectory, Hold};
use omp_types::{Approval, ApprovalDetail, BuiltinTool, ToolDefinition, ToolOutput, builtin};
use omp_workspace::path::Base;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::Context;
use crate::approval::{self, Start};
pub use intercept::{InterceptRule, Interception};
pub use minimize::Minimizer;
use minimize::Watch;
pub(crate) use report::{captured_meta, truncation_notice};
pub(crate) use set::SetInShell;
pub use terminal::PtyView;
pub use user::UserCommand;
use work::Prepared;

pub(crate) const TOOL: &BuiltinTool = &builtin::BASH;

const DEFAULT_TIMEOUT: f64 = 300.0;
const MIN_TIMEOUT: f64 = 1.0;
const MAX_TIMEOUT: f64 = 3_600.0;

/// Commands that change the shell have one of these: an equals sign, brackets, quotes for what must be looked at, or a
/// word.
const SETTING: [&str; 20] = [
    "=", "(", "$", "`", "\\", "'", "\"", ". ", "read", "for", "select", "unset", "mapfile", "getopts",
    "printf", "source", "eval", "function", "hash", "enable",
];

pub(crate) struct Bash {
    definition: ToolDefinition,
    context: Arc<Context>,
}

#[derive(Clone, Deserialize)]
struct Arguments {
    command: String,
    #[serde(default)]
    env: BTreeMap<String, String>,
    timeout: Option<f64>,
    cwd: Option<String>,
    #[serde(default)]
    pty: bool,
    /// The schema offers it only where it works.
    #[serde(default, rename = "async")]
    background: bool,
}

impl Context {
    /// What the command of a call would do, where the shell is now. May wait for the disk.
    pub fn judge(&self, arguments: &Map<String, Value>) -> Verdict {
        let command = arguments.get("command").and_then(Value::as_str).unwrap_or_default();
        approval::verdict(self, start(self, arguments), command, arguments)
    }

    /// Places where the command of a call is known to delete or overwrite something.
    pub fn doomed(&self, arguments: &Map<String, Value>) -> Vec<PathBuf> {
        let verdict = self.judge(arguments);
        let mut at_stake = approval::doomed(&verdict);
        let effects = verdict.effects;
        let overwritten = effects.writes.iter().filter_map(|target| target.path.clone());
        at_stake.extend(effects.destroys.iter().filter_map(|target| target.path.clone()));
        at_stake.extend(overwritten.filter(|path| path.is_file()));
        at_stake.sort();
        at_stake.dedup();
        at_stake
    }

    /// The directories in which writing needs no question.
    pub fn workspace(&self) -> Vec<PathBuf> {
        self.borders.workspace()
    }
}

/// Where the shell is, and what earlier commands have set in it.
fn start(context: &Context, arguments: &Map<String, Value>) -> Start {
    let typed = arguments.get("cwd").and_then(Value::as_str);
    let given = typed.and_then(|typed| context.base().resolve(typed).ok());
    let cwd = given.or_else(|| context.here()).unwrap_or_else(|| context.cwd.clone());
    Start { cwd, shell: context.commands.set_in_shell.known() }
}

/// A command that is ready to run, as far as the model's words go.
struct Order {
    command: String,
    env: BTreeMap<String, String>,
    directory: Directory,
}

/// Where a command wants to run, as it was typed.
enum Directory {
    Current,
    /// The call's own parameter.
    Given(String),
    /// The command's own `cd`.
    Entered(String),
}

impl Bash {
    pub(crate) fn new(context: Arc<Context>) -> Self {
        let mut definition = context.settings.wording.describe(TOOL, include_str!("tool.md"));
        if context.settings.jobs.offered {
            background::offer(&mut definition, context.settings.wording);
        }
        Self { definition, context }
    }

    async fn execute(&self, call: Invocation) -> Result<ToolOutput, ToolError> {
        let arguments: Arguments = crate::arguments(call.arguments.clone())?;
        let (command, in_background) = (arguments.command.clone(), arguments.background);
        self.remember(&command, &call.arguments).await;
        let view = self.view(arguments.pty && !in_background);
        if in_background && !self.context.settings.jobs.offered {
            return Err(ToolError::new(
                "Background commands are disabled (async.enabled): call without `async`.",
            ));
        }
        let denied = Arc::<OnceLock<Denial>>::default();
        let again = arguments.clone();
        let result = self.attempt(arguments, &call, view.as_deref(), &denied).await;
        match denied.get() {
            // Somebody may let it out; then it runs once more from the beginning.
            Some(denial) if self.context.ask_to_leave(&call.id, &command, denial).await => {
                self.context.commands.sandbox.let_out(&call.id, &call.arguments);
                self.attempt(again, &call, view.as_deref(), &Arc::default()).await
            }
            _ => result,
        }
    }

    /// Runs the command once. `denied` learns what the sandbox refused it.
    async fn attempt(
        &self,
        arguments: Arguments,
        call: &Invocation,
        view: Option<&dyn PtyView>,
        denied: &Arc<OnceLock<Denial>>,
    ) -> Result<ToolOutput, ToolError> {
        let (command, in_background) = (arguments.command.clone(), arguments.background);
        let prepare = self.prepare(arguments, call, denied);
        let Some(prepared) = call.cancel.run_until_cancelled(prepare).await else {
            return Err(ToolError::new("Command aborted."));
        };
        let prepared = prepared?;
        if in_background {
            return self.start_job(prepared, &command);
        }
        match view {
            Some(view) => self.on_terminal(view, prepared, call).await,
            None => self.follow(prepared, &command, call).await,
        }
    }

    /// Takes note of what a command sets in the shell, so that later ones can be judged by it.
    async fn remember(&self, command: &str, arguments: &Map<String, Value>) {
        if !SETTING.iter().any(|word| command.contains(word)) {
            return;
        }
        let (context, start) = (Arc::clone(&self.context), start(&self.context, arguments));
        let (command, arguments) = (command.to_owned(), arguments.clone());
        let set = tokio::task::spawn_blocking(move || {
            approval::verdict(&context, start, &command, &arguments).shell
        });
        if let Ok(set) = set.await {
            self.context.commands.set_in_shell.replace(set);
        }
    }

    /// Everything up to the start of the command.
    async fn prepare(
        &self,
        arguments: Arguments,
        invocation: &Invocation,
        denied: &Arc<OnceLock<Denial>>,
    ) -> Result<Prepared, ToolError> {
        check_names(&arguments.env)?;
        let Context { settings, spills, .. } = self.context.as_ref();
        let timeout = Timeout::new(arguments.timeout, settings.max_timeout);
        let order = self.order(arguments)?;
        let confine = self.context.confine(&invocation.id, &invocation.arguments).await?;
        let shell = self.context.confined_shell(&confine).await;
        let order = self.with_paths(order).await?;
        let place = self.place(order.directory)?;
        let place = self.context.follow_directory(&shell, place);
        let watch = Watch::new(&settings.bash.minimizer, &order.command);
        let whole = spills.open(TOOL.name);
        let hosts = self.context.commands.sandbox.hosts();
        let running = confine.confined().map(|_| hosts.running(&order.command));
        let call = Call {
            command: order.command,
            env: order.env.into_iter().collect(),
            place,
            timeout: Some(timeout.duration()),
            limits: settings.output,
            spill: match &watch {
                Some(watch) => watch.spill(whole),
                None => whole,
            },
            hold: Arc::new(match settings.jobs.auto_background {
                Some(_) => Hold::saving(),
                None => Hold::default(),
            }),
        };
        Ok(Prepared { shell, call, watch, timeout, confine, denied: Arc::clone(denied), running })
    }

    /// What the model asked for, cleaned up, unless there is a better tool for it.
    fn order(&self, arguments: Arguments) -> Result<Order, ToolError> {
        let settings = &self.context.settings;
        let Arguments { command, env, cwd, .. } = arguments;
        let cleaned =
            if settings.bash.strip_limits { command_text::without_limits(&command) } else { command.clone() };
        let (directory, cleaned) = match (cwd, command_text::leading_cd(&cleaned)) {
            (Some(cwd), _) => (Directory::Given(cwd), cleaned),
            (None, Some((directory, rest))) => (Directory::Entered(directory), rest.to_owned()),
            (None, None) => (Directory::Current, cleaned),
        };
        intercept::check(&settings.bash.interception, &settings.tools, &command, &cleaned)?;
        Ok(Order { command: cleaned, env, directory })
    }

    /// With paths in place of internal URLs, wherever they may stand.
    async fn with_paths(&self, order: Order) -> Result<Order, ToolError> {
        let context = Arc::clone(&self.context);
        crate::blocking(move || {
            let mut order = order;
            order.command = urls::in_command(&context, &order.command)?;
            urls::in_variables(&context, &mut order.env)?;
            if let Directory::Given(cwd) | Directory::Entered(cwd) = &mut order.directory {
                *cwd = urls::in_directory(&context, cwd)?;
            }
            Ok(order)
        })
        .await
    }

    /// A directory of the call holds for the call; one that the command enters is where the shell stays.
    fn place(&self, directory: Directory) -> Result<CommandDirectory, ToolError> {
        let home = self.context.home.as_deref();
        match directory {
            Directory::Current => Ok(CommandDirectory::Current),
            Directory::Given(typed) => existing(&self.context.cwd, home, &typed).map(CommandDirectory::Once),
            Directory::Entered(typed) => {
                let here = self.context.here().unwrap_or_else(|| self.context.cwd.clone());
                existing(&here, home, &typed).map(CommandDirectory::Stay)
            }
        }
    }
}

/// The directory that a typed path means.
fn existing(cwd: &Path, home: Option<&Path>, typed: &str) -> Result<PathBuf, ToolError> {
    let path = Base { cwd, home }.resolve(typed).map_err(|error| ToolError::new(error.to_string()))?;
    match std::fs::metadata(&path) {
        Ok(metadata) if metadata.is_dir() => Ok(path),
        Ok(_) => Err(ToolError::new(format!("Working directory is not a directory: {}", path.display()))),
        Err(_) => Err(ToolError::new(format!("Working directory does not exist: {}", path.display()))),
    }
}

impl Tool for Bash {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    /// A person looks at one terminal at a time.
    fn scheduling(&self, arguments: &Map<String, Value>) -> Scheduling {
        let wanted = arguments.get("pty").and_then(Value::as_bool).unwrap_or_default();
        if self.view(wanted).is_some() { Scheduling::Exclusive } else { Scheduling::Shared }
    }

    fn approval(&self, arguments: &Map<String, Value>) -> Option<Approval> {
        Some(approval::of_command(&self.context, start(&self.context, arguments), arguments))
    }

    fn approval_details(&self, arguments: &Map<String, Value>) -> Vec<ApprovalDetail> {
        let mut details = approval::details(arguments, &[("command", "Command"), ("cwd", "Directory")]);
        details.extend(circumstances(arguments));
        details.extend(approval::at_stake(&self.context, start(&self.context, arguments), arguments));
        details
    }

    fn run<'a>(&'a self, call: Invocation) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        self.execute(call).boxed()
    }
}

/// What else of a call changes what will happen: variables, a terminal, the background, an unusual time limit.
fn circumstances(arguments: &Map<String, Value>) -> Vec<ApprovalDetail> {
    let detail = |label, value: String| ApprovalDetail { label, value };
    let given = arguments.get("env").and_then(Value::as_object).into_iter().flatten();
    let env: Vec<String> =
        given.map(|(name, value)| format!("{name}={}", value.as_str().unwrap_or_default())).collect();
    let is = |name: &str| arguments.get(name).and_then(Value::as_bool).unwrap_or_default();
    let limit = arguments.get("timeout").and_then(Value::as_f64).filter(|limit| *limit > DEFAULT_TIMEOUT);
    let parts = [
        (!env.is_empty()).then(|| detail("Environment", env.join("\n"))),
        is("pty").then(|| detail("Terminal", "yes".to_owned())),
        is("async").then(|| detail("Background", "yes".to_owned())),
        limit.map(|limit| detail("Timeout", format!("{limit} s"))),
    ];
    parts.into_iter().flatten().collect()
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

    /// What the call asked for, if it got something else.
    fn clamped(self) -> Option<f64> {
        self.requested.filter(|requested| *requested != self.seconds)
    }

    /// Said when the call asked for something else than it got.
    fn notice(self) -> Option<String> {
        let requested = self.clamped()?;
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
