//! How much of a block that is still changing may enter history already.
//!
//! Two signs are independent of each other. A block that only grows may give away all but its end. A block that keeps
//! changing may give away the rows at its top that have stood still for long enough; a row that moves after it was given
//! away is a slow clock, and it and everything below it are kept back for as long as the block lives.

use crate::text::Line;

/// After a row inside the block was rewritten, this many frames without a rewrite make it a growing block again.
const CALM_FRAMES: usize = 30;
/// Rows that stood still for this many frames are settled.
const SETTLED_FRAMES: usize = 30;

/// Watches the rows of one live block from frame to frame.
#[derive(Clone, Debug)]
pub struct LiveCommit {
    before: Vec<Line>,
    seen: bool,
    grown: bool,
    calm: usize,
    still: usize,
    still_frames: usize,
    settled: usize,
    floor: usize,
}

impl Default for LiveCommit {
    fn default() -> Self {
        Self {
            before: Vec::new(),
            seen: false,
            grown: false,
            calm: CALM_FRAMES,
            still: usize::MAX,
            still_frames: 0,
            settled: 0,
            floor: usize::MAX,
        }
    }
}

impl LiveCommit {
    /// Takes the rows of the next frame and answers how many of them, from the top, may enter history.
    pub fn observe(&mut self, rows: &[Line]) -> usize {
        if !std::mem::replace(&mut self.seen, true) {
            self.before = rows.to_vec();
            return 0;
        }
        let same = self.before.iter().zip(rows).take_while(|(old, new)| old == new).count();
        self.watch_growth(same, rows.len());
        self.watch_floor(rows);
        self.watch_stillness(same);
        self.before = rows.to_vec();
        let growing = self.grown && self.calm >= CALM_FRAMES;
        let grown = if growing { same.min(rows.len().saturating_sub(1)) } else { 0 };
        grown.max(self.settled.min(self.floor)).min(rows.len())
    }

    /// Growth may rewrite the last row, and may push a closing row further down; anything above is a rewrite.
    fn watch_growth(&mut self, same: usize, rows: usize) {
        let interior = self.before.len().saturating_sub(1);
        if same < interior {
            self.calm = 0;
            return;
        }
        self.calm = (self.calm + 1).min(CALM_FRAMES);
        self.grown |= rows > self.before.len() || same < self.before.len();
    }

    /// Rows inserted above a slow clock move it down.
    fn watch_floor(&mut self, rows: &[Line]) {
        if self.floor == usize::MAX || rows.len() <= self.before.len() {
            return;
        }
        let inserted = rows.len() - self.before.len();
        let below = self.before.get(self.floor + 1..).unwrap_or_default();
        let moved = rows.get(self.floor + inserted + 1..).unwrap_or_default();
        if !below.is_empty() && below == moved {
            self.floor += inserted;
        }
    }

    fn watch_stillness(&mut self, same: usize) {
        if same < self.settled {
            self.settled = same;
            self.floor = self.floor.min(same);
            self.still = same;
            self.still_frames = 0;
            return;
        }
        self.still = self.still.min(same);
        self.still_frames += 1;
        if self.still_frames >= SETTLED_FRAMES {
            self.settled = self.settled.max(self.still.min(self.floor));
            self.still = usize::MAX;
            self.still_frames = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(texts: impl IntoIterator<Item = String>) -> Vec<Line> {
        texts.into_iter().map(|text| Line::plain(&text)).collect()
    }

    fn numbered(count: usize) -> Vec<Line> {
        rows((0..count).map(|row| format!("row {row}")))
    }

    /// proves: TUI-033
    #[test]
    fn a_rewrite_suspends_growth_until_it_is_calm() {
        let mut commit = LiveCommit::default();
        commit.observe(&numbered(3));
        assert_eq!(commit.observe(&numbered(10)), 3);
        assert_eq!(commit.observe(&numbered(20)), 10);
        let mut rewritten = numbered(21);
        rewritten[15] = Line::plain("other");
        assert_eq!(commit.observe(&rewritten), 0);
        let mut calm = 0;
        loop {
            let length = rewritten.len();
            rewritten.push(Line::plain(&format!("more {length}")));
            calm += 1;
            let safe = commit.observe(&rewritten);
            if calm < CALM_FRAMES {
                assert!(safe <= 15, "{safe} after {calm} frames");
            } else {
                assert_eq!(safe, length);
                break;
            }
        }
    }

    /// proves: TUI-035
    #[test]
    fn a_slow_clock_is_never_given_away_again() {
        let mut commit = LiveCommit::default();
        let frame = |clock: usize| {
            let mut frame = numbered(40);
            frame[10] = Line::plain(&format!("cost {clock}"));
            frame
        };
        // It stands still long enough to be taken for settled, with everything below it.
        let mut safe = 0;
        for _ in 0..=SETTLED_FRAMES {
            safe = commit.observe(&frame(0));
        }
        assert_eq!(safe, 40);
        for tick in 1..20 {
            for _ in 0..3 * SETTLED_FRAMES {
                let safe = commit.observe(&frame(tick));
                assert!(safe <= 10, "tick {tick}: {safe}");
            }
        }
        assert_eq!(commit.observe(&frame(19)), 10);
        // Rows inserted above move the limit with the clock.
        let mut longer = numbered(42);
        longer[12] = Line::plain("cost 19");
        let below = frame(19).split_off(11);
        longer.truncate(13);
        longer.extend(below);
        for _ in 0..3 * SETTLED_FRAMES {
            commit.observe(&longer);
        }
        assert_eq!(commit.observe(&longer), 12);
    }

    /// proves: TUI-036
    #[test]
    fn a_new_layout_before_anything_was_given_away_costs_nothing() {
        let mut commit = LiveCommit::default();
        for width in [3, 5, 2] {
            commit.observe(&rows((0..20).map(|row| format!("{width} {row}"))));
        }
        assert_eq!(commit.floor, usize::MAX);
        let mut safe = 0;
        let mut frame = numbered(20);
        for more in 0..2 * CALM_FRAMES {
            frame.push(Line::plain(&format!("tail {more}")));
            safe = commit.observe(&frame);
        }
        assert_eq!(safe, frame.len() - 1);
    }
}
