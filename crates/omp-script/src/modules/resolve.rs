//! From a specifier to a file, as Node, Bun and bundlers of TypeScript together understand it.

use std::path::{Component, Path, PathBuf};

use super::package::{entries, exported, imported, package_of, read_manifest};

/// Who asks: a package may answer differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Import,
    Require,
}

/// Tried behind a name that is no file, in this order.
const EXTENSIONS: [&str; 9] = ["ts", "tsx", "mts", "cts", "js", "mjs", "cjs", "jsx", "json"];

/// TypeScript names the files that it will become.
const MEANT: [(&str, &[&str]); 4] =
    [("js", &["ts", "tsx"]), ("mjs", &["mts"]), ("cjs", &["cts"]), ("jsx", &["tsx"])];

/// The file, and the query it was asked with. `directory` is that of the importer. An error is a sentence.
pub(crate) fn resolve(directory: &Path, specifier: &str, way: Way) -> Result<(PathBuf, String), String> {
    let url = specifier.starts_with("file:").then(|| url::Url::parse(specifier).ok()).flatten();
    if let Some(url) = url {
        let path = url
            .to_file_path()
            .map_err(|()| format!("cannot find {specifier}: not a path of this machine"))?;
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        return Ok((existing(&path, specifier)?, query));
    }
    if specifier.starts_with('#') {
        return Ok((internal(directory, specifier, way)?, String::new()));
    }
    let is_path = specifier.starts_with('/')
        || specifier == "."
        || specifier == ".."
        || specifier.starts_with("./")
        || specifier.starts_with("../");
    if is_path {
        let whole = normal(&directory.join(specifier));
        if let Some(found) = file(&whole) {
            return Ok((real(&found), String::new()));
        }
        let (path, query) = match specifier.find('?') {
            Some(at) => specifier.split_at(at),
            None => (specifier, ""),
        };
        let path = normal(&directory.join(path));
        return Ok((existing(&path, specifier)?, query.to_owned()));
    }
    package(directory, specifier, way).map(|path| (path, String::new()))
}

fn existing(path: &Path, specifier: &str) -> Result<PathBuf, String> {
    file(path)
        .map(|path| real(&path))
        .ok_or_else(|| format!("cannot find {specifier}: no file {}", path.display()))
}

/// Without `.` and `..`, before links are followed.
fn normal(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The file that `path` means: itself, what it will have been compiled from, with an extension, or as a directory.
fn file(path: &Path) -> Option<PathBuf> {
    if path.is_file() {
        return Some(path.to_owned());
    }
    let extension = path.extension().and_then(|extension| extension.to_str());
    let meant =
        MEANT.iter().find(|(own, _)| Some(*own) == extension).map_or(&[] as &[&str], |(_, meant)| meant);
    if let Some(found) =
        meant.iter().map(|extension| path.with_extension(extension)).find(|path| path.is_file())
    {
        return Some(found);
    }
    let name = path.file_name()?.to_string_lossy();
    let with = |extension: &&str| path.with_file_name(format!("{name}.{extension}"));
    EXTENSIONS.iter().map(with).find(|path| path.is_file()).or_else(|| inside(path, Way::Import))
}

/// The entry of a directory.
fn inside(directory: &Path, way: Way) -> Option<PathBuf> {
    if !directory.is_dir() {
        return None;
    }
    for main in entries(&read_manifest(directory).unwrap_or_default(), way) {
        let main = normal(&directory.join(main));
        // A `main` that is the directory itself would never end.
        if main != *directory
            && main.starts_with(directory)
            && let Some(found) = file(&main)
        {
            return Some(found);
        }
    }
    let index = |extension: &&str| directory.join(format!("index.{extension}"));
    EXTENSIONS.iter().map(index).find(|path| path.is_file())
}

fn split(specifier: &str) -> (&str, &str) {
    let slashes = if specifier.starts_with('@') { 2 } else { 1 };
    match specifier.match_indices('/').nth(slashes - 1) {
        Some((at, _)) => (&specifier[..at], &specifier[at + 1..]),
        None => (specifier, ""),
    }
}

fn package(directory: &Path, specifier: &str, way: Way) -> Result<PathBuf, String> {
    let (name, rest) = split(specifier);
    let subpath = if rest.is_empty() { ".".to_owned() } else { format!("./{rest}") };
    // A package may import itself by its name.
    if let Some((own, manifest)) = package_of(&directory.join("x"))
        && manifest.get("name").and_then(serde_json::Value::as_str) == Some(name)
        && manifest.contains_key("exports")
    {
        return offered(&own, specifier, &subpath, way);
    }
    for above in directory.ancestors() {
        if above.ends_with("node_modules") {
            continue;
        }
        let found = above.join("node_modules").join(name);
        if found.is_dir() {
            return offered(&found, specifier, &subpath, way);
        }
        // A file beside packages: old, but allowed.
        if rest.is_empty()
            && let Some(found) = file(&found)
        {
            return Ok(real(&found));
        }
    }
    Err(format!("cannot find package \"{name}\" (is it installed?)"))
}

/// The file that a package offers as `subpath`.
fn offered(directory: &Path, specifier: &str, subpath: &str, way: Way) -> Result<PathBuf, String> {
    let nothing =
        || format!("cannot find {specifier}: the package in {} does not offer it", directory.display());
    let manifest = read_manifest(directory).unwrap_or_default();
    let path = match exported(&manifest, subpath, way) {
        Some(target) => {
            let target = target.ok_or_else(nothing)?;
            within(directory, &target).ok_or_else(nothing)?
        }
        None if subpath == "." => return inside(directory, way).map(|path| real(&path)).ok_or_else(nothing),
        None => normal(&directory.join(subpath)),
    };
    file(&path).map(|path| real(&path)).ok_or_else(nothing)
}

/// A target of a manifest leads nowhere outside of its package.
fn within(directory: &Path, target: &str) -> Option<PathBuf> {
    let path = normal(&directory.join(target.strip_prefix("./")?));
    path.starts_with(directory).then_some(path)
}

fn internal(directory: &Path, specifier: &str, way: Way) -> Result<PathBuf, String> {
    let nothing = || format!("cannot find {specifier}: no \"imports\" of a package.json names it");
    let (own, manifest) = package_of(&directory.join("x")).ok_or_else(nothing)?;
    let target = imported(&manifest, specifier, way).ok_or_else(nothing)?;
    if target.starts_with("./") {
        let path = within(&own, &target).ok_or_else(nothing)?;
        return existing(&path, specifier);
    }
    package(&own, &target, way)
}
