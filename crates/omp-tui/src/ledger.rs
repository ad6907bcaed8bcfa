//! The append-only ledger: which rows have scrolled into the terminal's history, and which are on the screen.
//!
//! Nobody can ask a terminal where its user has scrolled to, so history is never rewritten: a row enters it once, when it
//! is final, and stays. The whole rule is a pure function of four numbers, [`Ledger::advance`]; nothing else in the
//! program decides what enters history.

use std::ops::Range;

/// What has happened to the rows of the frame so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Rows below this index are in the terminal's history and will never be written again.
    pub committed: usize,
    /// The row of the frame that is the first row of the screen; never below `committed`.
    pub top: usize,
}

/// The frame that is to be shown next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outlook {
    /// Its rows.
    pub rows: usize,
    /// Rows from here on may still change and must not enter history.
    pub boundary: usize,
    /// The rows of the screen.
    pub height: usize,
    /// Whether something lies over the screen; what is covered must not enter history.
    pub covered: bool,
}

/// What the ledger becomes, and which rows enter history on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advance {
    /// The ledger afterwards.
    pub ledger: Ledger,
    /// The rows that enter history now; nothing else may scroll.
    pub chunk: Range<usize>,
    /// Whether the frame fell below what is in history, so that stale rows stay there and the window starts again.
    pub shrunk: bool,
}

/// Where rows may be final: reported by whatever makes the frame, in rows of the frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seam {
    /// The first row that may still change; `None` if all rows are final.
    pub live_start: Option<usize>,
    /// The end of the rows behind `live_start` that are final already.
    pub commit_safe_end: Option<usize>,
}

impl Seam {
    /// The first row that must stay out of history, for a frame of `rows` rows.
    pub fn boundary(self, rows: usize) -> usize {
        self.commit_safe_end.or(self.live_start).unwrap_or(rows).min(rows)
    }

    /// The same seam for rows that begin `by` rows further down.
    #[must_use]
    pub fn shifted(self, by: usize) -> Self {
        Self {
            live_start: self.live_start.map(|row| row + by),
            commit_safe_end: self.commit_safe_end.map(|row| row + by),
        }
    }
}

impl Ledger {
    /// The next ledger for an ordinary frame.
    pub fn advance(self, next: Outlook) -> Advance {
        let bottom = next.rows.saturating_sub(next.height);
        let boundary = next.boundary.min(next.rows);
        if next.rows <= self.committed && self.committed > 0 {
            let committed = boundary.min(bottom);
            let ledger = Self { committed, top: bottom };
            return Advance { ledger, chunk: committed..committed, shrunk: true };
        }
        let top = self.committed.max(bottom);
        let committed = if next.covered { self.committed } else { self.committed.max(boundary.min(top)) };
        Advance { ledger: Self { committed, top }, chunk: self.committed..committed, shrunk: false }
    }

    /// The ledger after a paint of everything on an empty terminal.
    pub fn replayed(next: Outlook) -> Advance {
        Self::default().advance(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outlook(rows: usize, boundary: usize, height: usize) -> Outlook {
        Outlook { rows, boundary, height, covered: false }
    }

    /// proves: TUI-003
    #[test]
    fn the_ordinary_frame() {
        // committed, rows, boundary, height -> top, committed afterwards
        let table = [
            (0, 5, 5, 10, 0, 0),
            (0, 10, 10, 10, 0, 0),
            (0, 12, 12, 10, 2, 2),
            (0, 12, 1, 10, 2, 1),
            (2, 30, 30, 10, 20, 20),
            (2, 30, 0, 10, 20, 2),
            (20, 25, 25, 10, 20, 20),
            (20, 25, 3, 10, 20, 20),
            (5, 40, 33, 10, 30, 30),
            (5, 40, 7, 1, 39, 7),
        ];
        for (committed, rows, boundary, height, top, after) in table {
            let before = Ledger { committed, top: committed };
            let found = before.advance(outlook(rows, boundary, height));
            assert_eq!(
                found.ledger,
                Ledger { committed: after, top },
                "{committed} {rows} {boundary} {height}"
            );
            assert_eq!(found.chunk, committed..after);
            assert!(!found.shrunk);
        }
    }

    /// proves: TUI-005
    #[test]
    fn the_window_never_shows_what_is_in_history() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..2000 {
            let mut ledger = Ledger::default();
            for _ in 0..50 {
                let rows = random.usize(0..300);
                let next = Outlook {
                    rows,
                    boundary: random.usize(0..=rows),
                    height: random.usize(1..60),
                    covered: random.bool(),
                };
                let found = ledger.advance(next);
                let now = found.ledger;
                assert!(now.top >= now.committed, "{ledger:?} {next:?} {now:?}");
                assert!(now.committed <= rows);
                if !found.shrunk {
                    let top = ledger.committed.max(rows.saturating_sub(next.height));
                    assert_eq!(now.top, top);
                    assert_eq!(found.chunk, ledger.committed..now.committed);
                    let kept = ledger.committed.max(next.boundary.min(top));
                    assert_eq!(now.committed, if next.covered { ledger.committed } else { kept });
                }
                ledger = now;
            }
        }
    }

    #[test]
    fn a_cover_freezes_history() {
        let before = Ledger { committed: 3, top: 3 };
        let found = before.advance(Outlook { covered: true, ..outlook(50, 50, 10) });
        assert_eq!(found.ledger, Ledger { committed: 3, top: 40 });
        let found = found.ledger.advance(outlook(50, 50, 10));
        assert_eq!(found.chunk, 3..40);
    }

    #[test]
    fn shrinking_below_history_starts_anew() {
        let before = Ledger { committed: 190, top: 190 };
        let found = before.advance(outlook(5, 5, 10));
        assert_eq!((found.ledger, found.shrunk), (Ledger { committed: 0, top: 0 }, true));
    }

    #[test]
    fn the_seam_names_the_boundary() {
        let seam = |live_start, commit_safe_end| Seam { live_start, commit_safe_end };
        assert_eq!(seam(None, None).boundary(9), 9);
        assert_eq!(seam(Some(4), None).boundary(9), 4);
        assert_eq!(seam(Some(4), Some(6)).boundary(9), 6);
        assert_eq!(seam(Some(40), None).boundary(9), 9);
        assert_eq!(seam(Some(4), Some(6)).shifted(2).boundary(99), 8);
    }
}
