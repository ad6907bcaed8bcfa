//! What stands in the place of the editor: opening it, giving it keys, taking it away.

use std::any::Any;

use omp_tui::input::Key;
use omp_view::select::Selector;

use super::App;
use super::attention::Opened;
use crate::app::panels::Panels;
use crate::panels::choice::Choice;
use crate::panels::list::List;
use crate::panels::menu::Menu;
use crate::panels::opening::Opening;
use crate::panels::text::Text;
use crate::panels::{Panel, Reaction};

impl App {
    /// Puts something in the place of the editor, behind what is there: one is answered after the other. A panel that waits
    /// for the answer is no obstacle.
    pub(crate) fn open(&mut self, panel: impl Panel) {
        let place = self.panels.open.iter().position(|opened| opened.panel.gives_way());
        let place = place.unwrap_or(self.panels.open.len());
        self.panels.open.insert(place, Opened::new(panel));
        self.front_changed();
    }

    /// Puts something before everything else, such as a question of the panel in front.
    pub(crate) fn open_in_front(&mut self, panel: impl Panel) {
        self.panels.open.insert(0, Opened::new(panel));
        self.front_changed();
    }

    /// Keeps what is typed for a panel that opens as soon as it knows what to show.
    pub(crate) fn open_soon(&mut self, what: &'static str) {
        self.open(Opening::new(what));
    }

    /// Opens what was waited for and gives it what was typed meanwhile. Nothing opens if nobody waits any more.
    pub(crate) fn opened(&mut self, panel: impl Panel) {
        let Some(typed) = self.panels.panel::<Opening>().map(Opening::take) else { return };
        self.close::<Opening>();
        self.open(panel);
        typed.into_iter().for_each(|event| self.input(event));
    }

    /// Takes panels of a kind away.
    pub(crate) fn close<T: Panel>(&mut self) {
        self.panels.open.retain(|opened| {
            let panel: &dyn Any = opened.panel.as_ref();
            !panel.is::<T>()
        });
        self.front_changed();
    }

    /// Something else may be in front.
    fn front_changed(&mut self) {
        self.panels.note_front();
        self.surface.changed();
    }

    pub(super) fn key_in_panel(&mut self, key: Key) {
        let Some(opened) = self.panels.open.first_mut() else { return };
        let reaction = opened.panel.key(key, &self.composer.keys);
        self.react(reaction);
    }

    pub(super) fn paste_in_panel(&mut self, text: &str) {
        let Some(opened) = self.panels.open.first_mut() else { return };
        let reaction = opened.panel.paste(text);
        self.react(reaction);
    }

    fn react(&mut self, reaction: Reaction) {
        match reaction {
            Reaction::Stay => {}
            Reaction::Do(then) => then(self),
            Reaction::Close(then) => {
                self.panels.open.remove(0);
                then(self);
            }
        }
        self.front_changed();
    }

    /// Asks a question with a few answers.
    pub(crate) fn ask(&mut self, menu: Menu, answered: impl FnOnce(&mut Self, Option<usize>) + 'static) {
        self.open(Choice::new(menu, Box::new(answered)));
    }

    /// Offers a list to choose from.
    pub(crate) fn pick(&mut self, list: Selector, answered: impl FnOnce(&mut Self, Option<usize>) + 'static) {
        self.open(List::new(list.hint("Enter: select · Esc: cancel"), Box::new(answered)));
    }

    /// Asks a question that is answered in words, beginning with these.
    pub(crate) fn ask_text(
        &mut self,
        question: String,
        begun: &str,
        answered: impl FnOnce(&mut Self, Option<String>) + 'static,
    ) {
        self.open(Text::new(question, begun, answered));
    }
}

impl Panels {
    /// The panel of a kind, if one is open.
    pub(crate) fn panel<T: Panel>(&mut self) -> Option<&mut T> {
        self.open.iter_mut().find_map(|opened| {
            let panel: &mut dyn Any = opened.panel.as_mut();
            panel.downcast_mut::<T>()
        })
    }

    /// Is something in the place of the editor?
    pub(crate) fn has_panel(&mut self) -> bool {
        self.drop_stale_panels();
        !self.open.is_empty()
    }

    /// Takes questions away that nobody waits for any more.
    pub(super) fn drop_stale_panels(&mut self) {
        self.open.retain(|opened| !opened.panel.is_stale());
        self.note_front();
    }

    fn note_front(&mut self) {
        let now = self.clock.now();
        if let Some(opened) = self.open.first_mut() {
            opened.come_to_front(now);
        }
    }
}
