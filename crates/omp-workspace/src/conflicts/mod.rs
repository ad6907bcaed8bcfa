//! Merge conflicts that reads came across, so that each can be named and resolved by itself.
//!
//! A conflict gets its number when it is first shown and keeps it for the session, as long as its text is found again
//! in its file. Resolving replaces exactly that text, after looking whether it is still there.

mod address;
mod block;
mod side;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub use address::ConflictAddress;
pub use block::{ConflictBlock, blocks};
pub use side::ConflictSide;

/// Conflicts that are remembered; the oldest are forgotten first.
const MAX_CONFLICTS: usize = 1_000;
/// The size of their texts together.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// The conflicts of a session.
#[derive(Default)]
pub struct Conflicts(Mutex<Known>);

#[derive(Default)]
struct Known {
    last: usize,
    conflicts: Vec<Conflict>,
}

/// A conflict that was shown.
#[derive(Clone, Debug)]
pub struct Conflict {
    pub id: usize,
    /// The file behind all links.
    pub path: PathBuf,
    /// Where it was seen last, counted from zero.
    pub line: usize,
    pub block: ConflictBlock,
    resolved: bool,
}

impl Conflicts {
    /// Remembers the conflicts of a file, of which `found` is a part, in order. The same text keeps its number.
    pub fn register(&self, path: &Path, found: Vec<(usize, ConflictBlock)>) -> Vec<Conflict> {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let mut known = self.known();
        let mut taken: Vec<usize> = Vec::new();
        let mut registered = Vec::with_capacity(found.len());
        for (line, block) in found {
            let same = |conflict: &&mut Conflict| {
                conflict.path == path
                    && !conflict.resolved
                    && conflict.block == block
                    && !taken.contains(&conflict.id)
            };
            let nearest = known.conflicts.iter_mut().filter(same).min_by_key(|one| one.line.abs_diff(line));
            let conflict = match nearest {
                Some(conflict) => {
                    conflict.line = line;
                    conflict.clone()
                }
                None => {
                    known.last += 1;
                    let conflict =
                        Conflict { id: known.last, path: path.clone(), line, block, resolved: false };
                    known.conflicts.push(conflict.clone());
                    conflict
                }
            };
            taken.push(conflict.id);
            registered.push(conflict);
        }
        known.forget_surplus();
        registered
    }

    /// The conflict of that number. The error is a sentence for the model.
    pub fn get(&self, id: usize) -> Result<Conflict, String> {
        let known = self.known();
        match known.conflicts.iter().find(|conflict| conflict.id == id) {
            Some(conflict) if conflict.resolved => {
                Err(format!("Conflict {id} is already resolved. Read the file to see the result."))
            }
            Some(conflict) => Ok(conflict.clone()),
            None => {
                let open: Vec<String> = known.open().map(|conflict| conflict.id.to_string()).collect();
                Err(match open.is_empty() {
                    true => format!("Conflict {id} does not exist. Read a file with conflicts first."),
                    false => format!("Conflict {id} does not exist; known conflicts: {}.", open.join(", ")),
                })
            }
        }
    }

    /// Every conflict that is not resolved.
    pub fn open(&self) -> Vec<Conflict> {
        self.known().open().cloned().collect()
    }

    /// The files that resolving what an address names would change.
    pub fn files(&self, address: ConflictAddress) -> Vec<PathBuf> {
        let named = |conflict: &&Conflict| match address {
            ConflictAddress::All => true,
            ConflictAddress::Conflict(id) | ConflictAddress::Side(id, _) => conflict.id == id,
        };
        let mut files: Vec<PathBuf> = self.known().open().filter(named).map(|one| one.path.clone()).collect();
        files.dedup();
        files
    }

    /// Conflicts of a file are gone, and what stands below them moved.
    pub fn resolved(&self, path: &Path, replaced: &[(usize, Replaced)]) {
        let mut known = self.known();
        for conflict in known.conflicts.iter_mut().filter(|conflict| conflict.path == path) {
            if replaced.iter().any(|(id, _)| *id == conflict.id) {
                conflict.resolved = true;
                continue;
            }
            let above = replaced.iter().filter(|(_, one)| one.start < conflict.line);
            let moved: isize = above.map(|(_, one)| one.added as isize - one.removed as isize).sum();
            conflict.line = conflict.line.saturating_add_signed(moved);
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    /// The oldest go until all limits hold.
    fn forget_surplus(&mut self) {
        let mut bytes: usize = self.conflicts.iter().map(|conflict| conflict.block.bytes()).sum();
        let mut count = self.conflicts.len();
        let mut surplus = 0;
        for conflict in &self.conflicts {
            if count <= MAX_CONFLICTS && bytes <= MAX_BYTES {
                break;
            }
            (count, bytes, surplus) = (count - 1, bytes - conflict.block.bytes(), surplus + 1);
        }
        self.conflicts.drain(..surplus);
    }

    fn open(&self) -> impl Iterator<Item = &Conflict> {
        self.conflicts.iter().filter(|conflict| !conflict.resolved)
    }
}

/// Lines that took the place of a conflict.
pub struct Replaced {
    pub start: usize,
    pub removed: usize,
    pub added: usize,
}

impl Conflict {
    /// Its lines, as people count them.
    pub fn span(&self) -> String {
        format!("lines {}-{}", self.line + 1, self.line + self.block.lines.len())
    }
}
