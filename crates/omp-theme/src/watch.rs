//! Learning that a theme file changed, without looking again and again.

use std::path::Path;

use notify::{EventKind, RecursiveMode, Watcher as _};

/// Reports changes of one file until it is dropped. Its thread sleeps while nothing happens.
#[derive(Debug)]
pub struct FileWatch {
    _watcher: notify::RecommendedWatcher,
}

/// The system cannot report changes of the file.
#[derive(Debug, thiserror::Error)]
#[error("cannot watch the theme for changes: {0}; choose the theme again after editing it")]
pub struct WatchError(#[from] notify::Error);

impl FileWatch {
    /// Calls `changed` whenever the file is written, replaced or comes back, from a thread of its own.
    ///
    /// The directory is watched, not the file: most editors replace a file instead of writing into it.
    pub fn new(file: &Path, changed: impl Fn() + Send + 'static) -> Result<Self, WatchError> {
        let name = file.file_name().map(ToOwned::to_owned);
        let is_ours = move |path: &std::path::PathBuf| path.file_name().map(ToOwned::to_owned) == name;
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let Ok(event) = event else { return };
            if !matches!(event.kind, EventKind::Access(_)) && event.paths.iter().any(&is_ours) {
                changed();
            }
        })?;
        watcher.watch(file.parent().unwrap_or(Path::new(".")), RecursiveMode::NonRecursive)?;
        Ok(Self { _watcher: watcher })
    }
}
