//! A writer that is killed at any moment loses nothing that it had acknowledged.

#![allow(clippy::disallowed_methods)] // The process is ours to kill, and is waited for below.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::support::{World, answer, user};

/// Set for the child only: the directory of the world and the file to append to, or nothing to create one.
const WORLD: &str = "OMP_SESSION_KILL_WORLD";
const FILE: &str = "OMP_SESSION_KILL_FILE";

/// Marks acknowledgements among what the test harness prints.
const MARK: &str = "ack ";

const ROUNDS: usize = 50;
/// Enough for tens of milliseconds, and a bound for the size of the file.
const ENTRIES: usize = 400;

/// Not a test by itself: the child of the one below.
#[test]
fn child() {
    let Some(base) = std::env::var_os(WORLD).map(PathBuf::from) else { return };
    let project = base.join("home/project");
    let sessions = omp_session::Sessions::new(&base.join("agent"), &base.join("home"), &base.join("tmp"));
    let mut writer = match std::env::var_os(FILE) {
        Some(path) => sessions.open(Path::new(&path), &project).unwrap().1,
        None => sessions.create(&project, Default::default()),
    };
    let mut out = std::io::stdout();
    for number in 0..ENTRIES {
        // Some lines are long: a kill in the middle of a long write tears it.
        let text = "x".repeat(if number % 8 == 7 { fastrand::usize(..200_000) } else { 50 });
        let id = writer.append_message(&if number == 0 { answer(&text) } else { user(&text) });
        assert!(writer.problem().is_none());
        writeln!(out, "{MARK}{id} {}", writer.path().unwrap().display()).unwrap();
    }
    // Killed, or orphaned and ended by the closed pipe.
    loop {
        std::thread::sleep(Duration::from_millis(20));
        writeln!(out).unwrap();
    }
}

fn start(world: &World, file: Option<&Path>) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "kill::child", "--nocapture"]).env(WORLD, &world.base).stdout(Stdio::piped());
    if let Some(file) = file {
        command.env(FILE, file);
    }
    command.spawn().unwrap()
}

/// Lets the child run for a random time after its first entry and kills it. Returns the ids it acknowledged.
fn run_and_kill(world: &World, file: Option<&Path>) -> (Vec<String>, PathBuf) {
    let mut child = start(world, file);
    let stdout = child.stdout.take().unwrap();
    let (first, started) = std::sync::mpsc::channel();
    let reader = std::thread::spawn(move || {
        let mut acknowledged = Vec::new();
        let mut path = None;
        for line in BufReader::new(stdout).lines() {
            let line = line.unwrap();
            // A line that the kill cut off names no file that exists.
            let Some((id, file)) = line.split_once(MARK).and_then(|(_, rest)| rest.split_once(' ')) else {
                continue;
            };
            if file.ends_with(".jsonl") {
                acknowledged.push(id.to_owned());
                path.get_or_insert_with(|| PathBuf::from(file));
                let _ = first.send(());
            }
        }
        (acknowledged, path.expect("the child saved something"))
    });
    started.recv_timeout(Duration::from_secs(60)).expect("the child starts");
    std::thread::sleep(Duration::from_micros(fastrand::u64(..30_000)));
    child.kill().unwrap();
    child.wait().unwrap();
    reader.join().unwrap()
}

// proves: SES-039, SES-067
#[test]
fn killed_at_random_times() {
    let world = World::new();
    let mut file: Option<PathBuf> = None;
    let mut promised: Vec<String> = Vec::new();
    let (mut torn, mut torn_before) = (0, 0);
    for round in 0..ROUNDS {
        if round % 5 == 0 {
            (file, promised, torn_before) = (None, Vec::new(), 0); // The file must not grow without end.
        }
        let (acknowledged, path) = run_and_kill(&world, file.as_deref());
        promised.extend(acknowledged);
        let (loaded, mut writer) = world.open(&path);
        torn += loaded.skipped - torn_before;
        torn_before = loaded.skipped;
        for id in &promised {
            assert!(loaded.entry(id).is_some(), "round {round}: {id} was acknowledged and is gone");
        }
        let roots = loaded.entries().iter().filter(|entry| entry.parent_id.is_none()).count();
        assert_eq!(roots, 1, "round {round}: the chain is whole");
        assert_eq!(loaded.path(loaded.leaf()).len(), loaded.entries().len());
        promised.push(writer.append_message(&user("after the kill")));
        assert!(writer.problem().is_none());
        file = Some(path);
    }
    println!("{torn} of {ROUNDS} kills tore a line");
}
