//! What walks pass over, beside the walker of ripgrep's library on the same trees.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use ignore::WalkBuilder;
use omp_workspace::walk::{End, Options, walk, walk_telling};

const DIRECTORIES: [&str; 6] = ["a", "b", "target", ".hid", "doc", "c.txt"];
const FILES: [&str; 8] = ["a", "x.rs", "y.log", ".env", "c.txt", "Makefile", "ü.log", "z z.rs"];
const RULES: [&str; 32] = [
    "*.log",
    "/a",
    "b/",
    "!y.log",
    "a/*.rs",
    "**/c.txt",
    "c.txt",
    "# nothing",
    "",
    "\\!x.rs",
    ".env",
    "*",
    "!*/",
    "!.hid",
    "doc/**/x.rs",
    "a/**",
    "!a/**",
    "/*/y.log",
    "target",
    "!/target/a",
    "[xy].*",
    "{x,y}.rs",
    "*.rs ",
    "z\\ z.rs",
    "z z.rs",
    "?",
    "!.env",
    "**",
    "/",
    "!",
    "[",
    "a/b/",
];

fn some<T: Copy>(random: &mut fastrand::Rng, all: &[T]) -> T {
    all[random.usize(..all.len())]
}

fn write_rules(random: &mut fastrand::Rng, path: &Path) {
    let lines: Vec<&str> = (0..random.usize(1..5)).map(|_| some(random, &RULES)).collect();
    let end = some(random, &["\n", "\r\n"]);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, lines.join(end)).unwrap();
}

/// Fills a directory; `repositories` may begin anywhere.
fn plant(random: &mut fastrand::Rng, directory: &Path, depth: usize, repositories: bool) {
    std::fs::create_dir_all(directory).unwrap();
    for _ in 0..random.usize(1..5) {
        let file = directory.join(some(random, &FILES));
        if file.symlink_metadata().is_err() {
            std::fs::write(file, "x").unwrap();
        }
    }
    for name in [".gitignore", ".ignore"] {
        if random.u8(..4) == 0 {
            write_rules(random, &directory.join(name));
        }
    }
    if repositories && random.u8(..6) == 0 {
        write_rules(random, &directory.join(".git/info/exclude"));
    }
    let _taken = std::os::unix::fs::symlink("a", directory.join("y.log"));
    for _ in 0..random.usize(..4) {
        let below = directory.join(some(random, &DIRECTORIES));
        if depth > 0 && !below.is_file() {
            plant(random, &below, depth - 1, repositories);
        }
    }
}

fn ours(root: &Path, hidden: bool, gitignore: bool) -> BTreeSet<PathBuf> {
    let found = Mutex::new(BTreeSet::new());
    let options = Options { hidden, gitignore, deadline: None, entries: u64::MAX, cancelled: &|| false };
    let end = walk(root, &options, &|entry| assert!(found.lock().unwrap().insert(entry.path().to_owned())));
    assert_eq!(end, End::Complete);
    found.into_inner().unwrap()
}

fn theirs(root: &Path, hidden: bool, gitignore: bool, require_git: bool) -> BTreeSet<PathBuf> {
    let mut builder = WalkBuilder::new(root);
    builder.standard_filters(gitignore).hidden(!hidden).require_git(require_git);
    let all = builder.filter_entry(|entry| entry.file_name() != ".git").build();
    all.skip(1).map(|entry| entry.unwrap().into_path()).collect()
}

fn directories(root: &Path) -> Vec<PathBuf> {
    let inside = ours(root, true, false).into_iter().filter(|path| path.is_dir() && !path.is_symlink());
    std::iter::once(root.to_owned()).chain(inside).collect()
}

/// Hundreds of trees with rules of all kinds at every level, walked from every directory in them. Without a repository
/// all rules count, as with ripgrep's `--no-require-git`; within one those of the repository, as git has it.
#[test]
fn the_same_entries_as_ripgrep() {
    for seed in 0..60 {
        let mut random = fastrand::Rng::with_seed(seed);
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap().join("tree");
        let repositories = random.bool();
        plant(&mut random, &root, 3, repositories);
        if repositories {
            std::fs::create_dir_all(root.join(".git")).unwrap();
        }
        for place in directories(&root) {
            for hidden in [true, false] {
                for gitignore in [true, false] {
                    let expected = theirs(&place, hidden, gitignore, repositories);
                    let found = ours(&place, hidden, gitignore);
                    assert_eq!(found, expected, "tree {seed}, {}, hidden {hidden}", place.display());
                }
            }
        }
    }
}

/// A root that is a link, and one that is not absolute.
#[test]
fn paths_begin_as_the_root_does() {
    let directory = tempfile::tempdir().unwrap();
    let project = directory.path().join("project");
    std::fs::create_dir_all(project.join("src/deep")).unwrap();
    std::fs::write(project.join(".gitignore"), "/src/deep/out\n").unwrap();
    for name in ["src/a", "src/deep/out", "src/deep/in"] {
        std::fs::write(project.join(name), "").unwrap();
    }
    let link = directory.path().join("link");
    std::os::unix::fs::symlink(project.join("src"), &link).unwrap();
    let found = ours(&link, true, true);
    assert_eq!(found, ["a", "deep", "deep/in"].map(|name| link.join(name)).into());
    std::os::unix::fs::symlink(&link, project.join("src/back")).unwrap();
    assert_eq!(ours(&link, true, true).len(), 4, "links are seen and not followed");
}

/// What git keeps beside a worktree and a submodule counts in them, and the rules of the repository around them do not.
#[test]
fn worktrees_and_submodules() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    let write = |name: &str, text: &str| {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("main/.git/info/exclude", "private\n");
    write("main/.git/worktrees/tree/commondir", "../..\n");
    write("main/.git/modules/module/info/exclude", "secret\n");
    write("main/.gitignore", "*.log\n");
    write("tree/.git", &format!("gitdir: {}/main/.git/worktrees/tree\n", root.display()));
    write("main/module/.git", "gitdir: ../.git/modules/module\n");
    for place in ["main", "tree", "main/module"] {
        for name in ["private", "secret", "a.log"] {
            write(&format!("{place}/{name}"), "");
        }
    }
    let names = |place: &str| -> Vec<String> {
        let base = root.join(place);
        let all = ours(&base, true, true);
        all.iter().map(|path| path.strip_prefix(&base).unwrap().to_string_lossy().into_owned()).collect()
    };
    assert_eq!(names("tree"), ["a.log", "secret"]);
    assert_eq!(names("main/module"), ["a.log", "private"]);
    assert_eq!(names("main"), [".gitignore", "module", "module/a.log", "module/private", "secret"]);
}

/// A home directory that is a repository of dot files ignores everything; a project below it is another matter.
#[test]
fn rules_above_a_repository_are_not_about_it() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    std::fs::write(root.join(".gitignore"), "*\n").unwrap();
    std::fs::create_dir_all(root.join("project/.git")).unwrap();
    std::fs::write(root.join("project/main.rs"), "").unwrap();
    assert_eq!(ours(&root.join("project"), true, true).len(), 1);
    std::fs::remove_dir(root.join("project/.git")).unwrap();
    assert_eq!(ours(&root.join("project"), true, true).len(), 0);
}

/// Files of rules that are none: nobody waits for a pipe.
#[test]
fn rules_that_cannot_be_read() {
    let directory = tempfile::tempdir().unwrap();
    nix::unistd::mkfifo(&directory.path().join(".gitignore"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    std::fs::create_dir(directory.path().join(".ignore")).unwrap();
    std::fs::write(directory.path().join(".git"), "no pointer\n").unwrap();
    std::fs::write(directory.path().join("a"), "").unwrap();
    assert_eq!(ours(directory.path(), true, true).len(), 3);
}

#[test]
fn what_is_passed_over_is_told() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(directory.path().join("target/debug")).unwrap();
    std::fs::write(directory.path().join(".gitignore"), "target/\n*.log\n").unwrap();
    for name in ["a.log", "b.rs", "target/debug/c.rs"] {
        std::fs::write(directory.path().join(name), "").unwrap();
    }
    let told = Mutex::new(BTreeSet::new());
    let options =
        Options { hidden: true, gitignore: true, deadline: None, entries: u64::MAX, cancelled: &|| false };
    let tell = |entry: &omp_workspace::walk::WalkEntry| {
        told.lock().unwrap().insert((entry.path().to_owned(), entry.is_directory()));
    };
    walk_telling(directory.path(), &options, &|_| {}, &tell);
    let expected = [("a.log", false), ("target", true)];
    assert_eq!(
        told.into_inner().unwrap(),
        expected.map(|(name, is)| (directory.path().join(name), is)).into()
    );
}
