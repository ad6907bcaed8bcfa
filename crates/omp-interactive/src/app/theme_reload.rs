//! The theme in use, when its file is edited.

use std::path::PathBuf;
use std::sync::Arc;

use omp_tui::render::Gesture;

use super::TerminalRequest;
use crate::app::surface::Surface;

impl Surface {
    /// The file of the theme in use, unless it is built in.
    pub(crate) fn theme_file(&self) -> Option<PathBuf> {
        self.theme.file()
    }

    /// Reads the theme again. While it is broken or away, the last good one stays.
    pub(crate) fn reload_theme(&mut self) {
        if matches!(self.theme.reload(), Ok(true)) {
            self.stage.set_theme(Arc::clone(self.theme.theme()));
            self.requests.push(TerminalRequest::Gesture(Gesture::Reset));
        }
    }
}
