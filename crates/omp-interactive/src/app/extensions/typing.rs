//! Keys that go to extensions: those that see everything that is typed first, and the editor that one of them put in the
//! place of ours.

use std::collections::VecDeque;
use std::time::Duration;

use omp_tui::input::{Code, Decoder, Event, Key, KeyEventKind, Modifiers};

use super::custom::{bytes_of, pasted, typing};
use crate::app::{App, Task};
use crate::extensions::SurfaceId;

/// What was typed and is seen by extensions first, one after the other.
#[derive(Default)]
pub(crate) struct Seeing {
    waiting: VecDeque<Event>,
    is_going: bool,
    /// What comes now was seen.
    is_seen: bool,
}

/// What may wait to be seen.
const WAITING: usize = 4_096;

impl App {
    /// Lets extensions see what was typed; `false` if none wants to. What they leave of it comes again.
    pub(in crate::app) fn seen_first(&mut self, event: &Event) -> bool {
        let Some(screen) = self.extensions.screen() else { return false };
        let is_typed = match event {
            // The way out is nobody's to take.
            Event::Key(key) => key.kind != KeyEventKind::Release && !is_stop(*key),
            Event::Paste(_) => true,
            _ => false,
        };
        let seeing = &mut self.extensions.seeing;
        if !is_typed || seeing.is_seen || (screen.placed().listeners.is_empty() && !seeing.is_going) {
            return false;
        }
        if seeing.waiting.len() < WAITING {
            seeing.waiting.push_back(event.clone());
        }
        self.see_next();
        true
    }

    fn see_next(&mut self) {
        let Some(screen) = self.extensions.screen() else { return };
        if self.extensions.seeing.is_going {
            return;
        }
        let Some(event) = self.extensions.seeing.waiting.pop_front() else { return };
        let listeners: Vec<u64> = screen.placed().listeners.iter().copied().collect();
        let Some(set) = self.extension_set() else { return };
        self.extensions.seeing.is_going = true;
        let data = match &event {
            Event::Paste(text) => pasted(text),
            Event::Key(key) => bytes_of(*key),
            _ => String::new(),
        };
        self.spawn(async move {
            let mut left = Some(data.clone());
            for listener in listeners {
                let Some(given) = left.take() else { break };
                left = set.see_input(listener, &given).await;
            }
            Box::new(move |app: &mut Self| {
                app.extensions.seeing.is_going = false;
                app.extensions.seeing.is_seen = true;
                match left {
                    Some(left) if left == data => app.input(event),
                    Some(left) => decoded(&left).into_iter().for_each(|event| app.input(event)),
                    None => {}
                }
                app.extensions.seeing.is_seen = false;
                app.drop_ended_extensions();
                app.see_next();
            }) as Task
        });
    }

    /// Gives what was typed to the editor of an extension; `false` if ours is in its place.
    pub(in crate::app) fn type_elsewhere(&mut self, data: impl FnOnce() -> String) -> bool {
        let Some(editor) = self.foreign_editor_id() else { return false };
        let Some(set) = self.extension_set() else { return false };
        let typed = self.extensions.typing.entry(editor.clone()).or_insert_with(|| typing(set, editor));
        let _ = typed.try_send(data());
        true
    }

    /// The same for a key.
    pub(in crate::app) fn key_elsewhere(&mut self, key: Key) -> bool {
        self.type_elsewhere(|| bytes_of(key))
    }

    /// The same for a paste.
    pub(in crate::app) fn paste_elsewhere(&mut self, text: &str) -> bool {
        self.type_elsewhere(|| pasted(text))
    }

    pub(in crate::app) fn foreign_editor_id(&self) -> Option<SurfaceId> {
        self.extensions.screen()?.placed().editor.clone()
    }

    /// What the program put into its editor goes into the one that stands in its place.
    pub(super) fn tell_foreign_editor(&mut self) {
        let Some((id, surface)) = self.foreign_editor_id() else {
            self.extensions.told_text = None;
            return;
        };
        let text = self.composer.typed_text();
        if self.extensions.told_text.as_ref() == Some(&text) {
            return;
        }
        let is_first_and_empty = self.extensions.told_text.is_none() && text.is_empty();
        self.extensions.told_text = Some(text.clone());
        if let Some(set) = self.extension_set().filter(|_| !is_first_and_empty) {
            tokio::spawn(async move { set.set_editor_text(id, &surface, &text).await });
        }
    }
}

fn is_stop(key: Key) -> bool {
    key.code == Code::Char('c') && key.modifiers == Modifiers::CTRL
}

/// What an extension made of a key.
fn decoded(data: &str) -> Vec<Event> {
    let (mut decoder, mut events) = (Decoder::new(), Vec::new());
    decoder.feed(data.as_bytes(), Duration::ZERO, &mut events);
    decoder.expire(Duration::from_secs(60), &mut events);
    events
}
