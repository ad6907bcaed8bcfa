//! What is about to be committed.

use std::path::{Path, PathBuf};

use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::CommitError;
use crate::git::{Git, GitError};

/// As much of the differences as is shown at once.
pub(crate) const MOST_DIFF: usize = 60_000;
/// As much of the list of files as is shown.
const MOST_LISTED: usize = 20_000;
/// How many earlier messages show the style of the repository.
const EARLIER: &str = "-n12";
const CHANGELOG: &str = "CHANGELOG.md";

/// How differences are shown: in git's own form, whatever the user set up.
const DIFF: [&str; 6] = ["diff", "--cached", "--no-color", "--no-ext-diff", "--no-textconv", "-M"];

/// A repository, and what was done to its index.
pub(crate) struct Staging {
    pub(crate) git: Git,
    index: PathBuf,
    /// The index from before, if it was changed; `None` inside if there was none.
    before: Option<Option<Vec<u8>>>,
    /// Everything that a dry run writes.
    aside: Option<TempDir>,
}

/// The changes, as a model reads them.
pub(crate) struct Changes {
    pub(crate) files: Vec<String>,
    /// Names with numbers of lines.
    pub(crate) listing: String,
    pub(crate) diff: String,
    /// Was all of it shown?
    pub(crate) whole: bool,
    pub(crate) earlier: String,
    pub(crate) changelogs: Vec<Changelog>,
    /// What the user should know.
    pub(crate) remarks: Vec<String>,
}

/// A changelog that speaks for some of the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Changelog {
    /// From the root of the repository.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl Staging {
    /// Takes what is staged, or stages everything. A dry run works in copies.
    pub(crate) async fn begin(cwd: &Path, dry: bool, cancel: CancellationToken) -> Result<Self, CommitError> {
        let git = Git::new(cwd, cancel);
        let root = match git.ask(&["rev-parse", "--show-toplevel"]).await {
            Ok(root) => PathBuf::from(root.trim_end_matches('\n')),
            Err(GitError::Failed { .. }) => return Err(CommitError::NoRepository(cwd.to_owned())),
            Err(error) => return Err(error.into()),
        };
        let git = git.at(&root);
        let place = async |name: &str| {
            let path = git.ask(&["rev-parse", "--git-path", name]).await?;
            Ok::<_, GitError>(root.join(path.trim_end_matches('\n')))
        };
        let (index, objects) = (place("index").await?, place("objects").await?);
        let mut staging = Self { git, index, before: None, aside: None };
        if !staging.names().await?.is_empty() {
            return Ok(staging);
        }
        match dry {
            true => staging = staging.set_aside(&objects)?,
            false => staging.before = Some(read(&staging.index)?),
        }
        if let Err(error) = staging.git.ask(&["add", "--all"]).await {
            staging.undo()?;
            return Err(error.into());
        }
        Ok(staging)
    }

    /// Copies the index, and lets new objects go elsewhere.
    fn set_aside(mut self, objects: &Path) -> Result<Self, CommitError> {
        let aside = TempDir::with_prefix("omp-commit-").map_err(CommitError::Aside)?;
        let copy = aside.path().join("index");
        if let Some(bytes) = read(&self.index)? {
            std::fs::write(&copy, bytes).map_err(CommitError::Aside)?;
        }
        let new = aside.path().join("objects");
        std::fs::create_dir(&new).map_err(CommitError::Aside)?;
        self.git = self
            .git
            .with("GIT_INDEX_FILE", copy)
            .with("GIT_OBJECT_DIRECTORY", new)
            .with("GIT_ALTERNATE_OBJECT_DIRECTORIES", objects);
        self.aside = Some(aside);
        Ok(self)
    }

    /// Puts the index back as it was.
    pub(crate) fn undo(&mut self) -> Result<(), CommitError> {
        let Some(before) = self.before.take() else { return Ok(()) };
        let restored = match before {
            Some(bytes) => std::fs::write(&self.index, bytes),
            None => std::fs::remove_file(&self.index),
        };
        restored.map_err(|source| CommitError::Index { path: self.index.clone(), source })
    }

    /// Remembers the index, before anything else goes into it.
    pub(crate) fn keep_index(&mut self) -> Result<(), CommitError> {
        if self.before.is_none() {
            self.before = Some(read(&self.index)?);
        }
        Ok(())
    }

    async fn names(&self) -> Result<Vec<String>, GitError> {
        let names = self.git.ask(&["diff", "--cached", "--name-only", "-z", "--no-ext-diff"]).await?;
        Ok(names.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect())
    }

    /// What there is to commit; `None` if there is nothing.
    pub(crate) async fn changes(&self, changelogs: bool) -> Result<Option<Changes>, CommitError> {
        let files = self.names().await?;
        if files.is_empty() {
            return Ok(None);
        }
        let listing = self.git.ask(&[&DIFF[..], &["--stat=120", "--summary"]].concat()).await?;
        let diff = self.git.ask(&DIFF).await?;
        // A repository without commits has no earlier messages.
        let earlier = self.git.ask(&["log", EARLIER, "--no-merges", "--format=%s"]).await.unwrap_or_default();
        let mut remarks = Vec::new();
        let changelogs = match changelogs {
            true => self.changelogs(&files, &mut remarks).await?,
            false => Vec::new(),
        };
        let whole = diff.len() <= MOST_DIFF;
        let (listing, diff) = (cut(listing, MOST_LISTED), cut(diff, MOST_DIFF));
        Ok(Some(Changes { files, listing, diff, whole, earlier, changelogs, remarks }))
    }

    /// What changed in some files.
    pub(crate) async fn diff_of(&self, paths: &[String]) -> Result<String, GitError> {
        let mut arguments: Vec<String> = DIFF.iter().map(|word| (*word).to_owned()).collect();
        arguments.push("--".to_owned());
        arguments.extend(paths.iter().map(|path| format!(":(top,literal){path}")));
        Ok(cut(self.git.ask(&arguments).await?, MOST_DIFF))
    }

    /// The nearest changelog of each file that has a place for news. One that the user changed is the user's.
    async fn changelogs(
        &self,
        files: &[String],
        remarks: &mut Vec<String>,
    ) -> Result<Vec<Changelog>, CommitError> {
        let root = self.git.cwd();
        let mut found: Vec<Changelog> = Vec::new();
        for file in files {
            let near = Path::new(file).ancestors().skip(1).map(|directory| directory.join(CHANGELOG));
            let Some(near) = near.into_iter().find(|path| root.join(path).is_file()) else { continue };
            let path = near.to_string_lossy().into_owned();
            if files.contains(&path) || found.iter().any(|known| known.path == path) {
                continue;
            }
            let state =
                self.git.ask(&["status", "--porcelain", "--", &format!(":(top,literal){path}")]).await?;
            if !state.trim().is_empty() {
                remarks.push(format!("{path} has unstaged changes, so it was not updated"));
                continue;
            }
            let Ok(text) = std::fs::read_to_string(root.join(&path)) else { continue };
            if super::changelog::insert(&text, &[]).is_some() {
                found.push(Changelog { path, text });
            }
        }
        Ok(found)
    }
}

fn read(path: &Path) -> Result<Option<Vec<u8>>, CommitError> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(CommitError::Index { path: path.to_owned(), source }),
    }
}

/// The beginning of a text, up to a whole line.
fn cut(mut text: String, most: usize) -> String {
    if text.len() > most {
        let end = text.floor_char_boundary(most);
        let end = text[..end].rfind('\n').map_or(end, |line| line + 1);
        text.truncate(end);
        text.push_str("[truncated]\n");
    }
    text
}
