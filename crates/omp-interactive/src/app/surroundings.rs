//! What is around the session: commands, files, the branch of the repository.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use omp_editor::{Arguments, CommandInfo, Offer, Source, SubcommandInfo};
use omp_sdk::settings::{self, keys};
use omp_theme::Appearance;
use serde_json::Value;

use super::{App, Task};
use crate::commands::{BUILTINS, named};

impl App {
    /// Takes up what can be completed, and where we are.
    pub(crate) fn look_around(&mut self) {
        let session = self.session();
        let built_in = BUILTINS.iter().map(|command| {
            let subcommand =
                |name: &&str| SubcommandInfo { name: (*name).to_owned(), ..SubcommandInfo::default() };
            CommandInfo {
                name: command.name.to_owned(),
                aliases: command.aliases.iter().map(|alias| (*alias).to_owned()).collect(),
                description: command.description.to_owned(),
                arguments: arguments(command.hint),
                hint: command.hint.to_owned(),
                subcommands: command.subcommands.iter().map(subcommand).collect(),
            }
        });
        let commands = session.commands();
        let own = commands.list(|name| named(name).is_some());
        let own = own.map(|row| CommandInfo {
            name: row.name.clone(),
            description: row.description.clone(),
            arguments: Arguments::Optional,
            hint: row.argument_hint.clone().unwrap_or_default(),
            ..CommandInfo::default()
        });
        let all: Vec<CommandInfo> = built_in.chain(own).collect();
        self.editor.set_commands(all);
        self.branch = branch(&session.cwd());
    }

    /// Asks for what the editor wants to offer.
    pub(super) fn complete(&mut self) {
        let Some(request) = self.editor.take_request() else { return };
        let (finder, generation) = (self.finder.clone(), request.generation);
        let patience = request.patience();
        let wanted = Arc::clone(&self.wanted);
        wanted.store(generation, Ordering::Relaxed);
        self.spawn(async move {
            tokio::time::sleep(patience).await;
            if wanted.load(Ordering::Relaxed) != generation {
                return Box::new(|_: &mut Self| {}) as Task;
            }
            let offers = match request.source {
                Source::Files { query } => {
                    tokio::task::spawn_blocking(move || finder.find(&query)).await.unwrap_or_default()
                }
                Source::Paths { prefix } => {
                    tokio::task::spawn_blocking(move || paths(&prefix)).await.unwrap_or_default()
                }
                Source::Url { .. } | Source::Argument { .. } => Vec::new(),
            };
            Box::new(move |app: &mut Self| {
                app.editor.offer(generation, offers.into_iter().map(Offer::new).collect());
                app.changed();
            }) as Task
        });
    }

    /// Keeps the theme that was chosen.
    pub(super) fn keep_theme(&mut self, name: &str) {
        let key = match self.theme.appearance() {
            Appearance::Dark => keys::THEME_DARK.path(),
            Appearance::Light => keys::THEME_LIGHT.path(),
        };
        let (directories, value) = (self.session().directories().clone(), Value::from(name));
        self.spawn(async move {
            let saved = tokio::task::spawn_blocking(move || settings::set(&directories, key, value)).await;
            Box::new(move |app: &mut Self| {
                if let Ok(Err(error)) = saved {
                    app.complain(&error.to_string());
                }
            }) as Task
        });
    }
}

/// What may follow a command with such a hint.
fn arguments(hint: &str) -> Arguments {
    match hint {
        "" => Arguments::None,
        hint if hint.starts_with('<') => Arguments::Required,
        _ => Arguments::Optional,
    }
}

/// Finds files of the project for completion.
#[derive(Clone)]
pub(crate) struct Files(Arc<omp_workspace::finder::Finder>);

impl Files {
    pub(crate) fn new(cwd: &Path) -> Self {
        Self(Arc::new(omp_workspace::finder::Finder::new(cwd.to_owned(), Arc::default())))
    }

    fn find(&self, query: &str) -> Vec<String> {
        let found = self.0.find(query, MOST_FILES, &|| false).into_iter();
        found.map(|found| found.path).collect()
    }
}

/// Most files that are offered.
const MOST_FILES: usize = 50;

/// Paths on the disk that begin like this.
fn paths(prefix: &str) -> Vec<String> {
    let (directory, begun) =
        prefix.rsplit_once('/').map_or(("", prefix), |(directory, begun)| (directory, begun));
    let place = if prefix.starts_with('/') && directory.is_empty() {
        "/"
    } else if directory.is_empty() {
        "."
    } else {
        directory
    };
    let mut found: Vec<String> = std::fs::read_dir(place)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let end = if entry.file_type().is_ok_and(|kind| kind.is_dir()) { "/" } else { "" };
            let before = &prefix[..prefix.len() - begun.len()];
            name.starts_with(begun).then(|| format!("{before}{name}{end}"))
        })
        .take(MOST_FILES)
        .collect();
    found.sort();
    found
}

/// The branch of the repository that a directory is in.
fn branch(cwd: &Path) -> Option<String> {
    let head = cwd.ancestors().find_map(|directory| {
        let git = directory.join(".git");
        let git = match std::fs::read_to_string(&git) {
            // A worktree, or a submodule.
            Ok(pointer) => directory.join(pointer.strip_prefix("gitdir:")?.trim()),
            Err(_) => git,
        };
        std::fs::read_to_string(git.join("HEAD")).ok()
    })?;
    let head = head.trim();
    Some(match head.strip_prefix("ref: refs/heads/") {
        Some(branch) => branch.to_owned(),
        None => head.chars().take(8).collect(),
    })
}
