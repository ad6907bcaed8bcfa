//! Choosing colours and symbols.

use std::sync::Arc;

use omp_panels::theme::{Item, Picker};
use omp_sdk::settings::keys;
use omp_theme::{Adjustments, Appearance, Preset, Theme, Token};
use omp_tui::render::Gesture;
use serde_json::Value;

use crate::app::{App, Wish};
use crate::appearance::Wishes;
use crate::panels::covering::Covering;

impl App {
    pub(in crate::app) fn pick_theme(&mut self) {
        let (title, _) = self.slot();
        let items = self.theme_items();
        let current = self.surface.theme.slots().get(self.surface.theme.appearance()).to_owned();
        self.open(Covering(Picker::new(title, &items, &current)));
    }

    /// Every theme, with the background it is made for.
    pub(in crate::app) fn theme_items(&self) -> Vec<Item> {
        let made_for = |name: &str| match Theme::built_in(name).map(|theme| theme.is_light()) {
            Some(true) => "light",
            Some(false) => "dark",
            None => "custom",
        };
        self.surface.theme.names().into_iter().map(|name| Item { made_for: made_for(&name), name }).collect()
    }

    /// What is chosen on this background, and the setting that keeps it.
    pub(in crate::app) fn slot(&self) -> (&'static str, &'static str) {
        match self.surface.theme.appearance() {
            Appearance::Dark => ("Theme for dark backgrounds", keys::THEME_DARK.path()),
            Appearance::Light => ("Theme for light backgrounds", keys::THEME_LIGHT.path()),
        }
    }

    /// Shows a theme and nothing else.
    pub(crate) fn try_theme(&mut self, name: &str) {
        match self.surface.theme.preview(name) {
            Ok(()) => self.show_theme(Gesture::Repaint),
            Err(error) => self.hint(Token::Warning, format!("Theme {name}: {error}")),
        }
    }

    /// Shows other symbols and nothing else.
    pub(in crate::app) fn try_symbols(&mut self, symbols: Option<Preset>) {
        let color_blind = self.session().settings().get(keys::COLOR_BLIND_MODE);
        self.surface.theme.set_adjustments(Adjustments { symbols, color_blind });
        self.show_theme(Gesture::Repaint);
    }

    /// Everything looks as it did before something was tried out.
    pub(crate) fn stop_trying(&mut self) {
        self.surface.theme.end_preview();
        self.surface.theme.set_adjustments(self.looks().adjustments());
        self.show_theme(Gesture::Repaint);
    }

    /// Keeps a theme, if it can be used.
    pub(crate) fn keep_theme(&mut self, name: &str) {
        if let Err(error) = self.surface.theme.preview(name) {
            self.stop_trying();
            self.complain(&format!("Theme {name}: {error}"));
            return;
        }
        self.hint(Token::Muted, format!("Theme: {name}"));
        let (_, path) = self.slot();
        self.store_setting(path, Value::from(name));
    }

    fn looks(&self) -> Wishes {
        let session = self.session();
        Wishes::read(session.directories(), &session.settings())
    }

    /// Looks as the settings say.
    pub(in crate::app) fn dress(&mut self) {
        let before = Arc::clone(self.surface.theme.theme());
        if let Err(error) = self.looks().dress(&mut self.surface.theme) {
            self.complain(&error.to_string());
        }
        if before != *self.surface.theme.theme()
            || *self.surface.stage.look(1).theme != **self.surface.theme.theme()
        {
            self.show_theme(Gesture::Reset);
        }
    }

    fn show_theme(&mut self, gesture: Gesture) {
        self.surface.stage.set_theme(Arc::clone(self.surface.theme.theme()));
        self.surface.wishes.push(Wish::Gesture(gesture));
        self.changed();
    }
}
