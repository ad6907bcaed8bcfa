//! What others change is theirs.

use omp_history::{Others, Why};

use crate::support::Place;

/// A file that somebody changed after the model did is named, and stays unless it is asked for.
#[tokio::test]
async fn what_others_changed_since_stays() {
    let mut place = Place::repository(&[("a.txt", "one\n"), ("b.txt", "b\n")]).await;
    place.tool("p1", &[("a.txt", "two\n"), ("b.txt", "B\n"), ("new.txt", "new\n")]).await;
    place.write("a.txt", "mine\n");
    place.write("new.txt", "mine, too\n");
    place.write("other.txt", "not of the model\n");
    let plan = place.plan("p1").await;
    assert_eq!(place.names(&plan.changes), ["revert b.txt"]);
    assert_eq!(place.names(&plan.outside), ["revert a.txt", "remove new.txt", "remove other.txt"]);
    let restored = place.rewind("p1").await;
    assert_eq!(restored.left.len(), 3);
    assert_eq!(place.read("a.txt").unwrap(), "mine\n");
    assert_eq!(place.read("new.txt").unwrap(), "mine, too\n");
    assert_eq!(place.read("b.txt").unwrap(), "b\n");

    let plan = place.plan("p1").await;
    place.history.restore(plan, Others::Restored, None).await.unwrap();
    assert_eq!((place.read("a.txt").unwrap().as_str(), place.read("new.txt")), ("one\n", None));
    place.history.redo(Others::Stay).await.unwrap();
    assert_eq!(place.read("a.txt").unwrap(), "mine\n", "nothing is lost");
    assert_eq!(place.read("other.txt").unwrap(), "not of the model\n");
}

/// A change between two prompts counts, too.
#[tokio::test]
async fn what_others_changed_in_between_is_noticed() {
    let mut place = Place::new();
    place.write("a.txt", "one\n");
    place.tool("p1", &[("a.txt", "two\n")]).await;
    place.write("a.txt", "mine\n");
    place.tool("p2", &[("a.txt", "three\n")]).await;
    let plan = place.plan("p1").await;
    assert_eq!(place.names(&plan.outside), ["revert a.txt"]);
    let plan = place.plan("p2").await;
    assert_eq!(place.names(&plan.changes), ["revert a.txt"]);
    place.rewind("p2").await;
    assert_eq!(place.read("a.txt").unwrap(), "mine\n");
}

/// Two sessions in one directory: what the other one changed is not ours.
#[tokio::test]
async fn another_session_is_somebody_else() {
    let mut place = Place::repository(&[("a.txt", "one\n"), ("b.txt", "b\n")]).await;
    let mut other = Place::with(|options| {
        options.cwd = place.root.clone();
        options.environment = place.options.environment.clone();
    });
    other.root = place.root.clone();
    place.tool("p1", &[("a.txt", "two\n")]).await;
    other.tool("q1", &[("b.txt", "B\n")]).await;
    place.tool("p2", &[("a.txt", "three\n")]).await;
    let plan = place.plan("p1").await;
    assert_eq!(place.names(&plan.changes), ["revert a.txt"]);
    assert_eq!(place.names(&plan.outside), ["revert b.txt"]);
    other.rewind("q1").await;
    assert_eq!(place.read("b.txt").unwrap(), "b\n");
    assert_eq!(place.read("a.txt").unwrap(), "three\n");
}

/// Ignored files and large files are named, and left alone.
#[tokio::test]
async fn ignored_and_large_files_are_named() {
    let mut place = Place::repository(&[(".gitignore", "*.log\n"), ("a.txt", "one\n")]).await;
    let large = "x".repeat(100 * 1024);
    place.write("large.bin", &large);
    place.write("run.log", "before\n");
    place.tool("p1", &[("a.txt", "two\n"), ("run.log", "after\n"), ("large.bin", "small now\n")]).await;
    let restored = place.rewind("p1").await;
    let mut named: Vec<(String, Why)> =
        restored.unprotected.iter().map(|one| (place.inside(&one.path), one.why)).collect();
    named.sort_by(|one, other| one.0.cmp(&other.0));
    assert_eq!(named, [("large.bin".to_owned(), Why::TooLarge), ("run.log".to_owned(), Why::Ignored)]);
    assert_eq!(place.read("run.log").unwrap(), "after\n");
    assert_eq!(place.read("large.bin").unwrap(), "small now\n");
    assert_eq!(place.read("a.txt").unwrap(), "one\n");
}

/// A directory that became a link leads elsewhere, and nothing is written there.
#[tokio::test]
async fn nothing_is_written_through_a_link() {
    let mut place = Place::new();
    place.write("dir/a.txt", "one\n");
    place.write("elsewhere/a.txt", "two\n");
    place.tool("p1", &[("dir/a.txt", "two\n")]).await;
    std::fs::remove_dir_all(place.path("dir")).unwrap();
    std::os::unix::fs::symlink("elsewhere", place.path("dir")).unwrap();
    let plan = place.plan("p1").await;
    let restored = place.history.restore(plan, Others::Restored, None).await.unwrap();
    assert_eq!(restored.failed.len(), 1, "{restored:?}");
    assert_eq!(place.read("elsewhere/a.txt").unwrap(), "two\n");
}
