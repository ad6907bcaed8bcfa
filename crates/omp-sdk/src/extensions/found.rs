//! Which extensions there are: those in the user's and the project's directories, and those that were named.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use omp_config::discovery::{Discovery, HookPhase, Level, ModuleForm, Origin, ToolForm};
use omp_config::settings::{Settings, keys, strings};
use omp_config::{Directories, expand_home};
use omp_extension_host::{CodeSeal, ExtensionForm, ExtensionSource, ExtensionSpec};

use crate::extensions::consent::needs_consent;
use crate::extensions::{ExtensionChoice, ExtensionSurroundings};
use crate::guard::trust::ProjectTrust;
use crate::prompt::knowledge;

/// The provider of installed packages.
const PACKAGES: &str = "omp-plugins";

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
    /// The code that those of the project may load.
    pub(crate) seals: HashMap<PathBuf, Arc<CodeSeal>>,
}

impl ExtensionSurroundings<'_> {
    /// Native directories first, then what was named. A file that is found twice keeps its first place.
    pub(crate) async fn find(&self, choice: &ExtensionChoice, trust: ProjectTrust) -> Found {
        let discovery = knowledge::discovery(self.directories, self.cwd, self.settings);
        let mut found = Found::default();
        if !choice.only_named {
            discovered(&discovery, &mut found);
            code_commands(self.directories, self.cwd, &mut found);
        }
        let listed = strings(self.settings.get(keys::EXTENSIONS)).map(PathBuf::from);
        let named: Vec<PathBuf> = choice.named.iter().cloned().chain(listed).collect();
        for path in &named {
            self::named(path, self.cwd, &self.directories.home, &discovery, &mut found);
        }
        let mut seen = Vec::new();
        found.specs.retain(|spec| {
            let real = spec.path.canonicalize().unwrap_or_else(|_| spec.path.clone());
            let new = !seen.contains(&real);
            seen.push(real);
            new
        });
        if found.specs.iter().any(|spec| needs_consent(spec, self.cwd)) {
            self.refuse_untrusted(&mut found, choice, trust).await;
        }
        found
    }

    /// Code of the project runs only as the user has agreed to it.
    async fn refuse_untrusted(&self, found: &mut Found, choice: &ExtensionChoice, trust: ProjectTrust) {
        let cwd = self.cwd.to_owned();
        let trusted: Vec<PathBuf> =
            choice.trusted.iter().filter_map(|path| cwd.join(path).canonicalize().ok()).collect();
        let specs = std::mem::take(&mut found.specs);
        let checked = tokio::task::spawn_blocking(move || {
            let may = |spec: &ExtensionSpec| match spec.path.canonicalize() {
                Ok(real) if trusted.iter().any(|path| real.starts_with(path)) => Ok(None),
                _ if !needs_consent(spec, &cwd) => Ok(None),
                _ => trust.extension(spec),
            };
            specs.into_iter().map(|spec| (may(&spec), spec)).collect::<Vec<_>>()
        });
        for (may, spec) in checked.await.unwrap_or_default() {
            match may {
                Ok(seal) => {
                    found.seals.extend(seal.map(|seal| (spec.path.clone(), Arc::new(seal))));
                    found.specs.push(spec);
                }
                Err(reason) => found.refused.push(RefusedExtension { spec, reason }),
            }
        }
    }
}

impl Found {
    /// What a user should know who does not look at the list.
    pub(crate) fn refusal(&self) -> Option<String> {
        let count = self.refused.len();
        let (noun, verb, pronoun) =
            if count == 1 { ("extension", "was", "it") } else { ("extensions", "were", "them") };
        (count > 0).then(|| {
            format!(
                "{count} {noun} of this project {verb} not loaded, because you have not trusted {pronoun} (/extensions lists them; to \
                 allow them: /trust add, or omp trust add)"
            )
        })
    }
}

fn source(discovery: &Discovery, origin: &Origin) -> ExtensionSource {
    let package = discovery.package_of(&origin.path).filter(|_| origin.provider == PACKAGES);
    match (package, origin.level) {
        (Some(package), _) => ExtensionSource::Plugin(package.to_owned()),
        (None, Level::User) => ExtensionSource::User,
        (None, Level::Project) => ExtensionSource::Project,
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
            form: match finding.item.form {
                ModuleForm::Extension => ExtensionForm::Extension,
                ModuleForm::Hook => ExtensionForm::Hook(None),
            },
            source: source(discovery, &finding.origin),
        });
    }
    for finding in tools.active().filter(|finding| finding.item.form == ToolForm::Module) {
        found.specs.push(ExtensionSpec {
            name: finding.item.name.clone(),
            path: finding.item.path.clone(),
            form: ExtensionForm::Tool,
            source: source(discovery, &finding.origin),
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
            source: source(discovery, &finding.origin),
        });
    }
}

/// Commands in code: `commands/<name>/index.ts` of our own directories.
fn code_commands(directories: &Directories, cwd: &Path, found: &mut Found) {
    let own = directories.agent.join("commands");
    let places = [(own, ExtensionSource::User), (cwd.join(".omp/commands"), ExtensionSource::Project)];
    for (folder, source) in places {
        let mut names: Vec<PathBuf> = match std::fs::read_dir(&folder) {
            Ok(entries) => entries.flatten().map(|entry| entry.path()).collect(),
            Err(_) => continue,
        };
        names.sort();
        for command in names {
            let modules = ["index.ts", "index.js", "index.mjs"].map(|file| command.join(file));
            let module = modules.into_iter().find(|file| file.is_file());
            let name = command.file_name().map(|name| name.to_string_lossy().into_owned());
            if let (Some(path), Some(name)) = (module, name) {
                let (form, source) = (ExtensionForm::Command, source.clone());
                found.specs.push(ExtensionSpec { name, path, form, source });
            }
        }
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
    code_commands(directories, cwd, &mut found);
    !found.specs.is_empty() || is_any_named(settings)
}

/// Do the settings name any?
pub(crate) fn is_any_named(settings: &Settings) -> bool {
    strings(settings.get(keys::EXTENSIONS)).next().is_some()
}

/// Everything of the project that would be loaded if the user agreed to it.
pub(crate) fn of_project(directories: &Directories, cwd: &Path, settings: &Settings) -> Vec<ExtensionSpec> {
    let discovery = knowledge::discovery(directories, cwd, settings);
    let mut found = Found::default();
    discovered(&discovery, &mut found);
    code_commands(directories, cwd, &mut found);
    for path in strings(settings.get(keys::EXTENSIONS)).map(PathBuf::from) {
        named(&path, cwd, &directories.home, &discovery, &mut found);
    }
    found.specs.retain(|spec| needs_consent(spec, cwd));
    found.specs
}
