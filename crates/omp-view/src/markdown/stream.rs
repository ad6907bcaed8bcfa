//! Markdown that is still being written.

use omp_tui::text::{Line, Style};

use super::block::Rendered;
use super::cuts::{Around, Cut, ListPlace};
use super::fence::{self, Fence};
use super::open_code::{OpenCode, Redrawn};
use super::unfinished::closed;
use super::{Definitions, block, cuts};
use crate::Look;
use crate::code::without_end;
use crate::look::behind;

/// A block that grows beyond this is cut, so that the part that is drawn again and again stays small. A cut falls
/// behind a line, or behind a word, or in the middle of what is neither.
const MAX_BLOCK: usize = 32 * 1024;

/// Text is taken in such pieces.
const PIECE: usize = 16 * 1024;

/// Takes text as it arrives and turns it into rows.
///
/// Rows of blocks that are over are [settled](Self::settled): more text does not change them. The block at the
/// end is redrawn whenever it is asked for; within a fence that is at most its last line, and every line before has its
/// words for good, while its colours may become better until the fence is closed. The work for a piece of
/// text grows with the block it falls into, not with what came before.
#[derive(Debug)]
pub struct MarkdownStream {
    look: Look,
    base: Style,
    /// What stands before every row.
    gutter: Line,
    rows: Vec<Line>,
    /// Text from the start of the block that is not over.
    open: String,
    /// The lists around it.
    around: Around,
    /// How much of `open` was looked at for blocks that are over.
    seen: usize,
    code: Option<OpenCode>,
    known: Definitions,
    blocks: usize,
    tail: Option<Tail>,
}

/// The rows of what is not over.
#[derive(Debug, Default)]
struct Tail {
    rows: Vec<Line>,
    /// How many of them are final all the same.
    kept: usize,
}

impl MarkdownStream {
    /// An empty text whose plain words will have the style `base`.
    pub fn new(look: Look, base: Style) -> Self {
        Self {
            look,
            base,
            gutter: Line::new(),
            rows: Vec::new(),
            open: String::new(),
            around: Around::default(),
            seen: 0,
            code: None,
            known: Definitions::default(),
            blocks: 0,
            tail: None,
        }
    }

    /// The same with something before every row, for which the look must leave room.
    #[must_use]
    pub fn behind(mut self, gutter: Line) -> Self {
        self.gutter = gutter;
        self
    }

    /// Takes more text.
    pub fn push(&mut self, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE));
            rest = after;
            self.open.push_str(piece);
            self.advance();
        }
        if !text.is_empty() {
            self.tail = None;
        }
    }

    /// Says that no more text comes: everything is settled.
    pub fn finish(&mut self) {
        self.advance();
        if let Some(mut code) = self.code.take() {
            let last = std::mem::take(&mut self.open);
            if !code.closes(&last) {
                code.take(&last);
            }
            self.close_code(&code);
        }
        let last = std::mem::take(&mut self.open);
        self.seen = 0;
        let mut begin = 0;
        for cut in cuts::find(&self.around.scaffold, &last) {
            self.settle_to(&last[begin..cut.at], &cut);
            begin = cut.at;
        }
        self.settle(&last[begin..]);
        self.around = Around::default();
        self.tail = None;
    }

    /// The rows whose words are final.
    pub fn settled(&self) -> &[Line] {
        &self.rows
    }

    /// The rows of what is not over yet, drawn as it will probably look: bold words and code that are open are shown as
    /// such.
    pub fn tail(&mut self) -> &[Line] {
        &self.drawn_tail().rows
    }

    /// How many rows are final, from the first one: those that are settled, and those of the tail that nothing can change.
    pub fn final_rows(&mut self) -> usize {
        self.rows.len() + self.drawn_tail().kept
    }

    fn drawn_tail(&mut self) -> &Tail {
        let tail = match self.tail.take() {
            Some(tail) => tail,
            None => self.draw_tail(),
        };
        self.tail.insert(tail)
    }

    /// Settled rows and tail.
    pub fn rows(&mut self) -> Vec<Line> {
        let mut rows = self.rows.clone();
        rows.extend_from_slice(self.tail());
        rows
    }

    /// The settled rows, taken out.
    pub fn into_rows(self) -> Vec<Line> {
        self.rows
    }

    /// How many blocks were drawn so far, those of the tail included: what a test of the work counts.
    pub fn blocks_drawn(&self) -> usize {
        self.blocks
    }

    /// How many bytes of text will be looked at again: bounded, whatever the text.
    pub fn open_bytes(&self) -> usize {
        self.open.len()
    }

    /// Settles what can be settled.
    fn advance(&mut self) {
        loop {
            let before = self.open.len();
            match self.code.take() {
                Some(code) => self.advance_code(code),
                None => self.advance_blocks(),
            }
            if self.open.len() == before {
                return;
            }
        }
    }

    /// All blocks but the last are over. Whether the last line begins a block is known when it is complete.
    fn advance_blocks(&mut self) {
        if self.open_fence() {
            return;
        }
        let fresh = self.open[self.seen..].rfind('\n').map(|at| self.seen + at + 1);
        self.seen = fresh.unwrap_or(self.open.len());
        let over = fresh.map_or(0, |complete| self.settle_blocks(complete));
        match over {
            0 => self.cut_long(),
            over => {
                self.open.drain(..over);
                self.seen = 0;
            }
        }
    }

    /// Settles the blocks that end within `complete` bytes, up to a fence, which has a way of its own. Says how far.
    fn settle_blocks(&mut self, complete: usize) -> usize {
        let upto = complete.min(self.open.floor_char_boundary(MAX_BLOCK));
        let upto = self.open[..upto].rfind('\n').map_or(0, |at| at + 1);
        let mut cuts = cuts::find(&self.around.scaffold, &self.open[..upto]);
        cuts.pop_if(|last| may_define(&self.open[last.at..]));
        let mut over = 0;
        for cut in cuts {
            let text = self.open[over..cut.at].to_owned();
            self.settle_to(&text, &cut);
            over = cut.at;
            if cut.lists == 0
                && Fence::open(without_end(
                    self.open[over..].split_inclusive('\n').next().unwrap_or_default(),
                ))
                .is_some()
            {
                break;
            }
        }
        over
    }

    /// Cuts a block that does not end.
    fn cut_long(&mut self) {
        if self.open.len() <= MAX_BLOCK {
            return;
        }
        let most = self.open.floor_char_boundary(MAX_BLOCK);
        let head = &self.open[..most];
        let at = head.rfind('\n').or_else(|| head.rfind(' ')).map_or(most, |at| at + 1);
        let text: String = self.open.drain(..at).collect();
        self.seen = 0;
        self.settle(&text);
    }

    /// Enters a fence that stands at the start of the open text, in no list.
    fn open_fence(&mut self) -> bool {
        if !self.around.is_empty() {
            return false;
        }
        let blank = self.open.split_inclusive('\n').take_while(|line| line.trim().is_empty());
        let start: usize = blank.filter(|line| line.ends_with('\n')).map(str::len).sum();
        let Some(end) = self.open[start..].find('\n').map(|at| start + at + 1) else { return false };
        let Some(fence) = Fence::open(self.open[start..end].trim_end()) else { return false };
        self.open.drain(..end);
        self.seen = 0;
        self.blocks += 1;
        self.gap();
        self.put(vec![fence::top(&self.look, &fence.label)]);
        self.code = Some(OpenCode::new(fence, self.rows.len()));
        true
    }

    /// Takes complete lines of code, and pieces of lines without an end.
    fn advance_code(&mut self, mut code: OpenCode) {
        let open = std::mem::take(&mut self.open);
        let mut rest = open.as_str();
        while let Some(end) = code_end(rest) {
            let (line, after) = rest.split_at(end);
            rest = after;
            if code.closes(without_end(line)) {
                rest.clone_into(&mut self.open);
                return self.close_code(&code);
            }
            code.take(line);
        }
        rest.clone_into(&mut self.open);
        if let Some(redrawn) = code.draw(&self.look) {
            self.redraw(redrawn);
        }
        self.code = Some(code);
    }

    fn close_code(&mut self, code: &OpenCode) {
        let redrawn = code.close(&self.look);
        self.redraw(redrawn);
    }

    fn redraw(&mut self, redrawn: Redrawn) {
        self.blocks += 1;
        self.rows.truncate(redrawn.from.unwrap_or(self.rows.len()));
        self.put(redrawn.rows);
    }

    fn draw_tail(&mut self) -> Tail {
        let mut tail = Tail::default();
        match &self.code {
            Some(code) => tail.rows = code.tail(&self.look, &self.open),
            None if self.open.trim().is_empty() => {}
            None => {
                self.blocks += 1;
                let draw = |text: &str| block::render(&self.look, text, self.base, &self.known, &self.around);
                let complete = self.open.rfind('\n').map_or(0, |at| at + 1);
                let mut drawn = draw(&closed(&self.open));
                if drawn.table_ends.is_some() || self.open[complete..].trim_start().starts_with('|') {
                    let whole = draw(&self.open[..complete]);
                    // A row is drawn when it is complete. Until it is known how wide the columns are, the rows are shown
                    // as they are written: a cell that grows would move the whole table again and again.
                    match whole.table_ends.as_ref().map(Vec::is_empty) {
                        Some(true) => {
                            drawn = Rendered::default();
                            drawn.rows = as_written(&self.look, &self.open, self.base);
                        }
                        Some(false) => drawn = whole,
                        None => {}
                    }
                }
                let most = unresolved(&self.open[..complete]).saturating_sub(1);
                let ends = drawn.table_ends.unwrap_or_default();
                tail.kept = ends.iter().take(most).next_back().copied().unwrap_or(0);
                tail.rows = drawn.rows;
            }
        }
        let is_apart = self.code.is_none() && self.around.is_empty() && !self.rows.is_empty();
        if is_apart && !tail.rows.is_empty() {
            tail.rows.insert(0, Line::new());
            tail.kept += usize::from(tail.kept > 0);
        }
        tail.rows = tail.rows.iter().map(|row| behind(&self.gutter, row)).collect();
        tail
    }

    /// Draws a block for good, up to a cut.
    fn settle_to(&mut self, text: &str, cut: &Cut) {
        let mut places = self.settle(text);
        places.resize(cut.lists, ListPlace::default());
        self.around = Around { scaffold: cut.scaffold.clone(), places };
    }

    /// Draws a block for good, and says where its lists stand.
    fn settle(&mut self, text: &str) -> Vec<ListPlace> {
        if text.trim().is_empty() {
            return self.around.places.clone();
        }
        self.blocks += 1;
        let drawn = block::render(&self.look, text, self.base, &self.known, &self.around);
        for (label, address) in drawn.definitions.0 {
            self.known.add(&label, &address);
        }
        if !drawn.rows.is_empty() {
            if self.around.is_empty() {
                self.gap();
            }
            self.put(drawn.rows);
        }
        drawn.places
    }

    fn put(&mut self, rows: Vec<Line>) {
        match self.gutter.width() {
            0 => self.rows.extend(rows),
            _ => self.rows.extend(rows.iter().map(|row| behind(&self.gutter, row))),
        }
    }

    fn gap(&mut self) {
        if !self.rows.is_empty() {
            self.put(vec![Line::new()]);
        }
    }
}

/// Where the first line of code ends: behind its end, or where it is too long to wait for that.
fn code_end(text: &str) -> Option<usize> {
    let most = text.floor_char_boundary(PIECE);
    match text[..most].find('\n') {
        Some(at) => Some(at + 1),
        None => (text.len() > most).then_some(most),
    }
}

/// Lines as they are written.
fn as_written(look: &Look, text: &str, style: Style) -> Vec<Line> {
    text.trim().lines().flat_map(|line| Line::styled(style, line).wrap(look.width, 2)).collect()
}

/// The first line, counted from 0, with a link whose address may still be defined below; or the number of lines.
fn unresolved(text: &str) -> usize {
    let is_open = |line: &str| line.match_indices(']').any(|(at, _)| !line[at + 1..].starts_with('('));
    text.lines().position(is_open).unwrap_or_else(|| text.lines().count())
}

/// Whether a last block may still turn out to be a link definition, or the rest of one: then it would belong to the block
/// before.
fn may_define(block: &str) -> bool {
    let marks = |one: char| matches!(one, ' ' | '-' | '*' | '+' | '.' | ')') || one.is_ascii_digit();
    block.trim_start_matches(marks).starts_with(['[', '"', '\'', '('])
}
