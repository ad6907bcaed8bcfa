//! Which session is meant: by `--resume`, `--fork` and `--continue`.

use std::path::{Path, PathBuf};

use crate::layout::{self, EXTENSION};
use crate::list::{Candidate, candidates, first};
use crate::sessions::Sessions;
use crate::slice;

/// A session that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    pub path: PathBuf,
    pub origin: Origin,
}

/// Where a session was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Named by its path, which need not exist.
    Path,
    ThisProject,
    /// It belongs to another directory, so continuing with it here needs a copy.
    OtherProject(PathBuf),
    /// The directory it belongs to is gone, so it may be moved here.
    Orphaned(PathBuf),
}

/// Why a session is not resumed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    #[error("Session \"{0}\" not found.")]
    NotFound(String),
    #[error(
        "session \"{value}\" is in another project, {}; run omp there, or copy the session here with \
         --fork {value}",
        cwd.display()
    )]
    OtherProject { value: String, cwd: PathBuf },
    #[error(
        "session \"{value}\" belongs to {}, which no longer exists; copy the session here with --fork \
         {value}",
        cwd.display()
    )]
    Orphaned { value: String, cwd: PathBuf },
    #[error("Resume cancelled: session is in another project.")]
    Cancelled,
}

impl Origin {
    /// What to ask before continuing with the session here; the capital letter is the answer of an empty line.
    pub fn question(&self) -> Option<String> {
        match self {
            Self::Path | Self::ThisProject => None,
            Self::OtherProject(cwd) => {
                Some(format!("Session found in {}. Fork into current directory? [y/N]", cwd.display()))
            }
            Self::Orphaned(cwd) => Some(format!(
                "Session found in {}, which no longer exists. Move (re-root) it into the current directory? [Y/n]",
                cwd.display()
            )),
        }
    }
}

impl Resolved {
    /// The path, when nothing has to be asked; the error for when nobody can be asked.
    pub fn without_asking(self, value: &str) -> Result<PathBuf, ResolveError> {
        let value = value.to_owned();
        match self.origin {
            Origin::Path | Origin::ThisProject => Ok(self.path),
            Origin::OtherProject(cwd) => Err(ResolveError::OtherProject { value, cwd }),
            Origin::Orphaned(cwd) => Err(ResolveError::Orphaned { value, cwd }),
        }
    }
}

/// What `--continue` continues with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Continue {
    Resume(PathBuf),
    /// This terminal's last session belongs to a directory that was moved or renamed, and this project has none.
    Move(PathBuf),
    New,
}

impl Sessions {
    /// Finds the session for `--resume <value>` or `--fork <value>`.
    ///
    /// What looks like a path is one. Else the value is the beginning of an id or of a file's name, in any case;
    /// this project comes before the others, and the most recently modified match wins.
    pub fn resolve(&self, cwd: &Path, value: &str) -> Result<Resolved, ResolveError> {
        if value.contains(['/', '\\']) || value.ends_with(".jsonl") {
            return Ok(Resolved { path: self.named_path(cwd, value), origin: Origin::Path });
        }
        let key = value.to_lowercase();
        let here = find(&candidates(&[self.dir_for(cwd)]), &key);
        if let Some((path, belongs)) = here {
            let origin = if belongs.is_dir() { Origin::ThisProject } else { Origin::Orphaned(belongs) };
            return Ok(Resolved { path, origin });
        }
        let elsewhere = if self.explicit.is_none() { find(&self.all_candidates(), &key) } else { None };
        let Some((path, belongs)) = elsewhere else { return Err(ResolveError::NotFound(value.to_owned())) };
        let origin = match belongs {
            gone if !gone.is_dir() => Origin::Orphaned(gone),
            same if layout::real(&same) == layout::real(cwd) => Origin::ThisProject,
            other => Origin::OtherProject(other),
        };
        Ok(Resolved { path, origin })
    }

    fn named_path(&self, cwd: &Path, value: &str) -> PathBuf {
        match value.strip_prefix("~/") {
            Some(below) => self.root.home().join(below),
            None => cwd.join(value),
        }
    }

    /// What `--continue` continues with: this terminal's last session here, else the project's newest.
    pub fn continue_recent(&self, cwd: &Path, terminal: Option<&str>) -> Continue {
        let crumb = terminal.and_then(|terminal| self.breadcrumb(terminal));
        let crumb = crumb.filter(|crumb| self.may_hold(&crumb.session) && is_session(&crumb.session));
        if let Some(crumb) = &crumb
            && layout::real(&crumb.cwd) == layout::real(cwd)
        {
            return Continue::Resume(crumb.session.clone());
        }
        if let Some(newest) = self.newest(cwd) {
            return Continue::Resume(newest);
        }
        match crumb {
            Some(crumb) if !crumb.cwd.exists() => Continue::Move(crumb.session),
            _ => Continue::New,
        }
    }

    /// With a directory of the user's choice, sessions elsewhere are none of our business.
    fn may_hold(&self, session: &Path) -> bool {
        let directory = session.parent().map(layout::real);
        self.explicit.as_ref().is_none_or(|explicit| Some(layout::real(explicit)) == directory)
    }

    fn newest(&self, cwd: &Path) -> Option<PathBuf> {
        let files = candidates(&[self.dir_for(cwd)]);
        files.into_iter().find(|file| matches!(file.head(), Ok(Some(_)))).map(|file| file.path)
    }
}

/// Can the file be gone on with? It may have been replaced by something else since it was opened last.
fn is_session(path: &Path) -> bool {
    path.is_file() && matches!(slice::header_of(path), Ok(Some(_)))
}

/// The first file that `key` means, and the directory its session belongs to.
fn find(files: &[Candidate], key: &str) -> Option<(PathBuf, PathBuf)> {
    if key.is_empty() {
        return None;
    }
    // A name is looked at without opening the file, so all of them are; what is in a file is looked at in recent ones.
    let looked_into = first(files).len();
    files.iter().enumerate().find_map(|(place, file)| {
        let named = name_begins(&file.path, key);
        if !named && place >= looked_into {
            return None;
        }
        let head = file.head().ok().flatten()?;
        let meant = named || head.header.id.to_lowercase().starts_with(key);
        meant.then(|| (file.path.clone(), head.header.cwd.into()))
    })
}

/// `<timestamp>_<id>`: both the whole and the id alone count.
fn name_begins(path: &Path, key: &str) -> bool {
    debug_assert!(path.extension().is_some_and(|extension| extension == EXTENSION));
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let id = name.split_once('_').map_or("", |(_, id)| id);
    name.starts_with(key) || id.starts_with(key)
}
