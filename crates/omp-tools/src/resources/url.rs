//! The parts of an internal URL.

use std::fmt;

use omp_workspace::path::percent_decoded;

/// Addresses that the router does not handle.
const OTHERS: [&str; 3] = ["http", "https", "file"];

/// An internal URL as it was typed, without a selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InternalUrl {
    text: String,
    scheme: String,
    /// Where the part after `scheme://` begins.
    rest: usize,
}

impl fmt::Display for InternalUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl InternalUrl {
    /// `None` for paths, web addresses and `file://`. Any other word before `://` makes a URL, known or not.
    pub fn parse(typed: &str) -> Option<Self> {
        let (scheme, after) = typed.split_once(':')?;
        let word = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.chars().all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter));
        let scheme = scheme.to_ascii_lowercase();
        let slashes = match after {
            _ if after.starts_with("//") => 2,
            // The one scheme whose names are paths is forgiven the missing slash.
            _ if after.starts_with('/') && scheme == "local" => 1,
            _ => return None,
        };
        let url = Self { text: typed.to_owned(), rest: scheme.len() + 1 + slashes, scheme };
        (word && !OTHERS.contains(&url.scheme.as_str())).then_some(url)
    }

    /// The scheme in lower case.
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// The URL as it was typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Everything after `scheme://`, as it was typed.
    pub fn rest(&self) -> &str {
        &self.text[self.rest..]
    }

    /// What is named: the rest without query and fragment, still encoded.
    pub fn target(&self) -> &str {
        self.rest().split(['?', '#']).next().unwrap_or_default()
    }

    /// The target with percent-encoding undone.
    pub fn decoded(&self) -> Result<String, String> {
        self.decode(self.target())
    }

    /// Undoes the percent-encoding of a part of this URL.
    pub fn decode(&self, part: &str) -> Result<String, String> {
        percent_decoded(part).ok_or_else(|| {
            format!(
                "'{self}': % must be followed by two hexadecimal digits, and the result must be UTF-8 text."
            )
        })
    }

    /// The decoded value of `name` in the query.
    pub fn query(&self, name: &str) -> Option<Result<String, String>> {
        let (_, query) = self.rest().split('#').next().unwrap_or_default().split_once('?')?;
        let mut pairs = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
        let (_, value) = pairs.find(|(key, _)| *key == name)?;
        Some(self.decode(&value.replace('+', " ")))
    }

    /// Resources of other programs have URLs of their own behind the scheme, colons and all: no selector is looked
    /// for in them.
    pub fn is_opaque(&self) -> bool {
        self.scheme == "mcp"
    }
}
