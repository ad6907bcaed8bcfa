//! Which models were used last, so that an id that several providers offer means the one the user works with.
//!
//! One small file, a selector on each line, the last one first. It is read only when an id is ambiguous, and losing
//! it loses nothing.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use omp_config::Directories;
use omp_llm::registry::RecentModels;
use omp_workspace::write::{Mode, write};

/// As many models as are remembered.
const REMEMBERED: usize = 32;
/// As much of the file as is read; selectors are short.
const LIMIT: u64 = 16 * 1024;

fn file(directories: &Directories) -> PathBuf {
    directories.state().join("recent-models")
}

/// The models, for whoever asks.
pub(crate) fn source(directories: &Directories) -> RecentModels {
    let file = file(directories);
    RecentModels::new(move || read(&file))
}

/// A file that is missing or makes no sense remembers nothing.
fn read(file: &Path) -> Vec<String> {
    let mut text = String::new();
    let opened = std::fs::File::open(file).and_then(|file| file.take(LIMIT).read_to_string(&mut text));
    match opened {
        Ok(_) => text.lines().filter(|line| line.contains('/')).take(REMEMBERED).map(str::to_owned).collect(),
        Err(_) => Vec::new(),
    }
}

/// Puts a model first. The file is left alone when it is first already.
pub fn note_used_model(directories: &Directories, selector: &str) {
    let file = file(directories);
    let mut recent = read(&file);
    if recent.first().is_some_and(|first| first == selector) {
        return;
    }
    recent.retain(|known| known != selector);
    recent.insert(0, selector.to_owned());
    recent.truncate(REMEMBERED);
    // Nobody waits for this, and the next session tries again.
    let _ = write(&file, (recent.join("\n") + "\n").as_bytes(), Mode::Private);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_record_is_bounded_and_has_no_doubles() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().display().to_string();
        let directories = Directories::resolve(|name| (name == "HOME").then(|| root.clone())).unwrap();
        assert_eq!(read(&file(&directories)), Vec::<String>::new());
        for number in 0..40 {
            note_used_model(&directories, &format!("one/{number}"));
        }
        note_used_model(&directories, "one/20");
        let recent = read(&file(&directories));
        assert_eq!((recent.len(), recent[0].as_str(), recent[1].as_str()), (REMEMBERED, "one/20", "one/39"));
        assert_eq!(recent.iter().filter(|known| *known == "one/20").count(), 1);
        std::fs::write(file(&directories), [0xff, 0xfe]).unwrap();
        assert_eq!(read(&file(&directories)), Vec::<String>::new());
    }
}
