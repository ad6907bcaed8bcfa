//! What the model says and thinks, while it says it.

use std::sync::Arc;

use omp_theme::Token;
use omp_tui::text::{Attributes, Line, Style};
use omp_tui::transcript::Block;
use omp_view::Look;
use omp_view::markdown::MarkdownStream;

use super::apart;
use crate::stage::Stage;

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Voice {
    Answer,
    Thought,
}

/// Markdown that grows.
pub(crate) struct Prose {
    stage: Stage,
    voice: Voice,
    text: String,
    finished: bool,
    drawn: Option<Drawn>,
}

/// What was drawn of the text, and for which look.
struct Drawn {
    look: Look,
    stream: MarkdownStream,
    /// How much of the text the stream has.
    fed: usize,
}

impl Prose {
    pub(crate) fn new(stage: Stage, voice: Voice) -> Self {
        Self { stage, voice, text: String::new(), finished: false, drawn: None }
    }

    pub(crate) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Nothing follows.
    pub(crate) fn finish(&mut self) {
        self.finished = true;
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    fn style(&self, look: &Look) -> Style {
        match self.voice {
            Voice::Answer => look.fg(Token::Text),
            Voice::Thought => look.fg(Token::ThinkingText).with(Attributes::ITALIC),
        }
    }

    fn hidden(&self, look: &Look) -> Arc<[Line]> {
        match self.text.trim().is_empty() {
            true => Arc::new([]),
            false => apart(vec![look.row(Token::ThinkingText, "Thinking…")]).into(),
        }
    }
}

impl Block for Prose {
    fn rows(&mut self, width: usize) -> Arc<[Line]> {
        let look = self.stage.look(width);
        if self.voice == Voice::Thought && !self.stage.thoughts() {
            return self.hidden(&look);
        }
        let same = |drawn: &Drawn| drawn.look.width == width && Arc::ptr_eq(&drawn.look.theme, &look.theme);
        let style = self.style(&look);
        let drawn = match self.drawn.take().filter(same) {
            Some(drawn) => drawn,
            None => Drawn { stream: MarkdownStream::new(look.clone(), style), look, fed: 0 },
        };
        let drawn = self.drawn.insert(drawn);
        drawn.stream.push(&self.text[drawn.fed..]);
        drawn.fed = self.text.len();
        if self.finished {
            drawn.stream.finish();
        }
        let rows: Arc<[Line]> = apart(drawn.stream.rows()).into();
        if self.finished {
            // Drawn once more only when everything is.
            self.drawn = None;
        }
        rows
    }

    fn is_final(&self) -> bool {
        self.finished
    }
}
