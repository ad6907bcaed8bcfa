//! When one chord is wanted for several things.

use crate::action::{Action, Platform};
use crate::bindings::{KeyEntry, Source};
use crate::chord::Chord;
use crate::file::UserKeys;
use crate::table;

/// A chord that an action does not get because another one has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The chord.
    pub chord: Chord,
    /// The id of what it stands for.
    pub kept: String,
    /// The id of what it would also stand for.
    pub lost: String,
}

/// Pairs that share their chords: the second is meant where the first does not apply.
const SHARED: &[(Action, Action)] = &[(table::EXIT, table::DELETE_CHAR_FORWARD), (table::CLEAR, table::COPY)];

/// Second chord of following up, for terminals that cannot tell Ctrl+Enter from Enter. It gives way to any wish.
const SPARE_FOLLOW_UP: &str = "Ctrl+Q";

/// The entries of the table with the user's chords, each chord for one action where only one can be meant.
///
/// What the user wrote goes before what is built in; among wishes of the user the order of the table decides.
pub(crate) fn resolve(platform: Platform, user: &UserKeys) -> (Vec<KeyEntry>, Vec<Conflict>) {
    let mut entries: Vec<KeyEntry> =
        table::ROWS.iter().map(|row| entry(row.action, platform, user)).collect();
    let mut conflicts = give_way(&mut entries);
    let order: Vec<usize> = {
        let (wished, built_in): (Vec<usize>, Vec<usize>) =
            (0..entries.len()).partition(|index| entries[*index].source == Source::User);
        wished.into_iter().chain(built_in).collect()
    };
    for (place, &winner) in order.iter().enumerate() {
        // Built-in chords do not collide with each other.
        if entries[winner].source != Source::User {
            break;
        }
        for &loser in &order[place + 1..] {
            conflicts.extend(settle(&mut entries, winner, loser));
        }
    }
    (entries, conflicts)
}

fn entry(action: Action, platform: Platform, user: &UserKeys) -> KeyEntry {
    let (chords, source) = match user.get(action) {
        Some(chords) => (chords.to_vec(), Source::User),
        None => (action.defaults(platform), Source::Default),
    };
    let description = action.description().to_owned();
    KeyEntry { id: action.id().to_owned(), description, context: action.context(), chords, source }
}

fn give_way(entries: &mut [KeyEntry]) -> Vec<Conflict> {
    let Ok(spare) = SPARE_FOLLOW_UP.parse::<Chord>() else { return Vec::new() };
    let wants = |entry: &&KeyEntry| entry.source == Source::User && entry.chords.contains(&spare);
    let Some(kept) = entries.iter().find(wants).map(|entry| entry.id.clone()) else { return Vec::new() };
    let lost = table::MESSAGE_FOLLOW_UP.id();
    let follow_up = entries.iter_mut().find(|entry| entry.id == lost && entry.source == Source::Default);
    follow_up.map_or_else(Vec::new, |entry| {
        entry.chords.retain(|chord| *chord != spare);
        vec![Conflict { chord: spare, kept, lost: lost.to_owned() }]
    })
}

/// Takes from the loser what the winner has too.
fn settle(entries: &mut [KeyEntry], winner: usize, loser: usize) -> Vec<Conflict> {
    let (kept, lost) = (&entries[winner], &entries[loser]);
    let pair = |first: &KeyEntry, second: &KeyEntry| {
        SHARED.iter().any(|(one, other)| one.id() == first.id && other.id() == second.id)
    };
    if !kept.context.overlaps(lost.context) || pair(kept, lost) || pair(lost, kept) {
        return Vec::new();
    }
    let both: Vec<Chord> = lost.chords.iter().copied().filter(|chord| kept.chords.contains(chord)).collect();
    let ids = (kept.id.clone(), lost.id.clone());
    entries[loser].chords.retain(|chord| !both.contains(chord));
    both.into_iter().map(|chord| Conflict { chord, kept: ids.0.clone(), lost: ids.1.clone() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Built-in chords of places that overlap are different, but for the pairs that share theirs.
    #[test]
    fn the_table_does_not_contradict_itself() {
        for platform in [Platform::Unix, Platform::Windows] {
            let all: Vec<Action> = Action::all().collect();
            for (place, first) in all.iter().enumerate() {
                for second in &all[place + 1..] {
                    if !first.context().overlaps(second.context()) || SHARED.contains(&(*first, *second)) {
                        continue;
                    }
                    for chord in first.defaults(platform) {
                        assert!(
                            !second.defaults(platform).contains(&chord),
                            "{chord}: {first:?}, {second:?}"
                        );
                    }
                }
            }
        }
    }
}
