//! The files that a manifest names.

use std::path::{Component, Path, PathBuf};

use globset::GlobBuilder;
use serde_json::Value;

use super::manifest::{PackageManifest, PartKind};
use super::records::mapping;

/// Code that a directory can start with, the source before what is made of it.
const INDEXES: [&str; 4] = ["index.ts", "index.js", "index.mjs", "index.cjs"];
/// As far as a pattern reaches.
const DEEPEST: usize = 8;
const MOST_FILES: usize = 5_000;

/// Something that a package says it brings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredPart {
    pub kind: PartKind,
    /// As the manifest names it.
    pub entry: String,
    /// The feature that it belongs to.
    pub feature: Option<String>,
    /// What it leads to; several for a directory or a pattern.
    pub files: Vec<PathBuf>,
    /// Why there is none.
    pub problem: Option<String>,
}

impl PackageManifest {
    /// What the manifest names of one kind, with the features that were chosen.
    pub fn declared(&self, directory: &Path, kind: PartKind, chosen: Option<&[String]>) -> Vec<DeclaredPart> {
        let entries = self.entries(kind, chosen);
        let excluded: Vec<PathBuf> = entries
            .iter()
            .filter_map(|(entry, _)| entry.strip_prefix('!'))
            .filter_map(|entry| matching(directory, kind, entry).ok())
            .flatten()
            .collect();
        let wanted = entries.into_iter().filter(|(entry, _)| !entry.starts_with('!'));
        wanted
            .map(|(entry, feature)| {
                let (mut files, problem) = match matching(directory, kind, &entry) {
                    Ok(files) => (files, None),
                    Err(problem) => (Vec::new(), Some(problem)),
                };
                files.retain(|file| !excluded.contains(file));
                DeclaredPart { kind, entry, feature, files, problem }
            })
            .collect()
    }

    /// What is in the directory that has the name of a kind, whether the manifest names it or not.
    pub fn in_directory(&self, directory: &Path, kind: PartKind) -> Vec<PathBuf> {
        let path = directory.join(kind.key());
        let is_there = self.contributes() && path.is_dir();
        if is_there { files_of(&path, kind, directory) } else { Vec::new() }
    }
}

/// What an entry leads to, or why it leads nowhere.
fn matching(directory: &Path, kind: PartKind, entry: &str) -> Result<Vec<PathBuf>, String> {
    let inside = inside(entry).ok_or("it is outside the package")?;
    let files = match entry.contains(['*', '?', '[', '{']) {
        true => globbed(directory, &inside)?,
        false => vec![directory.join(&inside)],
    };
    let mut found = Vec::new();
    for file in files {
        found.extend(files_of(&file, kind, directory));
    }
    match found.is_empty() {
        false => Ok(found),
        true if !directory.join(&inside).exists() => Err("it does not exist".to_owned()),
        true => Err(match kind {
            PartKind::Extensions | PartKind::Tools | PartKind::Hooks => "the directory has no index file",
            PartKind::Skills => "it has no SKILL.md",
            PartKind::Commands | PartKind::Prompts => "it has no Markdown files",
        }
        .to_owned()),
    }
}

/// A path of the package, without detours; `None` if it leaves the package.
fn inside(entry: &str) -> Option<PathBuf> {
    let mut path = PathBuf::new();
    for component in Path::new(entry).components() {
        match component {
            Component::Normal(name) => path.push(name),
            Component::CurDir => {}
            Component::ParentDir => {
                if !path.pop() {
                    return None;
                }
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(path)
}

fn globbed(directory: &Path, pattern: &Path) -> Result<Vec<PathBuf>, String> {
    let glob = GlobBuilder::new(&pattern.to_string_lossy()).literal_separator(true).build();
    let matcher = glob.map_err(|error| error.to_string())?.compile_matcher();
    let mut found = Vec::new();
    let mut looked = 0;
    walk(directory, directory, 0, &mut looked, &mut |path, relative| {
        if matcher.is_match(relative) {
            found.push(path.to_owned());
        }
    });
    found.sort();
    Ok(found)
}

fn walk(top: &Path, folder: &Path, depth: usize, looked: &mut usize, found: &mut impl FnMut(&Path, &Path)) {
    for path in entries(folder) {
        *looked += 1;
        if *looked > MOST_FILES {
            return;
        }
        found(&path, path.strip_prefix(top).unwrap_or(&path));
        let descends = path.file_name().is_some_and(|name| name != "node_modules") && path.is_dir();
        if descends && depth < DEEPEST {
            walk(top, &path, depth + 1, looked, found);
        }
    }
}

/// What is in a folder and not hidden, by name.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(listed) = std::fs::read_dir(folder) else { return Vec::new() };
    let visible = |entry: &std::fs::DirEntry| !entry.file_name().to_string_lossy().starts_with('.');
    let mut paths: Vec<PathBuf> =
        listed.flatten().filter(visible).map(|entry| entry.path()).take(MOST_FILES).collect();
    paths.sort();
    paths
}

/// The files of one kind that a path stands for.
fn files_of(path: &Path, kind: PartKind, package: &Path) -> Vec<PathBuf> {
    let markdown = |path: &PathBuf| path.extension().is_some_and(|it| it == "md") && path.is_file();
    match (kind, path.is_dir()) {
        (_, false) => Some(path.to_owned()).filter(|path| path.is_file()).into_iter().collect(),
        (PartKind::Extensions, true) => extension_directory(path, package),
        (PartKind::Tools | PartKind::Hooks, true) => index(path).into_iter().collect(),
        (PartKind::Skills, true) => {
            let own = path.join("SKILL.md");
            match own.is_file() {
                true => vec![own],
                false => {
                    let below = entries(path).into_iter().map(|folder| folder.join("SKILL.md"));
                    below.filter(|file| file.is_file()).collect()
                }
            }
        }
        (PartKind::Commands | PartKind::Prompts, true) => {
            entries(path).into_iter().filter(markdown).collect()
        }
    }
}

/// The modules of a directory: what its own `package.json` says, else its index, else those one level below it.
fn extension_directory(folder: &Path, package: &Path) -> Vec<PathBuf> {
    let own = own_entries(folder).filter(|_| folder != package);
    if let Some(own) = own.or_else(|| index(folder).map(|index| vec![index])) {
        return own;
    }
    let mut found = Vec::new();
    for path in entries(folder) {
        if path.is_dir() {
            found.extend(
                own_entries(&path).or_else(|| index(&path).map(|index| vec![index])).into_iter().flatten(),
            );
        } else if is_module(&path) {
            found.push(path);
        }
    }
    // Of two files that differ in the language only, TypeScript is the source.
    let sources: Vec<PathBuf> =
        found.iter().filter(|path| path.extension().is_some_and(|it| it == "ts")).cloned().collect();
    found.retain(|path| sources.contains(path) || !sources.contains(&path.with_extension("ts")));
    found
}

fn own_entries(folder: &Path) -> Option<Vec<PathBuf>> {
    let document = mapping(&folder.join("package.json")).ok()??;
    let declared = ["omp", "pi"].iter().find_map(|key| document.get(*key)?.get("extensions")?.as_array())?;
    let paths = declared.iter().filter_map(Value::as_str).filter_map(inside).map(|path| folder.join(path));
    Some(paths.filter(|path| path.is_file()).collect())
}

fn index(folder: &Path) -> Option<PathBuf> {
    INDEXES.iter().map(|name| folder.join(name)).find(|path| path.is_file())
}

/// Declarations have the ending of code and cannot run.
fn is_module(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_code = [".ts", ".js", ".mjs", ".cjs"].iter().any(|ending| name.ends_with(ending));
    is_code
        && ![".d.ts", ".test.ts", ".test.js", ".spec.ts"].iter().any(|ending| name.ends_with(ending))
        && path.is_file()
}
