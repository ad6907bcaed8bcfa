//! One width model, and terminals that have their own.

use omp_tui::ledger::Seam;
use omp_tui::text::{Line, Style, parse_ansi, width};

use super::desk::Desk;
use super::emulator::{Alacritty, Emulator as _, Vt100, shows};

const POOL: &[&str] = &[
    "a",
    " ",
    "日",
    "e\u{301}",
    "👩‍👩‍👧‍👦",
    "🇩🇪",
    "❤️",
    "\t",
    "\u{200d}",
    "\u{301}",
    "한",
    "ﷺ",
    "\x1b[31m",
    "\x1b[0m",
    "\x1b[2J",
    "\x1b]8;;http://x\x07",
    "\x1b]8;;\x07",
    "\r",
    "\n",
    "\u{202e}",
    "क्षि",
    "─",
    "\u{1b}",
    "\u{9b}",
    "\u{fe0f}",
    "🏽",
    "\0",
];

fn random_text(random: &mut fastrand::Rng) -> String {
    let mut text = String::new();
    for _ in 0..random.usize(0..40) {
        match random.u8(..8) {
            0 => text.push(random.char(..)),
            _ => text.push_str(random.choice(POOL).unwrap()),
        }
    }
    text
}

/// proves: TUI-049
#[test]
fn measuring_and_cutting_agree() {
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..2000 {
        let text = random_text(&mut random);
        for line in parse_ansi(&text) {
            let total = line.width();
            assert_eq!(total, line.cells().map(|cell| cell.width).sum::<usize>(), "{text:?}");
            let limit = random.usize(0..30);
            assert!(line.truncate(limit).width() <= limit, "{text:?} {limit}");
            assert!(line.clamp(limit).width() <= limit);
            let at = random.usize(0..=total);
            let (left, right) = (line.slice(0, at), line.slice(at, total));
            assert_eq!((left.width(), right.width()), (at, total - at), "{text:?} at {at}");
            for row in line.wrap(limit.max(2), 0) {
                assert!(row.width() <= limit.max(2) || row.cells().count() == 1, "{text:?} {limit}");
            }
            assert_eq!(line.fit(limit, Style::PLAIN).width(), limit);
            if line.spans().len() == 1 {
                assert_eq!(width::text_width(&line.text()), total, "{text:?}");
            }
        }
    }
}

/// proves: TUI-050
#[test]
fn later_columns_do_not_shift() {
    let corpus = [
        "日本語 text",
        "👩‍👩‍👧‍👦 family",
        "🇩🇪🇫🇷 flags",
        "❤️ heart",
        "e\u{301}a\u{308} marks",
        "a\tb\tc",
        "👍🏽 tone",
        "1️⃣ key",
        "שלום עולם",
        "مرحبا",
        "한국어",
        "🏳️‍🌈x👩‍🚀y",
        "क्षि z",
        "\u{301}x",
        "ﷺ y",
    ];
    for text in corpus {
        for behind in ["|", "日|", "👩‍👩‍👧‍👦|"] {
            let line = Line::plain(&format!("{text}{behind}"));
            let mark = line.width() - 1;
            let mut desk = Desk::direct(60, 3);
            // Also over a row that was there before, and with changes behind it.
            for frame in
                [vec![Line::plain(&"x".repeat(60))], vec![line.clone()], vec![Line::plain("y"), line.clone()]]
            {
                desk.paint(&frame, Seam::default());
                let at = frame.len() - 1;
                let row = desk.alacritty.row(desk.alacritty.history_len() + at);
                assert!(shows(&frame[at], &row), "{text:?} {behind:?}: {}", super::emulator::text(&row));
            }
            assert!(mark > 0);
        }
    }
}

/// proves: TUI-054
#[test]
fn no_text_breaks_a_frame() {
    let mut random = fastrand::Rng::with_seed(9);
    for round in 0..300 {
        let width = random.usize(1..30);
        let mut desk = Desk::direct(width.max(2), random.usize(1..8));
        for _ in 0..4 {
            let frame: Vec<Line> = (0..random.usize(0..12))
                .flat_map(|_| {
                    if random.bool() {
                        parse_ansi(&random_text(&mut random))
                    } else {
                        vec![Line::plain(&random_text(&mut random))]
                    }
                })
                .collect();
            let painted = desk.paint(&frame, Seam::default());
            assert!(
                !painted.bytes.windows(4).any(|bytes| bytes == b"\x1b[2J")
                    || painted.bytes.starts_with(b"\x1b[2J"),
                "{round}"
            );
        }
    }
}

/// Nothing a tool writes moves the cursor, clears the screen or changes the title.
#[test]
fn commands_in_text_are_not_obeyed() {
    let nasty =
        "\x1b[2J\x1b[H\x1b[3J\x1b]0;owned\x07\x1b[?1049h\x1bc\x1b[31mred\x1b[5;5Hmoved\x1bP1$r\x1b\\\x1b[10A";
    for line in [Line::plain(nasty), parse_ansi(nasty).remove(0)] {
        let size = omp_tui::render::Size { width: 200, height: 4 };
        let (mut alacritty, mut vt100) = (Alacritty::new(size), Vt100::new(size));
        let mut desk = Desk::direct(200, 4);
        let painted =
            desk.paint(&vec![Line::plain("top"), line.clone(), Line::plain("bottom")], Seam::default());
        for terminal in [&mut alacritty as &mut dyn super::emulator::Emulator, &mut vt100] {
            terminal.feed(&painted.bytes);
            let screen = terminal.screen();
            assert_eq!(super::emulator::text(&screen[0]), "top");
            assert!(shows(&line, &screen[1]));
            assert_eq!(super::emulator::text(&screen[2]), "bottom");
        }
    }
}
