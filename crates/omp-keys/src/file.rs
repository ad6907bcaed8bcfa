//! What a keybindings file says: action ids, each with a chord or a list of chords.

use serde_json::{Map, Value};

use crate::action::Action;
use crate::chord::Chord;

/// The chords that a user chose, by action.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserKeys(Vec<(Action, Vec<Chord>)>);

impl UserKeys {
    /// The chords for an action. None is a wish, too: the action has no key.
    pub fn get(&self, action: Action) -> Option<&[Chord]> {
        self.0.iter().find(|(own, _)| *own == action).map(|(_, chords)| chords.as_slice())
    }

    /// Chords for an action, instead of any before.
    pub fn set(&mut self, action: Action, chords: Vec<Chord>) {
        self.0.retain(|(own, _)| *own != action);
        self.0.push((action, chords));
    }

    /// Adds the wishes of a nearer file; they win, action by action.
    pub fn extend(&mut self, nearer: Self) {
        for (action, chords) in nearer.0 {
            self.set(action, chords);
        }
    }
}

/// Reads the entries of a file. What cannot be used is left out, and a warning names it.
pub(crate) fn interpret(entries: &Map<String, Value>, warnings: &mut Vec<String>) -> UserKeys {
    let mut keys = UserKeys::default();
    for (id, value) in entries {
        let Some(action) = Action::find(id) else {
            warnings.push(unknown(id));
            continue;
        };
        let Some(texts) = texts(value) else {
            warnings.push(format!("{id}: expected a chord or a list of chords, such as [Ctrl+G, F2]"));
            continue;
        };
        let mut chords: Vec<Chord> = Vec::new();
        let mut mistyped = false;
        for text in &texts {
            match text.parse::<Chord>() {
                Ok(chord) if chords.contains(&chord) => {}
                Ok(chord) => chords.push(chord),
                Err(error) => {
                    mistyped = true;
                    warnings.push(format!("{id}: {error}"));
                }
            }
        }
        // A typing mistake must not take the action's last key away.
        if !(mistyped && chords.is_empty()) {
            keys.set(action, chords);
        }
    }
    keys
}

fn unknown(id: &str) -> String {
    // Ids share their beginnings, so only near ones are worth a guess.
    let near = Action::all()
        .map(|action| (strsim::osa_distance(&id.to_lowercase(), &action.id().to_lowercase()), action.id()))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, known)| *distance <= known.len() / 4);
    let meant =
        near.map_or("see /hotkeys for all actions".to_owned(), |(_, known)| format!("did you mean {known}?"));
    format!("unknown action \"{id}\": {meant}")
}

/// A string or a list of strings.
fn texts(value: &Value) -> Option<Vec<&str>> {
    match value {
        Value::String(text) => Some(vec![text]),
        Value::Array(list) => list.iter().map(Value::as_str).collect(),
        _ => None,
    }
}
