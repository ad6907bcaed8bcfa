//! The search through earlier prompts.

use std::path::Path;
use std::sync::Arc;

use omp_editor::{Border, Command, HistorySearch, SearchOutcome};
use omp_keys::table as actions;
use omp_keys::{Bindings, Chord, Context};
use omp_sdk::settings::keys;
use omp_sdk::{Directories, HistoryQuery, typed_prompts};
use omp_theme::Token;
use omp_tui::input::Key;
use omp_tui::render::{Position, Size};
use omp_view::Look;

use super::{Drawn, Panel, Reaction, editing};
use crate::app::{App, Task, styles};

/// Most prompts that are looked at.
const MOST: usize = 200;
/// Most rows of prompts on the screen.
const ROWS: usize = 10;

/// Where prompts are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HistoryScope {
    /// Those typed in this directory.
    Here,
    /// All of them.
    Everywhere,
}

/// The search on the screen.
pub(crate) struct HistorySearchPanel {
    search: HistorySearch,
    scope: HistoryScope,
}

impl HistorySearchPanel {
    fn react(&mut self, command: Command) -> Reaction {
        match self.search.apply(command) {
            SearchOutcome::Ignored | SearchOutcome::Handled => Reaction::Do(Box::new(look_up_prompts)),
            SearchOutcome::Cancelled => Reaction::Close(Box::new(|_| {})),
            SearchOutcome::Chosen(prompt) => Reaction::Close(Box::new(move |app| app.set_text(&prompt))),
        }
    }

    fn change_scope(&mut self) -> Reaction {
        self.scope = match self.scope {
            HistoryScope::Here => HistoryScope::Everywhere,
            HistoryScope::Everywhere => HistoryScope::Here,
        };
        self.search.ask_again();
        Reaction::Do(Box::new(look_up_prompts))
    }
}

impl Panel for HistorySearchPanel {
    fn draw(&mut self, look: &Look, size: Size) -> Drawn {
        let (scope, other) = match self.scope {
            HistoryScope::Here => ("this directory", "all directories"),
            HistoryScope::Everywhere => ("all directories", "this directory"),
        };
        let mut rows = vec![look.row(Token::Accent, &format!("Prompt history: {scope}"))];
        let room = size.height.saturating_sub(4).clamp(2, ROWS + 1);
        let (found, cursor) = self.search.render(look.width, room, &styles(look, Border::Normal));
        let cursor = Position { row: cursor.row + rows.len(), ..cursor };
        rows.extend(found);
        let keys = format!("  Enter: use · Esc: cancel · Tab: {other}");
        rows.extend(look.wrapped(Token::Dim, &look.hint(&keys), 2));
        Drawn { rows, cursor: Some(cursor) }
    }

    fn key(&mut self, key: Key, keys: &Bindings) -> Reaction {
        let chord = Chord::from(key);
        let listed = keys.action(Context::Select, chord).and_then(|action| Command::of_action(action.id()));
        if keys.is(chord, actions::HISTORY_SEARCH) {
            return self.react(Command::SelectNext);
        }
        match (listed, editing(chord, keys), key.text()) {
            (Some(command), ..) => self.react(command),
            (_, Some(Command::Tab), _) => self.change_scope(),
            (_, Some(command), _) => self.react(command),
            (_, _, Some(letter)) => self.react(Command::Insert(letter.to_string())),
            _ => Reaction::Stay,
        }
    }

    fn paste(&mut self, text: &str) -> Reaction {
        self.react(Command::Paste(text.to_owned()))
    }
}

/// Opens the search; what is typed so far is looked for.
pub(crate) fn search_history(app: &mut App) {
    let begun = app.composer.typed_text();
    let scope = match app.session().settings().get(keys::PROMPT_HISTORY_SCOPE) {
        "all" => HistoryScope::Everywhere,
        _ => HistoryScope::Here,
    };
    app.open_in_front(HistorySearchPanel { search: HistorySearch::new(&begun), scope });
    look_up_prompts(app);
}

/// Asks for the prompts that fit, if the search wants others than it has.
pub(crate) fn look_up_prompts(app: &mut App) {
    let session = app.session();
    let (directories, cwd) = (session.directories().clone(), session.cwd());
    let Some(panel) = app.panels.panel::<HistorySearchPanel>() else { return };
    let Some(request) = panel.search.take_request() else { return };
    let cwd = (panel.scope == HistoryScope::Here).then_some(cwd);
    app.spawn(async move {
        let query = request.query;
        let found = tokio::task::spawn_blocking(move || prompts(&directories, &query, cwd.as_deref())).await;
        Box::new(move |app: &mut App| {
            let found = found.unwrap_or_default();
            if let Some(panel) = app.panels.panel::<HistorySearchPanel>() {
                panel.search.answer(request.generation, found);
                app.surface.changed();
            }
        }) as Task
    });
}

/// Prompts that fit, best first. A history that cannot be read is empty.
fn prompts(directories: &Directories, query: &str, cwd: Option<&Path>) -> Vec<Arc<str>> {
    let words = Some(query.trim()).filter(|query| !query.is_empty());
    let found = typed_prompts(directories, HistoryQuery { words, cwd, limit: MOST });
    let mut prompts: Vec<Arc<str>> = Vec::new();
    for typed in found.unwrap_or_default() {
        if !prompts.iter().any(|known| **known == *typed.prompt) {
            prompts.push(typed.prompt.into());
        }
    }
    prompts
}
