//! What is known of files over time.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::file_state::FileState;

/// The states of files by their absolute paths.
pub(crate) type Files = BTreeMap<String, FileState>;

/// A moment at which was looked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Moment {
    /// What happens then.
    pub(crate) event: Event,
    /// Milliseconds since 1970.
    pub(crate) at: u64,
    /// What git said, if all of it was heard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) git: Option<Mark>,
    /// What is different from the moment before; `null` for a file that is no longer worth a word.
    pub(crate) files: BTreeMap<String, Option<FileState>>,
    /// Those of them that git called unchanged: this is how they look where they are.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) unchanged: BTreeSet<String>,
    /// How many files differed from the last commit, if those were more than are looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) crowd: Option<usize>,
}

/// What a moment is the beginning or the end of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "camelCase")]
pub(crate) enum Event {
    /// A prompt, by the entry of its message.
    Prompt { entry: String },
    /// Files are brought back: these, and where the conversation stood.
    Restore { paths: Vec<String>, leaf: Option<String> },
    /// A restore is undone, except for what was left alone.
    Redo { paths: Vec<String>, partly: bool },
    /// What began before is over.
    Settled,
}

/// Every file that a moment does not name is as in this commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mark {
    /// The directory of the repository.
    pub(crate) root: String,
    /// The last commit; `None` before the first.
    pub(crate) head: Option<String>,
}

/// What is known of a file at a moment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Known {
    Is(FileState),
    /// As in this commit.
    AsIn(String),
    Unknown,
}

/// All moments that are kept, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct Timeline {
    pub(crate) moments: Vec<Moment>,
    /// Prompts of which nothing is kept any more.
    pub(crate) forgotten: BTreeSet<String>,
    /// The files of the last moment.
    latest: Files,
}

impl Timeline {
    /// Adds a moment at which these were the files.
    pub(crate) fn moment(&self, event: Event, at: u64, git: Option<Mark>, files: &Files) -> Moment {
        let mut changed: BTreeMap<String, Option<FileState>> = BTreeMap::new();
        for (path, state) in files {
            if self.latest.get(path) != Some(state) {
                changed.insert(path.clone(), Some(state.clone()));
            }
        }
        for path in self.latest.keys().filter(|path| !files.contains_key(*path)) {
            changed.insert(path.clone(), None);
        }
        Moment { event, at, git, files: changed, unchanged: BTreeSet::new(), crowd: None }
    }

    pub(crate) fn push(&mut self, moment: Moment) {
        for (path, state) in &moment.files {
            match state {
                Some(state) => self.latest.insert(path.clone(), state.clone()),
                None => self.latest.remove(path),
            };
        }
        self.moments.push(moment);
    }

    /// What is under way was not seen to its end: what changes from here on may be anybody's.
    pub(crate) fn seal(&mut self) {
        let Some(last) = self.moments.last().filter(|last| last.event != Event::Settled) else { return };
        let (at, git) = (last.at, last.git.clone());
        self.push(Moment {
            event: Event::Settled,
            at,
            git,
            files: BTreeMap::new(),
            unchanged: BTreeSet::new(),
            crowd: None,
        });
    }

    /// Files that the last moment did not name, and whether git called them unchanged.
    pub(crate) fn add(&mut self, files: Files, unchanged: bool) {
        let Some(last) = self.moments.last_mut() else { return };
        for (path, state) in files {
            if unchanged {
                last.unchanged.insert(path.clone());
            }
            last.files.insert(path.clone(), Some(state.clone()));
            self.latest.insert(path, state);
        }
    }

    /// What is known of a file at every moment.
    pub(crate) fn course(&self, path: &str) -> Vec<Known> {
        let mut said = None;
        let known = |moment: &Moment| {
            if let Some(now) = moment.files.get(path) {
                said = now.clone();
            }
            said.clone().map_or_else(|| by_commit(moment, path), Known::Is)
        };
        let mut course: Vec<Known> = self.moments.iter().map(known).collect();
        self.refine(path, &mut course);
        course
    }

    /// What a file looked like when git called it unchanged, it was as long as git did so for the same commit.
    fn refine(&self, path: &str, course: &mut [Known]) {
        let mut looked: Option<(String, Known)> = None;
        for (moment, known) in self.moments.iter().zip(course).rev() {
            let head = moment.git.as_ref().and_then(|mark| mark.head.clone());
            match (&looked, &*known) {
                (Some((commit, state)), Known::AsIn(head)) if head == commit => *known = state.clone(),
                _ => {
                    let said = head.filter(|_| moment.unchanged.contains(path));
                    looked = said.map(|head| (head, known.clone()));
                }
            }
        }
    }

    /// Does the last moment name the file itself?
    pub(crate) fn names(&self, path: &str) -> bool {
        self.latest.contains_key(path)
    }

    /// The state that the last moment has of a file.
    pub(crate) fn latest(&self, path: &str) -> Known {
        match (self.latest.get(path), self.moments.last()) {
            (Some(state), _) => Known::Is(state.clone()),
            (None, Some(last)) => by_commit(last, path),
            (None, None) => Known::Unknown,
        }
    }

    /// The moment before a prompt; what went on by itself after it has later ones.
    pub(crate) fn prompt(&self, wanted: &str) -> Option<usize> {
        self.moments
            .iter()
            .position(|moment| matches!(&moment.event, Event::Prompt { entry } if entry == wanted))
    }

    /// How many prompts are kept.
    pub(crate) fn prompts(&self) -> usize {
        self.moments.iter().filter(|moment| matches!(moment.event, Event::Prompt { .. })).count()
    }

    /// Every file that a moment names from then on.
    pub(crate) fn named_from(&self, moment: usize) -> BTreeSet<String> {
        let mut named: BTreeSet<String> =
            self.moments.iter().skip(moment).flat_map(|moment| moment.files.keys().cloned()).collect();
        named.extend(self.latest.keys().cloned());
        named
    }

    /// The restore that could be undone; `rest` also takes one that was undone last, except for what was left alone.
    pub(crate) fn last_restore(&self, rest: bool) -> Option<usize> {
        let (mut undone, mut first) = (0, true);
        for (place, moment) in self.moments.iter().enumerate().rev() {
            match moment.event {
                Event::Redo { partly: true, .. } if rest && first => first = false,
                Event::Redo { .. } => {
                    undone += 1;
                    first = false;
                }
                Event::Restore { .. } if undone == 0 => return Some(place),
                Event::Restore { .. } => undone -= 1,
                // What was said since begins another story.
                Event::Prompt { .. } => return None,
                Event::Settled => {}
            }
        }
        None
    }

    /// Forgets the oldest prompt with everything up to the next beginning; `false` if it is the only one.
    pub(crate) fn forget_oldest(&mut self) -> bool {
        let next = self.moments.iter().skip(1).position(|moment| moment.event != Event::Settled);
        let Some(next) = next.map(|place| place + 1) else { return false };
        let mut files: BTreeMap<String, Option<FileState>> = BTreeMap::new();
        for moment in self.moments.drain(..next) {
            if let Event::Prompt { entry } = moment.event {
                self.forgotten.insert(entry);
            }
            files.extend(moment.files);
        }
        if let Some(first) = self.moments.first_mut() {
            files.extend(std::mem::take(&mut first.files));
            files.retain(|_, state| state.is_some());
            first.files = files;
        }
        true
    }

    /// Keeps what belongs to entries that a copy of the session has. Other moments before the last of those are looks like
    /// any other: what changed around them is somebody else's. A restore that undid something else cannot be undone.
    pub(crate) fn keep_only(&mut self, has: impl Fn(&str) -> bool) {
        let (mut whole, mut ours) = (true, false);
        let mut kept = 0;
        for (place, moment) in self.moments.iter_mut().enumerate() {
            ours = match &moment.event {
                Event::Prompt { entry } => has(entry),
                Event::Restore { leaf, .. } => whole && leaf.as_deref().is_none_or(&has),
                Event::Redo { .. } => whole,
                Event::Settled => ours,
            };
            if ours {
                kept = place + 1;
                continue;
            }
            whole = false;
            if let Event::Prompt { entry } = std::mem::replace(&mut moment.event, Event::Settled) {
                self.forgotten.insert(entry);
            }
        }
        let moments = std::mem::take(&mut self.moments);
        self.latest.clear();
        moments.into_iter().take(kept).for_each(|moment| self.push(moment));
    }

    /// Every content that is referred to.
    pub(crate) fn hashes(&self) -> HashSet<String> {
        let states = self.moments.iter().flat_map(|moment| moment.files.values().flatten());
        let hashes = states.filter_map(|state| match state {
            FileState::File { hash, .. } => Some(hash.clone()),
            _ => None,
        });
        hashes.collect()
    }
}

/// What a commit says of a file that a moment does not name.
fn by_commit(moment: &Moment, path: &str) -> Known {
    match &moment.git {
        Some(Mark { root, head }) if Path::new(path).starts_with(root) => match head {
            Some(head) => Known::AsIn(head.clone()),
            // Before the first commit everything that is there is named.
            None => Known::Is(FileState::Absent),
        },
        _ => Known::Unknown,
    }
}
