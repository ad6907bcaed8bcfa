//! `[PATH#TAG]`: the line that names a file and the text its line numbers count in.

use std::path::Path;

use crate::hashline::error::ParseError;
use crate::hashline::tag::Tag;

/// Words of another patch language that models put before a path.
const NOISE: [&str; 4] = ["Update File:", "Add File:", "Delete File:", "Move to:"];

/// A header's parts. A header without a tag is well formed; what needs one says so.
pub(crate) struct Header {
    pub(crate) path: String,
    pub(crate) tag: Option<Tag>,
}

pub(crate) fn parse(line: &str, directory: &Path) -> Result<Header, ParseError> {
    let refuse = || ParseError::BadHeader(line.to_owned());
    let line = line.trim_end();
    let inner = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).ok_or_else(refuse)?;
    let (path, tag) = match inner.split_once('#') {
        Some((path, tag)) => (path, Some(tag.trim().parse::<Tag>().map_err(|_| refuse())?)),
        None => (without_loose_tag(inner), None),
    };
    let path = unquoted(without_noise(path));
    if path.is_empty() {
        return Err(refuse());
    }
    Ok(Header { path: relative(path, directory), tag })
}

/// A tag that stands behind a blank or a colon instead of its `#` is no part of the path that the refusal repeats.
fn without_loose_tag(path: &str) -> &str {
    match path.trim_end().rsplit_once([' ', ':']) {
        Some((path, tag)) if tag.parse::<Tag>().is_ok() => path,
        _ => path,
    }
}

fn without_noise(path: &str) -> &str {
    let mut path = path.trim();
    loop {
        let stripped = path.trim_start_matches("***").trim_end_matches("***").trim();
        let stripped = NOISE.iter().find_map(|word| stripped.strip_prefix(word)).unwrap_or(stripped).trim();
        if stripped == path {
            return path;
        }
        path = stripped;
    }
}

fn unquoted(path: &str) -> &str {
    let within = |quote: char| path.strip_prefix(quote)?.strip_suffix(quote);
    ['"', '\'', '`'].into_iter().find_map(within).unwrap_or(path).trim()
}

/// Names files of the working directory the short way, so that one file has one name.
fn relative(path: &str, directory: &Path) -> String {
    let below = Path::new(path).strip_prefix(directory).ok().and_then(Path::to_str);
    below.filter(|below| !below.is_empty()).unwrap_or(path).to_owned()
}
