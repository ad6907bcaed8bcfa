//! Text of the model that arrives piece by piece.

use omp_theme::{Symbol, Token};
use omp_tui::text::{Attributes, Line, Style};

use crate::Look;
use crate::look::behind;
use crate::markdown::MarkdownStream;

/// What the model's words are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    /// Its answer.
    Answer,
    /// What it thinks.
    Thinking,
}

/// A block of text that grows. It keeps its source, so that it can be drawn anew for another width or theme.
#[derive(Debug)]
pub struct TextView {
    kind: TextKind,
    source: String,
    finished: bool,
    stream: Option<(Look, MarkdownStream)>,
}

impl TextView {
    /// An empty block.
    pub fn new(kind: TextKind) -> Self {
        Self { kind, source: String::new(), finished: false, stream: None }
    }

    /// A complete block.
    pub fn complete(kind: TextKind, source: &str) -> Self {
        Self { kind, source: source.to_owned(), finished: true, stream: None }
    }

    /// What was said so far.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Takes more text.
    pub fn push(&mut self, text: &str) {
        self.source.push_str(text);
        if let Some((_, stream)) = &mut self.stream {
            stream.push(text);
        }
    }

    /// Says that no more text comes.
    pub fn finish(&mut self) {
        self.finished = true;
        if let Some((_, stream)) = &mut self.stream {
            stream.finish();
        }
    }

    /// The rows, and how many of them have their words for good.
    pub fn rows(&mut self, look: &Look) -> (Vec<Line>, usize) {
        let gutter = gutter(look, self.kind);
        let stream = self.stream(look);
        let settled = stream.settled().len();
        let rows = stream.rows();
        (rows.iter().map(|row| behind(&gutter, row).clamp(look.width)).collect(), settled)
    }

    fn stream(&mut self, look: &Look) -> &mut MarkdownStream {
        let same = |known: &Look| {
            known.width == look.width
                && known.addresses == look.addresses
                && std::sync::Arc::ptr_eq(&known.theme, &look.theme)
        };
        let stream = self.stream.take().filter(|(known, _)| same(known)).unwrap_or_else(|| {
            let inner = look.narrower(gutter(look, self.kind).width());
            let mut stream = MarkdownStream::new(inner, base(look, self.kind));
            stream.push(&self.source);
            if self.finished {
                stream.finish();
            }
            (look.clone(), stream)
        });
        &mut self.stream.insert(stream).1
    }
}

fn base(look: &Look, kind: TextKind) -> Style {
    match kind {
        TextKind::Answer => look.fg(Token::Text),
        TextKind::Thinking => look.fg(Token::ThinkingText).with(Attributes::ITALIC),
    }
}

/// Thoughts stand behind a line.
fn gutter(look: &Look, kind: TextKind) -> Line {
    match kind {
        TextKind::Answer => Line::new(),
        TextKind::Thinking => {
            let border = format!("{} ", look.symbol(Symbol::MdQuoteBorder));
            Line::styled(look.fg(Token::Dim), &border)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::look;

    #[test]
    fn another_width_is_drawn_from_the_source() {
        let mut view = TextView::new(TextKind::Answer);
        view.push("one two three\n\nfour ");
        assert_eq!(view.rows(&look(40)).0.len(), 3);
        view.push("five six\n");
        let (rows, settled) = view.rows(&look(8));
        let rows: Vec<String> = rows.iter().map(Line::text).collect();
        assert_eq!(rows, ["one two", "three", "", "four", "five six"]);
        assert_eq!(settled, 2);
        view.finish();
        assert_eq!(view.rows(&look(8)).1, 5);
    }

    #[test]
    fn thoughts_stand_apart() {
        let mut view = TextView::complete(TextKind::Thinking, "Hmm.\n\nYes.");
        let rows: Vec<String> = view.rows(&look(20)).0.iter().map(Line::text).collect();
        assert_eq!(rows, ["▎ Hmm.", "▎ ", "▎ Yes."]);
    }
}
