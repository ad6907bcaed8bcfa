//! Moving sessions between projects.

use omp_session::{Continue, MoveError};
use serde_json::json;

use crate::support::{World, lines, told, user};

/// The project was renamed; `--continue` in it finds the session, which moves with everything it has.
// proves: SES-148
#[test]
fn a_session_follows_its_project() {
    let world = World::new();
    let [before, after] = ["home/before", "home/after"].map(|name| world.base.join(name));
    std::fs::create_dir(&before).unwrap();
    let path = world.saved(&before, "hi");
    let (_, mut writer) = world.open(&path);
    world.sessions.leave_breadcrumb("pts-1", &mut writer);
    assert_eq!(world.sessions.continue_recent(&after, Some("pts-1")), Continue::New, "it still exists");
    std::fs::rename(&before, &after).unwrap();
    assert_eq!(world.sessions.continue_recent(&after, Some("pts-1")), Continue::Move(path.clone()));

    let artifacts = path.with_extension("");
    std::fs::create_dir(&artifacts).unwrap();
    std::fs::write(artifacts.join("0.bash.log"), "output").unwrap();
    let old = lines(&path);
    // Whoever has the session open would go on writing to a file that is gone.
    assert!(matches!(world.sessions.move_to(&path, &after), Err(MoveError::Held { .. })));
    assert_eq!(lines(&path), old);
    drop(writer);
    let moved = world.sessions.move_to(&path, &after).unwrap();
    assert_eq!(moved, world.sessions.dir_for(&after).join(path.file_name().unwrap()));
    assert!(!path.exists() && !artifacts.exists());
    assert_eq!(std::fs::read_to_string(moved.with_extension("").join("0.bash.log")).unwrap(), "output");
    let new = lines(&moved);
    assert_eq!((&new[0]["cwd"], &new[0]["id"], &new[1..]), (&json!(after), &old[0]["id"], &old[1..]));
    assert_eq!(world.sessions.continue_recent(&after, Some("pts-1")), Continue::Resume(moved.clone()));

    let (_, mut writer) = world.open(&moved);
    writer.append_message(&user("on"));
    assert_eq!(told(&world.open(&moved).0.context().messages), ["u:hi", "a:Done.", "u:on"]);
}

// proves: SES-115
#[test]
fn a_failed_move_changes_nothing() {
    let world = World::new();
    let other = world.base.join("home/other");
    let path = world.saved(&other, "hi");
    let content = std::fs::read(&path).unwrap();
    let target = world.sessions.dir_for(&world.project).join(path.file_name().unwrap());
    std::fs::create_dir_all(target.parent().unwrap()).unwrap();
    std::fs::write(&target, "mine").unwrap();
    assert!(matches!(world.sessions.move_to(&path, &world.project), Err(MoveError::Taken(_))));
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "mine");
    std::fs::remove_file(&target).unwrap();

    // A dangling link is no file that exists, and no directory can take its name.
    let artifacts = path.with_extension("");
    std::fs::create_dir(&artifacts).unwrap();
    std::os::unix::fs::symlink("nowhere", target.with_extension("")).unwrap();
    assert!(matches!(world.sessions.move_to(&path, &world.project), Err(MoveError::Rename { .. })));
    assert_eq!(std::fs::read(&path).unwrap(), content);
    assert!(artifacts.is_dir() && !target.exists());

    std::fs::remove_file(target.with_extension("")).unwrap();
    assert_eq!(world.sessions.move_to(&path, &world.project).unwrap(), target);
    assert!(target.is_file() && target.with_extension("").is_dir() && !path.exists() && !artifacts.exists());
    assert_eq!(lines(&target)[0]["cwd"], json!(world.project));
}
