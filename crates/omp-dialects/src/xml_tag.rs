//! One tag of an XML-like dialect.

use super::pairs::Reading;

/// Prefixes that tags may carry. The last two are those of DeepSeek's markup, and what is left of it when a server
/// replaces the wide bars.
const PREFIXES: [&str; 4] = [concat!("antml", ":"), "minimax:", "\u{ff5c}DSML\u{ff5c}", "|DSML|"];

/// A tag, read.
pub(crate) struct Tag {
    pub(crate) is_end: bool,
    /// With its prefix, if it has one.
    pub(crate) full: String,
    /// Without its prefix; empty for names that mean nothing here.
    pub(crate) name: &'static str,
    attributes: String,
}

/// Names that mean something; any other is an argument of the old form.
const NAMES: [&str; 8] = [
    "function_calls",
    "tool_calls",
    "tool_call",
    "invoke",
    "parameter",
    "parameters",
    "tool_name",
    "function_results",
];

impl Tag {
    /// `inner` is what stands between the brackets.
    pub(crate) fn parse(inner: &str) -> Self {
        let (is_end, inner) = inner.strip_prefix('/').map_or((false, inner), |inner| (true, inner));
        let (full, attributes) = inner.split_once(char::is_whitespace).unwrap_or((inner, ""));
        let bare = PREFIXES.iter().find_map(|prefix| full.strip_prefix(prefix)).unwrap_or(full);
        let name = NAMES.into_iter().find(|name| *name == bare).unwrap_or_default();
        Self { is_end, full: full.to_owned(), name, attributes: attributes.to_owned() }
    }

    /// The quoted value of an attribute that is there and not empty.
    pub(crate) fn attribute(&self, wanted: &str) -> Option<&str> {
        let mut rest = self.attributes.as_str();
        loop {
            let (name, value) = rest.split_once('=')?;
            let value = value.trim_start();
            let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
            let (value, behind) = value[1..].split_once(quote)?;
            if name.trim() == wanted {
                return Some(value).filter(|value| !value.is_empty());
            }
            rest = behind;
        }
    }

    /// DeepSeek's markup says itself whether a parameter is a string.
    pub(crate) fn reading(&self) -> Reading {
        match self.attribute("string") {
            Some("true") => Reading::String,
            Some("false") => Reading::Json,
            _ => Reading::BySchema,
        }
    }
}
