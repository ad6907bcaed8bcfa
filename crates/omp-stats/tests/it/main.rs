//! Statistics over session files that the tests write.

mod serving;
mod syncing;

use std::path::{Path, PathBuf};

use omp_stats::Store;

/// A session directory and a database in a place of their own.
pub(crate) struct Place {
    root: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("sessions/p")).unwrap();
        Self { root }
    }

    pub(crate) fn sessions(&self) -> PathBuf {
        self.root.path().join("sessions")
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.root.path().join("agent/stats.db")
    }

    pub(crate) fn store(&self) -> Store {
        Store::open(&self.database()).unwrap()
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.sessions().join("p").join(name)
    }

    pub(crate) fn write(&self, name: &str, lines: &[String]) -> PathBuf {
        let path = self.file(name);
        std::fs::write(&path, lines.concat()).unwrap();
        path
    }
}

pub(crate) fn append(path: &Path, text: &str) {
    use std::io::Write;
    std::fs::OpenOptions::new().append(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
}

pub(crate) fn header(session: &str, cwd: &str) -> String {
    format!(
        "{{\"type\":\"session\",\"version\":3,\"id\":\"{session}\",\"timestamp\":\"2026-01-02T00:00:00.000Z\",\"cwd\":\"{cwd}\"}}\n"
    )
}

/// An answer that began at a second of 2 January 2026 and took two seconds.
pub(crate) fn answer(id: &str, model: &str, second: u32, stop: &str) -> String {
    let begun = 1_767_312_000_000_u64 + u64::from(second) * 1000;
    let written = format!("2026-01-02T00:{:02}:{:02}.000Z", (second + 2) / 60, (second + 2) % 60);
    format!(
        "{{\"type\":\"message\",\"id\":\"{id}\",\"parentId\":null,\"timestamp\":\"{written}\",\"message\":{{\"role\":\"assistant\",\
         \"content\":[],\"api\":\"a\",\"provider\":\"test\",\"model\":\"{model}\",\"usage\":{{\"input\":100,\"output\":10,\
         \"cacheRead\":300,\"cacheWrite\":0,\"totalTokens\":410,\"cost\":{{\"input\":0.1,\"output\":0.2,\"cacheRead\":0.0,\
         \"cacheWrite\":0.0,\"total\":0.5}}}},\"stopReason\":\"{stop}\",\"timestamp\":{begun}}}}}\n"
    )
}
