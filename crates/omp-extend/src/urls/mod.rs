//! What `skill://` and `rule://` name.
//!
//! A selector (`:5-8`) is the reader's: it is taken off before the URL comes here.

mod locate;
#[cfg(test)]
mod tests;

use std::io;
use std::path::PathBuf;

use crate::rules::RuleBook;
use crate::sections;
use crate::skills::{Skills, suggestion};

pub use locate::{SCHEMES, decode};

/// Names that an error lists.
const NAMES: usize = 40;

/// What an internal URL names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    pub content: Content,
    /// `text/markdown` or `text/plain`.
    pub mime: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A regular file or a directory, without symbolic links, inside the skill.
    Path(PathBuf),
    Text(String),
}

/// Why a URL names nothing that can be read.
#[derive(Debug, thiserror::Error)]
pub enum UrlError {
    #[error("Unknown protocol: {scheme}://. Supported: {}.", supported())]
    UnknownProtocol { scheme: String },
    #[error("`{scheme}://` is not supported here; use `skill://` or `rule://`")]
    NotServed { scheme: String },
    #[error("`{url}` is not an internal URL; use `skill://<name>` or `rule://<name>`")]
    NotUrl { url: String },
    #[error("`{url}`: `%` must be followed by two hexadecimal digits, and the result must be UTF-8 text")]
    Encoding { url: String },
    #[error("unknown skill `{name}`{suggestion} (available: {available})")]
    UnknownSkill { name: String, suggestion: String, available: String },
    #[error("unknown rule `{name}` (available: {available})")]
    UnknownRule { name: String, available: String },
    #[error("`{url}`: absolute paths are not allowed; use a path inside the skill")]
    Absolute { url: String },
    #[error("`{url}`: `..` is not allowed; use a path inside the skill")]
    Traversal { url: String },
    #[error("`{url}` is outside the skill's directory {}", base.display())]
    Escape { url: String, base: PathBuf },
    #[error("File not found: {url} (looked for {}).", path.display())]
    NotFound { url: String, path: PathBuf },
    #[error("cannot read `{url}`: {}: {source}", path.display())]
    Unreadable { url: String, path: PathBuf, source: io::Error },
}

fn supported() -> String {
    SCHEMES.map(|scheme| format!("{scheme}://")).join(", ")
}

/// What `url` names. A scheme alone lists what it can name.
pub fn read_url(url: &str, skills: &Skills, rules: &RuleBook) -> Result<Resource, UrlError> {
    let (scheme, rest) = url.split_once("://").ok_or_else(|| UrlError::NotUrl { url: url.to_owned() })?;
    // Query and fragment mean nothing here; a name with these characters is written encoded.
    let target = rest.split(['?', '#']).next().unwrap_or_default();
    match scheme.to_ascii_lowercase().as_str() {
        "skill" => read_skill(url, target, skills),
        "rule" => read_rule(url, target, rules),
        other if SCHEMES.contains(&other) => Err(UrlError::NotServed { scheme: other.to_owned() }),
        other => Err(UrlError::UnknownProtocol { scheme: other.to_owned() }),
    }
}

fn read_skill(url: &str, target: &str, skills: &Skills) -> Result<Resource, UrlError> {
    let (name, inside) = target.split_once('/').unwrap_or((target, ""));
    let name = decode(name).ok_or_else(|| UrlError::Encoding { url: url.to_owned() })?;
    let inside = decode(inside).ok_or_else(|| UrlError::Encoding { url: url.to_owned() })?;
    if name.is_empty() && inside.is_empty() {
        return Ok(markdown(sections::every_skill(skills)));
    }
    let Some(skill) = skills.get(&name) else {
        let listed = || skills.listed().map(|skill| skill.name.as_str());
        let (suggestion, available) = (suggestion(&name, listed()), names(listed()));
        return Err(UrlError::UnknownSkill { name, suggestion, available });
    };
    let path = locate::in_skill(url, skill, &inside)?;
    let is_markdown = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"));
    let mime = if is_markdown { "text/markdown" } else { "text/plain" };
    Ok(Resource { content: Content::Path(path), mime })
}

fn read_rule(url: &str, target: &str, rules: &RuleBook) -> Result<Resource, UrlError> {
    let name = decode(target.trim_end_matches('/'));
    let name = name.ok_or_else(|| UrlError::Encoding { url: url.to_owned() })?;
    if name.is_empty() {
        return Ok(markdown(sections::every_rule(rules)));
    }
    match rules.reachable(&name) {
        Some(rule) => Ok(markdown(rule.content.clone())),
        None => {
            let available = names(rules.all_reachable().map(|rule| rule.name.as_str()));
            Err(UrlError::UnknownRule { name, available })
        }
    }
}

fn markdown(text: String) -> Resource {
    Resource { content: Content::Text(text), mime: "text/markdown" }
}

/// Names for an error, not too many.
fn names<'a>(all: impl Iterator<Item = &'a str>) -> String {
    let all: Vec<&str> = all.collect();
    if all.is_empty() {
        return "none".to_owned();
    }
    let shown = all[..all.len().min(NAMES)].join(", ");
    match all.len().saturating_sub(NAMES) {
        0 => shown,
        more => format!("{shown} (+{more} more)"),
    }
}
