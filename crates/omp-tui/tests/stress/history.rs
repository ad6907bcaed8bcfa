//! What enters history, and what does not.

use omp_tui::ledger::Seam;
use omp_tui::render::{Cover, Intent, Position};
use omp_tui::text::Line;

use super::desk::{Desk, count, live, rows};
use super::emulator::Emulator as _;

fn numbered(range: std::ops::Range<usize>) -> Vec<String> {
    range.map(|row| format!("row {row}")).collect()
}

/// proves: TUI-004
#[test]
fn a_reader_who_scrolled_up_is_left_alone() {
    let mut desk = Desk::direct(40, 10);
    desk.paint(&rows(0..100), live(98));
    desk.alacritty.scroll_up(50);
    let seen = desk.alacritty.viewport();
    let offset = desk.alacritty.scroll_offset();
    assert_eq!(seen[0], "row 40");
    for length in 101..301 {
        desk.paint(&rows(0..length), live(length - 2));
        assert_eq!(desk.alacritty.viewport(), seen);
    }
    assert_eq!(desk.alacritty.scroll_offset(), offset + 200);
}

/// proves: TUI-006
#[test]
fn rows_behind_the_seam_stay_out_of_history() {
    let mut desk = Desk::direct(40, 10);
    // Live from row 5: history gets rows 0 to 4 and nothing else, however long the rest becomes.
    desk.paint(&rows(0..8), live(5));
    desk.paint(&rows(0..50), live(5));
    assert_eq!(desk.history(), numbered(0..5));
    assert_eq!(desk.screen(), numbered(40..50));
    // A deeper boundary inside the live part is obeyed.
    desk.paint(&rows(0..50), Seam { live_start: Some(5), commit_safe_end: Some(20) });
    assert_eq!(desk.history(), numbered(0..20));
    // Without any, everything that leaves the screen is final.
    desk.paint(&rows(0..50), Seam::default());
    assert_eq!(desk.history(), numbered(0..40));
    assert_eq!(desk.tape(), numbered(0..50));
}

/// proves: TUI-007, TUI-008
#[test]
fn without_a_seam_what_scrolls_off_is_final() {
    let mut desk = Desk::direct(40, 10);
    let mut frame = rows(0..50);
    desk.paint(&frame, Seam::default());
    frame[3] = Line::plain("changed too late");
    let painted = desk.paint(&frame, Seam::default());
    assert_eq!((painted.intent, painted.bytes.len()), (Intent::Nothing, 0));
    assert_eq!(desk.tape(), numbered(0..50));
}

/// proves: TUI-010
#[test]
fn rows_that_shift_in_history_are_repeated_not_lost() {
    let mut desk = Desk::direct(40, 10);
    let mut frame = rows(0..60);
    desk.paint(&frame, Seam::default());
    frame.drain(30..33);
    frame.extend(rows(60..75));
    desk.paint(&frame, Seam::default());
    let tape = desk.tape();
    let mut rest = tape.as_slice();
    for line in &frame {
        let at = rest.iter().position(|row| *row == line.text());
        rest = &rest[at.unwrap_or_else(|| panic!("{} is lost in {tape:?}", line.text())) + 1..];
    }
    // The copy begins at the first row that changed, not before.
    assert_eq!(tape.iter().filter(|row| *row == "row 29").count(), 1);
    assert_eq!(tape.iter().filter(|row| *row == "row 33").count(), 2);
    assert_eq!(count(&desk.bytes, "\x1b[3J"), 0);
}

/// proves: TUI-011
#[test]
fn a_frame_that_shrinks_below_history_erases_nothing() {
    let mut desk = Desk::direct(40, 10);
    desk.paint(&rows(0..200), Seam::default());
    let history = desk.history();
    let painted = desk.paint(&rows(0..5), Seam::default());
    assert_eq!((painted.ledger.committed, painted.ledger.top), (0, 0));
    assert_eq!(desk.history(), history);
    assert_eq!(desk.screen()[..5], numbered(0..5));
    assert_eq!(count(&desk.bytes, "\x1b[3J"), 0);
}

/// proves: TUI-012, TUI-013
#[test]
fn an_overlay_freezes_history_and_never_enters_it() {
    let mut desk = Desk::direct(40, 10);
    desk.paint(&rows(0..20), live(18));
    let history = desk.history();
    let over = (0..4).map(|_| Line::plain("OVERLAY")).collect();
    desk.covers = vec![Cover { at: Position { row: 2, column: 3 }, rows: over, cursor: None }];
    for length in 21..121 {
        desk.paint(&rows(0..length), live(length - 2));
        assert_eq!(desk.history(), history);
        assert!(desk.screen()[2].contains("OVERLAY"));
    }
    desk.covers.clear();
    let painted = desk.paint(&rows(0..120), live(118));
    assert_eq!(painted.chunk, 10..110);
    assert_eq!(desk.tape(), numbered(0..120));
}

/// proves: TUI-014
#[test]
fn a_multiplexer_keeps_its_history_at_the_old_width() {
    let mut desk = Desk::multiplexer(60, 10);
    let wide = |width: usize| -> Vec<Line> {
        let text = "words that are wrapped at the width of the screen, whatever that may be just now";
        (0..20).flat_map(|row| Line::plain(&format!("{row} {text}")).wrap(width, 0)).collect()
    };
    desk.paint(&wide(60), Seam::default());
    let history = desk.vt100.history();
    let before = desk.bytes.len();
    desk.resize(100, 10);
    desk.paint(&wide(100), Seam::default());
    let written = &desk.bytes[before..];
    assert_eq!(count(written, "\x1b[2J") + count(written, "\x1b[3J"), 0);
    let wider = desk.vt100.history();
    for (old, new) in history.iter().zip(&wider) {
        assert_eq!(super::emulator::text(old), super::emulator::text(new));
    }
    let shown: Vec<String> = desk.vt100.screen().iter().map(|row| super::emulator::text(row)).collect();
    let frame = wide(100);
    let top = desk.renderer.ledger().top;
    for (row, line) in frame[top..].iter().take(10).enumerate() {
        assert_eq!(shown[row], line.text());
    }
}
