//! Lists of files that are remembered for a moment, with a clock that the test moves.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use omp_workspace::finder::{Finder, rank};
use omp_workspace::scans::{Detail, Limits, Options, Scans};
use omp_workspace::walk::End;

struct World {
    directory: tempfile::TempDir,
    scans: Arc<Scans>,
    passed: Arc<AtomicU64>,
}

impl World {
    fn new(limits: Limits) -> Self {
        let (start, passed) = (Instant::now(), Arc::new(AtomicU64::new(0)));
        let clock = Arc::clone(&passed);
        let now = move || start + Duration::from_millis(clock.load(Ordering::Relaxed));
        let scans = Arc::new(Scans::new(limits, Box::new(now)));
        Self { directory: tempfile::tempdir().unwrap(), scans, passed }
    }

    fn root(&self) -> &Path {
        self.directory.path()
    }

    fn file(&self, name: &str) {
        let path = self.root().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "x").unwrap();
    }

    fn wait(&self, milliseconds: u64) {
        self.passed.fetch_add(milliseconds, Ordering::Relaxed);
    }

    fn listed(&self, options: Options) -> Vec<String> {
        let scan = self.scans.get(self.root(), options, &|| false);
        assert_eq!(scan.end, End::Complete);
        scan.entries.iter().map(|entry| entry.path.to_string()).collect()
    }

    fn found(&self, query: &str) -> Vec<String> {
        let finder = Finder::new(self.root().to_owned(), Arc::clone(&self.scans));
        finder.find(query, 10, &|| false).into_iter().map(|found| found.path).collect()
    }
}

// proves: LOP-188
#[test]
fn a_scan_is_good_for_a_second_and_for_its_options() {
    let world = World::new(Limits::default());
    world.file("a.txt");
    let names = Options::default();
    assert_eq!(world.listed(names), ["a.txt"]);
    world.file("b.txt");
    world.file(".hidden");
    world.file("node_modules/m/index.js");
    world.wait(999);
    assert_eq!(world.listed(names), ["a.txt"], "remembered");
    let metadata = Options { detail: Detail::Metadata, ..names };
    assert_eq!(world.listed(metadata), [".hidden", "a.txt", "b.txt"], "other options are another scan");
    assert_eq!(world.listed(Options { hidden: false, ..names }), ["a.txt", "b.txt"]);
    let modules = Options { node_modules: true, hidden: false, ..names };
    assert_eq!(
        world.listed(modules),
        ["a.txt", "b.txt", "node_modules/", "node_modules/m/", "node_modules/m/index.js"]
    );
    world.file(".gitignore");
    std::fs::write(world.root().join(".gitignore"), "b.txt\n").unwrap();
    assert_eq!(world.listed(Options { gitignore: false, hidden: false, ..names }), ["a.txt", "b.txt"]);
    world.wait(1);
    assert_eq!(world.listed(names), [".gitignore", ".hidden", "a.txt"], "after a second it is made again");
    let scan = world.scans.get(world.root(), metadata, &|| false);
    assert_eq!(scan.entries[0].metadata.unwrap().bytes, 1);
}

// proves: LOP-188
#[test]
fn at_most_sixteen_scans_are_kept_and_the_oldest_goes_first() {
    let world = World::new(Limits::default());
    let list = |root: &str| {
        let scan = world.scans.get(&world.root().join(root), Options::default(), &|| false);
        scan.entries.len()
    };
    for root in 0..17 {
        world.file(&format!("{root:02}/one"));
        assert_eq!(list(&format!("{root:02}")), 1);
    }
    for root in 0..17 {
        world.file(&format!("{root:02}/two"));
    }
    assert_eq!(list("01"), 1, "kept");
    assert_eq!(list("16"), 1, "kept");
    assert_eq!(list("00"), 2, "forgotten and made again");
    assert_eq!(list("01"), 2, "the next oldest made room for it");
}

// proves: LOP-189
#[test]
fn an_empty_answer_from_an_older_scan_is_checked() {
    let world = World::new(Limits::default());
    world.file("alpha.txt");
    assert_eq!(world.found("alpha"), ["alpha.txt"]);
    world.file("omega.txt");
    world.wait(199);
    assert_eq!(world.found("omega"), [""; 0], "the scan is new enough");
    world.wait(1);
    assert_eq!(world.found("omega"), ["omega.txt"]);
    assert_eq!(world.found("alpha"), ["alpha.txt"]);
}

// proves: LOP-190
#[test]
fn a_change_is_seen_at_once() {
    let world = World::new(Limits::default());
    world.file("src/a.txt");
    world.file("other/b.txt");
    let listed = |root: &str| {
        let scan = world.scans.get(&world.root().join(root), Options::default(), &|| false);
        scan.entries.iter().map(|entry| entry.path.to_string()).collect::<Vec<_>>()
    };
    assert_eq!((listed("src").len(), listed("other").len(), listed("").len()), (1, 1, 4));
    world.file("src/deep/new.txt");
    world.file("other/c.txt");
    world.scans.changed(&world.root().join("src/deep/new.txt"));
    assert_eq!(listed("src"), ["a.txt", "deep/", "deep/new.txt"]);
    assert_eq!(listed("").len(), 7, "a scan of a directory above lists it too");
    assert_eq!(listed("other"), ["b.txt"], "a scan beside it is still good");
    std::fs::remove_dir_all(world.root().join("src")).unwrap();
    world.scans.changed(&world.root().join("src"));
    assert_eq!(listed("src"), [""; 0], "a scan below a directory that is gone");
    std::os::unix::fs::symlink(world.root().join("other"), world.root().join("link")).unwrap();
    world.file("link/d.txt");
    world.scans.changed(&world.root().join("link/d.txt"));
    assert_eq!(listed("other"), ["b.txt", "c.txt", "d.txt"], "links lead to the same files");
    world.file("other/e.txt");
    world.scans.clear();
    assert_eq!(listed("other").len(), 4);
}

// proves: LOP-191
#[test]
fn git_is_never_listed_and_no_time_means_no_memory() {
    let world = World::new(Limits { ttl: Duration::ZERO, ..Limits::default() });
    world.file(".git/config");
    world.file("sub/.git/HEAD");
    world.file(".github/workflow.yml");
    let all = Options { hidden: true, gitignore: false, node_modules: true, detail: Detail::Metadata };
    assert_eq!(world.listed(all), [".github/", ".github/workflow.yml", "sub/"]);
    world.file("new.txt");
    assert!(world.listed(all).contains(&"new.txt".to_owned()), "made again each time");
}

#[test]
fn a_scan_that_was_overtaken_by_a_change_is_not_kept() {
    let world = World::new(Limits::default());
    world.file("a.txt");
    let once = AtomicU64::new(0);
    // The walk asks whether it is still wanted; this is where somebody else writes.
    let overtake = || {
        if once.fetch_add(1, Ordering::Relaxed) == 0 {
            world.scans.changed(&world.root().join("b.txt"));
        }
        false
    };
    world.scans.get(world.root(), Options::default(), &overtake);
    world.file("b.txt");
    assert_eq!(world.listed(Options::default()), ["a.txt", "b.txt"]);
}

#[test]
fn better_names_come_first() {
    let paths = [
        "crates/omp-tools/src/read/mod.rs",
        "crates/omp-tools/src/read/",
        "docs/readme-notes.md",
        "README.md",
        "src/thread.rs",
        "r/e/a/d.txt",
        "unrelated.txt",
    ];
    let ranked = |query: &str, limit| {
        let ranked = rank(paths.into_iter(), query, limit, &|| false);
        ranked.into_iter().map(|ranked| ranked.path).collect::<Vec<_>>()
    };
    assert_eq!(ranked("README", 10), ["README.md"], "capital letters count where there are some");
    assert_eq!(ranked("readme", 1), ["README.md"]);
    assert_eq!(ranked("toolsreadmod", 10), ["crates/omp-tools/src/read/mod.rs"]);
    assert_eq!(ranked("read tools", 2).len(), 2, "words in any order");
    assert_eq!(ranked("zzz", 10), [""; 0]);
    assert_eq!(ranked("", 2), ["README.md", "unrelated.txt"], "nearest to the root");
    let none = rank(paths.into_iter(), "r", 10, &|| true);
    assert!(none.is_empty(), "cancelled");
}
