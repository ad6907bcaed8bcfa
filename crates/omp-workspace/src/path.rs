//! From typed text to a path, and back to text for people and models.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

/// More links than this are a loop.
const MAX_LINKS: usize = 40;

/// What typed paths are relative to.
#[derive(Clone, Copy, Debug)]
pub struct Base<'a> {
    pub cwd: &'a Path,
    /// What `~` stands for, if anything.
    pub home: Option<&'a Path>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    #[error("The path is empty. Specify a file or directory.")]
    Empty,
    #[error("The path contains a NUL character.")]
    Nul,
    #[error("'{0}' is on another machine. Use a local path.")]
    Remote(String),
}

impl Base<'_> {
    /// Absolute paths stay; `~`, `file://` and relative paths are resolved. Nothing is looked up on disk, and
    /// `..` stays, because behind a symbolic link it means something else than it seems.
    pub fn resolve(&self, typed: &str) -> Result<PathBuf, PathError> {
        let path = match typed.strip_prefix("file://") {
            Some(url_path) => file_url(typed, url_path)?,
            None => self.expand_home(typed),
        };
        if typed.is_empty() {
            return Err(PathError::Empty);
        }
        if path.as_os_str().as_encoded_bytes().contains(&0) {
            return Err(PathError::Nul);
        }
        Ok(self.cwd.join(path))
    }

    /// Relative to the working directory if inside it, absolute otherwise.
    pub fn display(&self, path: &Path) -> String {
        match path.strip_prefix(self.cwd) {
            Ok(inside) if inside.as_os_str().is_empty() => ".".to_owned(),
            Ok(inside) => inside.to_string_lossy().into_owned(),
            Err(_) => path.to_string_lossy().into_owned(),
        }
    }

    fn expand_home(&self, typed: &str) -> PathBuf {
        match (typed.strip_prefix('~'), self.home) {
            (Some(""), Some(home)) => home.to_owned(),
            (Some(rest), Some(home)) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
            _ => PathBuf::from(typed),
        }
    }
}

/// The path behind all links, also where it or its directory does not exist yet, and where a link leads to nothing: the
/// path that a write to `path` would create. Behind what does not exist, `..` means the directory above.
pub fn real_path(path: &Path) -> PathBuf {
    let mut real = PathBuf::from("/");
    let mut rest: VecDeque<OsString> = parts(path).collect();
    let mut links = 0;
    while let Some(part) = rest.pop_front() {
        if part == ".." {
            real.pop();
            continue;
        }
        real.push(&part);
        let Ok(target) = std::fs::read_link(&real) else { continue };
        links += 1;
        if links > MAX_LINKS {
            return path.to_owned();
        }
        real.pop();
        if target.is_absolute() {
            real = PathBuf::from("/");
        }
        parts(&target).rev().for_each(|part| rest.push_front(part));
    }
    real
}

/// The path behind all links of its directory: what is removed or renamed when `path` is.
pub fn real_entry(path: &Path) -> PathBuf {
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => real_path(parent).join(name),
        _ => real_path(path),
    }
}

/// An absolute path without `.` and `..`, as if there were no links.
pub fn plain_path(path: &Path) -> PathBuf {
    let mut plain = PathBuf::from("/");
    for part in parts(path) {
        match part == ".." {
            true => drop(plain.pop()),
            false => plain.push(part),
        }
    }
    plain
}

/// Names and `..`, in their order.
fn parts(path: &Path) -> impl DoubleEndedIterator<Item = OsString> {
    let part = |component: Component<'_>| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    };
    path.components().filter_map(part)
}

/// The path of a `file://` URL: an optional host that means this machine, then a percent-encoded path.
fn file_url(url: &str, rest: &str) -> Result<PathBuf, PathError> {
    let rest = rest.strip_prefix("localhost").filter(|path| path.starts_with('/')).unwrap_or(rest);
    if !rest.starts_with('/') {
        return Err(PathError::Remote(url.to_owned()));
    }
    Ok(PathBuf::from(OsString::from_vec(percent_decode(rest.as_bytes()))))
}

fn percent_decode(bytes: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&first, after)) = rest.split_first() {
        let escape = (first == b'%').then(|| hex_pair(after)).flatten();
        decoded.push(escape.unwrap_or(first));
        rest = if escape.is_some() { &after[2..] } else { after };
    }
    decoded
}

fn hex_pair(bytes: &[u8]) -> Option<u8> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let value = digit(bytes.first()?)? * 16 + digit(bytes.get(1)?)?;
    u8::try_from(value).ok()
}

/// Undoes percent-encoding; nothing if it is broken or the result is not UTF-8.
pub fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let [high, low, tail @ ..] = rest else { return None };
        bytes.push(digit(*high)? << 4 | digit(*low)?);
        rest = tail;
    }
    String::from_utf8(bytes).ok()
}

fn digit(letter: u8) -> Option<u8> {
    char::from(letter).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base() -> Base<'static> {
        Base { cwd: Path::new("/src/project"), home: Some(Path::new("/home/ada")) }
    }

    fn resolved(typed: &str) -> String {
        base().resolve(typed).unwrap().to_string_lossy().into_owned()
    }

    #[test]
    fn typed_paths() {
        assert_eq!(resolved("src/main.rs"), "/src/project/src/main.rs");
        assert_eq!(resolved("/etc/hosts"), "/etc/hosts");
        assert_eq!(resolved("~"), "/home/ada");
        assert_eq!(resolved("~/x/y"), "/home/ada/x/y");
        assert_eq!(resolved("~bob/x"), "/src/project/~bob/x");
        assert_eq!(resolved("file:///tmp/a%20b%C3%A9"), "/tmp/a bé");
        assert_eq!(resolved("file://localhost/tmp/100%"), "/tmp/100%");
        assert_eq!(resolved("../other"), "/src/project/../other");
    }

    #[test]
    fn bad_paths() {
        assert_eq!(base().resolve(""), Err(PathError::Empty));
        assert_eq!(base().resolve("a\0b"), Err(PathError::Nul));
        assert_eq!(base().resolve("file:///a%00b"), Err(PathError::Nul));
        assert_eq!(base().resolve("file://server/a"), Err(PathError::Remote("file://server/a".into())));
    }

    #[test]
    fn shown_paths() {
        let shown = |path: &str| base().display(Path::new(path));
        assert_eq!(shown("/src/project/src/a.rs"), "src/a.rs");
        assert_eq!(shown("/src/project"), ".");
        assert_eq!(shown("/src/projects/a"), "/src/projects/a");
    }

    /// Whatever a path looks like, a write to it lands where this says.
    #[test]
    fn real_paths_are_where_a_write_lands() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("in/sub")).unwrap();
        std::fs::create_dir_all(root.join("out")).unwrap();
        let link = |target: &str, name: &str| std::os::unix::fs::symlink(target, root.join(name)).unwrap();
        link("../out", "in/away");
        link("../out/new.txt", "in/dangling");
        link("loop", "in/loop");
        link(root.to_str().unwrap(), "in/absolute");
        let process = format!("/proc/self/root{}/out/f", root.display());
        for (typed, real) in [
            ("in/sub/f", "in/sub/f"),
            ("in/away/f", "out/f"),
            ("in/dangling", "out/new.txt"),
            ("in/none/../../out/f", "out/f"),
            ("in/away/../in/f", "in/f"),
            ("in/absolute/out/f", "out/f"),
            (process.as_str(), "out/f"),
        ] {
            assert_eq!(real_path(&root.join(typed)), root.join(real), "{typed}");
        }
        assert_eq!(real_path(&root.join("in/loop")), root.join("in/loop"));
        assert_eq!(real_entry(&root.join("in/dangling")), root.join("in/dangling"));
        assert_eq!(real_entry(&root.join("in/away/x")), root.join("out/x"));
        assert_eq!(plain_path(Path::new("/a/./b/../c")), Path::new("/a/c"));
    }

    #[test]
    fn without_a_home_a_tilde_is_a_name() {
        let base = Base { home: None, ..base() };
        assert_eq!(base.resolve("~/x").unwrap(), Path::new("/src/project/~/x"));
    }
}
