//! What keys do in the list of sessions.

use omp_keys::table as actions;
use omp_keys::{Action, Bindings, Chord, Context};
use omp_tui::input::Key;

use super::{LONGEST_NAME, LONGEST_QUERY, Picker, Scope, SessionsMode, SessionsRequest, push};

impl Picker {
    /// Takes a key; it may lead to a wish.
    pub fn key(&mut self, key: Key, keys: &Bindings) -> Option<SessionsRequest> {
        self.problem = None;
        let chord = Chord::from(key);
        // Ctrl+C closes any list, but here it leaves the program, as it does elsewhere.
        if keys.is(chord, actions::CLEAR) {
            return Some(SessionsRequest::Exit);
        }
        let editing = keys.action(Context::Editor, chord);
        match &self.mode {
            SessionsMode::Confirm(_) => self.confirm(key, keys),
            SessionsMode::Rename(..) => self.rename(key, editing, keys),
            SessionsMode::Browse => match keys.action(Context::Sessions, chord) {
                Some(action) => self.act(action, key, editing),
                None => self.edit(key, editing),
            },
        }
    }

    fn act(&mut self, action: Action, key: Key, editing: Option<Action>) -> Option<SessionsRequest> {
        let last = self.shown.len().saturating_sub(1);
        match action {
            actions::SELECT_UP => self.cursor = self.cursor.checked_sub(1).unwrap_or(last),
            actions::SELECT_DOWN => self.cursor = if self.cursor >= last { 0 } else { self.cursor + 1 },
            actions::SELECT_PAGE_UP => self.cursor = self.cursor.saturating_sub(self.page),
            actions::SELECT_PAGE_DOWN => self.cursor = (self.cursor + self.page).min(last),
            actions::SELECT_CONFIRM => return self.choose(),
            actions::SELECT_CANCEL => return Some(SessionsRequest::Cancel),
            actions::SESSION_TOGGLE_PATH => self.paths = !self.paths,
            actions::SESSION_TOGGLE_SORT => {
                self.sort = self.sort.next();
                self.refresh();
            }
            actions::SESSION_RENAME => {
                let begun = self.current().map(|item| (item.path.clone(), item.name.clone()));
                if let Some((path, name)) = begun {
                    self.mode = SessionsMode::Rename(path, name);
                }
            }
            actions::SESSION_DELETE => self.ask_to_delete(),
            actions::SESSION_DELETE_NONINVASIVE if self.query.is_empty() => self.ask_to_delete(),
            _ => return self.edit(key, editing),
        }
        None
    }

    /// Keys of the line that is typed to search.
    fn edit(&mut self, key: Key, editing: Option<Action>) -> Option<SessionsRequest> {
        match (editing, key.text()) {
            (Some(actions::TAB), _) => return self.toggle_scope(),
            (Some(actions::DELETE_CHAR_FORWARD), _) => {
                self.ask_to_delete();
                return None;
            }
            (Some(actions::CURSOR_LINE_START), _) => {
                self.cursor = 0;
                return None;
            }
            (Some(actions::CURSOR_LINE_END), _) => {
                self.cursor = self.shown.len().saturating_sub(1);
                return None;
            }
            (editing, letter) => {
                if !change(&mut self.query, editing, letter, LONGEST_QUERY) {
                    return None;
                }
            }
        }
        self.typed()
    }

    fn toggle_scope(&mut self) -> Option<SessionsRequest> {
        self.scope = match self.scope {
            Scope::Folder => Scope::All,
            Scope::All => Scope::Folder,
        };
        self.cursor = 0;
        self.top = 0;
        self.hurried = false;
        self.refresh();
        match self.list() {
            Some(_) => self.search(),
            None => Some(SessionsRequest::Load(self.scope)),
        }
    }

    fn ask_to_delete(&mut self) {
        if let Some(path) = self.current().map(|item| item.path.clone()) {
            self.mode = SessionsMode::Confirm(path);
        }
    }

    /// Only a clear yes deletes.
    fn confirm(&mut self, key: Key, keys: &Bindings) -> Option<SessionsRequest> {
        let SessionsMode::Confirm(path) = std::mem::replace(&mut self.mode, SessionsMode::Browse) else {
            return None;
        };
        let confirmed = keys.action(Context::Select, Chord::from(key)) == Some(actions::SELECT_CONFIRM);
        (confirmed || matches!(key.text(), Some('y' | 'Y'))).then_some(SessionsRequest::Delete(path))
    }

    fn rename(&mut self, key: Key, editing: Option<Action>, keys: &Bindings) -> Option<SessionsRequest> {
        let SessionsMode::Rename(path, name) = &mut self.mode else { return None };
        match keys.action(Context::Select, Chord::from(key)) {
            Some(actions::SELECT_CONFIRM) => {
                let wish = SessionsRequest::Rename(path.clone(), name.trim().to_owned());
                let named = !name.trim().is_empty();
                self.mode = SessionsMode::Browse;
                return named.then_some(wish);
            }
            Some(actions::SELECT_CANCEL) => self.mode = SessionsMode::Browse,
            _ => {
                change(name, editing, key.text(), LONGEST_NAME);
            }
        }
        None
    }
}

/// Changes a line that is typed at its end. Says whether it did.
pub(crate) fn change(
    line: &mut String,
    editing: Option<Action>,
    letter: Option<char>,
    longest: usize,
) -> bool {
    let before = line.len();
    match (editing, letter) {
        (Some(actions::DELETE_CHAR_BACKWARD), _) => {
            line.pop();
        }
        (Some(actions::DELETE_WORD_BACKWARD), _) => {
            let kept = line.trim_end().rfind(char::is_whitespace).map_or(0, |at| at + 1);
            line.truncate(kept);
        }
        (Some(actions::DELETE_TO_LINE_START), _) => line.clear(),
        (None, Some(letter)) => push(line, letter.encode_utf8(&mut [0; 4]), longest),
        _ => {}
    }
    line.len() != before
}
