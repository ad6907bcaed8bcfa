//! Taking changes back.

use crate::text::Position;

/// Steps that are kept.
const STEPS: usize = 1000;
/// Bytes of removed and inserted text that are kept.
const BYTES: usize = 4 << 20;

/// One replacement: what was at `at`, and what is there now.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) at: Position,
    pub(crate) removed: String,
    pub(crate) inserted: String,
}

/// Changes that are undone together, with the cursor before and behind them.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) changes: Vec<Change>,
    pub(crate) before: Position,
    pub(crate) after: Position,
}

/// The steps done and those undone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Undo {
    done: Vec<Step>,
    undone: Vec<Step>,
    bytes: usize,
}

impl Undo {
    /// Notes a change. One that continues with the step before it becomes part of it.
    pub(crate) fn record(&mut self, change: Change, before: Position, after: Position, goes_on: bool) {
        self.bytes -= self.undone.drain(..).map(|step| size(&step)).sum::<usize>();
        self.bytes += change.removed.len() + change.inserted.len();
        match self.done.last_mut().filter(|_| goes_on) {
            Some(step) => {
                step.after = after;
                match step.changes.last_mut() {
                    // Typed characters: one growing insertion.
                    Some(last)
                        if change.removed.is_empty()
                            && crate::text::end_of(last.at, &last.inserted) == change.at =>
                    {
                        last.inserted.push_str(&change.inserted);
                    }
                    // A replacement of what was just inserted.
                    Some(last) if change.at == last.at && change.removed == last.inserted => {
                        self.bytes -= 2 * change.removed.len();
                        last.inserted = change.inserted;
                    }
                    _ => step.changes.push(change),
                }
            }
            None => self.done.push(Step { changes: vec![change], before, after }),
        }
        self.bound();
    }

    fn bound(&mut self) {
        while self.done.len() > STEPS || (self.bytes > BYTES && self.done.len() > 1) {
            let dropped = self.done.remove(0);
            self.bytes -= size(&dropped);
        }
    }

    /// The last step, to be undone.
    pub(crate) fn back(&mut self) -> Option<Step> {
        let step = self.done.pop()?;
        self.undone.push(step.clone());
        Some(step)
    }

    /// The last step that was undone, to be done again.
    pub(crate) fn forward(&mut self) -> Option<Step> {
        let step = self.undone.pop()?;
        self.done.push(step.clone());
        Some(step)
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}

fn size(step: &Step) -> usize {
    step.changes.iter().map(|change| change.removed.len() + change.inserted.len()).sum()
}
