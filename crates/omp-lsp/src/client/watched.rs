//! Files that a server wants to hear about.
//!
//! A server registers patterns, and is told what our own tools do to files that match. Nobody watches the disk for it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use globset::{GlobBuilder, GlobMatcher};
use serde_json::{Value, json};

use super::Client;
use crate::uri;

/// What a server registers for, and how it is told.
pub(super) const METHOD: &str = "workspace/didChangeWatchedFiles";
/// Patterns of one server.
pub(super) const MOST_PATTERNS: usize = 2_000;
/// The longest pattern, in bytes.
const LONGEST: usize = 4 * 1024;
/// The kinds of a pattern that names none: all.
const ALL_KINDS: u64 = 7;
/// How long a server that does not listen is waited for.
const PATIENCE: Duration = Duration::from_secs(1);

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Created,
    Changed,
    Deleted,
}

impl Fate {
    /// Its number in the protocol.
    fn number(self) -> u8 {
        match self {
            Self::Created => 1,
            Self::Changed => 2,
            Self::Deleted => 3,
        }
    }

    /// Its bit in the kinds of a pattern.
    fn bit(self) -> u64 {
        1 << (self.number() - 1)
    }
}

/// One pattern of a server.
pub(super) struct Watched {
    /// The directory that the pattern begins in.
    base: PathBuf,
    glob: Arc<GlobMatcher>,
    kinds: u64,
}

impl Watched {
    /// Reads the options of a registration. What is invalid is skipped.
    pub(super) fn list(options: &Value, root: &Path) -> Vec<Self> {
        let items = options.get("watchers").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        // Servers repeat a few patterns for each of many directories.
        let mut known = HashMap::new();
        let read = |item: &Value| {
            let (base, pattern) = place(item.get("globPattern")?, root)?;
            let glob = match known.get(&pattern) {
                Some(glob) => Arc::clone(glob),
                None => Arc::new(compiled(&pattern)?),
            };
            known.insert(pattern, Arc::clone(&glob));
            let kinds = item.get("kind").and_then(Value::as_u64).unwrap_or(ALL_KINDS);
            Some(Self { base, glob, kinds })
        };
        items.iter().take(MOST_PATTERNS).filter_map(read).collect()
    }

    fn wants(&self, path: &Path, fate: Fate) -> bool {
        self.kinds & fate.bit() != 0
            && path.strip_prefix(&self.base).is_ok_and(|rest| self.glob.is_match(rest))
    }
}

/// Where a pattern begins, and the pattern: relative to a directory that it names, to the project, or absolute.
fn place(pattern: &Value, root: &Path) -> Option<(PathBuf, String)> {
    if let Some(text) = pattern.as_str() {
        return Some(match text.strip_prefix('/') {
            Some(absolute) => (PathBuf::from("/"), absolute.to_owned()),
            None => (root.to_owned(), text.to_owned()),
        });
    }
    let base = pattern.get("baseUri")?;
    let base = base.as_str().or_else(|| base.get("uri")?.as_str())?;
    Some((uri::path(base)?, pattern.get("pattern")?.as_str()?.to_owned()))
}

fn compiled(pattern: &str) -> Option<GlobMatcher> {
    if pattern.len() > LONGEST {
        return None;
    }
    let glob = GlobBuilder::new(pattern).literal_separator(true).empty_alternates(true).build();
    Some(glob.ok()?.compile_matcher())
}

impl Client {
    /// Does the server want to hear about any files?
    pub fn watches(&self) -> bool {
        self.shared.state().registered.values().any(|one| !one.watched.is_empty())
    }

    /// Tells what became of files, as far as the server wants to hear of them.
    pub async fn files_changed(&self, files: &[(PathBuf, Fate)]) {
        let changes: Vec<Value> = {
            let state = self.shared.state();
            let wanted = |path: &Path, fate: Fate| {
                let mut watched = state.registered.values().flat_map(|one| &one.watched);
                watched.any(|one| one.wants(path, fate))
            };
            let some = files.iter().filter(|(path, fate)| wanted(path, *fate));
            some.map(|(path, fate)| json!({"uri": uri::of(path), "type": fate.number()})).collect()
        };
        if !changes.is_empty() {
            // One that is gone meanwhile or does not listen need not know.
            let params = json!({ "changes": changes });
            let _ = tokio::time::timeout(PATIENCE, self.notify(METHOD, &params)).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wants(watcher: &Value, path: &str, fate: Fate) -> bool {
        let all = Watched::list(&json!({ "watchers": [watcher] }), Path::new("/p q"));
        all.iter().any(|one| one.wants(Path::new(path), fate))
    }

    #[test]
    fn patterns_are_those_of_the_protocol() {
        let inside = |pattern: &str| json!({"baseUri": "file:///p%20q/in", "pattern": pattern});
        let folder = json!({"baseUri": {"uri": "file:///p%20q/in/", "name": "in"}, "pattern": "*.rs"});
        for (pattern, path, expected) in [
            (json!("**/*.rs"), "/p q/a.rs", true),
            (json!("**/*.rs"), "/p q/b/c/a.rs", true),
            (json!("**/*.rs"), "/p q/a.rsx", false),
            (json!("**/*.rs"), "/elsewhere/a.rs", false),
            (json!("**/*.rs"), "/p qq/a.rs", false),
            (json!("*.rs"), "/p q/a.rs", true),
            (json!("*.rs"), "/p q/b/a.rs", false),
            (json!("**"), "/p q/b/.hidden", true),
            (json!("b/**"), "/p q/b/c/d", true),
            (json!("**/{Cargo.toml,*.lock}"), "/p q/b/Cargo.toml", true),
            (json!("{**/*.ts,x/*.js}"), "/p q/b/c.ts", true),
            (json!("{**/*.ts,x/*.js}"), "/p q/b/c.js", false),
            (json!("**/*.{,m}js"), "/p q/a.js", true),
            (json!("a?.[0-9]"), "/p q/ab.7", true),
            (json!("a.[!0-9]"), "/p q/a.7", false),
            (json!("/p q/**/*.rs"), "/p q/b/a.rs", true),
            (json!("/other/**/*.rs"), "/p q/b/a.rs", false),
            (json!("/other/**/*.rs"), "/other/a.rs", true),
            (inside("*.rs"), "/p q/in/a.rs", true),
            (inside("*.rs"), "/p q/in/b/a.rs", false),
            (inside("**/*.rs"), "/p q/a.rs", false),
            (folder, "/p q/in/a.rs", true),
        ] {
            let found = wants(&json!({ "globPattern": pattern }), path, Fate::Changed);
            assert_eq!(found, expected, "{pattern} {path}");
        }
    }

    #[test]
    fn a_pattern_may_be_for_some_changes_only() {
        for (kind, expected) in [
            (Value::Null, [true, true, true]),
            (json!(1), [true, false, false]),
            (json!(2), [false, true, false]),
            (json!(4), [false, false, true]),
            (json!(5), [true, false, true]),
            (json!(0), [false, false, false]),
        ] {
            let watcher = json!({"globPattern": "**", "kind": kind});
            let found =
                [Fate::Created, Fate::Changed, Fate::Deleted].map(|fate| wants(&watcher, "/p q/a", fate));
            assert_eq!(found, expected, "{kind}");
        }
    }

    #[test]
    fn nonsense_and_endless_lists_are_passed_over() {
        let watchers = json!([{"globPattern": "a["}, {"globPattern": 7}, {}, 3, {"globPattern": "x".repeat(5_000)},
            {"globPattern": {"baseUri": "https://h/x", "pattern": "**"}}, {"globPattern": {"pattern": "**"}},
            {"globPattern": "good"}]);
        let all = Watched::list(&json!({ "watchers": watchers }), Path::new("/p"));
        assert_eq!(all.len(), 1);
        assert!(all[0].wants(Path::new("/p/good"), Fate::Created));
        assert!(Watched::list(&Value::Null, Path::new("/p")).is_empty());

        let many: Vec<Value> = (0..5_000).map(|_| json!({"globPattern": "**/*.rs"})).collect();
        let all = Watched::list(&json!({ "watchers": many }), Path::new("/p"));
        assert_eq!(all.len(), MOST_PATTERNS);
        assert!(Arc::ptr_eq(&all[0].glob, &all[1].glob), "a pattern is compiled once");
    }
}
