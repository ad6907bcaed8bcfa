//! Which of the folds stay closed.

use std::collections::VecDeque;

use super::Options;
use super::folds::Fold;

/// The closed folds in the order of the text. `None` if even they leave too much.
pub(super) fn closed<'a>(folds: &'a [Fold], lines: usize, options: &Options) -> Option<Vec<&'a Fold>> {
    let mut state = RelaxState::fitting(folds, lines, options);
    if state.visible() > options.limit {
        return None;
    }
    state.relax(options);
    let mut closed: Vec<&Fold> = state.queue.into_iter().chain(state.kept).map(|at| &folds[at]).collect();
    closed.sort_by_key(|fold| fold.first);
    Some(closed)
}

/// Would closed folds have to be opened for there to be enough to see?
pub(super) fn shows_too_little(folds: &[Fold], lines: usize, options: &Options) -> bool {
    RelaxState::fitting(folds, lines, options).visible() < options.enough
}

struct RelaxState<'a> {
    folds: &'a [Fold],
    /// The folds right inside each fold.
    children: Vec<Vec<usize>>,
    /// Closed folds that may be opened, the outer ones first.
    queue: VecDeque<usize>,
    /// Closed folds that stay so.
    kept: Vec<usize>,
    lines: usize,
    hidden: usize,
    /// The most lines that members of classes may take.
    room: usize,
}

impl<'a> RelaxState<'a> {
    /// With the members of classes, if there is room for them.
    fn fitting(folds: &'a [Fold], lines: usize, options: &Options) -> Self {
        let state = Self::new(folds, lines, options.limit);
        match state.visible() > options.limit {
            true => Self::new(folds, lines, 0),
            false => state,
        }
    }

    fn new(folds: &'a [Fold], lines: usize, room: usize) -> Self {
        let mut children = vec![Vec::new(); folds.len()];
        let mut outer = Vec::new();
        for (at, fold) in folds.iter().enumerate() {
            match fold.parent {
                Some(parent) => children[parent].push(at),
                None => outer.push(at),
            }
        }
        let mut state =
            Self { folds, children, queue: VecDeque::new(), kept: Vec::new(), lines, hidden: 0, room };
        state.close(&outer);
        state
    }

    fn visible(&self) -> usize {
        self.lines - self.hidden
    }

    /// Is the fold worth nothing when closed? Members of a class are declarations, and a summary that hides most of a
    /// text in one place says nothing.
    fn opens_itself(&self, at: usize) -> bool {
        let fold = &self.folds[at];
        let most = fold.size() * 2 > self.lines;
        self.room > 0 && !self.children[at].is_empty() && (fold.container || most)
    }

    /// Closes the folds, and what is inside those that do not stay closed.
    fn close(&mut self, folds: &[usize]) {
        let mut todo: VecDeque<usize> = folds.iter().copied().collect();
        while let Some(at) = todo.pop_front() {
            if self.opens_itself(at) {
                todo.extend(self.children[at].iter().copied());
            } else {
                self.hidden += self.folds[at].size();
                self.queue.push_back(at);
            }
        }
    }

    /// Opens folds while there is too little to see.
    fn relax(&mut self, options: &Options) {
        while self.visible() < options.enough {
            let Some(at) = self.queue.pop_front() else { return };
            let (hidden, waiting) = (self.hidden, self.queue.len());
            self.hidden -= self.folds[at].size();
            let inside = self.children[at].clone();
            self.close(&inside);
            if self.visible() > options.most {
                self.hidden = hidden;
                self.queue.truncate(waiting);
                self.kept.push(at);
            }
        }
    }
}
