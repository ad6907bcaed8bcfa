//! Markdown that is still being written.

use omp_tui::text::{Line, Style};
use pulldown_cmark::{Event, Parser};

use super::fence::{self, Fence};
use super::open_code::{OpenCode, Redrawn};
use super::unfinished::closed;
use super::{Definitions, block, options};
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
/// end is drawn anew whenever it is asked for; within a fence that is at most its last line, and every line before has its
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
    /// How much of `open` was looked at for blocks that are over.
    seen: usize,
    code: Option<OpenCode>,
    known: Definitions,
    blocks: usize,
    tail: Option<Vec<Line>>,
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
        for piece in starts(&last).windows(2) {
            self.settle(&last[piece[0]..piece[1]]);
        }
        self.tail = None;
    }

    /// The rows whose words are final.
    pub fn settled(&self) -> &[Line] {
        &self.rows
    }

    /// The rows of what is not over yet, drawn as it will probably look: bold words and code that are open are shown as
    /// such.
    pub fn tail(&mut self) -> &[Line] {
        if self.tail.is_none() {
            let rows = self.draw_tail();
            self.tail = Some(rows);
        }
        self.tail.as_deref().unwrap_or_default()
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
        let mut starts = starts(&self.open[..upto]);
        if starts.len() > 2 && may_define(&self.open[starts[starts.len() - 2]..]) {
            starts.remove(starts.len() - 2);
        }
        let mut over = 0;
        for piece in starts[..starts.len() - 1].windows(2) {
            let text = self.open[piece[0]..piece[1]].to_owned();
            self.settle(&text);
            over = piece[1];
            if Fence::open(without_end(self.open[over..].split_inclusive('\n').next().unwrap_or_default()))
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

    /// Enters a fence that stands at the start of the open text.
    fn open_fence(&mut self) -> bool {
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

    fn draw_tail(&mut self) -> Vec<Line> {
        let mut rows = match &self.code {
            Some(code) => code.tail(&self.look, &self.open),
            None if self.open.trim().is_empty() => Vec::new(),
            None => {
                self.blocks += 1;
                block::render(&self.look, &closed(&self.open), self.base, &self.known).0
            }
        };
        if self.code.is_none() && !self.rows.is_empty() && !rows.is_empty() {
            rows.insert(0, Line::new());
        }
        rows.iter().map(|row| behind(&self.gutter, row)).collect()
    }

    /// Draws a block for good.
    fn settle(&mut self, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        self.blocks += 1;
        let (rows, definitions) = block::render(&self.look, text, self.base, &self.known);
        for (label, address) in definitions.0 {
            self.known.add(&label, &address);
        }
        if !rows.is_empty() {
            self.gap();
            self.put(rows);
        }
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

/// Whether a last block may still turn out to be a link definition, or the rest of one: then it would belong to the block
/// before.
fn may_define(block: &str) -> bool {
    block.trim_start_matches(' ').starts_with(['[', '"', '\'', '('])
}

/// Where the outermost blocks of a text begin, each at the start of a line, and the end of the text. The first begins at
/// 0. Link definitions are no blocks; they belong to the one before.
fn starts(text: &str) -> Vec<usize> {
    let mut starts = vec![0];
    let mut depth = 0usize;
    for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
        let begins = depth == 0 && matches!(event, Event::Start(_) | Event::Rule);
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        if begins {
            let line = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
            let is_new = starts.last().is_some_and(|last| line > *last);
            if is_new && !text[..line].trim().is_empty() {
                starts.push(line);
            }
        }
    }
    starts.push(text.len());
    starts
}
