//! A row as cells: what the differ compares and the writer writes.

use std::sync::Arc;

use super::line::Line;
use super::style::Style;
use super::width::{Cluster, clusters};

/// A cluster with its place on the row.
#[derive(Clone, Copy, Debug)]
pub struct Cell<'a> {
    /// The characters.
    pub text: &'a str,
    /// The first cell it takes.
    pub column: usize,
    /// How many it takes, never 0.
    pub width: usize,
    /// Whether terminals disagree about that.
    pub contested: bool,
    /// How it looks.
    pub style: Style,
    /// Where a click leads.
    pub link: Option<&'a Arc<str>>,
}

impl PartialEq for Cell<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
            && self.style == other.style
            && self.link == other.link
            && self.column == other.column
    }
}

impl Line {
    /// The cells, left to right. Clusters without width are left out: they would land on a neighbour.
    pub fn cells(&self) -> impl Iterator<Item = Cell<'_>> {
        let mut column = 0;
        self.spans()
            .iter()
            .flat_map(|span| clusters(span.text()).map(move |cluster| (span, cluster)))
            .filter_map(move |(span, Cluster { text, width, contested })| {
                if width == 0 {
                    return None;
                }
                let cell = Cell { text, column, width, contested, style: span.style(), link: span.link() };
                column += width;
                Some(cell)
            })
    }

    /// The cells from `from` up to but not including `to`. A character that is cut leaves blanks, so the result is
    /// as wide as what was there.
    #[must_use]
    pub fn slice(&self, from: usize, to: usize) -> Self {
        if from == 0 && self.width() <= to {
            return self.clone();
        }
        let cells: Vec<Cell<'_>> = self.cells().collect();
        let first = cells.partition_point(|cell| cell.column + cell.width <= from);
        let last = cells.partition_point(|cell| cell.column < to).max(first);
        let mut line = Self::new();
        let mut inside = first..last;
        // A character that is cut leaves blanks in its style.
        let cut = |line: &mut Self, cell: &Cell<'_>| {
            let blanks = (cell.column + cell.width).min(to) - cell.column.max(from);
            line.push_linked(cell.style, &" ".repeat(blanks), cell.link.cloned());
        };
        if let Some(cell) = cells[inside.clone()].first().filter(|cell| cell.column < from) {
            cut(&mut line, cell);
            inside.start += 1;
        }
        let end = cells[inside.clone()].last().filter(|cell| cell.column + cell.width > to);
        line.push_cells(&cells[inside.start..inside.end - usize::from(end.is_some())]);
        if let Some(cell) = end {
            cut(&mut line, cell);
        }
        line
    }

    /// At most `width` cells; what is cut is replaced by an ellipsis.
    #[must_use]
    pub fn truncate(&self, width: usize) -> Self {
        if self.width() <= width {
            return self.clone();
        }
        if width == 0 {
            return Self::new();
        }
        let mut line = self.slice(0, width - 1);
        let style = line.spans().last().map_or(Style::PLAIN, super::Span::style);
        line.push(style, "…");
        line
    }

    /// At most `width` cells, cut without a mark: the last guard before the screen.
    #[must_use]
    pub fn clamp(&self, width: usize) -> Self {
        if self.width() <= width {
            return self.clone();
        }
        let mut clamped = self.slice(0, width);
        if let Some(graphic) = self.graphic() {
            clamped = clamped.with_graphic(graphic.clone());
        }
        clamped
    }

    /// Exactly `width` cells: cut, or filled with blanks in `style`.
    #[must_use]
    pub fn fit(&self, width: usize, style: Style) -> Self {
        let mut line = self.clamp(width);
        let missing = width.saturating_sub(line.width());
        line.push(style, &" ".repeat(missing));
        line
    }

    /// This row with `over` laid on it from `column` on, in a row of `width` cells.
    #[must_use]
    pub fn overlaid(&self, over: &Self, column: usize, width: usize) -> Self {
        let base = self.fit(width, Style::PLAIN);
        let over = over.clamp(width.saturating_sub(column));
        let mut line = base.slice(0, column);
        line.append(&over);
        line.append(&base.slice(column + over.width(), width));
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_character_leaves_blanks() {
        let line = Line::plain("a日b");
        assert_eq!(line.slice(0, 2).text(), "a ");
        assert_eq!(line.slice(2, 4).text(), " b");
        assert_eq!(line.truncate(3).text(), "a …");
        assert_eq!(line.fit(6, Style::PLAIN).text(), "a日b  ");
        assert_eq!(line.truncate(0).text(), "");
    }

    #[test]
    fn an_overlay_covers_exactly_its_cells() {
        let line = Line::plain("日本語");
        let over = line.overlaid(&Line::plain("ab"), 1, 8);
        assert_eq!((over.text().as_str(), over.width()), (" ab 語  ", 8));
    }
}
