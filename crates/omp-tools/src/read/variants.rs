//! Other spellings of a file name that look the same.
//!
//! macOS writes a narrow no-break space into the times of screenshots, a curly apostrophe into names it makes up, and
//! accents as characters of their own. A model repeats what it sees, in the common spelling, or as a shell would want it,
//! with a backslash before a space.

use std::path::{Path, PathBuf};

use unicode_normalization::UnicodeNormalization;

/// The first spelling of `path` that exists.
pub(super) fn existing(path: &Path) -> Option<PathBuf> {
    let typed = path.to_str()?;
    let unescaped = typed.replace("\\ ", " ");
    let text = unescaped.as_str();
    let spaces = narrow_spaces(text);
    let curly = text.replace('\'', "\u{2019}");
    let spellings = [
        unescaped.clone(),
        spaces.clone(),
        text.nfd().collect(),
        text.nfc().collect(),
        curly.clone(),
        curly.nfd().collect(),
        spaces.nfd().collect(),
    ];
    let others = spellings.into_iter().filter(|spelling| spelling != typed).map(PathBuf::from);
    others.into_iter().find(|spelling| spelling.symlink_metadata().is_ok())
}

/// With the space that stands before AM and PM in names of screenshots.
fn narrow_spaces(text: &str) -> String {
    let mut changed = text.to_owned();
    for half in ["AM", "PM", "am", "pm"] {
        changed = changed.replace(&format!(" {half}."), &format!("\u{202f}{half}."));
        changed = changed.replace(&format!(" {half} "), &format!("\u{202f}{half} "));
    }
    changed
}
