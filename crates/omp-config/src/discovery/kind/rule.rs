//! Rules: Markdown files with triggers.

use std::path::Path;

use serde_json::{Map, Value};

use super::super::disk::DirectoryEntry;
use super::super::engine::{Kind, Loader, Search};
use super::super::fields::{field, is_true, text, texts};
use super::super::item::{InterruptMode, Level, Rule};
use super::super::places::Root;
use super::super::provider::Loaders;
use crate::frontmatter::Document;

impl Kind for Rule {
    type Key = String;
    const NAME: &'static str = "rule";

    fn loader(loaders: &Loaders) -> Loader<Self> {
        loaders.rules
    }

    fn key(item: &Self) -> Option<String> {
        Some(item.name.clone())
    }

    fn label(item: &Self) -> String {
        item.name.clone()
    }
}

/// Adds the files of the directory `rules` that have one of the `extensions`.
pub(in super::super) fn collect(search: &mut Search<'_, Rule>, rules: &Root, extensions: &[&str]) {
    let folder = search.folder(&rules.path);
    for entry in folder.entries.iter().filter(|entry| entry.is_file() && !entry.is_hidden()) {
        if let Some(name) = stem(entry, extensions) {
            add(search, rules.level, name, &entry.path);
        }
    }
}

/// Adds the nearest `.clinerules`: a folder of rules, or one file.
pub(in super::super) fn nearest_cline(search: &mut Search<'_, Rule>) {
    for path in search.discovery.ancestors.iter().map(|directory| directory.join(".clinerules")) {
        let root = Root { level: Level::Project, path };
        if root.path.is_dir() {
            return collect(search, &root, &["md"]);
        }
        if root.path.exists() {
            return add(search, root.level, "clinerules", &root.path);
        }
    }
}

/// Adds the one file at `path`.
pub(in super::super) fn add(search: &mut Search<'_, Rule>, level: Level, name: &str, path: &Path) {
    let Some((document, _)) = search.document(path) else { return };
    let Ok(interrupt_mode) = interrupt_mode(&document.data) else {
        search.warn(format!(
            "{}: `interruptMode` must be never, prose-only, tool-only or always; using the general setting",
            path.display()
        ));
        return search.add(level, path.to_path_buf(), rule(name, path, document, None));
    };
    search.add(level, path.to_path_buf(), rule(name, path, document, interrupt_mode));
}

/// The name of a file without one of the `extensions`.
pub(in super::super) fn stem<'a>(entry: &'a DirectoryEntry, extensions: &[&str]) -> Option<&'a str> {
    let (stem, extension) = entry.name.rsplit_once('.')?;
    extensions.contains(&extension).then_some(stem)
}

fn rule(name: &str, path: &Path, document: Document, interrupt_mode: Option<InterruptMode>) -> Rule {
    let Document { data, body, .. } = document;
    let (condition, scope) = triggers(&data);
    Rule {
        name: name.to_owned(),
        path: path.to_path_buf(),
        content: body,
        globs: texts(&data, "globs"),
        always_apply: is_true(&data, "alwaysApply"),
        description: text(&data, "description"),
        condition,
        ast_condition: texts(&data, "astCondition"),
        scope,
        interrupt_mode,
    }
}

/// Conditions and scopes. A condition that is a file pattern means: when such a file is edited or written.
fn triggers(data: &Map<String, Value>) -> (Vec<String>, Vec<String>) {
    let given = ["condition", "ttsr_trigger", "ttsrTrigger"]
        .iter()
        .map(|name| texts(data, name))
        .find(|given| !given.is_empty())
        .unwrap_or_default();
    let (patterns, mut condition): (Vec<_>, Vec<_>) =
        given.into_iter().partition(|condition| is_file_pattern(condition));
    let mut scope = texts(data, "scope");
    for pattern in &patterns {
        scope.push(format!("tool:edit({pattern})"));
        scope.push(format!("tool:write({pattern})"));
    }
    if condition.is_empty() && !patterns.is_empty() {
        condition.push(".*".to_owned());
    }
    (condition, scope)
}

/// Tells `*.rs` and `src/**/*.ts` from regular expressions such as `.*` and `foo.*bar`.
fn is_file_pattern(condition: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "_-./*?{},!".contains(c);
    if !condition.contains('*') || !condition.chars().all(plain) {
        return false;
    }
    // A star after a name repeats its last letter in an expression; the ending of a file name settles it.
    let has_extension = condition.rsplit_once('.').is_some_and(|(_, extension)| {
        !extension.is_empty() && extension.chars().all(|c| c.is_alphanumeric() || "{},".contains(c))
    });
    let mut previous = '/';
    condition.chars().all(|c| {
        let before = std::mem::replace(&mut previous, c);
        c != '*' || "/*{,!".contains(before) || (before != '.' && has_extension)
    })
}

fn interrupt_mode(data: &Map<String, Value>) -> Result<Option<InterruptMode>, ()> {
    let Some(value) = field(data, "interruptMode") else { return Ok(None) };
    match value.as_str() {
        Some("never") => Ok(Some(InterruptMode::Never)),
        Some("prose-only") => Ok(Some(InterruptMode::ProseOnly)),
        Some("tool-only") => Ok(Some(InterruptMode::ToolOnly)),
        Some("always") => Ok(Some(InterruptMode::Always)),
        _ => Err(()),
    }
}

#[cfg(test)]
mod tests {
    use super::is_file_pattern;

    #[test]
    fn file_patterns_and_expressions() {
        for pattern in
            ["*.rs", "src/**/*.ts", "*.{ts,tsx}", "{src,lib}/*.py", "test_*.py", "docs/*", "!*.lock"]
        {
            assert!(is_file_pattern(pattern), "{pattern}");
        }
        for expression in
            [".*", "foo.*bar", "unwrap\\(\\)", "a*", "TODO", "src/main.rs", "x* y", "^.*$", "console.*"]
        {
            assert!(!is_file_pattern(expression), "{expression}");
        }
    }
}
