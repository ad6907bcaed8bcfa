//! Changes of what is installed, all or nothing. What is going to be is written down first, as one file; then it is done. Whoever finds
//! that file with nobody at work does the rest, so that a package and what is recorded of it always belong together.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use omp_config::packages::{PackageRecords, RECORDS_FILE, is_package_name, package_directory};
use omp_workspace::write::{Mode, WriteError, private_directory, write};
use serde_json::{Map, Value, json};
use thiserror::Error;

use crate::records::{self, RecordError, RecordLock};

/// Below the directory of plugins.
const FOLDER: &str = ".commit";
/// What is being done.
const JOURNAL: &str = "journal.json";
/// The package that takes the place.
const NEW: &str = "new";
/// The package that had it.
const OLD: &str = "old";

/// Why nothing was changed.
#[derive(Debug, Error)]
pub enum CommitError {
    #[error(transparent)]
    Records(#[from] RecordError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error("cannot change {}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

/// What becomes of the directory of a package.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DirectoryChange<'a> {
    /// It stays.
    Keep,
    /// This one takes its place: a directory on the same file system, or a symbolic link.
    Put(&'a Path),
    /// It goes.
    Remove,
}

/// The records of packages, held for a change.
pub(crate) struct Change {
    plugins: PathBuf,
    _lock: RecordLock,
    pub(crate) records: PackageRecords,
}

impl Change {
    /// Waits for others, and finishes what one that was killed began.
    pub(crate) fn begin(plugins: &Path) -> Result<Self, CommitError> {
        let lock = RecordLock::take(plugins)?;
        finish(plugins)?;
        let path = plugins.join(RECORDS_FILE);
        // A file that cannot be read counts as empty for those who look, and is not replaced.
        records::load(&path)?;
        let (records, _) = PackageRecords::load(&path);
        Ok(Self { plugins: plugins.to_owned(), _lock: lock, records })
    }

    /// Changes the package `name` and the records, together.
    pub(crate) fn commit(self, name: &str, directory: DirectoryChange<'_>) -> Result<(), CommitError> {
        let folder = self.plugins.join(FOLDER);
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| CommitError::Io { path, source }
        };
        remove(&folder).map_err(failed(&folder))?;
        private_directory(&folder).map_err(failed(&folder))?;
        let new = folder.join(NEW);
        let action = match directory {
            DirectoryChange::Keep => "keep",
            DirectoryChange::Remove => "remove",
            DirectoryChange::Put(from) => {
                std::fs::rename(from, &new).map_err(failed(from))?;
                "put"
            }
        };
        let mut files = Map::new();
        files.insert(RECORDS_FILE.to_owned(), self.records.text().into());
        if let Some(text) = declared(&self.plugins, name, &directory, &self.records) {
            files.insert("package.json".to_owned(), text.into());
        }
        let journal = json!({"package": name, "directory": action, "files": files});
        let path = folder.join(JOURNAL);
        // From here on the change counts.
        write(&path, journal.to_string().as_bytes(), Mode::Private)?;
        sync(&folder);
        finish(&self.plugins)
    }
}

/// Package managers remove what their file does not name, and the original reads it: where there is one, it is kept in step.
fn declared(
    plugins: &Path,
    name: &str,
    change: &DirectoryChange<'_>,
    records: &PackageRecords,
) -> Option<String> {
    let path = plugins.join("package.json");
    let mut document = records::load(&path).ok().filter(|document| !document.is_empty())?;
    let dependencies = document.entry("dependencies").or_insert_with(|| json!({})).as_object_mut()?;
    match change {
        DirectoryChange::Keep => return None,
        // A link is no dependency.
        DirectoryChange::Put(from) if !from.is_symlink() => {
            let record = records.package(name)?;
            dependencies.insert(name.to_owned(), record.version.unwrap_or_else(|| "*".to_owned()).into());
        }
        DirectoryChange::Put(_) | DirectoryChange::Remove => drop(dependencies.shift_remove(name)?),
    }
    serde_json::to_string_pretty(&Value::Object(document)).ok().map(|text| text + "\n")
}

/// Is a change unfinished?
pub(crate) fn is_unfinished(plugins: &Path) -> bool {
    plugins.join(FOLDER).join(JOURNAL).exists()
}

/// Does what the journal says, as far as it is not done. Whoever calls this holds the lock.
fn finish(plugins: &Path) -> Result<(), CommitError> {
    let folder = plugins.join(FOLDER);
    let path = folder.join(JOURNAL);
    let failed = |source| CommitError::Io { path: folder.clone(), source };
    if !path.exists() {
        return remove(&folder).map_err(failed);
    }
    let journal = records::load(&path)?;
    let text = |key: &str| journal.get(key).and_then(Value::as_str).unwrap_or_default();
    let name = text("package");
    if is_package_name(name) {
        let directory = package_directory(plugins, name);
        match text("directory") {
            "put" => put(&folder, &directory).map_err(failed)?,
            "remove" => take_away(&folder, &directory).map_err(failed)?,
            _ => {}
        }
    }
    let files = journal.get("files").and_then(Value::as_object);
    for (file, content) in files.into_iter().flatten() {
        if let (RECORDS_FILE | "package.json", Some(content)) = (file.as_str(), content.as_str()) {
            // Settings may be keys.
            write(&plugins.join(file), content.as_bytes(), Mode::Private)?;
        }
    }
    std::fs::remove_file(&path).map_err(failed)?;
    sync(&folder);
    remove(&folder).map_err(failed)
}

fn put(folder: &Path, directory: &Path) -> io::Result<()> {
    let new = folder.join(NEW);
    if new.symlink_metadata().is_err() {
        return Ok(()); // It has its place already.
    }
    if let Some(parent) = directory.parent() {
        std::fs::create_dir_all(parent)?;
    }
    take_away(folder, directory)?;
    std::fs::rename(&new, directory)?;
    directory.parent().map(sync);
    Ok(())
}

/// A scope that nothing is left of goes, too.
fn take_away(folder: &Path, directory: &Path) -> io::Result<()> {
    let old = folder.join(OLD);
    if directory.symlink_metadata().is_ok() {
        remove(&old)?;
        std::fs::rename(directory, &old)?;
        directory.parent().map(sync);
    }
    if let Some(scope) = directory.parent().filter(|_| !folder.join(NEW).exists())
        && scope.file_name().is_some_and(|name| name.to_string_lossy().starts_with('@'))
    {
        let _ = std::fs::remove_dir(scope);
    }
    Ok(())
}

/// A link goes, what it leads to stays.
fn remove(path: &Path) -> io::Result<()> {
    let removed = match path.symlink_metadata() {
        Ok(facts) if facts.is_dir() => std::fs::remove_dir_all(path),
        Ok(_) => std::fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Names in a directory are on the disk before what relies on them.
fn sync(directory: &Path) {
    if let Ok(directory) = File::open(directory) {
        let _ = directory.sync_all();
    }
}

#[cfg(test)]
mod tests {
    use omp_config::packages::PackageRecord;

    use super::*;

    fn package(at: &Path, version: &str) {
        std::fs::create_dir_all(at).unwrap();
        std::fs::write(at.join("package.json"), format!("{{\"version\":\"{version}\"}}")).unwrap();
    }

    fn state(plugins: &Path, name: &str) -> (Option<String>, Option<String>) {
        let text = std::fs::read_to_string(package_directory(plugins, name).join("package.json")).ok();
        let there = text.and_then(|text| serde_json::from_str::<Value>(&text).ok());
        let there = there.and_then(|document| document["version"].as_str().map(str::to_owned));
        let (records, _) = PackageRecords::load(&plugins.join(RECORDS_FILE));
        (there, records.package(name).and_then(|record| record.version))
    }

    fn install(plugins: &Path, name: &str, version: &str) {
        let staged = plugins.join("staged");
        package(&staged, version);
        let mut change = Change::begin(plugins).unwrap();
        let record = PackageRecord { version: Some(version.to_owned()), ..PackageRecord::default() };
        change.records.set_package(name, &record);
        change.commit(name, DirectoryChange::Put(&staged)).unwrap();
    }

    fn both(version: &str) -> (Option<String>, Option<String>) {
        (Some(version.to_owned()), Some(version.to_owned()))
    }

    /// Copies a directory as it is at one moment.
    fn copy(from: &Path, to: &Path) {
        std::fs::create_dir_all(to).unwrap();
        for entry in std::fs::read_dir(from).unwrap().flatten() {
            let target = to.join(entry.file_name());
            match entry.path().is_dir() {
                true => copy(&entry.path(), &target),
                false => drop(std::fs::copy(entry.path(), target).unwrap()),
            }
        }
    }

    // proves: HOK-110
    #[test]
    fn a_kill_at_any_point_leaves_the_old_or_the_new() {
        let home = tempfile::tempdir().unwrap();
        let plugins = home.path().join("plugins");
        install(&plugins, "@s/x", "1.0.0");
        assert_eq!(state(&plugins, "@s/x"), both("1.0.0"));
        // Everything that a killed change can have left behind, step by step.
        /// What is cut off, how it looks then, and what becomes of it.
        type Cut<'a> = (&'a str, &'a dyn Fn(&Path), &'a str);
        let steps: [Cut<'_>; 6] = [
            ("nothing but the new package", &|_| {}, "1.0.0"),
            ("the journal", &|folder| journal(folder), "2.0.0"),
            (
                "and the old package is away",
                &|folder| {
                    journal(folder);
                    std::fs::rename(folder.join("../node_modules/@s/x"), folder.join(OLD)).unwrap();
                },
                "2.0.0",
            ),
            (
                "and the new one is there",
                &|folder| {
                    journal(folder);
                    std::fs::rename(folder.join("../node_modules/@s/x"), folder.join(OLD)).unwrap();
                    std::fs::rename(folder.join(NEW), folder.join("../node_modules/@s/x")).unwrap();
                },
                "2.0.0",
            ),
            (
                "and the records are written",
                &|folder| {
                    journal(folder);
                    put(folder, &folder.join("../node_modules/@s/x")).unwrap();
                    std::fs::write(folder.join("..").join(RECORDS_FILE), records_with("2.0.0")).unwrap();
                },
                "2.0.0",
            ),
            (
                "and the journal is away",
                &|folder| {
                    put(folder, &folder.join("../node_modules/@s/x")).unwrap();
                    std::fs::write(folder.join("..").join(RECORDS_FILE), records_with("2.0.0")).unwrap();
                },
                "2.0.0",
            ),
        ];
        for (name, step, expected) in steps {
            let plugins = home.path().join("copy");
            remove(&plugins).unwrap();
            copy(&home.path().join("plugins"), &plugins);
            package(&plugins.join(FOLDER).join(NEW), "2.0.0");
            step(&plugins.join(FOLDER));
            drop(Change::begin(&plugins).unwrap());
            assert_eq!(state(&plugins, "@s/x"), both(expected), "{name}");
            assert!(!plugins.join(FOLDER).exists(), "{name}");
        }
    }

    fn records_with(version: &str) -> String {
        let mut records = PackageRecords::default();
        let record = PackageRecord { version: Some(version.to_owned()), ..PackageRecord::default() };
        records.set_package("@s/x", &record);
        records.text()
    }

    fn journal(folder: &Path) {
        let journal =
            json!({"package": "@s/x", "directory": "put", "files": {RECORDS_FILE: records_with("2.0.0")}});
        std::fs::write(folder.join(JOURNAL), journal.to_string()).unwrap();
    }

    // proves: HOK-111
    #[test]
    fn changes_at_one_time_are_all_kept() {
        let home = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for number in 0..8 {
                let plugins = home.path();
                scope.spawn(move || {
                    let name = format!("p{number}");
                    let staged = plugins.join(format!("staged{number}"));
                    package(&staged, "1.0.0");
                    let mut change = Change::begin(plugins).unwrap();
                    let record =
                        PackageRecord { version: Some("1.0.0".to_owned()), ..PackageRecord::default() };
                    change.records.set_package(&name, &record);
                    change.commit(&name, DirectoryChange::Put(&staged)).unwrap();
                });
            }
        });
        for number in 0..8 {
            assert_eq!(state(home.path(), &format!("p{number}")), both("1.0.0"));
        }
    }

    #[test]
    fn the_file_of_a_package_manager_is_kept_in_step() {
        let home = tempfile::tempdir().unwrap();
        install(home.path(), "x", "1.0.0");
        assert!(!home.path().join("package.json").exists(), "nobody needs one");
        std::fs::write(home.path().join("package.json"), "{\"private\":true,\"dependencies\":{\"y\":\"1\"}}")
            .unwrap();
        install(home.path(), "x", "2.0.0");
        let document = |home: &Path| -> Value {
            serde_json::from_str(&std::fs::read_to_string(home.join("package.json")).unwrap()).unwrap()
        };
        assert_eq!(document(home.path()), json!({"private": true, "dependencies": {"y": "1", "x": "2.0.0"}}));
        let mut change = Change::begin(home.path()).unwrap();
        change.records.remove_package("x");
        change.commit("x", DirectoryChange::Remove).unwrap();
        assert_eq!(document(home.path())["dependencies"], json!({"y": "1"}));
        assert_eq!(state(home.path(), "x"), (None, None));
    }
}
