//! What is around the session: commands, files, the branch of the repository.

use std::path::Path;
use std::sync::Arc;

use omp_commands::{BUILTINS, OWN_TOPIC, named, topic_of};
use omp_editor::{Arguments, CommandInfo, SubcommandInfo};

use super::{App, Task};
use crate::app::commands::setup;
use crate::app::extensions::commands;
use crate::app::{completing, drafting, git};

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
        self.renew_commands();
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
            completing::watch_prompts(self);
            drafting::restore_draft(self);
        }
    }

    /// The commands of the program, the user, the project and the servers, for completion.
    pub(super) fn renew_commands(&mut self) {
        let session = self.session();
        let available = BUILTINS.iter().filter(|command| command.is_available());
        let mut available: Vec<_> = available
            .map(|command| (topic_of(command.name).unwrap_or((OWN_TOPIC, usize::MAX)), command))
            .collect();
        available.sort_by_key(|((_, place), _)| *place);
        let built_in = available.into_iter().map(|((topic, _), command)| {
            let subcommand =
                |name: &&str| SubcommandInfo { name: (*name).to_owned(), ..SubcommandInfo::default() };
            CommandInfo {
                name: command.name.to_owned(),
                aliases: command.aliases.iter().map(|alias| (*alias).to_owned()).collect(),
                description: command.description.to_owned(),
                arguments: takes(command.hint),
                hint: command.hint.to_owned(),
                subcommands: command.subcommands.iter().map(subcommand).collect(),
                topic: topic.to_owned(),
            }
        });
        let files = session.input().commands();
        let own = files.list(|name| named(name).is_some());
        let own = own.map(|row| CommandInfo {
            name: row.name.clone(),
            description: row.description.clone(),
            arguments: Arguments::Optional,
            hint: row.argument_hint.clone().unwrap_or_default(),
            topic: OWN_TOPIC.to_owned(),
            ..CommandInfo::default()
        });
        let prompts = session.mcp().prompts().into_iter().map(|prompt| CommandInfo {
            name: prompt.name,
            description: prompt.description,
            arguments: Arguments::Optional,
            hint: prompt.arguments,
            topic: OWN_TOPIC.to_owned(),
            ..CommandInfo::default()
        });
        // The first of a name counts.
        let mut of_extensions = commands::infos(&session);
        of_extensions.iter_mut().for_each(|info| info.topic = OWN_TOPIC.to_owned());
        let known: Vec<String> = of_extensions.iter().map(|info| info.name.clone()).collect();
        let others = own.chain(prompts).filter(|info| !known.contains(&info.name));
        let all: Vec<CommandInfo> = built_in.chain(of_extensions).chain(others).collect();
        self.composer.editor.set_commands(all);
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

    pub(super) fn find(&self, query: &str) -> Vec<String> {
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
