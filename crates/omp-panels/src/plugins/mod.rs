//! The plugin browser: what marketplaces offer and what is installed, with what can be done about each.
//!
//! The panel shows what it is given and asks for everything else with a [`PluginsRequest`]; whoever owns it does that, gives
//! it the new state with [`PluginsPanel::update`], and tells what came of it with [`PluginsPanel::note`]. All texts of
//! marketplaces are made harmless here.

mod draw;
#[cfg(test)]
mod tests;

use omp_keys::Bindings;
use omp_tui::input::Key;
use omp_tui::render::Size;
use omp_view::Look;
use omp_view::select::{Choice, Outcome, Selector, Step};

use crate::list_rows::one_line;
use crate::listing::step;
use crate::{Drawn, Machine};

const TITLE: &str = "Plugins";

/// A plugin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PluginItem {
    /// Its name, with the marketplace.
    pub id: String,
    /// Whether it is installed, for whom and in which version, in a few words.
    pub state: String,
    /// Is it installed?
    pub is_installed: bool,
    /// What it does.
    pub description: String,
    /// All about it, with what each is called.
    pub facts: Vec<(&'static str, String)>,
    /// What can be done with it now.
    pub actions: Vec<PluginAction>,
}

/// What can be done with a plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PluginAction {
    /// For the user.
    Install,
    /// For the user in this project.
    InstallHere,
    /// Bring the version that is offered.
    Upgrade,
    /// Return to the version before.
    Rollback,
    /// Switch it on.
    Enable,
    /// Switch it off.
    Disable,
    /// Remove it.
    Uninstall,
}

impl PluginAction {
    /// The name and what it means.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Install => ("Install", "in all your projects"),
            Self::InstallHere => ("Install here", "in this project only"),
            Self::Upgrade => ("Upgrade", "to the version that is offered"),
            Self::Rollback => ("Roll back", "to the version before"),
            Self::Enable => ("Enable", "use it again"),
            Self::Disable => ("Disable", "keep it without using it"),
            Self::Uninstall => ("Uninstall", "remove it"),
        }
    }
}

/// What the panel wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PluginsRequest {
    /// It is done.
    Close,
    /// Something is to be done with a plugin: [`PluginsPanel::note`].
    Act(String, PluginAction),
    /// What runs is to be stopped.
    Stop,
}

/// The panel.
#[derive(Debug)]
pub struct PluginsPanel {
    items: Vec<PluginItem>,
    list: Selector,
    /// The plugin whose page is open.
    page: Option<(String, Selector)>,
    /// What runs.
    running: Option<String>,
    /// What became of the last action, and whether it went wrong.
    note: Option<(String, bool)>,
}

impl PluginsPanel {
    /// A panel with these plugins.
    pub fn new(items: Vec<PluginItem>) -> Self {
        let list = Selector::new(TITLE, items.iter().map(choice).collect());
        Self { items, list, page: None, running: None, note: None }
    }

    /// The plugins are like this now.
    pub fn update(&mut self, items: Vec<PluginItem>) {
        if items == self.items {
            return;
        }
        self.items = items;
        self.list.replace(self.items.iter().map(choice).collect());
        let shown = self.page.take().and_then(|(id, _)| self.items.iter().find(|item| item.id == id));
        self.page = shown.map(page);
    }

    /// Something was done, or could not be done.
    pub fn note(&mut self, text: &str, is_problem: bool) {
        self.running = None;
        self.note = Some((one_line(text), is_problem));
    }

    /// Does something run that was begun here?
    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    fn item(&self) -> Option<&PluginItem> {
        let (id, _) = self.page.as_ref()?;
        self.items.iter().find(|item| item.id == *id)
    }

    fn key_on_page(&mut self, key: Key, keys: &Bindings) -> Option<PluginsRequest> {
        let (_, actions) = self.page.as_mut()?;
        match actions.step(step(key, keys)?) {
            Outcome::Cancelled => self.page = None,
            Outcome::Chosen(chosen) => {
                let item = self.item()?;
                let action = *item.actions.get(*chosen.first()?)?;
                let id = item.id.clone();
                self.running = Some(one_line(&format!("{}: {}", id, action.words().0.to_lowercase())));
                return Some(PluginsRequest::Act(id, action));
            }
            _ => {}
        }
        None
    }
}

fn page(item: &PluginItem) -> (String, Selector) {
    let words = item.actions.iter().map(|action| action.words());
    let choices = words.map(|(label, detail)| Choice::new(label).detail(detail)).collect();
    (item.id.clone(), Selector::new(one_line(&item.id), choices).question())
}

/// A row of the list.
fn choice(item: &PluginItem) -> Choice {
    let detail = match item.state.as_str() {
        "" => item.description.clone(),
        state => format!("{state}: {}", item.description),
    };
    let group = if item.is_installed { "Installed" } else { "Available" };
    Choice::new(one_line(&item.id)).detail(one_line(&detail)).group(group)
}

impl Machine for PluginsPanel {
    type Request = PluginsRequest;

    fn draw(&mut self, look: &Look, size: Size) -> Drawn {
        self.rows(look, size)
    }

    fn key(&mut self, key: Key, keys: &Bindings) -> Option<PluginsRequest> {
        if self.running.is_some() {
            return (step(key, keys) == Some(Step::Cancel)).then_some(PluginsRequest::Stop);
        }
        self.note = None;
        if self.page.is_some() {
            return self.key_on_page(key, keys);
        }
        match self.list.step(step(key, keys)?) {
            Outcome::Cancelled => return Some(PluginsRequest::Close),
            Outcome::Chosen(chosen) => self.page = self.items.get(*chosen.first()?).map(page),
            _ => {}
        }
        None
    }

    fn paste(&mut self, text: &str) -> Option<PluginsRequest> {
        if self.running.is_none() && self.page.is_none() {
            self.list.step(Step::Text(text.to_owned()));
        }
        None
    }
}
