//! Nothing is overwritten that could not be had again.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use omp_history::{Others, Why};

use crate::support::Place;

fn contents(place: &Place) -> Vec<PathBuf> {
    let listed = std::fs::read_dir(place.options.directory.join("contents")).unwrap();
    listed.map(|entry| entry.unwrap().path()).collect()
}

/// A tracked file that the rules call ignored is brought back, and what it was can be had again.
#[tokio::test]
async fn a_tracked_file_with_an_ignored_name_survives_there_and_back() {
    let mut place = Place::repository(&[("run.log", "committed\n"), ("a.txt", "one\n")]).await;
    place.write(".gitignore", "*.log\n");
    place.git(&["add", "-A"]).await;
    place.git(&["commit", "-qm", "rules"]).await;
    place.tool("p1", &[("run.log", "of the model\n")]).await;
    let plan = place.plan("p1").await;
    place.history.restore(plan, Others::Restored, None).await.unwrap();
    assert_eq!(place.read("run.log").unwrap(), "committed\n");
    place.history.redo(Others::Stay).await.unwrap();
    assert_eq!(place.read("run.log").unwrap(), "of the model\n");
}

/// More than one look takes in: what a restore overwrites is saved all the same.
#[tokio::test]
async fn a_restore_saves_what_it_overwrites_however_much_there_is() {
    let mut place = Place::with(|options| {
        options.largest_file = 64 * 1024 * 1024;
        options.most_bytes = 1 << 30;
    });
    place.git(&["init", "-q"]).await;
    place.git(&["commit", "-qm", "first", "--allow-empty"]).await;
    place.write("z.txt", "one\n");
    let large = "x".repeat(44 * 1024 * 1024);
    place
        .command("p1", |place| {
            ["a.bin", "b.bin", "c.bin", "d.bin"].iter().for_each(|name| place.write(name, &large));
            place.write("z.txt", "of the model\n");
        })
        .await;
    let plan = place.plan("p1").await;
    place.history.restore(plan, Others::Restored, None).await.unwrap();
    assert_eq!((place.read("z.txt").unwrap().as_str(), place.path("d.bin").exists()), ("one\n", false));
    place.history.redo(Others::Stay).await.unwrap();
    assert_eq!(place.read("z.txt").unwrap(), "of the model\n");
    assert_eq!(place.read("d.bin").map(|text| text.len()), Some(large.len()));
}

/// A copy that was damaged is no copy: what it stands for is saved anew before it is overwritten.
#[tokio::test]
async fn a_damaged_copy_does_not_count_as_saved() {
    let mut place = Place::new();
    place.write("a.txt", "one\n");
    place.tool("p1", &[("a.txt", "two\n")]).await;
    // The same content is saved before the second prompt; then the disk spoils all copies.
    place.tool("p2", &[("b.txt", "b\n")]).await;
    let one = contents(&place);
    assert!(one.len() >= 2);
    place.tool("p3", &[("a.txt", "three\n")]).await;
    for path in &one {
        std::fs::write(path, "spoiled").unwrap();
    }
    place.write("a.txt", "two\n");
    let plan = place.plan("p3").await;
    assert!(plan.is_empty(), "it is what it was");
    let plan = place.plan("p1").await;
    let restored = place.history.restore(plan, Others::Restored, None).await.unwrap();
    assert_eq!(restored.failed.len(), 1, "the first content is lost: {restored:?}");
    assert_eq!(place.read("a.txt").unwrap(), "two\n", "and nothing is overwritten for it");
}

#[tokio::test]
async fn what_is_overwritten_is_saved_anew_if_its_copy_is_damaged() {
    let mut place = Place::new();
    place.write("a.txt", "one\n");
    place.tool("p1", &[("a.txt", "two\n")]).await;
    let before = contents(&place);
    place.tool("p2", &[("a.txt", "three\n")]).await;
    let two: Vec<PathBuf> = contents(&place).into_iter().filter(|path| !before.contains(path)).collect();
    assert_eq!(two.len(), 1);
    place.rewind("p2").await;
    std::fs::write(&two[0], "spoiled").unwrap();
    // Going back further overwrites "two", whose only copy is spoiled.
    place.rewind("p1").await;
    assert_eq!(place.read("a.txt").unwrap(), "one\n");
    place.history.redo(Others::Stay).await.unwrap();
    assert_eq!(place.read("a.txt").unwrap(), "two\n");
}

/// Files of a repository inside of this one, or of a submodule, are captured when a tool changes them.
#[tokio::test]
async fn files_of_a_repository_inside_are_not_removed() {
    let mut place = Place::repository(&[("a.txt", "one\n")]).await;
    place.git(&["init", "-q", "nested"]).await;
    place.write("nested/inner.txt", "inner\n");
    place.tool("p1", &[("a.txt", "two\n")]).await;
    place.tool("p2", &[("nested/inner.txt", "changed\n"), ("nested/new.txt", "new\n")]).await;
    let plan = place.plan("p1").await;
    assert_eq!(
        place.names(&plan.changes),
        ["revert a.txt", "revert nested/inner.txt", "remove nested/new.txt"]
    );
    place.rewind("p1").await;
    assert_eq!(place.read("nested/inner.txt").unwrap(), "inner\n");
    assert_eq!(place.read("nested/new.txt"), None);
}

/// What a person changes while the model thinks was there before the model changed anything.
#[tokio::test]
async fn what_changes_before_the_first_change_of_the_model_is_not_the_models() {
    let mut place = Place::repository(&[("a.txt", "one\n"), ("b.txt", "b\n")]).await;
    place.prompts.push("p1".to_owned());
    place.history.begin("p1");
    place.write("b.txt", "mine, while it thinks\n");
    place.history.before_change().await;
    place.write("a.txt", "two\n");
    place.history.settle();
    place.history.settled().await;
    let plan = place.plan("p1").await;
    assert_eq!((place.names(&plan.changes), plan.outside.len()), (vec!["revert a.txt".to_owned()], 0));
    place.rewind("p1").await;
    assert_eq!(place.read("b.txt").unwrap(), "mine, while it thinks\n");
}

/// A directory that became a link to where its files went comes back with its files.
#[tokio::test]
async fn a_directory_behind_a_link_comes_back() {
    let mut place = Place::repository(&[("dir/sub/a.txt", "one\n"), ("b.txt", "b\n")]).await;
    place
        .command("p1", |place| {
            std::fs::rename(place.path("dir"), place.path("moved")).unwrap();
            symlink("moved", place.path("dir")).unwrap();
        })
        .await;
    place.rewind("p1").await;
    assert!(!place.path("dir").is_symlink());
    assert_eq!(place.read("dir/sub/a.txt").unwrap(), "one\n");
    assert!(!place.path("moved").exists());
    place.history.redo(Others::Stay).await.unwrap();
    assert!(place.path("dir").is_symlink());
    assert_eq!(place.read("moved/sub/a.txt").unwrap(), "one\n");
}

/// Not even a directory is made behind a link that leads elsewhere.
#[tokio::test]
async fn no_directory_is_made_behind_a_link() {
    let mut place = Place::new();
    place.write("dir/sub/a.txt", "one\n");
    std::fs::create_dir(place.path("elsewhere")).unwrap();
    place
        .command("p1", |place| {
            place.history.declare(&place.path("dir/sub/a.txt"));
            std::fs::remove_dir_all(place.path("dir")).unwrap();
        })
        .await;
    symlink("elsewhere", place.path("dir")).unwrap();
    let plan = place.plan("p1").await;
    let restored = place.history.restore(plan, Others::Restored, None).await.unwrap();
    assert_eq!(restored.failed.len(), 1, "{restored:?}");
    assert_eq!(std::fs::read_dir(place.path("elsewhere")).unwrap().count(), 0);
}

/// A run that was killed did not see what happened after it, so that what differs may be anybody's.
#[tokio::test]
async fn what_changed_after_a_killed_run_may_be_somebody_elses() {
    let mut place = Place::repository(&[("a.txt", "one\n"), ("b.txt", "b\n")]).await;
    place.prompts.push("p1".to_owned());
    place.history.begin("p1");
    place.history.before_change().await;
    place.write("a.txt", "of the model\n");
    // Killed here. Days later:
    place.write("b.txt", "mine\n");
    place.again();
    let plan = place.plan("p1").await;
    assert_eq!(place.names(&plan.outside), ["revert a.txt", "revert b.txt"]);
    place.tool("p2", &[("a.txt", "more\n")]).await;
    place.again();
    let plan = place.plan("p1").await;
    assert_eq!(place.names(&plan.outside), ["revert a.txt", "revert b.txt"], "also from later on");
    let restored = place.rewind("p1").await;
    assert_eq!(restored.left.len(), 2);
    assert_eq!(place.read("b.txt").unwrap(), "mine\n");
    let plan = place.plan("p1").await;
    place.history.restore(plan, Others::Restored, None).await.unwrap();
    assert_eq!((place.read("a.txt").unwrap(), place.read("b.txt").unwrap()), ("one\n".into(), "b\n".into()));
}

/// A restore that was killed in the middle can be finished, and can be undone.
#[tokio::test]
async fn a_killed_restore_can_be_finished_or_undone() {
    for finish in [true, false] {
        let mut place = Place::new();
        let names = ["a.txt", "b.txt", "c.txt"];
        names.iter().for_each(|name| place.write(name, "one\n"));
        place.tool("p1", &[("a.txt", "two\n"), ("b.txt", "two\n"), ("c.txt", "two\n")]).await;
        place.rewind("p1").await;
        // As if it had been killed after the first file: the look afterwards is not in the journal.
        let journal = place.options.directory.join("journal");
        let text = std::fs::read_to_string(&journal).unwrap();
        let kept = text.trim_end().rsplit_once('\n').unwrap().0;
        std::fs::write(&journal, format!("{kept}\n")).unwrap();
        place.write("b.txt", "two\n");
        place.write("c.txt", "two\n");
        place.again();
        if finish {
            place.rewind("p1").await;
            names.iter().for_each(|name| assert_eq!(place.read(name).unwrap(), "one\n"));
        } else {
            place.history.redo(Others::Stay).await.unwrap();
            place.history.redo(Others::Restored).await.unwrap();
            names.iter().for_each(|name| assert_eq!(place.read(name).unwrap(), "two\n"));
        }
    }
}

/// What a redo left alone can be asked for afterwards, as its answer says.
#[tokio::test]
async fn the_rest_of_a_redo_can_be_asked_for() {
    let mut place = Place::new();
    place.write("a.txt", "one\n");
    place.write("b.txt", "b\n");
    place.tool("p1", &[("a.txt", "two\n"), ("b.txt", "B\n")]).await;
    place.rewind("p1").await;
    place.write("a.txt", "mine\n");
    let redone = place.history.redo(Others::Stay).await.unwrap();
    assert_eq!((redone.done.len(), redone.left.len()), (1, 1));
    let redone = place.history.redo(Others::Restored).await.unwrap();
    assert_eq!(redone.done.len(), 1);
    assert_eq!(place.read("a.txt").unwrap(), "two\n");
    assert!(place.history.redo(Others::Restored).await.is_err(), "once");
}

/// The session's own directory stays, also when nothing is left in it.
#[tokio::test]
async fn the_directory_of_the_session_is_not_removed() {
    let outer = Place::repository(&[("a.txt", "one\n")]).await;
    std::fs::create_dir_all(outer.path("below/here")).unwrap();
    let mut place = Place::with(|options| {
        options.cwd = outer.path("below/here");
        options.environment = outer.options.environment.clone();
    });
    place.root = outer.path("below/here");
    place.tool("p1", &[("made/new.txt", "new\n"), ("../../a.txt", "two\n")]).await;
    place.rewind("p1").await;
    assert!(place.root.is_dir());
    assert!(!place.path("made").exists());
    assert_eq!(outer.read("a.txt").unwrap(), "one\n", "all of the repository is protected");
}

/// A file for its owner only is that from the first byte on; one that may not be written comes back as such.
#[tokio::test]
async fn modes_come_back() {
    let mut place = Place::new();
    for (name, mode) in [("secret", 0o600), ("fixed", 0o444), ("program", 0o755)] {
        place.write(name, name);
        std::fs::set_permissions(place.path(name), std::fs::Permissions::from_mode(mode)).unwrap();
    }
    place
        .command("p1", |place| {
            for name in ["secret", "fixed", "program"] {
                place.history.declare(&place.path(name));
                std::fs::remove_file(place.path(name)).unwrap();
            }
            place.write("program", "other");
        })
        .await;
    place.rewind("p1").await;
    for (name, mode) in [("secret", 0o600), ("fixed", 0o444), ("program", 0o755)] {
        assert_eq!(place.read(name).unwrap(), name);
        let found = std::fs::metadata(place.path(name)).unwrap().permissions().mode();
        assert_eq!(found & 0o777, mode, "{name}");
    }
}

/// A link that a tool removes or writes through comes back, with what it leads to.
#[tokio::test]
async fn links_that_tools_touch_come_back_without_git() {
    let mut place = Place::new();
    place.write("target", "one\n");
    symlink("target", place.path("through")).unwrap();
    symlink("target", place.path("removed")).unwrap();
    symlink("not-yet", place.path("dangling")).unwrap();
    place
        .command("p1", |place| {
            for name in ["through", "removed", "dangling"] {
                place.history.declare(&place.path(name));
            }
            place.write("through", "two\n");
            place.write("dangling", "new\n");
            std::fs::remove_file(place.path("removed")).unwrap();
        })
        .await;
    place.rewind("p1").await;
    assert_eq!(place.read("target").unwrap(), "one\n");
    assert!(place.path("removed").is_symlink() && place.path("through").is_symlink());
    assert!(place.path("dangling").is_symlink() && !place.path("not-yet").exists());
}

/// Names that are no text cannot be kept; that is said, and they stay as they are.
#[tokio::test]
async fn names_that_are_no_text_are_mentioned_and_left_alone() {
    use std::os::unix::ffi::OsStrExt;
    let mut place = Place::repository(&[("a.txt", "one\n")]).await;
    let odd = place.root.join(std::ffi::OsStr::from_bytes(b"odd-\xff.txt"));
    std::fs::write(&odd, "before\n").unwrap();
    place
        .command("p1", |place| {
            place.history.declare(&odd);
            std::fs::write(&odd, "after\n").unwrap();
            place.write("a.txt", "two\n");
        })
        .await;
    place.rewind("p1").await;
    assert_eq!(std::fs::read_to_string(&odd).unwrap(), "after\n");
    assert_eq!(place.read("a.txt").unwrap(), "one\n");
    let notices = place.history.take_notices();
    assert!(notices.len() == 1 && notices[0].contains("not UTF-8"), "{notices:?}");
}

/// Special files are named and left alone.
#[tokio::test]
async fn special_files_are_left_alone() {
    let mut place = Place::new();
    place.write("a", "one\n");
    place
        .command("p1", |place| {
            place.history.declare(&place.path("a"));
            std::fs::remove_file(place.path("a")).unwrap();
            drop(std::os::unix::net::UnixListener::bind(place.path("a")).unwrap());
        })
        .await;
    let restored = place.rewind("p1").await;
    assert_eq!(restored.unprotected.len(), 1);
    assert_eq!(restored.unprotected[0].why, Why::Special);
}

/// A file that git calls unchanged comes back as it was, not as the commit would check it out.
#[tokio::test]
async fn what_git_does_not_see_comes_back_as_it_was() {
    let mut place = Place::repository(&[("lines.txt", "one\r\ntwo\r\n"), ("local.conf", "default\n")]).await;
    place.git(&["config", "core.autocrlf", "input"]).await;
    place.git(&["commit", "-qam", "lines"]).await;
    place.git(&["update-index", "--assume-unchanged", "local.conf"]).await;
    place.write("local.conf", "mine\n");
    place.write("other.txt", "o\n");
    place.grown_old("other.txt").await;
    place.tool("p1", &[("other.txt", "O\n")]).await;
    place.tool("p2", &[("local.conf", "of the model\n"), ("lines.txt", "changed\n")]).await;
    place.rewind("p1").await;
    assert_eq!(place.read("local.conf").unwrap(), "mine\n");
    assert_eq!(place.read("lines.txt").unwrap(), "one\r\ntwo\r\n");
}

/// An ignored file that was written right before the prompt is in no commit: what a command deletes of it comes back.
#[tokio::test]
async fn a_fresh_ignored_file_that_a_command_deletes_comes_back() {
    let mut place = Place::repository(&[("a.txt", "one\n"), (".gitignore", "*.log\n")]).await;
    place.prompts.push("p1".to_owned());
    place.history.begin("p1");
    place.write("run.log", "of just now\n");
    place.history.before_change().await;
    place.write("run.log", "of just now\n");
    place.history.declare_doomed(&[place.path("run.log")]);
    std::fs::remove_file(place.path("run.log")).unwrap();
    place.history.settle();
    let plan = place.plan("p1").await;
    place.history.restore(plan, Others::Restored, None).await.unwrap();
    assert_eq!(place.read("run.log").unwrap(), "of just now\n");
}
