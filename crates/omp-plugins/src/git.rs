//! Clones of git repositories: no questions, no code of the repository, bounded in time and size.
//!
//! A clone has the files of one commit and nothing of git itself, so that no git ever looks at what the repository would
//! have it do.

mod source;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use omp_shell::scope::{Exit, Program};
use omp_shell::{Environment, Scope, SecretNames, SpawnError, answer_bytes};
use thiserror::Error;
use tokio_util::sync::CancellationToken;

pub(crate) use source::is_github;
pub use source::{GitSource, InvalidSource};

/// How long a clone may take.
pub const PATIENCE: Duration = Duration::from_secs(300);
/// What may be downloaded, and what may be checked out.
const MOST_BYTES: u64 = 1024 * 1024 * 1024;
const MOST_FILES: usize = 50_000;
const MOST_OUTPUT: usize = 32 * 1024 * 1024;
const MOST_COMPLAINT: usize = 16 * 1024;
/// How often a download is measured.
const MEASURE: Duration = Duration::from_millis(250);

/// Keeps git from running anything that a repository, or a template for one, brings.
const QUIETLY: [&str; 12] = [
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "submodule.recurse=false",
    "-c",
    "gc.auto=0",
    "-c",
    "maintenance.auto=false",
    "-c",
    "advice.detachedHead=false",
];
/// Why there is no clone.
#[derive(Debug, Error)]
pub enum GitError {
    /// There is no git.
    #[error("git is not installed, or not in PATH")]
    Missing,
    /// It could not be started.
    #[error(transparent)]
    Start(SpawnError),
    /// It refused.
    #[error("cannot clone {from}: {complaint}")]
    Failed {
        /// The repository.
        from: String,
        /// What git said about it.
        complaint: String,
    },
    /// It took too long.
    #[error("cannot clone {from}: no end after {} s", patience.as_secs())]
    TimedOut {
        /// The repository.
        from: String,
        /// How long it was waited for.
        patience: Duration,
    },
    /// It is too large.
    #[error("cannot clone {from}: it has {what}")]
    TooLarge {
        /// The repository.
        from: String,
        /// What there is too much of.
        what: String,
    },
    /// The commit that is wanted is not in the repository, or not where it should be.
    #[error("{from} does not have the commit {sha}{}; refused", at(reference.as_deref()))]
    OtherCommit {
        /// The repository.
        from: String,
        /// The commit that it should have.
        sha: String,
        /// The branch or tag that it should be in.
        reference: Option<String>,
    },
    /// A name of a branch, tag or commit that is none.
    #[error("{0:?} is not a branch, a tag or a commit")]
    Reference(String),
    /// The user stopped it.
    #[error("stopped")]
    Cancelled,
}

fn at(reference: Option<&str>) -> String {
    reference.map(|reference| format!(" in {reference}")).unwrap_or_default()
}

/// Which state of a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Revision {
    /// A branch or a tag; the default branch if there is none.
    pub reference: Option<String>,
    /// The full name of a commit in it. Anything else is refused.
    pub sha: Option<String>,
}

/// git, to clone with.
#[derive(Clone)]
pub struct Git {
    environment: Environment,
    cancel: CancellationToken,
    patience: Duration,
}

impl Git {
    /// With the environment of this program, from which keys are removed.
    pub fn new(environment: Environment, cancel: CancellationToken) -> Self {
        let mut environment = environment.without(&SecretNames::default()).without_git();
        for (name, value) in [
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_ASKPASS", "/usr/bin/false"),
            ("SSH_ASKPASS", "/usr/bin/false"),
            ("SSH_ASKPASS_REQUIRE", "force"),
            ("GCM_INTERACTIVE", "never"),
            ("GIT_LFS_SKIP_SMUDGE", "1"),
            ("GIT_PAGER", "cat"),
            ("LC_ALL", "C"),
        ] {
            environment.set(name, value);
        }
        Self { environment, cancel, patience: PATIENCE }
    }

    /// With another limit.
    #[must_use]
    pub fn patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Puts the files of a repository into `into`, an empty directory, and answers which commit they are of.
    pub async fn clone(
        &self,
        source: &GitSource,
        revision: &Revision,
        into: &Path,
    ) -> Result<String, GitError> {
        for name in [&revision.reference, &revision.sha].into_iter().flatten() {
            check_reference(name)?;
        }
        if let Some(sha) = revision.sha.as_ref().filter(|sha| !is_commit(sha)) {
            return Err(GitError::Reference(sha.clone()));
        }
        let scope = Scope::new();
        let clone = Clone { git: self, scope: &scope, source, into: into.to_owned() };
        let limited = tokio::time::timeout(self.patience, clone.run(revision));
        let result = match self.cancel.run_until_cancelled(limited).await {
            None => Err(GitError::Cancelled),
            Some(Ok(result)) => result,
            Some(Err(_)) => Err(GitError::TimedOut { from: source.shown(), patience: self.patience }),
        };
        scope.end().await;
        result
    }
}

/// One clone while it is made.
struct Clone<'a> {
    git: &'a Git,
    scope: &'a Scope,
    source: &'a GitSource,
    into: PathBuf,
}

impl Clone<'_> {
    async fn run(&self, revision: &Revision) -> Result<String, GitError> {
        self.download(revision.reference.as_deref()).await?;
        let head = self.commit("HEAD").await?;
        let commit = match &revision.sha {
            Some(sha) if *sha != head => self.pinned(sha, revision.reference.as_deref()).await?,
            _ => head,
        };
        self.measure(&commit).await?;
        self.ask(&["checkout", "--quiet", "--force", "--detach", "--no-recurse-submodules", &commit, "--"])
            .await?;
        let now = self.commit("HEAD").await?;
        if now != commit {
            return Err(self.other(&commit, revision.reference.as_deref()));
        }
        let git = self.into.join(".git");
        std::fs::remove_dir_all(&git).map_err(|error| self.failed(error.to_string()))?;
        Ok(commit)
    }

    /// The last commit of a branch or tag.
    async fn download(&self, reference: Option<&str>) -> Result<(), GitError> {
        let mut words: Vec<OsString> = [
            "clone",
            "--quiet",
            "--no-checkout",
            "--no-local",
            "--depth=1",
            "--single-branch",
            "--no-tags",
            "--no-recurse-submodules",
            "--template=",
        ]
        .map(OsString::from)
        .into();
        words.extend(reference.map(|reference| format!("--branch={reference}").into()));
        words.extend(["--".into(), self.source.as_git_reads_it().into(), self.into.clone().into()]);
        self.measured(self.ask_in(Path::new("/"), words)).await.map(drop)
    }

    /// A commit that is not the last one. It counts only as part of the branch or tag, or of any: hosts also hand out commits
    /// of other people's forks.
    async fn pinned(&self, sha: &str, reference: Option<&str>) -> Result<String, GitError> {
        let mut words = vec!["fetch", "--quiet", "--unshallow", "--no-recurse-submodules", "origin"];
        if reference.is_none() {
            words.extend(["+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*"]);
        }
        let is_shallow = self.into.join(".git/shallow").exists();
        words.retain(|word| is_shallow || *word != "--unshallow");
        self.measured(self.ask(&words)).await?;
        let found = match reference {
            Some(_) => self.ask(&["merge-base", "--is-ancestor", sha, "HEAD"]).await.map(|_| true),
            None => {
                let containing = format!("--contains={sha}");
                let said = self.ask(&["for-each-ref", "--count=1", &containing]).await;
                said.map(|refs| !refs.is_empty())
            }
        };
        match found {
            Ok(true) => Ok(sha.to_owned()),
            Ok(false) | Err(GitError::Failed { .. }) => Err(self.other(sha, reference)),
            Err(error) => Err(error),
        }
    }

    /// Is a commit small enough to be checked out?
    async fn measure(&self, commit: &str) -> Result<(), GitError> {
        let listed = self.ask(&["ls-tree", "-r", "-l", "-z", "--full-tree", commit]).await?;
        if listed.len() > MOST_OUTPUT {
            return Err(self.too_large(format!("more than {MOST_FILES} files")));
        }
        let (mut files, mut bytes) = (0, 0_u64);
        for line in listed.split(|byte| *byte == 0).filter(|line| !line.is_empty()) {
            let line = String::from_utf8_lossy(line);
            let size = line.split('\t').next().and_then(|facts| facts.split_whitespace().nth(3));
            files += 1;
            bytes = bytes.saturating_add(size.and_then(|size| size.parse().ok()).unwrap_or(0));
        }
        if files > MOST_FILES {
            return Err(self.too_large(format!("more than {MOST_FILES} files")));
        }
        match bytes > MOST_BYTES {
            true => Err(self.too_large(format!("more than {} MiB", MOST_BYTES >> 20))),
            false => Ok(()),
        }
    }

    /// The full name of what a name stands for.
    async fn commit(&self, name: &str) -> Result<String, GitError> {
        let name = format!("{name}^{{commit}}");
        let said = self.ask(&["rev-parse", "--verify", "--quiet", "--end-of-options", &name]).await;
        match said {
            Ok(said) => Ok(String::from_utf8_lossy(&said).trim().to_owned()),
            Err(GitError::Failed { .. }) => Err(self.failed("it has no commits".to_owned())),
            Err(error) => Err(error),
        }
    }

    /// Gives a download up that grows beyond the limit.
    async fn measured<T>(&self, download: impl Future<Output = Result<T, GitError>>) -> Result<T, GitError> {
        let mut download = std::pin::pin!(download);
        let packs = self.into.join(".git/objects/pack");
        loop {
            if let Ok(done) = tokio::time::timeout(MEASURE, &mut download).await {
                return done;
            }
            let sizes = std::fs::read_dir(&packs).into_iter().flatten().flatten();
            let size: u64 = sizes.filter_map(|pack| pack.metadata().ok()).map(|pack| pack.len()).sum();
            if size > MOST_BYTES {
                return Err(self.too_large(format!("more than {} MiB", MOST_BYTES >> 20)));
            }
        }
    }

    async fn ask(&self, words: &[&str]) -> Result<Vec<u8>, GitError> {
        self.ask_in(&self.into, words.iter().map(OsString::from).collect()).await
    }

    async fn ask_in(&self, cwd: &Path, words: Vec<OsString>) -> Result<Vec<u8>, GitError> {
        let arguments = QUIETLY.iter().map(OsString::from).chain(words);
        let mut environment = self.git.environment.clone();
        // No transport that runs a command, whoever names it, and no other one by a redirect.
        environment.set("GIT_ALLOW_PROTOCOL", self.source.protocol());
        let program = Program::asked("git", arguments, cwd, environment);
        let child = self.scope.spawn(program).map_err(|error| match error {
            SpawnError::Start { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
                GitError::Missing
            }
            other => GitError::Start(other),
        })?;
        let said = answer_bytes(child, MOST_OUTPUT + 1, MOST_COMPLAINT).await;
        match said.exit {
            Exit::Exited(0) => Ok(said.output),
            _ => Err(self.failed(self.complaint(&said.complaint))),
        }
    }

    /// The line that says why, without credentials in addresses.
    fn complaint(&self, said: &str) -> String {
        let lines = || said.lines().map(str::trim).filter(|line| !line.is_empty());
        let is_reason =
            |line: &&str| ["fatal:", "error:", "ERROR:"].iter().any(|word| line.starts_with(word));
        let line = lines().find(is_reason).or_else(|| lines().next_back()).unwrap_or("git failed");
        let line = line.trim_start_matches("fatal: ").trim_start_matches("error: ");
        let line = line.replace(&self.source.as_git_reads_it(), &self.source.shown());
        line.replace(&*self.into.to_string_lossy(), "the clone")
    }

    fn failed(&self, complaint: String) -> GitError {
        GitError::Failed { from: self.source.shown(), complaint }
    }

    fn too_large(&self, what: String) -> GitError {
        GitError::TooLarge { from: self.source.shown(), what }
    }

    fn other(&self, sha: &str, reference: Option<&str>) -> GitError {
        GitError::OtherCommit {
            from: self.source.shown(),
            sha: sha.to_owned(),
            reference: reference.map(str::to_owned),
        }
    }
}

/// Is this the full name of a commit?
pub fn is_commit(name: &str) -> bool {
    matches!(name.len(), 40 | 64) && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Names that git might read as something else are none.
fn check_reference(name: &str) -> Result<(), GitError> {
    let is_odd = |c: char| c.is_control() || c.is_whitespace() || "~^:?*[\\".contains(c);
    let ok = !name.is_empty()
        && name.len() <= 256
        && !name.starts_with(['-', '/', '.', '@'])
        && !name.contains("..")
        && !name.contains("@{")
        && !name.contains(is_odd);
    if ok { Ok(()) } else { Err(GitError::Reference(name.to_owned())) }
}

#[cfg(test)]
pub(crate) mod tests;
