//! A component of an extension that takes all keys: `ui.custom`.

use std::sync::Arc;

use omp_keys::Bindings;
use omp_sdk::extensions::Extensions;
use omp_theme::Token;
use omp_tui::input::{Code, Key, KeyEventKind, Modifiers};
use omp_tui::input::{CursorKeys, encode};
use omp_tui::render::Size;
use omp_tui::ui::Anchor;
use omp_view::Look;
use serde_json::Value;
use tokio::sync::mpsc;

use super::surfaces::View;
use crate::app::App;
use crate::extensions::{ExtensionRequest, SurfaceId};
use crate::panels::{Drawn, Panel, Reaction};

/// Keys that may wait for a component.
const KEYS: usize = 256;

/// A component in the place of the editor, or over the conversation.
pub(super) struct Custom {
    pub(super) surface: SurfaceId,
    view: View,
    typed: mpsc::Sender<String>,
    /// Whoever waits until it is closed.
    answer: Option<crate::extensions::Answering>,
    is_overlay: bool,
    pub(super) is_hidden: bool,
    /// Ctrl+C came last: once more closes it, whatever the component makes of it.
    armed: bool,
    was_called_for: bool,
}

impl Custom {
    /// Lets the extension continue.
    pub(super) fn settle(&mut self) {
        if let Some(answer) = self.answer.take() {
            let _ = answer.send(Ok(Value::Null));
        }
    }
}

/// Shows a component until its extension says that it is done.
pub(super) fn show(app: &mut App, request: ExtensionRequest) {
    let ExtensionRequest { extension, arguments, answer, .. } = request;
    let surface = (extension, arguments["surface"].as_str().unwrap_or_default().to_owned());
    let Some(set) = app.extension_set() else { return };
    let typed = typing(set, surface.clone());
    let custom = Custom {
        view: app.surface_view(&surface),
        surface,
        typed,
        answer,
        is_overlay: arguments["overlay"] == true,
        is_hidden: false,
        armed: false,
        was_called_for: app.extensions.running > 0,
    };
    app.open(custom);
}

/// A way for keys to a component: they arrive one after the other.
pub(super) fn typing(set: Arc<Extensions>, surface: SurfaceId) -> mpsc::Sender<String> {
    let (typed, mut keys) = mpsc::channel::<String>(KEYS);
    tokio::spawn(async move {
        while let Some(data) = keys.recv().await {
            let _ = set.type_into(surface.0, &surface.1, &data).await;
        }
    });
    typed
}

impl Panel for Custom {
    fn draw(&mut self, look: &Look, size: Size) -> Drawn {
        if self.is_hidden {
            return Vec::new().into();
        }
        let mut drawn = self.view.rows(size.width);
        let most = size.height.max(1);
        if drawn.rows.len() > most {
            // What has the cursor is worth seeing.
            let last = drawn.cursor.map_or(0, |cursor| cursor.row + 1).max(most);
            let from = last - most;
            drawn.rows = drawn.rows.into_iter().skip(from).take(most).collect();
            drawn.cursor =
                drawn.cursor.map(|cursor| omp_tui::render::Position { row: cursor.row - from, ..cursor });
        }
        if self.armed {
            drawn.rows.pop();
            drawn.rows.push(look.row(Token::Muted, "Press Ctrl+C again to close"));
        }
        drawn
    }

    fn key(&mut self, key: Key, _keys: &Bindings) -> Reaction {
        let is_stop = key.code == Code::Char('c') && key.modifiers == Modifiers::CTRL;
        if is_stop && std::mem::replace(&mut self.armed, true) {
            return Reaction::Close(Box::new(|_| {}));
        }
        self.armed &= is_stop;
        // A component that does not read its keys loses them.
        let _ = self.typed.try_send(bytes_of(key));
        Reaction::Stay
    }

    fn paste(&mut self, text: &str) -> Reaction {
        let _ = self.typed.try_send(pasted(text));
        Reaction::Stay
    }

    fn covers(&self) -> bool {
        self.is_overlay && !self.is_hidden
    }

    fn anchor(&self) -> Anchor {
        Anchor::BottomCenter
    }

    fn has_edge(&self) -> bool {
        self.is_overlay
    }

    fn is_unasked(&self) -> bool {
        !self.was_called_for && !self.is_overlay
    }

    fn is_stale(&self) -> bool {
        self.answer.as_ref().is_none_or(tokio::sync::oneshot::Sender::is_closed)
    }
}

/// A paste as a terminal sends it. What ends a paste cannot be pasted.
pub(super) fn pasted(text: &str) -> String {
    format!("\x1b[200~{}\x1b[201~", text.replace("\x1b[201~", ""))
}

/// A key as a terminal sends it: in the old form where that says everything, else in kitty's.
pub(super) fn bytes_of(key: Key) -> String {
    let key = Key { kind: KeyEventKind::Press, ..key };
    let held = |modifiers: &[Modifiers]| modifiers.iter().any(|held| key.modifiers.contains(*held));
    let beyond_alt = held(&[Modifiers::SHIFT, Modifiers::CTRL, Modifiers::SUPER]);
    let bytes = encode(key, CursorKeys::Normal);
    let number = match key.code {
        Code::Enter if beyond_alt => 13,
        Code::Escape if beyond_alt => 27,
        Code::Backspace if beyond_alt => 127,
        Code::Tab if held(&[Modifiers::CTRL, Modifiers::SUPER]) => 9,
        Code::Char(letter)
            if bytes.is_empty()
                || held(&[Modifiers::SUPER])
                || (held(&[Modifiers::CTRL]) && held(&[Modifiers::SHIFT])) =>
        {
            u32::from(letter)
        }
        _ => return String::from_utf8_lossy(&bytes).into_owned(),
    };
    let bit = |modifier, bit| if key.modifiers.contains(modifier) { bit } else { 0 };
    let modifiers = 1
        + bit(Modifiers::SHIFT, 1)
        + bit(Modifiers::ALT, 2)
        + bit(Modifiers::CTRL, 4)
        + bit(Modifiers::SUPER, 8);
    format!("\x1b[{number};{modifiers}u")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_written_so_that_nothing_is_lost() {
        let written = |code, modifiers| bytes_of(Key::new(code, modifiers));
        assert_eq!(written(Code::Char('x'), Modifiers::NONE), "x");
        assert_eq!(written(Code::Char('p'), Modifiers::CTRL), "\x10");
        assert_eq!(written(Code::Enter, Modifiers::NONE), "\r");
        assert_eq!(written(Code::Enter, Modifiers::SHIFT), "\x1b[13;2u");
        assert_eq!(written(Code::Enter, Modifiers::CTRL), "\x1b[13;5u");
        assert_eq!(written(Code::Up, Modifiers::CTRL), "\x1b[1;5A");
        assert_eq!(written(Code::Escape, Modifiers::NONE), "\x1b");
        assert_eq!(pasted("a\x1b[201~b"), "\x1b[200~ab\x1b[201~");
    }
}
