//! What `.gitignore` and its kin say about the entries of a directory.
//!
//! The rules of a directory point to those above them. A directory that says nothing shares the rules of the one above,
//! so that most directories cost nothing. Git's rules end where a repository begins: what lies above it is not about
//! it. `.ignore` files count everywhere.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::repository::{common_directory, linked_git_directory};

/// A larger file of rules is not read.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// The rules of a directory and of everything above it.
pub(super) struct Rules {
    above: Option<Arc<Rules>>,
    /// From `.ignore`, which is stronger than git's files.
    ignore: Gitignore,
    /// From `.gitignore`.
    gitignore: Gitignore,
    /// From `.git/info/exclude`.
    exclude: Gitignore,
    /// A repository begins here.
    is_repository: bool,
    /// From the user's own file, the weakest; of the outermost rules alone.
    global: Option<Gitignore>,
}

/// What the rules say about an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Unnamed,
    Ignored,
    /// A rule with `!` asks for it, even if its name begins with a dot.
    Wanted,
}

/// Which files with rules a directory has.
#[derive(Clone, Copy, Default)]
pub(super) struct Marks {
    ignore: bool,
    gitignore: bool,
    git: bool,
    jj: bool,
}

impl Marks {
    /// Looks for each of them.
    pub(super) fn of(directory: &Path) -> Self {
        let has = |name: &str| directory.join(name).symlink_metadata().is_ok();
        Self { ignore: has(".ignore"), gitignore: has(".gitignore"), git: has(".git"), jj: has(".jj") }
    }

    /// Takes note of a name in the directory.
    pub(super) fn note(&mut self, name: &OsStr) {
        match name.as_encoded_bytes() {
            b".ignore" => self.ignore = true,
            b".gitignore" => self.gitignore = true,
            b".git" => self.git = true,
            b".jj" => self.jj = true,
            _ => {}
        }
    }

    fn any(self) -> bool {
        self.ignore || self.gitignore || self.git || self.jj
    }
}

impl Rules {
    /// The rules that hold in a directory because of those above it. `real` is its path behind links.
    pub(super) fn above(real: &Path) -> Arc<Self> {
        let parents: Vec<&Path> = real.ancestors().skip(1).collect();
        let own = Marks::of(real);
        let is_repository = |path: &Path| path.join(".git").symlink_metadata().is_ok();
        let repository =
            if own.git { Some(real) } else { parents.iter().copied().find(|path| is_repository(path)) };
        let (global, _) = GitignoreBuilder::new(repository.unwrap_or(real)).build_global();
        let outermost = Self {
            above: None,
            ignore: Gitignore::empty(),
            gitignore: Gitignore::empty(),
            exclude: Gitignore::empty(),
            is_repository: false,
            global: Some(global),
        };
        let all = parents.iter().rev();
        all.fold(Arc::new(outermost), |rules, parent| rules.below(parent, Marks::of(parent)))
    }

    /// The rules within a directory that has these files.
    pub(super) fn below(self: &Arc<Self>, real: &Path, marks: Marks) -> Arc<Self> {
        if !marks.any() {
            return Arc::clone(self);
        }
        let read = |exists: bool, name: &str| match exists {
            true => read(real, &real.join(name)),
            false => Gitignore::empty(),
        };
        let exclude = marks.git.then(|| exclude(real)).flatten();
        Arc::new(Self {
            above: Some(Arc::clone(self)),
            ignore: read(marks.ignore, ".ignore"),
            gitignore: read(marks.gitignore, ".gitignore"),
            exclude: exclude.map_or_else(Gitignore::empty, |file| self::read(real, &file)),
            is_repository: marks.git || marks.jj,
            global: None,
        })
    }

    /// What is said about an entry. The nearest rule counts, among rules of the same kind.
    pub(super) fn about(&self, real: &Path, is_directory: bool) -> Verdict {
        let (mut gitignore, mut exclude) = (Match::None, Match::None);
        let mut inside = true;
        let mut level = Some(self);
        while let Some(rules) = level {
            let ignore = rules.ignore.matched(real, is_directory);
            if !ignore.is_none() {
                return verdict(&ignore);
            }
            if inside && gitignore.is_none() {
                gitignore = rules.gitignore.matched(real, is_directory);
            }
            if inside && exclude.is_none() {
                exclude = rules.exclude.matched(real, is_directory);
            }
            inside &= !rules.is_repository;
            match &rules.global {
                Some(global) if gitignore.is_none() && exclude.is_none() => {
                    return verdict(&global.matched(real, is_directory));
                }
                _ => level = rules.above.as_deref(),
            }
        }
        verdict(&gitignore.or(exclude))
    }
}

fn verdict<T>(found: &Match<T>) -> Verdict {
    match found {
        Match::None => Verdict::Unnamed,
        Match::Ignore(_) => Verdict::Ignored,
        Match::Whitelist(_) => Verdict::Wanted,
    }
}

/// Rules from a file about what is below a directory. Lines that make no sense say nothing.
fn read(directory: &Path, file: &Path) -> Gitignore {
    // A pipe with that name would never end.
    if !file.metadata().is_ok_and(|found| found.is_file() && found.len() <= MAX_BYTES) {
        return Gitignore::empty();
    }
    let mut builder = GitignoreBuilder::new(directory);
    let _unreadable_lines = builder.add(file);
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// Where a repository keeps the rules that are nobody else's. In a worktree and in a submodule `.git` is a file that
/// says where the rest is.
fn exclude(directory: &Path) -> Option<PathBuf> {
    let git = directory.join(".git");
    if git.is_dir() {
        return Some(git.join("info/exclude"));
    }
    let linked = linked_git_directory(&git)?;
    Some(common_directory(&linked).unwrap_or(linked).join("info/exclude"))
}
