//! What the URLs of issues and pull requests mean.

use std::fmt;

/// What a scheme names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ItemKind {
    Issue,
    PullRequest,
}

impl ItemKind {
    /// The scheme of its URLs.
    pub fn scheme(self) -> &'static str {
        match self {
            Self::Issue => "issue",
            Self::PullRequest => "pr",
        }
    }

    /// The states that lists can be limited to.
    fn states(self) -> &'static [&'static str] {
        match self {
            Self::Issue => &["open", "closed", "all"],
            Self::PullRequest => &["open", "closed", "merged", "all"],
        }
    }
}

/// `owner/name`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Repository(String);

impl Repository {
    /// `None` if it cannot be the name of a repository.
    pub fn new(owner: &str, name: &str) -> Option<Self> {
        let word = |text: &str| {
            !text.is_empty()
                && !text.starts_with('-')
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
        };
        (word(owner) && word(name)).then(|| Self(format!("{owner}/{name}")))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Repository {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// A URL, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    pub kind: ItemKind,
    /// That of the working directory if none is named.
    pub repository: Option<Repository>,
    pub target: Target,
}

/// What of a repository is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    List(Filters),
    Item(Item),
    Diff { number: u64, part: DiffPart },
}

/// One issue or pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    pub number: u64,
    pub comments: Comments,
}

/// Whether what others said is wanted too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comments {
    With,
    Without,
}

/// What a list is limited to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filters {
    pub state: Option<String>,
    pub limit: Option<u32>,
    pub author: Option<String>,
    pub label: Option<String>,
}

/// Which part of a diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffPart {
    /// The names of the files.
    Files,
    /// One file, counted from 1.
    File(usize),
    All,
}

/// Why a URL means nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    #[error(
        "invalid URL '{scheme}://{target}': use {scheme}://<number>, {scheme}://<owner>/<repo>/<number>, \
         or {scheme}:// and {scheme}://<owner>/<repo> for lists"
    )]
    Unknown { scheme: &'static str, target: String },
    #[error(
        "only pull requests have a diff: use pr://<number>/diff, pr://<number>/diff/<file number> or \
         pr://<number>/diff/all"
    )]
    NoDiff,
    #[error("'{0}' is not a file number of the diff: numbers start at 1 (list them with diff)")]
    File(String),
    #[error("state={value} is not one of {known}")]
    State { value: String, known: String },
    #[error("limit={0} is not a number from 1 to 100")]
    Limit(String),
}

impl Address {
    /// `target` is what follows `://`, without the query; `query` gives the values of that.
    pub fn parse(
        kind: ItemKind,
        target: &str,
        query: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, AddressError> {
        let unknown = || AddressError::Unknown { scheme: kind.scheme(), target: target.to_owned() };
        let parts: Vec<&str> = target.split('/').filter(|part| !part.is_empty()).collect();
        let (repository, rest) = match parts.as_slice() {
            [] => (None, [].as_slice()),
            [first, rest @ ..] if number(first).is_some() && !is_pair(rest) => (None, parts.as_slice()),
            [owner, name, rest @ ..] => (Some(Repository::new(owner, name).ok_or_else(unknown)?), rest),
            _ => return Err(unknown()),
        };
        let target = match rest {
            [] => Target::List(Filters::parse(kind, query)?),
            [word] => {
                Target::Item(Item { number: number(word).ok_or_else(unknown)?, comments: comments(query) })
            }
            [word, "diff", part @ ..] => {
                let number = number(word).ok_or_else(unknown)?;
                if kind != ItemKind::PullRequest {
                    return Err(AddressError::NoDiff);
                }
                Target::Diff { number, part: DiffPart::parse(part)? }
            }
            _ => return Err(unknown()),
        };
        Ok(Self { kind, repository, target })
    }
}

/// `7/8/9`: an owner may be called 7, and then a repository and a number follow.
fn is_pair(rest: &[&str]) -> bool {
    matches!(rest, [name, number, ..] if *name != "diff" && self::number(number).is_some())
}

fn number(word: &str) -> Option<u64> {
    word.parse().ok().filter(|number| *number > 0)
}

fn comments(query: impl Fn(&str) -> Option<String>) -> Comments {
    match query("comments").as_deref() {
        Some("0" | "false" | "no") => Comments::Without,
        _ => Comments::With,
    }
}

impl Filters {
    fn parse(kind: ItemKind, query: impl Fn(&str) -> Option<String>) -> Result<Self, AddressError> {
        let value = |name: &str| query(name).filter(|value| !value.is_empty());
        let state = value("state").map(|state| state.to_ascii_lowercase());
        if let Some(state) = state.as_ref().filter(|state| !kind.states().contains(&state.as_str())) {
            return Err(AddressError::State { value: state.clone(), known: kind.states().join(", ") });
        }
        let limit = value("limit").map(|text| {
            let limit = text.parse().ok().filter(|limit| (1..=100).contains(limit));
            limit.ok_or(AddressError::Limit(text))
        });
        Ok(Self { state, limit: limit.transpose()?, author: value("author"), label: value("label") })
    }
}

impl DiffPart {
    fn parse(parts: &[&str]) -> Result<Self, AddressError> {
        match parts {
            [] => Ok(Self::Files),
            ["all"] => Ok(Self::All),
            [index] => match index.parse() {
                Ok(index) if index > 0 => Ok(Self::File(index)),
                _ => Err(AddressError::File((*index).to_owned())),
            },
            _ => Err(AddressError::File(parts.join("/"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(kind: ItemKind, url: &str) -> Result<Address, AddressError> {
        let (target, query) = url.split_once('?').unwrap_or((url, ""));
        let pairs: Vec<(&str, &str)> = query.split('&').filter_map(|pair| pair.split_once('=')).collect();
        let value =
            |name: &str| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        Address::parse(kind, target, value)
    }

    #[test]
    fn forms() {
        let item = |comments| Target::Item(Item { number: 7, comments });
        let repository = Repository::new("o", "r.x");
        for (url, repository, target) in [
            ("7", None, item(Comments::With)),
            ("7/", None, item(Comments::With)),
            ("7?comments=0", None, item(Comments::Without)),
            ("o/r.x/7", repository.clone(), item(Comments::With)),
            ("", None, Target::List(Filters::default())),
            ("o/r.x", repository.clone(), Target::List(Filters::default())),
            ("7/diff", None, Target::Diff { number: 7, part: DiffPart::Files }),
            ("7/diff/3", None, Target::Diff { number: 7, part: DiffPart::File(3) }),
            ("o/r.x/7/diff/all", repository, Target::Diff { number: 7, part: DiffPart::All }),
            ("9/9/7", Repository::new("9", "9"), item(Comments::With)),
        ] {
            let kind = ItemKind::PullRequest;
            assert_eq!(parse(kind, url), Ok(Address { kind, repository, target }), "{url}");
        }
    }

    #[test]
    fn lists() {
        let found = parse(ItemKind::PullRequest, "o/r?state=Merged&limit=5&author=ann&label=bug").unwrap();
        let filters = Filters {
            state: Some("merged".into()),
            limit: Some(5),
            author: Some("ann".into()),
            label: Some("bug".into()),
        };
        assert_eq!(found.target, Target::List(filters));
        assert!(matches!(parse(ItemKind::Issue, "?state=merged"), Err(AddressError::State { .. })));
        for limit in ["0", "101", "x", "-1"] {
            assert!(
                matches!(parse(ItemKind::Issue, &format!("?limit={limit}")), Err(AddressError::Limit(_))),
                "{limit}"
            );
        }
    }

    #[test]
    fn what_means_nothing() {
        for url in ["x", "0", "-1", "o/r/x", "o/r/7/files", "o o/r", "--repo=x/y/1", "7/8"] {
            let parsed = parse(ItemKind::PullRequest, url);
            assert!(matches!(parsed, Err(AddressError::Unknown { .. })), "{url}: {parsed:?}");
        }
        assert_eq!(parse(ItemKind::Issue, "7/diff"), Err(AddressError::NoDiff));
        for url in ["7/diff/0", "7/diff/x", "7/diff/1/2"] {
            assert!(matches!(parse(ItemKind::PullRequest, url), Err(AddressError::File(_))), "{url}");
        }
    }
}
