//! What a terminal sends for a key, for people who wonder why a chord does nothing.

use omp_tui::input::{Event, KeyEventKind};

use crate::action::Action;
use crate::bindings::Bindings;
use crate::chord::Chord;

/// A key press, explained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// The bytes, readable: `ESC [ 1 ; 5 A`.
    pub bytes: String,
    /// What they are.
    pub what: String,
    /// What the chord stands for.
    pub actions: Vec<Action>,
    /// Other chords for which this terminal sends the same.
    pub same: Option<&'static str>,
}

/// Explains an event and the bytes it came from.
pub fn describe(bytes: &[u8], event: &Event, bindings: &Bindings) -> Described {
    let (what, actions) = match event {
        Event::Key(key) => {
            let chord = Chord::from(*key);
            let held = match key.kind {
                KeyEventKind::Press => "",
                KeyEventKind::Repeat => ", held",
                KeyEventKind::Release => ", released",
            };
            (format!("{chord}{held}"), bindings.actions_for(chord).to_vec())
        }
        Event::Paste(text) => (format!("pasted text of {} characters", text.chars().count()), Vec::new()),
        Event::Mouse(mouse) => {
            (format!("the mouse, column {} of row {}", mouse.column + 1, mouse.row + 1), Vec::new())
        }
        Event::Focus(true) => ("the terminal gained focus".to_owned(), Vec::new()),
        Event::Focus(false) => ("the terminal lost focus".to_owned(), Vec::new()),
        Event::Reply(_) => ("a reply from the terminal".to_owned(), Vec::new()),
    };
    Described { bytes: readable(bytes), what, actions, same: same(bytes) }
}

/// One byte below a space is all that terminals of old send; several chords share it.
fn same(bytes: &[u8]) -> Option<&'static str> {
    let [byte] = bytes else { return None };
    Some(match byte {
        0x00 => "Ctrl+Space and Ctrl+@ look the same in this terminal",
        0x08 => "Ctrl+Backspace and Ctrl+H look the same in this terminal",
        0x09 => "Tab and Ctrl+I look the same in this terminal",
        0x0d => "Enter, Ctrl+Enter, Shift+Enter and Ctrl+M look the same in this terminal",
        0x1b => "Escape and Ctrl+[ look the same in this terminal",
        0x1f => "Ctrl+-, Ctrl+_ and Ctrl+/ look the same in this terminal",
        0x01..=0x1a => "With Shift, this chord looks the same in this terminal",
        _ => return None,
    })
}

fn readable(bytes: &[u8]) -> String {
    let mut parts: Vec<String> = Vec::new();
    for character in String::from_utf8_lossy(bytes).chars() {
        parts.push(match character {
            '\x1b' => "ESC".to_owned(),
            ' ' => "SPACE".to_owned(),
            '\x7f' => "DEL".to_owned(),
            control if control.is_control() => format!("0x{:02x}", u32::from(control)),
            other => other.to_string(),
        });
    }
    parts.join(" ")
}
