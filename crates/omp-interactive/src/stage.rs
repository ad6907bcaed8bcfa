//! How everything is drawn at the moment, shared by all blocks of the conversation.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use omp_theme::Theme;
use omp_view::Look;

/// What blocks look at when they are drawn.
#[derive(Clone)]
pub(crate) struct Stage(Rc<RefCell<Settings>>);

struct Settings {
    look: Look,
    expanded: bool,
    thoughts: bool,
}

impl Stage {
    pub(crate) fn new(theme: Arc<Theme>) -> Self {
        let look = Look::new(theme, 80);
        Self(Rc::new(RefCell::new(Settings { look, expanded: false, thoughts: true })))
    }

    /// The look for a width.
    pub(crate) fn look(&self, width: usize) -> Look {
        Look { width: width.max(1), ..self.0.borrow().look.clone() }
    }

    pub(crate) fn set_theme(&self, theme: Arc<Theme>) {
        self.0.borrow_mut().look.theme = theme;
    }

    pub(crate) fn set_expand_key(&self, key: &str) {
        self.0.borrow_mut().look.expand_key = key.into();
    }

    /// Whether the output of tools is shown whole.
    pub(crate) fn expanded(&self) -> bool {
        self.0.borrow().expanded
    }

    pub(crate) fn toggle_expanded(&self) -> bool {
        let mut settings = self.0.borrow_mut();
        settings.expanded = !settings.expanded;
        settings.expanded
    }

    /// Whether thoughts of the model are shown.
    pub(crate) fn thoughts(&self) -> bool {
        self.0.borrow().thoughts
    }

    pub(crate) fn set_thoughts(&self, shown: bool) {
        self.0.borrow_mut().thoughts = shown;
    }
}
