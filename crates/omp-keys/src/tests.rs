//! Keys as users meet them: files on disk, bytes of a terminal, actions.

mod conflicts;
mod defaults;
mod files;

use std::path::Path;

use omp_tui::input::Key;

use crate::{Action, Bindings, Chord, Context, Loaded, Platform, load};

fn chord(text: &str) -> Chord {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

/// The chords of an action, as they are shown.
fn shown(bindings: &Bindings, id: &str) -> Vec<String> {
    let action = Action::find(id).unwrap_or_else(|| panic!("no action {id}"));
    bindings.chords(action).iter().map(Chord::to_string).collect()
}

/// What a key press means in a context.
fn pressed(bindings: &Bindings, context: Context, key: Key) -> Option<&'static str> {
    bindings.action(context, Chord::from(key)).map(Action::id)
}

/// The keys of directories, and what was said while reading them.
fn read(directories: &[&Path]) -> (Bindings, Vec<String>) {
    let Loaded { keys, warnings } = load(directories);
    (Bindings::new(Platform::Unix, &keys), warnings)
}

/// The keys that one file of that name gives.
fn with_file(name: &str, text: &str) -> (Bindings, Vec<String>) {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join(name), text).unwrap();
    read(&[directory.path()])
}
