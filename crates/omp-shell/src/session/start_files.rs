//! What the user's start file defines for bash: aliases, functions, options.
//!
//! The file is read once, by an interactive bash, because many of them do nothing in any other. What it has defined
//! is kept as text and given to every shell that is started later.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use crate::environment::Environment;
use crate::login::{asking, printed};
use crate::scope::Scope;

/// A start file that takes longer is done without.
const PATIENCE: Duration = Duration::from_secs(5);
const MARK: &str = "\0omp start files\0";

/// Options before, then definitions, then options after. What the file prints goes nowhere.
const SCRIPT: &str = r#"unset HISTFILE
shopt -p; shopt -po; printf '\0omp start files\0'
{ . "$HOME/.bashrc"; } </dev/null >/dev/null 2>&1
alias -p; declare -f; printf '\0omp start files\0'
shopt -p; shopt -po; printf '\0omp start files\0'"#;

/// Options of a shell that talks to a person, and those that would end or garble commands.
const NOT_TAKEN: &[&str] = &[
    "emacs",
    "errexit",
    "histexpand",
    "history",
    "ignoreeof",
    "interactive-comments",
    "monitor",
    "noexec",
    "notify",
    "nounset",
    "onecmd",
    "posix",
    "verbose",
    "vi",
    "xtrace",
];

/// Definitions as bash code.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct StartFiles {
    text: String,
    keep: String,
}

/// Definitions may hold secrets.
impl fmt::Debug for StartFiles {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("StartFiles").field("bytes", &self.text.len()).finish_non_exhaustive()
    }
}

impl StartFiles {
    /// Asks bash. `None` if there is no start file, or none that can be read to its end.
    pub async fn capture(scope: &Scope, bash: &Path, cwd: &Path, environment: &Environment) -> Option<Self> {
        let home = environment.get("HOME").filter(|home| !home.is_empty())?;
        if !Path::new(home).join(".bashrc").is_file() {
            return None;
        }
        let program = asking(bash, &["--noprofile", "--norc", "-i", "-c", SCRIPT], cwd, environment);
        Self::parse(&String::from_utf8(printed(scope, program, PATIENCE).await?).ok()?)
    }

    fn parse(printed: &str) -> Option<Self> {
        let mut parts = printed.split(MARK);
        let (before, definitions, after) = (parts.next()?, parts.next()?, parts.next()?);
        parts.next()?; // Or the last part is not whole.
        let before: Vec<&str> = before.lines().collect();
        let changed = after.lines().filter(|line| !before.contains(line));
        let taken =
            changed.filter(|line| line.rsplit(' ').next().is_some_and(|name| !NOT_TAKEN.contains(&name)));
        let mut text = String::new();
        let mut keep = String::new();
        for line in taken {
            text.push_str(line);
            text.push('\n');
            if line == "set -o pipefail" {
                keep = " -o pipefail".to_owned();
            }
        }
        if definitions.contains("alias ") {
            text.push_str("shopt -s expand_aliases\n");
        }
        text.push_str(definitions);
        Some(Self { text, keep })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Options that the end of a call would switch off.
    pub(super) fn keep(&self) -> &str {
        &self.keep
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_is_taken() {
        let printed = format!(
            "shopt -u a\nset +o vi\nset +o pipefail\n{MARK}alias ll='ls -l'\nf () \n{{ \n    :\n}}\n{MARK}shopt -s a\nset -o vi\nset -o pipefail\n{MARK}"
        );
        let files = StartFiles::parse(&printed).unwrap();
        assert_eq!(
            files.text(),
            "shopt -s a\nset -o pipefail\nshopt -s expand_aliases\nalias ll='ls -l'\nf () \n{ \n    :\n}\n"
        );
        assert_eq!(files.keep(), " -o pipefail");
        assert_eq!(StartFiles::parse("half"), None);
        assert_eq!(StartFiles::parse(&format!("{MARK}{MARK}cut")), None);
    }
}
