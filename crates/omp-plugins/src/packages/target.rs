//! What somebody wants to install, from what was typed.

use std::path::{Path, PathBuf};

use omp_config::expand_home;
use omp_config::packages::is_package_name;
use thiserror::Error;

use crate::git::{GitSource, Revision};

/// Characters that mean something to a shell and nothing to a name, an address or a version.
const SHELL: &[char] =
    &[';', '&', '|', '`', '$', '(', ')', '{', '}', '<', '>', '\\', '"', '\'', '\n', '\r', '\t', '\0'];
/// Tags of registries, which are never names of marketplaces.
const TAGS: [&str; 10] =
    ["latest", "next", "beta", "alpha", "canary", "rc", "dev", "stable", "nightly", "experimental"];
/// Short names of hosts of repositories.
const HOSTS: [(&str, &str); 6] = [
    ("github", "github.com"),
    ("gitlab", "gitlab.com"),
    ("bitbucket", "bitbucket.org"),
    ("codeberg", "codeberg.org"),
    ("sourcehut", "git.sr.ht"),
    ("srht", "git.sr.ht"),
];

/// Something to install.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstallTarget {
    pub source: InstallSource,
    pub features: FeatureChoice,
}

/// Where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InstallSource {
    /// A directory, which is linked.
    Path(PathBuf),
    /// A plugin of a marketplace that the user has added.
    Marketplace { plugin: String, marketplace: String },
    /// A repository.
    Git { source: GitSource, revision: Revision, typed: String },
    /// A package of a registry; the range is a version, a tag or a range of versions.
    Registry { name: String, range: Option<String> },
}

/// Optional parts of a package.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FeatureChoice {
    /// Those that the package says, or that were chosen before.
    #[default]
    Unsaid,
    /// All of them.
    All,
    /// These; none if the list is empty.
    These(Vec<String>),
}

/// What cannot be installed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum TargetError {
    #[error("nothing to install: name a package, a repository or a directory")]
    Empty,
    #[error("{0:?} has characters that no package, repository or directory needs")]
    Shell(String),
    #[error("{0:?} is not a package name (for a directory: ./{0}; for a repository: github:owner/name)")]
    Name(String),
    #[error("{0:?} is not the address of a repository (use github:owner/name, https://… or git@host:path)")]
    Repository(String),
}

impl InstallTarget {
    /// `is_marketplace` knows the marketplaces that the user has added.
    pub fn parse(
        typed: &str,
        cwd: &Path,
        home: &Path,
        is_marketplace: &dyn Fn(&str) -> bool,
    ) -> Result<Self, TargetError> {
        let typed = typed.trim();
        if typed.is_empty() {
            return Err(TargetError::Empty);
        }
        if is_path(typed) {
            let path = cwd.join(expand_home(typed, home));
            let source = InstallSource::Path(if typed == "~" { home.to_owned() } else { path });
            return Ok(Self { source, features: FeatureChoice::Unsaid });
        }
        let (spec, features) = split_features(typed)?;
        // A range may well say less and more.
        let is_odd = |c: char| SHELL.contains(&c) && !(matches!(c, '<' | '>') && spec.contains('@'));
        if spec.chars().any(|c| is_odd(c) || c.is_control()) || spec.starts_with('-') {
            return Err(TargetError::Shell(typed.to_owned()));
        }
        if let Some(source) = repository(&spec)? {
            return Ok(Self { source, features });
        }
        let spec = spec.strip_prefix("npm:").unwrap_or(&spec);
        let (name, range) = match spec.char_indices().skip(1).find(|(_, c)| *c == '@') {
            Some((at, _)) => (&spec[..at], Some(spec[at + 1..].to_owned()).filter(|range| !range.is_empty())),
            None => (spec, None),
        };
        if let Some(marketplace) =
            range.as_deref().filter(|range| !is_version(range) && is_marketplace(range))
            && !name.starts_with('@')
        {
            let source =
                InstallSource::Marketplace { plugin: name.to_owned(), marketplace: marketplace.to_owned() };
            return Ok(Self { source, features });
        }
        if !is_package_name(name) {
            return Err(TargetError::Name(name.to_owned()));
        }
        Ok(Self { source: InstallSource::Registry { name: name.to_owned(), range }, features })
    }
}

fn is_path(typed: &str) -> bool {
    matches!(typed, "." | ".." | "~") || ["./", "../", "/", "~/"].iter().any(|start| typed.starts_with(start))
}

fn is_version(text: &str) -> bool {
    TAGS.contains(&text) || text.starts_with(|c: char| c.is_ascii_digit() || "~^<>=*".contains(c))
}

/// The features in brackets at the end.
fn split_features(typed: &str) -> Result<(String, FeatureChoice), TargetError> {
    let Some(inner) = typed.strip_suffix(']') else {
        return match typed.contains(['[', ']']) {
            true => Err(TargetError::Shell(typed.to_owned())),
            false => Ok((typed.to_owned(), FeatureChoice::Unsaid)),
        };
    };
    let Some((spec, inner)) = inner.rsplit_once('[') else {
        return Err(TargetError::Shell(typed.to_owned()));
    };
    if spec.contains(['[', ']']) || inner.contains(SHELL) {
        return Err(TargetError::Shell(typed.to_owned()));
    }
    let choice = match inner.trim() {
        "*" => FeatureChoice::All,
        names => {
            let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
            FeatureChoice::These(names.map(str::to_owned).collect())
        }
    };
    Ok((spec.to_owned(), choice))
}

/// A repository, if that is what was typed.
fn repository(spec: &str) -> Result<Option<InstallSource>, TargetError> {
    let (address, reference) = match spec.split_once('#') {
        Some((address, reference)) => (address, Some(reference.to_owned()).filter(|it| !it.is_empty())),
        None => (spec, None),
    };
    let short = address.split_once(':').and_then(|(host, path)| {
        let (_, host) = HOSTS.iter().find(|(name, _)| host.eq_ignore_ascii_case(name))?;
        Some((host, path))
    });
    let source = match short {
        Some((host, path)) => {
            let path = path.trim_end_matches('/').trim_end_matches(".git");
            let known = |c: char| c.is_ascii_alphanumeric() || "-_.~".contains(c);
            let is_part = |part: &str| {
                !part.is_empty() && part != ".." && !part.starts_with('-') && part.chars().all(known)
            };
            if path.split('/').count() < 2 || !path.split('/').all(is_part) {
                return Err(TargetError::Repository(spec.to_owned()));
            }
            let ending = if *host == "git.sr.ht" { "" } else { ".git" };
            GitSource::remote(&format!("https://{host}/{path}{ending}"))
        }
        None if address.contains("://")
            || (address.contains(':') && address.contains('@') && !address.starts_with("npm:")) =>
        {
            GitSource::remote(address)
        }
        None => return Ok(None),
    };
    let source = source.map_err(|invalid| TargetError::Repository(invalid.0))?;
    let typed = match &reference {
        Some(reference) => {
            format!("{}#{reference}", short.map_or_else(|| source.shown(), |_| address.to_owned()))
        }
        None => short.map_or_else(|| source.shown(), |_| address.to_owned()),
    };
    let sha = reference.clone().filter(|name| crate::git::is_commit(name));
    let reference = reference.filter(|_| sha.is_none());
    Ok(Some(InstallSource::Git { source, revision: Revision { reference, sha }, typed }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(typed: &str) -> Result<InstallTarget, TargetError> {
        InstallTarget::parse(typed, Path::new("/work"), Path::new("/home/me"), &|name| {
            matches!(name, "team" | "latest" | "1.0")
        })
    }

    fn class(typed: &str) -> String {
        match parsed(typed).unwrap().source {
            InstallSource::Path(path) => format!("path {}", path.display()),
            InstallSource::Marketplace { plugin, marketplace } => {
                format!("marketplace {marketplace}: {plugin}")
            }
            InstallSource::Git { source, revision, .. } => {
                let at =
                    revision.reference.or(revision.sha).map(|at| format!(" at {at}")).unwrap_or_default();
                format!("git {}{at}", source.shown())
            }
            InstallSource::Registry { name, range } => {
                format!("registry {name} {}", range.unwrap_or_default())
            }
        }
    }

    // proves: HOK-098
    #[test]
    fn what_is_typed_is_told_apart() {
        for (typed, expected) in [
            ("./plugin", "path /work/./plugin"),
            ("~/plugin", "path /home/me/plugin"),
            ("/plugin[x]", "path /plugin[x]"),
            (".", "path /work/."),
            ("review@team", "marketplace team: review"),
            ("review@latest", "registry review latest"),
            ("review@1.0", "registry review 1.0"),
            ("review@^2", "registry review ^2"),
            ("review@other", "registry review other"),
            ("@scope/review@team", "registry @scope/review team"),
            ("@scope/review", "registry @scope/review "),
            ("review", "registry review "),
            ("npm:review@1.2.3", "registry review 1.2.3"),
            ("review@>=1.0.0", "registry review >=1.0.0"),
            ("github:a/b", "git https://github.com/a/b.git"),
            ("GitHub:a/b.git#v1", "git https://github.com/a/b.git at v1"),
            ("gitlab:group/sub/b", "git https://gitlab.com/group/sub/b.git"),
            ("bitbucket:a/b", "git https://bitbucket.org/a/b.git"),
            ("codeberg:a/b", "git https://codeberg.org/a/b.git"),
            ("sourcehut:~a/b", "git https://git.sr.ht/~a/b"),
            ("srht:~a/b", "git https://git.sr.ht/~a/b"),
            ("https://example.com/a/b.git#main", "git https://example.com/a/b.git at main"),
            ("git+https://example.com/a/b", "git https://example.com/a/b"),
            ("ssh://git@example.com/a", "git ssh://example.com/a"),
            ("git@example.com:a/b.git", "git git@example.com:a/b.git"),
        ] {
            assert_eq!(class(typed), expected, "{typed}");
        }
    }

    // proves: HOK-100
    #[test]
    fn features_are_in_brackets() {
        let these =
            |names: &[&str]| FeatureChoice::These(names.iter().map(|name| (*name).to_owned()).collect());
        for (typed, expected) in [
            ("pkg", FeatureChoice::Unsaid),
            ("pkg[*]", FeatureChoice::All),
            ("pkg[]", these(&[])),
            ("pkg[a, b]", these(&["a", "b"])),
            ("@scope/pkg@1.2.3[a]", these(&["a"])),
            ("github:a/b#main[x]", these(&["x"])),
        ] {
            assert_eq!(parsed(typed).unwrap().features, expected, "{typed}");
        }
    }

    // proves: HOK-101
    #[test]
    fn shells_have_no_say() {
        for typed in [
            "pkg;rm -rf /",
            "pkg|x",
            "$(x)",
            "`x`",
            "pkg&x",
            "pkg\nx",
            "{a,b}",
            "pkg>x",
            "a\\b",
            "--registry=x",
            "github:a/b;c",
            "https://h/a$(x)",
            "pkg[a;b]",
            "pkg]x[",
        ] {
            assert!(matches!(parsed(typed), Err(TargetError::Shell(_))), "{typed}: {:?}", parsed(typed));
        }
        for typed in ["../x y", "github:../b", "github:a", "a/b", "..", "ext::sh@x:y"] {
            let result = parsed(typed);
            assert!(result.is_err() || matches!(result.unwrap().source, InstallSource::Path(_)), "{typed}");
        }
    }
}
