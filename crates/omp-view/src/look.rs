//! How everything is drawn: the theme, the room there is, and the key that shows more.

use std::sync::Arc;

use omp_theme::{Symbol, Theme, Token};
use omp_tui::text::{Attributes, Depth, Line, Style};

use crate::code::Preparer;

/// What every view is given beside its data. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Look {
    /// Colours and symbols.
    pub theme: Arc<Theme>,
    /// The cells of a row.
    pub width: usize,
    /// The key that expands tool output, as people write it.
    pub expand_key: Arc<str>,
    /// Whether the address of a link is shown behind its text.
    pub addresses: Addresses,
    /// Whether a collapsed `read` shows the start of the file.
    pub read_preview: bool,
    /// Makes colours of code ready ahead of time.
    pub preparer: Preparer,
    /// How many colours the terminal shows.
    pub depth: Depth,
}

/// Whether the addresses of links are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Addresses {
    /// Behind the text: for terminals without clickable links.
    Shown,
    /// The text can be clicked.
    #[default]
    Hidden,
}

impl Look {
    /// A look with the usual key and clickable links.
    pub fn new(theme: Arc<Theme>, width: usize) -> Self {
        Self {
            theme,
            width: width.max(1),
            expand_key: "Ctrl+O".into(),
            addresses: Addresses::default(),
            read_preview: false,
            preparer: Preparer::default(),
            depth: Depth::default(),
        }
    }

    /// The same look with another width.
    #[must_use]
    pub fn narrower(&self, cells: usize) -> Self {
        Self { width: self.width.saturating_sub(cells).max(1), ..self.clone() }
    }

    /// Text in the colour of a token.
    pub fn fg(&self, token: Token) -> Style {
        self.theme.fg(token)
    }

    /// Bold text in the colour of a token.
    pub fn bold(&self, token: Token) -> Style {
        self.theme.fg(token).with(Attributes::BOLD)
    }

    /// A named symbol.
    pub fn symbol(&self, symbol: Symbol) -> &str {
        self.theme.symbol(symbol)
    }

    /// `· ` and the like between facts of one row.
    pub fn dot(&self) -> String {
        format!(" {} ", self.symbol(Symbol::SepDot))
    }

    /// A hint about keys (`Enter: select · Esc: cancel`) in the symbols of the theme.
    pub fn hint(&self, keys: &str) -> String {
        let keys = keys.replace(" · ", &self.dot());
        keys.replace('↑', self.symbol(Symbol::NavUp)).replace('↓', self.symbol(Symbol::NavDown))
    }

    /// A row in one colour, cut at the width.
    pub fn row(&self, token: Token, text: &str) -> Line {
        self.shortened(&Line::styled(self.fg(token), text), self.width)
    }

    /// At most `width` cells of a row; what is cut is replaced by the theme's ellipsis.
    pub fn shortened(&self, line: &Line, width: usize) -> Line {
        if line.width() <= width {
            return line.clone();
        }
        let dots = Line::plain(self.symbol(Symbol::FormatEllipsis)).clamp(width);
        let mut short = line.slice(0, width - dots.width());
        let style = short.spans().last().map_or(Style::PLAIN, omp_tui::text::Span::style);
        short.push(style, &dots.text());
        short
    }

    /// A row on the background of what is selected, over the whole width.
    pub fn selected(&self, line: &Line) -> Line {
        let background = self.theme.color(Token::SelectedBg);
        let mut row = Line::new();
        for span in line.spans() {
            row.push(span.style().background(background), span.text());
        }
        row.fit(self.width, Style::PLAIN.background(background))
    }

    /// The first `most` characters of a text, with an ellipsis if there are more.
    pub fn cut(&self, text: &str, most: usize) -> String {
        match text.char_indices().nth(most) {
            Some((end, _)) => format!("{}{}", &text[..end], self.symbol(Symbol::FormatEllipsis)),
            None => text.to_owned(),
        }
    }

    /// Text in one colour as rows that fit, with a hanging indent.
    pub fn wrapped(&self, token: Token, text: &str, indent: usize) -> Vec<Line> {
        let style = self.fg(token);
        text.lines().flat_map(|line| Line::styled(style, line).wrap(self.width, indent)).collect()
    }
}

/// `line` behind `prefix`.
pub(crate) fn behind(prefix: &Line, line: &Line) -> Line {
    let mut whole = prefix.clone();
    whole.append(line);
    whole
}

/// `1 line`, `2 lines`.
pub(crate) fn count(number: u64, what: &str) -> String {
    match number {
        1 => format!("1 {what}"),
        _ if what.ends_with("ry") => format!("{} {}ies", grouped(number), &what[..what.len() - 1]),
        _ if what.ends_with("ch") => format!("{} {what}es", grouped(number)),
        _ => format!("{} {what}s", grouped(number)),
    }
}

/// A number as people read it: `12,345`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `850ms`, `4.2s`, `2m 05s`, `1h 02m`.
pub(crate) fn duration(milliseconds: u64) -> String {
    match milliseconds {
        0..1_000 => format!("{milliseconds}ms"),
        1_000..60_000 => format!("{}.{}s", milliseconds / 1_000, milliseconds % 1_000 / 100),
        60_000..3_600_000 => format!("{}m {:02}s", milliseconds / 60_000, milliseconds / 1_000 % 60),
        _ => format!("{}h {:02}m", milliseconds / 3_600_000, milliseconds / 60_000 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::look;

    #[test]
    fn what_is_cut_says_so() {
        assert_eq!(look(8).cut("日本語", 2), "日本…");
        let line = Line::plain("one two three");
        assert_eq!(look(8).shortened(&line, 8).text(), "one two…");
        assert_eq!(look(8).shortened(&line, 0).text(), "");
    }

    #[test]
    fn figures_read_well() {
        assert_eq!(count(1, "line"), "1 line");
        assert_eq!(count(12_345, "match"), "12,345 matches");
        assert_eq!(grouped(1_000_000), "1,000,000");
        assert_eq!([duration(7), duration(4_250), duration(125_000)], ["7ms", "4.2s", "2m 05s"]);
        assert_eq!(duration(3_725_000), "1h 02m");
    }
}
