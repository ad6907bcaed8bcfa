//! Where a repository is, in the forms that people write.

use std::fmt;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A repository that can be cloned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GitSource {
    /// An address, as git reads it.
    Remote(RemoteSource),
    /// A directory of this machine.
    Local(PathBuf),
}

/// An address of a repository on another machine.
#[derive(Clone, PartialEq, Eq)]
pub struct RemoteSource {
    url: String,
    protocol: &'static str,
}

/// What is no address of a repository.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0:?} is not the address of a git repository (use https://, ssh:// or git@host:path)")]
pub struct InvalidSource(pub String);

/// It may have a password.
impl fmt::Debug for RemoteSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "RemoteSource({:?})", without_user(&self.url))
    }
}

const SCHEMES: [(&str, &str); 4] =
    [("https://", "https"), ("http://", "http"), ("ssh://", "ssh"), ("git://", "git")];

impl GitSource {
    /// An address with a scheme, or in the short form of ssh. Transports that run commands are none.
    pub fn remote(typed: &str) -> Result<Self, InvalidSource> {
        let invalid = || InvalidSource(without_user(typed));
        let url = typed.strip_prefix("git+").unwrap_or(typed);
        if url.len() > 2048 || url.contains("::") || url.chars().any(|c| c.is_control() || c.is_whitespace())
        {
            return Err(invalid());
        }
        if let Some((scheme, protocol)) = SCHEMES.iter().find(|(scheme, _)| url.starts_with(scheme)) {
            let host = url[scheme.len()..].split('/').next().unwrap_or_default();
            let host = host.rsplit('@').next().unwrap_or_default();
            return match host.is_empty() || host.starts_with('-') {
                true => Err(invalid()),
                false => Ok(Self::Remote(RemoteSource { url: url.to_owned(), protocol })),
            };
        }
        match is_short_ssh(url) {
            true => Ok(Self::Remote(RemoteSource { url: url.to_owned(), protocol: "ssh" })),
            false => Err(invalid()),
        }
    }

    /// `owner/repo` on GitHub.
    pub fn github(repository: &str) -> Result<Self, InvalidSource> {
        match is_github(repository) {
            true => Self::remote(&format!("https://github.com/{repository}.git")),
            false => Err(InvalidSource(repository.to_owned())),
        }
    }

    /// A directory of this machine.
    pub fn local(path: &Path) -> Self {
        Self::Local(path.to_owned())
    }

    /// What git is given.
    pub(super) fn as_git_reads_it(&self) -> String {
        match self {
            Self::Remote(remote) => remote.url.clone(),
            Self::Local(path) => path.display().to_string(),
        }
    }

    pub(super) fn protocol(&self) -> &'static str {
        match self {
            // Servers send those who come without encryption there.
            Self::Remote(remote) if remote.protocol == "http" => "http:https",
            Self::Remote(remote) => remote.protocol,
            Self::Local(_) => "file",
        }
    }

    /// For people: without a user and a password.
    pub fn shown(&self) -> String {
        match self {
            Self::Remote(remote) => without_user(&remote.url),
            Self::Local(path) => path.display().to_string(),
        }
    }
}

/// Is this `owner/repo`?
pub(crate) fn is_github(typed: &str) -> bool {
    let is_name = |name: &str| {
        let known = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        !name.is_empty() && name.len() <= 100 && name.chars().all(known) && !name.starts_with(['.', '-'])
    };
    matches!(typed.split_once('/'), Some((owner, name)) if is_name(owner) && is_name(name))
}

/// `git@host:path`
fn is_short_ssh(url: &str) -> bool {
    let Some((user, rest)) = url.split_once('@') else { return false };
    let Some((host, path)) = rest.split_once(':') else { return false };
    let is_word = |word: &str| {
        let known = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        !word.is_empty() && word.chars().all(known) && !word.starts_with('-')
    };
    is_word(user) && is_word(host) && !path.is_empty() && !path.starts_with('-')
}

/// An address without the user and password that it may have.
fn without_user(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = host.rsplit('@').next().unwrap_or(host);
    format!("{scheme}://{host}{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_from_commands() {
        for good in [
            "https://example.com/a/b.git",
            "git+https://example.com/a/b",
            "ssh://git@example.com:2222/a",
            "git@example.com:a/b.git",
        ] {
            assert!(GitSource::remote(good).is_ok(), "{good}");
        }
        for bad in [
            "ext::sh -c touch% x",
            "https://",
            "ssh://-oProxyCommand=x/a",
            "git@-x:a",
            "-u@host:x",
            "file:///etc",
            "/etc",
            "https://a b/c",
            "https://a\u{1b}[31m/c",
            "fd::17",
        ] {
            assert!(GitSource::remote(bad).is_err(), "{bad}");
        }
        assert_eq!(GitSource::remote("https://me:secret@host/x").unwrap().shown(), "https://host/x");
        let debug = format!("{:?}", GitSource::remote("https://me:secret@host/x"));
        assert!(!debug.contains("secret"), "{debug}");
        let said = GitSource::remote("https://me:secret@-host/x").unwrap_err().to_string();
        assert!(!said.contains("secret"), "{said}");
        assert_eq!(GitSource::github("a/b").unwrap().shown(), "https://github.com/a/b.git");
        for bad in ["a", "a/b/c", "../b", "a/..", "a b/c", "-a/b", "/b"] {
            assert!(GitSource::github(bad).is_err(), "{bad}");
        }
    }
}
