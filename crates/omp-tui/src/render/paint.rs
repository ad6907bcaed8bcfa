//! The renderer itself: classifies a frame and chooses the one way to write it.

use crate::ledger::{Advance, Ledger, Outlook};
use crate::text::{Color, Line};

use super::audit::History;
use super::frame::{Gesture, Intent, Painted, Part, Position, Profile, Rows, Size, View};
use super::output::{Cursor, Output};
use super::reflow::{Moved, Window};
use super::resize::Drift;
use super::{audit, cursor, diff, shift};

/// Turns frames into bytes and remembers what the terminal shows.
#[derive(Debug)]
pub struct Renderer {
    profile: Profile,
    size: Size,
    ledger: Ledger,
    history: History,
    screen: Vec<Line>,
    cursor: Cursor,
    /// The colour of text that the terminal was left with.
    ink: Color,
    boundary: usize,
    drift: Drift,
    /// The row in which the terminal says its cursor is, since the last new size.
    found: Option<usize>,
    /// The part of the frame with the first row that is not in history, and where that part began.
    anchor: (Part, usize),
    /// How much of that row is in history: columns, and characters that count.
    begun: (usize, u64),
    /// That part of the row.
    begun_line: Option<Line>,
    /// The columns in history of the line that the first row of the screen ends, as the terminal sees it.
    lead: usize,
    gesture: Option<Gesture>,
    prelude: Vec<u8>,
}

/// Whether the window is written whole, or only what changed in it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whole {
    Yes,
    No,
}

impl Renderer {
    /// A renderer whose first frame takes the screen over.
    pub fn new(profile: Profile) -> Self {
        Self {
            profile,
            size: Size::default(),
            ledger: Ledger::default(),
            history: History::default(),
            screen: Vec::new(),
            cursor: Cursor::default(),
            ink: Color::Default,
            boundary: 0,
            drift: Drift::default(),
            found: None,
            anchor: (Part::default(), 0),
            begun: (0, 0),
            begun_line: None,
            lead: 0,
            gesture: Some(Gesture::Start),
            prelude: Vec::new(),
        }
    }

    /// What the terminal turned out to be able to do.
    pub fn set_profile(&mut self, profile: Profile) {
        self.profile = profile;
    }

    /// What the terminal can do.
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// The next frame answers a gesture of the user and may do more than an ordinary one.
    pub fn gesture(&mut self, gesture: Gesture) {
        self.gesture = Some(gesture);
    }

    /// The terminal has another size. To be told of each one that is heard of, before the frame for the last: what happens
    /// in between moves rows, too, and the last may be the same as the first.
    pub fn resized(&mut self, size: Size) {
        if self.profile.multiplexer {
            self.drift.resize(size.height.max(1));
        }
        self.found = None;
        self.gesture.get_or_insert(Gesture::Resize);
    }

    /// Whether the next frame should wait until the terminal has said where its cursor is: its history cannot be rebuilt, so
    /// it must be known what of the window is there by now.
    pub fn wants_cursor(&self) -> bool {
        self.profile.multiplexer && self.gesture == Some(Gesture::Resize) && self.found.is_none()
    }

    /// The terminal says that its cursor is in this row, counted from 0, since the last new size.
    pub fn cursor_found(&mut self, row: usize) {
        self.found = Some(row);
    }

    /// Bytes that neither show anything nor move the cursor, such as the data of a picture: written ahead of the next
    /// frame, once.
    pub fn ahead(&mut self, bytes: &[u8]) {
        self.prelude.extend_from_slice(bytes);
    }

    /// The ledger after the last frame.
    pub fn ledger(&self) -> Ledger {
        self.ledger
    }

    /// The bytes that make the terminal show `view`.
    pub fn paint(&mut self, view: &View<'_>, size: Size) -> Painted {
        if size.width == 0 || size.height == 0 {
            return self.painted(Vec::new(), Intent::Nothing, self.ledger.committed);
        }
        match self.gesture.take() {
            Some(gesture @ (Gesture::Start | Gesture::Resume | Gesture::Replace)) => {
                self.take_over(view, size, gesture)
            }
            Some(Gesture::Repaint) if size == self.size => self.update(view, Whole::Yes),
            None if size == self.size => self.update(view, Whole::No),
            _ if self.profile.multiplexer => self.in_multiplexer(view, size),
            _ => self.take_over(view, size, Gesture::Replace),
        }
    }

    /// The bytes that end the interface: every row of `view` that is in neither history nor on the screen is written,
    /// and the cursor is left below the last row, visible.
    pub fn finish(&mut self, view: &View<'_>, size: Size) -> Painted {
        let last = View { rows: view.rows, seam: crate::ledger::Seam::default(), cursor: None, covers: &[] };
        let mut painted = self.paint(&last, size);
        let bottom = self.content_bottom(&last);
        let mut out = Output::new(&self.profile, self.size, self.cursor, self.ink);
        out.move_to(Position { row: bottom, column: 0 });
        out.next_row();
        out.plain();
        out.show_cursor(true);
        (self.cursor, self.ink) = (out.cursor, out.ink());
        painted.bytes.extend_from_slice(&out.bytes);
        painted
    }

    /// Writes everything on a screen of our own.
    fn take_over(&mut self, view: &View<'_>, size: Size, gesture: Gesture) -> Painted {
        self.size = size;
        let outlook = self.outlook(view);
        let keep = gesture == Gesture::Resume;
        if !keep {
            self.ledger = Ledger::default();
            self.history.clear();
            self.begun = (0, 0);
            self.lead = 0;
        }
        let advance = self.ledger.advance(outlook);
        let from = self.ledger.committed;
        let mut out = Output::new(&self.profile, size, Cursor::default(), self.ink);
        // Somebody else may have had the terminal.
        out.plain();
        out.raw(&std::mem::take(&mut self.prelude));
        out.home(match gesture {
            Gesture::Replace if !self.profile.multiplexer => b"\x1b[2J\x1b[H\x1b[3J",
            Gesture::Start | Gesture::Resume if self.profile.screen_to_history => b"\x1b[22J\x1b[2J\x1b[H",
            _ => b"\x1b[2J\x1b[H",
        });
        let window = self.window(view, advance.ledger.top);
        let shown = (outlook.rows - advance.ledger.top).min(size.height);
        let shown = if view.covers.is_empty() { shown } else { size.height };
        let mut first = true;
        for row in advance.chunk.clone() {
            self.separate(&mut out, &mut first);
            out.whole_row(&self.prepare(&self.row(view.rows, row)));
        }
        for line in &window[..shown] {
            self.separate(&mut out, &mut first);
            out.whole_row(line);
        }
        self.commit(view.rows, &advance);
        self.screen = window;
        self.conclude(out, view, Intent::FullPaint, from)
    }

    fn separate(&self, out: &mut Output, first: &mut bool) {
        if !std::mem::take(first) {
            out.next_row();
        }
    }

    /// A new size inside a multiplexer, or a clean screen there: the window is written in place, nothing is erased.
    fn in_multiplexer(&mut self, view: &View<'_>, size: Size) -> Painted {
        let row = self.found.take().map(|row| row.min(size.height - 1));
        let wraps = self.profile.wraps_anew && row.is_some();
        let column = self.cursor.column.unwrap_or(self.size.width);
        let window = Window {
            rows: &self.screen,
            lead: if wraps { self.lead } else { 0 },
            cursor: Position { row: self.cursor.row, column },
            wraps,
        };
        let moved = match row {
            Some(row) => window.moved(row, size.width),
            None => {
                let mut drift = self.drift;
                drift.resize(size.height);
                let (back, pushed) = drift.moved();
                window.pushed(back, pushed, size.width)
            }
        };
        self.find_place(view, size.width, moved, row.is_some());
        self.size = size;
        let from = self.ledger.committed;
        let advance = self.ledger.advance(self.outlook(view));
        let cursor = Cursor { row: row.unwrap_or(0), column: None, shown: self.cursor.shown };
        let mut out = Output::new(&self.profile, size, cursor, self.ink);
        out.raw(&std::mem::take(&mut self.prelude));
        if row.is_some() && moved.back > 0 {
            // What came back from history returns there, since only the window below it is rewritten.
            out.move_to(Position { row: size.height - 1, column: 0 });
            (0..moved.back).for_each(|_| out.next_row());
        }
        out.home(b"\x1b[H");
        self.rewrite(&mut out, view, &advance);
        self.conclude(out, view, Intent::SeamRewrite, from)
    }

    /// Finds out what of the new frame is in history after the screen has moved. In doubt less: a row may be repeated, but
    /// not lost.
    fn find_place(&mut self, view: &View<'_>, width: usize, moved: Moved, is_certain: bool) {
        let before = self.ledger;
        let Moved { gone, column, .. } = moved;
        self.lead = moved.lead;
        // Only what was final and stood on the screen as it is counts as having entered history.
        let known = if before.top == before.committed { self.boundary.saturating_sub(before.top) } else { 0 };
        let rewrapped = width != self.size.width;
        let mut committed = before.committed + gone.min(known);
        if rewrapped {
            let (part, start) = self.anchor;
            let mut amount = self.history.amount(start.min(before.committed));
            let mut end = self.history.end();
            let mut enter = |line: &Line| {
                amount.add(audit::ink(line));
                end.extend(audit::inked(line));
            };
            if self.begun.1 > 0
                && let Some(line) = self.begun_line.take()
            {
                enter(&line);
            }
            self.screen.iter().take(gone.min(known)).for_each(&mut enter);
            let (gone, column) = if gone < known { (gone, column) } else { (known, 0) };
            let rest = self.screen.get(gone).filter(|_| column > 0);
            rest.into_iter().for_each(|line| enter(&line.slice(0, column)));
            let after = rest.map(|line| line.slice(column, line.width()));
            let after = after.iter().chain(self.screen.iter().skip(gone + usize::from(rest.is_some())));
            let after: Vec<char> = after.flat_map(audit::inked).collect();
            let start = view.rows.part_start(part).unwrap_or(0).min(view.rows.len());
            amount.ink = audit::ink_before(view.rows, start, &end, &after, amount.ink);
            let place = audit::place(view.rows, start, amount);
            committed = place.row;
            self.begun = match place.ink {
                0 => (0, 0),
                ink => audit::column_behind(&view.rows.row(place.row), ink).map_or((0, 0), |at| (at, ink)),
            };
            self.begun_line = (self.begun.0 > 0).then(|| view.rows.row(place.row).slice(0, self.begun.0));
        } else if gone > 0 {
            self.begun = (0, 0);
        }
        if !is_certain {
            committed = committed.saturating_sub(moved.back);
        }
        let final_rows = view.seam.boundary(view.rows.len());
        if committed > final_rows {
            // What still changes cannot have entered history.
            (committed, self.begun) = (final_rows, (0, 0));
        }
        self.ledger.committed = committed;
        self.history.assume(view.rows, self.ledger.committed);
    }

    /// A row of the frame, without what of it is in history.
    fn row(&self, rows: &dyn Rows, index: usize) -> Line {
        let row = rows.row(index);
        match self.begun.0 {
            column if column > 0 && index == self.ledger.committed => row.slice(column, row.width()),
            _ => row,
        }
    }

    /// An ordinary frame.
    fn update(&mut self, view: &View<'_>, whole: Whole) -> Painted {
        if let Some(row) = self.history.shifted_at(view.rows) {
            self.history.keep(view.rows, row);
            self.ledger.committed = row;
            self.begun = (0, 0);
        }
        let from = self.ledger.committed;
        let advance = self.ledger.advance(self.outlook(view));
        let mut out = Output::new(&self.profile, self.size, self.cursor, self.ink);
        out.raw(&std::mem::take(&mut self.prelude));
        let intent = if whole == Whole::Yes {
            out.move_to(Position::default());
            self.rewrite(&mut out, view, &advance);
            Intent::SeamRewrite
        } else if advance.chunk.is_empty() {
            self.commit(view.rows, &advance);
            self.in_place(&mut out, view, advance.ledger.top);
            if out.wrote() { Intent::Diff } else { Intent::Nothing }
        } else if self.can_scroll(view.rows, &advance) {
            out.move_to(Position { row: self.size.height - 1, column: 0 });
            for _ in advance.chunk.clone() {
                out.next_row();
            }
            self.screen.drain(..advance.chunk.len());
            self.screen.resize(self.size.height, Line::new());
            self.commit(view.rows, &advance);
            self.in_place(&mut out, view, advance.ledger.top);
            Intent::ScrollAppend
        } else {
            let kept = self.kept(view.rows, &advance);
            out.move_to(Position { row: kept, column: 0 });
            self.rewrite_behind(kept, &mut out, view, &advance);
            Intent::SeamRewrite
        };
        self.conclude(out, view, intent, from)
    }

    /// How many rows at the top of the screen are what comes next in history and the window anyway: they scroll as they are.
    fn kept(&self, rows: &dyn Rows, advance: &Advance) -> usize {
        if self.ledger.top != advance.chunk.start || self.screen.len() != self.size.height {
            return 0;
        }
        let next = (advance.chunk.start..rows.len()).zip(&self.screen);
        let same = next.take_while(|(row, painted)| self.prepare(&self.row(rows, *row)) == **painted);
        same.count().min(advance.chunk.len()).min(self.size.height - 1)
    }

    /// Whether the rows that scrolling would push into history are, on the screen, exactly those that belong there.
    fn can_scroll(&self, rows: &dyn Rows, advance: &Advance) -> bool {
        let chunk = advance.chunk.clone();
        self.ledger.top == chunk.start
            && chunk.len() <= self.size.height
            && self.screen.len() == self.size.height
            && chunk.zip(&self.screen).all(|(row, painted)| self.prepare(&self.row(rows, row)) == *painted)
    }

    /// From the first row of the screen: the rows that enter history, then the whole window. Exactly the former scroll.
    fn rewrite(&mut self, out: &mut Output, view: &View<'_>, advance: &Advance) {
        self.rewrite_behind(0, out, view, advance);
    }

    /// The same from the row behind `kept` rows that are there already, as the first ones of the chunk.
    fn rewrite_behind(&mut self, kept: usize, out: &mut Output, view: &View<'_>, advance: &Advance) {
        let window = self.window(view, advance.ledger.top);
        let mut first = true;
        for row in advance.chunk.clone().skip(kept) {
            self.separate(out, &mut first);
            out.whole_row(&self.prepare(&self.row(view.rows, row)));
        }
        for line in &window {
            self.separate(out, &mut first);
            out.whole_row(line);
        }
        self.commit(view.rows, advance);
        self.screen = window;
    }

    fn in_place(&mut self, out: &mut Output, view: &View<'_>, top: usize) {
        let window = self.window(view, top);
        if let Some(insertion) = shift::insertion(&self.screen, &window) {
            out.insert_rows(insertion.row, insertion.count);
            let blank = std::iter::repeat_n(Line::new(), insertion.count);
            self.screen.splice(insertion.row..insertion.row, blank);
            self.screen.truncate(window.len());
        }
        diff::forget_pictures(&mut self.screen, &window);
        for (at, new) in window.iter().enumerate() {
            diff::row(out, at, &self.screen[at], new);
        }
        self.screen = window;
    }

    fn commit(&mut self, rows: &dyn Rows, advance: &Advance) {
        if advance.shrunk {
            self.history.keep(rows, advance.ledger.committed);
        }
        for row in advance.chunk.clone() {
            self.history.commit(&rows.row(row));
        }
        if advance.ledger.committed != self.ledger.committed {
            self.begun = (0, 0);
        }
        if !advance.chunk.is_empty() {
            self.lead = 0;
        }
        self.ledger = advance.ledger;
    }

    fn outlook(&self, view: &View<'_>) -> Outlook {
        let rows = view.rows.len();
        Outlook {
            rows,
            boundary: view.seam.boundary(rows),
            height: self.size.height,
            covered: !view.covers.is_empty(),
        }
    }

    /// The rows of the screen, covers included.
    fn window(&self, view: &View<'_>, top: usize) -> Vec<Line> {
        let end = view.rows.len().min(top + self.size.height);
        let mut window: Vec<Line> = (top..end).map(|row| self.prepare(&self.row(view.rows, row))).collect();
        window.resize(self.size.height, Line::new());
        for cover in view.covers {
            for (offset, line) in cover.rows.iter().enumerate() {
                if let Some(under) = window.get_mut(cover.at.row + offset) {
                    let over = under.overlaid(line, cover.at.column.min(self.size.width), self.size.width);
                    *under = self.prepare(&over);
                }
            }
        }
        if !self.profile.hardware_cursor
            && let Some(at) = cursor::place(view, top, self.size)
        {
            cursor::draw(&mut window, at, self.size.width);
        }
        window
    }

    /// A row as it goes to the screen: not wider than it, without blanks at the end that an erased row shows anyway.
    fn prepare(&self, line: &Line) -> Line {
        let line = line.clamp(self.size.width);
        match line.spans().last() {
            Some(last)
                if last.text().ends_with(' ') && last.style().is_invisible() && line.graphic().is_none() =>
            {
                let blanks = last.text().len() - last.text().trim_end_matches(' ').len();
                let kept = line.slice(0, line.width().saturating_sub(blanks));
                if kept.width() < line.width() { self.prepare(&kept) } else { kept }
            }
            _ => line,
        }
    }

    /// The last row of the screen that holds something of the frame.
    fn content_bottom(&self, view: &View<'_>) -> usize {
        view.rows.len().saturating_sub(self.ledger.top).clamp(1, self.size.height) - 1
    }

    /// Places the cursor and closes the frame. Without a cursor of its own the frame leaves it at the bottom of the
    /// content, so that a screen that loses rows has no reason to scroll.
    fn conclude(&mut self, mut out: Output, view: &View<'_>, intent: Intent, from: usize) -> Painted {
        out.settle();
        let wrote = out.wrote();
        let place = cursor::place(view, self.ledger.top, self.size);
        out.show_cursor(place.is_some() && self.profile.hardware_cursor);
        out.move_to(place.unwrap_or(Position { row: self.content_bottom(view), column: 0 }));
        (self.cursor, self.ink) = (out.cursor, out.ink());
        // What is covered does not stand on the screen as it is.
        self.boundary = if view.covers.is_empty() { view.seam.boundary(view.rows.len()) } else { 0 };
        self.drift = Drift::new(self.size, self.cursor.row);
        self.anchor = view.rows.part(self.ledger.committed.min(view.rows.len().saturating_sub(1)));
        let bytes = out.finish();
        let intent = match intent {
            Intent::Nothing | Intent::Diff if !wrote && !bytes.is_empty() => Intent::Cursor,
            other => other,
        };
        self.painted(bytes, intent, from)
    }

    fn painted(&self, bytes: Vec<u8>, intent: Intent, from: usize) -> Painted {
        let to = self.ledger.committed;
        Painted { bytes, intent, chunk: from.min(to)..to, ledger: self.ledger }
    }
}
