//! The form to call a tool by hand: a row for each parameter.

use omp_keys::table as actions;
use omp_keys::{Bindings, Chord, Context};
use omp_tui::input::Key;

use super::{FieldItem, ToolItem};
use crate::listing::step;
use crate::sessions::change;
use omp_view::select::Step;

/// What is typed for one parameter is not longer than this.
const LONGEST: usize = 64 * 1024;

/// What a key leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filled {
    Back,
    Schema,
    Call,
}

/// The parameters of a tool with what was typed.
#[derive(Debug)]
pub(super) struct CallForm {
    tool: ToolItem,
    values: Vec<String>,
    at: usize,
}

impl CallForm {
    pub(super) fn new(tool: &ToolItem) -> Self {
        let values = tool.fields.iter().map(|field| field.value.clone()).collect();
        Self { tool: tool.clone(), values, at: 0 }
    }

    pub(super) fn tool(&self) -> &ToolItem {
        &self.tool
    }

    /// Parameters with what was typed for them, from top to bottom.
    pub(super) fn rows(&self) -> impl Iterator<Item = (&FieldItem, &str)> {
        self.tool.fields.iter().zip(self.values.iter().map(String::as_str))
    }

    /// The place of the cursor.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The parameter under the cursor.
    pub(super) fn current(&self) -> Option<&FieldItem> {
        self.tool.fields.get(self.at)
    }

    /// What is sent: an empty row stands for no value.
    pub(super) fn typed(&self) -> Vec<(String, String)> {
        let filled = self.rows().filter(|(_, value)| !value.is_empty());
        filled.map(|(field, value)| (field.name.clone(), value.to_owned())).collect()
    }

    pub(super) fn go_to(&mut self, field: &str) {
        let place = self.tool.fields.iter().position(|known| known.name == field);
        self.at = place.unwrap_or(self.at);
    }

    pub(super) fn key(&mut self, key: Key, keys: &Bindings) -> Option<Filled> {
        let chord = Chord::from(key);
        let editing = keys.action(Context::Editor, chord);
        match editing {
            Some(actions::TAB) => return Some(Filled::Schema),
            Some(actions::CURSOR_LEFT) => self.choose(false),
            Some(actions::CURSOR_RIGHT) => self.choose(true),
            _ => {}
        }
        let last = self.values.len().saturating_sub(1);
        match step(key, keys) {
            Some(Step::Cancel) => return Some(Filled::Back),
            Some(Step::Confirm) => return Some(Filled::Call),
            Some(Step::Up) => self.at = self.at.checked_sub(1).unwrap_or(last),
            Some(Step::Down) => self.at = if self.at >= last { 0 } else { self.at + 1 },
            _ => {
                if let Some(value) = self.values.get_mut(self.at) {
                    change(value, editing, key.text(), LONGEST);
                }
            }
        }
        None
    }

    /// Goes through the values that the parameter can have; behind the last one comes none.
    fn choose(&mut self, forward: bool) {
        let Some(value) = self.values.get_mut(self.at) else { return };
        let choices = &self.tool.fields[self.at].choices;
        if choices.is_empty() {
            return;
        }
        let known = choices.iter().position(|choice| choice == value);
        let next = match (known, forward) {
            (None, true) => Some(0),
            (None, false) => Some(choices.len() - 1),
            (Some(at), true) => Some(at + 1),
            (Some(at), false) => at.checked_sub(1),
        };
        *value = next.and_then(|at| choices.get(at)).cloned().unwrap_or_default();
    }

    pub(super) fn paste(&mut self, text: &str) {
        if let Some(value) = self.values.get_mut(self.at) {
            let room = LONGEST.saturating_sub(value.len());
            let end = text.floor_char_boundary(room);
            value.push_str(&text[..end]);
        }
    }
}
