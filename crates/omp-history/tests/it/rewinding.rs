//! Going back, and forth again.

use std::os::unix::fs::{PermissionsExt, symlink};

use omp_history::{HistoryError, Others};

use crate::support::Place;

/// Without git, what tools change comes back: contents, new files, deleted files.
#[tokio::test]
async fn what_tools_change_comes_back_without_git() {
    let mut place = Place::new();
    place.write("a.txt", "one\n");
    place.write("gone.txt", "was here\n");
    place.tool("p1", &[("a.txt", "two\n"), ("new/deep.txt", "new\n")]).await;
    place
        .command("p2", |place| {
            place.history.declare(&place.path("gone.txt"));
            std::fs::remove_file(place.path("gone.txt")).unwrap();
        })
        .await;
    place.tool("p3", &[("a.txt", "three\n")]).await;

    let counts = place.history.counts(place.prompts.clone()).await.unwrap();
    assert_eq!(counts, [Some(3), Some(2), Some(1)]);
    place.rewind("p3").await;
    assert_eq!(place.read("a.txt").unwrap(), "two\n");
    place.rewind("p1").await;
    assert_eq!(place.read("a.txt").unwrap(), "one\n");
    assert_eq!(place.read("gone.txt").unwrap(), "was here\n");
    assert!(!place.path("new").exists(), "also the directory that was made for it");

    for expected in ["two\n", "three\n"] {
        place.history.redo(Others::Stay).await.unwrap();
        assert_eq!(place.read("a.txt").unwrap(), expected);
    }
    assert_eq!(place.read("new/deep.txt").unwrap(), "new\n");
    assert_eq!(place.read("gone.txt"), None);
    assert!(matches!(place.history.redo(Others::Stay).await, Err(HistoryError::NothingToRedo)));
}

/// In a repository also what commands change comes back; the repository itself stays as it is.
#[tokio::test]
async fn what_commands_change_comes_back_in_a_repository() {
    let mut place =
        Place::repository(&[("a.txt", "one\n"), ("b.txt", "b\n"), ("run.sh", "#!/bin/sh\n")]).await;
    place.write("a.txt", "dirty before\n");
    place.write("untracked.txt", "mine\n");
    let index = std::fs::read(place.path(".git/index")).unwrap();
    let objects = place.git(&["count-objects"]).await;
    place
        .command("p1", |place| {
            place.write("a.txt", "changed\n");
            place.write("b.txt", "B\n");
            place.write("untracked.txt", "changed\n");
            place.write("made/by/command.txt", "x\n");
            let executable = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(place.path("run.sh"), executable).unwrap();
        })
        .await;
    let restored = place.rewind("p1").await;
    assert_eq!(restored.done.len(), 5);
    assert_eq!(place.read("a.txt").unwrap(), "dirty before\n");
    assert_eq!(place.read("b.txt").unwrap(), "b\n");
    assert_eq!(place.read("untracked.txt").unwrap(), "mine\n");
    assert!(!place.path("made").exists());
    assert_eq!(std::fs::metadata(place.path("run.sh")).unwrap().permissions().mode() & 0o111, 0);
    assert_eq!(std::fs::read(place.path(".git/index")).unwrap(), index, "the index was not written");
    assert_eq!(place.git(&["status", "--porcelain"]).await, " M a.txt\n?? untracked.txt\n");
    assert_eq!(place.git(&["count-objects"]).await, objects, "no object was added");
}

/// A commit in between changes nothing about what files were.
#[tokio::test]
async fn commits_in_between_do_not_matter() {
    let mut place = Place::repository(&[("a.txt", "one\n"), ("b.txt", "b\n")]).await;
    place.tool("p1", &[("a.txt", "two\n"), ("c.txt", "c\n")]).await;
    place.git(&["add", "-A"]).await;
    place.git(&["commit", "-qm", "second"]).await;
    place.command("p2", |place| place.write("a.txt", "three\n")).await;
    let plan = place.plan("p1").await;
    assert_eq!(place.names(&plan.changes), ["revert a.txt", "remove c.txt"]);
    assert_eq!(place.names(&plan.outside), [""; 0]);
    place.rewind("p2").await;
    assert_eq!(place.read("a.txt").unwrap(), "two\n");
    place.rewind("p1").await;
    assert_eq!((place.read("a.txt").unwrap().as_str(), place.read("c.txt")), ("one\n", None));
}

/// Links, modes, and what became something else.
#[tokio::test]
async fn links_modes_and_kinds_come_back() {
    let mut place = Place::new();
    place.write("target.txt", "t\n");
    place.write("file", "file\n");
    place.write("dir/inside", "inside\n");
    place.write("secret", "s\n");
    symlink("target.txt", place.path("link")).unwrap();
    std::fs::set_permissions(place.path("secret"), std::fs::Permissions::from_mode(0o640)).unwrap();
    place.git(&["init", "-q"]).await;
    place.git(&["add", "file", "dir"]).await;
    place.git(&["commit", "-qm", "first"]).await;
    place
        .command("p1", |place| {
            std::fs::remove_file(place.path("link")).unwrap();
            place.write("link", "now a file\n");
            std::fs::remove_file(place.path("file")).unwrap();
            place.write("file/below", "now a directory\n");
            std::fs::remove_dir_all(place.path("dir")).unwrap();
            place.write("dir", "now a file\n");
            std::fs::set_permissions(place.path("secret"), std::fs::Permissions::from_mode(0o444)).unwrap();
        })
        .await;
    place.rewind("p1").await;
    assert_eq!(std::fs::read_link(place.path("link")).unwrap().to_str(), Some("target.txt"));
    assert_eq!(place.read("file").unwrap(), "file\n");
    assert_eq!(place.read("dir/inside").unwrap(), "inside\n");
    let mode = std::fs::metadata(place.path("secret")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    place.history.redo(Others::Stay).await.unwrap();
    assert_eq!(place.read("link").unwrap(), "now a file\n");
    assert_eq!(place.read("file/below").unwrap(), "now a directory\n");
    assert_eq!(place.read("dir").unwrap(), "now a file\n");
}

/// What an earlier run of the program kept can be used by the next, also after one that was killed.
#[tokio::test]
async fn a_killed_run_leaves_its_checkpoints() {
    let mut place = Place::new();
    place.write("a.txt", "one\n");
    place.tool("p1", &[("a.txt", "two\n")]).await;
    // Killed while the second prompt was under way: nothing settled, and the last line was cut off.
    place.prompts.push("p2".to_owned());
    place.history.begin("p2");
    place.history.before_change().await;
    place.history.declare(&place.path("b.txt"));
    place.write("a.txt", "three\n");
    place.write("b.txt", "b\n");
    let journal = place.options.directory.join("journal");
    let mut torn = std::fs::read(&journal).unwrap();
    torn.extend_from_slice(br#"{"line":"moment","event":{"eve"#);
    std::fs::write(&journal, torn).unwrap();

    place.again();
    let plan = place.plan("p2").await;
    place.history.restore(plan, Others::Restored, None).await.unwrap();
    assert_eq!((place.read("a.txt").unwrap().as_str(), place.read("b.txt")), ("two\n", None));
    place.tool("p3", &[("a.txt", "four\n")]).await;
    place.again();
    let plan = place.plan("p1").await;
    assert_eq!(
        place.names(&plan.outside),
        ["revert a.txt"],
        "nobody saw who changed it when the run was killed"
    );
    place.history.restore(plan, Others::Restored, None).await.unwrap();
    assert_eq!(place.read("a.txt").unwrap(), "one\n");
}

/// Off, on, and gone.
#[tokio::test]
async fn it_can_be_switched_off_and_cleared() {
    let mut place = Place::new();
    place.write("a.txt", "one\n");
    place.history.switch(false).await.unwrap();
    place.tool("p1", &[("a.txt", "two\n")]).await;
    let unkept = place.history.plan(place.prompts.clone(), "p1".to_owned()).await;
    assert!(matches!(unkept, Err(HistoryError::NoCheckpoint)));
    place.again();
    assert!(!place.history.is_on().await.unwrap(), "the session remembers");
    place.history.switch(true).await.unwrap();
    place.tool("p2", &[("a.txt", "three\n")]).await;
    assert_eq!(place.plan("p2").await.files(), 1);
    assert_eq!(place.history.clear().await.unwrap(), 1);
    assert_eq!(place.history.bytes().await.unwrap(), 0);
    let prompts = place.prompts.clone();
    assert_eq!(place.history.counts(prompts.clone()).await.unwrap(), [None, None]);
    let refused = place.history.plan(prompts, "p2".to_owned()).await;
    assert!(matches!(refused, Err(HistoryError::NoCheckpoint)));
}
