//! The arguments of a Markdown command: taken apart, then put into its text.

mod placeholder;
mod seal;
mod split;
mod tags;
mod template;
#[cfg(test)]
mod tests;

pub use split::split;

use seal::Sealed;
use template::Rendered;

/// An expanded text above this is cut.
const MAXIMUM: usize = 1024 * 1024;

/// A command's text with its arguments in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filled {
    pub text: String,
    /// What did not go as written.
    pub warnings: Vec<String>,
}

/// Puts the arguments into `body`.
///
/// Placeholders (`$1`, `$@`, `$ARGUMENTS`) and template tags (`{{ARGUMENTS}}`, `{{#each args}}`) both stand for
/// arguments. What they stand for is never read as a placeholder or template again. If there is neither, what the
/// user wrote goes after the body.
pub fn fill(body: &str, written: &str) -> Filled {
    let arguments = split(written);
    let mut warnings = Vec::new();
    let scanned = tags::scan(body);
    let sealed = Sealed::new(&scanned, body, written);
    let rendered = match template::render(&sealed.text, &scanned, &arguments) {
        Rendered::Plain => sealed.text.clone(),
        Rendered::Text(text) => text,
        Rendered::Broken(reason) => {
            warnings.push(format!("the template is used unexpanded: {reason}"));
            sealed.text.clone()
        }
    };
    let mut text = sealed.open(&rendered, &arguments, MAXIMUM);
    let written = written.trim();
    if !sealed.uses_arguments && !written.is_empty() {
        text = format!("{}\n\n{written}", text.trim_end());
    }
    if text.len() > MAXIMUM {
        warnings.push(format!("the expanded text exceeds {MAXIMUM} bytes and is truncated"));
        text.truncate(text.floor_char_boundary(MAXIMUM));
        text.push_str("\n[Truncated.]");
    }
    Filled { text, warnings }
}
