//! Names of marketplaces and plugins. They become names of directories and commands, so few characters are allowed.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

const LONGEST_NAME: usize = 64;
const LONGEST_ID: usize = 128;

/// Is this a name that a marketplace or a plugin can have?
pub fn is_name(name: &str) -> bool {
    let is_end = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = name.as_bytes();
    let ends = [bytes.first(), bytes.last()];
    (1..=LONGEST_NAME).contains(&bytes.len())
        && ends.iter().all(|byte| byte.is_some_and(|byte| is_end(*byte)))
        && bytes.iter().all(|byte| is_end(*byte) || matches!(byte, b'-' | b'.'))
}

/// `name@marketplace`
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PluginId {
    plugin: String,
    marketplace: String,
}

/// What is no name of a plugin.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "{0:?} is not a plugin: use name@marketplace with lower-case letters, digits, \"-\" and \".\" (see: omp plugin \
     discover)"
)]
pub struct InvalidPluginId(pub String);

impl PluginId {
    /// `None` if one of the names is none, or both together are too long.
    pub fn new(plugin: &str, marketplace: &str) -> Option<Self> {
        let fits = plugin.len() + 1 + marketplace.len() <= LONGEST_ID;
        (fits && is_name(plugin) && is_name(marketplace))
            .then(|| Self { plugin: plugin.to_owned(), marketplace: marketplace.to_owned() })
    }

    /// The name in its marketplace.
    pub fn plugin(&self) -> &str {
        &self.plugin
    }

    /// The marketplace.
    pub fn marketplace(&self) -> &str {
        &self.marketplace
    }
}

impl FromStr for PluginId {
    type Err = InvalidPluginId;

    fn from_str(typed: &str) -> Result<Self, InvalidPluginId> {
        let names = typed.rsplit_once('@');
        let id = names.and_then(|(plugin, marketplace)| Self::new(plugin, marketplace));
        id.ok_or_else(|| InvalidPluginId(typed.to_owned()))
    }
}

impl fmt::Display for PluginId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}@{}", self.plugin, self.marketplace)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: HOK-079
    #[test]
    fn names_are_short_and_plain() {
        for good in ["a", "review", "wordpress.com", "a-b.c-9", "0", &"x".repeat(64)] {
            assert!(is_name(good), "{good}");
        }
        for bad in [
            "",
            "-a",
            "a-",
            ".a",
            "a.",
            "A",
            "a_b",
            "a b",
            "a/b",
            "../a",
            "a\u{1b}b",
            "ä",
            "a@b",
            &"x".repeat(65),
        ] {
            assert!(!is_name(bad), "{bad}");
        }
        let id: PluginId = "review@team".parse().unwrap();
        assert_eq!((id.plugin(), id.marketplace(), &*id.to_string()), ("review", "team", "review@team"));
        for bad in ["review", "@team", "review@", "a@b@c", "Review@team", "review@../team"] {
            assert_eq!(bad.parse::<PluginId>(), Err(InvalidPluginId(bad.to_owned())));
        }
        let long = |length: usize| format!("{}@{}", "x".repeat(length), "y".repeat(64));
        assert!(long(63).parse::<PluginId>().is_ok() && long(64).parse::<PluginId>().is_err());
    }
}
