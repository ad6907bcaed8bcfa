//! The part of a long text that is shown: its start or its end, in rows that fit, with a word on what is missing.

use omp_theme::Token;
use omp_tui::text::{Line, Style, parse_ansi};

use crate::Look;
use crate::look::{count, grouped};

/// Characters of a line that are shown.
pub const MAX_LINE: usize = 4_000;

/// Which part of a text is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Its first rows.
    Head(usize),
    /// Its last rows.
    Tail(usize),
    /// Everything.
    Whole,
}

/// Rows of a text, and how many of its lines are not among them.
#[derive(Clone, Debug, Default)]
pub struct Preview {
    /// What is shown.
    pub rows: Vec<Line>,
    /// Lines that are not, or not completely.
    pub hidden: usize,
}

impl Preview {
    /// Part of a program's output, with its colours. Where it has none it gets the style `base`.
    pub fn of_output(look: &Look, text: &str, part: Part, base: Style) -> Self {
        Self::of(look, text, part, |line| in_style(parse_ansi(line), base))
    }

    /// Part of a plain text.
    pub fn of_text(look: &Look, text: &str, part: Part, base: Style) -> Self {
        Self::of(look, text, part, |line| vec![Line::styled(base, line)])
    }

    /// Part of rows that are already there.
    pub fn of_rows(look: &Look, rows: &[Line], part: Part) -> Self {
        Self::hanging(look, rows, part, 0)
    }

    /// Part of rows that are already there; what is wrapped continues behind so many cells.
    pub fn hanging(look: &Look, rows: &[Line], part: Part, indent: usize) -> Self {
        let wrapped = |row: &Line| row.wrap(look.width, indent);
        match part {
            Part::Whole => Self { rows: rows.iter().flat_map(wrapped).collect(), hidden: 0 },
            Part::Head(most) => Self::first(rows.iter().map(wrapped), rows.len(), most),
            Part::Tail(most) => Self::last(rows.iter().rev().map(wrapped), rows.len(), most),
        }
    }

    /// The first rows of `total` lines.
    fn first(lines: impl Iterator<Item = Vec<Line>>, total: usize, most: usize) -> Self {
        let (mut rows, mut shown) = (Vec::new(), 0);
        for line in lines {
            if rows.len() >= most {
                break;
            }
            rows.extend(line);
            shown += usize::from(rows.len() <= most);
        }
        rows.truncate(most);
        Self { rows, hidden: total - shown }
    }

    /// The last rows of `total` lines, which come the last one first.
    fn last(lines: impl Iterator<Item = Vec<Line>>, total: usize, most: usize) -> Self {
        let (mut groups, mut height, mut shown) = (Vec::new(), 0, 0);
        for line in lines {
            if height >= most {
                break;
            }
            height += line.len();
            groups.push(line);
            shown += usize::from(height <= most);
        }
        let rows: Vec<Line> = groups.into_iter().rev().flatten().collect();
        Self { rows: rows[rows.len().saturating_sub(most)..].to_vec(), hidden: total - shown }
    }

    /// Looks only at as many lines as can be shown.
    fn of(look: &Look, text: &str, part: Part, draw: impl Fn(&str) -> Vec<Line>) -> Self {
        let text = text.trim_end_matches(['\n', '\r']);
        if text.is_empty() {
            return Self::default();
        }
        let total = text.split('\n').count();
        let wrapped = |line: &str| -> Vec<Line> {
            draw(clamped(line)).iter().flat_map(|row| row.wrap(look.width, 0)).collect()
        };
        match part {
            Part::Whole => Self { rows: text.split('\n').flat_map(wrapped).collect(), hidden: 0 },
            Part::Head(most) => Self::first(text.split('\n').map(wrapped), total, most),
            Part::Tail(most) => Self::last(text.rsplit('\n').map(wrapped), total, most),
        }
    }

    /// The rows, with a hint at what is missing and at the key that shows it.
    pub fn with_hint(mut self, look: &Look, part: Part) -> Vec<Line> {
        if self.hidden == 0 {
            return self.rows;
        }
        match part {
            Part::Tail(_) => self.rows.insert(0, earlier(look, self.hidden)),
            _ => self.rows.push(more(look, self.hidden, "line")),
        }
        self.rows
    }
}

/// `… 12 earlier lines (Ctrl+O to expand)`
pub(crate) fn earlier(look: &Look, lines: usize) -> Line {
    hint(look, &format!("{} earlier", grouped(lines as u64)), "line", lines)
}

/// `… 12 more lines (Ctrl+O to expand)`
pub fn more(look: &Look, hidden: usize, what: &str) -> Line {
    hint(look, &format!("{} more", grouped(hidden as u64)), what, hidden)
}

fn hint(look: &Look, quantity: &str, what: &str, hidden: usize) -> Line {
    let counted = count(hidden as u64, what);
    let noun = counted.rsplit(' ').next().unwrap_or(what).to_owned();
    let dots = look.symbol(omp_theme::Symbol::FormatEllipsis);
    let text = format!("{dots} {quantity} {noun} ({} to expand)", look.expand_key);
    look.row(Token::Dim, &text)
}

/// The start of a line that is too long, without its carriage return.
pub(crate) fn clamped(line: &str) -> &str {
    let line = line.strip_suffix('\r').unwrap_or(line);
    line.char_indices().nth(MAX_LINE).map_or(line, |(end, _)| &line[..end])
}

fn in_style(rows: Vec<Line>, base: Style) -> Vec<Line> {
    rows.into_iter().map(|row| restyled(&row, base)).collect()
}

/// `row` with `base` where it has the terminal's own style.
fn restyled(row: &Line, base: Style) -> Line {
    let mut line = Line::new();
    for span in row.spans() {
        let style = if span.style() == Style::PLAIN { base } else { span.style() };
        line.push_linked(style, span.text(), span.link().cloned());
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::look;

    fn shown(part: Part) -> Vec<String> {
        let look = look(10);
        let text = "one\ntwo is long enough\nthree\n";
        Preview::of_text(&look, text, part, Style::PLAIN)
            .with_hint(&look, part)
            .iter()
            .map(Line::text)
            .collect()
    }

    #[test]
    fn rows_count_as_they_are_seen() {
        assert_eq!(shown(Part::Whole), ["one", "two is", "long", "enough", "three"]);
        assert_eq!(shown(Part::Head(2)), ["one", "two is", "… 2 more …"]);
        assert_eq!(shown(Part::Tail(2)), ["… 2 earli…", "enough", "three"]);
        assert_eq!(shown(Part::Tail(5)).len(), 5);
    }

    #[test]
    fn what_is_cut_off_of_long_rows_is_counted() {
        let look = look(10);
        let rows = ["one is long enough", "two is long enough", "three"].map(Line::plain);
        for (part, hidden) in [(Part::Head(3), 2), (Part::Tail(3), 2), (Part::Head(7), 0), (Part::Whole, 0)] {
            assert_eq!(Preview::of_rows(&look, &rows, part).hidden, hidden, "{part:?}");
        }
    }

    #[test]
    fn colours_of_programs_are_kept_and_commands_are_not_obeyed() {
        let look = look(40);
        let base = look.fg(Token::ToolOutput);
        let preview = Preview::of_output(&look, "a \x1b[31mred\x1b[0m\x1b[2J", Part::Whole, base);
        let spans = preview.rows[0].spans();
        assert_eq!(spans[0].style(), base);
        assert_eq!(spans[1].style().foreground, omp_tui::text::Color::Indexed(1));
        assert_eq!(preview.rows[0].text(), "a red");
    }

    #[test]
    fn a_line_without_end_is_clamped() {
        let look = look(100);
        let text = "x".repeat(100_000);
        let preview = Preview::of_text(&look, &text, Part::Whole, Style::PLAIN);
        assert_eq!(preview.rows.iter().map(Line::width).sum::<usize>(), MAX_LINE);
    }
}
