//! The theme in use, when its file is edited.

use std::path::PathBuf;
use std::sync::Arc;

use omp_tui::render::Gesture;

use super::{App, Wish};

impl App {
    /// The file of the theme in use, unless it is built in.
    pub(crate) fn theme_file(&self) -> Option<PathBuf> {
        self.surface.theme.file()
    }

    /// Reads the theme again. While it is broken or away, the last good one stays.
    pub(crate) fn reload_theme(&mut self) {
        if matches!(self.surface.theme.reload(), Ok(true)) {
            self.surface.stage.set_theme(Arc::clone(self.surface.theme.theme()));
            self.surface.wishes.push(Wish::Gesture(Gesture::Reset));
        }
    }
}
