//! The keys of a user: what each chord stands for.

use std::collections::HashMap;

use crate::action::{Action, Context, Platform};
use crate::chord::Chord;
use crate::conflict::{Conflict, resolve};
use crate::file::UserKeys;
use crate::table;

/// Where the chords of an action come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The program.
    Default,
    /// The user's file.
    User,
    /// An extension of this name.
    Extension(String),
}

/// One line of the list of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyEntry {
    /// The id of the action.
    pub id: String,
    /// What it does.
    pub description: String,
    /// Where it is looked for.
    pub context: Context,
    /// Its chords; none if it can only be reached in other ways.
    pub chords: Vec<Chord>,
    /// Where they come from.
    pub source: Source,
}

/// A key that an extension adds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Added {
    /// The chord.
    pub chord: Chord,
    /// The extension.
    pub owner: String,
    /// What the key does.
    pub description: String,
}

/// Why an extension does not get a chord.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// Nobody may take it.
    Reserved(Chord),
    /// The user or an earlier extension has it for something else.
    Taken(Chord, String),
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Reserved(chord) => write!(f, "{chord} is reserved: choose another key for the extension"),
            Self::Taken(chord, id) => {
                write!(f, "{chord} is already bound to {id}: choose another key for the extension")
            }
        }
    }
}

impl std::error::Error for Refused {}

/// The keys of a user.
#[derive(Clone, Debug)]
pub struct Bindings {
    entries: Vec<KeyEntry>,
    conflicts: Vec<Conflict>,
    added: Vec<Added>,
    actions: HashMap<Chord, Vec<Action>>,
}

impl Default for Bindings {
    fn default() -> Self {
        Self::new(Platform::current(), &UserKeys::default())
    }
}

impl Bindings {
    /// The table with the user's changes.
    pub fn new(platform: Platform, user: &UserKeys) -> Self {
        let (entries, conflicts) = resolve(platform, user);
        let mut bindings = Self { entries, conflicts, added: Vec::new(), actions: HashMap::new() };
        bindings.index();
        bindings
    }

    /// Gives a chord to an extension. What is built in gives way; what is reserved or the user's own does not.
    pub fn add(&mut self, added: Added) -> Result<(), Refused> {
        let chord = added.chord;
        if table::RESERVED.iter().any(|reserved| reserved.parse() == Ok(chord)) {
            return Err(Refused::Reserved(chord));
        }
        if let Some(other) = self.added.iter().find(|other| other.chord == chord) {
            return Err(Refused::Taken(chord, other.owner.clone()));
        }
        let here = |entry: &KeyEntry| entry.context.overlaps(Context::App) && entry.chords.contains(&chord);
        let wished = self.entries.iter().find(|entry| here(entry) && entry.source == Source::User);
        if let Some(entry) = wished {
            return Err(Refused::Taken(chord, entry.id.clone()));
        }
        for entry in self.entries.iter_mut().filter(|entry| here(entry)) {
            entry.chords.retain(|own| *own != chord);
            let (kept, lost) = (added.owner.clone(), entry.id.clone());
            self.conflicts.push(Conflict { chord, kept, lost });
        }
        self.added.push(added);
        self.index();
        Ok(())
    }

    /// What a chord stands for, in all contexts, in the order of the table.
    pub fn actions_for(&self, chord: Chord) -> &[Action] {
        self.actions.get(&chord).map_or(&[], Vec::as_slice)
    }

    /// What a chord stands for in one context. The special lists are lists, too.
    pub fn action(&self, context: Context, chord: Chord) -> Option<Action> {
        let found = self.actions_for(chord);
        let own = found.iter().find(|action| action.context() == context);
        let is_list = matches!(context, Context::Sessions | Context::Tree);
        let list = found.iter().find(|action| is_list && action.context() == Context::Select);
        own.or(list).copied()
    }

    /// Whether a chord stands for an action.
    pub fn is(&self, chord: Chord, action: Action) -> bool {
        self.actions_for(chord).contains(&action)
    }

    /// The extension's key that a chord stands for.
    pub fn added(&self, chord: Chord) -> Option<&Added> {
        self.added.iter().find(|added| added.chord == chord)
    }

    /// The chords of an action, the one to show first.
    pub fn chords(&self, action: Action) -> &[Chord] {
        self.entries.iter().find(|entry| entry.id == action.id()).map_or(&[], |entry| &entry.chords)
    }

    /// The chord to show beside an action, if it has one.
    pub fn hint(&self, action: Action) -> Option<String> {
        self.chords(action).first().map(Chord::to_string)
    }

    /// Every action with its chords, in the order of the table, and the keys of extensions.
    pub fn list(&self) -> Vec<KeyEntry> {
        let added = self.added.iter().map(|added| KeyEntry {
            id: added.owner.clone(),
            description: added.description.clone(),
            context: Context::App,
            chords: vec![added.chord],
            source: Source::Extension(added.owner.clone()),
        });
        self.entries.iter().cloned().chain(added).collect()
    }

    /// Chords that someone did not get.
    pub fn conflicts(&self) -> &[Conflict] {
        &self.conflicts
    }

    fn index(&mut self) {
        self.actions.clear();
        for (entry, action) in self.entries.iter().zip(Action::all()) {
            for chord in &entry.chords {
                self.actions.entry(*chord).or_default().push(action);
            }
        }
    }
}
