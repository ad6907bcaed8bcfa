//! From the words of a URL to a file inside a skill.

use std::io;
use std::path::{Component, Path, PathBuf};

use omp_config::discovery::Skill;
use omp_workspace::open::Special;

use super::UrlError;

/// Every scheme of internal URLs.
pub const SCHEMES: [&str; 12] = [
    "agent", "artifact", "history", "issue", "local", "mcp", "memory", "omp", "pr", "rule", "skill", "vault",
];

pub use omp_workspace::path::percent_decoded as decode;

/// The file or directory that `inside` names in the skill, without symbolic links.
pub(super) fn in_skill(url: &str, skill: &Skill, inside: &str) -> Result<PathBuf, UrlError> {
    // The SKILL.md itself may be a link to anywhere: discovery has read it there already.
    if inside.is_empty() {
        return existing(url, &skill.file);
    }
    refuse_tricks(url, inside)?;
    let base = existing(url, &skill.base)?;
    let path = existing(url, &skill.base.join(inside))?;
    if path.starts_with(&base) {
        Ok(path)
    } else {
        Err(UrlError::Escape { url: url.to_owned(), base: skill.base.clone() })
    }
}

/// Paths that are wrong before anything is looked at. Backslashes count as slashes: they are never meant otherwise.
fn refuse_tricks(url: &str, inside: &str) -> Result<(), UrlError> {
    let slashes = inside.replace('\\', "/");
    let has_drive = slashes.as_bytes().get(1..3) == Some(b":/");
    if slashes.starts_with('/') || has_drive {
        return Err(UrlError::Absolute { url: url.to_owned() });
    }
    let climbs = |component: Component| component == Component::ParentDir;
    if Path::new(&slashes).components().any(climbs) {
        return Err(UrlError::Traversal { url: url.to_owned() });
    }
    Ok(())
}

/// The path without links, if a regular file or a directory is there.
fn existing(url: &str, path: &Path) -> Result<PathBuf, UrlError> {
    let unreadable =
        |source: io::Error| UrlError::Unreadable { url: url.to_owned(), path: path.to_owned(), source };
    let real = path.canonicalize().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            UrlError::NotFound { url: url.to_owned(), path: path.to_owned() }
        }
        _ => unreadable(error),
    })?;
    let kind = real.metadata().map_err(unreadable)?.file_type();
    if kind.is_file() || kind.is_dir() {
        return Ok(real);
    }
    let source = io::Error::other(format!("it is {}", Special::of(kind).name()));
    Err(UrlError::Unreadable { url: url.to_owned(), path: path.to_owned(), source })
}
