//! Names and places of session files.

use std::path::{Path, PathBuf};

/// The extension of session files.
pub(crate) const EXTENSION: &str = "jsonl";

/// Directory names longer than this are shortened; file systems allow 255 bytes.
const LONGEST_NAME: usize = 200;

/// Where the sessions of all projects are, and which directories have short names.
#[derive(Clone, Debug)]
pub struct SessionsRoot {
    agent: PathBuf,
    /// If they are not with the agent's files.
    breadcrumbs: Option<PathBuf>,
    /// Behind symbolic links, as every directory that is compared with them.
    home: PathBuf,
    temporary: PathBuf,
}

impl SessionsRoot {
    /// `agent` is the directory of the agent's files, `home` the user's, `temporary` the system's.
    pub fn new(agent: &Path, home: &Path, temporary: &Path) -> Self {
        Self { agent: agent.to_owned(), breadcrumbs: None, home: real(home), temporary: real(temporary) }
    }

    /// The directory that holds one directory for each project.
    pub fn path(&self) -> PathBuf {
        self.agent.join("sessions")
    }

    /// The directory of the agent's files.
    pub(crate) fn agent(&self) -> &Path {
        &self.agent
    }

    /// The directory of blobs, shared by all sessions.
    pub fn blobs(&self) -> PathBuf {
        self.agent.join("blobs")
    }

    /// The directory of terminal breadcrumbs.
    pub(crate) fn breadcrumbs(&self) -> PathBuf {
        self.breadcrumbs.clone().unwrap_or_else(|| self.agent.join("terminal-sessions"))
    }

    pub(crate) fn set_breadcrumbs(&mut self, directory: &Path) {
        self.breadcrumbs = Some(directory.to_owned());
    }

    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    /// The directory of one project's sessions; it need not exist.
    pub fn directory(&self, cwd: &Path) -> PathBuf {
        self.path().join(shortened(self.encoded(&real(cwd))))
    }

    /// Home before temporary: a temporary directory below home is named like everything else there.
    fn encoded(&self, cwd: &Path) -> String {
        if let Ok(relative) = cwd.strip_prefix(&self.home) {
            return format!("-{}", dashed(relative));
        }
        if let Ok(relative) = cwd.strip_prefix(&self.temporary) {
            let relative = dashed(relative);
            return if relative.is_empty() { "-tmp".to_owned() } else { format!("-tmp-{relative}") };
        }
        let absolute = cwd.strip_prefix("/").unwrap_or(cwd);
        format!("--{}--", dashed(absolute))
    }
}

/// The path behind symbolic links; as it stands when there is nothing.
pub(crate) fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

pub(crate) fn dashed(path: &Path) -> String {
    path.to_string_lossy().replace(['/', '\\', ':'], "-")
}

/// Cuts an overlong name and tells it from others with the same beginning by a checksum.
fn shortened(name: String) -> String {
    if name.len() <= LONGEST_NAME {
        return name;
    }
    let end = name.floor_char_boundary(LONGEST_NAME - 17);
    format!("{}-{:016x}", &name[..end], checksum(name.as_bytes()))
}

/// FNV-1a: names must be the same in every version, which the standard library's hashes do not promise.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// `<timestamp>_<id>.jsonl`, legal on every file system and sorted by time of creation.
pub(crate) fn file_name(timestamp: &str, id: &str) -> String {
    format!("{}_{id}.{EXTENSION}", timestamp.replace([':', '.'], "-"))
}

/// Did this program choose the name, `<timestamp>_<id>`? A file that a user named may stand beside a directory of the
/// same name that has nothing to do with it.
pub(crate) fn is_session_name(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    name.split_once('_')
        .is_some_and(|(time, _)| time.len() == 24 && time.as_bytes()[10] == b'T' && time.ends_with('Z'))
}

/// A file that belongs to a session file: its whole name and one more extension, which is nobody else's.
pub(crate) fn beside(session: &Path, extension: &str) -> PathBuf {
    let mut name = session.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Places {
        _directory: tempfile::TempDir,
        base: PathBuf,
        root: SessionsRoot,
    }

    fn places() -> Places {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().canonicalize().unwrap();
        for name in ["home/a/b", "tmp/t/u", "else"] {
            std::fs::create_dir_all(base.join(name)).unwrap();
        }
        let root = SessionsRoot::new(&base.join("agent"), &base.join("home"), &base.join("tmp"));
        Places { _directory: directory, base, root }
    }

    fn name(places: &Places, cwd: &Path) -> String {
        let directory = places.root.directory(cwd);
        assert_eq!(directory.parent(), Some(places.base.join("agent/sessions").as_path()));
        directory.file_name().unwrap().to_str().unwrap().to_owned()
    }

    // proves: SES-003
    #[test]
    fn below_home() {
        let places = places();
        assert_eq!(name(&places, &places.base.join("home/a/b")), "-a-b");
        assert_eq!(name(&places, &places.base.join("home")), "-");
        assert_eq!(name(&places, &places.base.join("home/x:y\\z")), "-x-y-z");
    }

    // proves: SES-004
    #[test]
    fn below_the_temporary_directory() {
        let places = places();
        assert_eq!(name(&places, &places.base.join("tmp/t/u")), "-tmp-t-u");
        assert_eq!(name(&places, &places.base.join("tmp")), "-tmp");
    }

    // proves: SES-005
    #[test]
    fn anywhere_else() {
        let places = places();
        assert_eq!(name(&places, Path::new("/no-such-place/x:1")), "--no-such-place-x-1--");
    }

    // proves: SES-006
    #[test]
    fn links_are_followed_and_home_comes_first() {
        let places = places();
        std::os::unix::fs::symlink(places.base.join("home/a"), places.base.join("else/link")).unwrap();
        assert_eq!(name(&places, &places.base.join("else/link/b")), "-a-b");

        // With a temporary directory around home, only the order decides.
        let around = SessionsRoot::new(&places.base.join("agent"), &places.base.join("home"), &places.base);
        assert!(around.directory(&places.base.join("home/a")).ends_with("-a"));
    }

    #[test]
    fn long_names_are_cut_and_stay_apart() {
        let places = places();
        let deep = places.base.join("home").join("ü".repeat(150)).join("x");
        let other = places.base.join("home").join("ü".repeat(150)).join("y");
        assert!(name(&places, &deep).len() <= LONGEST_NAME);
        assert_ne!(name(&places, &deep), name(&places, &other));
        assert_eq!(name(&places, &deep), name(&places, &deep));
    }

    // proves: SES-002
    #[test]
    fn file_names_sort_by_time() {
        assert_eq!(file_name("2026-02-16T10:20:30.000Z", "1f9d"), "2026-02-16T10-20-30-000Z_1f9d.jsonl");
        let [early, late] = ["2026-02-16T10:20:30.009Z", "2026-02-16T10:20:30.010Z"];
        assert!(file_name(early, "z") < file_name(late, "a"));
    }
}
