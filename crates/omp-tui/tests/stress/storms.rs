//! Storms of sizes: nothing that was said is lost, and nothing is there twice.
//!
//! Everything that is said is a number in brackets. Terminals break rows wherever the width ends, and blanks and lines around
//! tables are not text, so the numbers are read from all rows with those left out. What stood on the screen without being
//! final when the size changed may be there twice: a terminal that wraps its rows anew pushes it into history by itself.

use std::collections::BTreeSet;
use std::io::Write as _;

use omp_tui::ledger::Seam;
use omp_tui::render::{Gesture, Part, Position, Profile, Renderer, Rows, Size, View};
use omp_tui::text::{Color, Line, Style};

use super::emulator::{Alacritty, Emulator, Vt100, text};

/// One conversation: blocks of numbers, the last of which may grow.
#[derive(Default)]
struct Talk {
    blocks: Vec<Block>,
    said: usize,
    is_live: bool,
}

struct Block {
    numbers: Vec<usize>,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Prose,
    Table,
    /// Cut at the width, with a word about it: another width shows more or less of it.
    Cut,
}

struct Frame {
    rows: Vec<Line>,
    starts: Vec<usize>,
    seam: Seam,
    cursor: Position,
}

impl Rows for Frame {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn row(&self, index: usize) -> Line {
        self.rows[index].clone()
    }

    fn part(&self, index: usize) -> (Part, usize) {
        let block = self.starts.partition_point(|start| *start <= index).saturating_sub(1);
        (Part { lane: 0, block }, self.starts[block])
    }

    fn part_start(&self, part: Part) -> Option<usize> {
        self.starts.get(part.block).copied()
    }
}

impl Talk {
    fn say(&mut self, random: &mut fastrand::Rng) {
        let kind = match random.u8(..10) {
            0..2 => Kind::Table,
            2 => Kind::Cut,
            _ => Kind::Prose,
        };
        self.blocks.push(Block { numbers: Vec::new(), kind });
        for _ in 0..random.usize(1..40) {
            self.more();
        }
        self.is_live = random.u8(..3) == 0;
    }

    fn more(&mut self) {
        let number = self.said;
        if let Some(block) = self.blocks.last_mut() {
            block.numbers.push(number);
            self.said += 1;
        }
    }

    fn frame(&self, width: usize, tick: usize) -> Frame {
        let mut rows = Vec::new();
        let mut starts = Vec::new();
        let mut seam = Seam::default();
        for (index, block) in self.blocks.iter().enumerate() {
            starts.push(rows.len());
            if self.is_live && index + 1 == self.blocks.len() {
                seam.live_start = Some(rows.len());
            }
            rows.push(Line::new());
            rows.extend(block.rows(width));
            if seam.live_start.is_some() {
                seam.commit_safe_end = Some(rows.len() - 1);
            }
        }
        seam.live_start.get_or_insert(rows.len());
        starts.push(rows.len());
        let edge = "─".repeat(width);
        let below = ["", &format!("│ {}", "▒".repeat(tick % 5)), &edge, "│ ", &edge];
        rows.extend(below.map(Line::plain));
        let cursor = Position { row: rows.len() - 2, column: 2 };
        Frame { rows, starts, seam, cursor }
    }
}

impl Block {
    fn rows(&self, width: usize) -> Vec<Line> {
        let style = Style::PLAIN.foreground(Color::Indexed(self.numbers.first().map_or(0, |one| *one as u8)));
        let words = |numbers: &[usize]| numbers.iter().map(|one| format!("<{one}>")).collect::<Vec<_>>();
        match self.kind {
            Kind::Prose => Line::styled(style, &words(&self.numbers).join(" ")).wrap(width, 0),
            Kind::Table => {
                let rows = self.numbers.chunks(2).map(|row| format!("│ {} │", words(row).join(" │ ")));
                rows.map(|row| Line::plain(&row)).collect()
            }
            Kind::Cut => {
                let mut rows = vec![Line::plain(&"x".repeat(200)).slice(0, width.saturating_sub(1))];
                rows.extend(Line::styled(style, &words(&self.numbers).join(" ")).wrap(width, 0));
                rows
            }
        }
    }
}

/// The numbers in rows of a terminal, in their order.
fn numbers(tape: &[String]) -> Vec<usize> {
    let all: String = tape.concat();
    let text: String = all.chars().filter(|one| one.is_ascii_digit() || matches!(one, '<' | '>')).collect();
    text.split('<').filter_map(|word| word.strip_suffix('>')?.parse().ok()).collect()
}

#[derive(Clone, Copy, Debug)]
struct Shape {
    alacritty: bool,
    multiplexer: bool,
}

struct Storm {
    random: fastrand::Rng,
    talk: Talk,
    renderer: Renderer,
    terminal: Box<dyn Emulator>,
    size: Size,
    shape: Shape,
    ticks: usize,
    /// Numbers that may be there twice.
    stale: BTreeSet<usize>,
}

impl Storm {
    fn new(seed: u64, shape: Shape) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let size = Self::size(&mut random);
        let profile = Profile {
            multiplexer: shape.multiplexer,
            wraps_anew: shape.alacritty,
            synchronized: random.bool(),
            ..Profile::default()
        };
        let terminal: Box<dyn Emulator> = match shape.alacritty {
            true => Box::new(Alacritty::new(size)),
            false => Box::new(Vt100::new(size)),
        };
        let renderer = Renderer::new(profile);
        let (talk, stale) = (Talk::default(), BTreeSet::new());
        Self { random, talk, renderer, terminal, size, shape, ticks: 0, stale }
    }

    fn size(random: &mut fastrand::Rng) -> Size {
        Size { width: random.usize(16..110), height: random.usize(7..40) }
    }

    fn run(&mut self) {
        self.talk.say(&mut self.random);
        self.paint();
        for _ in 0..self.random.usize(4..14) {
            match self.random.u8(..10) {
                0..3 => self.talk.say(&mut self.random),
                3..6 => {
                    // What is final does not grow.
                    if !self.talk.is_live {
                        self.talk.say(&mut self.random);
                        self.talk.is_live = true;
                    }
                    for _ in 0..self.random.usize(1..30) {
                        self.talk.more();
                        self.ticks += 1;
                        self.paint();
                    }
                }
                6 => self.talk.is_live = false,
                _ => {
                    self.storm();
                    self.paint();
                    self.check("after a storm");
                }
            }
            self.paint();
        }
        self.check("at the end");
        // Ctrl+L mends the screen, whatever has been written over it.
        self.terminal.feed(b"\x1b7\x1b[2;1Hgarbage\x1b[K\x1b[4;3Hmore garbage\x1b8");
        self.renderer.gesture(Gesture::Reset);
        self.paint();
        self.check("after a reset");
        let top = self.renderer.ledger().top;
        let frame = self.talk.frame(self.size.width, self.ticks);
        let shown: Vec<String> = self.terminal.screen().iter().map(|row| text(row)).collect();
        for (row, line) in frame.rows[top..].iter().take(self.size.height).enumerate().skip(1) {
            assert_eq!(shown[row], line.clamp(self.size.width).text().trim_end(), "row {row} after a reset");
        }
    }

    fn storm(&mut self) {
        let frame = self.talk.frame(self.size.width, self.ticks);
        let live = frame.seam.boundary(frame.rows.len());
        let texts: Vec<String> = frame.rows[live..].iter().map(Line::text).collect();
        self.stale.extend(numbers(&texts));
        for _ in 0..self.random.usize(1..40) {
            self.size = Self::size(&mut self.random);
            self.terminal.resize(self.size);
            self.renderer.resized(self.size);
            // The answer goes on while the window is dragged.
            if self.talk.is_live && self.random.u8(..4) == 0 {
                self.talk.more();
            }
        }
        let at = self.terminal.cursor().row;
        let row = self.terminal.history_len() + at;
        if !text(&self.terminal.row(row)).starts_with('│') {
            // Alacritty has lost the row of its cursor. What it says is wrong by a row or two then.
            let shown = frame.rows.iter().skip(self.renderer.ledger().committed).map(Line::text);
            self.stale.extend(numbers(&shown.collect::<Vec<_>>()));
        }
        if self.renderer.wants_cursor() {
            self.renderer.cursor_found(self.terminal.cursor().row);
        }
    }

    fn paint(&mut self) {
        let frame = self.talk.frame(self.size.width, self.ticks);
        let view = View { rows: &frame, seam: frame.seam, cursor: Some(frame.cursor), covers: &[] };
        let painted = self.renderer.paint(&view, self.size);
        self.terminal.feed(&painted.bytes);
    }

    fn check(&mut self, when: &str) {
        let found = numbers(&self.terminal.tape());
        let mut times = vec![0usize; self.talk.said];
        // A number of which a stale row shows half is none.
        found.iter().for_each(|number| times.get_mut(*number).into_iter().for_each(|times| *times += 1));
        let ledger = self.renderer.ledger();
        // Rows that are neither final nor on the screen are nowhere yet.
        let frame = self.talk.frame(self.size.width, self.ticks);
        let hidden =
            numbers(&frame.rows[ledger.committed..ledger.top].iter().map(Line::text).collect::<Vec<_>>());
        for (number, times) in times.iter().enumerate() {
            assert!(*times > 0 || hidden.contains(&number), "{when}: {number} is lost: {found:?}");
            let most = if self.shape.multiplexer && self.stale.contains(&number) { usize::MAX } else { 1 };
            assert!(*times <= most, "{when}: {number} is there {times} times: {found:?}");
        }
        if !self.shape.multiplexer || self.stale.is_empty() {
            assert!(found.is_sorted(), "{when}: {found:?}");
        }
    }
}

/// So many seeds, or those that `OMP_TUI_SEED` and `OMP_TUI_SEEDS` say. All failures are counted before one is told.
fn storms(shape: Shape) {
    let number = |name| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let seeds = match number("OMP_TUI_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("OMP_TUI_SEEDS").unwrap_or(150),
    };
    let all = seeds.clone().count();
    let mut failed = Vec::new();
    for seed in seeds {
        let run = std::panic::AssertUnwindSafe(|| Storm::new(seed, shape).run());
        if std::panic::catch_unwind(run).is_err() {
            let _ = writeln!(std::io::stderr(), "{shape:?} fails; run it again with OMP_TUI_SEED={seed}");
            failed.push(seed);
        }
    }
    let _ = writeln!(std::io::stderr(), "{shape:?}: {} of {all} seeds fail", failed.len());
    assert!(failed.is_empty(), "seeds that fail: {failed:?}");
}

/// proves: TUI-090
#[test]
fn alacritty_direct() {
    storms(Shape { alacritty: true, multiplexer: false });
}

/// proves: TUI-090
#[test]
fn alacritty_multiplexer() {
    storms(Shape { alacritty: true, multiplexer: true });
}

/// proves: TUI-090
#[test]
fn vt100_direct() {
    storms(Shape { alacritty: false, multiplexer: false });
}
