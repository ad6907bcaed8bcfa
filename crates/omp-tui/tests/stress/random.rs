//! Random operations on two terminals under several profiles, checked after each.

use std::io::Write as _;

use omp_tui::render::{Gesture, Intent, Profile, Renderer, Size, View};
use omp_tui::text::{Attributes, Color, Line};

use super::discipline;
use super::document::{Document, Growth};
use super::emulator::{Alacritty, Emulator, Vt100, shows, text};
use super::shadow::{Expected, Shadow};

const OPERATIONS: usize = 30;

#[derive(Clone, Copy, Debug)]
struct Shape {
    alacritty: bool,
    multiplexer: bool,
    synchronized: bool,
}

struct Run {
    random: fastrand::Rng,
    document: Document,
    renderer: Renderer,
    terminal: Box<dyn Emulator>,
    shadow: Shadow,
    size: Size,
    shape: Shape,
    loud: bool,
    resized: bool,
    /// Rows that were in history before us.
    before_us: usize,
}

impl Shape {
    fn size(self, random: &mut fastrand::Rng) -> Size {
        let size = match random.u8(..) {
            0..10 => Size { width: 1, height: 1 },
            10 if random.u8(..8) == 0 => Size { width: 500, height: 200 },
            11..24 => Size { width: random.usize(1..5), height: random.usize(1..40) },
            24..36 => Size { width: random.usize(1..120), height: random.usize(1..3) },
            _ => Size { width: random.usize(10..80), height: random.usize(3..20) },
        };
        // Alacritty has two columns at least.
        Size { width: size.width.max(1 + usize::from(self.alacritty)), ..size }
    }
}

impl Run {
    fn new(seed: u64, shape: Shape, loud: bool) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut size = shape.size(&mut random);
        if shape.multiplexer {
            size.width = size.width.max(20);
        }
        let profile = Profile {
            synchronized: shape.synchronized,
            multiplexer: shape.multiplexer,
            ..Profile::default()
        };
        let terminal: Box<dyn Emulator> = match shape.alacritty {
            true => Box::new(Alacritty::new(size)),
            false => Box::new(Vt100::new(size)),
        };
        let document =
            Document { chrome: 2, cursor: random.bool(), contested: shape.alacritty, ..Document::default() };
        let renderer = Renderer::new(profile);
        let shadow = Shadow::default();
        Self { random, document, renderer, terminal, shadow, size, shape, loud, resized: true, before_us: 0 }
    }

    fn run(&mut self) {
        self.show("start");
        for _ in 0..OPERATIONS {
            let done = self.operate();
            self.show(done);
        }
        self.document.cover = None;
        self.document.live = None;
        self.show("end");
        self.whole_history();
    }

    fn operate(&mut self) -> &'static str {
        let random = &mut self.random;
        match random.u8(..100) {
            0..20 => {
                self.document.live = None;
                self.document.block(random);
                "append a block"
            }
            20..28 => {
                self.document.block(random);
                self.document.live = Some(if random.bool() { Growth::AppendOnly } else { Growth::Anywhere });
                "begin a live block"
            }
            28..55 => {
                let words = random.usize(1..6);
                let more = self.document.words(random, words);
                self.stream(&more);
                "stream"
            }
            55..60 => self.rewrite(),
            60..66 => {
                self.document.live = None;
                "finalize"
            }
            66..72 => {
                self.document.chrome = random.usize(0..8);
                "other rows below"
            }
            72..77 => {
                self.document.cover = match self.document.cover {
                    Some(_) => None,
                    None => Some(random.usize(1..6)),
                };
                "cover or uncover"
            }
            77..82 => {
                self.document.ticks += 1;
                "tick"
            }
            82..83 => "nothing",
            83..84 => {
                self.renderer.gesture(Gesture::Repaint);
                "repaint"
            }
            84..86 => self.violate(),
            86..87 => self.replace(),
            _ => self.resize(),
        }
    }

    fn stream(&mut self, more: &str) {
        if self.document.live.is_none() || self.document.blocks.is_empty() {
            self.document.ticks += 1;
            return;
        }
        let Some(block) = self.document.blocks.last_mut() else { return };
        if self.random.u8(..3) == 0 {
            block.text.push(more.to_owned());
        } else if let Some(last) = block.text.last_mut() {
            last.push(' ');
            last.push_str(more);
        }
    }

    fn rewrite(&mut self) -> &'static str {
        if self.document.live == Some(Growth::Anywhere) {
            let block = self.document.blocks.last_mut().unwrap();
            let keep = self.random.usize(0..=block.text.len());
            block.text.truncate(keep);
        }
        "rewrite the live block"
    }

    /// A component that breaks the rule and changes what is in history.
    fn violate(&mut self) -> &'static str {
        if self.document.blocks.len() > 3 && !self.shape.multiplexer {
            let block = self.random.usize(0..self.document.blocks.len() - 2);
            if self.random.bool() {
                self.document.blocks.remove(block);
            } else {
                self.document.blocks[block].text.push("late".to_owned());
            }
        }
        "change what is in history"
    }

    fn replace(&mut self) -> &'static str {
        if !self.shape.multiplexer {
            self.document.blocks.clear();
            self.document.live = None;
            self.renderer.gesture(Gesture::Replace);
            self.resized = true;
        }
        "replace the session"
    }

    fn resize(&mut self) -> &'static str {
        let storm = if self.random.u8(..4) == 0 { 8 } else { 1 };
        for _ in 0..storm {
            let mut next = self.shape.size(&mut self.random);
            if self.shape.multiplexer {
                next.width = self.size.width;
            }
            self.terminal.resize(next);
            // The terminal has its new size before anybody tells us.
            if self.random.bool() && !self.shape.multiplexer {
                self.document.ticks += 1;
                let laid = self.document.lay_out(self.size.width);
                let view = View { rows: &laid.rows, seam: laid.seam, cursor: laid.cursor, covers: &[] };
                let late = self.renderer.paint(&view, self.size);
                self.terminal.feed(&late.bytes);
            }
            self.renderer.resized(next);
            self.resized = true;
            self.size = next;
        }
        "resize"
    }

    fn show(&mut self, done: &str) {
        let laid = self.document.lay_out(self.size.width);
        let covers = self.document.covers();
        let before = self.terminal.history_len();
        let painted = {
            let view = View { rows: &laid.rows, seam: laid.seam, cursor: laid.cursor, covers: &covers };
            self.renderer.paint(&view, self.size)
        };
        if self.loud {
            let _ = writeln!(std::io::stderr(), "{done}: {:?} {}", self.size, painted.describe());
        }
        discipline::check(&painted, self.size.height, self.shape.synchronized, self.shape.multiplexer);
        let resized = std::mem::take(&mut self.resized);
        let reads = !resized && painted.intent != Intent::FullPaint && self.random.u8(..3) == 0;
        let read = if reads { self.terminal.scroll_and_read() } else { None };
        self.terminal.feed(&painted.bytes);
        if let Some(read) = read {
            // The rows that were seen are still there, as they were.
            assert_eq!(
                self.terminal.read_on()[..read.len().min(self.size.height)],
                read,
                "what a reader sees"
            );
        }
        if self.shape.multiplexer && resized && painted.intent != Intent::FullPaint {
            self.after_multiplexer_resize(&laid.rows);
        } else {
            if resized {
                self.shadow.clear();
            }
            let expected = self.shadow.frame(&laid, self.size, !covers.is_empty());
            if resized {
                // Clearing the screen for the first time may push what was on it into history.
                self.before_us = self.terminal.history_len().saturating_sub(expected.entered);
                assert!(self.before_us == 0 || done == "start", "history before us");
            }
            self.check(&expected, if resized { self.before_us } else { before }, &laid, covers.is_empty());
        }
    }

    fn check(&mut self, expected: &Expected, before: usize, laid: &super::document::Laid, whole: bool) {
        let history = self.terminal.history_len();
        assert_eq!(history, self.before_us + self.shadow.tape.len(), "rows in history");
        assert_eq!(history, before + expected.entered, "rows that scrolled");
        let rows = self.shadow.tape.len();
        for row in rows.saturating_sub(expected.entered + 3)..rows {
            let shown = self.terminal.row(self.before_us + row);
            let Some(line) = &self.shadow.tape[row] else { continue };
            assert!(shows(line, &shown), "history {row}: {:?} is {:?}", line.text(), text(&shown));
        }
        let cover = self.document.covers();
        for (row, (line, shown)) in expected.window.iter().zip(self.terminal.screen()).enumerate() {
            let over = cover.first().and_then(|cover| cover.rows.get(row.checked_sub(1)?));
            let line = match over {
                Some(over) => line.overlaid(over, 4.min(self.size.width), self.size.width),
                None => line.clone(),
            };
            assert!(shows(&line, &shown), "screen {row}: {:?} is {:?}", line.text(), text(&shown));
            self.background(&line, row);
            self.ink(&line, row);
        }
        if whole {
            self.cursor(laid);
        }
    }

    /// Exactly the cells that should have a background have one.
    fn background(&self, line: &Line, row: usize) {
        let mut lit = vec![false; self.size.width];
        let mut doubtful = vec![false; self.size.width];
        for cell in line.cells() {
            for column in cell.column..(cell.column + cell.width).min(self.size.width) {
                lit[column] = cell.style.background != Color::Default;
                doubtful[column] = cell.contested;
            }
        }
        for column in (0..self.size.width).filter(|&column| !doubtful[column]) {
            assert_eq!(self.terminal.is_lit(row, column), lit[column], "background of {row},{column}");
        }
    }

    /// Every character has its own colour, not one that was left over.
    fn ink(&self, line: &Line, row: usize) {
        for cell in line.cells().filter(|cell| !cell.contested && cell.column < self.size.width) {
            let color = if let Color::Indexed(number) = cell.style.foreground { Some(number) } else { None };
            let wanted = (color, cell.style.attributes.contains(Attributes::DIM));
            let blank = cell.text.trim().is_empty();
            assert!(
                blank || self.terminal.ink(row, cell.column) == wanted,
                "colour of {row},{}: {:?} for {wanted:?}",
                cell.column,
                self.terminal.ink(row, cell.column)
            );
        }
    }

    /// The cursor is where the frame wants it, or at the end of the content.
    fn cursor(&mut self, laid: &super::document::Laid) {
        let bottom = laid.rows.len().saturating_sub(self.shadow.top).clamp(1, self.size.height) - 1;
        let wanted = laid.cursor.filter(|cursor| cursor.row >= self.shadow.top);
        let (row, column) = match wanted {
            Some(cursor) => {
                let row = (cursor.row - self.shadow.top).min(self.size.height - 1);
                (row, cursor.column.min(self.size.width - 1))
            }
            None => (bottom, 0),
        };
        let found = self.terminal.cursor();
        assert_eq!((found.row, found.column), (row, column), "cursor");
    }

    /// Inside a multiplexer nothing can be rebuilt. The screen must be right, and no row may be missing before it.
    fn after_multiplexer_resize(&mut self, rows: &[Line]) {
        let ledger = self.renderer.ledger();
        let history = self.terminal.history();
        self.before_us = 0;
        self.shadow.adopt(rows, ledger.committed, history.len());
        let mut at = 0;
        for row in &rows[..ledger.committed] {
            let found = history[at..].iter().position(|shown| shows(row, shown));
            let Some(found) = found else {
                panic!(
                    "{} is missing in {:?}",
                    row.text(),
                    history.iter().map(|row| text(row)).collect::<Vec<_>>()
                );
            };
            at += found + 1;
            self.shadow.tape[at - 1] = Some(row.slice(0, self.size.width));
        }
    }

    fn whole_history(&mut self) {
        for (row, line) in self.shadow.tape.iter().enumerate() {
            let Some(line) = line else { continue };
            let shown = self.terminal.row(self.before_us + row);
            assert!(shows(line, &shown), "history {row}: {:?} is {:?}", line.text(), text(&shown));
        }
    }
}

fn seeds(default: u64) -> (std::ops::Range<u64>, bool) {
    let number = |name| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    match number("OMP_TUI_SEED") {
        Some(seed) => (seed..seed + 1, true),
        None => (0..number("OMP_TUI_SEEDS").unwrap_or(default), false),
    }
}

fn stress(shape: Shape) {
    let (seeds, loud) = seeds(60);
    for seed in seeds {
        let run = std::panic::AssertUnwindSafe(|| Run::new(seed, shape, loud).run());
        if let Err(panic) = std::panic::catch_unwind(run) {
            let _ = writeln!(std::io::stderr(), "{shape:?} fails; run it again with OMP_TUI_SEED={seed}");
            std::panic::resume_unwind(panic);
        }
    }
}

macro_rules! shapes {
    ($($name:ident: $alacritty:literal $multiplexer:literal $synchronized:literal;)*) => {
        $(
            /// proves: TUI-002, TUI-016, TUI-023, TUI-090, TUI-151, TUI-152
            #[test]
            fn $name() {
                stress(Shape { alacritty: $alacritty, multiplexer: $multiplexer, synchronized: $synchronized });
            }
        )*
    };
}

shapes! {
    alacritty_direct: true false true;
    alacritty_direct_unsynchronized: true false false;
    alacritty_multiplexer: true true false;
    alacritty_multiplexer_synchronized: true true true;
    vt100_direct: false false false;
    vt100_direct_synchronized: false false true;
    vt100_multiplexer: false true false;
}
