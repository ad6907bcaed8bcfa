//! Files that cannot be read or written, in ways that stop the superuser, too.

use std::os::unix::fs::{FileTypeExt, symlink};

use omp_history::{Others, Restored, Why};

use crate::support::Place;

/// A directory that leads to itself: nobody can read a file in it.
fn loop_at(place: &Place, name: &str) {
    symlink(name, place.path(name)).unwrap();
}

/// What a restore could not do, with the reasons.
fn refused(place: &Place, restored: &Restored) -> Vec<(String, String)> {
    let unprotected = restored.unprotected.iter().map(|one| (place.inside(&one.path), one.why.to_string()));
    let failed = restored.failed.iter().map(|(path, why)| (place.inside(path), why.clone()));
    failed.chain(unprotected).collect()
}

/// What could not be read before a prompt is named, and everything else comes back.
#[tokio::test]
async fn what_could_not_be_read_before_is_named() {
    let mut place = Place::new();
    place.write("a.txt", "one\n");
    loop_at(&place, "closed");
    place
        .command("p1", |place| {
            for name in ["a.txt", "closed/b.txt"] {
                place.history.declare(&place.path(name));
            }
            std::fs::remove_file(place.path("closed")).unwrap();
            place.write("closed/b.txt", "new\n");
            place.write("a.txt", "two\n");
        })
        .await;
    let restored = place.rewind("p1").await;
    assert_eq!(refused(&place, &restored), [("closed/b.txt".to_owned(), Why::Unreadable.to_string())]);
    assert_eq!(place.read("a.txt").unwrap(), "one\n");
    assert_eq!(place.read("closed/b.txt").unwrap(), "new\n", "what was not kept is not removed");
}

/// What cannot be read now could not be saved first: it is named and stays, and everything else comes back.
#[tokio::test]
async fn what_cannot_be_read_now_is_named_and_stays() {
    let mut place = Place::new();
    place.write("a.txt", "one\n");
    place.write("closed/b.txt", "b\n");
    place
        .command("p1", |place| {
            for name in ["a.txt", "closed/b.txt"] {
                place.history.declare(&place.path(name));
            }
            std::fs::remove_dir_all(place.path("closed")).unwrap();
            loop_at(place, "closed");
            place.write("a.txt", "two\n");
        })
        .await;
    let restored = place.rewind("p1").await;
    assert_eq!(refused(&place, &restored), [("closed/b.txt".to_owned(), Why::Unreadable.to_string())]);
    assert_eq!(place.read("a.txt").unwrap(), "one\n");
    assert!(place.path("closed").is_symlink());
}

/// What becomes something else between the plan and its end is named, is not waited for, and stays.
#[tokio::test]
async fn what_becomes_something_else_meanwhile_is_named() {
    let mut place = Place::new();
    let names = ["a.txt", "pipe", "directory/file", "gone/file"];
    names.iter().for_each(|name| place.write(name, "one\n"));
    place.tool("p1", &names.map(|name| (name, "two\n"))).await;
    let plan = place.plan("p1").await;
    assert_eq!(plan.changes.len(), 4);
    std::fs::remove_file(place.path("pipe")).unwrap();
    place.make_pipe("pipe");
    std::fs::remove_file(place.path("directory/file")).unwrap();
    place.write("directory/file/mine", "mine\n");
    std::fs::remove_dir_all(place.path("gone")).unwrap();
    let restored = place.history.restore(plan, Others::Stay, None).await.unwrap();
    let why = "a directory with other files is in its place".to_owned();
    assert_eq!(
        refused(&place, &restored),
        [("pipe".to_owned(), "it just changed; try again".to_owned()), ("directory/file".to_owned(), why),]
    );
    assert_eq!(place.read("a.txt").unwrap(), "one\n");
    assert_eq!(place.read("gone/file").unwrap(), "one\n", "a directory that vanished is made again");
    assert_eq!(place.read("directory/file/mine").unwrap(), "mine\n");
    assert!(std::fs::symlink_metadata(place.path("pipe")).unwrap().file_type().is_fifo());
    // What is still there to be brought back is said again, and comes back when the way is free.
    std::fs::remove_dir_all(place.path("directory/file")).unwrap();
    let plan = place.plan("p1").await;
    let restored = place.history.restore(plan, Others::Restored, None).await.unwrap();
    assert_eq!(refused(&place, &restored), [("pipe".to_owned(), Why::Special.to_string())]);
    assert_eq!(place.read("directory/file").unwrap(), "one\n");
}

/// A copy that is gone is named, and everything else comes back.
#[tokio::test]
async fn a_copy_that_is_gone_is_named() {
    let mut place = Place::new();
    place.write("a.txt", "one\n");
    place.write("b.txt", "b\n");
    place.tool("p1", &[("a.txt", "two\n"), ("b.txt", "B\n")]).await;
    let contents = place.options.directory.join("contents");
    let copies: Vec<_> = std::fs::read_dir(contents).unwrap().map(|file| file.unwrap().path()).collect();
    let lost = copies.iter().min_by_key(|copy| std::fs::metadata(copy).unwrap().len()).unwrap();
    std::fs::remove_file(lost).unwrap();
    place.again();
    let plan = place.plan("p1").await;
    let restored = place.history.restore(plan, Others::Stay, None).await.unwrap();
    assert_eq!(
        refused(&place, &restored),
        [("b.txt".to_owned(), "the saved copy is missing or damaged".to_owned())]
    );
    assert_eq!((place.read("a.txt").unwrap(), place.read("b.txt").unwrap()), ("one\n".into(), "B\n".into()));
}
