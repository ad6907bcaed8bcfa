//! The list of saved sessions: found by typing, of this folder or of all, renamed and deleted in place.
//!
//! The list never waits. What it needs from the disk it asks for with a [`SessionsRequest`] and is told with [`News`]; until then
//! it shows what it has, and Enter waits for the answer to what was typed.

mod draw;
mod keys;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use omp_keys::Bindings;
use omp_keys::table as actions;

use crate::list_rows::one_line;

pub(crate) use keys::change;

/// What is typed is not longer than this.
const LONGEST_QUERY: usize = 200;
/// A name is not longer than this.
const LONGEST_NAME: usize = 200;

/// Which sessions are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Those of this folder.
    Folder,
    /// Those of all folders.
    All,
}

/// A session of the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionItem {
    /// Its title, else how it begins.
    pub name: String,
    /// The directory it belongs to, as people write it.
    pub directory: String,
    /// Its file.
    pub path: PathBuf,
    /// When it was used last, such as `2h ago`.
    pub age: String,
    /// When it began; later texts are later times.
    pub created: String,
    /// How many messages are known of.
    pub messages: usize,
    /// How it ended, if that is worth a word.
    pub remark: &'static str,
}

/// In which order sessions are listed as long as nothing is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    /// The last used first, as they were given.
    Used,
    Created,
    Name,
}

impl Sort {
    fn next(self) -> Self {
        match self {
            Self::Used => Self::Created,
            Self::Created => Self::Name,
            Self::Name => Self::Used,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Used => "last used",
            Self::Created => "newest",
            Self::Name => "name",
        }
    }
}

/// What the list wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionsRequest {
    /// The sessions of a scope: [`News::Listed`].
    Load(Scope),
    /// Those that fit what was typed, the best first: [`News::Found`].
    Search(Scope, String),
    /// Another name for a session: [`News::Renamed`].
    Rename(PathBuf, String),
    /// A session is to go, with all that belongs to it: [`News::Deleted`].
    Delete(PathBuf),
    /// This one was chosen.
    Choose(PathBuf),
    /// None was chosen.
    Cancel,
    /// The user wants to leave the program.
    Exit,
}

/// What became of a wish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// The sessions of a scope, the last used first.
    Listed(Scope, Vec<SessionItem>),
    /// What fits, by its place in the list of that scope.
    Found(Scope, String, Vec<usize>),
    /// A session has another name.
    Renamed(PathBuf, String),
    /// A session is gone.
    Deleted(PathBuf),
    /// Something could not be done.
    Failed(String),
}

/// What keys do at the moment.
#[derive(Clone, Debug, PartialEq, Eq)]
enum SessionsMode {
    Browse,
    /// Is this session to be deleted?
    Confirm(PathBuf),
    /// A new name is being typed.
    Rename(PathBuf, String),
}

/// The keys of actions that the last row names.
#[derive(Clone, Debug, Default)]
struct Hints {
    scope: String,
    rename: String,
    delete: String,
    sort: String,
    path: String,
}

/// The list with what was typed and where the cursor is.
#[derive(Clone, Debug)]
pub struct Picker {
    scope: Scope,
    folder: Option<Vec<SessionItem>>,
    all: Option<Vec<SessionItem>>,
    query: String,
    /// The answer to the last search.
    found: Option<(Scope, String, Vec<usize>)>,
    /// Places in the list of the scope, as they are shown.
    shown: Vec<usize>,
    cursor: usize,
    top: usize,
    /// So many sessions were shown last.
    page: usize,
    sort: Sort,
    paths: bool,
    mode: SessionsMode,
    /// Nothing was listed yet.
    fresh: bool,
    /// The answer to a search has not come yet.
    searching: bool,
    /// Enter was pressed before the list or the answer to what was typed had come.
    hurried: bool,
    problem: Option<String>,
    hints: Hints,
}

impl Picker {
    /// A list that has to be loaded: its first wish is [`SessionsRequest::Load`] of this scope.
    pub fn new(scope: Scope, keys: &Bindings) -> Self {
        let hint = |action| keys.hint(action).unwrap_or_default();
        let hints = Hints {
            scope: hint(actions::TAB),
            rename: hint(actions::SESSION_RENAME),
            delete: hint(actions::SESSION_DELETE),
            sort: hint(actions::SESSION_TOGGLE_SORT),
            path: hint(actions::SESSION_TOGGLE_PATH),
        };
        Self {
            scope,
            folder: None,
            all: None,
            query: String::new(),
            found: None,
            shown: Vec::new(),
            cursor: 0,
            top: 0,
            page: 1,
            sort: Sort::Used,
            paths: false,
            mode: SessionsMode::Browse,
            fresh: true,
            searching: false,
            hurried: false,
            problem: None,
            hints,
        }
    }

    /// Which sessions are listed.
    pub fn scope(&self) -> Scope {
        self.scope
    }

    /// Takes the answer to a wish; it may lead to the next one.
    pub fn news(&mut self, news: News) -> Option<SessionsRequest> {
        match news {
            News::Listed(scope, mut items) => {
                for item in &mut items {
                    item.name = one_line(&item.name);
                }
                let elsewhere = self.fresh && items.is_empty() && scope == Scope::Folder;
                self.fresh = false;
                *self.list_mut(scope) = Some(items);
                // Who has no session here may mean one from elsewhere.
                if elsewhere && self.scope == Scope::Folder {
                    self.scope = Scope::All;
                    return Some(SessionsRequest::Load(Scope::All));
                }
                self.refresh();
                return self.answered().or_else(|| self.search());
            }
            News::Found(scope, query, places) => {
                self.searching = false;
                self.found = Some((scope, query, places));
                self.refresh();
                return self.answered().or_else(|| self.search());
            }
            News::Renamed(path, name) => {
                let lists = [&mut self.folder, &mut self.all];
                for item in lists.into_iter().flatten().flatten().filter(|item| item.path == path) {
                    item.name = one_line(&name);
                }
                self.refresh();
            }
            News::Deleted(path) => {
                // Places in the list mean something to whoever searches, so nothing moves up.
                let lists = [&mut self.folder, &mut self.all];
                for item in lists.into_iter().flatten().flatten().filter(|item| item.path == path) {
                    item.path = PathBuf::new();
                }
                self.refresh();
            }
            News::Failed(problem) => self.problem = Some(one_line(&problem)),
        }
        None
    }

    /// Takes pasted text.
    pub fn paste(&mut self, text: &str) -> Option<SessionsRequest> {
        let text = one_line(text);
        match &mut self.mode {
            SessionsMode::Browse => {
                push(&mut self.query, &text, LONGEST_QUERY);
                self.typed()
            }
            SessionsMode::Rename(_, name) => {
                push(name, &text, LONGEST_NAME);
                None
            }
            SessionsMode::Confirm(_) => None,
        }
    }

    fn list(&self) -> Option<&[SessionItem]> {
        match self.scope {
            Scope::Folder => self.folder.as_deref(),
            Scope::All => self.all.as_deref(),
        }
    }

    fn list_mut(&mut self, scope: Scope) -> &mut Option<Vec<SessionItem>> {
        match scope {
            Scope::Folder => &mut self.folder,
            Scope::All => &mut self.all,
        }
    }

    /// The session under the cursor.
    fn current(&self) -> Option<&SessionItem> {
        self.list()?.get(*self.shown.get(self.cursor)?)
    }

    fn is_answered(&self) -> bool {
        let same = |(scope, query, _): &(Scope, String, _)| *scope == self.scope && *query == self.query;
        self.list().is_some() && (self.query.is_empty() || self.found.as_ref().is_some_and(same))
    }

    /// Chooses, if Enter was pressed and the list is what it was pressed for.
    fn answered(&mut self) -> Option<SessionsRequest> {
        let due = self.hurried && self.is_answered();
        self.hurried &= !due;
        due.then(|| self.choose()).flatten()
    }

    /// Asks for what fits, unless it is known. There is one question at a time: its answer leads to the next.
    fn search(&mut self) -> Option<SessionsRequest> {
        if self.searching || self.is_answered() || self.list().is_none() {
            return None;
        }
        self.searching = true;
        Some(SessionsRequest::Search(self.scope, self.query.clone()))
    }

    /// What was typed has changed.
    fn typed(&mut self) -> Option<SessionsRequest> {
        self.hurried = false;
        self.cursor = 0;
        self.refresh();
        self.search()
    }

    fn choose(&mut self) -> Option<SessionsRequest> {
        if !self.is_answered() {
            self.hurried = true;
            return None;
        }
        self.current().map(|item| SessionsRequest::Choose(item.path.clone()))
    }

    /// Decides what is shown, and keeps the cursor on its session.
    fn refresh(&mut self) {
        let before = self.current().map(|item| item.path.clone());
        let shown = self.wanted();
        // While a search is under way the answer to the one before stands.
        if let Some(shown) = shown {
            self.shown = shown;
        }
        let list = self.list().unwrap_or_default();
        let place = |path: &Path| self.shown.iter().position(|place| list[*place].path == path);
        let kept = before.as_deref().filter(|_| self.query.is_empty() || self.cursor > 0).and_then(place);
        let last = self.shown.len().saturating_sub(1);
        self.cursor = kept.unwrap_or(self.cursor.min(last));
    }

    /// The places to show; `None` as long as they are not known.
    fn wanted(&self) -> Option<Vec<usize>> {
        let Some(list) = self.list() else { return Some(Vec::new()) };
        let is_there = |place: &usize| list.get(*place).is_some_and(|item| !item.path.as_os_str().is_empty());
        if self.query.is_empty() {
            let mut places: Vec<usize> = (0..list.len()).filter(is_there).collect();
            match self.sort {
                Sort::Used => {}
                Sort::Created => places.sort_by(|a, b| list[*b].created.cmp(&list[*a].created)),
                Sort::Name => places.sort_by_cached_key(|place| list[*place].name.to_lowercase()),
            }
            return Some(places);
        }
        let (scope, _, places) = self.found.as_ref()?;
        if *scope != self.scope {
            return Some((0..list.len()).filter(is_there).collect());
        }
        Some(places.iter().copied().filter(is_there).collect())
    }
}

/// Appends as much as fits.
fn push(to: &mut String, text: &str, longest: usize) {
    let room = longest.saturating_sub(to.chars().count());
    to.extend(text.chars().filter(|letter| !letter.is_control()).take(room));
}
