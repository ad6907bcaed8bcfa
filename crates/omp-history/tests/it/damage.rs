//! Damaged stores, full disks, slow and odd repositories.

use std::os::unix::fs::symlink;

use omp_history::{HistoryError, Others};

use crate::support::Place;

/// A line in the middle of the journal that cannot be read: what was learned before it counts, nothing after it does.
#[tokio::test]
async fn a_damaged_line_ends_what_is_known() {
    let mut place = Place::new();
    place.write("a.txt", "one\n");
    place.tool("p1", &[("a.txt", "two\n")]).await;
    place.tool("p2", &[("a.txt", "three\n")]).await;
    place.tool("p3", &[("b.txt", "b\n")]).await;
    let journal = place.options.directory.join("journal");
    let text = std::fs::read_to_string(&journal).unwrap();
    let damaged: Vec<String> = text
        .lines()
        .map(|line| if line.contains("\"p2\"") { line[..20].to_owned() } else { line.to_owned() })
        .collect();
    std::fs::write(&journal, format!("{}\n", damaged.join("\n"))).unwrap();

    place.again();
    let prompts = place.prompts.clone();
    for lost in ["p2", "p3"] {
        let refused = place.history.plan(prompts.clone(), lost.to_owned()).await;
        assert!(matches!(refused, Err(HistoryError::NoCheckpoint)), "{lost}: {refused:?}");
    }
    let plan = place.plan("p1").await;
    assert_eq!(place.names(&plan.outside), ["revert a.txt"], "who changed it is not known");
    // It goes on, and what is learned now is found by the next run.
    place.tool("p4", &[("a.txt", "four\n")]).await;
    place.again();
    place.rewind("p4").await;
    assert_eq!(place.read("a.txt").unwrap(), "three\n");
}

/// A full disk: the prompt goes on, somebody is told, and nothing is brought back that could not be saved.
#[tokio::test]
async fn a_full_disk_is_said_and_stops_a_restore() {
    let mut place = Place::new();
    place.write("a.txt", "one\n");
    place.tool("p1", &[("a.txt", "two\n")]).await;
    let journal = place.options.directory.join("journal");
    let kept = std::fs::read(&journal).unwrap();
    std::fs::remove_file(&journal).unwrap();
    symlink("/dev/full", &journal).unwrap();
    let plan = place.plan("p1").await;
    let refused = place.history.restore(plan, Others::Stay, None).await;
    assert!(matches!(refused, Err(HistoryError::Store { .. })), "{refused:?}");
    assert_eq!(place.read("a.txt").unwrap(), "two\n");
    place.tool("p2", &[("a.txt", "three\n")]).await;
    let notices = place.history.take_notices();
    assert!(notices.len() == 1 && notices[0].contains("the disk is full"), "{notices:?}");
    // Room again.
    std::fs::remove_file(&journal).unwrap();
    std::fs::write(&journal, kept).unwrap();
    place.tool("p3", &[("a.txt", "four\n")]).await;
    for _ in 0..2 {
        let counts = place.history.counts(place.prompts.clone()).await.unwrap();
        assert_eq!(counts, [Some(1), None, Some(1)], "nothing is kept of the second");
        place.again();
    }
    place.rewind("p3").await;
    assert_eq!(place.read("a.txt").unwrap(), "three\n");
}

/// Work that goes on by itself and cannot be kept does not spoil the checkpoint of the prompt before it.
#[tokio::test]
async fn a_checkpoint_is_good_although_a_later_one_could_not_be_taken() {
    let mut place = Place::new();
    place.write("a.txt", "one\n");
    place.tool("p1", &[("a.txt", "two\n")]).await;
    let journal = place.options.directory.join("journal");
    let kept = place.options.directory.join("kept");
    std::fs::rename(&journal, &kept).unwrap();
    symlink("/dev/full", &journal).unwrap();
    place.history.before_change().await;
    assert_eq!(place.history.take_notices().len(), 1);
    std::fs::rename(&kept, &journal).unwrap();
    place.rewind("p1").await;
    assert_eq!(place.read("a.txt").unwrap(), "one\n");
}

/// A look after a prompt that fails leaves open what the prompt changed and what others did.
#[tokio::test]
async fn a_prompt_whose_end_was_not_seen_owns_nothing_after_it() {
    let mut place = Place::in_a_prompt().await;
    place.write("a.txt", "two\n");
    let journal = place.options.directory.join("journal");
    let kept = place.options.directory.join("kept");
    std::fs::rename(&journal, &kept).unwrap();
    symlink("/dev/full", &journal).unwrap();
    place.history.settle();
    place.history.settled().await;
    std::fs::remove_file(&journal).unwrap();
    std::fs::rename(&kept, &journal).unwrap();
    place.write("a.txt", "mine\n");
    let plan = place.plan("p1").await;
    assert_eq!(place.names(&plan.outside), ["revert a.txt"]);
    place.tool("p2", &[("a.txt", "three\n")]).await;
    place.again();
    let plan = place.plan("p1").await;
    assert_eq!(place.names(&plan.outside), ["revert a.txt"], "the journal says the same");
}

/// Prompts whose changes were not kept, because it was off, say so; it is not as if they had changed nothing.
#[tokio::test]
async fn prompts_without_a_history_have_no_checkpoint() {
    let mut place = Place::new();
    place.write("a.txt", "one\n");
    place.history.switch(false).await.unwrap();
    place.tool("p1", &[("a.txt", "two\n")]).await;
    place.history.switch(true).await.unwrap();
    place.tool("p2", &[("a.txt", "three\n")]).await;
    for _ in 0..2 {
        let counts = place.history.counts(place.prompts.clone()).await.unwrap();
        assert_eq!(counts, [None, Some(1)]);
        place.again();
    }
}

/// Before the first commit.
#[tokio::test]
async fn a_repository_without_a_commit() {
    let mut place = Place::new();
    place.git(&["init", "-q"]).await;
    place.write("a.txt", "one\n");
    place.write("staged.txt", "staged\n");
    place.git(&["add", "staged.txt"]).await;
    place
        .command("p1", |place| {
            place.write("a.txt", "two\n");
            std::fs::remove_file(place.path("staged.txt")).unwrap();
            place.write("new.txt", "new\n");
        })
        .await;
    place.rewind("p1").await;
    assert_eq!((place.read("a.txt").unwrap(), place.read("new.txt")), ("one\n".to_owned(), None));
    assert_eq!(place.read("staged.txt").unwrap(), "staged\n");
}

/// A worktree beside its repository, and a submodule inside of one.
#[tokio::test]
async fn worktrees_and_submodules() {
    let outer = Place::repository(&[("a.txt", "one\n"), ("b.txt", "b\n")]).await;
    outer.git(&["worktree", "add", "-q", "beside"]).await;
    let mut place = Place::with(|options| {
        options.cwd = outer.path("beside");
        options.environment = outer.options.environment.clone();
    });
    place.root = outer.path("beside");
    place.command("p1", |place| place.write("a.txt", "two\n")).await;
    let restored = place.rewind("p1").await;
    assert_eq!(restored.done.len(), 1);
    assert_eq!(place.read("a.txt").unwrap(), "one\n");

    let library = Place::repository(&[("lib.txt", "lib\n")]).await;
    let mut place = Place::repository(&[("a.txt", "one\n")]).await;
    let from = library.root.to_str().unwrap();
    place.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", from, "module"]).await;
    place.git(&["commit", "-qm", "module"]).await;
    place.tool("p1", &[("a.txt", "two\n"), ("module/lib.txt", "changed\n")]).await;
    place.rewind("p1").await;
    assert_eq!(place.read("module/lib.txt").unwrap(), "lib\n");
    assert_eq!(place.read("a.txt").unwrap(), "one\n");
}

/// Variables that point git to another repository, as hooks have them, are not obeyed.
#[tokio::test]
async fn the_repository_is_where_the_session_works() {
    let elsewhere = Place::repository(&[("x.txt", "x\n")]).await;
    let outer = Place::repository(&[("a.txt", "one\n"), ("below/b.txt", "b\n")]).await;
    let mut place = Place::with(|options| {
        options.cwd = outer.path("below");
        options.environment = outer.options.environment.clone();
        options.environment.set("GIT_DIR", elsewhere.path(".git"));
        options.environment.set("GIT_INDEX_FILE", elsewhere.path(".git/index"));
    });
    place.root = outer.path("below");
    place
        .command("p1", |place| {
            place.write("b.txt", "B\n");
            place.write("../a.txt", "two\n");
        })
        .await;
    let restored = place.rewind("p1").await;
    assert_eq!(restored.done.len(), 2, "{restored:?}");
    assert_eq!(outer.read("a.txt").unwrap(), "one\n");
}

/// A session that works behind a link is in the repository the link leads to.
#[tokio::test]
async fn a_directory_that_is_a_link() {
    let outer = Place::repository(&[("sub/a.txt", "one\n")]).await;
    let mut place = Place::with(|options| options.environment = outer.options.environment.clone());
    let link = place.root.join("link");
    symlink(outer.path("sub"), &link).unwrap();
    place.options.cwd = link.clone();
    place.again();
    place.command("p1", |_| outer.write("sub/a.txt", "two\n")).await;
    place.rewind("p1").await;
    assert_eq!(outer.read("sub/a.txt").unwrap(), "one\n");
}

/// Git that gives no answer costs its protection, not the files that tools change, and is not asked again.
#[tokio::test]
async fn git_that_fails_is_done_without() {
    let mut place = Place::repository(&[("a.txt", "one\n")]).await;
    place.write("outside.txt", "o\n");
    std::fs::write(place.path(".git/index"), "no index").unwrap();
    // Nothing was changed yet, and git fails only now.
    place.prompts.push("p1".to_owned());
    assert_eq!(place.history.counts(place.prompts.clone()).await.unwrap(), [Some(0)]);
    let notices = place.history.take_notices();
    assert!(notices.len() == 1 && notices[0].contains("work without git"), "{notices:?}");
    place.tool("p1", &[("a.txt", "two\n")]).await;
    place.rewind("p1").await;
    assert_eq!(place.read("a.txt").unwrap(), "one\n");
}

/// Files in several places, with and without git.
#[tokio::test]
async fn files_of_other_roots_come_back() {
    let mut place = Place::repository(&[("a.txt", "one\n")]).await;
    let other = Place::repository(&[("tracked.txt", "t\n")]).await;
    let bare = Place::new();
    bare.write("plain.txt", "p\n");
    place
        .command("p1", |place| {
            for path in [other.path("tracked.txt"), bare.path("plain.txt"), bare.path("made/new.txt")] {
                place.history.declare(&path);
            }
            other.write("tracked.txt", "T\n");
            bare.write("plain.txt", "P\n");
            bare.write("made/new.txt", "n\n");
        })
        .await;
    place.rewind("p1").await;
    assert_eq!(
        (other.read("tracked.txt").unwrap(), bare.read("plain.txt").unwrap()),
        ("t\n".into(), "p\n".into())
    );
    assert_eq!(bare.read("made/new.txt"), None);
}

/// Before the first commit nothing speaks for a file that git ignores: it is not removed.
#[tokio::test]
async fn an_ignored_file_before_the_first_commit() {
    let mut place = Place::new();
    place.git(&["init", "-q"]).await;
    place.write(".gitignore", ".env\n");
    place.write(".git/info/exclude", "local\n");
    place.write(".env", "secret\n");
    place.write("local", "mine\n");
    place.tool("p1", &[(".env", "changed\n"), ("local", "changed\n"), ("a.txt", "a\n")]).await;
    let plan = place.plan("p1").await;
    assert_eq!(place.names(&plan.changes), ["remove a.txt"]);
    place.rewind("p1").await;
    assert_eq!(place.read(".env").unwrap(), "changed\n");
}

/// A file that git ignores by rules only git knows is not taken for one that was made.
#[tokio::test]
async fn a_file_that_git_says_nothing_about_is_not_removed() {
    let mut place = Place::repository(&[("a.txt", "one\n")]).await;
    place.write("rules", "hidden.txt\n");
    let rules = place.path("rules");
    place.git(&["config", "core.excludesFile", rules.to_str().unwrap()]).await;
    place
        .command("p1", |place| {
            place.write("hidden.txt", "by a command\n");
            place.history.declare(&place.path("hidden.txt"));
            place.write("hidden.txt", "by a tool\n");
        })
        .await;
    let plan = place.plan("p1").await;
    assert_eq!((plan.files(), plan.unprotected.len()), (0, 1), "{plan:?}");
}
