//! Which bytes are written, and which never.

use std::time::Duration;

use omp_tui::capability::{self, Environment};
use omp_tui::ledger::Seam;
use omp_tui::render::{Cover, Gesture, Intent, Position, Profile, View};
use omp_tui::schedule::{Request, Scheduler};
use omp_tui::text::Line;

use super::desk::{Desk, count, live, rows};
use super::emulator::Emulator as _;

/// A reply of 5,000 pieces, wrapped as it grows, above an editor.
struct Reply {
    text: String,
    rows: Vec<Line>,
    /// Rows before the paragraph that is being written.
    settled: usize,
    width: usize,
}

impl Reply {
    fn new(width: usize) -> Self {
        Self { text: String::new(), rows: Vec::new(), settled: 0, width }
    }

    fn push(&mut self, piece: &str) {
        self.text.push_str(piece);
        self.rows.truncate(self.settled);
        self.rows.extend(Line::plain(&self.text).wrap(self.width, 0));
        if piece.ends_with(". ") {
            self.settled = self.rows.len();
            self.text.clear();
        }
    }

    fn frame(&self) -> (Vec<Line>, Seam) {
        let mut frame = self.rows.clone();
        let end = frame.len();
        frame.extend(["─".repeat(self.width).as_str(), "> ", "model · 12%"].map(Line::plain));
        (frame, Seam { live_start: Some(self.settled), commit_safe_end: Some(end.saturating_sub(1)) })
    }
}

/// proves: TUI-017, TUI-020
#[test]
fn a_long_reply_is_cheap_and_never_repaints() {
    let mut desk = Desk::new(80, 24, Profile { synchronized: true, ..Profile::default() });
    let mut reply = Reply::new(80);
    let mut scheduler = Scheduler::new();
    let (frame, seam) = reply.frame();
    desk.paint(&frame, seam);
    let before = desk.bytes.len();
    let words = ["the ", "terminal ", "writes ", "what ", "changed ", "and ", "nothing ", "else. "];
    let mut visible = 0;
    let mut frames = 0;
    for delta in 0..5000 {
        let piece = words[delta % words.len()];
        visible += piece.len();
        reply.push(piece);
        let now = Duration::from_millis(5 * delta as u64);
        scheduler.request(Request::Ordinary, now);
        if scheduler.take(now).is_none() {
            continue;
        }
        frames += 1;
        let (frame, seam) = reply.frame();
        desk.cursor = Some(Position { row: frame.len() - 2, column: 2 });
        let painted = desk.paint(&frame, seam);
        assert_ne!(painted.intent, Intent::FullPaint);
    }
    let written = &desk.bytes[before..];
    for never in ["\x1b[2J", "\x1b[3J", "\x1b[H", "\x1b[1;1H", "\x1b[?1049h"] {
        assert_eq!(count(written, never), 0, "{never:?}");
    }
    println!("{} bytes for {visible} visible in {frames} frames", written.len());
    assert!(written.len() <= 3 * visible, "{} bytes for {visible}", written.len());
    let (frame, seam) = reply.frame();
    desk.paint(&frame, seam);
    let expected: Vec<String> = frame.iter().map(|row| row.text().trim_end().to_owned()).collect();
    assert_eq!(desk.tape(), expected);
}

/// proves: TUI-018, TUI-019
#[test]
fn history_is_erased_only_for_a_gesture_and_never_in_a_multiplexer() {
    for multiplexer in [false, true] {
        let mut desk = if multiplexer { Desk::multiplexer(40, 10) } else { Desk::direct(40, 10) };
        let erased = |desk: &mut Desk, frame: &[Line]| {
            let painted = desk.paint(&frame.to_vec(), Seam::default());
            let erases = count(&painted.bytes, "\x1b[3J");
            assert_eq!(erases, count(&painted.bytes, "\x1b[2J\x1b[H\x1b[3J"));
            erases
        };
        let gesture = usize::from(!multiplexer);
        assert_eq!(erased(&mut desk, &rows(0..30)), 0, "first paint");
        assert_eq!(erased(&mut desk, &rows(0..60)), 0, "streaming");
        assert_eq!(erased(&mut desk, &rows(0..5)), 0, "shrinking");
        assert_eq!(erased(&mut desk, &rows(20..80)), 0, "shifting");
        desk.renderer.gesture(Gesture::Replace);
        assert_eq!(erased(&mut desk, &rows(100..150)), gesture, "another session");
        desk.renderer.gesture(Gesture::Reset);
        assert_eq!(erased(&mut desk, &rows(100..150)), gesture, "display reset");
        desk.resize(50, 12);
        assert_eq!(erased(&mut desk, &rows(100..150)), gesture, "resize");
        desk.covers = vec![Cover { at: Position::default(), rows: rows(0..2), cursor: None }];
        assert_eq!(erased(&mut desk, &rows(100..160)), 0, "overlay");
        desk.renderer.gesture(Gesture::Resume);
        assert_eq!(erased(&mut desk, &rows(100..160)), 0, "resume");
    }
}

/// proves: TUI-021
#[test]
fn the_first_paint_saves_the_screen_where_it_can() {
    let first = |variables: &[(&str, &str)]| {
        let read =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, v)| (*v).to_owned());
        let profile = capability::profile(Environment(&read), true);
        Desk::new(40, 10, profile).paint(&rows(0..3), Seam::default()).bytes
    };
    let kitty = first(&[("TERM", "xterm-kitty")]);
    assert!(count(&kitty, "\x1b[22J\x1b[2J\x1b[H") == 1, "{:?}", String::from_utf8_lossy(&kitty));
    let xterm = first(&[("TERM", "xterm-256color")]);
    assert_eq!((count(&xterm, "\x1b[22J"), count(&xterm, "\x1b[2J\x1b[H")), (0, 1));
}

/// proves: TUI-022
#[test]
fn rows_scroll_as_they_are_or_are_written_again() {
    let mut desk = Desk::direct(40, 5);
    desk.paint(&rows(0..5), Seam::default());
    let painted = desk.paint(&rows(0..7), Seam::default());
    assert_eq!(painted.intent, Intent::ScrollAppend);
    let text = String::from_utf8(painted.bytes).unwrap();
    assert_eq!(text.matches("\n").count(), 2, "{text:?}");
    for kept in ["row 0", "row 1", "row 2", "row 3", "row 4"] {
        assert!(!text.contains(kept), "{text:?}");
    }
    assert!(text.contains("row 5") && text.contains("row 6"));
    // A row that changes while it leaves the screen cannot scroll as it is.
    let mut frame = rows(0..8);
    frame[2] = Line::plain("changed");
    let painted = desk.paint(&frame, Seam::default());
    assert_eq!((painted.intent, painted.chunk), (Intent::SeamRewrite, 2..3));
    let expected = ["row 0", "row 1", "changed", "row 3", "row 4", "row 5", "row 6", "row 7"];
    assert_eq!(desk.tape(), expected);
}

/// proves: TUI-024
#[test]
fn a_frame_is_one_synchronized_write() {
    let mut desk = Desk::new(40, 10, Profile { synchronized: true, ..Profile::default() });
    desk.cursor = Some(Position { row: 2, column: 3 });
    for length in 4..40 {
        let painted = desk.paint(&rows(0..length), live(length - 1));
        let bytes = &painted.bytes;
        assert!(bytes.starts_with(b"\x1b[?2026h") && bytes.ends_with(b"\x1b[?2026l"), "{length}");
        assert_eq!((count(bytes, "\x1b[?2026h"), count(bytes, "\x1b[?2026l")), (1, 1));
    }
    assert_eq!(desk.screen()[9], "row 38");
}

/// proves: TUI-025
#[test]
fn without_synchronized_output_wrapping_is_still_switched() {
    let variables = [("PI_NO_SYNC_OUTPUT", "1"), ("TERM", "xterm-kitty")];
    let read = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, v)| (*v).to_owned());
    let mut desk = Desk::new(40, 10, capability::profile(Environment(&read), true));
    for length in 4..40 {
        let mut frame = rows(0..length);
        frame.push(Line::plain(&"x".repeat(60)));
        let bytes = desk.paint(&frame, live(length)).bytes;
        assert_eq!(count(&bytes, "\x1b[?2026"), 0);
        let (off, on) = (count(&bytes, "\x1b[?7l"), count(&bytes, "\x1b[?7h"));
        // Where the right edge is reached, wrapping is off meanwhile.
        let reached = usize::from(bytes.contains(&b'x'));
        assert!(off == on && off >= reached, "{:?}", String::from_utf8_lossy(&bytes));
        assert!(desk.alacritty.wraps());
    }
}

/// proves: TUI-026
#[test]
fn a_shrinking_screen_finds_the_cursor_at_the_end_of_the_content() {
    for mut desk in [Desk::direct(40, 24), Desk::multiplexer(40, 24)] {
        let frame = rows(0..6);
        desk.paint(&frame, live(4));
        assert_eq!(desk.alacritty.cursor().row, 5);
        for height in (10..24).rev() {
            desk.resize(40, height);
            desk.paint(&frame, live(4));
            assert_eq!(
                desk.tape(),
                ["row 0", "row 1", "row 2", "row 3", "row 4", "row 5"],
                "height {height}"
            );
        }
    }
}

/// proves: TUI-027
#[test]
fn a_row_that_is_too_wide_is_cut() {
    let mut desk = Desk::direct(80, 5);
    let frame = vec![Line::plain(&"x".repeat(500)), Line::plain(&"日".repeat(250)), Line::plain("end")];
    desk.paint(&frame, Seam::default());
    let screen = desk.screen();
    assert_eq!(screen[0], "x".repeat(80));
    assert_eq!(screen[1], "日".repeat(40));
    assert_eq!(screen[2], "end");
}

/// proves: TUI-028
#[test]
fn the_cursor_is_where_the_focused_component_says() {
    let mut desk = Desk::direct(20, 5);
    desk.cursor = Some(Position { row: 11, column: 7 });
    let painted = desk.paint(&rows(0..12), live(10));
    assert_eq!(desk.alacritty.cursor(), Position { row: 4, column: 7 });
    assert!(desk.alacritty.cursor_shown());
    // The cursor is not part of any row: all that is printed is the rows.
    let printed = omp_tui::text::parse_ansi(&String::from_utf8(painted.bytes).unwrap());
    assert!(printed.iter().all(|row| row.text().is_empty() || row.text().starts_with("row ")), "{printed:?}");
    desk.cursor = Some(Position { row: 400, column: 300 });
    desk.paint(&rows(0..12), live(10));
    assert_eq!(desk.vt100.cursor(), Position { row: 4, column: 19 });
    desk.cursor = None;
    desk.paint(&rows(0..12), live(10));
    assert!(!desk.alacritty.cursor_shown());
}

/// proves: TUI-029
#[test]
fn nothing_new_writes_nothing() {
    let mut desk = Desk::direct(40, 10);
    let frame = vec![Line::plain("a"), Line::plain("   "), Line::new()];
    desk.paint(&frame, Seam::default());
    assert!(desk.paint(&frame, Seam::default()).bytes.is_empty());
    // Blank rows are alike, whether they hold spaces or nothing.
    let blank = vec![Line::plain("a"), Line::new(), Line::plain("      ")];
    assert!(desk.paint(&blank, Seam::default()).bytes.is_empty());
    desk.cursor = Some(Position { row: 0, column: 1 });
    let painted = desk.paint(&blank, Seam::default());
    assert_eq!(painted.intent, Intent::Cursor);
    assert!(painted.bytes.len() < 16);
}

/// proves: TUI-015
#[test]
fn terminals_of_equal_ability_get_equal_bytes() {
    let written = |term: &str| {
        let read = |name: &str| (name == "TERM").then(|| term.to_owned());
        let mut desk = Desk::new(40, 10, capability::profile(Environment(&read), true));
        desk.paint(&rows(0..3), Seam::default());
        for length in 4..60 {
            desk.paint(&rows(0..length), live(length - 2));
        }
        desk.bytes
    };
    let xterm = written("xterm-256color");
    for term in ["foot", "st-256color", "rxvt-unicode", "vte-256color", "konsole"] {
        assert_eq!(written(term), xterm, "{term}");
    }
    // No update asks the terminal anything.
    for question in ["\x1b[6n", "\x1b[c", "\x1b[5n", "\x1b[18t"] {
        assert_eq!(count(&xterm, question), 0);
    }
}

/// proves: TUI-071
#[test]
fn a_forced_repaint_mends_the_window_and_keeps_history() {
    for mut desk in [Desk::direct(40, 10), Desk::multiplexer(40, 10)] {
        desk.paint(&rows(0..40), live(38));
        let history = desk.history();
        // Another program writes over the screen, without scrolling it.
        desk.write(b"\x1b7\x1b[3;3Hgarbage\x1b[6;1Hmore garbage\x1b8");
        assert!(desk.screen()[2].contains("garbage"));
        desk.renderer.gesture(Gesture::Repaint);
        let painted = desk.paint(&rows(0..41), live(39));
        assert_eq!((painted.intent, painted.chunk), (Intent::SeamRewrite, 30..31));
        assert_eq!(count(&painted.bytes, "\x1b[2J") + count(&painted.bytes, "\x1b[3J"), 0);
        assert_eq!(desk.history()[..history.len()], history);
        let expected: Vec<String> = (0..41).map(|row| format!("row {row}")).collect();
        assert_eq!(desk.tape(), expected);
    }
}

/// What was neither in history nor on the screen is written at the end, and the shell's prompt comes below it.
#[test]
fn the_end_leaves_everything_behind() {
    let mut desk = Desk::direct(40, 10);
    desk.paint(&rows(0..50), live(5));
    let frame = rows(0..50);
    let view = View { rows: &frame, seam: live(5), cursor: None, covers: &[] };
    let painted = desk.renderer.finish(&view, desk.size);
    desk.write(&painted.bytes);
    desk.write(b"$ ");
    let mut expected: Vec<String> = (0..50).map(|row| format!("row {row}")).collect();
    expected.push("$".to_owned());
    assert_eq!(desk.tape(), expected);
    assert!(desk.alacritty.cursor_shown());
}
