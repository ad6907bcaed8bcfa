//! Breaking a row into rows that fit.

use super::cells::Cell;
use super::line::Line;
use super::style::Style;

impl Line {
    /// Rows of at most `width` cells. Breaks behind spaces where it can, inside words where it must; styles and links go
    /// on in the next row, which begins with `indent` blanks. Spaces at a break are dropped.
    pub fn wrap(&self, width: usize, indent: usize) -> Vec<Self> {
        let width = width.max(1);
        if self.width() <= width {
            return vec![self.clone()];
        }
        let indent = if indent * 2 > width { 0 } else { indent };
        let cells: Vec<Cell<'_>> = self.cells().collect();
        let mut rows = Vec::new();
        let mut start = 0;
        while start < cells.len() {
            let room = if rows.is_empty() { width } else { width - indent };
            let end = row_end(&cells, start, room);
            let prefix = if rows.is_empty() { 0 } else { indent };
            rows.push(row(&cells[start..end], prefix, end < cells.len()));
            start = end;
            while start < cells.len() && cells[start].text == " " {
                start += 1;
            }
        }
        rows
    }
}

/// Where the row that begins at `start` ends: behind the last space that fits, or behind the last cell that fits.
fn row_end(cells: &[Cell<'_>], start: usize, room: usize) -> usize {
    let origin = cells[start].column;
    let mut end = start;
    let mut space = None;
    while end < cells.len() && cells[end].column + cells[end].width - origin <= room {
        if cells[end].text == " " {
            space = Some(end + 1);
        }
        end += 1;
    }
    if end == cells.len() {
        return end;
    }
    // A space right behind the row is a break, too.
    if cells[end].text == " " {
        return end.max(start + 1);
    }
    let inked = |upto: usize| cells[start..upto].iter().any(|cell| cell.text != " ");
    match space {
        Some(space) if inked(space) => space,
        // A character wider than the row still advances; the writer clamps it.
        _ => end.max(start + 1),
    }
}

fn row(cells: &[Cell<'_>], indent: usize, broken: bool) -> Line {
    let mut line = Line::plain(&" ".repeat(indent));
    let mut end = cells.len();
    while broken && end > 0 && cells[end - 1].text == " " {
        end -= 1;
    }
    line.push_cells(&cells[..end]);
    line
}

impl From<&str> for Line {
    fn from(text: &str) -> Self {
        Self::styled(Style::PLAIN, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(text: &str, width: usize) -> Vec<String> {
        Line::plain(text).wrap(width, 0).iter().map(Line::text).collect()
    }

    #[test]
    fn words_stay_whole_where_they_fit() {
        assert_eq!(wrapped("the quick brown fox", 10), ["the quick", "brown fox"]);
        assert_eq!(wrapped("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrapped("日本語", 3), ["日", "本", "語"]);
        assert_eq!(wrapped("   indented text", 11), ["   indented", "text"]);
        assert_eq!(wrapped("", 5), [""]);
    }

    #[test]
    fn the_hanging_indent_counts() {
        let rows = Line::plain("- one two three four").wrap(9, 2);
        let rows: Vec<String> = rows.iter().map(Line::text).collect();
        assert_eq!(rows, ["- one two", "  three", "  four"]);
    }

    #[test]
    fn a_row_of_one_cell_loses_nothing() {
        assert_eq!(wrapped("abc", 1), ["a", "b", "c"]);
        assert_eq!(wrapped("a日", 1), ["a", "日"]);
    }
}
