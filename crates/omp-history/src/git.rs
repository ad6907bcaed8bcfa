//! What git says about a repository. It is asked and never told: nothing of the repository is written.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use omp_shell::scope::{Exit, Program};
use omp_shell::{Environment, Scope, answer_bytes};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use crate::error::HistoryError;

/// The most that is taken of an answer about many files.
const MOST_LIST: usize = 64 * 1024 * 1024;
const MOST_COMPLAINT: usize = 16 * 1024;
/// So many files are named to git at once.
const AT_ONCE: usize = 200;
/// What keeps git from writing, and a repository from running programs of its own when it is only looked at.
const QUIETLY: [&str; 6] = [
    "--no-optional-locks",
    "--literal-pathspecs",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.untrackedCache=false",
];

/// Git in one repository. Its functions wait; they are for threads that may.
#[derive(Clone)]
pub(crate) struct Git {
    cwd: PathBuf,
    environment: Environment,
    runtime: Handle,
    cancel: CancellationToken,
    patience: Duration,
    /// It took too long once, and is not waited for again.
    silent: Arc<AtomicBool>,
}

/// What differs from the last commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Status {
    /// The last commit; `None` before the first.
    pub(crate) head: Option<String>,
    /// Files that differ or are new, by their path in the repository.
    pub(crate) paths: Vec<String>,
    /// Some of them have names that are no text.
    pub(crate) unnameable: bool,
}

/// A file in a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Committed {
    pub(crate) mode: u32,
    pub(crate) id: String,
}

impl Git {
    /// Git in the repository around a directory.
    pub(crate) fn around(
        cwd: &Path,
        environment: &Environment,
        runtime: Handle,
        cancel: CancellationToken,
        patience: Duration,
    ) -> Result<Self, HistoryError> {
        let mut environment = environment.clone().without_git();
        for (name, value) in
            [("GIT_TERMINAL_PROMPT", "0"), ("GIT_OPTIONAL_LOCKS", "0"), ("GIT_PAGER", "cat"), ("LC_ALL", "C")]
        {
            environment.set(name, value);
        }
        let silent = Arc::default();
        let outside = Self { cwd: cwd.to_owned(), environment, runtime, cancel, patience, silent };
        let mut said = outside.ask(&["rev-parse", "--show-toplevel"], 64 * 1024)?;
        said.truncate(said.strip_suffix(b"\n").map_or(said.len(), <[u8]>::len));
        let root = PathBuf::from(OsString::from_vec(said));
        match root.is_absolute() && root.to_str().is_some() && root.is_dir() {
            true => Ok(Self { cwd: root, ..outside }),
            false => {
                let reason = format!("{} is not a directory with a UTF-8 name", root.display());
                Err(HistoryError::Git { command: "rev-parse".to_owned(), reason })
            }
        }
    }

    /// The directory of the repository.
    pub(crate) fn root(&self) -> &Path {
        &self.cwd
    }

    /// What differs from the last commit now, with files that git does not know yet and does not ignore.
    pub(crate) fn status(&self) -> Result<Status, HistoryError> {
        let words = [
            "status",
            "--porcelain=v2",
            "-z",
            "--branch",
            "--no-ahead-behind",
            "--untracked-files=all",
            "--no-renames",
            "--ignore-submodules=all",
        ];
        Ok(read_status(&self.ask(&words, MOST_LIST)?))
    }

    /// Tracked files that differ from a commit now.
    pub(crate) fn changed_since(&self, commit: &str) -> Result<Vec<String>, HistoryError> {
        let words = [
            "diff",
            "--name-only",
            "-z",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--ignore-submodules=all",
            commit,
            "--",
        ];
        Ok(texts(&self.ask(&words, MOST_LIST)?))
    }

    /// Which of these files a commit has.
    pub(crate) fn committed(
        &self,
        commit: &str,
        paths: &[String],
    ) -> Result<BTreeMap<String, Committed>, HistoryError> {
        let mut found = BTreeMap::new();
        for some in paths.chunks(AT_ONCE) {
            let words = ["ls-tree", "-z", "--full-tree", commit, "--"].map(str::to_owned);
            let words: Vec<String> = words.into_iter().chain(some.iter().cloned()).collect();
            for line in texts(&self.ask(&words, MOST_LIST)?) {
                let Some((head, path)) = line.split_once('\t') else { continue };
                let mut words = head.split(' ');
                let (Some(mode), _, Some(id)) = (words.next(), words.next(), words.next()) else { continue };
                let mode = u32::from_str_radix(mode, 8).unwrap_or(0);
                found.insert(path.to_owned(), Committed { mode, id: id.to_owned() });
            }
        }
        Ok(found)
    }

    /// A file of a commit as it would be checked out.
    pub(crate) fn checked_out(
        &self,
        commit: &str,
        path: &str,
        largest: u64,
    ) -> Result<Vec<u8>, HistoryError> {
        let object = format!("{commit}:{path}");
        self.ask(&["cat-file", "--filters", &object], usize::try_from(largest).unwrap_or(usize::MAX))
    }

    /// An object as it is.
    pub(crate) fn object(&self, id: &str) -> Result<Vec<u8>, HistoryError> {
        self.ask(&["cat-file", "blob", id], 64 * 1024)
    }

    /// What git prints. More than `most` bytes are an error.
    fn ask<S: AsRef<OsStr>>(&self, words: &[S], most: usize) -> Result<Vec<u8>, HistoryError> {
        let command =
            words.first().map(|word| word.as_ref().to_string_lossy().into_owned()).unwrap_or_default();
        let arguments: Vec<OsString> = QUIETLY
            .iter()
            .map(OsString::from)
            .chain(words.iter().map(|word| word.as_ref().to_owned()))
            .collect();
        let silent = || HistoryError::Silent { command: command.clone(), patience: self.patience };
        if self.silent.load(Ordering::Acquire) {
            return Err(silent());
        }
        let said = self.runtime.block_on(async {
            let scope = Scope::new();
            let asked = tokio::time::timeout(self.patience, self.run(&scope, arguments, most));
            let said = self.cancel.run_until_cancelled(asked).await;
            scope.end().await;
            said
        });
        match said {
            None => Err(HistoryError::Interrupted),
            Some(Err(_)) => {
                self.silent.store(true, Ordering::Release);
                Err(silent())
            }
            Some(Ok(Ok(output))) if output.len() > most => Err(HistoryError::TooLong { command }),
            Some(Ok(said)) => said.map_err(|reason| HistoryError::Git { command, reason }),
        }
    }

    /// What git prints, up to one byte more than wanted.
    async fn run(&self, scope: &Scope, arguments: Vec<OsString>, most: usize) -> Result<Vec<u8>, String> {
        let program = Program::asked("git", arguments, self.cwd.clone(), self.environment.clone());
        let child = scope.spawn(program).map_err(|error| error.to_string())?;
        let said = answer_bytes(child, most.saturating_add(1), MOST_COMPLAINT).await;
        match said.exit {
            Exit::Exited(0) => Ok(said.output),
            _ => Err(said.complaint.trim().to_owned()),
        }
    }
}

fn texts(output: &[u8]) -> Vec<String> {
    let parts = output.split(|byte| *byte == 0).filter(|part| !part.is_empty());
    parts.filter_map(|part| String::from_utf8(part.to_owned()).ok()).collect()
}

fn read_status(output: &[u8]) -> Status {
    let mut status = Status::default();
    for line in output.split(|byte| *byte == 0).filter(|line| !line.is_empty()) {
        let Ok(line) = std::str::from_utf8(line) else {
            status.unnameable = true;
            continue;
        };
        if let Some(head) = line.strip_prefix("# branch.oid ") {
            status.head = Some(head.to_owned()).filter(|head| !head.starts_with('('));
            continue;
        }
        // How many fields stand before the path.
        let fields = match line.as_bytes()[0] {
            b'1' => 8,
            b'u' => 10,
            b'?' => 1,
            _ => continue,
        };
        let mut parts = line.splitn(fields + 1, ' ');
        let submodule = fields > 1 && parts.clone().nth(2).is_some_and(|word| word.starts_with('S'));
        match parts.nth(fields) {
            // A repository inside of this one has a history of its own.
            Some(path) if !submodule && !path.ends_with('/') => status.paths.push(path.to_owned()),
            _ => {}
        }
    }
    status
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_names_files_with_any_name() {
        let output = "# branch.oid 1234abcd\0# branch.head main\0\
            1 .M N... 100644 100644 100644 aa bb src/with space.rs\0\
            1 D. S.M. 160000 160000 160000 aa bb module\0\
            u UU N... 1 2 3 4 aa bb cc both.txt\0? new file\0? nested/\0";
        let mut output = output.as_bytes().to_vec();
        output.extend_from_slice(b"? bad\xff\0");
        let status = read_status(&output);
        assert_eq!(status.head.as_deref(), Some("1234abcd"));
        assert_eq!(status.paths, ["src/with space.rs", "both.txt", "new file"]);
        assert!(status.unnameable);
        assert_eq!(read_status(b"# branch.oid (initial)\0"), Status::default());
    }
}
