//! A login on the screen: the address to open, the code to enter, the line to paste or the key to type.
//!
//! A key is never drawn: what is typed is shown as dots, and the panel's `Debug` says nothing of it.

mod draw;
#[cfg(test)]
mod tests;

use omp_keys::table as actions;
use omp_keys::{Action, Bindings, Chord, Context};
use omp_tui::input::Key;

/// Nothing that is pasted here is longer.
const LONGEST: usize = 64 * 1024;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    /// Nothing: the browser or another device has to do something.
    Nothing,
    /// The address of the browser's last page, or the code it shows.
    Address,
    /// A key, which is not shown.
    Key,
}

/// What the panel wants.
#[derive(Clone, PartialEq, Eq)]
pub enum LoginRequest {
    /// The login is over.
    Cancel,
    /// The login continues automatically, and the editor comes back.
    Wait,
    /// A line was entered.
    Line(String),
    /// The address is to be copied.
    Copy(String),
}

impl std::fmt::Debug for LoginRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Cancel => "Cancel",
            Self::Wait => "Wait",
            Self::Line(_) => "Line(hidden)",
            Self::Copy(_) => "Copy",
        })
    }
}

/// A login that is under way.
pub struct Login {
    name: String,
    title: String,
    asks: Asks,
    address: Option<String>,
    code: Option<String>,
    said: Vec<String>,
    line: String,
    /// What was entered is being looked at.
    busy: bool,
}

impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Login").field("name", &self.name).field("asks", &self.asks).finish_non_exhaustive()
    }
}

impl Login {
    /// A login to a provider that people call by this name.
    pub fn new(name: impl Into<String>, asks: Asks) -> Self {
        let name = name.into();
        Self {
            title: format!("Sign in to {name}"),
            name,
            asks,
            address: None,
            code: None,
            said: Vec::new(),
            line: String::new(),
            busy: false,
        }
    }

    /// Something else that nobody may read, under this title.
    pub fn secret(title: impl Into<String>) -> Self {
        let title = title.into();
        Self { title: title.clone(), ..Self::new(title, Asks::Key) }
    }

    /// What the provider is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// This address has to be opened.
    pub fn open(&mut self, address: impl Into<String>) {
        self.address = Some(address.into());
    }

    /// This code has to be entered there.
    pub fn enter(&mut self, code: impl Into<String>) {
        self.code = Some(code.into());
    }

    /// A line is asked for from now on.
    pub fn ask(&mut self, asks: Asks) {
        self.asks = asks;
    }

    /// Something is to be known; what was entered was no use, for one.
    pub fn say(&mut self, words: impl Into<String>) {
        self.busy = false;
        self.said.push(words.into());
        let most = 3;
        self.said.drain(..self.said.len().saturating_sub(most));
    }

    /// Takes a key; it may lead to a wish.
    pub fn key(&mut self, key: Key, keys: &Bindings) -> Option<LoginRequest> {
        let chord = Chord::from(key);
        let editing = keys.action(Context::Editor, chord);
        if keys.action(Context::Select, chord) == Some(actions::SELECT_CANCEL) {
            return Some(LoginRequest::Cancel);
        }
        if keys.is(chord, actions::CLIPBOARD_COPY_PROMPT) {
            return self.address.clone().map(LoginRequest::Copy);
        }
        match editing {
            Some(actions::TAB) if self.asks != Asks::Key => return Some(LoginRequest::Wait),
            Some(actions::SUBMIT) => return self.submit(),
            _ if self.asks == Asks::Nothing || self.busy => {}
            editing => edit(&mut self.line, editing, key.text()),
        }
        None
    }

    /// Takes pasted text.
    pub fn paste(&mut self, text: &str) {
        if self.asks != Asks::Nothing && !self.busy {
            let room = LONGEST.saturating_sub(self.line.len());
            let fits =
                text.char_indices().map(|(at, letter)| at + letter.len_utf8()).take_while(|end| *end <= room);
            let end = fits.last().unwrap_or(0);
            self.line.push_str(&text[..end]);
        }
    }

    fn submit(&mut self) -> Option<LoginRequest> {
        if self.line.trim().is_empty() || self.busy {
            return None;
        }
        self.busy = true;
        self.said.clear();
        Some(LoginRequest::Line(std::mem::take(&mut self.line)))
    }
}

fn edit(line: &mut String, editing: Option<Action>, letter: Option<char>) {
    match (editing, letter) {
        (Some(actions::DELETE_CHAR_BACKWARD), _) => {
            line.pop();
        }
        (Some(actions::DELETE_WORD_BACKWARD | actions::DELETE_TO_LINE_START), _) => line.clear(),
        (None, Some(letter)) if line.len() < LONGEST => line.push(letter),
        _ => {}
    }
}
