//! Choosing a model: under tabs of providers, in the view where each model is one row, or among those of a scope.
//!
//! A row of a provider stands for exactly that offer; a row of the canonical view for the model, regardless of who offers it.

mod draw;
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

/// The tab with every offer.
const ALL: &str = "All";
/// The tab with the models that this run is limited to.
const SCOPE: &str = "Scope";
/// The tab in which each model is one row.
const CANONICAL: &str = "Canonical";
/// The level that is the model's own, or the user's.
const USUAL: &str = "default";

/// An offer of a provider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelItem {
    /// `provider/id`.
    pub selector: String,
    /// Who offers it.
    pub provider: String,
    /// What people call it, and what is worth knowing.
    pub facts: String,
    /// How hard it can think, lowest first; nothing for one that does not.
    pub levels: Vec<String>,
}

/// A model, regardless of who offers it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Canonical {
    /// Its id.
    pub id: String,
    /// `provider/id` of its offers, the one that would be used first.
    pub variants: Vec<String>,
}

/// What a model is used for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Role {
    /// Its name.
    pub name: String,
    /// The selector it was given; empty if none.
    pub model: String,
}

/// What there is to choose from.
#[derive(Clone, Debug, Default)]
pub struct ModelOffer {
    /// Every offer that can be used.
    pub items: Vec<ModelItem>,
    /// The same by model.
    pub canonical: Vec<Canonical>,
    /// The selectors that this run is limited to; none if it is not.
    pub scope: Vec<String>,
    /// Every role.
    pub roles: Vec<Role>,
    /// The current model, as `provider/id`.
    pub current: String,
    /// What a change costs, to be known before it.
    pub note: Option<String>,
}

/// What the choice is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// For roles; it is kept.
    Roles,
    /// For this session only.
    Once,
}

/// What the panel wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelsRequest {
    /// Nothing is to change.
    Close,
    /// This session continues with a model.
    Use(String),
    /// A role gets a model, with a level behind a colon if one was chosen.
    Assign {
        /// The role.
        role: String,
        /// The selector.
        selector: String,
    },
}

/// The panel.
#[derive(Debug)]
pub struct ModelsPanel {
    offer: ModelOffer,
    purpose: Purpose,
    tabs: Tabs,
    list: Selector,
    /// Selectors of the list, in its order.
    listed: Vec<String>,
    /// A question about the chosen model.
    asked: Option<ModelQuestion>,
}

#[derive(Debug)]
enum ModelQuestion {
    Role { selector: String, list: Selector },
    Level { selector: String, role: String, list: Selector },
}

impl ModelQuestion {
    fn list(&mut self) -> &mut Selector {
        match self {
            Self::Role { list, .. } | Self::Level { list, .. } => list,
        }
    }
}

impl ModelsPanel {
    /// A panel that begins at the current model.
    pub fn new(offer: ModelOffer, purpose: Purpose) -> Self {
        let mut names = vec![ALL.to_owned()];
        if !offer.scope.is_empty() {
            names.push(SCOPE.to_owned());
        }
        names.push(CANONICAL.to_owned());
        for item in &offer.items {
            if !names.contains(&item.provider) {
                names.push(item.provider.clone());
            }
        }
        let mut tabs = Tabs::new(names);
        if !offer.scope.is_empty() {
            tabs.go_to(SCOPE);
        }
        let list = Selector::new("", Vec::new());
        let mut panel = Self { offer, purpose, tabs, list, listed: Vec::new(), asked: None };
        panel.relist();
        panel
    }

    fn relist(&mut self) {
        let tab = self.tabs.current();
        let offers = |wanted: &dyn Fn(&ModelItem) -> bool| -> Vec<(String, Choice)> {
            let shown = self.offer.items.iter().filter(|item| wanted(item));
            shown.map(|item| (item.selector.clone(), self.choice(item, tab))).collect()
        };
        let rows = match tab {
            ALL => offers(&|_| true),
            SCOPE => offers(&|item| self.offer.scope.contains(&item.selector)),
            CANONICAL => self.offer.canonical.iter().map(|model| self.canonical(model)).collect(),
            provider => offers(&|item| item.provider == provider),
        };
        let current = rows.iter().position(|(selector, _)| self.is_current(selector)).unwrap_or(0);
        let (listed, choices) = rows.into_iter().unzip();
        self.listed = listed;
        let title = match self.purpose {
            Purpose::Roles => "Choose a model",
            Purpose::Once => "Choose a model for this session",
        };
        self.list = Selector::new(title, choices).at(current);
    }

    fn is_current(&self, selector: &str) -> bool {
        let model = self.offer.canonical.iter().find(|model| model.id == selector);
        let first = model.and_then(|model| model.variants.first()).map_or(selector, String::as_str);
        first == self.offer.current
    }

    fn choice(&self, item: &ModelItem, tab: &str) -> Choice {
        let label = match item.selector.split_once('/') {
            // The tab says whose it is.
            Some((provider, id)) if provider == tab => id,
            _ => &item.selector,
        };
        let detail = format!("{}{}", item.facts, self.marks(&item.selector));
        Choice::new(label).detail(detail).keywords(&item.selector)
    }

    fn canonical(&self, model: &Canonical) -> (String, Choice) {
        let by = match model.variants.as_slice() {
            [] => String::new(),
            [only] => only.clone(),
            [first, rest @ ..] => format!("{first} and {} more", rest.len()),
        };
        let detail = format!("{by}{}", self.marks(&model.id));
        (model.id.clone(), Choice::new(&model.id).detail(detail).keywords(model.variants.join(" ")))
    }

    /// The roles that a selector was given to, with their levels.
    fn marks(&self, selector: &str) -> String {
        let mark = |role: &Role| {
            let level = role.model.strip_prefix(selector)?;
            (level.is_empty() || level.starts_with(':')).then(|| format!("{}{level}", role.name))
        };
        let marks: Vec<String> = self.offer.roles.iter().filter_map(mark).collect();
        if marks.is_empty() { String::new() } else { format!("  [{}]", marks.join("] [")) }
    }

    fn ask_role(&mut self) {
        let Some(selector) = self.list.current().and_then(|place| self.listed.get(place)).cloned() else {
            return;
        };
        let choice = |role: &Role| Choice::new(&role.name).detail(&role.model);
        let choices = self.offer.roles.iter().map(choice).collect();
        let list = Selector::new(format!("Use {selector} for which role?"), choices);
        self.asked = Some(ModelQuestion::Role { selector, list });
    }

    fn answered(&mut self, outcome: &Outcome) -> Option<ModelsRequest> {
        match outcome {
            Outcome::Cancelled => {
                self.asked = None;
                None
            }
            Outcome::Chosen(chosen) => {
                let place = *chosen.first()?;
                match self.asked.take()? {
                    ModelQuestion::Role { selector, .. } => {
                        let role = self.offer.roles.get(place)?.name.clone();
                        self.ask_level(selector, role)
                    }
                    ModelQuestion::Level { selector, role, list } => {
                        let level = list.choices().get(place)?.label.clone();
                        let selector = if level == USUAL { selector } else { format!("{selector}:{level}") };
                        Some(ModelsRequest::Assign { role, selector })
                    }
                }
            }
            _ => None,
        }
    }

    /// Asks how hard the model thinks in the role, if it thinks at all.
    fn ask_level(&mut self, selector: String, role: String) -> Option<ModelsRequest> {
        let levels = self.levels(&selector);
        if levels.is_empty() {
            return Some(ModelsRequest::Assign { role, selector });
        }
        let usual = Choice::new(USUAL).detail("the session's level");
        let choices = std::iter::once(usual).chain(levels.iter().map(Choice::new)).collect();
        let list = Selector::new(format!("Thinking level of {selector} as {role}"), choices);
        self.asked = Some(ModelQuestion::Level { selector, role, list });
        None
    }

    fn levels(&self, selector: &str) -> Vec<String> {
        let model = self.offer.canonical.iter().find(|model| model.id == selector);
        let first = model.and_then(|model| model.variants.first()).map_or(selector, String::as_str);
        let item = self.offer.items.iter().find(|item| item.selector == first);
        item.map(|item| item.levels.clone()).unwrap_or_default()
    }
}

impl Machine for ModelsPanel {
    type Request = ModelsRequest;

    fn draw(&mut self, look: &Look, size: Size) -> Drawn {
        self.rows(look, size)
    }

    fn key(&mut self, key: Key, keys: &Bindings) -> Option<ModelsRequest> {
        if let Some(asked) = &mut self.asked {
            let outcome = asked.list().step(step(key, keys)?);
            return self.answered(&outcome);
        }
        if self.tabs.key(key, keys) {
            self.relist();
            return None;
        }
        let editing = keys.action(Context::Editor, Chord::from(key));
        if editing == Some(actions::TAB) && self.purpose == Purpose::Roles {
            self.ask_role();
            return None;
        }
        match self.list.step(step(key, keys)?) {
            Outcome::Cancelled => Some(ModelsRequest::Close),
            Outcome::Chosen(chosen) => {
                let selector = self.listed.get(*chosen.first()?)?.clone();
                Some(match self.purpose {
                    Purpose::Once => ModelsRequest::Use(selector),
                    Purpose::Roles => ModelsRequest::Assign { role: "default".to_owned(), selector },
                })
            }
            _ => None,
        }
    }

    fn paste(&mut self, text: &str) -> Option<ModelsRequest> {
        let list = self.asked.as_mut().map_or(&mut self.list, ModelQuestion::list);
        list.step(Step::Text(text.to_owned()));
        None
    }
}
