//! Which extensions there are: those in the user's and the project's directories, and those that were named.

use std::path::{Path, PathBuf};

use omp_config::discovery::{Discovery, HookPhase, Level, ToolForm};
use omp_config::settings::{Settings, keys, strings};
use omp_config::{Directories, expand_home};
use omp_extension_host::{ExtensionForm, ExtensionSource, ExtensionSpec};

use crate::extensions::ExtensionChoice;
use crate::prompt::knowledge;
use crate::session::builder::SessionBuilder;

/// An extension that is there and is not loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedExtension {
    /// What it is.
    pub spec: ExtensionSpec,
    /// Why it is not loaded.
    pub reason: String,
}

/// What was found.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) specs: Vec<ExtensionSpec>,
    pub(crate) refused: Vec<RefusedExtension>,
    pub(crate) warnings: Vec<String>,
}

impl SessionBuilder {
    /// Native directories first, then what was named. A file that is found twice keeps its first place.
    pub(crate) async fn find_extensions(&mut self, choice: &ExtensionChoice) -> Found {
        let discovery = knowledge::discovery(&self.options.directories, &self.options.cwd, &self.settings);
        let mut found = Found::default();
        if !choice.only_named {
            discovered(&discovery, &mut found);
        }
        let listed = strings(self.settings.get(keys::EXTENSIONS)).map(PathBuf::from);
        let named: Vec<PathBuf> = choice.named.iter().cloned().chain(listed).collect();
        let home = &self.options.directories.home;
        for path in &named {
            self::named(path, &self.options.cwd, home, &discovery, &mut found);
        }
        let mut seen = Vec::new();
        found.specs.retain(|spec| {
            let real = spec.path.canonicalize().unwrap_or_else(|_| spec.path.clone());
            let new = !seen.contains(&real);
            seen.push(real);
            new
        });
        if found.specs.iter().any(|spec| needs_consent(spec, &self.options.cwd)) {
            self.refuse_untrusted(&mut found, choice).await;
        }
        found
    }

    /// Code of the project runs only as the user has agreed to it.
    async fn refuse_untrusted(&self, found: &mut Found, choice: &ExtensionChoice) {
        let (trust, cwd) = (self.trust(), self.options.cwd.clone());
        let trusted: Vec<PathBuf> =
            choice.trusted.iter().filter_map(|path| cwd.join(path).canonicalize().ok()).collect();
        let specs = std::mem::take(&mut found.specs);
        let checked = tokio::task::spawn_blocking(move || {
            let may = |spec: &ExtensionSpec| match spec.path.canonicalize() {
                Ok(real) if trusted.iter().any(|path| real.starts_with(path)) => Ok(()),
                _ if !needs_consent(spec, &cwd) => Ok(()),
                _ => trust.extension(spec),
            };
            specs.into_iter().map(|spec| (may(&spec), spec)).collect::<Vec<_>>()
        });
        for (may, spec) in checked.await.unwrap_or_default() {
            match may {
                Ok(()) => found.specs.push(spec),
                Err(reason) => found.refused.push(RefusedExtension { spec, reason }),
            }
        }
        match found.refused.len() {
            0 => {}
            count => found.warnings.push(format!(
                "{count} {} of this project {} not loaded, because you have not trusted {} (/extensions lists them; to \
                 allow them: /trust add, or omp trust add)",
                if count == 1 { "extension" } else { "extensions" },
                if count == 1 { "was" } else { "were" },
                if count == 1 { "it" } else { "them" },
            )),
        }
    }
}

/// Does it come with the project, wherever it was named?
pub(crate) fn needs_consent(spec: &ExtensionSpec, cwd: &Path) -> bool {
    match spec.source {
        ExtensionSource::Project => true,
        ExtensionSource::User | ExtensionSource::Plugin(_) => false,
        // What a person types is what he wants; what a settings file of the project names is not told apart from it.
        ExtensionSource::CommandLine => {
            let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
            real(&spec.path).starts_with(real(cwd))
        }
    }
}

fn source(level: Level) -> ExtensionSource {
    match level {
        Level::User => ExtensionSource::User,
        Level::Project => ExtensionSource::Project,
    }
}

fn discovered(discovery: &Discovery, found: &mut Found) {
    let (modules, tools, hooks) = (discovery.extension_modules(), discovery.tools(), discovery.hooks());
    for warnings in [&modules.warnings, &tools.warnings] {
        found.warnings.extend_from_slice(warnings);
    }
    for finding in modules.active() {
        found.specs.push(ExtensionSpec {
            name: finding.item.name.clone(),
            path: finding.item.path.clone(),
            form: ExtensionForm::Extension,
            source: source(finding.origin.level),
        });
    }
    for finding in tools.active().filter(|finding| finding.item.form == ToolForm::Module) {
        found.specs.push(ExtensionSpec {
            name: finding.item.name.clone(),
            path: finding.item.path.clone(),
            form: ExtensionForm::Tool,
            source: source(finding.origin.level),
        });
    }
    for finding in hooks.active().filter(|finding| omp_extend::hooks::is_module(&finding.item.path)) {
        let phase = match finding.item.phase {
            HookPhase::Pre => "pre",
            HookPhase::Post => "post",
        };
        found.specs.push(ExtensionSpec {
            name: format!("{phase}/{}", finding.item.tool),
            path: finding.item.path.clone(),
            form: ExtensionForm::Hook(Some(finding.item.tool.clone())),
            source: source(finding.origin.level),
        });
    }
}

/// What somebody named: a file, or a directory.
fn named(path: &Path, cwd: &Path, home: &Path, discovery: &Discovery, found: &mut Found) {
    let typed: String =
        path.to_string_lossy().chars().map(|c| if is_odd_space(c) { ' ' } else { c }).collect();
    let path = cwd.join(expand_home(typed.trim(), home));
    if !path.exists() {
        found.warnings.push(format!("extension {} was not loaded: there is no such file", path.display()));
        return;
    }
    let modules = match path.is_dir() {
        true => discovery.extension_entries(&path),
        false => vec![path.clone()],
    };
    if modules.is_empty() {
        let problem = "no index.ts, index.js or package.json with `omp.extensions`";
        found.warnings.push(format!("extension {} was not loaded: {problem}", path.display()));
    }
    for module in modules {
        found.specs.push(ExtensionSpec {
            name: omp_config::discovery::module_name(&module).unwrap_or_default(),
            path: module,
            form: ExtensionForm::Extension,
            source: ExtensionSource::CommandLine,
        });
    }
}

/// A space that is none of the keyboard's.
fn is_odd_space(c: char) -> bool {
    matches!(c, '\u{a0}' | '\u{202f}' | '\u{2000}'..='\u{200a}' | '\u{205f}' | '\u{3000}')
}

/// Is there any extension at all? Reads directories.
pub(crate) fn is_any(directories: &Directories, cwd: &Path, settings: &Settings) -> bool {
    let mut found = Found::default();
    discovered(&knowledge::discovery(directories, cwd, settings), &mut found);
    !found.specs.is_empty() || strings(settings.get(keys::EXTENSIONS)).next().is_some()
}

/// Everything of the project that would be loaded if the user agreed to it.
pub(crate) fn of_project(directories: &Directories, cwd: &Path, settings: &Settings) -> Vec<ExtensionSpec> {
    let discovery = knowledge::discovery(directories, cwd, settings);
    let mut found = Found::default();
    discovered(&discovery, &mut found);
    for path in strings(settings.get(keys::EXTENSIONS)).map(PathBuf::from) {
        named(&path, cwd, &directories.home, &discovery, &mut found);
    }
    found.specs.retain(|spec| needs_consent(spec, cwd));
    found.specs
}

/// The files whose content a consent to an extension covers: the code beside it, as far as it is the project's.
pub fn extension_code(spec: &ExtensionSpec) -> Vec<PathBuf> {
    let folder = spec.path.parent().unwrap_or(Path::new("."));
    let stands_alone = matches!(
        folder.file_name().and_then(|name| name.to_str()),
        Some("extensions" | "tools" | "pre" | "post")
    );
    let mut files = Vec::new();
    match stands_alone {
        true => {
            files.push(spec.path.clone());
            // What it may import from beside it.
            collect(folder, 0, &mut files);
        }
        false => collect(folder, 0, &mut files),
    }
    files.sort();
    files.dedup();
    files
}

/// The most files that one consent covers.
const MOST_FILES: usize = 5_000;
const DEEPEST: usize = 8;

fn collect(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if files.len() >= MOST_FILES {
            return;
        }
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth < DEEPEST => collect(&path, depth + 1, files),
            Ok(kind) if kind.is_file() || kind.is_symlink() => files.push(path),
            _ => {}
        }
    }
}
