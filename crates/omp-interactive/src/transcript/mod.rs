//! The conversation as rows. Only what can still change, or was just asked for, is kept as rows; what has scrolled into
//! the terminal's history is kept as what it was made from, for the day the window gets another width.

use std::cell::RefCell;
use std::sync::Arc;

use omp_tui::ledger::Seam;
use omp_tui::render::Rows;
use omp_tui::text::Line;

/// Rows of so many finished blocks behind the committed ones are kept.
const WARM: usize = 8;

/// One thing in the conversation: a prompt, an answer, a tool call, a notice.
pub trait Block {
    /// Everything that rows depend on besides the block: the width, the colours.
    type Look: Clone;

    /// Its rows.
    fn render(&self, look: &Self::Look) -> Vec<Line>;

    /// Whether it may still change.
    fn is_live(&self) -> bool;

    /// How many of its rows will stay as they are while it is live.
    fn settled(&self, look: &Self::Look) -> usize;
}

/// A block and where its rows are.
struct Slot<B> {
    block: B,
    /// The first row, counted from the first of the conversation.
    start: usize,
    rows: Rendered,
}

enum Rendered {
    /// Not yet, or no longer as it was made.
    Stale,
    /// As many rows as this; they are made again when they are asked for.
    Counted(usize),
    Kept(Arc<[Line]>),
}

/// The blocks of a conversation, in their order.
pub struct Transcript<B: Block> {
    slots: Vec<Slot<B>>,
    look: B::Look,
    /// The first slot whose place or rows have to be found again.
    stale_from: usize,
    /// The first block that may still change; a finished block stays finished.
    first_live: usize,
    /// Rows that were made for a slot that does not keep them.
    recent: RefCell<Option<(usize, Arc<[Line]>)>>,
}

/// Names a block for later changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockId(usize);

impl<B: Block> Transcript<B> {
    /// Nothing yet, to be drawn like this.
    pub fn new(look: B::Look) -> Self {
        Self { slots: Vec::new(), look, stale_from: 0, first_live: 0, recent: RefCell::default() }
    }

    /// Draws everything differently from now on.
    pub fn set_look(&mut self, look: B::Look) {
        self.look = look;
        self.invalidate();
    }

    /// Adds a block at the end.
    pub fn push(&mut self, block: B) -> BlockId {
        self.slots.push(Slot { block, start: 0, rows: Rendered::Stale });
        let id = self.slots.len() - 1;
        self.stale_from = self.stale_from.min(id);
        BlockId(id)
    }

    /// A block that is about to change.
    pub fn change(&mut self, id: BlockId) -> Option<&mut B> {
        let slot = self.slots.get_mut(id.0)?;
        slot.rows = Rendered::Stale;
        self.stale_from = self.stale_from.min(id.0);
        Some(&mut slot.block)
    }

    /// A block as it is.
    pub fn get(&self, id: BlockId) -> Option<&B> {
        self.slots.get(id.0).map(|slot| &slot.block)
    }

    /// The last block.
    pub fn last(&self) -> Option<(BlockId, &B)> {
        self.slots.last().map(|slot| (BlockId(self.slots.len() - 1), &slot.block))
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> usize {
        self.slots.len()
    }

    /// Changes blocks that may still change.
    pub fn change_live(&mut self, mut change: impl FnMut(&mut B)) {
        for slot in self.slots[self.first_live..].iter_mut().filter(|slot| slot.block.is_live()) {
            change(&mut slot.block);
            slot.rows = Rendered::Stale;
        }
        self.stale_from = self.stale_from.min(self.first_live);
    }

    fn invalidate(&mut self) {
        self.slots.iter_mut().for_each(|slot| slot.rows = Rendered::Stale);
        self.stale_from = 0;
        self.recent.replace(None);
    }

    /// Brings all rows up to date. The work is that of the blocks that changed.
    pub fn layout(&mut self) {
        let from = self.stale_from.min(self.slots.len());
        if from < self.slots.len() {
            self.recent.replace(None);
        }
        let mut start = from.checked_sub(1).and_then(|before| self.slots.get(before)).map_or(0, Slot::end);
        for slot in &mut self.slots[from..] {
            slot.start = start;
            if matches!(slot.rows, Rendered::Stale) {
                slot.rows = Rendered::Kept(slot.block.render(&self.look).into());
            }
            start = slot.end();
        }
        self.stale_from = self.slots.len();
        while self.slots.get(self.first_live).is_some_and(|slot| !slot.block.is_live()) {
            self.first_live += 1;
        }
    }

    /// Rows below `committed` are in the terminal's history: nobody will ask for most of them again.
    pub fn settle(&mut self, committed: usize) {
        let done = self.slots.partition_point(|slot| slot.end() <= committed);
        for slot in self.slots[..done.saturating_sub(WARM)].iter_mut().rev() {
            match &slot.rows {
                Rendered::Kept(rows) => slot.rows = Rendered::Counted(rows.len()),
                // Those before were let go earlier.
                Rendered::Counted(_) => break,
                Rendered::Stale => {}
            }
        }
    }

    /// Which rows are final, as far as the conversation goes. Everything below it is live.
    pub fn seam(&self) -> Seam {
        let Some(slot) = self.slots.get(self.first_live) else {
            return Seam { live_start: Some(self.len()), commit_safe_end: None };
        };
        let settled = slot.block.settled(&self.look).min(slot.rows.count());
        Seam { live_start: Some(slot.start), commit_safe_end: Some(slot.start + settled) }
    }

    fn rows_of(&self, place: usize) -> Option<Arc<[Line]>> {
        let slot = self.slots.get(place)?;
        if let Rendered::Kept(rows) = &slot.rows {
            return Some(Arc::clone(rows));
        }
        let mut recent = self.recent.borrow_mut();
        if let Some((known, rows)) = &*recent
            && *known == place
        {
            return Some(Arc::clone(rows));
        }
        let rows: Arc<[Line]> = slot.block.render(&self.look).into();
        *recent = Some((place, Arc::clone(&rows)));
        Some(rows)
    }
}

impl<B: Block> Rows for Transcript<B> {
    fn len(&self) -> usize {
        self.slots.last().map_or(0, Slot::end)
    }

    fn row(&self, index: usize) -> Line {
        let place = self.slots.partition_point(|slot| slot.end() <= index);
        let within = self.slots.get(place).map_or(0, |slot| index - slot.start);
        self.rows_of(place).and_then(|rows| rows.get(within).cloned()).unwrap_or_default()
    }
}

impl<B> Slot<B> {
    fn end(&self) -> usize {
        self.start + self.rows.count()
    }
}

impl Rendered {
    fn count(&self) -> usize {
        match self {
            Self::Stale => 0,
            Self::Counted(count) => *count,
            Self::Kept(rows) => rows.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use super::*;

    struct Plain {
        rows: usize,
        live: bool,
        made: Rc<Cell<usize>>,
    }

    impl Block for Plain {
        type Look = usize;

        fn render(&self, width: &usize) -> Vec<Line> {
            self.made.set(self.made.get() + 1);
            (0..self.rows).map(|row| Line::plain(&format!("{row}/{width}"))).collect()
        }

        fn is_live(&self) -> bool {
            self.live
        }

        fn settled(&self, _: &usize) -> usize {
            1
        }
    }

    fn transcript(sizes: &[usize]) -> (Transcript<Plain>, Rc<Cell<usize>>) {
        let made = Rc::new(Cell::new(0));
        let mut transcript = Transcript::new(40);
        for rows in sizes {
            transcript.push(Plain { rows: *rows, live: false, made: Rc::clone(&made) });
        }
        (transcript, made)
    }

    #[test]
    fn rows_are_found_by_number() {
        let (mut transcript, _) = transcript(&[2, 0, 3]);
        transcript.layout();
        let rows: Vec<String> = (0..transcript.len()).map(|row| transcript.row(row).text()).collect();
        assert_eq!(rows, ["0/40", "1/40", "0/40", "1/40", "2/40"]);
        assert_eq!(transcript.row(9).text(), "");
    }

    #[test]
    fn what_did_not_change_is_not_made_again() {
        let (mut transcript, made) = transcript(&[1; 1000]);
        transcript.layout();
        assert_eq!(made.get(), 1000);
        let id = transcript.push(Plain { rows: 2, live: true, made: Rc::clone(&made) });
        transcript.layout();
        transcript.change(id);
        transcript.layout();
        assert_eq!(made.get(), 1002);
        transcript.settle(990);
        assert_eq!(transcript.row(10).text(), "0/40");
        assert_eq!((transcript.row(10).text(), made.get()), ("0/40".to_owned(), 1003), "made again, once");
        transcript.set_look(50);
        transcript.layout();
        assert_eq!((made.get(), transcript.row(10).text()), (2004, "0/50".to_owned()));
    }

    #[test]
    fn nothing_behind_a_live_block_is_final() {
        let (mut transcript, made) = transcript(&[3, 3]);
        transcript.push(Plain { rows: 4, live: true, made: Rc::clone(&made) });
        transcript.push(Plain { rows: 5, live: false, made });
        transcript.layout();
        assert_eq!(transcript.seam(), Seam { live_start: Some(6), commit_safe_end: Some(7) });
    }
}
