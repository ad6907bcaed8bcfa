//! The outside world, as far as building a session needs it.

use std::path::Path;
use std::sync::Arc;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use omp_auth::Vault;
use omp_config::Directories;
use omp_config::dotenv::DotEnv;
use omp_llm::dialect::LeakRecords;
use omp_llm::registry::{CommandCache, GoogleDefault, Lookup};
use omp_llm::{ClientOptions, Interleaving, Retention, Secret, StrictPolicy};
use omp_shell::command::{find_shell, run};
use omp_shell::{Ci, CommandSpec, Ending, Limits, Scope, SecretNames};
use omp_tools::{Login, ScanLimits};
use tokio_util::sync::CancellationToken;

use crate::{logins, tls, transport};

/// Variables of the process, and the credentials of its user. A trait so that an embedding program or a test can
/// give its own.
pub trait Environment: Send + Sync {
    fn var(&self, name: &str) -> Option<String>;

    /// All variables, as far as they are text.
    fn vars(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Credentials that the user stored.
    fn vault(&self) -> Option<&Arc<Vault>> {
        None
    }
}

/// The real environment.
pub struct ProcessEnvironment;

impl Environment for ProcessEnvironment {
    fn var(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn vars(&self) -> Vec<(String, String)> {
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        std::env::vars_os().filter_map(text).collect()
    }
}

/// An environment and, below it, what the `.env` files define. A variable that is set is never changed by a file,
/// not even when it is empty.
pub struct LayeredEnvironment<E = ProcessEnvironment> {
    upper: E,
    files: DotEnv,
    vault: Option<Arc<Vault>>,
}

impl LayeredEnvironment {
    /// The real environment over the `.env` files of a run in `cwd`, with the user's credentials, and what the user
    /// should know about both.
    pub fn load(directories: &Directories, cwd: &Path) -> (Self, Vec<String>) {
        let (files, mut warnings) = DotEnv::load(&directories.env_files(cwd));
        let mut environment = Self::new(ProcessEnvironment, files);
        let (vault, problems) = logins::vault(directories, &|name| environment.var(name));
        environment.vault = Some(vault);
        warnings.extend(problems);
        (environment, warnings)
    }
}

impl<E> LayeredEnvironment<E> {
    pub fn new(upper: E, files: DotEnv) -> Self {
        Self { upper, files, vault: None }
    }
}

impl<E: Environment> Environment for LayeredEnvironment<E> {
    fn var(&self, name: &str) -> Option<String> {
        self.upper.var(name).or_else(|| self.files.get(name).map(str::to_owned))
    }

    fn vars(&self) -> Vec<(String, String)> {
        let mut all = self.upper.vars();
        let below = self.files.iter().filter(|(name, _)| self.upper.var(name).is_none());
        all.extend(below.map(|(name, value)| (name.to_owned(), value.to_owned())));
        all
    }

    fn vault(&self) -> Option<&Arc<Vault>> {
        self.vault.as_ref().or_else(|| self.upper.vault())
    }
}

/// How long a `!command` of the models file may take.
const KEY_COMMAND_LIMIT: Duration = Duration::from_secs(10);

/// What the commands printed, for as long as the program runs.
static KEY_COMMANDS: OnceLock<CommandCache> = OnceLock::new();

pub(crate) struct EnvironmentLookup<'a>(pub(crate) &'a dyn Environment);

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
        crate::aws::is_available(self.0)
    }

    fn google_default(&self) -> Option<GoogleDefault> {
        crate::google::default(self.0)
    }
}

/// Trimmed output of a command that succeeded in time.
pub(crate) fn capture(command: &str, limit: Duration) -> Option<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
    runtime.block_on(async {
        let scope = Scope::new();
        let environment = omp_shell::Environment::inherited();
        let spec = CommandSpec {
            // Only what the command prints on standard output is the value.
            command: format!("exec 2>/dev/null; {command}"),
            shell: find_shell(&environment),
            cwd: std::env::current_dir().ok()?,
            environment,
            timeout: Some(limit),
            limits: Limits::default(),
            spill: None,
            confined: None,
        };
        let outcome = run(&scope, spec, &CancellationToken::new(), |_| {}).await.ok()?;
        scope.end().await;
        (outcome.ending == Ending::Exited(0)).then(|| outcome.output.text.trim().to_owned())
    })
}

/// How commands are run, as far as the environment decides it. Each switch has the name it had elsewhere, too.
pub(crate) fn apply_shell_switches(
    environment: &dyn Environment,
    secrets: &SecretNames,
    settings: &mut omp_tools::Settings,
) {
    let set = |names: [&str; 2]| {
        names.into_iter().find_map(|name| environment.var(name).filter(|value| !value.is_empty()))
    };
    settings.bash.prefix = set(["PI_SHELL_PREFIX", "CLAUDE_CODE_SHELL_PREFIX"]);
    settings.bash.login = match set(["PI_BASH_NO_LOGIN", "CLAUDE_BASH_NO_LOGIN"]) {
        Some(_) => Login::Off,
        None => Login::Without(secrets.clone()),
    };
    if let Some(files) = environment.var("PI_MAX_AST_FILES").and_then(|text| text.trim().parse().ok()) {
        settings.ast_max_files = files;
    }
    settings.bash.ci = match set(["PI_BASH_NO_CI", "CLAUDE_BASH_NO_CI"]) {
        Some(_) => Ci::Inherited,
        None => Ci::Announced,
    };
}

/// How long lists of files are good for, and how many are kept.
pub(crate) fn scan_limits(environment: &dyn Environment) -> ScanLimits {
    let number =
        |name: &str| environment.var(name).and_then(|text| text.trim().parse::<u32>().ok()).map(u64::from);
    let mut limits = ScanLimits::default();
    if let Some(ms) = number("FS_SCAN_CACHE_TTL_MS") {
        limits.ttl = Duration::from_millis(ms);
    }
    if let Some(ms) = number("FS_SCAN_EMPTY_RECHECK_MS") {
        limits.empty_recheck = Duration::from_millis(ms);
    }
    if let Some(scans) = number("FS_SCAN_CACHE_MAX_ENTRIES") {
        limits.scans = usize::try_from(scans).unwrap_or(usize::MAX);
    }
    limits
}

/// Settings of the model client that the environment decides.
pub(crate) fn client_options(environment: &dyn Environment) -> ClientOptions {
    let set = |name: &str| environment.var(name).filter(|value| !value.is_empty());
    let mut options = ClientOptions { tls: tls::options(environment), ..ClientOptions::default() };
    if let Some(ms) = set("PI_STREAM_IDLE_TIMEOUT_MS").and_then(|text| text.trim().parse().ok()) {
        options.idle_timeout = Duration::from_millis(ms);
    }
    options.openai_limits = transport::openai_limits(environment);
    if set("PI_NO_STRICT").is_some_and(|value| value != "0") {
        options.strict = StrictPolicy::Never;
    }
    if let Some(retention) = set("PI_CACHE_RETENTION").and_then(|word| Retention::from_word(&word)) {
        options.retention = retention;
    }
    if set("PI_NO_INTERLEAVED_THINKING").is_some_and(|value| value == "1") {
        options.interleaving = Interleaving::Off;
    }
    if set("OMP_HARMONY_DEBUG").is_some_and(|value| value == "1") {
        options.leak_records = LeakRecords::Full;
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each of the limits does is tested where it is obeyed.
    // proves: CLI-143
    #[test]
    fn limits_of_lists_and_of_structural_edits_follow_their_variables() {
        struct Set(&'static [(&'static str, &'static str)]);
        impl Environment for Set {
            fn var(&self, name: &str) -> Option<String> {
                self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            }
        }
        let limits = |variables| {
            let limits = scan_limits(&Set(variables));
            (limits.ttl.as_millis(), limits.empty_recheck.as_millis(), limits.scans)
        };
        assert_eq!(limits(&[]), (1000, 200, 16));
        let set = &[
            ("FS_SCAN_CACHE_TTL_MS", "0"),
            ("FS_SCAN_EMPTY_RECHECK_MS", " 50 "),
            ("FS_SCAN_CACHE_MAX_ENTRIES", "2"),
        ];
        assert_eq!(limits(set), (0, 50, 2));
        assert_eq!(limits(&[("FS_SCAN_CACHE_TTL_MS", "soon")]), (1000, 200, 16));
        let files = |variables| {
            let mut settings = omp_tools::Settings::default();
            apply_shell_switches(&Set(variables), &SecretNames::default(), &mut settings);
            settings.ast_max_files
        };
        assert_eq!((files(&[]), files(&[("PI_MAX_AST_FILES", "7")])), (1000, 7));
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
        let lookup = EnvironmentLookup(&ProcessEnvironment);
        assert_eq!(lookup.command("true"), None, "nothing printed is nothing");
        assert_eq!(capture("sleep 600; echo late", Duration::from_millis(200)), None);
    }
}
