//! Limits, and what happens at them.

use std::os::unix::fs::PermissionsExt;

use omp_history::HistoryError;

use crate::support::Place;

/// When there is too much, the oldest checkpoints go, and the others stay whole.
#[tokio::test]
async fn the_oldest_go_first() {
    let mut place = Place::with(|options| options.most_bytes = 60_000);
    for prompt in 0..6 {
        // Text that does not get smaller.
        let text: String = (0..20_000).map(|_| fastrand::alphanumeric()).collect();
        place.tool(&format!("p{prompt}"), &[("a.txt", &text)]).await;
    }
    let last = place.read("a.txt").unwrap();
    let counts = place.history.counts(place.prompts.clone()).await.unwrap();
    assert_eq!((counts[0], counts[5]), (None, Some(1)), "{counts:?}");
    assert!(place.history.bytes().await.unwrap() <= 60_000);
    let refused = place.history.plan(place.prompts.clone(), "p0".to_owned()).await;
    assert!(matches!(refused, Err(HistoryError::NoCheckpoint)));
    place.again();
    place.rewind("p5").await;
    assert_ne!(place.read("a.txt").unwrap(), last);
}

/// A store that cannot be written stops nothing, and is mentioned once.
#[tokio::test]
async fn a_store_that_cannot_be_written_stops_nothing() {
    let mut place = Place::new();
    place.write("a.txt", "one\n");
    std::fs::write(&place.options.directory, "a file where the store should be").unwrap();
    place.tool("p1", &[("a.txt", "two\n")]).await;
    place.tool("p2", &[("a.txt", "three\n")]).await;
    let notices = place.history.take_notices();
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert!(notices[0].contains("Cannot create a checkpoint"), "{notices:?}");
    assert_eq!(place.read("a.txt").unwrap(), "three\n");
}

/// A prompt that changes nothing leaves nothing behind; what is kept is for its owner only.
#[tokio::test]
async fn nothing_is_kept_of_a_prompt_that_only_reads() {
    let mut place = Place::repository(&[("a.txt", "one\n")]).await;
    place.prompts.push("p1".to_owned());
    place.history.begin("p1");
    place.history.settle();
    place.history.settled().await;
    assert!(!place.options.directory.exists());
    place.tool("p2", &[("a.txt", "two\n")]).await;
    let journal = place.options.directory.join("journal");
    assert_eq!(std::fs::metadata(journal).unwrap().permissions().mode() & 0o777, 0o600);
    let counts = place.history.counts(place.prompts.clone()).await.unwrap();
    assert_eq!(counts, [Some(1), Some(1)], "before the first it was the same");
}

/// A run that nobody asked for in words belongs to the prompt before it.
#[tokio::test]
async fn work_that_goes_on_by_itself_is_kept_too() {
    let mut place = Place::new();
    place.write("a.txt", "one\n");
    place.tool("p1", &[("a.txt", "two\n")]).await;
    place.history.before_change().await;
    place.history.declare(&place.path("b.txt"));
    place.write("b.txt", "new\n");
    place.history.settle();
    place.history.settled().await;
    place.rewind("p1").await;
    assert_eq!((place.read("a.txt").unwrap().as_str(), place.read("b.txt")), ("one\n", None));
}

/// Nothing is known of what a command does where there is no git, and nothing is written; the first file that a tool
/// changes brings the prompts before it along.
#[tokio::test]
async fn commands_without_git_leave_nothing() {
    let mut place = Place::new();
    place.command("p1", |_| {}).await;
    assert!(!place.options.directory.exists());
    place.write("a.txt", "one\n");
    place.tool("p2", &[("a.txt", "two\n")]).await;
    place.again();
    let counts = place.history.counts(place.prompts.clone()).await.unwrap();
    assert_eq!(counts, [Some(1), Some(1)]);
    place.rewind("p1").await;
    assert_eq!(place.read("a.txt").unwrap(), "one\n");
}

/// Ten thousand tracked files, a few of them changed by a command.
#[tokio::test]
async fn many_tracked_files_are_no_burden() {
    let mut place = Place::new();
    place.git(&["init", "-q"]).await;
    for number in 0..10_000 {
        place.write(&format!("d{}/f{number}.txt", number % 100), "same\n");
    }
    place.git(&["add", "-A"]).await;
    place.git(&["commit", "-qm", "first"]).await;
    place
        .command("p1", |place| {
            (0..20).for_each(|number| place.write(&format!("d{number}/f{number}.txt"), "changed\n"));
        })
        .await;
    let restored = place.rewind("p1").await;
    assert_eq!(restored.done.len(), 20);
    assert_eq!(place.git(&["status", "--porcelain"]).await, "");
    assert!(place.history.bytes().await.unwrap() < 10_000);
}

/// A prompt that only reads asks nobody; one that changes something asks git once before, and once after.
#[tokio::test]
async fn git_is_asked_only_when_something_changes() {
    let mut place = Place::repository(&[("a.txt", "one\n")]).await;
    place.script_git("printf '%s\\n' \"$*\" >> \"$NOTES\"\nPATH=$REAL_PATH exec git \"$@\"");
    place.history.begin("p0");
    place.history.settle();
    place.history.settled().await;
    assert!(!place.notes().exists());
    place.tool("p1", &[("a.txt", "two\n")]).await;
    let asked = std::fs::read_to_string(place.notes()).unwrap();
    assert_eq!(asked.lines().filter(|line| line.contains(" status ")).count(), 2, "{asked}");
}
