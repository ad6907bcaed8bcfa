use super::*;

struct TestFolder {
    _directory: tempfile::TempDir,
    root: PathBuf,
}

impl TestFolder {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        for name in ["home/.ssh", "home/.omp/agent", "home/.aws", "work/sub", "data"] {
            std::fs::create_dir_all(root.join(name)).unwrap();
        }
        for name in ["home/.ssh/id_rsa", "home/.omp/agent/agent.db-wal", "home/.aws/credentials", "work/a"] {
            std::fs::write(root.join(name), "content").unwrap();
        }
        Self { _directory: directory, root }
    }

    fn borders(&self) -> Borders {
        let home = self.root.join("home");
        Borders::new(&[self.root.join("work")], Some(&home), &[home.join(".omp"), self.root.join("data")])
    }

    fn refuses(&self, path: &str) -> bool {
        self.borders().open(&self.root.join(path)).is_err_and(|error| is_refusal(&error))
    }
}

#[test]
fn stores_are_refused_under_every_name() {
    let place = TestFolder::new();
    let link = |from: &str, to: &str| std::os::unix::fs::symlink(from, place.root.join(to)).unwrap();
    link("../home/.ssh/id_rsa", "work/key.txt");
    link("../home/.omp", "work/settings");
    for (from, to) in [("home/.omp/agent/agent.db-wal", "work/wal"), ("home/.aws/credentials", "work/aws")] {
        std::fs::hard_link(place.root.join(from), place.root.join(to)).unwrap();
    }
    let inside = format!("/proc/self/root{}/home/.ssh/id_rsa", place.root.display());
    for path in [
        "home/.ssh/id_rsa",
        "home/.omp/../.ssh/id_rsa",
        "work/key.txt",
        "work/settings/agent/agent.db-wal",
        "work/wal",
        "work/aws",
        inside.as_str(),
        "/proc/self/environ",
    ] {
        assert!(place.refuses(path), "{path}");
    }
    std::fs::hard_link(place.root.join("work/a"), place.root.join("work/b")).unwrap();
    assert!(!place.refuses("work/a") && !place.refuses("work/b") && !place.refuses("home/.ssh"));
}

#[test]
fn a_link_in_the_place_of_a_store_is_one() {
    let place = TestFolder::new();
    std::fs::write(place.root.join("data/elsewhere"), "key").unwrap();
    std::os::unix::fs::symlink(place.root.join("data/elsewhere"), place.root.join("home/.ssh/work")).unwrap();
    assert!(place.refuses("home/.ssh/work"));
}

#[test]
fn walks_pass_over_stores() {
    let place = TestFolder::new();
    std::fs::hard_link(place.root.join("home/.aws/credentials"), place.root.join("work/aws")).unwrap();
    let borders = place.borders();
    let opens =
        |base: &str, path: &str| borders.walk(&place.root.join(base)).open(&place.root.join(path)).is_ok();
    assert!(opens("work", "work/a"));
    assert!(!opens("work", "work/aws"));
    assert!(!opens("home", "home/.ssh/id_rsa"));
    std::os::unix::fs::symlink(place.root.join("home"), place.root.join("link")).unwrap();
    assert!(!opens("link", "link/.ssh/id_rsa"));
}

#[test]
fn spots_are_told_apart() {
    let place = TestFolder::new();
    let borders = place.borders();
    let spot = |path: &str| borders.spot(&place.root.join(path));
    assert_eq!(spot("work/new/file"), Spot::Free);
    assert_eq!(spot("home/file"), Spot::Outside);
    assert!(matches!(spot("work/.git/hooks/x"), Spot::Protected(_)));
    assert!(matches!(spot("home/.omp/agent/config.yml"), Spot::Protected(_)));
    borders.add(&place.root.join("home/more"));
    assert_eq!(spot("home/more/x"), Spot::Free);
    borders.remove(&place.root.join("home/more"));
    assert_eq!(spot("home/more/x"), Spot::Outside);
}
