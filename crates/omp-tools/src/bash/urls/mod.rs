//! Internal URLs in commands, before a shell sees them: `cat local://notes.md` reads the file behind the URL.

mod scan;

use std::collections::BTreeMap;

use omp_agent::ToolError;

use crate::Context;
use crate::resources::InternalUrl;
use crate::search_roots::refuse_glob;
use scan::{FoundUrl, Quote};

/// The command with paths in place of URLs, each quoted as its place asks. Nothing has run when this fails. May wait
/// for the disk.
pub(super) fn in_command(context: &Context, command: &str) -> Result<String, ToolError> {
    replace(context, command, scan::command(command))
}

/// The same for the variables of a call.
pub(super) fn in_variables(context: &Context, env: &mut BTreeMap<String, String>) -> Result<(), ToolError> {
    for value in env.values_mut() {
        *value = replace(context, value, scan::value(value))?;
    }
    Ok(())
}

/// The same for the working directory of a call.
pub(super) fn in_directory(context: &Context, cwd: &str) -> Result<String, ToolError> {
    match InternalUrl::parse(cwd) {
        Some(url) => path(context, &url, false),
        None => Ok(cwd.to_owned()),
    }
}

fn replace(context: &Context, text: &str, found: Vec<FoundUrl>) -> Result<String, ToolError> {
    let mut replaced = String::with_capacity(text.len());
    let mut copied = 0;
    for FoundUrl { start, end, quote } in found {
        let Some(url) = InternalUrl::parse(&text[start..end]) else { continue };
        let path = path(context, &url, text[end..].starts_with('$'))?;
        replaced.push_str(&text[copied..start]);
        replaced.push_str(&quote.escape(&path));
        copied = end;
    }
    replaced.push_str(&text[copied..]);
    Ok(replaced)
}

/// The file behind a URL, with a directory to be in if the command may create it. `goes_on`: a variable follows, and
/// with it the name.
fn path(context: &Context, url: &InternalUrl, goes_on: bool) -> Result<String, ToolError> {
    refuse_glob(url)?;
    let path = context.file(url.text())?;
    context.resources.make_room(url).map_err(ToolError::new)?;
    let is_directory = url.target().is_empty() || url.target().ends_with('/');
    let Some(text) = path.to_str() else {
        return Err(ToolError::new(format!(
            "'{url}' cannot be used in a command: its path {} is not UTF-8.",
            path.display()
        )));
    };
    Ok(if is_directory && goes_on { format!("{text}/") } else { text.to_owned() })
}

impl Quote {
    /// The text as it must be written in this place to be taken literally.
    fn escape(self, text: &str) -> String {
        match self {
            Self::None => format!("'{}'", text.replace('\'', r"'\''")),
            Self::Single => text.replace('\'', r"'\''"),
            Self::Double => text.chars().fold(String::new(), |mut escaped, letter| {
                if matches!(letter, '\\' | '"' | '$' | '`') {
                    escaped.push('\\');
                }
                escaped.push(letter);
                escaped
            }),
            Self::Plain => text.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
