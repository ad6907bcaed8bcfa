//! Listings: what they show and what they leave out.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, SystemTime};

use omp_workspace::tree::{Limits, Tree, list};

fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000)
}

/// Creates `path` with `size` bytes, modified `age` seconds ago.
fn file(path: &Path, size: usize, age: u64) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, vec![b'x'; size]).unwrap();
    set_age(path, age);
}

fn set_age(path: &Path, age: u64) {
    File::open(path).unwrap().set_modified(now() - Duration::from_secs(age)).unwrap();
}

fn tree(path: &Path) -> Tree {
    list(path, now(), &Limits::default()).unwrap()
}

#[test]
fn two_levels_newest_first() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    file(&root.join("old.txt"), 10, 7_200);
    file(&root.join("new.txt"), 2_048, 30);
    file(&root.join("src/main.rs"), 100, 300);
    file(&root.join("src/deep/unseen.rs"), 100, 300);
    set_age(&root.join("src/deep"), 86_400);
    set_age(&root.join("src"), 600);
    let expected = [
        "new.txt  2.0KB  just now",
        "src/  10m ago",
        "  main.rs  100B  5m ago",
        "  deep/  1d ago",
        "old.txt  10B  2h ago",
    ];
    assert_eq!(tree(root).lines, expected);
}

#[test]
fn a_subdirectory_shows_a_dozen_and_the_root_all() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    (0..30).for_each(|number| file(&root.join(format!("sub/f{number:02}")), 1, 100 + number));
    (0..40).for_each(|number| file(&root.join(format!("r{number:02}")), 1, 1_000 + number));
    set_age(&root.join("sub"), 1);
    let lines = tree(root).lines;
    assert_eq!(lines.len(), 1 + 12 + 1 + 40);
    assert_eq!(lines[1], "  f00  1B  1m ago");
    assert_eq!(lines[12], "  f11  1B  1m ago");
    assert_eq!(lines[13], "  … 18 more");
    assert_eq!(lines[14], "r00  1B  16m ago");
}

#[test]
fn equal_times_are_ordered_by_name() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["c", "a", "b"] {
        file(&directory.path().join(name), 0, 5);
    }
    assert_eq!(tree(directory.path()).lines, ["a  0B  just now", "b  0B  just now", "c  0B  just now"]);
}

#[test]
fn links_are_named_and_not_followed() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    symlink("/", root.join("loop")).unwrap();
    symlink("nowhere", root.join("dangling")).unwrap();
    let mut lines = list(root, SystemTime::now(), &Limits::default()).unwrap().lines;
    lines.sort();
    assert_eq!(lines, ["dangling -> nowhere  just now", "loop -> /  just now"]);
}

#[test]
fn an_empty_directory_has_no_lines_and_a_missing_one_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(
        tree(directory.path()),
        Tree { lines: Vec::new(), root_total: 0, root_shown: 0, root_partial: false }
    );
    assert!(list(&directory.path().join("no"), now(), &Limits::default()).is_err());
}

#[test]
fn the_inner_life_of_git_stays_closed() {
    let directory = tempfile::tempdir().unwrap();
    file(&directory.path().join(".git/HEAD"), 1, 1);
    set_age(&directory.path().join(".git"), 1);
    assert_eq!(tree(directory.path()).lines, [".git/  just now"]);
}

#[test]
fn a_huge_directory_is_bounded() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    (0..5_000).for_each(|number| drop(File::create(root.join(format!("f{number}"))).unwrap()));
    file(&root.join("newest"), 1, 0);
    File::open(root.join("newest"))
        .unwrap()
        .set_modified(SystemTime::now() + Duration::from_secs(60))
        .unwrap();
    let tree = list(root, SystemTime::now(), &Limits { root_entries: 100, ..Limits::default() }).unwrap();
    assert_eq!((tree.lines.len(), tree.root_shown, tree.root_total), (100, 100, 5_001));
    assert!(tree.lines[0].starts_with("newest"));
}

#[test]
fn many_huge_subdirectories_are_bounded() {
    let directory = tempfile::tempdir().unwrap();
    for sub in ["a", "b", "c"] {
        (0..20).for_each(|number| file(&directory.path().join(format!("{sub}/{number}")), 0, 5));
        set_age(&directory.path().join(sub), 5);
    }
    let limits = Limits { root_entries: 10, child_entries: 2, child_scan: 30, ..Limits::default() };
    let lines = list(directory.path(), now(), &limits).unwrap().lines;
    assert_eq!(lines[3], "  … 18 more");
    assert_eq!(lines[7], "  … 8+ more");
    assert_eq!(&lines[8..], ["c/  just now"]);
}

/// A directory that is too large to be looked at is listed in part, and says so.
#[test]
fn an_endless_directory_is_listed_in_part() {
    let directory = tempfile::tempdir().unwrap();
    for number in 0..300 {
        std::fs::write(directory.path().join(format!("f{number}")), "").unwrap();
    }
    let seen = |limits: &Limits| {
        let tree = list(directory.path(), SystemTime::now(), limits).unwrap();
        (tree.root_total, tree.root_shown, tree.root_partial)
    };
    assert_eq!(seen(&Limits::default()), (300, 300, false));
    assert_eq!(seen(&Limits { root_scan: 100, root_entries: 20, ..Limits::default() }), (100, 20, true));
    assert_eq!(seen(&Limits { root_scan: 300, ..Limits::default() }), (300, 300, false));
    assert_eq!(seen(&Limits { time: Duration::ZERO, ..Limits::default() }), (64, 64, true));
}

/// Names may be readable where nothing else is: the entries are there all the same.
#[test]
fn a_directory_whose_entries_cannot_be_looked_at_is_not_empty() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("closed");
    file(&root.join("secret.txt"), 5, 5);
    fs::create_dir(root.join("inner")).unwrap();
    let allow = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    allow(directory.path(), 0o755);
    allow(&root, 0o444);
    // Whoever may do everything becomes somebody else, in this thread alone.
    let nobody = nix::unistd::Uid::from_raw(65_534);
    let before = nix::unistd::setfsuid(nobody);
    let lines = list(&root, now(), &Limits::default()).map(|tree| tree.lines);
    nix::unistd::setfsuid(before);
    allow(&root, 0o755);
    assert_eq!(lines.unwrap(), ["inner/  (no access)", "secret.txt  (no access)"]);
}

/// Subdirectories are looked into as long as there is time.
#[test]
fn very_many_subdirectories_are_bounded_in_time() {
    let directory = tempfile::tempdir().unwrap();
    (0..50).for_each(|number| file(&directory.path().join(format!("{number:02}/f")), 0, 5));
    let limits = Limits { time: Duration::ZERO, ..Limits::default() };
    let lines = list(directory.path(), now(), &limits).unwrap().lines;
    assert_eq!(lines.len(), 50, "{lines:?}");
}
