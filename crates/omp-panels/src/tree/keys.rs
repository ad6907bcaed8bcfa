//! What keys do in the tree.

use omp_keys::table as actions;
use omp_keys::{Action, Bindings, Chord, Context};
use omp_tui::input::Key;

use super::{Filter, LONGEST, Navigator, TreeMode, TreeRequest};
use crate::sessions::change;

/// Keys that no file of the user changes.
#[derive(Clone, Debug)]
pub(super) struct Fixed(Vec<(Chord, Command)>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Command {
    Label,
    NextFilter,
    PreviousFilter,
    Show(Filter),
}

const FIXED: [(&str, Command); 8] = [
    ("Shift+L", Command::Label),
    ("Ctrl+O", Command::NextFilter),
    ("Ctrl+Shift+O", Command::PreviousFilter),
    ("Alt+D", Command::Show(Filter::Default)),
    ("Alt+T", Command::Show(Filter::NoTools)),
    ("Alt+U", Command::Show(Filter::UserOnly)),
    ("Alt+L", Command::Show(Filter::LabeledOnly)),
    ("Alt+A", Command::Show(Filter::All)),
];

impl Fixed {
    pub(super) fn new() -> Self {
        Self(FIXED.into_iter().filter_map(|(chord, command)| Some((chord.parse().ok()?, command))).collect())
    }

    fn command(&self, chord: Chord) -> Option<Command> {
        self.0.iter().find(|(known, _)| *known == chord).map(|(_, command)| *command)
    }
}

impl Navigator {
    /// Takes a key; it may lead to a wish.
    pub fn key(&mut self, key: Key, keys: &Bindings) -> Option<TreeRequest> {
        let chord = Chord::from(key);
        let editing = keys.action(Context::Editor, chord);
        if keys.is(chord, actions::CLEAR) {
            return Some(TreeRequest::Close);
        }
        if matches!(self.mode, TreeMode::Label(..)) {
            return self.edit_label(key, editing, keys);
        }
        if let Some(command) = self.fixed.command(chord) {
            return self.command(command);
        }
        match (keys.action(Context::Tree, chord), editing) {
            (Some(action), _) => self.act(action),
            (None, Some(actions::CURSOR_LEFT)) => self.move_by(|at, page, _| at.saturating_sub(page)),
            (None, Some(actions::CURSOR_RIGHT)) => self.move_by(|at, page, last| (at + page).min(last)),
            (None, Some(actions::CURSOR_LINE_START)) => self.move_by(|_, _, _| 0),
            (None, Some(actions::CURSOR_LINE_END)) => self.move_by(|_, _, last| last),
            (None, editing) => change(&mut self.query, editing, key.text(), LONGEST).then(|| self.searched()),
        }
    }

    /// Takes pasted text.
    pub fn paste(&mut self, text: &str) -> Option<TreeRequest> {
        let typed = text.chars().filter(|letter| !letter.is_control()).take(LONGEST);
        if let TreeMode::Label(_, label) = &mut self.mode {
            label.extend(typed);
            return None;
        }
        self.query.extend(typed);
        Some(self.searched())
    }

    fn command(&mut self, command: Command) -> Option<TreeRequest> {
        self.filter = match command {
            Command::Label => {
                let row = self.current()?;
                self.mode = TreeMode::Label(row.id.clone(), row.label.clone().unwrap_or_default());
                return None;
            }
            Command::NextFilter => self.filter.step(1),
            Command::PreviousFilter => self.filter.step(Filter::ALL.len() - 1),
            Command::Show(filter) => filter,
        };
        Some(self.searched())
    }

    fn act(&mut self, action: Action) -> Option<TreeRequest> {
        match action {
            actions::SELECT_UP => self.move_by(|at, _, last| at.checked_sub(1).unwrap_or(last)),
            actions::SELECT_DOWN => self.move_by(|at, _, last| if at >= last { 0 } else { at + 1 }),
            actions::SELECT_PAGE_UP => self.move_by(|at, page, _| at.saturating_sub(page)),
            actions::SELECT_PAGE_DOWN => self.move_by(|at, page, last| (at + page).min(last)),
            actions::SELECT_CONFIRM => self.current().map(|row| TreeRequest::Go(row.id.clone())),
            actions::SELECT_CANCEL if self.query.is_empty() => Some(TreeRequest::Close),
            actions::SELECT_CANCEL => {
                self.query.clear();
                Some(self.searched())
            }
            actions::TREE_FOLD_OR_UP => self.fold_or_up(),
            actions::TREE_UNFOLD_OR_DOWN => self.unfold_or_down(),
            _ => None,
        }
    }

    fn searched(&self) -> TreeRequest {
        TreeRequest::Rows(self.filter, self.query.clone())
    }

    fn move_by(&mut self, to: impl Fn(usize, usize, usize) -> usize) -> Option<TreeRequest> {
        self.cursor = to(self.cursor, self.page, self.shown.len().saturating_sub(1));
        None
    }

    /// Folds what follows; where nothing does, goes up to the entry that begins the branch.
    fn fold_or_up(&mut self) -> Option<TreeRequest> {
        let shown = self.shown.get(self.cursor)?;
        if shown.has_children && shown.hidden == 0 && self.query.is_empty() {
            self.folded.insert(self.rows[shown.row].id.clone());
            self.reshape();
            return None;
        }
        let above = std::iter::successors(shown.parent, |place| self.shown[*place].parent);
        let mut above = above.peekable();
        let nearest = above.peek().copied();
        let begins = above.find(|place| self.shown[*place].begins || self.shown[*place].parent.is_none());
        self.cursor = begins.or(nearest).unwrap_or(self.cursor);
        None
    }

    /// Unfolds; what is not folded is left for the next branch, else for the next entry.
    fn unfold_or_down(&mut self) -> Option<TreeRequest> {
        let id = self.current()?.id.clone();
        if self.folded.remove(&id) {
            self.reshape();
            return None;
        }
        let below = self.shown.iter().enumerate().skip(self.cursor + 1);
        let branch = below.clone().find(|(_, shown)| shown.begins).map(|(place, _)| place);
        let last = self.shown.len().saturating_sub(1);
        self.cursor = branch.unwrap_or((self.cursor + 1).min(last));
        None
    }

    fn edit_label(&mut self, key: Key, editing: Option<Action>, keys: &Bindings) -> Option<TreeRequest> {
        let TreeMode::Label(id, label) = &mut self.mode else { return None };
        match keys.action(Context::Select, Chord::from(key)) {
            Some(actions::SELECT_CONFIRM) => {
                let wish = TreeRequest::Label(id.clone(), label.trim().to_owned());
                self.mode = TreeMode::Browse;
                return Some(wish);
            }
            Some(actions::SELECT_CANCEL) => self.mode = TreeMode::Browse,
            _ => {
                change(label, editing, key.text(), LONGEST);
            }
        }
        None
    }
}
