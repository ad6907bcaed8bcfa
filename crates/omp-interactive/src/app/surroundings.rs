//! What is around the session: commands, files, the branch of the repository.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use omp_commands::{BUILTINS, named};
use omp_editor::{Arguments, CommandInfo, Offer, Source, SubcommandInfo};

use super::{App, Task, arguments};
use crate::app::commands::setup;
use crate::app::extensions::commands;
use crate::app::{drafting, git};

impl App {
    /// Takes up what can be completed, and where we are.
    pub(crate) fn look_around(&mut self) {
        let session = self.session();
        let looking = Arc::clone(&session);
        self.spawn(async move {
            looking.look_up_sandbox().await;
            let done: Task = Box::new(|app: &mut Self| {
                setup::renew_approval(app);
                app.surface.changed();
            });
            done
        });
        let available = BUILTINS.iter().filter(|command| command.is_available());
        let built_in = available.map(|command| {
            let subcommand =
                |name: &&str| SubcommandInfo { name: (*name).to_owned(), ..SubcommandInfo::default() };
            CommandInfo {
                name: command.name.to_owned(),
                aliases: command.aliases.iter().map(|alias| (*alias).to_owned()).collect(),
                description: command.description.to_owned(),
                arguments: takes(command.hint),
                hint: command.hint.to_owned(),
                subcommands: command.subcommands.iter().map(subcommand).collect(),
            }
        });
        let files = session.input().commands();
        let own = files.list(|name| named(name).is_some());
        let own = own.map(|row| CommandInfo {
            name: row.name.clone(),
            description: row.description.clone(),
            arguments: Arguments::Optional,
            hint: row.argument_hint.clone().unwrap_or_default(),
            ..CommandInfo::default()
        });
        let prompts = session.mcp().prompts().into_iter().map(|prompt| CommandInfo {
            name: prompt.name,
            description: prompt.description,
            arguments: Arguments::Optional,
            hint: prompt.arguments,
            ..CommandInfo::default()
        });
        // The first of a name counts.
        let of_extensions = commands::infos(&session);
        let known: Vec<String> = of_extensions.iter().map(|info| info.name.clone()).collect();
        let others = own.chain(prompts).filter(|info| !known.contains(&info.name));
        let all: Vec<CommandInfo> = built_in.chain(of_extensions.iter().cloned()).chain(others).collect();
        self.composer.editor.set_commands(all);
        self.composer.editor.options_mut().schemes = session.input().url_schemes();
        git::watch_branch(self);
        self.choose_keys();
        self.bind_extension_keys();
        self.surface.stage.set_words(session.settings());
        self.surface
            .stage
            .follow_thinking_setting(session.settings().get(omp_sdk::settings::keys::HIDE_THINKING_BLOCK));
        if self.composer.looked_around != Some(self.shown.number) {
            self.composer.looked_around = Some(self.shown.number);
            self.composer.finder = Files::new(&session.cwd());
            drafting::restore_draft(self);
        }
    }

    /// Asks for what the editor wants to offer.
    pub(super) fn complete(&mut self) {
        let Some(request) = self.composer.editor.take_request() else { return };
        let generation = request.generation;
        let patience = request.patience();
        let wanted = Arc::clone(&self.composer.wanted);
        wanted.store(generation, Ordering::Relaxed);
        let look = self.looking(request.source);
        self.spawn(async move {
            tokio::time::sleep(patience).await;
            if wanted.load(Ordering::Relaxed) != generation {
                return Box::new(|_: &mut Self| {}) as Task;
            }
            let offers = tokio::task::spawn_blocking(look).await.unwrap_or_default();
            Box::new(move |app: &mut Self| app.offered(generation, offers)) as Task
        });
    }

    /// Looks for offers; may wait for the disk.
    fn looking(&self, source: Source) -> Box<dyn FnOnce() -> Vec<Offer> + Send> {
        let (session, finder) = (self.session(), self.composer.finder.clone());
        let plain = |texts: Vec<String>| texts.into_iter().map(Offer::new).collect();
        match source {
            Source::Files { query } => Box::new(move || plain(finder.find(&query))),
            Source::Paths { prefix } => Box::new(move || plain(paths(&session.cwd(), &prefix))),
            Source::Url { scheme, query } => Box::new(move || {
                let found = session.input().complete_url(&format!("{scheme}://{query}"));
                found.into_iter().map(|(url, about)| Offer::new(url).with_detail(about)).collect()
            }),
            Source::Argument { command, text } => {
                Box::new(move || arguments::offers(&session, &command, &text))
            }
        }
    }
}

/// What may follow a command with such a hint.
fn takes(hint: &str) -> Arguments {
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

    /// Something may have been written or deleted: what was found before counts no more.
    pub(crate) fn forget(&self) {
        self.0.scans.clear();
    }

    fn find(&self, query: &str) -> Vec<String> {
        let found = self.0.find(query, MOST_FILES, &|| false).into_iter();
        found.map(|found| found.path).collect()
    }
}

/// Most files that are offered.
const MOST_FILES: usize = 50;
/// Most entries of a directory that are looked at.
const MOST_ENTRIES: usize = 10_000;

/// Paths on the disk that begin like this.
pub(super) fn paths(cwd: &Path, prefix: &str) -> Vec<String> {
    let (directory, begun) = prefix.rfind('/').map_or(("", prefix), |at| prefix.split_at(at + 1));
    let place = match (directory.strip_prefix("~/"), std::env::home_dir()) {
        (Some(inside), Some(home)) => home.join(inside),
        _ => cwd.join(directory),
    };
    let mut found: Vec<String> = std::fs::read_dir(place)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let end = if entry.file_type().is_ok_and(|kind| kind.is_dir()) { "/" } else { "" };
            // SecretInput files are meant only by those who say so.
            let hidden = name.starts_with('.') && !begun.starts_with('.');
            (name.starts_with(begun) && !hidden).then(|| format!("{directory}{name}{end}"))
        })
        .take(MOST_ENTRIES)
        .collect();
    found.sort();
    found.truncate(MOST_FILES);
    found
}
