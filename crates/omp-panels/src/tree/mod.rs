//! The tree of a conversation: a place in it is found by moving, filtering and searching, and can be given a label.
//!
//! The panel is given the entries that a filter and a search leave ([`TreeRow`]), each before those that follow it. It asks
//! for others with [`TreeRequest::Rows`] when the filter or the search changes.

mod draw;
mod keys;
mod shape;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use omp_keys::Bindings;
use omp_keys::table as actions;

use crate::list_rows::one_line;
use keys::Fixed;
use shape::Shown;

/// What is typed is not longer than this.
const LONGEST: usize = 200;

/// Which entries are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Filter {
    /// The conversation, without bookkeeping.
    #[default]
    Default,
    /// The same without results of tools.
    NoTools,
    /// What the user said.
    UserOnly,
    /// What has a label.
    LabeledOnly,
    /// Everything.
    All,
}

impl Filter {
    /// In the order in which they follow each other.
    pub const ALL: [Self; 5] = [Self::Default, Self::NoTools, Self::UserOnly, Self::LabeledOnly, Self::All];

    /// Its name.
    pub fn word(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::NoTools => "no-tools",
            Self::UserOnly => "user-only",
            Self::LabeledOnly => "labeled-only",
            Self::All => "all",
        }
    }

    /// The filter so many places further; after the last comes the first.
    fn step(self, by: usize) -> Self {
        let at = Self::ALL.iter().position(|filter| *filter == self).unwrap_or(0);
        Self::ALL[(at + by) % Self::ALL.len()]
    }
}

/// Who speaks in an entry, for its colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Voice {
    /// The person.
    User,
    /// The model.
    Assistant,
    /// A tool.
    Tool,
    /// The program.
    #[default]
    Other,
}

/// An entry of the tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeRow {
    /// Its id.
    pub id: String,
    /// Who speaks.
    pub voice: Voice,
    /// What stands before the text, such as `user`.
    pub who: String,
    /// How it begins.
    pub text: String,
    /// The label it has.
    pub label: Option<String>,
    /// How many of the rows before it are above it in the tree.
    pub depth: usize,
    /// Is it on the way to where the conversation stands?
    pub active: bool,
}

/// What the panel wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreeRequest {
    /// Other entries: [`Navigator::set_rows`].
    Rows(Filter, String),
    /// To the entry of this id.
    Go(String),
    /// Another label for an entry; an empty one takes it away.
    Label(String, String),
    /// The user leaves.
    Close,
}

/// What keys do at the moment.
#[derive(Clone, Debug, PartialEq, Eq)]
enum TreeMode {
    Browse,
    /// The label of an entry is being typed.
    Label(String, String),
}

/// The tree with where the cursor is.
#[derive(Clone, Debug)]
pub struct Navigator {
    rows: Vec<TreeRow>,
    shown: Vec<Shown>,
    /// Several entries follow nothing; they are drawn below a root that is none.
    roots: usize,
    folded: HashSet<String>,
    filter: Filter,
    query: String,
    cursor: usize,
    page: usize,
    mode: TreeMode,
    fixed: Fixed,
    fold_key: String,
}

impl Navigator {
    /// A tree without entries yet: its first wish is [`TreeRequest::Rows`].
    pub fn new(keys: &Bindings) -> Self {
        Self {
            rows: Vec::new(),
            shown: Vec::new(),
            roots: 0,
            folded: HashSet::new(),
            filter: Filter::default(),
            query: String::new(),
            cursor: 0,
            page: 5,
            mode: TreeMode::Browse,
            fixed: Fixed::new(),
            fold_key: keys.hint(actions::TREE_FOLD_OR_UP).unwrap_or_default(),
        }
    }

    /// Which entries are wanted, and what they must have.
    pub fn wanted(&self) -> (Filter, &str) {
        (self.filter, &self.query)
    }

    /// Takes the entries that were wished for. The cursor stays on its entry, else it goes to the place where the
    /// conversation stands.
    pub fn set_rows(&mut self, rows: Vec<TreeRow>) {
        let before = self.current().map(|row| row.id.clone());
        self.rows = rows;
        for row in &mut self.rows {
            row.text = one_line(&row.text);
            row.label = row.label.as_deref().map(one_line);
        }
        self.reshape();
        let at = |wanted: &dyn Fn(&TreeRow) -> bool| {
            self.shown.iter().rposition(|shown| wanted(&self.rows[shown.row]))
        };
        let kept = before.and_then(|id| at(&|row| row.id == id));
        self.cursor = kept.or_else(|| at(&|row| row.active)).unwrap_or(0);
    }

    /// Puts the cursor on an entry, if it is shown.
    pub fn select(&mut self, id: &str) {
        if let Some(place) = self.shown.iter().position(|shown| self.rows[shown.row].id == id) {
            self.cursor = place;
        }
    }

    /// The entry under the cursor.
    fn current(&self) -> Option<&TreeRow> {
        self.shown.get(self.cursor).map(|shown| &self.rows[shown.row])
    }

    fn reshape(&mut self) {
        let nothing = HashSet::new();
        // Who searches wants to see what was found.
        let folded = if self.query.is_empty() { &self.folded } else { &nothing };
        self.shown = shape::shape(&self.rows, |row| folded.contains(&row.id));
        self.roots = self.rows.iter().filter(|row| row.depth == 0).count();
        self.cursor = self.cursor.min(self.shown.len().saturating_sub(1));
    }
}
