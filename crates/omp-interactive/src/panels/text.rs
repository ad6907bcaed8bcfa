//! A question that is answered in words.

use omp_editor::{Border, Command, Content, ContentPart, Editor};
use omp_keys::table as actions;
use omp_keys::{Bindings, Chord, Context};
use omp_theme::Token;
use omp_tui::input::{Code, Key, Modifiers};
use omp_tui::render::{Position, Size};
use omp_tui::text::neutral;
use omp_view::Look;

use super::{Drawn, Panel, Reaction, editing};
use crate::app::{App, editor_rows};

/// How a text of several lines is submitted.
const LINES_HINT: &str = "Ctrl+Enter or Alt+Enter: submit · Enter: new line · Esc: cancel";

/// What follows from an answer in words; `None` is Escape.
type Worded = Box<dyn FnOnce(&mut App, Option<String>)>;

/// A question, an editor of its own, and what follows.
pub(crate) struct Text {
    question: String,
    editor: Box<Editor>,
    answered: Option<Worded>,
    /// It is a question of the turn, and leaving it stops that.
    stops: bool,
    /// It came up by itself.
    unasked: bool,
    /// Enter begins a line, and Ctrl+Enter submits.
    has_lines: bool,
    placeholder: Option<String>,
}

impl Text {
    /// A question whose answer begins with these words.
    pub(crate) fn new(
        question: String,
        begun: &str,
        answered: impl FnOnce(&mut App, Option<String>) + 'static,
    ) -> Self {
        let mut editor = Editor::default();
        let mut content = Content::default();
        content.push(ContentPart::Text(begun.to_owned()));
        editor.set_content(&content);
        Self {
            question,
            editor: Box::new(editor),
            answered: Some(Box::new(answered)),
            stops: false,
            unasked: false,
            has_lines: false,
            placeholder: None,
        }
    }

    /// The same as a question of the turn.
    #[must_use]
    pub(crate) fn stops_turn(self) -> Self {
        Self { stops: true, ..self }
    }

    /// The same for a text of several lines: Enter begins a line.
    #[must_use]
    pub(crate) fn with_lines(self) -> Self {
        Self { has_lines: true, ..self }
    }

    /// The same with words in the empty editor.
    #[must_use]
    pub(crate) fn placeholder(self, words: String) -> Self {
        Self { placeholder: Some(words), ..self }
    }

    /// The same as one that nobody called for.
    #[must_use]
    pub(crate) fn unasked(self) -> Self {
        Self { unasked: true, ..self }
    }
}

impl Panel for Text {
    fn draw(&mut self, look: &Look, size: Size) -> Drawn {
        let mut rows = look.wrapped(Token::Accent, &neutral::exact(&self.question), 0);
        let hint = match (self.stops, self.has_lines) {
            (true, _) => "Enter: submit · Esc: stop the turn",
            (false, true) => LINES_HINT,
            (false, false) => "Enter: submit · Esc: cancel",
        };
        let inside = self.placeholder.clone().unwrap_or_else(|| look.hint(hint));
        let (mut more, cursor) = editor_rows(&mut self.editor, look, size, Border::Normal, &inside);
        if self.has_lines || self.placeholder.is_some() {
            more.push(look.row(Token::Dim, &look.hint(hint)));
        }
        let cursor = Position { row: cursor.row + rows.len(), ..cursor };
        rows.extend(more);
        Drawn { rows, cursor: Some(cursor) }
    }

    fn key(&mut self, key: Key, keys: &Bindings) -> Reaction {
        let chord = Chord::from(key);
        if self.has_lines && key.code == Code::Enter {
            // Not every terminal tells Ctrl+Enter from Enter, but all know Alt.
            let submits = key.modifiers.contains(Modifiers::CTRL) || key.modifiers.contains(Modifiers::ALT);
            if !submits {
                self.editor.apply(Command::Insert("\n".to_owned()));
                return Reaction::Stay;
            }
            let text = self.editor.take().content.text();
            let Some(answered) = self.answered.take() else { return Reaction::Stay };
            return Reaction::Close(Box::new(move |app| answered(app, Some(text))));
        }
        let text = match (keys.action(Context::Select, chord), editing(chord, keys), key.text()) {
            (Some(actions::SELECT_CANCEL), ..) => None,
            (_, Some(Command::Submit), _) => Some(self.editor.take().content.text()),
            (_, Some(command), _) => {
                self.editor.apply(command);
                return Reaction::Stay;
            }
            (_, None, Some(letter)) => {
                self.editor.apply(Command::Insert(letter.to_string()));
                return Reaction::Stay;
            }
            _ => return Reaction::Stay,
        };
        let Some(answered) = self.answered.take() else { return Reaction::Stay };
        Reaction::Close(Box::new(move |app| answered(app, text)))
    }

    fn is_unasked(&self) -> bool {
        self.unasked
    }

    fn paste(&mut self, text: &str) -> Reaction {
        self.editor.apply(Command::Insert(text.to_owned()));
        Reaction::Stay
    }
}
