//! Output that was shown in short, whole. What is final in the conversation stays as it is there.

use omp_keys::table as actions;
use omp_keys::{Bindings, Chord, Context};
use omp_panels::pager::{Pager, PagerRequest};
use omp_tui::input::Key;
use omp_tui::render::Size;
use omp_view::Look;

use super::{Drawn, Panel, Reaction};
use crate::app::App;
use crate::blocks::{Fold, whole};

/// One of several blocks in full.
pub(crate) struct FullOutput {
    folds: Vec<Fold>,
    at: usize,
    pager: Option<Pager>,
    width: usize,
}

impl FullOutput {
    /// The newest of the blocks that have more to show than is shown; `None` if there is none.
    pub(crate) fn newest(folds: Vec<Fold>, look: &Look) -> Option<Self> {
        let at = folds.iter().rposition(|fold| whole(fold, look).is_some())?;
        Some(Self { folds, at, pager: None, width: 0 })
    }

    /// Goes to the next block in a direction that has more to show; stays if there is none.
    fn go(&mut self, places: impl Iterator<Item = usize>, look: &Look) {
        let mut places = places;
        if let Some(at) = places.find(|at| whole(&self.folds[*at], look).is_some()) {
            self.at = at;
            self.pager = None;
        }
    }
}

impl Panel for FullOutput {
    fn draw(&mut self, look: &Look, size: Size) -> Drawn {
        let rows = || self.folds.get(self.at).and_then(|fold| whole(fold, look)).unwrap_or_default();
        let pager = match &mut self.pager {
            Some(pager) => {
                if self.width != look.width {
                    pager.replace(rows());
                }
                pager
            }
            none => {
                let again = format!("{} again: always show full output", look.expand_key);
                let hints = ["↑↓: scroll", "Esc: close", "Left/Right: other output", &again];
                let hints = hints.map(str::to_owned).to_vec();
                none.insert(Pager::new("Full output", rows()).hints(hints))
            }
        };
        self.width = look.width;
        pager.draw(look, size)
    }

    fn has_edge(&self) -> bool {
        true
    }

    fn key(&mut self, key: Key, keys: &Bindings) -> Reaction {
        if keys.action(Context::App, Chord::from(key)) == Some(actions::TOOLS_EXPAND) {
            return Reaction::Close(Box::new(App::toggle_expanded));
        }
        match self.pager.as_mut().and_then(|pager| pager.key(key, keys)) {
            None => Reaction::Stay,
            Some(PagerRequest::Close) => Reaction::Close(Box::new(|_| {})),
            Some(direction) => Reaction::Do(Box::new(move |app| {
                let look = app.surface.look();
                let Some(panel) = app.panels.panel::<Self>() else { return };
                match direction {
                    PagerRequest::Older => panel.go((0..panel.at).rev(), &look),
                    _ => panel.go(panel.at + 1..panel.folds.len(), &look),
                }
            })),
        }
    }

    fn covers(&self) -> bool {
        true
    }
}
