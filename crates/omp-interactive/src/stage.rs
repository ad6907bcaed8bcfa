//! How everything is drawn at the moment, shared by all blocks of the conversation.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use omp_theme::Theme;
use omp_tui::text::Depth;
use omp_view::code::Preparer;
use omp_view::tool::Expansion;
use omp_view::{Addresses, Look};

use crate::parts::Parts;
use crate::pictures::Pictures;

/// What blocks look at when they are drawn.
#[derive(Clone)]
pub(crate) struct Stage(Rc<RefCell<Settings>>);

struct Settings {
    look: Look,
    expanded: bool,
    thoughts: bool,
    /// What the setting said last: a key that was pressed since then wins.
    thoughts_hidden: bool,
    pictures: Pictures,
    parts: Parts,
    /// What is said instead of thoughts that are hidden.
    thinking_label: Option<String>,
    /// What decides which words change a turn.
    words: Option<Arc<omp_sdk::settings::Settings>>,
}

impl Stage {
    pub(crate) fn new(theme: Arc<Theme>) -> Self {
        let mut look = Look::new(theme, 80);
        look.preparer = Preparer::new(|language| {
            // Whoever draws without a runtime has time.
            if let Ok(runtime) = tokio::runtime::Handle::try_current() {
                runtime.spawn_blocking(move || omp_view::code::prepare(language));
            }
        });
        let pictures = Pictures::default();
        Self(Rc::new(RefCell::new(Settings {
            look,
            expanded: false,
            thoughts: true,
            thoughts_hidden: false,
            pictures,
            parts: Parts::default(),
            thinking_label: None,
            words: None,
        })))
    }

    /// The look for a width.
    pub(crate) fn look(&self, width: usize) -> Look {
        Look { width: width.max(1), ..self.0.borrow().look.clone() }
    }

    pub(crate) fn set_theme(&self, theme: Arc<Theme>) {
        self.0.borrow_mut().look.theme = theme;
    }

    /// How many colours the terminal shows.
    pub(crate) fn set_depth(&self, depth: Depth) {
        self.0.borrow_mut().look.depth = depth;
    }

    /// Whether links can be clicked.
    pub(crate) fn set_links(&self, clickable: bool) {
        let addresses = if clickable { Addresses::Hidden } else { Addresses::Shown };
        self.0.borrow_mut().look.addresses = addresses;
    }

    /// Can links be clicked?
    pub(crate) fn has_links(&self) -> bool {
        matches!(self.0.borrow().look.addresses, Addresses::Hidden)
    }

    /// The pictures of the conversation.
    pub(crate) fn pictures(&self) -> Pictures {
        self.0.borrow().pictures.clone()
    }

    /// The parts of the conversation that extensions draw.
    pub(crate) fn parts(&self) -> Parts {
        self.0.borrow().parts.clone()
    }

    /// What is said instead of thoughts that are hidden.
    pub(crate) fn thinking_label(&self) -> Option<String> {
        self.0.borrow().thinking_label.clone()
    }

    /// Says something else instead of thoughts that are hidden; whether that is another text than before.
    pub(crate) fn set_thinking_label(&self, label: Option<String>) -> bool {
        let mut settings = self.0.borrow_mut();
        let changed = settings.thinking_label != label;
        settings.thinking_label = label;
        changed
    }

    /// Whether the beginning of what was read is shown.
    pub(crate) fn set_read_preview(&self, shown: bool) {
        self.0.borrow_mut().look.read_preview = shown;
    }

    pub(crate) fn set_expand_key(&self, key: &str) {
        self.0.borrow_mut().look.expand_key = key.into();
    }

    /// Whether the output of tools is shown whole.
    pub(crate) fn expanded(&self) -> bool {
        self.0.borrow().expanded
    }

    /// The form of the output of tools.
    pub(crate) fn expansion(&self) -> Expansion {
        if self.expanded() { Expansion::Expanded } else { Expansion::Collapsed }
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

    /// Takes over the setting when it says something else than before.
    pub(crate) fn follow_thinking_setting(&self, hidden: bool) {
        let mut settings = self.0.borrow_mut();
        if std::mem::replace(&mut settings.thoughts_hidden, hidden) != hidden {
            settings.thoughts = !hidden;
        }
    }

    /// These settings say which words change a turn.
    pub(crate) fn set_words(&self, settings: Arc<omp_sdk::settings::Settings>) {
        self.0.borrow_mut().words = Some(settings);
    }

    /// Where words that change a turn stand in a text.
    pub(crate) fn keywords(&self, text: &str) -> Vec<Range<usize>> {
        let words = self.0.borrow().words.clone();
        words.map(|settings| omp_sdk::keyword_spans(&settings, text)).unwrap_or_default()
    }
}
