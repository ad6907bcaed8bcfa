//! Does the user look at a question, or write something else? What was typed for the editor is no answer to a question
//! that came up meanwhile.

use std::time::Duration;

use omp_theme::Token;
use omp_tui::render::{Position, Size};
use omp_tui::schedule::Request;
use omp_view::Look;

use super::App;
use crate::app::panels::Panels;
use crate::panels::{Drawn, Panel};

/// The keyboard must have rested so long before a key answers. Nobody reads a question faster; those who write on do not
/// pause so long within a word.
const PAUSE: Duration = Duration::from_millis(500);

/// What is said while keys still go to the editor.
const NOT_YET: &str = "Keys still go to your message; pause to answer";

/// A panel, and whether it has the user's attention.
pub(super) struct Opened {
    pub(super) panel: Box<dyn Panel>,
    /// Since when it is in front.
    since: Option<Duration>,
    /// Keys went to it: the user knows that it is there.
    heard: bool,
}

impl Opened {
    pub(super) fn new(panel: impl Panel) -> Self {
        Self { panel: Box::new(panel), since: None, heard: false }
    }

    /// It is in front now, if it was not before.
    pub(super) fn come_to_front(&mut self, now: Duration) {
        self.since.get_or_insert(now);
    }

    /// From when on keys answer; `None` while it is behind something else.
    fn listens_at(&self, typed: Option<Duration>) -> Option<Duration> {
        let since = self.since?;
        Some(typed.map_or(since, |typed| typed.max(since)) + PAUSE)
    }

    /// Do keys go to it, if the last one came at that time?
    fn listens(&self, typed: Option<Duration>, now: Duration) -> bool {
        let rested = || self.listens_at(typed).is_some_and(|at| at <= now);
        !self.panel.is_unasked() || self.heard || rested()
    }

    /// Was something typed so shortly before it came up that more of it may follow?
    fn came_between(&self, typed: Option<Duration>) -> bool {
        self.since.zip(typed).is_some_and(|(since, typed)| typed + PAUSE > since)
    }
}

impl App {
    /// A question that keys do not answer yet is drawn again when they do.
    pub(super) fn draw_when_heard(&mut self) {
        let (now, typed) = (self.surface.now(), self.panels.typed);
        let Some(opened) = self.panels.open.first() else { return };
        if !opened.listens(typed, now)
            && let Some(at) = opened.listens_at(typed)
        {
            self.surface.scheduler.request(Request::Ordinary, at);
        }
    }

    /// Rows below a question: where keys go, and what is kept for later.
    pub(super) fn below_question(&mut self, look: &Look, size: Size) -> Drawn {
        let Some(opened) = self.panels.open.first() else { return Vec::new().into() };
        if !opened.panel.is_unasked() || opened.panel.covers() {
            return Vec::new().into();
        }
        if !self.panels.is_between_keys() {
            let text = self.composer.editor.content().text();
            let first = text.lines().find(|line| !line.trim().is_empty());
            let kept = first.map(|first| look.row(Token::Muted, &format!("Draft kept: {first}")));
            return kept.into_iter().collect::<Vec<_>>().into();
        }
        if !opened.came_between(self.panels.typed) {
            return Vec::new().into();
        }
        let mut drawn = self.prompt_rows(look, size);
        drawn.rows.insert(0, look.row(Token::Warning, NOT_YET));
        drawn.cursor = drawn.cursor.map(|cursor| Position { row: cursor.row + 1, ..cursor });
        drawn
    }
}

impl Panels {
    /// Is a question in front that keys do not answer yet? Then they go where they went before.
    pub(super) fn is_between_keys(&self) -> bool {
        self.open.first().is_some_and(|opened| !opened.listens(self.typed, self.clock.now()))
    }

    /// A key or a paste came: is it for what is in front?
    pub(super) fn is_for_panel(&mut self) -> bool {
        let is_for_panel = self.has_panel() && !self.is_between_keys();
        self.typed = Some(self.clock.now());
        if let Some(opened) = self.open.first_mut() {
            opened.heard |= is_for_panel;
        }
        is_for_panel
    }
}

#[cfg(test)]
mod tests {
    use omp_keys::Bindings;
    use omp_tui::input::Key;

    use super::*;
    use crate::panels::Reaction;

    struct Unasked;

    impl Panel for Unasked {
        fn draw(&mut self, _look: &Look, _size: Size) -> Drawn {
            Vec::new().into()
        }

        fn key(&mut self, _key: Key, _keys: &Bindings) -> Reaction {
            Reaction::Stay
        }

        fn is_unasked(&self) -> bool {
            true
        }
    }

    fn at(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn keys_answer_after_a_pause() {
        let mut question = Opened::new(Unasked);
        let before = Some(at(900));
        assert!(!question.listens(before, at(5000)), "it is behind something else");
        question.come_to_front(at(1000));
        question.come_to_front(at(2000));
        assert!(question.came_between(before) && !question.came_between(Some(at(100))));
        assert!(!question.listens(before, at(1499)) && question.listens(before, at(1500)));
        let meanwhile = Some(at(1400));
        assert!(!question.listens(meanwhile, at(1800)), "whoever types on does not answer");
        assert!(question.listens(meanwhile, at(1900)));
        question.heard = true;
        assert!(question.listens(Some(at(2000)), at(2001)), "whoever answers need not pause");
    }
}
