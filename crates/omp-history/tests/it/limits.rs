//! Limits that protect the program, smaller than usual.

use std::path::Path;
use std::time::Duration;

use omp_history::{HistoryError, Limits, Others, Why};

use crate::support::Place;

/// The limits that the documentation names.
#[test]
fn limits_are_what_people_were_told() {
    let usual = Limits::default();
    assert_eq!((usual.patience, usual.files, usual.prompts), (Duration::from_secs(10), 5_000, 200));
    assert_eq!(usual.bytes, 128 * 1024 * 1024);
}

/// Git that hangs for some of its commands, and notes the process that does. Others are answered.
fn hanging(place: &mut Place, command: &str) {
    place.limits.patience = Duration::from_millis(500);
    place.script_git(&format!(
        "case \"$*\" in *\" {command} \"*) echo $$ >> \"$NOTES\"; exec sleep 600;; esac\nPATH=$REAL_PATH exec git \"$@\""
    ));
}

/// The processes that hung. None of them is left. On a machine that is too slow for others to answer there may be none.
fn hung(place: &Place) -> usize {
    let notes = std::fs::read_to_string(place.notes()).unwrap_or_default();
    for process in notes.lines() {
        assert!(!Path::new("/proc").join(process).exists(), "{process} is still there");
    }
    notes.lines().count()
}

/// Git that hangs is waited for once. The prompt goes on, somebody is told, and what tools change is safe.
#[tokio::test]
async fn git_that_hangs_is_waited_for_once() {
    for command in ["rev-parse", "status"] {
        let mut place = Place::repository(&[("a.txt", "one\n"), ("b.txt", "b\n")]).await;
        hanging(&mut place, command);
        place.tool("p1", &[("a.txt", "two\n")]).await;
        let notices = place.history.take_notices();
        assert_eq!(notices.len(), 1, "{notices:?}");
        assert!(
            notices[0].contains("work without git") && notices[0].contains("timed out after"),
            "{notices:?}"
        );
        place.tool("p2", &[("a.txt", "three\n")]).await;
        place.rewind("p1").await;
        assert_eq!(place.read("a.txt").unwrap(), "one\n");
        place.history.redo(Others::Stay).await.unwrap();
        assert_eq!(place.read("a.txt").unwrap(), "three\n");
        assert!(hung(&place) <= 1, "it is not asked again");
        assert_eq!(place.history.take_notices().len(), 0, "and that is said once");
    }
}

/// Git that hangs when files are to come back: what only git knows is named and stays, everything else comes back.
#[tokio::test]
async fn git_that_hangs_later_is_named_for_what_it_does_not_say() {
    for command in ["diff", "ls-tree", "cat-file"] {
        let mut place = Place::changed_twice().await;
        hanging(&mut place, command);
        let plan = place.plan("p1").await;
        assert_eq!(place.names(&plan.changes), ["revert a.txt"], "{command}: {plan:?}");
        let named: Vec<_> = plan.unprotected.iter().map(|one| (place.inside(&one.path), one.why)).collect();
        assert_eq!(named, [("b.txt".to_owned(), Why::NoGit)], "{command}");
        place.rewind("p1").await;
        assert_eq!(place.read("a.txt").unwrap(), "one\n");
        assert_eq!(place.read("b.txt").unwrap(), "by a command\n");
        let notices = place.history.take_notices();
        assert!(notices.len() == 1 && notices[0].contains("work without git"), "{command}: {notices:?}");
        assert!(hung(&place) <= 1, "{command} is asked once, however many files there are");
    }
}

/// A commit that is gone spoils what it knew, not the prompts after it.
#[tokio::test]
async fn a_commit_that_is_gone_does_not_spoil_the_rest() {
    let mut place = Place::repository(&[("a.txt", "one\n"), ("b.txt", "b\n")]).await;
    place.command("p1", |place| place.write("b.txt", "by a command\n")).await;
    let head = place.git(&["rev-parse", "HEAD"]).await;
    let journal = place.options.directory.join("journal");
    let text = std::fs::read_to_string(&journal).unwrap();
    std::fs::write(&journal, text.replace(head.trim(), &"0123".repeat(10))).unwrap();
    place.again();
    place.command("p2", |place| place.write("a.txt", "two\n")).await;
    let plan = place.plan("p1").await;
    assert_eq!(plan.unprotected.len(), 1, "{plan:?}");
    let notices = place.history.take_notices();
    assert!(notices.len() == 1 && notices[0].contains("git could not list"), "{notices:?}");
    place.rewind("p2").await;
    assert_eq!(place.read("a.txt").unwrap(), "one\n", "git is still asked");
}

/// More files than a checkpoint looks at: that is said when it is taken and when it is used.
#[tokio::test]
async fn more_files_than_are_kept_are_told() {
    let mut place = Place::repository(&[("a.txt", "one\n")]).await;
    place.limits.files = 3;
    place.again();
    (0..5).for_each(|number| place.write(&format!("new{number}"), "before\n"));
    place
        .command("p1", |place| {
            place.history.declare(&place.path("a.txt"));
            ["a.txt", "new0", "new4"].iter().for_each(|name| place.write(name, "after\n"));
        })
        .await;
    let notices = place.history.take_notices();
    assert!(notices.len() == 1 && notices[0].starts_with("5 files differ"), "{notices:?}");
    place.again();
    let restored = place.rewind("p1").await;
    let notices = place.history.take_notices();
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert!(notices[0].starts_with("Before that prompt 5 files differed"), "{notices:?}");
    assert!(notices[0].contains("only 3 of them"), "{notices:?}");
    assert_eq!(restored.done.len(), 2, "what was looked at, and what a tool changed");
    let texts = ["a.txt", "new0", "new4"].map(|name| place.read(name).unwrap());
    assert_eq!(texts, ["one\n", "before\n", "after\n"]);
}

/// As many as are allowed are kept without a word.
#[tokio::test]
async fn as_many_files_as_are_allowed_are_kept_without_a_word() {
    let mut place = Place::repository(&[("a.txt", "one\n")]).await;
    place.limits.files = 3;
    place.again();
    (0..3).for_each(|number| place.write(&format!("new{number}"), "before\n"));
    place
        .command("p1", |place| (0..3).for_each(|number| place.write(&format!("new{number}"), "after\n")))
        .await;
    assert_eq!(place.rewind("p1").await.done.len(), 3);
    assert_eq!(place.history.take_notices(), [""; 0]);
}

/// More files than come back at once: nothing is touched, and somebody is told why.
#[tokio::test]
async fn more_files_than_come_back_at_once_are_refused() {
    for made in [4, 9] {
        let mut place = Place::repository(&[("a.txt", "one\n")]).await;
        place.limits.files = 3;
        place.again();
        place
            .command("p1", |place| {
                (0..made).for_each(|number| place.write(&format!("new{number}"), "new\n"));
            })
            .await;
        let refused = place.history.plan(place.prompts.clone(), "p1".to_owned()).await;
        assert!(matches!(refused, Err(HistoryError::TooMany(3))), "{refused:?}");
        assert!(place.path("new0").exists());
    }
}

/// More bytes than a checkpoint looks at: the rest is named when it would have to come back.
#[tokio::test]
async fn more_bytes_than_are_looked_at_are_named() {
    let mut place = Place::repository(&[]).await;
    place.limits.bytes = 10;
    place.again();
    ["a", "b", "c"].iter().for_each(|name| place.write(name, "12345678"));
    place.command("p1", |place| ["a", "b", "c"].iter().for_each(|name| place.write(name, "x"))).await;
    let restored = place.rewind("p1").await;
    let named: Vec<_> = restored.unprotected.iter().map(|one| (place.inside(&one.path), one.why)).collect();
    assert_eq!(named, [("c".to_owned(), Why::TooMany)]);
    assert_eq!((place.read("a").unwrap().len(), place.read("c").unwrap().len()), (8, 1));
}

/// More prompts than are remembered: the oldest goes, and says so.
#[tokio::test]
async fn more_prompts_than_are_remembered() {
    let mut place = Place::new();
    place.limits.prompts = 2;
    place.again();
    for prompt in ["p1", "p2", "p3"] {
        place.tool(prompt, &[("a.txt", prompt)]).await;
    }
    let counts = place.history.counts(place.prompts.clone()).await.unwrap();
    assert_eq!(counts, [None, Some(1), Some(1)]);
}

/// A limit without a limit: the largest number is a number like any other.
#[tokio::test]
async fn a_file_may_be_as_large_as_numbers_go() {
    let mut place = Place::with(|options| options.largest_file = u64::MAX);
    place.write("a.txt", "one\n");
    place.tool("p1", &[("a.txt", "two\n")]).await;
    place.again();
    place.rewind("p1").await;
    assert_eq!(place.read("a.txt").unwrap(), "one\n");
}
