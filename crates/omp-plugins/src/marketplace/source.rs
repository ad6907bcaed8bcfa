//! Where a marketplace is, in the forms that people write.

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::git::{GitSource, Revision, is_github};

/// Where the catalogue of a marketplace comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MarketplaceSource {
    /// `owner/repo` on GitHub, with a branch or tag after `#`.
    GitHub(String),
    /// The address of a repository, with a branch or tag after `#`.
    Git(String),
    /// The address of a catalogue.
    Url(String),
    /// A directory.
    Local(PathBuf),
}

/// What is no marketplace.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{typed:?} is not a marketplace: {hint}")]
pub struct InvalidMarketplaceSource {
    /// What was typed.
    pub typed: String,
    hint: String,
}

impl MarketplaceSource {
    /// Reads what somebody typed in `cwd`.
    pub fn parse(typed: &str, home: &Path, cwd: &Path) -> Result<Self, InvalidMarketplaceSource> {
        let typed = typed.trim();
        let invalid = |hint: String| InvalidMarketplaceSource { typed: typed.to_owned(), hint };
        if let Some(below) = typed.strip_prefix("~/") {
            return Ok(Self::Local(tidy(&home.join(below))));
        }
        if typed.starts_with('/') || typed.starts_with("./") || typed == "." {
            return Ok(Self::Local(tidy(&cwd.join(typed))));
        }
        let path = typed.split(['?', '#']).next().unwrap_or_default();
        if (typed.starts_with("https://") || typed.starts_with("http://")) && path.ends_with(".json") {
            let odd = typed.chars().any(|c| c.is_control() || c.is_whitespace());
            return if odd {
                Err(invalid("the address has blanks".to_owned()))
            } else {
                Ok(Self::Url(typed.to_owned()))
            };
        }
        let (repository, _) = with_reference(typed);
        if is_github(repository) {
            return Ok(Self::GitHub(typed.to_owned()));
        }
        if GitSource::remote(repository).is_ok() {
            return Ok(Self::Git(typed.to_owned()));
        }
        if !typed.is_empty() && cwd.join(typed).is_dir() {
            return Err(invalid(format!("for a directory use ./{typed}")));
        }
        Err(invalid(
            "use owner/repo, a git URL, the URL of a .json file, or a path such as ./team".to_owned(),
        ))
    }

    /// As it is recorded: what sort of source it is, and where.
    pub fn to_record(&self) -> (&'static str, String) {
        match self {
            Self::GitHub(typed) => ("github", typed.clone()),
            Self::Git(typed) => ("git", typed.clone()),
            Self::Url(typed) => ("url", typed.clone()),
            Self::Local(path) => ("local", path.display().to_string()),
        }
    }

    /// What [`Self::to_record`] wrote.
    pub fn from_record(sort: &str, place: &str) -> Option<Self> {
        Some(match sort {
            "github" => Self::GitHub(place.to_owned()),
            "git" => Self::Git(place.to_owned()),
            "url" => Self::Url(place.to_owned()),
            "local" if Path::new(place).is_absolute() => Self::Local(PathBuf::from(place)),
            _ => return None,
        })
    }

    /// The repository and its state, if it is one.
    pub fn git(&self) -> Option<(GitSource, Revision)> {
        let (source, reference) = match self {
            Self::GitHub(typed) => {
                let (repository, reference) = with_reference(typed);
                (GitSource::github(repository).ok()?, reference)
            }
            Self::Git(typed) => {
                let (repository, reference) = with_reference(typed);
                (GitSource::remote(repository).ok()?, reference)
            }
            Self::Url(_) | Self::Local(_) => return None,
        };
        Some((source, Revision { reference: reference.map(str::to_owned), sha: None }))
    }

    /// Is its catalogue fetched again without being asked? A catalogue at an address is not: whoever answers there would learn
    /// when omp is started.
    pub fn is_refreshed_alone(&self) -> bool {
        !matches!(self, Self::Url(_))
    }

    /// For people.
    pub fn shown(&self) -> String {
        match self {
            Self::Git(_) => self.git().map(|(source, _)| source.shown()).unwrap_or_default(),
            other => other.to_record().1,
        }
    }
}

fn with_reference(typed: &str) -> (&str, Option<&str>) {
    match typed.split_once('#') {
        Some((repository, reference)) if !reference.is_empty() => (repository, Some(reference)),
        _ => (typed, None),
    }
}

/// Without `.` and what `..` leaves, as far as the disk has no say in it.
fn tidy(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.components().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: HOK-076
    #[test]
    fn every_form_is_told_by_how_it_looks() {
        let scratch = tempfile::tempdir().unwrap();
        let cwd = scratch.path().canonicalize().unwrap();
        std::fs::create_dir(cwd.join("team")).unwrap();
        let home = Path::new("/home/me");
        let parse = |typed: &str| MarketplaceSource::parse(typed, home, &cwd);
        assert_eq!(parse("owner/repo"), Ok(MarketplaceSource::GitHub("owner/repo".into())));
        assert_eq!(parse("owner/repo#v2"), Ok(MarketplaceSource::GitHub("owner/repo#v2".into())));
        for git in ["https://host/a/b.git", "https://host/a/b", "ssh://git@host/a", "git@host:a/b.git"] {
            assert_eq!(parse(git), Ok(MarketplaceSource::Git(git.into())));
        }
        for url in ["https://host/market.json", "https://host/m.json?x=1"] {
            assert_eq!(parse(url), Ok(MarketplaceSource::Url(url.into())));
        }
        assert_eq!(parse("./team"), Ok(MarketplaceSource::Local(cwd.join("team"))));
        assert_eq!(parse("~/market"), Ok(MarketplaceSource::Local("/home/me/market".into())));
        assert_eq!(parse("/srv/market"), Ok(MarketplaceSource::Local("/srv/market".into())));
        let said = |typed: &str| parse(typed).unwrap_err().to_string();
        assert_eq!(said("team"), "\"team\" is not a marketplace: for a directory use ./team");
        for bad in ["", "nothing", "ext::sh -c x", "file:///etc", "a/b/c", "npm:x", "https://"] {
            assert!(said(bad).contains("use owner/repo, a git URL"), "{bad}: {}", said(bad));
        }
        let recorded = parse("./team").unwrap();
        let (sort, place) = recorded.to_record();
        assert_eq!(MarketplaceSource::from_record(sort, &place), Some(recorded));
        let pinned = MarketplaceSource::GitHub("owner/repo#v2".into());
        assert_eq!(pinned.git().unwrap().1.reference.as_deref(), Some("v2"));
    }
}
