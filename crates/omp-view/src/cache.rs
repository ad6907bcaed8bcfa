//! Rows that are drawn once and shown in many frames.

use std::sync::Arc;

use omp_theme::Theme;
use omp_tui::text::Line;

use crate::Look;

/// The rows of a view, for as long as what they were drawn from stays the same.
#[derive(Clone, Debug, Default)]
pub struct Cached {
    key: Option<Key>,
    rows: Arc<[Line]>,
    drawn: usize,
}

#[derive(Clone, Debug)]
struct Key {
    version: u64,
    width: usize,
    theme: Arc<Theme>,
}

impl Cached {
    /// The rows of `version`, drawn now only if version, width or theme are others than before.
    pub fn rows(&mut self, look: &Look, version: u64, draw: impl FnOnce() -> Vec<Line>) -> Arc<[Line]> {
        let same = self.key.as_ref().is_some_and(|key| {
            key.version == version && key.width == look.width && Arc::ptr_eq(&key.theme, &look.theme)
        });
        if !same {
            self.rows = draw().into();
            self.drawn += 1;
            self.key = Some(Key { version, width: look.width, theme: look.theme.clone() });
        }
        self.rows.clone()
    }

    /// How often rows were drawn: what a test of the work counts.
    pub fn drawn(&self) -> usize {
        self.drawn
    }
}
