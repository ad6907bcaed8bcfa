//! The environment of a program: its variables over the `.env` files, and what they say about tools.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use omp_auth::{Environment, Vault};
use omp_config::Directories;
use omp_config::dotenv::DotEnv;
use omp_shell::{Ci, SecretNames};
use omp_tools::{Login, ScanLimits};

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
        let (vault, problems) = omp_auth::open_vault(directories, &|name| environment.var(name));
        environment.vault = Some(vault);
        warnings.extend(problems);
        (environment, warnings)
    }
}

impl<E> LayeredEnvironment<E> {
    /// Puts an environment over what files define.
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

    fn file_of(&self, name: &str) -> Option<PathBuf> {
        match self.upper.var(name) {
            Some(_) => self.upper.file_of(name),
            None => self.files.file_of(name).map(Path::to_path_buf),
        }
    }

    fn vault(&self) -> Option<&Arc<Vault>> {
        self.vault.as_ref().or_else(|| self.upper.vault())
    }
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
}
