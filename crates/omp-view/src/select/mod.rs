//! Lists to choose from: found by typing, gone through by page, one or several at a time.
//!
//! A [`Selector`] is a state machine: the program turns keys into [`Step`]s and learns from each [`Outcome`] what to do.
//! While it is open, [`Outcome::Moved`] tells which option is looked at, so that a preview can follow. [`numbered`] asks the
//! same questions where only lines can be read and written.

mod draw;
mod filter;
pub mod numbered;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use filter::{FilterMatch, Query};

/// One option.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// What it is called.
    pub label: String,
    /// More about it, in the same row.
    pub detail: String,
    /// The heading it stands under, if the list has any.
    pub group: String,
    /// Words that find it without being shown.
    pub keywords: String,
    /// Why it cannot be chosen now; empty if it can.
    pub refusal: String,
    /// It does something and is nothing to be marked, where several can be chosen.
    pub acts: bool,
    /// When it is in the list.
    pub presence: Presence,
}

/// When an option is in the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Presence {
    /// Always.
    #[default]
    Always,
    /// Once something is typed, or all options are asked for.
    OnSearch,
    /// Until then: it asks for all options.
    UntilAll,
}

impl Choice {
    /// An option with a name only.
    pub fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), ..Self::default() }
    }

    /// With more about it.
    #[must_use]
    pub fn detail(self, detail: impl Into<String>) -> Self {
        Self { detail: detail.into(), ..self }
    }

    /// Under a heading.
    #[must_use]
    pub fn group(self, group: impl Into<String>) -> Self {
        Self { group: group.into(), ..self }
    }

    /// FilterMatch by these words, too.
    #[must_use]
    pub fn keywords(self, keywords: impl Into<String>) -> Self {
        Self { keywords: keywords.into(), ..self }
    }

    /// In the list only for who searches, or asks for everything.
    #[must_use]
    pub fn on_search(self) -> Self {
        Self { presence: Presence::OnSearch, ..self }
    }

    /// An option that asks for those that are in the list on search only.
    pub fn all_options(label: impl Into<String>) -> Self {
        Self { presence: Presence::UntilAll, ..Self::new(label) }
    }

    /// Does something, and is never marked.
    #[must_use]
    pub fn acts(self) -> Self {
        Self { acts: true, ..self }
    }

    /// Shown, but not to be chosen.
    #[must_use]
    pub fn refused(self, reason: impl Into<String>) -> Self {
        Self { refusal: reason.into(), ..self }
    }
}

/// What the user does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// One option up; from the first to the last.
    Up,
    /// One option down; from the last to the first.
    Down,
    /// A page up.
    PageUp,
    /// A page down.
    PageDown,
    /// To the first option.
    First,
    /// To the last option.
    Last,
    /// Marks or unmarks the option, where several can be chosen.
    Toggle,
    /// Typed or pasted text.
    Text(String),
    /// Takes the last typed character back.
    Backspace,
    /// Takes the last typed word back.
    BackspaceWord,
    /// Takes everything typed back.
    Clear,
    /// Chooses.
    Confirm,
    /// Closes, or first clears what was typed.
    Cancel,
}

/// What follows from a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing to see.
    Nothing,
    /// The rows look different.
    Changed,
    /// Another option is looked at: its place in the list that was given, or none.
    Moved(Option<usize>),
    /// These were chosen, in the order of the list.
    Chosen(Vec<usize>),
    /// None was chosen.
    Cancelled,
}

/// How many can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Marks {
    One,
    Several(BTreeSet<usize>),
}

/// A list with what was typed and where the cursor is.
#[derive(Clone, Debug)]
pub struct Selector {
    title: String,
    choices: Vec<Choice>,
    marks: Marks,
    query: Query,
    found: Vec<FilterMatch>,
    /// The place in `found`.
    cursor: usize,
    /// The first of `found` that is shown.
    top: usize,
    rows: usize,
    hint: String,
    form: Form,
    /// All options are in the list, searched for or not.
    shows_all: bool,
}

/// What a list looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Many options, one row each.
    List,
    /// A few answers: the question and what is said about each answer are shown whole.
    Question,
}

/// The most options shown at once, unless told otherwise.
const ROWS: usize = 10;

/// What is typed is not longer than this.
const QUERY_BYTES: usize = 200;

impl Selector {
    /// A list of which one can be chosen.
    pub fn new(title: impl Into<String>, choices: Vec<Choice>) -> Self {
        let found = filter::unsearched(&choices, false);
        let (title, query) = (title.into(), Query::default());
        Self {
            title,
            choices,
            marks: Marks::One,
            query,
            found,
            cursor: 0,
            top: 0,
            rows: ROWS,
            hint: String::new(),
            form: Form::List,
            shows_all: false,
        }
    }

    /// The title is a question that is to be read whole, and so is what is said about its few answers.
    #[must_use]
    pub fn question(mut self) -> Self {
        self.form = Form::Question;
        self
    }

    /// Several can be chosen; those of `marked` are to begin with.
    #[must_use]
    pub fn several(mut self, marked: impl IntoIterator<Item = usize>) -> Self {
        let count = self.choices.len();
        self.marks = Marks::Several(marked.into_iter().filter(|index| *index < count).collect());
        self
    }

    /// At most so many options at once.
    #[must_use]
    pub fn rows(mut self, rows: usize) -> Self {
        self.rows = rows.max(1);
        self.scroll();
        self
    }

    /// Shows at most so many options at once from now on.
    pub fn set_rows(&mut self, rows: usize) {
        self.rows = rows.max(1);
        self.scroll();
    }

    /// Begins at an option.
    #[must_use]
    pub fn at(mut self, choice: usize) -> Self {
        self.cursor = self.found.iter().position(|found| found.choice == choice).unwrap_or(0);
        self.scroll();
        self
    }

    /// A last row that says which keys do what.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    /// The option under the cursor: its place in the list that was given.
    pub fn current(&self) -> Option<usize> {
        self.found.get(self.cursor).map(|found| found.choice)
    }

    /// The options as they were given.
    pub fn choices(&self) -> &[Choice] {
        &self.choices
    }

    /// What was typed.
    pub fn query(&self) -> &str {
        self.query.text()
    }

    /// The marked options, where several can be chosen.
    pub fn marked(&self) -> Vec<usize> {
        match &self.marks {
            Marks::One => Vec::new(),
            Marks::Several(marked) => marked.iter().copied().collect(),
        }
    }

    /// Other options, such as those that have come in since. What was typed and the option under the cursor stay,
    /// if it is found under the same label.
    pub fn replace(&mut self, choices: Vec<Choice>) {
        let label = self.current().map(|index| self.choices[index].label.clone());
        let marked: BTreeSet<String> = self.marked().iter().map(|i| self.choices[*i].label.clone()).collect();
        self.choices = choices;
        if let Marks::Several(marks) = &mut self.marks {
            let labels = self.choices.iter().enumerate();
            *marks =
                labels.filter(|(_, choice)| marked.contains(&choice.label)).map(|(index, _)| index).collect();
        }
        self.found = self.query.find(&self.choices, self.shows_all);
        let same = |found: &FilterMatch| Some(&self.choices[found.choice].label) == label.as_ref();
        self.cursor = self.found.iter().position(same).unwrap_or(0);
        self.scroll();
    }

    /// Does one step.
    pub fn step(&mut self, step: Step) -> Outcome {
        let last = self.found.len().saturating_sub(1);
        match step {
            Step::Up => self.go(if self.cursor == 0 { last } else { self.cursor - 1 }),
            Step::Down => self.go(if self.cursor == last { 0 } else { self.cursor + 1 }),
            Step::PageUp => self.go(self.cursor.saturating_sub(self.rows)),
            Step::PageDown => self.go((self.cursor + self.rows).min(last)),
            Step::First => self.go(0),
            Step::Last => self.go(last),
            Step::Toggle => self.toggle(),
            Step::Text(text) => self.typed(|query| query.push(&text, QUERY_BYTES)),
            Step::Backspace => self.typed(Query::pop),
            Step::BackspaceWord => self.typed(Query::pop_word),
            Step::Clear => self.typed(Query::clear),
            Step::Confirm if self.is_on_all_options() => self.show_all(),
            Step::Confirm => self.confirm(),
            Step::Cancel if !self.query().is_empty() => self.typed(Query::clear),
            Step::Cancel => Outcome::Cancelled,
        }
    }

    fn go(&mut self, cursor: usize) -> Outcome {
        if cursor == self.cursor {
            return Outcome::Nothing;
        }
        self.cursor = cursor;
        self.scroll();
        Outcome::Moved(self.current())
    }

    fn toggle(&mut self) -> Outcome {
        let can_be = |choice: &Choice| choice.refusal.is_empty() && !choice.acts;
        let Some(current) = self.current().filter(|index| can_be(&self.choices[*index])) else {
            return Outcome::Nothing;
        };
        let Marks::Several(marked) = &mut self.marks else { return Outcome::Nothing };
        if !marked.remove(&current) {
            marked.insert(current);
        }
        Outcome::Changed
    }

    /// Changes what is typed; the best option is under the cursor then.
    fn typed(&mut self, change: impl FnOnce(&mut Query)) -> Outcome {
        let before = (self.query().to_owned(), self.current());
        change(&mut self.query);
        if self.query() == before.0 {
            return Outcome::Nothing;
        }
        self.found = self.query.find(&self.choices, self.shows_all);
        // Without a query the list is as it was, and so is the place in it.
        let place = self.found.iter().position(|found| Some(found.choice) == before.1);
        self.cursor = if self.query().is_empty() { place.unwrap_or(0) } else { 0 };
        self.scroll();
        if self.current() == before.1 { Outcome::Changed } else { Outcome::Moved(self.current()) }
    }

    fn is_on_all_options(&self) -> bool {
        self.current().is_some_and(|index| self.choices[index].presence == Presence::UntilAll)
    }

    /// The list grows by what was left out; the cursor is on the first of it.
    fn show_all(&mut self) -> Outcome {
        let known: Vec<usize> = self.found.iter().map(|found| found.choice).collect();
        self.shows_all = true;
        self.found = self.query.find(&self.choices, self.shows_all);
        self.cursor = self.found.iter().position(|found| !known.contains(&found.choice)).unwrap_or(0);
        self.scroll();
        Outcome::Moved(self.current())
    }

    fn confirm(&self) -> Outcome {
        if let Marks::Several(marked) = &self.marks {
            return Outcome::Chosen(marked.iter().copied().collect());
        }
        match self.current() {
            Some(current) if self.choices[current].refusal.is_empty() => Outcome::Chosen(vec![current]),
            _ => Outcome::Nothing,
        }
    }

    /// Moves the shown part so that the cursor is in it.
    fn scroll(&mut self) {
        let most = self.found.len().saturating_sub(self.rows);
        let lowest = (self.cursor + 1).saturating_sub(self.rows);
        self.top = self.top.clamp(lowest, self.cursor).min(most);
    }
}
