//! Choosing colours.

use omp_theme::{Appearance, Token};
use omp_tui::render::Gesture;
use omp_view::select::{Choice, Selector};

use crate::app::{App, Wish};

impl App {
    pub(in crate::app) fn pick_theme(&mut self) {
        let names = self.theme.names();
        let current = self.theme.theme().name().to_owned();
        let at = names.iter().position(|name| *name == current).unwrap_or(0);
        let menu = Selector::new("Choose a theme", names.iter().map(Choice::new).collect()).at(at);
        self.pick(menu, move |app, chosen| {
            if let Some(name) = chosen.and_then(|place| names.get(place)) {
                app.set_theme(name);
            }
        });
    }

    fn set_theme(&mut self, name: &str) {
        let mut slots = self.theme.slots().clone();
        match self.theme.appearance() {
            Appearance::Dark => slots.dark = name.to_owned(),
            Appearance::Light => slots.light = name.to_owned(),
        }
        match self.theme.set_slots(slots) {
            Ok(()) => self.hint(Token::Muted, format!("Theme: {name}")),
            Err(error) => self.complain(&error.to_string()),
        }
        self.stage.set_theme(std::sync::Arc::clone(self.theme.theme()));
        self.keep_theme(name);
        self.wishes.push(Wish::Gesture(Gesture::Reset));
    }
}
