//! The panel of settings: every row of the table, by group, found by typing, changed in place.
//!
//! The panel shows what it is given and asks for changes with a [`SettingsRequest`]; whoever owns it makes the change and gives it
//! the new values with [`SettingsPanel::update`].

mod draw;
mod label;
#[cfg(test)]
mod tests;

use omp_keys::table as actions;
use omp_keys::{Bindings, Chord, Context};
use omp_tui::input::Key;
use omp_tui::render::Size;
use omp_view::Look;
use omp_view::select::{Choice, Outcome, Selector, Step};

use crate::listing::{Tabs, step};
use crate::{Drawn, Machine};
use label::label;

/// The tab with the settings of all groups.
const ALL: &str = "All";

/// A setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingItem {
    /// The dotted name.
    pub path: &'static str,
    /// What it is shown together with.
    pub group: &'static str,
    /// What it does, in one sentence.
    pub about: &'static str,
    /// How it is changed.
    pub kind: SettingKind,
    /// Its value as people write it; nothing of a secret.
    pub value: String,
    /// The value that it has if nobody says otherwise, and what kind it is, in a few words.
    pub usual: String,
    /// Where the value comes from, in a few words; empty for the default.
    pub origin: String,
    /// What else should be known.
    pub remark: String,
    /// Nothing reads it yet: it is found by searching only.
    pub is_idle: bool,
}

/// How a setting is changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingKind {
    /// By turning it on or off.
    Flag,
    /// By choosing one of these words.
    Words(Vec<String>),
    /// The same, and the word under the cursor is tried out.
    Tried(Vec<String>),
    /// By writing.
    Text,
}

/// What the panel wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingsRequest {
    /// It is done.
    Close,
    /// A setting gets a value.
    Set(&'static str, String),
    /// A setting gets its default.
    Reset(&'static str),
    /// A value is to be written.
    Write(&'static str),
    /// A value is to be tried out.
    Try(&'static str, String),
    /// What was tried out is to be undone.
    StopTrying,
}

/// The panel.
#[derive(Debug)]
pub struct SettingsPanel {
    items: Vec<SettingItem>,
    tabs: Tabs,
    list: Selector,
    /// The items of the list, in its order.
    listed: Vec<usize>,
    /// The setting whose words are shown, and the words.
    words: Option<(usize, Selector)>,
    problem: Option<String>,
}

impl SettingsPanel {
    /// A panel with these settings.
    pub fn new(items: Vec<SettingItem>) -> Self {
        let mut names = vec![ALL.to_owned()];
        for item in &items {
            if !names.iter().any(|name| name == item.group) {
                names.push(item.group.to_owned());
            }
        }
        let mut panel = Self {
            items,
            tabs: Tabs::new(names),
            list: Selector::new("Settings", Vec::new()),
            listed: Vec::new(),
            words: None,
            problem: None,
        };
        panel.relist();
        panel
    }

    /// The settings have these values now.
    pub fn update(&mut self, items: Vec<SettingItem>) {
        self.items = items;
        self.problem = None;
        self.refill();
    }

    /// Something could not be done.
    pub fn complain(&mut self, problem: impl Into<String>) {
        self.problem = Some(problem.into());
    }

    /// The setting under the cursor.
    pub fn current(&self) -> Option<&SettingItem> {
        self.items.get(*self.listed.get(self.list.current()?)?)
    }

    /// The list of another tab, from its beginning.
    fn relist(&mut self) {
        self.list = Selector::new("Settings", Vec::new());
        self.refill();
    }

    fn refill(&mut self) {
        let tab = self.tabs.current();
        let shown = |item: &SettingItem| tab == ALL || item.group == tab;
        self.listed = (0..self.items.len()).filter(|place| shown(&self.items[*place])).collect();
        let choices = self.listed.iter().map(|place| choice(&self.items[*place], tab == ALL)).collect();
        self.list.replace(choices);
    }

    /// Changes the setting under the cursor, in the way of its kind.
    fn change(&mut self) -> Option<SettingsRequest> {
        let place = *self.listed.get(self.list.current()?)?;
        let item = &self.items[place];
        match &item.kind {
            SettingKind::Flag => {
                let other = if item.value == "true" { "false" } else { "true" };
                Some(SettingsRequest::Set(item.path, other.to_owned()))
            }
            SettingKind::Text => Some(SettingsRequest::Write(item.path)),
            SettingKind::Words(words) | SettingKind::Tried(words) => {
                let at = words.iter().position(|word| *word == item.value).unwrap_or(0);
                let choices = words.iter().map(Choice::new).collect();
                self.words = Some((place, Selector::new(label(item.path), choices).at(at)));
                None
            }
        }
    }

    fn chosen(&mut self, path: &'static str, outcome: Outcome) -> Option<SettingsRequest> {
        let (place, words) = self.words.as_ref()?;
        let tried = matches!(self.items[*place].kind, SettingKind::Tried(_));
        let word = |choice: usize| words.choices()[choice].label.clone();
        match outcome {
            Outcome::Moved(Some(choice)) if tried => Some(SettingsRequest::Try(path, word(choice))),
            Outcome::Chosen(chosen) => {
                let word = word(*chosen.first()?);
                self.words = None;
                Some(SettingsRequest::Set(path, word))
            }
            Outcome::Cancelled => {
                self.words = None;
                tried.then_some(SettingsRequest::StopTrying)
            }
            _ => None,
        }
    }
}

impl Machine for SettingsPanel {
    type Request = SettingsRequest;

    fn draw(&mut self, look: &Look, size: Size) -> Drawn {
        self.rows(look, size)
    }

    fn key(&mut self, key: Key, keys: &Bindings) -> Option<SettingsRequest> {
        self.problem = None;
        if let Some((place, words)) = &mut self.words {
            let (path, outcome) = (self.items[*place].path, words.step(step(key, keys)?));
            return self.chosen(path, outcome);
        }
        if self.tabs.key(key, keys) {
            self.relist();
            return None;
        }
        let editing = keys.action(Context::Editor, Chord::from(key));
        if editing == Some(actions::DELETE_CHAR_FORWARD) {
            return self.current().map(|item| SettingsRequest::Reset(item.path));
        }
        match self.list.step(step(key, keys)?) {
            Outcome::Cancelled => Some(SettingsRequest::Close),
            Outcome::Chosen(_) => self.change(),
            _ => None,
        }
    }

    fn paste(&mut self, text: &str) -> Option<SettingsRequest> {
        let list = self.words.as_mut().map_or(&mut self.list, |(_, words)| words);
        list.step(Step::Text(text.to_owned()));
        None
    }
}

fn choice(item: &SettingItem, grouped: bool) -> Choice {
    let mut detail = match (&item.kind, item.value.as_str()) {
        (_, "") => "not set".to_owned(),
        (SettingKind::Flag, "true") => "on".to_owned(),
        (SettingKind::Flag, "false") => "off".to_owned(),
        (_, value) => value.to_owned(),
    };
    if !item.origin.is_empty() {
        detail.push_str(&format!("  ({})", item.origin));
    }
    let choice =
        Choice::new(label(item.path)).detail(detail).keywords(format!("{} {}", item.path, item.about));
    let choice = if grouped { choice.group(item.group) } else { choice };
    if item.is_idle { choice.on_search() } else { choice }
}
