//! The theme in use: chosen by slot, tried out, undone, read again when its file changes.

use std::path::PathBuf;
use std::sync::Arc;

use crate::appearance::Appearance;
use crate::builtin::FALLBACK;
use crate::catalog::Catalog;
use crate::error::ThemeError;
use crate::theme::{Adjustments, Theme};

/// The two themes of a user: one for each kind of background.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slots {
    /// `theme.dark`.
    pub dark: String,
    /// `theme.light`.
    pub light: String,
}

impl Default for Slots {
    fn default() -> Self {
        Self { dark: "titanium".to_owned(), light: "light".to_owned() }
    }
}

impl Slots {
    /// The theme for a kind of background.
    pub fn get(&self, appearance: Appearance) -> &str {
        match appearance {
            Appearance::Dark => &self.dark,
            Appearance::Light => &self.light,
        }
    }
}

/// The theme in use. Reads files when asked to change, never by itself.
#[derive(Debug)]
pub struct Current {
    catalog: Catalog,
    slots: Slots,
    adjustments: Adjustments,
    appearance: Appearance,
    /// What the slot names, as it was read.
    chosen: Arc<Theme>,
    /// What is tried out.
    preview: Option<Arc<Theme>>,
    /// What is shown: one of the above, adjusted.
    shown: Arc<Theme>,
}

impl Current {
    /// The theme of a slot. If it cannot be used the built-in dark one is, and the error says why.
    pub fn new(
        catalog: Catalog,
        slots: Slots,
        adjustments: Adjustments,
        appearance: Appearance,
    ) -> (Self, Result<(), ThemeError>) {
        let fallback = fallback();
        let shown = Arc::clone(&fallback);
        let mut current =
            Self { catalog, slots, adjustments, appearance, chosen: fallback, preview: None, shown };
        let loaded = current.choose();
        (current, loaded)
    }

    /// The theme to draw with.
    pub fn theme(&self) -> &Arc<Theme> {
        &self.shown
    }

    /// The names that can be chosen.
    pub fn names(&self) -> Vec<String> {
        self.catalog.names()
    }

    /// The kind of background in use.
    pub fn appearance(&self) -> Appearance {
        self.appearance
    }

    /// The themes of the slots.
    pub fn slots(&self) -> &Slots {
        &self.slots
    }

    /// The terminal's background is of this kind now. Says whether that changes anything.
    pub fn set_appearance(&mut self, appearance: Appearance) -> Result<bool, ThemeError> {
        if self.appearance == appearance {
            return Ok(false);
        }
        self.appearance = appearance;
        self.choose().map(|()| true)
    }

    /// Other themes for the slots; ends a preview. If the theme now needed cannot be used, the built-in dark one is.
    pub fn set_slots(&mut self, slots: Slots) -> Result<(), ThemeError> {
        self.slots = slots;
        self.preview = None;
        self.choose()
    }

    /// Other symbols, other colours of added lines.
    pub fn set_adjustments(&mut self, adjustments: Adjustments) {
        self.adjustments = adjustments;
        self.show();
    }

    /// Shows a theme without choosing it. If it cannot be used, everything stays as it is.
    pub fn preview(&mut self, name: &str) -> Result<(), ThemeError> {
        self.preview = Some(self.catalog.load(name)?);
        self.show();
        Ok(())
    }

    /// Ends a preview: the chosen theme is back.
    pub fn end_preview(&mut self) {
        self.preview = None;
        self.show();
    }

    /// The file of the chosen theme, for those that want to watch it; built-in themes have none.
    pub fn file(&self) -> Option<PathBuf> {
        self.catalog.file(self.slots.get(self.appearance))
    }

    /// Reads the chosen theme again and says whether it is another one now. If it cannot be used, the last good one
    /// stays; the error is for the log.
    pub fn reload(&mut self) -> Result<bool, ThemeError> {
        let read = self.catalog.load(self.slots.get(self.appearance))?;
        let differs = read != self.chosen;
        self.chosen = read;
        self.show();
        Ok(differs)
    }

    fn choose(&mut self) -> Result<(), ThemeError> {
        let loaded = self.catalog.load(self.slots.get(self.appearance));
        let (chosen, result) = match loaded {
            Ok(theme) => (theme, Ok(())),
            Err(error) => (fallback(), Err(error)),
        };
        self.chosen = chosen;
        self.show();
        result
    }

    fn show(&mut self) {
        let base = self.preview.as_ref().unwrap_or(&self.chosen);
        self.shown = Arc::new(Theme::clone(base).adjusted(self.adjustments));
    }
}

/// The theme that always works.
fn fallback() -> Arc<Theme> {
    Theme::built_in(FALLBACK).unwrap_or_default()
}
