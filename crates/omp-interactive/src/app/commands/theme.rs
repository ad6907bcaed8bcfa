//! Choosing colours and symbols.

use std::sync::Arc;

use omp_panels::theme::{Picker, ThemeItem};
use omp_sdk::settings::keys;
use omp_theme::{Adjustments, Appearance, Preset, Theme, Token};
use omp_tui::render::Gesture;
use serde_json::Value;

use crate::app::commands::settings;
use crate::app::surface::Surface;
use crate::app::{App, TerminalRequest};
use crate::appearance::ThemeSettings;
use crate::panels::covering::Covering;

impl Surface {
    /// Every theme, with the background it is made for.
    pub(in crate::app) fn theme_items(&self) -> Vec<ThemeItem> {
        let made_for = |name: &str| match Theme::built_in(name).map(|theme| theme.is_light()) {
            Some(true) => "light",
            Some(false) => "dark",
            None => "custom",
        };
        self.theme.names().into_iter().map(|name| ThemeItem { made_for: made_for(&name), name }).collect()
    }

    /// What is chosen on this background, and the setting that keeps it.
    pub(in crate::app) fn slot(&self) -> (&'static str, &'static str) {
        match self.theme.appearance() {
            Appearance::Dark => ("Theme for dark backgrounds", keys::THEME_DARK.path()),
            Appearance::Light => ("Theme for light backgrounds", keys::THEME_LIGHT.path()),
        }
    }

    fn show_theme(&mut self, gesture: Gesture) {
        self.stage.set_theme(Arc::clone(self.theme.theme()));
        self.requests.push(TerminalRequest::Gesture(gesture));
        self.changed();
    }
}

pub(crate) fn pick_theme(app: &mut App) {
    let (title, _) = app.surface.slot();
    let items = app.surface.theme_items();
    let current = app.surface.theme.slots().get(app.surface.theme.appearance()).to_owned();
    app.open(Covering(Picker::new(title, &items, &current)));
}

/// Shows a theme and nothing else.
pub(crate) fn try_theme(app: &mut App, name: &str) {
    match app.surface.theme.preview(name) {
        Ok(()) => app.surface.show_theme(Gesture::Repaint),
        Err(error) => app.hint(Token::Warning, format!("Theme {name}: {error}")),
    }
}

/// Shows other symbols and nothing else.
pub(crate) fn try_symbols(app: &mut App, symbols: Option<Preset>) {
    let color_blind = app.session().settings().get(keys::COLOR_BLIND_MODE);
    app.surface.theme.set_adjustments(Adjustments { symbols, color_blind });
    app.surface.show_theme(Gesture::Repaint);
}

/// Everything looks as it did before something was tried out.
pub(crate) fn stop_trying(app: &mut App) {
    app.surface.theme.end_preview();
    app.surface.theme.set_adjustments(looks(app).adjustments());
    app.surface.show_theme(Gesture::Repaint);
}

/// Keeps a theme, if it can be used.
pub(crate) fn keep_theme(app: &mut App, name: &str) {
    if let Err(error) = app.surface.theme.preview(name) {
        stop_trying(app);
        app.complain(&format!("Theme {name}: {error}"));
        return;
    }
    app.hint(Token::Muted, format!("Theme: {name}"));
    let (_, path) = app.surface.slot();
    settings::store_setting(app, path, Value::from(name));
}

fn looks(app: &App) -> ThemeSettings {
    let session = app.session();
    ThemeSettings::read(session.directories(), &session.settings())
}

/// Looks as the settings say.
pub(crate) fn dress(app: &mut App) {
    let before = Arc::clone(app.surface.theme.theme());
    if let Err(error) = looks(app).dress(&mut app.surface.theme) {
        app.complain(&error.to_string());
    }
    if before != *app.surface.theme.theme() || *app.surface.stage.look(1).theme != **app.surface.theme.theme()
    {
        app.surface.show_theme(Gesture::Reset);
    }
}
