//! Which session a terminal last had: a small file for each terminal, of two lines, the project's directory and
//! the session's file. Losing one costs nothing but convenience, so no failure here is an error.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use crate::file;

/// A breadcrumb holds two paths; more is not one of ours.
const LARGEST: u64 = 16 * 1024;

/// Terminals name themselves; a name becomes a file name of at most this length.
const LONGEST_ID: usize = 120;

/// Variables that tell terminals apart, and what their ids begin with.
const VARIABLES: [(&str, &str); 5] = [
    ("TMUX_PANE", "tmux"),
    ("CMUX_SURFACE_ID", "cmux"),
    ("KITTY_WINDOW_ID", "kitty"),
    ("TERM_SESSION_ID", "term"),
    ("WT_SESSION", "wt"),
];

/// A name for the terminal that is legal as a file name: from the path of the TTY, else from the environment.
pub fn terminal_id(tty: Option<&Path>, variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    if let Some(device) = tty.and_then(|tty| tty.strip_prefix("/dev").ok()) {
        return Some(legal("", &device.to_string_lossy()));
    }
    VARIABLES.iter().find_map(|(name, kind)| {
        let value = variable(name).filter(|value| !value.is_empty())?;
        Some(legal(&format!("{kind}-"), &value))
    })
}

fn legal(prefix: &str, name: &str) -> String {
    let letters = name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' });
    prefix.chars().chain(letters).take(LONGEST_ID).collect()
}

/// Where a terminal was and what it worked on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breadcrumb {
    pub cwd: PathBuf,
    pub session: PathBuf,
}

impl Breadcrumb {
    /// Later versions may add lines.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        let mut text = String::new();
        std::fs::File::open(path).ok()?.take(LARGEST).read_to_string(&mut text).ok()?;
        let mut lines = text.lines();
        let (cwd, session) = (lines.next()?, lines.next()?);
        (!cwd.is_empty() && !session.is_empty()).then(|| Self { cwd: cwd.into(), session: session.into() })
    }
}

/// The breadcrumb file of one terminal.
#[derive(Debug)]
pub(crate) struct Trail(pub(crate) PathBuf);

impl Trail {
    pub(crate) fn leave(&self, cwd: &str, session: &Path) {
        let Some(session) = session.to_str() else { return };
        if cwd.contains('\n') || session.contains('\n') {
            return;
        }
        let _ = file::replace(&self.0, |writer| writeln!(writer, "{cwd}\n{session}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(tty: Option<&str>, variables: &[(&str, &str)]) -> Option<String> {
        terminal_id(tty.map(Path::new), |name| {
            variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    }

    // proves: SES-147
    #[test]
    fn terminals_are_told_apart() {
        let all = [("WT_SESSION", "w"), ("TERM_SESSION_ID", "s/1"), ("KITTY_WINDOW_ID", "7")];
        assert_eq!(id(Some("/dev/pts/3"), &all).as_deref(), Some("pts-3"));
        assert_eq!(id(None, &all).as_deref(), Some("kitty-7"));
        assert_eq!(id(None, &all[..2]).as_deref(), Some("term-s-1"));
        assert_eq!(id(None, &all[..1]).as_deref(), Some("wt-w"));
        let tmux = [("CMUX_SURFACE_ID", "c"), ("TMUX_PANE", "%1"), ("KITTY_WINDOW_ID", "7")];
        assert_eq!(id(None, &tmux).as_deref(), Some("tmux--1"));
        assert_eq!(
            id(None, &[("CMUX_SURFACE_ID", "c"), ("KITTY_WINDOW_ID", "7")]).as_deref(),
            Some("cmux-c")
        );
        assert_eq!(id(None, &[("TMUX_PANE", "")]), None);
    }
}
