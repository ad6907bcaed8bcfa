//! Paths that decide what runs later, and files that hold credentials.
//!
//! One table for file tools and for the sandbox: what is [`protected`] is not written without a question, even inside
//! the workspace; what is [`secret`] is never read for its content. Nothing here looks at the disk: callers hand in paths
//! without `..` and, where it matters, ask about the path as typed and again about the path behind all links.
//!
//! Entries are paths relative to a root. `*` stands for any characters of one component, an entry covers everything below
//! it, and case does not matter, because it does not on every file system.

mod matching;
mod tables;

use std::path::{Path, PathBuf};

use matching::{covers, covers_somewhere, is_on_the_way, names, parts};
pub use tables::{
    PROGRAM_SECRET_IN_HOME, PROTECTED_ABSOLUTE, PROTECTED_IN_HOME, PROTECTED_IN_WORKSPACE, PUBLIC_IN_SSH,
    SECRET_ABSOLUTE, SECRET_IN_HOME, SECRET_IN_OWN,
};

/// What the tables are relative to. All paths are absolute and behind links.
#[derive(Clone, Copy, Debug)]
pub struct Roots<'a> {
    /// Where file tools and commands may write: the working directory, added directories, temporary directories.
    pub workspace: &'a [PathBuf],
    pub home: Option<&'a Path>,
    /// The directories of omp itself: configuration root, agent directory, data, state.
    pub own: &'a [PathBuf],
}

/// Files of a git directory that name programs or other places to read such files from.
const GIT_RUNS: [&str; 6] = ["hooks", "config", "config.worktree", "commondir", "gitdir", "info"];
/// Parts of a git directory that hold further git directories.
const GIT_NESTED: [&str; 2] = ["modules", "worktrees"];
/// Names in a home directory that hold credentials and do not begin with a dot.
const OPEN_FOLDERS: [&str; 3] = ["Library", "snap", "_netrc"];
const GIT_WHY: &str = "names programs that git runs";

/// Is the path inside one of the directories where writing needs no question?
pub fn in_workspace(path: &Path, roots: &Roots) -> bool {
    roots.workspace.iter().any(|root| path.starts_with(root))
}

/// Why a path must not be written without a question even inside the workspace.
///
/// A directory on the way to such a path counts as well: who replaces it replaces what is in it.
pub fn protected(path: &Path, roots: &Roots) -> Option<&'static str> {
    if roots.own.iter().any(|own| path.starts_with(own)) {
        return Some("omp's own settings and data");
    }
    in_table(path, Path::new("/"), PROTECTED_ABSOLUTE)
        .or_else(|| roots.home.and_then(|home| in_table(path, home, PROTECTED_IN_HOME)))
        .or_else(|| roots.home.and_then(|home| in_table(path, home, SECRET_IN_HOME)))
        .or_else(|| roots.home.and_then(|home| in_table(path, home, PROGRAM_SECRET_IN_HOME)))
        .or_else(|| inside(path, roots).find_map(|relative| in_project(&relative)))
}

/// Why the content of a path is never read.
pub fn secret(path: &Path, roots: &Roots) -> Option<&'static str> {
    let own = roots.own.iter().filter_map(|own| parts(path, own));
    own.filter_map(|relative| {
        let found = |(entry, _): &&(&str, _)| covers_somewhere(entry, &relative);
        SECRET_IN_OWN.iter().find(found).map(|(_, why)| *why)
    })
    .next()
    .or_else(|| below(path, Path::new("/"), SECRET_ABSOLUTE))
    .or_else(|| roots.home.filter(|home| is_of_programs(path, home)).and_then(|home| in_home(path, home)))
}

fn in_home(path: &Path, home: &Path) -> Option<&'static str> {
    ssh_key(path, home)
        .or_else(|| below(path, home, SECRET_IN_HOME))
        .or_else(|| below(path, home, PROGRAM_SECRET_IN_HOME))
}

/// Is the path where programs keep their files in a home directory? Walks through a user's own files need to know no more.
fn is_of_programs(path: &Path, home: &Path) -> bool {
    let Ok(rest) = path.strip_prefix(home) else { return false };
    let first = rest.components().next().and_then(|first| first.as_os_str().to_str());
    first.is_some_and(|first| first.starts_with('.') || OPEN_FOLDERS.iter().any(|name| names(name, first)))
}

/// Can the path hold secrets below it, so that a walk has to look at each file?
pub fn may_hold_secrets(directory: &Path, roots: &Roots) -> bool {
    let near = |root: &Path| directory.starts_with(root) || root.starts_with(directory);
    let system = ["/proc", "/etc"].into_iter().map(Path::new);
    let at_home = |home: &Path| home.starts_with(directory) || is_of_programs(directory, home);
    system.chain(roots.own.iter().map(PathBuf::as_path)).any(near) || roots.home.is_some_and(at_home)
}

/// The rest of a path below each root of the workspace that it is in.
fn inside<'a>(path: &'a Path, roots: &'a Roots) -> impl Iterator<Item = Vec<&'a str>> {
    roots.workspace.iter().filter_map(|root| parts(path, root))
}

fn in_project(relative: &[&str]) -> Option<&'static str> {
    if in_git(relative) {
        return Some(GIT_WHY);
    }
    let somewhere = |entry: &str| {
        (0..relative.len()).any(|start| {
            let rest = &relative[start..];
            covers(entry, rest) || is_on_the_way(entry, rest)
        })
    };
    PROTECTED_IN_WORKSPACE.iter().find(|(entry, _)| somewhere(entry)).map(|(_, why)| *why)
}

/// Does the path name a git directory itself, or what makes git run something? Submodules and worktrees have git
/// directories inside the one of their repository, at any depth.
fn in_git(relative: &[&str]) -> bool {
    let Some(at) = relative.iter().position(|part| names(".git", part)) else { return false };
    let rest = &relative[at + 1..];
    let Some(first) = rest.first() else { return true };
    let runs = |part: &str| GIT_RUNS.iter().any(|name| names(name, part));
    let nested = GIT_NESTED.iter().any(|name| names(name, first));
    if nested { rest.len() < 3 || rest[2..].iter().any(|part| runs(part)) } else { runs(first) }
}

/// Everything in `~/.ssh` is a key unless its name is that of something else: keys may have any name.
fn ssh_key(path: &Path, home: &Path) -> Option<&'static str> {
    let relative = parts(path, home)?;
    let [first, name, ..] = relative.as_slice() else { return None };
    let public = PUBLIC_IN_SSH.iter().any(|entry| names(entry, name));
    (names(".ssh", first) && !public).then_some("SSH private keys")
}

/// The reason of the entry that covers the path or is below it.
fn in_table(path: &Path, root: &Path, table: &[(&str, &'static str)]) -> Option<&'static str> {
    let relative = parts(path, root)?;
    let found = |(entry, _): &&(&str, _)| covers(entry, &relative) || is_on_the_way(entry, &relative);
    table.iter().find(found).map(|(_, why)| *why)
}

/// The reason of the entry that covers the path.
fn below(path: &Path, root: &Path, table: &[(&str, &'static str)]) -> Option<&'static str> {
    let relative = parts(path, root)?;
    table.iter().find(|(entry, _)| covers(entry, &relative)).map(|(_, why)| *why)
}

#[cfg(test)]
mod tests;
