//! From lanes to a frame.

use crate::ledger::Seam;
use crate::render::{Cover, Part, Position, Rows, Size, View};
use crate::schedule::Extent;
use crate::text::Line;

use super::{Lane, Ui};

/// A frame that is ready to be painted.
pub struct Frame<'a> {
    lanes: &'a [Lane],
    starts: Vec<usize>,
    seam: Seam,
    cursor: Option<Position>,
    covers: Vec<Cover>,
}

impl Frame<'_> {
    /// The frame as the renderer takes it.
    pub fn view(&self) -> View<'_> {
        View { rows: self, seam: self.seam, cursor: self.cursor, covers: &self.covers }
    }
}

impl Rows for Frame<'_> {
    fn len(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    fn row(&self, index: usize) -> Line {
        let lane = self.starts.partition_point(|start| *start <= index).saturating_sub(1);
        match (self.lanes.get(lane), self.starts.get(lane)) {
            (Some(lane), Some(start)) => lane.component.row(index - start),
            _ => Line::new(),
        }
    }

    fn part(&self, index: usize) -> (Part, usize) {
        let lane = self.starts.partition_point(|start| *start <= index).saturating_sub(1);
        let start = self.starts.get(lane).copied().unwrap_or(0);
        let (block, first) = self.lanes.get(lane).map_or((0, 0), |lane| lane.component.block(index - start));
        (Part { lane, block }, start + first)
    }

    fn part_start(&self, part: Part) -> Option<usize> {
        let first = self.lanes.get(part.lane)?.component.block_start(part.block)?;
        Some(self.starts.get(part.lane)? + first)
    }
}

impl Ui {
    /// Lays out what `extent` names. A new size or a visible overlay makes that everything; a lane that was never laid
    /// out is laid out in any case.
    pub fn compose(&mut self, size: Size, extent: &Extent) -> Frame<'_> {
        let everything = size != self.size || *extent == Extent::Everything || self.is_covered();
        self.size = size;
        self.correct_focus();
        for lane in &mut self.lanes {
            let named = matches!(extent, Extent::Components(ids) if ids.contains(&lane.id.number()));
            if everything || named || !lane.laid_out {
                lane.layout = lane.component.layout(size.width);
                lane.laid_out = true;
            }
        }
        let covers = self.covers();
        let mut starts = vec![0];
        let mut row = 0;
        let mut seam = Seam::default();
        let mut cursor = None;
        for lane in &self.lanes {
            // The first lane that may change decides; everything below it stays out of history.
            if seam == Seam::default() {
                seam = lane.layout.seam.shifted(row);
            }
            if self.focus == Some(lane.id) {
                cursor = lane.layout.cursor.map(|inside| Position { row: row + inside.row, ..inside });
            }
            row += lane.layout.rows;
            starts.push(row);
        }
        Frame { lanes: &self.lanes, starts, seam, cursor, covers }
    }
}
