//! The history of sessions that are copied, and of one session in two processes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use omp_history::{Copied, HistoryError, Others, Why, copy};

use crate::support::Place;

/// The same place, seen by a copy of the session that has these entries.
fn copied(place: &mut Place, entries: &[&str]) -> Copied {
    let (from, to) = (place.options.directory.clone(), place.root.with_file_name("copy"));
    let copied = copy(&from, &to, |entry| entries.contains(&entry)).unwrap();
    place.options.directory = to;
    place.prompts.retain(|prompt| entries.contains(&prompt.as_str()));
    place.again();
    copied
}

fn files_of(store: &Path) -> BTreeSet<(PathBuf, Vec<u8>)> {
    let below = [store.to_owned(), store.join("contents")];
    let files = below.iter().filter_map(|directory| std::fs::read_dir(directory).ok()).flatten();
    let files = files.map(|file| file.unwrap().path()).filter(|path| path.is_file());
    files.map(|path| (path.clone(), std::fs::read(&path).unwrap())).collect()
}

/// A copy of everything goes back and forth like the first, and leaves the first as it is.
#[tokio::test]
async fn a_whole_copy_is_independent() {
    let mut place = Place::repository(&[("a.txt", "one\n"), ("b.txt", "b\n")]).await;
    place.tool("p1", &[("a.txt", "two\n")]).await;
    place.command("p2", |place| place.write("b.txt", "B\n")).await;
    let plan = place.plan("p2").await;
    place.history.restore(plan, Others::Stay, Some("p2".to_owned())).await.unwrap();
    let first = place.options.directory.clone();
    let before = files_of(&first);
    assert_eq!(copied(&mut place, &["p1", "p2", "p3"]), Copied { kept: 2, left: 0 });
    let redone = place.history.redo(Others::Stay).await.unwrap();
    assert_eq!((redone.leaf.as_deref(), redone.done.len()), (Some("p2"), 1));
    place.tool("p3", &[("a.txt", "three\n")]).await;
    place.rewind("p1").await;
    assert_eq!((place.read("a.txt").unwrap(), place.read("b.txt").unwrap()), ("one\n".into(), "b\n".into()));
    assert_eq!(files_of(&first), before, "the first is only read");
    std::fs::remove_dir_all(&first).unwrap();
    place.history.redo(Others::Stay).await.unwrap();
    assert_eq!(place.read("a.txt").unwrap(), "three\n", "and is not needed");
}

/// What happened in prompts that a copy has not is somebody else's: after those that it has, and between them.
#[tokio::test]
async fn prompts_that_a_copy_has_not_are_somebody_elses() {
    let mut place = Place::new();
    let names = ["a.txt", "b.txt", "c.txt", "d.txt"];
    names.iter().for_each(|name| place.write(name, "one\n"));
    for (prompt, name) in ["p1", "p2", "p3", "p4"].into_iter().zip(names) {
        place.tool(prompt, &[(name, "two\n")]).await;
    }
    assert_eq!(copied(&mut place, &["p1", "p3"]), Copied { kept: 2, left: 2 });
    let plan = place.plan("p1").await;
    assert_eq!(place.names(&plan.changes), ["revert a.txt", "revert c.txt"]);
    assert_eq!(place.names(&plan.outside), ["revert b.txt"]);
    place.rewind("p1").await;
    let texts = names.map(|name| place.read(name).unwrap());
    assert_eq!(texts, ["one\n", "two\n", "one\n", "two\n"], "of the last nothing is known");
    let journal = std::fs::read_to_string(place.options.directory.join("journal")).unwrap();
    assert!(!journal.contains("d.txt"), "{journal}");
}

/// A restore cannot be undone in a copy that has not what it undid.
#[tokio::test]
async fn a_copy_does_not_undo_what_it_never_had() {
    for (leaf, entries) in [(Some("p2"), &["p1"][..]), (None, &["p1"]), (Some("later"), &["p1", "p2"])] {
        let mut place = Place::new();
        place.write("a.txt", "one\n");
        place.tool("p1", &[("a.txt", "two\n")]).await;
        place.tool("p2", &[("a.txt", "three\n")]).await;
        let plan = place.plan("p2").await;
        place.history.restore(plan, Others::Stay, leaf.map(str::to_owned)).await.unwrap();
        copied(&mut place, entries);
        let refused = place.history.redo(Others::Restored).await;
        assert!(matches!(refused, Err(HistoryError::NothingToRedo)), "{leaf:?}: {refused:?}");
        assert_eq!(place.read("a.txt").unwrap(), "two\n");
        let plan = place.plan("p1").await;
        place.history.restore(plan, Others::Restored, None).await.unwrap();
        assert_eq!(place.read("a.txt").unwrap(), "one\n", "{leaf:?}");
    }
}

/// A copy that has nothing of it says of every prompt that nothing is kept.
#[tokio::test]
async fn a_copy_without_a_history_says_so() {
    let mut place = Place::new();
    place.write("a.txt", "one\n");
    place.tool("p1", &[("a.txt", "two\n")]).await;
    let prompts = place.prompts.clone();
    assert_eq!(copied(&mut place, &[]), Copied { kept: 0, left: 1 });
    let refused = place.history.plan(prompts.clone(), "p1".to_owned()).await;
    assert!(matches!(refused, Err(HistoryError::NoCheckpoint)), "{refused:?}");
    assert_eq!(place.history.bytes().await.unwrap(), 0);
    place.prompts = prompts;
    place.tool("p2", &[("a.txt", "three\n")]).await;
    let counts = place.history.counts(place.prompts.clone()).await.unwrap();
    assert_eq!(counts, [None, Some(1)], "from here on it has its own");
}

/// Nothing is made of nothing.
#[tokio::test]
async fn a_session_without_a_history_has_none_to_copy() {
    let mut place = Place::new();
    assert_eq!(copied(&mut place, &["p1"]), Copied::default());
    assert!(!place.options.directory.exists());
}

/// A session that is copied in the middle of a prompt: what became of it is not known to the copy.
#[tokio::test]
async fn a_copy_in_the_middle_of_a_prompt() {
    let mut place = Place::in_a_prompt().await;
    let first = Arc::clone(&place.history);
    copied(&mut place, &["p1"]);
    place.write("a.txt", "two\n");
    first.settle();
    first.settled().await;
    let plan = place.plan("p1").await;
    assert_eq!(place.names(&plan.outside), ["revert a.txt"]);
}

/// A copy that fails half way keeps nothing, and says so.
#[tokio::test]
async fn a_copy_that_fails_has_no_checkpoints() {
    let mut place = Place::new();
    place.write("a.txt", "one\n");
    place.tool("p1", &[("a.txt", "two\n")]).await;
    let (from, to) = (place.options.directory.clone(), place.root.with_file_name("copy"));
    std::fs::create_dir(&to).unwrap();
    std::fs::write(to.join("contents"), "a file where contents should be").unwrap();
    assert!(matches!(copy(&from, &to, |_| true), Err(HistoryError::Store { .. })));
    place.options.directory = to;
    place.again();
    assert_eq!(place.history.counts(place.prompts.clone()).await.unwrap(), [None]);
}

/// Switched off is off in the copy, too.
#[tokio::test]
async fn a_copy_stays_switched_off() {
    let mut place = Place::new();
    place.history.switch(false).await.unwrap();
    copied(&mut place, &[]);
    assert!(!place.history.is_on().await.unwrap());
}

/// What another run of the same session wrote is read before anything is added.
#[tokio::test]
async fn what_another_run_wrote_is_read_first() {
    let mut place = Place::new();
    place.write("a.txt", "one\n");
    place.tool("p1", &[("a.txt", "two\n")]).await;
    let first = Arc::clone(&place.history);
    place.again();
    place.tool("p2", &[("a.txt", "three\n"), ("b.txt", "b\n")]).await;
    place.history = first;
    place.tool("p3", &[("a.txt", "four\n")]).await;
    for _ in 0..2 {
        let plan = place.plan("p2").await;
        assert_eq!(place.names(&plan.changes), ["revert a.txt", "remove b.txt"], "{plan:?}");
        assert_eq!(plan.outside, []);
        place.again();
    }
}

/// A run in whose prompt another one begins to write adds nothing to that, and says so.
#[tokio::test]
async fn two_runs_do_not_write_through_each_other() {
    let mut place = Place::new();
    place.write("a.txt", "one\n");
    place.tool("p1", &[("a.txt", "two\n")]).await;
    place.history.begin("p2");
    place.history.before_change().await;
    let first = Arc::clone(&place.history);
    place.again();
    place.tool("p3", &[("a.txt", "three\n")]).await;
    let journal = std::fs::read(place.options.directory.join("journal")).unwrap();
    first.declare(&place.path("b.txt"));
    place.write("b.txt", "b\n");
    first.settle();
    first.settled().await;
    assert_eq!(std::fs::read(place.options.directory.join("journal")).unwrap(), journal);
    let notices = first.take_notices();
    assert!(notices.len() == 1 && notices[0].contains("another process"), "{notices:?}");
}

/// A session that is not ours any more: nothing is read or written, until it is ours again.
#[tokio::test]
async fn nothing_is_kept_of_a_session_that_is_not_ours() {
    let mut place = Place::new();
    place.write("a.txt", "one\n");
    place.tool("p1", &[("a.txt", "two\n")]).await;
    let before = files_of(&place.options.directory);
    let ours = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&ours);
    place.history.while_ours(move || match asked.load(Ordering::Acquire) {
        true => Ok(()),
        false => Err("somebody has it".to_owned()),
    });
    place.tool("p2", &[("a.txt", "three\n")]).await;
    let refused = place.history.plan(place.prompts.clone(), "p1".to_owned()).await;
    assert!(matches!(&refused, Err(HistoryError::NotOurs(why)) if why == "somebody has it"), "{refused:?}");
    assert_eq!(files_of(&place.options.directory), before);
    let notices = place.history.take_notices();
    assert!(notices.len() == 1 && notices[0].contains("read-only"), "{notices:?}");
    ours.store(true, Ordering::Release);
    place.tool("p3", &[("a.txt", "four\n")]).await;
    for _ in 0..2 {
        let counts = place.history.counts(place.prompts.clone()).await.unwrap();
        assert_eq!(counts, [Some(1), None, Some(1)], "nothing is kept of the second");
        place.again();
    }
}

/// A journal that somebody took away is written again, whole.
#[tokio::test]
async fn a_journal_that_was_taken_away_is_whole_again() {
    let mut place = Place::new();
    place.write("a.txt", "one\n");
    place.tool("p1", &[("a.txt", "two\n")]).await;
    std::fs::remove_file(place.options.directory.join("journal")).unwrap();
    place.tool("p2", &[("b.txt", "b\n")]).await;
    place.again();
    place.rewind("p1").await;
    assert_eq!((place.read("a.txt").unwrap(), place.read("b.txt")), ("one\n".into(), None));
}

/// A session that works in another repository by now: git is not asked there about commits of the first one.
#[tokio::test]
async fn a_session_that_moved_does_not_ask_the_wrong_repository() {
    let mut place = Place::changed_twice().await;
    let other = Place::repository(&[("x.txt", "x\n")]).await;
    other.write("x.txt", "changed\n");
    place.options.cwd = other.root.clone();
    place.again();
    let restored = place.rewind("p1").await;
    assert_eq!(place.read("a.txt").unwrap(), "one\n");
    let named: Vec<_> = restored.unprotected.iter().map(|one| (place.inside(&one.path), one.why)).collect();
    assert_eq!(named, [("b.txt".to_owned(), Why::NoGit)]);
    assert_eq!(other.read("x.txt").unwrap(), "changed\n");
    assert_eq!(place.history.take_notices(), [""; 0]);
}
