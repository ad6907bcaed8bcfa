//! Text of the model that arrives piece by piece.

use omp_theme::{Symbol, Token};
use omp_tui::text::{Attributes, Line, Style};

use crate::Look;
use crate::markdown::MarkdownStream;

/// What the model's words are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    /// Its answer.
    Answer,
    /// What it thinks.
    Thinking,
}

/// A block of text that grows. It keeps its source, so that it can be redrawn for another width or theme.
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

    /// The rows whose words are final. More text only adds to them, so a frame need not look at them again.
    pub fn settled(&mut self, look: &Look) -> &[Line] {
        self.stream(look).settled()
    }

    /// How many rows from the first one are final: never drawn otherwise, whatever follows.
    pub fn final_rows(&mut self, look: &Look) -> usize {
        self.stream(look).final_rows()
    }

    /// The rows behind them, which may still change.
    pub fn tail(&mut self, look: &Look) -> &[Line] {
        self.stream(look).tail()
    }

    /// All rows.
    pub fn rows(&mut self, look: &Look) -> Vec<Line> {
        self.stream(look).rows()
    }

    fn stream(&mut self, look: &Look) -> &mut MarkdownStream {
        let same = |known: &Look| {
            known.width == look.width
                && known.addresses == look.addresses
                && std::sync::Arc::ptr_eq(&known.theme, &look.theme)
        };
        let stream = self.stream.take().filter(|(known, _)| same(known)).unwrap_or_else(|| {
            let gutter = gutter(look, self.kind);
            let inner = look.narrower(gutter.width());
            let mut stream = MarkdownStream::new(inner, base(look, self.kind)).behind(gutter);
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
            Line::styled(look.fg(Token::Dim), &border).clamp(look.width.saturating_sub(1))
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
        assert_eq!(view.rows(&look(40)).len(), 3);
        view.push("five six\n");
        let look = look(8);
        let rows: Vec<String> = view.rows(&look).iter().map(Line::text).collect();
        assert_eq!(rows, ["one two", "three", "", "four", "five six"]);
        assert_eq!((view.settled(&look).len(), view.tail(&look).len()), (2, 3));
        view.finish();
        assert_eq!(view.settled(&look).len(), 5);
    }

    #[test]
    fn thoughts_stand_apart() {
        let mut view = TextView::complete(TextKind::Thinking, "Hmm.\n\nYes.");
        let rows: Vec<String> = view.rows(&look(20)).iter().map(Line::text).collect();
        assert_eq!(rows, ["▎ Hmm.", "▎ ", "▎ Yes."]);
    }
}
