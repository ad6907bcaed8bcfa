//! Markdown that is still being written.

use std::ops::Range;

use omp_syntax::Language;
use omp_tui::text::{Line, Style};
use pulldown_cmark::{Event, Parser};

use super::fence::{self, Fence};
use super::{Definitions, block, options};
use crate::Look;
use crate::code::without_end;

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
    rows: Vec<Line>,
    /// Text from the start of the block that is not over.
    open: String,
    /// How much of `open` was looked at for blocks that are over.
    seen: usize,
    fence: Option<Code>,
    known: Definitions,
    /// The block before was a link definition.
    defined: bool,
    blocks: usize,
    tail: Option<Vec<Line>>,
}

/// An open block of code.
#[derive(Debug)]
struct Code {
    fence: Fence,
    language: Option<Language>,
    text: String,
    /// The settled row at which the code begins.
    first: usize,
    /// How much of the text is drawn, and how much of that at the last time that all of it was.
    drawn: usize,
    drawn_whole: usize,
}

impl MarkdownStream {
    /// An empty text whose plain words will have the style `base`.
    pub fn new(look: Look, base: Style) -> Self {
        Self {
            look,
            base,
            rows: Vec::new(),
            open: String::new(),
            seen: 0,
            fence: None,
            known: Definitions::default(),
            defined: false,
            blocks: 0,
            tail: None,
        }
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
        if let Some(code) = &self.fence {
            let last = std::mem::take(&mut self.open);
            if !code.fence.closes(&last) {
                self.code_line(&last);
            }
            self.close_fence();
        }
        let last = std::mem::take(&mut self.open);
        for piece in starts(&last).windows(2) {
            self.settle(&last[piece[0]..piece[1]]);
        }
        self.tail = None;
    }

    /// The rows whose words are final.
    pub fn settled(&self) -> &[Line] {
        &self.rows
    }

    /// The rows of what is not over yet, drawn as if it ended here.
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
            match self.fence {
                Some(_) => self.advance_code(),
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
        let starts = starts(&self.open[..upto]);
        let mut over = 0;
        for piece in starts[..starts.len() - 1].windows(2) {
            let text = self.open[piece[0]..piece[1]].to_owned();
            self.settle(&text);
            over = piece[1];
            if Fence::open(without_end(self.open[over..].split_inclusive('\n').next().unwrap_or_default())).is_some() {
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
        self.defined = false;
        self.gap();
        self.rows.push(fence::top(&self.look, &fence.label));
        let language = Language::of_tag(&fence.label);
        let first = self.rows.len();
        self.fence = Some(Code { fence, language, text: String::new(), first, drawn: 0, drawn_whole: 0 });
        true
    }

    /// Takes complete lines of code, and pieces of lines without an end.
    fn advance_code(&mut self) {
        let open = std::mem::take(&mut self.open);
        let mut rest = open.as_str();
        while let Some(end) = code_end(rest) {
            let (line, after) = rest.split_at(end);
            rest = after;
            if self.fence.as_ref().is_some_and(|code| code.fence.closes(without_end(line))) {
                rest.clone_into(&mut self.open);
                return self.close_fence();
            }
            self.code_line(line);
        }
        rest.clone_into(&mut self.open);
        self.draw_code();
    }

    fn code_line(&mut self, line: &str) {
        let Some(code) = &mut self.fence else { return };
        let whole = if line.is_empty() || line.ends_with('\n') { "" } else { "\n" };
        code.text.push_str(code.fence.strip(line));
        code.text.push_str(whole);
    }

    /// Draws the lines that are new. Now and then, and always more rarely, all of them: then the colours know what came
    /// before.
    fn draw_code(&mut self) {
        let Some(code) = &mut self.fence else { return };
        if code.drawn == code.text.len() {
            return;
        }
        if code.text.len() >= code.drawn_whole + code.drawn_whole / 4 + 1_024 {
            self.rows.truncate(code.first);
            code.drawn = 0;
            code.drawn_whole = code.text.len();
        }
        self.blocks += 1;
        self.rows.extend(fence::body(&self.look, &code.text[code.drawn..], code.language));
        code.drawn = code.text.len();
    }

    fn close_fence(&mut self) {
        let Some(code) = self.fence.take() else { return };
        self.blocks += 1;
        self.rows.truncate(code.first);
        self.rows.extend(fence::body(&self.look, &code.text, code.language));
        self.rows.push(fence::bottom(&self.look));
    }

    fn draw_tail(&mut self) -> Vec<Line> {
        if let Some(code) = &self.fence {
            let rows = match code.fence.closes(&self.open) {
                true => Vec::new(),
                false => fence::body(&self.look, code.fence.strip(&self.open), code.language),
            };
            return rows.into_iter().chain([fence::bottom(&self.look)]).collect();
        }
        if self.open.trim().is_empty() {
            return Vec::new();
        }
        self.blocks += 1;
        let mut rows = block::render(&self.look, &self.open, self.base, &self.known).rows;
        if !self.rows.is_empty() && !rows.is_empty() {
            rows.insert(0, Line::new());
        }
        rows
    }

    /// Draws a block for good.
    fn settle(&mut self, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        self.blocks += 1;
        let piece = block::render(&self.look, text, self.base, &self.known);
        for (label, address) in piece.definitions.0 {
            self.known.add(&label, &address);
        }
        // Definitions stand below each other.
        let together = std::mem::replace(&mut self.defined, piece.only_defines) && piece.only_defines;
        if !piece.rows.is_empty() {
            if !together {
                self.gap();
            }
            self.rows.extend(piece.rows);
        }
    }

    fn gap(&mut self) {
        if !self.rows.is_empty() {
            self.rows.push(Line::new());
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

/// Where the outermost blocks of a text begin, and what stands between them (link definitions are no blocks), each at the
/// start of a line, and the end of the text. The first begins at 0.
fn starts(text: &str) -> Vec<usize> {
    let line_start = |at: usize| text[..at].rfind('\n').map_or(0, |end| end + 1);
    let mut starts = vec![0];
    let mut over = 0;
    let mut depth = 0usize;
    for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
        let begins = depth == 0 && matches!(event, Event::Start(_) | Event::Rule);
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        if begins {
            let start = line_start(range.start);
            starts.extend(between(text, over, start));
            starts.push(start);
            over = range.end;
        }
    }
    starts.extend(between(text, over, text.len()));
    starts.push(text.len());
    // What is before the first start belongs to it if it is blank.
    let first = starts.iter().position(|start| *start > 0 && !text[..*start].trim().is_empty());
    let mut kept = vec![0];
    kept.extend(&starts[first.unwrap_or(starts.len() - 1)..]);
    kept.dedup();
    if kept.len() == 1 {
        kept.push(text.len());
    }
    kept
}

/// Where the words between two blocks begin.
fn between(text: &str, over: usize, start: usize) -> Option<usize> {
    let gap = text.get(over..start)?;
    let at = over + gap.find(|character: char| !character.is_whitespace())?;
    Some(text[..at].rfind('\n').map_or(0, |end| end + 1))
}
