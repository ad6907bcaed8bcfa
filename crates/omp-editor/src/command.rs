//! What the editor can be told, and what it answers.

use omp_tui::input::{Code, Key, KeyEventKind, Modifiers};

use crate::mode::Meaning;

/// Where the cursor can go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Motion {
    /// One cluster to the left, across line ends.
    Left,
    /// One cluster to the right, across line ends.
    Right,
    /// One cluster to the left, inside the line.
    LeftInLine,
    /// One cluster to the right, inside the line.
    RightInLine,
    /// One row up.
    Up,
    /// One row down.
    Down,
    /// To the beginning of the word before.
    WordLeft,
    /// Behind the end of the word.
    WordRight,
    /// To the beginning of the next word, as `w` of vi.
    NextWord,
    /// Onto the last character of the word, as `e` of vi.
    WordEnd,
    /// To the beginning of the line.
    LineStart,
    /// To the first character of the line that is no blank.
    LineText,
    /// To the end of the line.
    LineEnd,
    /// To the beginning of the text.
    TextStart,
    /// To the end of the text.
    TextEnd,
    /// To a line, counted from 1.
    Line(usize),
    /// As many rows up as are seen.
    PageUp,
    /// As many rows down as are seen.
    PageDown,
    /// To the next place of a text in the line, or (unless `line_only`) behind it.
    FindForward {
        /// What to look for.
        target: String,
        /// Whether to stop right before it.
        till: bool,
        /// Whether other lines count.
        line_only: bool,
    },
    /// To the place before the cursor where a text stands.
    FindBackward {
        /// What to look for.
        target: String,
        /// Whether to stop right behind it.
        till: bool,
        /// Whether other lines count.
        line_only: bool,
    },
}

/// What is done with a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// It is removed and kept for putting back.
    Delete,
    /// As [`Operator::Delete`], but in the place of lines an empty one stays.
    Change,
    /// It is kept for putting back.
    Yank,
}

/// What an operator works on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// From the cursor to where a motion leads.
    To(Motion),
    /// So many lines from that of the cursor on.
    Lines(usize),
    /// The line of the cursor and so many above it.
    LinesAbove(usize),
    /// The selection; whole lines if asked for.
    Selection {
        /// Whether the lines it touches are meant.
        lines: bool,
    },
}

/// On which side of the cursor something is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Before the cursor, or above its line.
    Before,
    /// Behind the cursor, or below its line.
    After,
}

/// What the editor can be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Moves the cursor; the selection ends. While the list of completions is open, `Up` and `Down` move in it.
    Move(Motion),
    /// Moves the cursor; the text from where it was is selected.
    Select(Motion),
    /// Begins a selection at the cursor.
    SelectHere,
    /// Selects everything.
    SelectAll,
    /// Ends the selection.
    Deselect,
    /// Typed text.
    Insert(String),
    /// Pasted text.
    Paste(String),
    /// Pasted text that is not folded, nor asked about.
    PasteRaw(String),
    /// A line end.
    NewLine,
    /// Removes what is before the cursor.
    DeleteBackward,
    /// Removes what is behind the cursor.
    DeleteForward,
    /// Kills the word before the cursor.
    DeleteWordBackward,
    /// Kills the word behind the cursor.
    DeleteWordForward,
    /// Kills to the beginning of the line.
    DeleteToLineStart,
    /// Kills to the end of the line; at the end, the line end.
    DeleteToLineEnd,
    /// Exchanges the characters around the cursor.
    Transpose,
    /// Puts the last killed text back.
    Yank,
    /// Right after [`Command::Yank`]: exchanges the text for the one killed before.
    YankPop,
    /// Takes the last change back.
    Undo,
    /// Does it again.
    Redo,
    /// Moves behind the next character that is typed.
    JumpForward,
    /// Moves back to the next character that is typed.
    JumpBackward,
    /// Enter.
    Submit,
    /// Tab.
    Tab,
    /// Gives the selection to the clipboard.
    Copy,
    /// Gives the line of the cursor to the clipboard.
    CopyLine,
    /// Gives the whole prompt to the clipboard.
    CopyPrompt,
    /// Moves up in the list of completions.
    SelectPrevious,
    /// Moves down in it.
    SelectNext,
    /// Moves a page up in it.
    SelectPageUp,
    /// Moves a page down in it.
    SelectPageDown,
    /// Takes the selected completion.
    Confirm,
    /// Closes the list of completions, a wait for a character, or the selection; the first that is there.
    Cancel,
    /// Removes everything; it can be undone.
    Clear,
    /// Works on a piece of text.
    Operate(Operator, Target),
    /// Puts the last killed text beside the cursor.
    Put(Side),
    /// Opens a line above or below that of the cursor.
    OpenLine(Side),
    /// Moves the cursor from behind the last character of a line onto it, as vi does.
    StayInLine,
    /// Begins a step of its own for [`Command::Undo`].
    Checkpoint,
}

/// What the editor answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing happened; the key may mean something to somebody else.
    Ignored,
    /// Something may have changed: draw.
    Handled,
    /// Enter on a text. It stays in the editor until it is taken with [`crate::Editor::take`].
    Submit(Meaning),
    /// A text for the clipboard.
    Copy(String),
    /// A paste waits for a choice: [`crate::Editor::large_paste`], [`crate::Editor::choose_paste`].
    AskPaste,
    /// A text to be kept as a `local://` file; its URL is then inserted.
    SavePaste(std::sync::Arc<str>),
    /// Paths of pictures to be loaded and given to [`crate::Editor::insert_image`].
    Attach(Vec<String>),
    /// It cannot be done; the sentence says why.
    Refused(String),
}

/// The actions of key bindings that are commands of the editor.
const ACTIONS: &[(&str, Command)] = &[
    ("tui.editor.cursorUp", Command::Move(Motion::Up)),
    ("tui.editor.cursorDown", Command::Move(Motion::Down)),
    ("tui.editor.cursorLeft", Command::Move(Motion::Left)),
    ("tui.editor.cursorRight", Command::Move(Motion::Right)),
    ("tui.editor.cursorWordLeft", Command::Move(Motion::WordLeft)),
    ("tui.editor.cursorWordRight", Command::Move(Motion::WordRight)),
    ("tui.editor.cursorLineStart", Command::Move(Motion::LineStart)),
    ("tui.editor.cursorLineEnd", Command::Move(Motion::LineEnd)),
    ("tui.editor.jumpForward", Command::JumpForward),
    ("tui.editor.jumpBackward", Command::JumpBackward),
    ("tui.editor.pageUp", Command::Move(Motion::PageUp)),
    ("tui.editor.pageDown", Command::Move(Motion::PageDown)),
    ("tui.editor.deleteCharBackward", Command::DeleteBackward),
    ("tui.editor.deleteCharForward", Command::DeleteForward),
    ("tui.editor.deleteWordBackward", Command::DeleteWordBackward),
    ("tui.editor.deleteWordForward", Command::DeleteWordForward),
    ("tui.editor.deleteToLineStart", Command::DeleteToLineStart),
    ("tui.editor.deleteToLineEnd", Command::DeleteToLineEnd),
    ("tui.editor.yank", Command::Yank),
    ("tui.editor.yankPop", Command::YankPop),
    ("tui.editor.undo", Command::Undo),
    ("tui.input.newLine", Command::NewLine),
    ("tui.input.submit", Command::Submit),
    ("tui.input.tab", Command::Tab),
    ("tui.input.copy", Command::Copy),
    ("tui.select.up", Command::SelectPrevious),
    ("tui.select.down", Command::SelectNext),
    ("tui.select.pageUp", Command::SelectPageUp),
    ("tui.select.pageDown", Command::SelectPageDown),
    ("tui.select.confirm", Command::Confirm),
    ("tui.select.cancel", Command::Cancel),
    ("app.clipboard.copyLine", Command::CopyLine),
    ("app.clipboard.copyPrompt", Command::CopyPrompt),
];

impl Command {
    /// The command that an action of the key bindings stands for.
    pub fn of_action(id: &str) -> Option<Self> {
        ACTIONS.iter().find(|(action, _)| *action == id).map(|(_, command)| command.clone())
    }

    /// What a key means that no action is bound to: text, moves that select, and the ends of the text.
    pub fn of_key(key: Key) -> Option<Self> {
        if let Some(character) = key.text() {
            return Some(Self::Insert(character.to_string()));
        }
        let (shift, control) = (Modifiers::SHIFT, Modifiers::CTRL);
        let held = key.modifiers.without(shift);
        let by_word = held == control || held == Modifiers::ALT;
        let motion = match key.code {
            Code::Left if by_word => Motion::WordLeft,
            Code::Right if by_word => Motion::WordRight,
            Code::Home if held == control => Motion::TextStart,
            Code::End if held == control => Motion::TextEnd,
            _ if held != Modifiers::NONE || key.kind == KeyEventKind::Release => return None,
            Code::Left => Motion::Left,
            Code::Right => Motion::Right,
            Code::Up => Motion::Up,
            Code::Down => Motion::Down,
            Code::Home => Motion::LineStart,
            Code::End => Motion::LineEnd,
            Code::PageUp => Motion::PageUp,
            Code::PageDown => Motion::PageDown,
            _ => return None,
        };
        Some(if key.modifiers.contains(shift) { Self::Select(motion) } else { Self::Move(motion) })
    }

    /// Every action that is a command of the editor.
    pub fn actions() -> impl Iterator<Item = &'static str> {
        ACTIONS.iter().map(|(action, _)| *action)
    }
}
