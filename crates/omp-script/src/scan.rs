//! What a script imports, found without running it: what is missing can be listed, and a host process chosen, before it is loaded.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::compile::{Request, requests_of};
use crate::modules::{Way, kind_of, node_name, resolve};

/// Files after that many are not looked at.
const MOST: usize = 2_000;

/// What an entry and everything it imports ask for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScanReport {
    /// Names by module, for modules that are no files: those of Node, those of the program, packages that are not installed. Modules
    /// of Node have their `node:`. A module without names is imported as a whole.
    pub imports: BTreeMap<String, BTreeSet<String>>,
    pub files: Vec<PathBuf>,
    /// Why this must run in a host process, if it must.
    pub needs_host: Option<String>,
    /// Files that cannot be read or compiled, each as a sentence.
    pub problems: Vec<String>,
}

/// Modules of Node that only Node has.
const HOST_ONLY: [&str; 7] = ["worker_threads", "vm", "cluster", "inspector", "net", "tls", "v8"];

/// Follows the imports of `entry` through files and packages. What `is_builtin` says comes with the program is not followed.
/// `cache` is that of the engine: a file that was scanned before is not parsed again.
pub fn scan(entry: &Path, is_builtin: &dyn Fn(&str) -> bool, cache: Option<&Path>) -> ScanReport {
    let mut report = ScanReport::default();
    let entry = entry.canonicalize().unwrap_or_else(|_| entry.to_owned());
    let manifest = crate::modules::package_of(&entry);
    let mut waiting = vec![entry.clone()];
    let mut seen: BTreeSet<PathBuf> = BTreeSet::from([entry]);
    while let Some(path) = waiting.pop() {
        if report.files.len() >= MOST {
            report.problems.push(format!("more than {MOST} files are imported; the rest was not scanned"));
            break;
        }
        report.files.push(path.clone());
        for found in report.follow(&path, is_builtin, cache) {
            if seen.insert(found.clone()) {
                waiting.push(found);
            }
        }
    }
    report.files.sort();
    // A package knows best: `"omp": { "engine": "process" }`, or `"inside"` where the scan sees more than is ever run.
    let engine = manifest.as_ref().and_then(|(_, manifest)| manifest.get("omp")?.get("engine")?.as_str());
    match engine {
        Some("process") => report.needs_host = Some("its package.json asks for one".to_owned()),
        Some("inside") => report.needs_host = None,
        _ => {}
    }
    report
}

impl ScanReport {
    /// Looks at one file; gives those that it imports.
    fn follow(
        &mut self,
        path: &Path,
        is_builtin: &dyn Fn(&str) -> bool,
        cache: Option<&Path>,
    ) -> Vec<PathBuf> {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        match extension {
            "node" => self.host(format!("{} is native code", path.display())),
            "json" | "md" | "txt" | "html" | "css" | "wasm" => {}
            _ => match std::fs::read_to_string(path) {
                Ok(source) => match requests_of(path, &source, kind_of(path), cache) {
                    Ok(requests) => return self.read(path, requests, is_builtin),
                    Err(problem) => self.problems.push(problem),
                },
                Err(error) => self.problems.push(format!("cannot read {}: {error}", path.display())),
            },
        }
        Vec::new()
    }

    fn read(
        &mut self,
        path: &Path,
        requests: Vec<Request>,
        is_builtin: &dyn Fn(&str) -> bool,
    ) -> Vec<PathBuf> {
        let directory = path.parent().unwrap_or(Path::new("/"));
        let mut files = Vec::new();
        for request in requests {
            let specifier = request.specifier.as_str();
            if let Some(name) = node_name(specifier) {
                if HOST_ONLY.contains(&name) {
                    self.host(format!("{} imports node:{name}", path.display()));
                }
                let shown = if name.starts_with("bun") { name.to_owned() } else { format!("node:{name}") };
                self.imports.entry(shown).or_default().extend(request.names);
                continue;
            }
            if is_builtin(specifier) {
                self.imports.entry(specifier.to_owned()).or_default().extend(request.names);
                continue;
            }
            match resolve(directory, specifier, Way::Import) {
                Ok((found, _)) => {
                    if let Some(package) = native_package(&found) {
                        self.host(format!("the package {package} has native code"));
                    }
                    files.push(found);
                    // A package may answer `require` with another file.
                    files.extend(resolve(directory, specifier, Way::Require).map(|(found, _)| found));
                }
                Err(problem) if specifier.starts_with(['.', '/']) => {
                    self.problems.push(format!("{problem}, imported by {}", path.display()));
                }
                Err(_) => self.imports.entry(specifier.to_owned()).or_default().extend(request.names),
            }
        }
        files
    }

    /// The first reason stands.
    fn host(&mut self, reason: String) {
        self.needs_host.get_or_insert(reason);
    }
}

/// The package of a file, if it was made for compiled code.
fn native_package(path: &Path) -> Option<String> {
    let (directory, manifest) = crate::modules::package_of(path)?;
    if !directory.components().any(|part| part.as_os_str() == "node_modules") {
        return None;
    }
    let has = |key: &str| manifest.get(key).is_some_and(|value| value != &serde_json::Value::Bool(false));
    let is_native = has("gypfile")
        || has("napi")
        || has("binary")
        || directory.join("binding.gyp").is_file()
        || directory.join("prebuilds").is_dir()
        || directory.join("build/Release").is_dir();
    is_native.then(|| directory.file_name().unwrap_or_default().to_string_lossy().into_owned())
}
