//! A writer that is killed at any moment loses nothing that it had acknowledged, and leaves a session that opens.
//!
//! A few hundred kills by default; `OMP_SESSION_KILLS=10000 cargo nextest run -p omp-session --run-ignored only` for
//! more.

#![allow(clippy::disallowed_methods)] // The process is ours to kill, and is waited for below.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use omp_session::{Damage, IfHeld, SessionWriter, TitleSource, fsck, load};
use omp_types::Message;

use crate::support::{World, answer, picture, user};

/// Set for the child only: the directory of the world, the file to append to (or nothing to create one), and what to
/// do.
const WORLD: &str = "OMP_SESSION_KILL_WORLD";
const FILE: &str = "OMP_SESSION_KILL_FILE";
const WORK: &str = "OMP_SESSION_KILL_WORK";

/// Marks acknowledgements among what the test harness prints.
const MARK: &str = "ack ";

/// For each kind of work.
const ROUNDS: usize = 50;
/// Enough for tens of milliseconds, and a bound for the size of the file.
const ENTRIES: usize = 400;

/// Not a test by itself: the child of those below.
#[test]
fn child() {
    let Some(base) = std::env::var_os(WORLD).map(PathBuf::from) else { return };
    let project = base.join("home/project");
    let sessions = omp_session::Sessions::new(&base.join("agent"), &base.join("home"), &base.join("tmp"));
    let mut writer = match std::env::var_os(FILE) {
        // A process that was killed holds nothing.
        Some(path) => sessions.resume(Path::new(&path), &project, IfHeld::Refuse).unwrap().writer,
        None => sessions.create(&project, Default::default()),
    };
    let work = std::env::var(WORK).unwrap();
    if work == "full" {
        return until_full(&mut writer);
    }
    for number in 0..ENTRIES {
        let id = step(&mut writer, &work, number);
        assert!(writer.problem().is_none());
        acknowledge(&id, &writer);
    }
    // Killed, or orphaned and ended by the closed pipe.
    loop {
        std::thread::sleep(Duration::from_millis(20));
        writeln!(std::io::stdout()).unwrap();
    }
}

fn acknowledge(id: &str, writer: &SessionWriter) {
    let mut out = std::io::stdout();
    writeln!(out, "{MARK}{id} {}", writer.path().unwrap().display()).unwrap();
}

fn step(writer: &mut SessionWriter, work: &str, number: usize) -> String {
    // Some lines are long: a kill in the middle of a long write tears it.
    let text = "x".repeat(if number % 8 == 7 { fastrand::usize(..200_000) } else { 50 });
    let id = match (work, number) {
        (_, 0) => writer.append_message(&answer(&text)),
        ("images", number) if number % 4 == 0 => writer.append_message(&noise()),
        _ => writer.append_message(&user(&text)),
    };
    if work == "names" && number % 5 == 4 {
        writer.set_title(&format!("name {number} {text}"), TitleSource::Auto).unwrap();
    }
    if work == "index" && number % 10 == 9 {
        writer.flush();
    }
    id
}

fn noise() -> Arc<Message> {
    let bytes: Vec<u8> = std::iter::repeat_with(|| fastrand::u8(..)).take(20_000).collect();
    picture(&bytes)
}

fn start(world: &World, file: Option<&Path>, work: &str) -> Child {
    // Growing beyond a limit is an error then, not the end.
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; exec \"$0\" --exact kill::child --nocapture"]);
    command.arg(std::env::current_exe().unwrap());
    command.env(WORLD, &world.base).env(WORK, work).stdout(Stdio::piped());
    if let Some(file) = file {
        command.env(FILE, file);
    }
    command.spawn().unwrap()
}

/// The id and the file of an acknowledgement. A line that the kill cut off names no file that exists.
fn acknowledged(line: &str) -> Option<(String, PathBuf)> {
    let (id, file) = line.split_once(MARK)?.1.split_once(' ')?;
    file.ends_with(".jsonl").then(|| (id.to_owned(), file.into()))
}

/// Lets the child run for a random time after its first entry and kills it. Returns the ids it acknowledged.
fn run_and_kill(world: &World, file: Option<&Path>, work: &str) -> (Vec<String>, PathBuf) {
    let mut child = start(world, file, work);
    let stdout = child.stdout.take().unwrap();
    let (first, started) = std::sync::mpsc::channel();
    let reader = std::thread::spawn(move || {
        let mut ids = Vec::new();
        let mut path = None;
        for (id, file) in BufReader::new(stdout).lines().filter_map(|line| acknowledged(&line.unwrap())) {
            ids.push(id);
            path.get_or_insert(file);
            let _ = first.send(());
        }
        (ids, path.expect("the child saved something"))
    });
    started.recv_timeout(Duration::from_secs(60)).expect("the child starts");
    std::thread::sleep(Duration::from_micros(fastrand::u64(..20_000)));
    child.kill().unwrap();
    child.wait().unwrap();
    reader.join().unwrap()
}

/// Returns a sentence about what happened.
fn kill_at_random_times(work: &str, rounds: usize) -> String {
    let world = World::new();
    let mut file: Option<PathBuf> = None;
    let mut promised: Vec<String> = Vec::new();
    let (mut torn, mut torn_before, mut entries) = (0, 0, 0);
    for round in 0..rounds {
        if round % 5 == 0 {
            (file, promised, torn_before) = (None, Vec::new(), 0); // The file must not grow without end.
        }
        let (acknowledged, path) = run_and_kill(&world, file.as_deref(), work);
        entries += acknowledged.len();
        promised.extend(acknowledged);
        let loaded = load(&path).unwrap().expect("a session");
        torn += loaded.skipped - torn_before;
        torn_before = loaded.skipped;
        for id in &promised {
            assert!(loaded.entry(id).is_some(), "round {round}: {id} was acknowledged and is gone");
        }
        assert_eq!(
            loaded.path(loaded.leaf()).len(),
            loaded.entries().len(),
            "round {round}: the chain is whole"
        );
        let checkup = fsck(&path, Some(&world.sessions.blobs())).unwrap();
        let torn_only = |damage: &Damage| matches!(damage, Damage::TornEnd | Damage::Unreadable);
        assert!(
            checkup.findings.iter().all(|finding| torn_only(&finding.damage)),
            "round {round}: {checkup:?}"
        );
        let mut opened = world.sessions.resume(&path, &world.project, IfHeld::Refuse).unwrap();
        assert_eq!(opened.context.messages.len(), loaded.context().messages.len());
        promised.push(opened.writer.append_message(&user("after the kill")));
        assert!(opened.writer.problem().is_none());
        file = Some(path);
    }
    format!("{work}: {rounds} kills, {entries} entries acknowledged, none lost; {torn} kills tore a line")
}

/// proves: SES-039, SES-067
#[test]
fn killed_while_appending() {
    println!("{}", kill_at_random_times("append", ROUNDS));
}

/// proves: SES-069
#[test]
fn killed_while_writing_the_file_anew() {
    println!("{}", kill_at_random_times("names", ROUNDS));
}

/// proves: SES-085
#[test]
fn killed_while_storing_images() {
    println!("{}", kill_at_random_times("images", ROUNDS));
}

#[test]
fn killed_while_indexing() {
    println!("{}", kill_at_random_times("index", ROUNDS));
}

/// Takes minutes: run it by name.
#[test]
#[ignore = "ten thousand kills take minutes"]
fn killed_very_often() {
    let kills = std::env::var("OMP_SESSION_KILLS").ok().and_then(|word| word.parse().ok()).unwrap_or(10_000);
    for work in ["append", "names", "images", "index"] {
        println!("{}", kill_at_random_times(work, kills / 4));
    }
}

/// The child's part of the test below: appends until the file must not grow, then gets more room.
fn until_full(writer: &mut SessionWriter) {
    let (_, hard) = getrlimit(Resource::RLIMIT_FSIZE).unwrap();
    let length = std::fs::metadata(writer.path().unwrap()).unwrap().len();
    let mut reports = 0;
    for (number, room) in [20_017, 40_001, 60_033].into_iter().enumerate() {
        setrlimit(Resource::RLIMIT_FSIZE, length + room, hard).unwrap();
        loop {
            writer.append_message(&user(&format!("{number} {}", "y".repeat(fastrand::usize(..3000)))));
            if writer.problem().is_some() {
                break;
            }
        }
        writer.append_message(&user("while there is no room"));
        reports += usize::from(writer.take_report().is_some_and(|report| report.contains("free disk space")));
        assert!(writer.take_report().is_none());
    }
    assert_eq!(reports, 3, "each time once");
    setrlimit(Resource::RLIMIT_FSIZE, hard, hard).unwrap();
    let id = writer.append_message(&user("room again"));
    assert!(writer.problem().is_none());
    acknowledge(&id, writer);
}

/// The disk is full in the middle of a line: the line is torn, closed when there is room again, and written whole.
#[test]
fn a_disk_that_fills_up_in_the_middle_of_a_line() {
    let world = World::new();
    let path = world.saved(&world.project, "hi");
    let child = start(&world, Some(&path), "full").wait_with_output().unwrap();
    assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stdout));
    let loaded = load(&path).unwrap().unwrap();
    let last = loaded.context().messages.last().cloned().unwrap();
    assert_eq!(last, user("room again"));
    assert_eq!(
        loaded.path(loaded.leaf()).len(),
        loaded.entries().len(),
        "one chain, nothing twice, nothing missing"
    );
    assert!(loaded.skipped >= 1, "a line was torn");
    let refused = loaded
        .context()
        .messages
        .iter()
        .filter(|message| **message == user("while there is no room"))
        .count();
    assert_eq!(refused, 3, "what was said meanwhile is there");
}
