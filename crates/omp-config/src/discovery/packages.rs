//! Packages that the user has installed, and directories of packages that were named for this run: what each of them brings.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::Discovery;
use super::engine::Search;
use super::item::{
    AgentFile, CommandFile, ExtensionModule, HookFile, Level, McpServer, ModuleForm, PromptFile, Rule,
};
use super::item::{Skill, ToolFile, ToolForm};
use super::kind::mcp::Dialect;
use super::kind::skill::Description;
use super::kind::{agent, command, hook, mcp, module::module_name, prompt, rule, skill, tool};
use super::places::{Places, Root};
use super::provider::{Loaders, NOTHING};
use crate::packages::{OVERRIDES_FILE, PackageManifest, PartKind, installed_packages};

pub(super) const OMP_PACKAGES: Loaders = Loaders {
    skills,
    rules,
    commands,
    prompts,
    hooks,
    tools,
    extension_modules,
    mcp_servers,
    agents,
    ..NOTHING
};

/// A package that contributes something.
#[derive(Debug)]
pub(super) struct Package {
    name: String,
    root: Root,
    manifest: PackageManifest,
    /// The features that were chosen, if any were.
    features: Option<Vec<String>>,
}

/// Packages, and what the user should know about them.
#[derive(Debug, Default)]
pub(super) struct Packages {
    all: Vec<Package>,
    warnings: Vec<String>,
}

impl Packages {
    pub(super) fn find(places: &Places) -> Self {
        let mut warnings = Vec::new();
        let mut all = Vec::new();
        for directory in &places.plugin_directories {
            all.extend(named(directory));
        }
        for package in installed_packages(&places.plugins, &places.cwd, &mut warnings) {
            if package.disabled_here && package.record.enabled {
                let file = places.cwd.join(OVERRIDES_FILE);
                warnings.push(format!("{} switches the plugin {} off", file.display(), package.name));
            }
            if !package.is_active() {
                continue;
            }
            let features = package.chosen_features().map(<[String]>::to_vec);
            match package.manifest {
                Ok(manifest) if manifest.contributes() => all.push(Package {
                    root: Root { level: Level::User, path: package.directory },
                    name: package.name,
                    manifest,
                    features,
                }),
                Ok(_) => {}
                Err(problem) => warnings.push(format!("plugin {} is ignored: {problem}", package.name)),
            }
        }
        Self { all, warnings }
    }
}

/// A directory that was named, if it is a package of omp.
fn named(directory: &Path) -> Option<Package> {
    let manifest = PackageManifest::read(directory).ok().filter(PackageManifest::contributes)?;
    let name = manifest.name.clone();
    let name = name.or_else(|| directory.file_name().map(|name| name.to_string_lossy().into_owned()))?;
    Some(Package {
        name,
        root: Root { level: Level::User, path: directory.to_owned() },
        manifest,
        features: None,
    })
}

impl Package {
    /// The files of one kind: what the manifest names, then what is in the directory of that name.
    fn files(&self, kind: PartKind) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = self.declared(kind);
        if !kind.is_code() {
            files.extend(self.manifest.in_directory(&self.root.path, kind));
        }
        let mut seen = HashSet::new();
        files.retain(|file| seen.insert(file.clone()));
        files
    }

    fn declared(&self, kind: PartKind) -> Vec<PathBuf> {
        let declared = self.manifest.declared(&self.root.path, kind, self.features.as_deref());
        declared.into_iter().flat_map(|part| part.files).collect()
    }

    /// What modules of a package are called: by the package, and where it has several, by their file as well.
    fn modules(&self, kind: PartKind) -> Vec<(String, PathBuf)> {
        let files = self.declared(kind);
        let alone = files.len() == 1;
        let name = |path: &Path| match alone {
            true => self.name.clone(),
            false => format!("{}/{}", self.name, module_name(path).unwrap_or_default()),
        };
        files.into_iter().map(|path| (name(&path), path)).collect()
    }
}

impl Discovery {
    fn packages(&self) -> &Packages {
        self.packages.get_or_init(|| Packages::find(&self.places))
    }

    /// The package that brings a file, by the directory that it was found in.
    pub fn package_of(&self, path: &Path) -> Option<&str> {
        let owner = self.packages().all.iter().find(|package| path.starts_with(&package.root.path));
        owner.map(|package| package.name.as_str())
    }
}

fn packages<'a, T>(search: &mut Search<'a, T>) -> impl Iterator<Item = &'a Package> + use<'a, T> {
    let discovery: &'a Discovery = search.discovery;
    let packages = discovery.packages();
    packages.warnings.iter().for_each(|warning| search.warn(warning.clone()));
    packages.all.iter()
}

fn skills(search: &mut Search<'_, Skill>) {
    for package in packages(search) {
        for file in package.files(PartKind::Skills) {
            let directory = file.parent().and_then(Path::file_name).unwrap_or_default();
            let directory = directory.to_string_lossy().into_owned();
            skill::add(search, Level::User, directory, file, Description::Required);
        }
    }
}

fn rules(search: &mut Search<'_, Rule>) {
    for package in packages(search) {
        rule::collect(search, &package.root.below("rules"), &["md", "mdc"]);
    }
}

fn commands(search: &mut Search<'_, CommandFile>) {
    for package in packages(search) {
        for file in package.files(PartKind::Commands) {
            if file.extension().is_some_and(|extension| extension == "md") {
                command::add(search, Level::User, &file);
            }
        }
    }
}

fn prompts(search: &mut Search<'_, PromptFile>) {
    for package in packages(search) {
        for file in package.files(PartKind::Prompts) {
            prompt::add(search, Level::User, &[], &file);
        }
    }
}

fn hooks(search: &mut Search<'_, HookFile>) {
    for package in packages(search) {
        hook::collect(search, &package.root.below("hooks"));
    }
}

fn tools(search: &mut Search<'_, ToolFile>) {
    for package in packages(search) {
        let declared = package.modules(PartKind::Tools);
        let known: Vec<PathBuf> = declared.iter().map(|(_, path)| path.clone()).collect();
        for (name, path) in declared {
            let tool = ToolFile { name, path: path.clone(), form: ToolForm::Module };
            search.add(Level::User, path, tool);
        }
        // A manifest that names its tools keeps other code in that directory.
        if known.is_empty() {
            tool::collect(search, &package.root.below("tools"));
        }
    }
}

fn extension_modules(search: &mut Search<'_, ExtensionModule>) {
    for package in packages(search) {
        let kinds = [(PartKind::Extensions, ModuleForm::Extension), (PartKind::Hooks, ModuleForm::Hook)];
        for (kind, form) in kinds {
            for (name, path) in package.modules(kind) {
                search.add(Level::User, path.clone(), ExtensionModule { name, path, form });
            }
        }
    }
}

fn mcp_servers(search: &mut Search<'_, McpServer>) {
    for package in packages(search) {
        for name in [".mcp.json", "mcp.json"] {
            mcp::collect_of_plugin(search, &package.root, name, Dialect::Common);
        }
    }
}

fn agents(search: &mut Search<'_, AgentFile>) {
    for package in packages(search) {
        agent::collect(search, &package.root.below("agents"));
    }
}
