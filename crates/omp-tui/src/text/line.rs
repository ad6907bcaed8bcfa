//! One row of styled text.

use std::borrow::Cow;
use std::sync::Arc;

use super::cells::Cell;
use super::neutral;
use super::style::Style;
use super::width;

/// Tabs advance to the next multiple of this many cells.
const TAB: usize = 4;

/// Text in one style. Holds no control character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    text: String,
    style: Style,
    link: Option<Arc<str>>,
}

impl Span {
    /// The characters.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How they look.
    pub fn style(&self) -> Style {
        self.style
    }

    /// Where a click on them leads.
    pub fn link(&self) -> Option<&Arc<str>> {
        self.link.as_ref()
    }
}

/// A picture that ends in a row: bytes of ours, drawn upwards from the row that carries them, so that drawing never
/// scrolls the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graphic {
    /// The bytes that draw the picture at the cursor.
    pub bytes: Arc<[u8]>,
    /// How many rows the picture takes, this one included.
    pub rows: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Content {
    spans: Vec<Span>,
    width: usize,
    graphic: Option<Graphic>,
}

/// One row of styled text, cheap to clone and to compare.
#[derive(Clone, Debug, Default)]
pub struct Line(Arc<Content>);

impl PartialEq for Line {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

impl Eq for Line {}

impl Line {
    /// An empty row.
    pub fn new() -> Self {
        Self::default()
    }

    /// A row in the terminal's own style.
    pub fn plain(text: &str) -> Self {
        Self::styled(Style::PLAIN, text)
    }

    /// A row in one style.
    pub fn styled(style: Style, text: &str) -> Self {
        let mut line = Self::new();
        line.push(style, text);
        line
    }

    /// Appends text. Tabs become spaces; other control characters become their pictures, so that they are seen and
    /// not obeyed.
    pub fn push(&mut self, style: Style, text: &str) -> &mut Self {
        self.push_linked(style, text, None)
    }

    /// Appends text that leads somewhere when clicked. A target with anything but printable ASCII is left out.
    pub fn push_linked(&mut self, style: Style, text: &str, link: Option<Arc<str>>) -> &mut Self {
        if text.is_empty() {
            return self;
        }
        let link =
            link.filter(|target| target.len() <= 2048 && target.bytes().all(|b| (0x21..0x7f).contains(&b)));
        let content = Arc::make_mut(&mut self.0);
        let clean = sanitize(text, content.width);
        match content.spans.last_mut() {
            Some(last) if last.style == style && last.link == link => {
                // ASCII never joins the character before it, so that only the rest has to be measured again.
                if width::is_plain(&clean) {
                    content.width += clean.len();
                    last.text.push_str(&clean);
                } else {
                    content.width -= width::text_width(&last.text);
                    last.text.push_str(&clean);
                    content.width += width::text_width(&last.text);
                }
            }
            _ => {
                content.width += width::text_width(&clean);
                content.spans.push(Span { text: clean.into_owned(), style, link });
            }
        }
        self
    }

    /// Appends another row's spans.
    pub fn append(&mut self, other: &Self) -> &mut Self {
        for span in other.spans() {
            self.push_linked(span.style, &span.text, span.link.clone());
        }
        self
    }

    /// Appends cells that follow each other, run by run.
    pub(super) fn push_cells(&mut self, cells: &[Cell<'_>]) {
        let mut run = String::new();
        for (index, cell) in cells.iter().enumerate() {
            run.push_str(cell.text);
            let next = cells.get(index + 1);
            if next.is_none_or(|next| next.style != cell.style || next.link != cell.link) {
                self.push_linked(cell.style, &run, cell.link.cloned());
                run.clear();
            }
        }
    }

    /// Attaches the picture that ends in this row.
    #[must_use]
    pub fn with_graphic(mut self, graphic: Graphic) -> Self {
        Arc::make_mut(&mut self.0).graphic = Some(graphic);
        self
    }

    /// The spans, left to right.
    pub fn spans(&self) -> &[Span] {
        &self.0.spans
    }

    /// The picture that ends in this row.
    pub fn graphic(&self) -> Option<&Graphic> {
        self.0.graphic.as_ref()
    }

    /// The cells the row takes.
    pub fn width(&self) -> usize {
        self.0.width
    }

    /// Whether nothing is to be seen: no text but blanks, no background, no picture.
    pub fn is_blank(&self) -> bool {
        let seen =
            |span: &Span| span.style.background == super::Color::Default && span.text.trim().is_empty();
        self.0.graphic.is_none() && self.0.spans.iter().all(seen)
    }

    /// The characters without their styles.
    pub fn text(&self) -> String {
        self.0.spans.iter().map(|span| span.text.as_str()).collect()
    }

    /// Whether both rows are the same object, not merely equal.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The one boundary between foreign text and the screen: no control character passes. `column` is where the text begins,
/// for tabs.
fn sanitize(text: &str, column: usize) -> Cow<'_, str> {
    let clean = neutral::prose(text);
    if !clean.contains(['\t', '\n']) {
        return clean;
    }
    let mut spaced = String::with_capacity(clean.len() + 8);
    let mut column = column;
    for (index, part) in clean.split('\t').enumerate() {
        if index > 0 {
            let spaces = TAB - column % TAB;
            spaced.extend(std::iter::repeat_n(' ', spaces));
            column += spaces;
        }
        let part = part.replace('\n', "\u{240a}");
        column += width::text_width(&part);
        spaced.push_str(&part);
    }
    Cow::Owned(spaced)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// proves: TUI-053
    #[test]
    fn control_characters_are_shown_not_obeyed() {
        let line = Line::plain("a\x1b[2J\tb\r\u{9b}31m\u{202e}c\u{7f}");
        let text = line.text();
        assert_eq!(text, "a␛[2J   b␍<U+009B>31m<U+202E>c␡");
        assert!(!text.chars().any(char::is_control));
        assert_eq!(line.width(), width::text_width(&text));
    }

    #[test]
    fn tabs_stop_at_columns() {
        let mut line = Line::plain("ab");
        line.push(Style::PLAIN.with(crate::text::Attributes::BOLD), "\tc");
        assert_eq!(line.text(), "ab  c");
    }

    #[test]
    fn links_with_commands_inside_are_left_out() {
        let mut line = Line::new();
        line.push_linked(Style::PLAIN, "x", Some("http://a\x1b\\\x1b[2J".into()));
        assert!(line.spans()[0].link().is_none());
    }

    #[test]
    fn appending_joins_clusters() {
        let mut line = Line::plain("e");
        line.push(Style::PLAIN, "\u{301}x");
        assert_eq!((line.width(), line.spans().len()), (2, 1));
    }
}
