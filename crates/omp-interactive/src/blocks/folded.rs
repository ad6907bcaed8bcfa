//! Blocks that show more when they are asked to, for those who ask after the block is final.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use omp_tui::text::Line;
use omp_view::Look;
use omp_view::tool::Expansion;

/// So many blocks, the newest, can be looked at whole.
const MOST: usize = 200;

/// Something with a short and a whole form.
pub(crate) trait Foldable {
    /// Its rows in one of the forms.
    fn folded(&mut self, look: &Look, expansion: Expansion) -> Vec<Line>;
}

/// A block that the transcript has, too.
pub(crate) type Fold = Rc<RefCell<dyn Foldable>>;

/// The blocks of a conversation that have a whole form, oldest first.
#[derive(Default)]
pub(crate) struct Folds(VecDeque<Fold>);

impl Folds {
    pub(crate) fn push(&mut self, fold: Fold) {
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        self.0.push_back(fold);
    }

    /// All of them, as they are now.
    pub(crate) fn list(&self) -> Vec<Fold> {
        self.0.iter().cloned().collect()
    }
}

/// A whole form with so few more rows says nothing new: how long a command took, and the like.
const NOTHING_NEW: usize = 3;

/// All rows of a block; `None` if it was shown whole anyway.
pub(crate) fn whole(fold: &Fold, look: &Look) -> Option<Vec<Line>> {
    let mut block = fold.borrow_mut();
    let short = block.folded(look, Expansion::Collapsed);
    let whole = block.folded(look, Expansion::Expanded);
    let hints = short.iter().any(|row| row.text().contains(look.expand_key.as_ref()));
    (hints || whole.len() > short.len() + NOTHING_NEW).then_some(whole)
}
