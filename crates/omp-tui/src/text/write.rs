//! Writing cells to a terminal: the only place where styled text becomes bytes.

use std::io::Write as _;
use std::sync::Arc;

use super::cells::Cell;
use super::line::Line;
use super::style::{Color, Depth, Style};

/// What the terminal was last told about style and link, so that only changes are written.
#[derive(Clone, Debug, Default)]
pub struct Pen {
    style: Style,
    link: Option<Arc<str>>,
    depth: Depth,
    links: bool,
    /// Whether blanks may have any colour of text, which nobody sees.
    any_blank: bool,
}

impl Pen {
    /// A pen for a terminal of this many colours that may know clickable links.
    pub fn new(depth: Depth, links: bool) -> Self {
        Self { depth, links, ..Self::default() }
    }

    /// Writes cells. Behind a contested one the column is set, so that nothing to its right can shift; its own
    /// cells are erased before, so that nothing old shows through if the terminal takes fewer.
    pub fn write<'a>(&mut self, cells: impl IntoIterator<Item = Cell<'a>>, out: &mut Vec<u8>) {
        for cell in cells {
            let is_blank = self.any_blank && cell.text == " " && cell.link.is_none() && self.link.is_none();
            if !(is_blank && cell.style.is_invisible() && self.style.is_invisible()) {
                self.set(cell.style, cell.link, out);
            }
            if !cell.contested {
                out.extend_from_slice(cell.text.as_bytes());
                continue;
            }
            let _ = write!(out, "\x1b[{}X", cell.width);
            out.extend_from_slice(cell.text.as_bytes());
            let _ = write!(out, "\x1b[{}G", cell.column + cell.width + 1);
        }
    }

    /// The same pen, which does not change its colour for blanks: less to write, for a screen that is only looked at.
    #[must_use]
    pub fn with_any_blank(mut self) -> Self {
        self.any_blank = true;
        self
    }

    /// Whether text of this style can be written as it is.
    pub(crate) fn has(&self, style: Style) -> bool {
        self.style == style && self.link.is_none()
    }

    /// Back to the terminal's own style, no link.
    pub fn reset(&mut self, out: &mut Vec<u8>) {
        self.set(Style::PLAIN, None, out);
    }

    /// Back to a style that shows in text alone: no background, no attributes, no link. The colour stays, since the next
    /// text most likely has it again.
    pub fn rest(&mut self, out: &mut Vec<u8>) {
        self.set(Style::PLAIN.foreground(self.style.foreground), None, out);
    }

    /// The colour that the next text has, unless it is given another.
    pub fn ink(&self) -> Color {
        self.style.foreground
    }

    /// The terminal has this colour for text already.
    #[must_use]
    pub fn with_ink(mut self, ink: Color) -> Self {
        self.style.foreground = ink;
        self
    }

    fn set(&mut self, style: Style, link: Option<&Arc<str>>, out: &mut Vec<u8>) {
        if self.links && self.link.as_ref() != link {
            let target = link.map_or("", |target| target);
            let _ = write!(out, "\x1b]8;;{target}\x1b\\");
            self.link = link.cloned();
        }
        self.style.transition(style, self.depth, out);
        self.style = style;
    }
}

impl Line {
    /// The row as text with escape sequences that stands alone: every style and link it opens it closes.
    pub fn to_ansi(&self, depth: Depth) -> String {
        let mut out = Vec::new();
        let mut pen = Pen::new(depth, true);
        pen.write(self.cells(), &mut out);
        pen.reset(&mut out);
        String::from_utf8(out).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Attributes, parse_ansi};

    /// proves: TUI-052
    #[test]
    fn every_wrapped_row_opens_and_closes_its_own_style() {
        let bold = Style::PLAIN.with(Attributes::BOLD);
        let mut line = Line::plain("see ");
        line.push_linked(bold, "a long description of the place", Some("https://example.org/x".into()));
        line.push(Style::PLAIN, " and go");
        let rows = line.wrap(9, 0);
        assert!(rows.len() > 4);
        for row in &rows {
            let written = row.to_ansi(Depth::Direct);
            let alone = parse_ansi(&written);
            assert_eq!(alone, vec![row.clone()], "{written:?}");
            let opened = written.matches("\x1b]8;;https").count();
            assert_eq!(opened, written.matches("\x1b]8;;\x1b").count());
        }
        let linked = rows.iter().filter(|row| row.spans().iter().any(|span| span.link().is_some()));
        assert!(linked.count() >= 3, "{rows:?}");
    }
}
