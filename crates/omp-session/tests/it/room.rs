//! Room on the disk, old directories, and finding a session by words.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use omp_session::{BlobHash, Garbage, GcPolicy, IfHeld, PromptHistory, SessionInfo, Sessions, rank_sessions};

use crate::support::{World, age, answer, picture, told};

fn with_picture(world: &World, sessions: &Sessions, bytes: &[u8]) -> PathBuf {
    let mut writer = sessions.create(&world.project, Default::default());
    writer.append_message(&picture(bytes));
    writer.append_message(&answer("ok"));
    writer.path().unwrap().to_owned()
}

const YEAR: u64 = 365 * 24 * 3600;

fn no_grace() -> GcPolicy {
    GcPolicy { grace: Duration::ZERO, ..GcPolicy::default() }
}

#[test]
fn usage_counts_each_part() {
    let world = World::new();
    let path = with_picture(&world, &world.sessions, &[1; 2000]);
    world.sessions.open(&path, &world.project).unwrap().1.artifacts().save("bash", "12345").unwrap();
    std::fs::create_dir_all(world.base.join("agent/logs")).unwrap();
    std::fs::write(world.base.join("agent/logs/omp.log"), "123").unwrap();
    let usage = world.sessions.usage();
    assert_eq!((usage.sessions.files, usage.sessions.bytes), (1, std::fs::metadata(&path).unwrap().len()));
    assert_eq!((usage.artifacts.files, usage.artifacts.bytes), (1, 5));
    assert_eq!((usage.blobs.files, usage.blobs.bytes), (1, 2000), "the second name takes no room");
    assert_eq!((usage.logs.files, usage.logs.bytes), (1, 3));
    let sum = usage.sessions.bytes + usage.artifacts.bytes + usage.blobs.bytes + usage.logs.bytes;
    assert_eq!(usage.total().bytes, sum);
}

#[test]
fn only_what_nothing_refers_to_is_collected() {
    let world = World::new();
    let kept = with_picture(&world, &world.sessions, &[1; 2000]);
    let gone = with_picture(&world, &world.sessions, &[2; 2000]);
    // A session elsewhere, in a directory of the user's choice.
    let elsewhere = world.sessions.clone().in_directory(&world.base.join("chosen"));
    with_picture(&world, &elsewhere, &[3; 2000]);
    world.sessions.open(&gone, &world.project).unwrap().1.artifacts().save("bash", "x").unwrap();
    std::fs::remove_file(&gone).unwrap();
    let directory = kept.parent().unwrap();
    for name in [".omp-1-00000000.tmp", "gone.jsonl.index", "gone.jsonl.lock", "notes.txt", "my.lock"] {
        std::fs::write(directory.join(name), "x").unwrap();
    }
    std::fs::create_dir(directory.join("my own")).unwrap();

    let week = world.sessions.gc_plan(&GcPolicy::default(), SystemTime::now());
    assert_eq!(week.items, [], "everything is too young");
    let plan = world.sessions.gc_plan(&no_grace(), SystemTime::now());
    let mut names: Vec<String> =
        plan.items.iter().map(|item| item.path.file_name().unwrap().to_string_lossy().into_owned()).collect();
    names.sort();
    let blob = BlobHash::of(&[2; 2000]);
    let artifacts = gone.with_extension("").file_name().unwrap().to_string_lossy().into_owned();
    let mut expected = vec![
        ".omp-1-00000000.tmp".to_owned(),
        "gone.jsonl.index".to_owned(),
        "gone.jsonl.lock".to_owned(),
        artifacts,
        blob.as_str().to_owned(),
        format!("{}.png", blob.as_str()),
    ];
    expected.sort();
    assert_eq!(names, expected);
    assert!(plan.bytes() > 2000 && directory.join("gone.jsonl.index").exists(), "a plan is only a plan");

    let report = world.sessions.gc(&plan);
    assert_eq!((report.removed, report.failed.len(), report.bytes), (6, 0, plan.bytes()));
    assert!(world.sessions.gc_plan(&no_grace(), SystemTime::now()).items.is_empty());
    let context = world.open(&kept).0.context();
    assert_eq!((context.messages.len(), context.missing_images.len()), (2, 0));
    assert!(world.sessions.blobs().get(&BlobHash::of(&[3; 2000])).is_some(), "sessions elsewhere count");
    assert!(
        directory.join("my.lock").is_file()
            && directory.join("notes.txt").is_file()
            && directory.join("my own").is_dir()
    );
}

#[test]
fn old_sessions_go_where_a_limit_is_set() {
    let world = World::new();
    let [oldest, old, new] = ["1", "2", "3"].map(|text| world.saved(&world.project, text));
    age(&oldest, 3 * YEAR);
    age(&old, 2 * YEAR);
    let sessions = |policy: &GcPolicy| {
        let plan = world.sessions.gc_plan(policy, SystemTime::now());
        let items = plan.items.iter().filter(|item| item.garbage == Garbage::Session);
        items.map(|item| item.path.clone()).collect::<Vec<_>>()
    };
    assert!(sessions(&GcPolicy::default()).is_empty());
    let aged = GcPolicy { session_age: Some(Duration::from_secs(YEAR)), ..GcPolicy::default() };
    assert_eq!(sessions(&aged), [oldest.clone(), old.clone()]);
    let size = std::fs::metadata(&new).unwrap().len();
    let bounded = GcPolicy { session_bytes: Some(2 * size + 10), ..GcPolicy::default() };
    assert_eq!(sessions(&bounded), std::slice::from_ref(&oldest));
    let tiny = GcPolicy { session_bytes: Some(0), ..GcPolicy::default() };
    assert_eq!(sessions(&tiny), [oldest.clone(), old.clone()], "what is young stays");

    // One that is in use does not go.
    let held = world.sessions.resume(&oldest, &world.project, IfHeld::Refuse).unwrap();
    let report = world.sessions.gc(&world.sessions.gc_plan(&aged, SystemTime::now()));
    assert_eq!((report.removed, report.failed.len()), (1, 1));
    assert!(report.failed[0].1.to_string().contains("open in process"), "{:?}", report.failed);
    assert!(oldest.exists() && !old.exists());
    drop(held);
    world.sessions.open(&oldest, &world.project).unwrap().1.artifacts().save("bash", "x").unwrap();
    world.sessions.delete(&oldest).unwrap();
    assert!(!oldest.exists() && !oldest.with_extension("").exists() && new.exists());
}

#[test]
fn logs_are_bounded() {
    let world = World::new();
    let logs = world.base.join("agent/logs");
    std::fs::create_dir_all(&logs).unwrap();
    for (name, years) in [("a", 2), ("b", 1)] {
        std::fs::write(logs.join(name), [0; 100]).unwrap();
        age(&logs.join(name), years * YEAR);
    }
    let policy = GcPolicy { log_bytes: Some(150), ..GcPolicy::default() };
    let plan = world.sessions.gc_plan(&policy, SystemTime::now());
    assert_eq!(plan.items.iter().map(|item| item.path.clone()).collect::<Vec<_>>(), [logs.join("a")]);
}

/// proves: SES-007
#[test]
fn directories_of_the_old_rule_are_adopted() {
    let world = World::new();
    let home = world.base.join("home");
    let encoded =
        |path: &Path| format!("--{}--", path.to_str().unwrap().trim_start_matches('/').replace('/', "-"));
    let root = world.base.join("agent/sessions");
    let write = |directory: &Path, name: &str, cwd: &Path, text: &str| {
        std::fs::create_dir_all(directory).unwrap();
        let lines = format!(
            "{{\"type\":\"session\",\"version\":3,\"id\":\"{name}\",\"timestamp\":\"t\",\"cwd\":{:?}}}\n\
             {{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"timestamp\":\"t\",\"message\":{{\"role\":\"user\",\"content\":{text:?},\"timestamp\":1}}}}\n",
            cwd.to_str().unwrap()
        );
        std::fs::write(directory.join(format!("{name}.jsonl")), lines).unwrap();
    };
    let project = root.join(encoded(&world.project));
    write(&project, "moved", &world.project, "moved");
    let other = home.join("other");
    write(&root.join(encoded(&other)), "merged", &other, "merged");
    write(&root.join(encoded(&other)), "both", &other, "old");
    write(&root.join("-other"), "both", &other, "new");
    // The name begins alike, but the project is not below home.
    let beside = world.base.join("home-of-others");
    write(&root.join(encoded(&beside)), "beside", &beside, "beside");

    let list = |cwd: &Path| {
        let mut names: Vec<String> =
            world.sessions.list(cwd).into_iter().map(|info| info.first_message).collect();
        names.sort();
        names
    };
    assert_eq!(list(&world.project), ["moved"]);
    assert!(!project.exists());
    assert_eq!(list(&other), ["merged", "new"], "nothing is overwritten");
    assert!(root.join(encoded(&other)).join("both.jsonl").is_file(), "and nothing is lost");
    assert_eq!(list(&beside), ["beside"]);
    // Once per process: what turns up later stays.
    write(&project, "late", &world.project, "late");
    assert_eq!(list(&world.project), ["moved"]);
}

fn info(id: &str, title: Option<&str>, first: &str) -> SessionInfo {
    SessionInfo {
        path: format!("/s/{id}.jsonl").into(),
        id: id.into(),
        cwd: "/home/me/website".into(),
        title: title.map(str::to_owned),
        parent_session: None,
        first_message: first.into(),
        message_count: 1,
        all_messages_text: first.into(),
        created: "t".into(),
        modified: SystemTime::now(),
        status: omp_session::Status::Complete,
    }
}

/// The store's part of SES-161; the rest is proved where it is wired.
#[test]
fn sessions_are_ranked_by_words() {
    let sessions = [
        info("a1", None, "tidy the parser"),
        info("b2", Some("Parser"), "hello"),
        info("c3", None, "goodbye"),
    ];
    let ranked = |query: &str, typed: &[&str]| {
        let typed: Vec<String> = typed.iter().map(|id| (*id).to_owned()).collect();
        rank_sessions(&sessions, query, &typed).iter().map(|info| info.id.clone()).collect::<Vec<_>>()
    };
    assert_eq!(ranked("", &[]), ["a1", "b2", "c3"]);
    assert_eq!(ranked("parser", &[]), ["b2", "a1"], "a title counts most");
    assert_eq!(ranked("PARSER tidy", &[]), ["a1"]);
    assert_eq!(ranked("c3", &[]), ["c3"]);
    assert_eq!(ranked("gdbye", &[]), ["c3"], "letters in order");
    assert_eq!(ranked("website", &[]).len(), 3);
    assert_eq!(ranked("nowhere-at-all", &["c3"]), ["c3"], "a prompt of the session had the words");
    assert!(ranked("qqqq", &[]).is_empty());
}

/// proves: SES-177
#[test]
fn prompts_are_kept_and_found() {
    let world = World::new();
    let mut history = world.sessions.prompt_history().unwrap();
    history.add("refactor the Parser module", &world.project, "s1");
    history.add("write \"tests\" AND docs*", &world.base.join("home/other"), "s2");
    history.flush();
    let found = |query: &str| history.matching_sessions(query, 10).unwrap();
    assert_eq!(found("pars mod"), ["s1"], "beginnings of words, all of them");
    assert_eq!(found("tests\" OR (docs"), [""; 0], "words are words, not operators");
    assert_eq!(found("\"tests\" and docs*"), ["s2"]);
    assert_eq!((found(""), found("nothing like it")), (vec![], vec![]));
    let recent = history.recent(None, 10).unwrap();
    assert_eq!(recent[0].prompt, "write \"tests\" AND docs*");
    assert_eq!(history.recent(Some(&world.project), 10).unwrap().len(), 1);
    drop(history);

    let path = world.base.join("agent/history.db");
    let database = rusqlite::Connection::open(&path).unwrap();
    let columns: Vec<String> = database
        .prepare("SELECT name FROM pragma_table_info('history')")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(columns, ["id", "prompt", "created_at", "cwd", "session_id"]);
    // The index follows whatever happens to the table.
    let matching = |word: &str| -> i64 {
        database
            .query_row("SELECT count(*) FROM history_fts WHERE history_fts MATCH ?1", [word], |row| {
                row.get(0)
            })
            .unwrap()
    };
    assert_eq!((matching("parser"), matching("grammar")), (1, 0));
    database.execute("UPDATE history SET prompt = 'the grammar' WHERE session_id = 's1'", []).unwrap();
    assert_eq!((matching("parser"), matching("grammar")), (0, 1));
    database.execute("DELETE FROM history", []).unwrap();
    assert_eq!(matching("grammar"), 0);
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
}

/// proves: SES-178
#[test]
fn the_same_prompt_is_noted_once_and_nobody_waits() {
    let world = World::new();
    let path = world.base.join("agent/history.db");
    let mut history = PromptHistory::open(&path).unwrap();
    // While another process writes, noting returns at once: a single insert would wait for it.
    let database = rusqlite::Connection::open(&path).unwrap();
    database.execute_batch("BEGIN IMMEDIATE").unwrap();
    for prompt in ["one", "one", " one ", "two", "one", ""] {
        history.add(prompt, &world.project, "s");
    }
    let rows = |database: &rusqlite::Connection| -> i64 {
        database.query_row("SELECT count(*) FROM history", [], |row| row.get(0)).unwrap()
    };
    assert_eq!(rows(&database), 0);
    database.execute_batch("COMMIT").unwrap();
    history.flush();
    assert_eq!(rows(&database), 3);
    drop(history);
    let mut again = PromptHistory::open(&path).unwrap();
    again.add("one", &world.project, "s");
    drop(again);
    assert_eq!(rows(&database), 3, "also across starts; and what waits is written at the end");
}

/// Files of early versions have no column for the session; what is no database is left alone.
#[test]
fn other_histories() {
    let world = World::new();
    let path = world.base.join("old.db");
    let database = rusqlite::Connection::open(&path).unwrap();
    database
        .execute_batch(
            "CREATE TABLE history (id INTEGER PRIMARY KEY, prompt TEXT NOT NULL, created_at INTEGER, cwd TEXT);",
        )
        .unwrap();
    drop(database);
    let mut history = PromptHistory::open(&path).unwrap();
    history.add("hello", &world.project, "s1");
    history.flush();
    assert_eq!(history.matching_sessions("hell", 5).unwrap(), ["s1"]);

    let notes = world.base.join("notes.db");
    std::fs::write(&notes, "these are my notes, not a database at all").unwrap();
    let error = PromptHistory::open(&notes).unwrap_err().to_string();
    assert!(error.contains("notes.db") && error.contains("move the file away"), "{error}");
    assert_eq!(std::fs::read_to_string(&notes).unwrap(), "these are my notes, not a database at all");

    // Nothing is wrong with a file that is in the way of a directory, and moving it is no advice for a missing right.
    let error = PromptHistory::open(&notes.join("history.db")).unwrap_err().to_string();
    assert!(!error.contains("move the file away") && error.contains("history.db"), "{error}");
}

/// The short list reads less than the long one.
#[test]
fn recent_sessions_are_read_from_their_beginnings() {
    let world = World::new();
    let [old, new] = ["old", "new"].map(|text| world.saved(&world.project, text));
    age(&old, 100);
    let recent = world.sessions.recent(&world.project, 1);
    assert_eq!((recent.len(), recent[0].path.clone(), recent[0].name()), (1, new.clone(), "new".to_owned()));
    assert_eq!(recent[0].status, omp_session::Status::Unknown);
    // Beyond its first page the file could be anything.
    let file = std::fs::File::options().write(true).open(&new).unwrap();
    file.set_len(1 << 40).unwrap();
    drop(file);
    assert_eq!(world.sessions.recent(&world.project, 5).len(), 2);
    assert_eq!(told(&world.open(&old).0.context().messages), ["u:old", "a:Done."]);
}
