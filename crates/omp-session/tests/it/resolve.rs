//! Which session is meant.

use omp_session::{Breadcrumb, Continue, NewSession, Origin, ResolveError};

use crate::support::{World, age, answer, user};

// proves: SES-150
#[test]
fn paths_are_taken_as_they_are() {
    let world = World::new();
    let path = world.saved(&world.project, "hi");
    let resolve = |value: &str| {
        let found = world.sessions.resolve(&world.project, value).unwrap();
        assert_eq!(found.origin, Origin::Path);
        found.without_asking(value).unwrap()
    };
    assert_eq!(resolve(path.to_str().unwrap()), path);
    assert_eq!(resolve("s.jsonl"), world.project.join("s.jsonl"));
    assert_eq!(resolve("sub/s"), world.project.join("sub/s"));
    assert_eq!(resolve("a\\b"), world.project.join("a\\b"));
    assert_eq!(resolve("~/s.jsonl"), world.base.join("home/s.jsonl"));
}

// proves: SES-151
#[test]
fn keys_are_beginnings_of_ids_and_names() {
    let world = World::new();
    let other = world.base.join("home/other");
    let create = |cwd, id: &str| {
        let mut writer = world.sessions.create(cwd, NewSession { parent: None, id: Some(id.into()) });
        writer.append_message(&answer("hi"));
        writer.path().unwrap().to_owned()
    };
    let [old, new] = [create(&world.project, "abCD01"), create(&world.project, "abCD02")];
    let far = create(&other, "abcd03");
    let only_far = create(&other, "ffff04");
    age(&old, 10);
    age(&new, 20);
    let path = |value: &str| world.sessions.resolve(&world.project, value).map(|found| found.path);
    assert_eq!(path("ABCD02").as_ref(), Ok(&new), "id");
    assert_eq!(
        path("abcd").as_ref(),
        Ok(&old),
        "the most recently modified of several, here before elsewhere"
    );
    let name = new.file_name().unwrap().to_str().unwrap().to_lowercase();
    assert_eq!(path(&name[..name.len() - 6]).as_ref(), Ok(&new), "file name");
    assert_eq!(path("abcd03").as_ref(), Ok(&far), "elsewhere if not here");

    // The id in the name counts even when the header says otherwise.
    let renamed = new.with_file_name("2020-01-01T00-00-00-000Z_feedbeef.jsonl");
    std::fs::rename(&new, &renamed).unwrap();
    assert_eq!(path("feedb").as_ref(), Ok(&renamed));
    assert_eq!(path("abcd02").as_ref(), Ok(&renamed), "and so does the header's");

    let forced = world.sessions.clone().in_directory(old.parent().unwrap());
    assert_eq!(forced.resolve(&world.project, "abcd01").unwrap().path, old);
    assert!(
        forced.resolve(&world.project, "ffff04").is_err(),
        "a chosen directory is the only one: {only_far:?}"
    );
}

// The store's part of SES-152; the rest is proved where it is wired.
#[test]
fn nothing_found() {
    let world = World::new();
    world.saved(&world.project, "hi");
    for value in ["zzz", ""] {
        let error = world.sessions.resolve(&world.project, value).unwrap_err();
        assert_eq!(error.to_string(), format!("Session \"{value}\" not found."));
    }
}

/// What the binary asks, and what it says when nobody can be asked.
#[test]
fn sessions_of_other_projects() {
    let world = World::new();
    let other = world.base.join("home/other");
    let path = world.saved(&other, "hi");
    let id = world.open(&path).0.header.id;
    let found = world.sessions.resolve(&world.project, &id).unwrap();
    assert_eq!(found.origin, Origin::OtherProject(other.clone()));
    assert!(found.origin.question().unwrap().ends_with("Fork into current directory? [y/N]"));
    let error = found.without_asking(&id).unwrap_err();
    assert_eq!(error, ResolveError::OtherProject { value: id.clone(), cwd: other.clone() });

    std::fs::remove_dir(&other).unwrap();
    let found = world.sessions.resolve(&world.project, &id).unwrap();
    assert_eq!(found.origin, Origin::Orphaned(other.clone()));
    assert!(
        found.origin.question().unwrap().ends_with("Move (re-root) it into the current directory? [Y/n]")
    );
    assert!(found.without_asking(&id).unwrap_err().to_string().contains("no longer exists"));
    let here = world.sessions.resolve(&other, &id).unwrap();
    assert_eq!(here.origin, Origin::Orphaned(other), "also in its own directory's list");
    assert_eq!(ResolveError::Cancelled.to_string(), "Resume cancelled: session is in another project.");
}

// proves: SES-009, SES-146
#[test]
fn continue_prefers_this_terminals_session() {
    let world = World::new();
    let recent = |cwd, terminal| world.sessions.continue_recent(cwd, terminal);
    assert_eq!(recent(&world.project, Some("pts-1")), Continue::New);

    let mut mine = world.create();
    world.sessions.leave_breadcrumb("pts-1", &mut mine);
    mine.append_message(&user("mine"));
    assert_eq!(world.sessions.breadcrumb("pts-1"), None, "nothing to point to yet");
    mine.append_message(&answer("ok"));
    let mine = mine.path().unwrap().to_owned();
    let text = std::fs::read_to_string(world.base.join("agent/terminal-sessions/pts-1")).unwrap();
    assert_eq!(text, format!("{}\n{}\n", world.project.display(), mine.display()));

    let newest = world.saved(&world.project, "newest");
    age(&mine, 100);
    assert_eq!(recent(&world.project, Some("pts-1")), Continue::Resume(mine.clone()));
    assert_eq!(recent(&world.project, Some("pts-2")), Continue::Resume(newest.clone()));
    assert_eq!(recent(&world.project, None), Continue::Resume(newest.clone()));

    let other = world.base.join("home/other");
    let there = world.saved(&other, "there");
    assert_eq!(
        recent(&other, Some("pts-1")),
        Continue::Resume(there),
        "the breadcrumb is of another directory"
    );
    let (_, mut writer) = world.open(&newest);
    world.sessions.leave_breadcrumb("pts-1", &mut writer);
    let crumb = Breadcrumb { cwd: world.project.clone(), session: newest.clone() };
    assert_eq!(world.sessions.breadcrumb("pts-1"), Some(crumb), "an opened session is followed at once");
    std::fs::remove_file(&newest).unwrap();
    assert_eq!(
        recent(&world.project, Some("pts-1")),
        Continue::Resume(mine),
        "a file that is gone does not count"
    );
}

// proves: SES-149
#[test]
fn breadcrumbs_never_get_in_the_way() {
    let world = World::new();
    std::fs::create_dir_all(world.base.join("agent")).unwrap();
    std::fs::write(world.base.join("agent/terminal-sessions"), "a file where a directory should be").unwrap();
    let mut writer = world.create();
    world.sessions.leave_breadcrumb("pts-1", &mut writer);
    writer.append_message(&answer("hi"));
    assert!(writer.is_saved() && writer.problem().is_none());
    let path = writer.path().unwrap().to_owned();
    assert_eq!(world.sessions.continue_recent(&world.project, Some("pts-1")), Continue::Resume(path.clone()));

    std::fs::remove_file(world.base.join("agent/terminal-sessions")).unwrap();
    std::fs::create_dir(world.base.join("agent/terminal-sessions")).unwrap();
    for text in ["", "one line\n", "\n\n", "\0\u{1}\n\n/x"] {
        std::fs::write(world.base.join("agent/terminal-sessions/pts-1"), text).unwrap();
        assert_eq!(
            world.sessions.continue_recent(&world.project, Some("pts-1")),
            Continue::Resume(path.clone())
        );
    }
    let more = format!("{}\n{}\nfresh\n", world.project.display(), path.display());
    std::fs::write(world.base.join("agent/terminal-sessions/pts-1"), more).unwrap();
    assert!(world.sessions.breadcrumb("pts-1").is_some(), "later versions may add lines");
}
