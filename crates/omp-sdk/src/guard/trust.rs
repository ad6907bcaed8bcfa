//! What a project wants beyond being read, and what the user has agreed to.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use omp_config::discovery::{
    Discovery, Level, Outside, Places, PluginRegistry, PluginState, PromptFileName, plugin_want,
};
use omp_config::settings::{Settings, keys};
use omp_config::{Directories, TrustError, change_trust, load_trust, project_root};
use omp_extension_host::CodeSeal;
use omp_guard::trust::{Agreement, TrustBook, Want, WantKind, content_hash};
use omp_hooks::CommandHook;
use omp_mcp_session::ConfiguredServer;
use omp_mcp_session::definitions;
use omp_tools::CHECKER_PROGRAMS;
use omp_workspace::open::content;

use crate::extensions::{self, ExtensionCode, ExtensionSpec};
use crate::hooks;
use crate::session::Session;
use crate::session::options::SessionOptions;
use crate::tools::language_servers;

/// How the code of a project is called in lists.
const CODE: &str = "language servers, linters and checkers";
/// The same for one whose repository would have git run something.
const CODE_AND_GIT: &str = "language servers, linters, checkers and programs that .git names";
/// As much of a file as its checksum covers.
pub(crate) const MAX_HASHED: u64 = 256 * 1024 * 1024;

/// One thing that a project wants, and when the user agreed to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustRow {
    /// What the project wants.
    pub want: Want,
    /// The files whose content the checksum covers.
    pub files: Vec<PathBuf>,
    /// When it was agreed to, in milliseconds since 1970.
    pub agreed: Option<u64>,
}

/// A project and what the user agreed to for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedProject {
    /// The directory of the project.
    pub root: PathBuf,
    /// What was agreed to.
    pub agreements: Vec<Agreement>,
}

/// The agreements of one project.
#[derive(Clone)]
pub struct ProjectTrust {
    directories: Directories,
    cwd: PathBuf,
    settings: Settings,
    /// `PATH`.
    path: Option<String>,
    /// The last checksum, and the files that it is of.
    hashed: Arc<Mutex<Option<Hashed>>>,
}

/// A checksum and the states of the files that it is of.
type Hashed = (Vec<FileState>, String);

/// A file and what tells that its content is another one: its number, length and times.
type FileState = (PathBuf, u64, u64, i64, i64);

impl ProjectTrust {
    pub(crate) fn new(options: &SessionOptions, settings: &Settings) -> Self {
        Self::at(&options.directories, &options.cwd, settings, options.environment.var("PATH"))
    }

    /// The project around a directory.
    pub fn at(directories: &Directories, cwd: &Path, settings: &Settings, path: Option<String>) -> Self {
        Self {
            directories: directories.clone(),
            cwd: cwd.to_owned(),
            settings: settings.clone(),
            path,
            hashed: Arc::default(),
        }
    }

    /// The directories of the program, and the one that the project is around.
    pub(crate) fn place(&self) -> (Directories, PathBuf) {
        (self.directories.clone(), self.cwd.clone())
    }

    /// The directory that agreements are kept under.
    pub fn root(&self) -> PathBuf {
        project_root(&self.directories, &self.cwd)
    }

    /// Everything that the project wants, agreed to or not. Waits for the disk.
    pub fn wants(&self) -> Result<Vec<TrustRow>, TrustError> {
        let (book, root) = (load_trust(&self.directories)?, self.key());
        let outside = self.outside().into_iter().map(|file| {
            let hash = hash_of(std::slice::from_ref(&file));
            let want = Want { kind: WantKind::Outside, what: file.display().to_string(), hash };
            (want, vec![file])
        });
        let rows = outside
            .chain([self.code_want()])
            .chain(self.mcp_wants())
            .chain(self.hook_wants())
            .chain(self.extension_wants())
            .chain(self.plugin_wants());
        let row = |(want, files)| {
            let agreed = book.agreed(&root, &want);
            TrustRow { want, files, agreed }
        };
        Ok(rows.map(row).collect())
    }

    /// Agrees to everything that the project wants now.
    pub fn agree(&self) -> Result<Vec<TrustRow>, TrustError> {
        let now = now_ms();
        let (mut rows, root) = (self.wants()?, self.key());
        let new: Vec<Want> =
            rows.iter().filter(|row| row.agreed.is_none()).map(|row| row.want.clone()).collect();
        change_trust(&self.directories, |book| {
            new.into_iter().for_each(|want| book.agree(&root, want, now));
        })?;
        rows.iter_mut().for_each(|row| row.agreed = row.agreed.or(Some(now)));
        Ok(rows)
    }

    /// Forgets everything that was agreed to for the project; how much that was.
    pub fn revoke(&self) -> Result<usize, TrustError> {
        let root = self.key();
        change_trust(&self.directories, |book| book.revoke(&root))
    }

    /// May the project's servers and checkers run? The error says why not.
    pub(crate) fn code(&self) -> Result<(), String> {
        if is_always(&self.settings) {
            return Ok(());
        }
        let (want, _) = self.code_want();
        let book = load_trust(&self.directories).map_err(|error| error.to_string())?;
        if book.agreed(&self.key(), &want).is_some() {
            return Ok(());
        }
        let known = book.of_project(&self.key()).iter().any(|old| old.want.kind == WantKind::Code);
        let reason = match known {
            true => "the code that the project brings has changed since you trusted it",
            false => "the project is not trusted, and its code would run",
        };
        Err(format!("{reason}. To allow it: /trust add, or omp trust add"))
    }

    /// May a server that the project defines be started? The error says why not.
    pub(crate) fn mcp_server(&self, want: &Want) -> Result<(), String> {
        if is_always(&self.settings) {
            return Ok(());
        }
        let book = load_trust(&self.directories).map_err(|error| error.to_string())?;
        if book.agreed(&self.key(), want).is_some() {
            return Ok(());
        }
        let name = want.what.split(':').next().unwrap_or_default();
        let same = |old: &Agreement| {
            old.want.kind == WantKind::McpServer && old.want.what.split(':').next() == Some(name)
        };
        let reason = match book.of_project(&self.key()).iter().any(same) {
            true => "the server, or a file that it runs, has changed since you trusted it",
            false => "the project defines this server, and you have not trusted it",
        };
        Err(format!("{reason}. To allow it: /mcp trust {name}, or omp mcp trust {name}"))
    }

    /// May a hook run? One that the project brings, or that runs files of the project, only as the user has agreed to
    /// it; the error says why not.
    pub(crate) fn hook(&self, hook: &CommandHook) -> Result<(), String> {
        if !self.needs_consent(hook) || is_always(&self.settings) {
            return Ok(());
        }
        let (want, _) = self.hook_want(hook);
        let book = load_trust(&self.directories).map_err(|error| error.to_string())?;
        if book.agreed(&self.key(), &want).is_some() {
            return Ok(());
        }
        let same = |old: &Agreement| old.want.kind == WantKind::Hook && old.want.what == want.what;
        let reason = match book.of_project(&self.key()).iter().any(same) {
            true => "the hook, or a file that it runs, has changed since you trusted it",
            false if hook.source.of_project => "the project defines this hook, and you have not trusted it",
            false => "the hook runs a file of the project, and you have not trusted it",
        };
        Err(format!("{reason}. To allow it: /trust add, or omp trust add"))
    }

    fn needs_consent(&self, hook: &CommandHook) -> bool {
        hook.source.of_project || omp_extend::hooks::runs_project_files(hook, &self.cwd)
    }

    fn hook_want(&self, hook: &CommandHook) -> (Want, Vec<PathBuf>) {
        let files = omp_extend::hooks::files_of(hook, &self.cwd);
        let hash = |command: &str, files: &[PathBuf]| {
            let command = [("command".to_owned(), command.as_bytes().to_vec())];
            let files = files.iter().map(|file| (file.display().to_string(), content(file, MAX_HASHED)));
            let parts: Vec<(String, Vec<u8>)> = command.into_iter().chain(files).collect();
            content_hash(parts.iter().map(|(name, content)| (name.as_str(), content.as_slice())))
        };
        (hooks::want(hook, hash, &files), files)
    }

    /// The hooks that the project defines.
    fn hook_wants(&self) -> Vec<(Want, Vec<PathBuf>)> {
        let places = Places::find(&self.directories, &self.cwd);
        let discovery = Discovery::new(places, &self.settings.disabled_providers());
        let hooks = omp_extend::hooks::hooks(&discovery).hooks;
        let project = hooks.iter().filter(|hook| self.needs_consent(hook));
        let mut wants: Vec<_> = project
            .map(|hook| {
                let (want, mut files) = self.hook_want(hook);
                if !files.contains(&hook.source.file) {
                    files.insert(0, hook.source.file.clone());
                }
                (want, files)
            })
            .collect();
        wants.dedup();
        wants
    }

    /// May an extension that comes with the project be loaded, and if so, which code? The error says why not.
    pub(crate) fn extension(&self, spec: &ExtensionSpec) -> Result<Option<CodeSeal>, String> {
        if is_always(&self.settings) {
            return Ok(None);
        }
        let (want, code) = self.extension_want(spec);
        let book = load_trust(&self.directories).map_err(|error| error.to_string())?;
        if book.agreed(&self.key(), &want).is_some() {
            return Ok(Some(code.seal));
        }
        let same = |old: &Agreement| old.want.kind == WantKind::Extension && old.want.what == want.what;
        let reason = match book.of_project(&self.key()).iter().any(same) {
            true => "the extension, or a file that it may load, has changed since you trusted it",
            false => "the project brings this extension, and you have not trusted it",
        };
        Err(format!("{reason}. To allow it: /trust add, or omp trust add"))
    }

    fn extension_want(&self, spec: &ExtensionSpec) -> (Want, ExtensionCode) {
        let code = ExtensionCode::of(spec);
        let shown = spec.path.strip_prefix(&self.cwd).unwrap_or(&spec.path).display().to_string();
        let shown: String = shown.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let want = Want {
            kind: WantKind::Extension,
            what: format!("{}: {shown}", spec.form.name()),
            hash: code.hash.clone(),
        };
        (want, code)
    }

    /// The extensions that the project brings.
    fn extension_wants(&self) -> Vec<(Want, Vec<PathBuf>)> {
        let specs = extensions::of_project(&self.directories, &self.cwd, &self.settings);
        let wants = specs.iter().map(|spec| self.extension_want(spec));
        wants.map(|(want, code)| (want, code.files)).collect()
    }

    /// Plugins of the user that the project wants to have switched on.
    fn plugin_wants(&self) -> Vec<(Want, Vec<PathBuf>)> {
        let places = Places::find(&self.directories, &self.cwd);
        let registry = places.project_plugin_registry();
        let discovery = Discovery::new(places, &self.settings.disabled_providers());
        let wanted = discovery.marketplace_plugins().iter().filter(|plugin| {
            let state = &plugin.state;
            plugin.registry == PluginRegistry::Project
                && (plugin.is_active() || matches!(state, PluginState::Untrusted | PluginState::Shadowed(_)))
        });
        let files: Vec<PathBuf> = registry.into_iter().collect();
        wanted.map(|plugin| (plugin_want(&plugin.id, &plugin.path), files.clone())).collect()
    }

    /// Agrees to one server of the project as it is now.
    pub fn agree_to_mcp_server(&self, server: &ConfiguredServer) -> Result<(), TrustError> {
        let want = Want {
            kind: WantKind::McpServer,
            what: format!("{}: {}", server.name, server.summary),
            hash: server.hash.clone(),
        };
        let root = self.key();
        let name = format!("{}:", server.name);
        change_trust(&self.directories, |book| {
            book.forget(&root, |old| old.kind == WantKind::McpServer && old.what.starts_with(&name));
            book.agree(&root, want, now_ms());
        })
    }

    /// The servers that the project defines.
    fn mcp_wants(&self) -> Vec<(Want, Vec<PathBuf>)> {
        if !self.settings.get(keys::MCP_ENABLE_PROJECT_CONFIG) {
            return Vec::new();
        }
        let places = Places::find(&self.directories, &self.cwd);
        let discovery = Discovery::new(places, &self.settings.disabled_providers());
        let servers = discovery.mcp_servers();
        let project = servers.active().filter(|finding| finding.origin.level == Level::Project);
        project
            .map(|finding| {
                let server = &finding.item;
                (definitions::want(&server.name, &server.config, &self.cwd), vec![server.path.clone()])
            })
            .collect()
    }

    /// Programs may be large, and servers are asked about often.
    fn remembered_hash(&self, files: &[PathBuf]) -> String {
        let states: Vec<FileState> = files.iter().map(|file| state(file)).collect();
        let mut hashed = self.hashed.lock().unwrap_or_else(PoisonError::into_inner);
        match hashed.as_ref() {
            Some((known, hash)) if *known == states => hash.clone(),
            _ => hashed.insert((states, hash_of(files))).1.clone(),
        }
    }

    fn key(&self) -> String {
        self.root().display().to_string()
    }

    /// What discovery leaves out because it is elsewhere.
    fn outside(&self) -> Vec<PathBuf> {
        let places = Places::find(&self.directories, &self.cwd);
        let discovery = Discovery::new(places, &self.settings.disabled_providers());
        let _ = (discovery.context_files(), discovery.sticky_rules(), discovery.skills(), discovery.rules());
        let _ = (discovery.commands(), discovery.prompts(), discovery.instructions(), discovery.agents());
        for name in [PromptFileName::System, PromptFileName::AppendSystem, PromptFileName::TitleSystem] {
            let _ = discovery.prompt_file(name);
        }
        discovery.left_outside()
    }

    /// What running the project's servers means.
    fn code_want(&self) -> (Want, Vec<PathBuf>) {
        let directories = language_servers::places(&self.directories, self.cwd.clone(), &self.settings);
        let path = self.path.clone().map(Into::into);
        let trust = omp_lsp::Trust::Project;
        let places = omp_lsp::Places { cwd: self.cwd.clone(), directories, path, trust };
        let mut files = omp_lsp::project_code(&places, &CHECKER_PROGRAMS);
        let git = omp_workspace::repository::risky_files(&self.cwd);
        let what = if git.is_empty() { CODE } else { CODE_AND_GIT }.to_owned();
        files.extend(git);
        let want = Want { kind: WantKind::Code, what, hash: self.remembered_hash(&files) };
        (want, files)
    }
}

/// Every project with agreements.
pub fn trusted_projects(directories: &Directories) -> Result<Vec<TrustedProject>, TrustError> {
    let book: TrustBook = load_trust(directories)?;
    let project = |(root, agreements): (&str, &[Agreement])| TrustedProject {
        root: PathBuf::from(root),
        agreements: agreements.to_vec(),
    };
    Ok(book.projects().map(project).collect())
}

/// What the project's context files may bring in from outside.
pub(crate) fn outside(directories: &Directories, cwd: &Path, settings: &Settings) -> Outside {
    if is_always(settings) {
        return Outside::Everything;
    }
    // A list that cannot be read agrees to nothing.
    let book = load_trust(directories).unwrap_or_default();
    let known = book.of_project(&project_root(directories, cwd).display().to_string());
    let files = known.iter().filter(|agreement| agreement.want.kind == WantKind::Outside);
    Outside::Only(files.map(|agreement| PathBuf::from(&agreement.want.what)).collect())
}

fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}

fn is_always(settings: &Settings) -> bool {
    settings.get(keys::TRUST_PROJECTS) == "always"
}

/// The checksum of files by name and content. One that cannot be read has no content.
fn hash_of(files: &[PathBuf]) -> String {
    let contents: Vec<(String, Vec<u8>)> =
        files.iter().map(|file| (file.display().to_string(), content(file, MAX_HASHED))).collect();
    content_hash(contents.iter().map(|(name, content)| (name.as_str(), content.as_slice())))
}

/// What changes with the content of a file. The last two cannot be set back.
fn state(file: &Path) -> FileState {
    let metadata = file.metadata().ok();
    let of = |number: fn(&Metadata) -> u64| metadata.as_ref().map_or(0, number);
    let time = |number: fn(&Metadata) -> i64| metadata.as_ref().map_or(0, number);
    let (changed, fraction) = (time(MetadataExt::ctime), time(MetadataExt::ctime_nsec));
    (file.to_owned(), of(MetadataExt::ino), of(MetadataExt::size), changed, fraction)
}

impl Session {
    /// The agreements of the project that the session works in.
    pub fn trust(&self) -> ProjectTrust {
        let path =
            self.tools.commands.environment.get("PATH").map(|path| path.to_string_lossy().into_owned());
        ProjectTrust::at(&self.places.directories, &self.places.cwd, &self.settings(), path)
    }
}

/// A time as people read it, in their time zone.
pub fn local_time(milliseconds: u64) -> String {
    let time = i64::try_from(milliseconds).ok().and_then(|time| jiff::Timestamp::from_millisecond(time).ok());
    time.map_or_else(String::new, |time| {
        time.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string()
    })
}
