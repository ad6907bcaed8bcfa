//! The parts of a conversation on the screen.

mod bang;
mod calls;
mod divider;
mod folded;
mod message;
mod pictured;
mod prose;
mod servers;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use omp_tui::text::Line;
use omp_tui::transcript::Block;
use omp_view::{Cached, Look};

pub(crate) use bang::Bang;
pub(crate) use calls::Calls;
pub(crate) use divider::{Behind, Divider};
pub(crate) use folded::{Fold, Foldable, Folds, whole};
pub(crate) use message::OwnMessage;
pub(crate) use pictured::Pictured;
pub(crate) use prose::Prose;
pub(crate) use servers::Servers;

use crate::stage::Stage;

/// A block that the app changes while the transcript shows it.
pub(crate) struct Shared<T>(Rc<RefCell<T>>);

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

impl<T> Shared<T> {
    pub(crate) fn new(block: T) -> Self {
        Self(Rc::new(RefCell::new(block)))
    }

    pub(crate) fn with<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        change(&mut self.0.borrow_mut())
    }
}

impl<T: Foldable + 'static> Shared<T> {
    /// The block for those who look at it whole.
    pub(crate) fn fold(&self) -> Fold {
        Rc::<RefCell<T>>::clone(&self.0)
    }
}

impl<T: Block> Block for Shared<T> {
    fn rows(&mut self, width: usize) -> Arc<[Line]> {
        self.0.borrow_mut().rows(width)
    }

    fn is_final(&self) -> bool {
        self.0.borrow().is_final()
    }

    fn final_rows(&mut self, width: usize) -> usize {
        self.0.borrow_mut().final_rows(width)
    }
}

/// A block that is drawn from something that does not change any more.
pub(crate) struct Still<F> {
    stage: Stage,
    draw: F,
    cached: Cached,
}

impl<F: Fn(&Look) -> Vec<Line>> Still<F> {
    pub(crate) fn new(stage: Stage, draw: F) -> Self {
        Self { stage, draw, cached: Cached::default() }
    }
}

impl<F: Fn(&Look) -> Vec<Line>> Block for Still<F> {
    fn rows(&mut self, width: usize) -> Arc<[Line]> {
        let look = self.stage.look(width);
        self.cached.rows(&look, 0, || apart((self.draw)(&look)))
    }

    fn is_final(&self) -> bool {
        true
    }
}

/// Rows with a blank one above, so that blocks stand apart; nothing stays nothing.
pub(crate) fn apart(mut rows: Vec<Line>) -> Vec<Line> {
    if !rows.is_empty() {
        rows.insert(0, Line::new());
    }
    rows
}
