//! What stands in the place of the editor: questions, lists and larger panels.
//!
//! A [`Panel`] draws itself and takes all keys while it is in front. What a key leads to is a [`Reaction`]: the panel
//! stays, something is done to the app, or the panel goes and something is done.

pub(crate) mod approval;
pub(crate) mod choice;
pub(crate) mod covering;
pub(crate) mod full_output;
pub(crate) mod history;
pub(crate) mod list;
pub(crate) mod login;
pub(crate) mod mcp;
pub(crate) mod menu;
pub(crate) mod model_question;
pub(crate) mod opening;
pub(crate) mod plugins;
pub(crate) mod pty;
pub(crate) mod review;
pub(crate) mod secret_input;
pub(crate) mod sessions;
pub(crate) mod text;
pub(crate) mod tree;
pub(crate) mod waiting;
pub(crate) mod wizard;

use std::any::Any;

use omp_editor::Command;
use omp_keys::{Bindings, Chord, Context};
use omp_tui::input::Key;
use omp_tui::render::Size;
use omp_tui::ui::Anchor;
use omp_view::Look;

use crate::app::App;

pub(crate) use omp_panels::{Drawn, step};

/// What follows from a key.
pub(crate) type Then = Box<dyn FnOnce(&mut App)>;

/// What follows from an answer in a list; `None` is Escape.
pub(crate) type Answered = Box<dyn FnOnce(&mut App, Option<usize>)>;

/// What a panel makes of a key.
pub(crate) enum Reaction {
    /// It stays in front.
    Stay,
    /// It stays, and this is done.
    Do(Then),
    /// It goes, and this is done.
    Close(Then),
}

/// Something in the place of the editor. Results that come later find it with [`App::panel`].
pub(crate) trait Panel: Any {
    /// Its rows on a screen of this size.
    fn draw(&mut self, look: &Look, size: Size) -> Drawn;

    /// Takes a key.
    fn key(&mut self, key: Key, keys: &Bindings) -> Reaction;

    /// Takes pasted text.
    fn paste(&mut self, _text: &str) -> Reaction {
        Reaction::Stay
    }

    /// Does it lie over the conversation? What is tall would else push the conversation into the terminal's history, and
    /// leave an empty screen behind.
    fn covers(&self) -> bool {
        false
    }

    /// Where it stands while it covers the conversation.
    fn anchor(&self) -> Anchor {
        Anchor::Below
    }

    /// Does it begin with a rule, or take the whole screen? What does not is kept apart from the status line by a blank row.
    fn has_edge(&self) -> bool {
        false
    }

    /// Did it come up by itself? Then what is typed as it appears was meant for something else.
    fn is_unasked(&self) -> bool {
        false
    }

    /// Does it wait for something that may have questions? They come before it.
    fn gives_way(&self) -> bool {
        false
    }

    /// Does nobody wait for it any more?
    fn is_stale(&self) -> bool {
        false
    }
}

/// What a key does in an editor.
pub(crate) fn editing(chord: Chord, keys: &Bindings) -> Option<Command> {
    keys.action(Context::Editor, chord).and_then(|action| Command::of_action(action.id()))
}
