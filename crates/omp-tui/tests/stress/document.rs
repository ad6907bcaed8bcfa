//! A conversation as far as the renderer can tell: blocks that are final, one that may still change, and rows below it
//! that always may.

use std::cell::RefCell;

use omp_tui::ledger::Seam;
use omp_tui::render::{Cover, Position};
use omp_tui::text::{Attributes, Color, Line, Style, parse_ansi};

/// Words that terminals, width tables and careless programs get wrong.
const TRICKY: &[&str] = &[
    "plain",
    "words",
    "of",
    "text",
    "日本語",
    "한국어",
    "e\u{301}te\u{301}",
    "שלום",
    "مرحبا",
    "ﷺ",
    "tab\there",
    "bell\x07",
    "\x1b[2Jcleared",
    "\x1b]0;title\x07",
    "\r",
    "──┼──",
    "Ω≈ç√",
    "x\u{200b}y",
    "\u{301}orphan",
    "a\u{308}\u{304}b",
    "𝒳",
];
/// Characters about whose width terminals disagree.
const CONTESTED: &[&str] = &["👩‍👩‍👧‍👦", "🇩🇪🇫🇷", "❤️", "👍🏽", "1️⃣", "🏳️‍🌈", "क्षि"];

pub(crate) struct Block {
    pub(crate) text: Vec<String>,
    color: u8,
    /// The rows at a width, with what they were made of.
    laid: RefCell<(usize, Vec<String>, Vec<Line>)>,
}

impl Block {
    fn rows(&self, width: usize) -> Vec<Line> {
        let mut laid = self.laid.borrow_mut();
        if laid.0 != width || laid.1 != self.text {
            let style = Style::PLAIN.foreground(Color::Indexed(self.color));
            let rows = self.text.iter().flat_map(|text| Line::styled(style, text).wrap(width, 2)).collect();
            *laid = (width, self.text.clone(), rows);
        }
        laid.2.clone()
    }
}

#[derive(Default)]
pub(crate) struct Document {
    pub(crate) blocks: Vec<Block>,
    /// Whether the last block may still change, and if so whether only at its end.
    pub(crate) live: Option<Growth>,
    pub(crate) chrome: usize,
    pub(crate) ticks: usize,
    pub(crate) cover: Option<usize>,
    pub(crate) cursor: bool,
    pub(crate) contested: bool,
    pub(crate) counter: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Growth {
    AppendOnly,
    Anywhere,
}

pub(crate) struct Laid {
    pub(crate) rows: Vec<Line>,
    pub(crate) seam: Seam,
    pub(crate) cursor: Option<Position>,
}

impl Document {
    pub(crate) fn words(&mut self, random: &mut fastrand::Rng, count: usize) -> String {
        // A number makes rows different from each other, so that a row shown twice is noticed.
        self.counter += 1;
        let mut text = format!("{}:", self.counter);
        for _ in 0..count {
            text.push(' ');
            let pool = if self.contested && random.u8(..) < 40 { CONTESTED } else { TRICKY };
            text.push_str(random.choice(pool).unwrap());
        }
        text
    }

    pub(crate) fn block(&mut self, random: &mut fastrand::Rng) {
        let lines = random.usize(1..6);
        let text = (0..lines).map(|_| {
            let words = random.usize(0..8);
            self.words(random, words)
        });
        let text = text.collect();
        self.blocks.push(Block { text, color: random.u8(..16), laid: RefCell::default() });
    }

    /// The rows at this width, and which of them are final.
    pub(crate) fn lay_out(&self, width: usize) -> Laid {
        let mut rows = Vec::new();
        let mut seam = Seam::default();
        for (index, block) in self.blocks.iter().enumerate() {
            let live = self.live.filter(|_| index + 1 == self.blocks.len());
            if live.is_some() {
                seam.live_start = Some(rows.len());
            }
            rows.extend(block.rows(width));
            if live == Some(Growth::AppendOnly) {
                seam.commit_safe_end = Some(rows.len().saturating_sub(1));
            }
            rows.push(Line::new());
        }
        seam.live_start.get_or_insert(rows.len());
        if seam.commit_safe_end.is_none() && self.live.is_none() {
            seam.live_start = Some(rows.len());
        }
        let editor = rows.len();
        for row in 0..self.chrome {
            let mut line =
                Line::styled(Style::PLAIN.with(Attributes::DIM), &format!("│ row {row} tick {}", self.ticks));
            line.push(Style::PLAIN.background(Color::Rgb(30, 30, 60)), "  ");
            rows.push(line);
        }
        let cursor = (self.cursor && self.chrome > 0).then_some(Position { row: editor, column: 3 });
        Laid { rows, seam, cursor }
    }

    pub(crate) fn covers(&self) -> Vec<Cover> {
        let Some(rows) = self.cover else { return Vec::new() };
        let rows =
            (0..rows).map(|row| parse_ansi(&format!("\x1b[44m overlay {row} \x1b[m")).remove(0)).collect();
        vec![Cover { at: Position { row: 1, column: 4 }, rows, cursor: None }]
    }
}
