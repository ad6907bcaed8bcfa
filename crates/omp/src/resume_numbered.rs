//! The list of sessions in plain lines: numbers to choose from, and an answer that is read as a line.

use std::io::{BufRead, Read};
use std::path::Path;

use omp_interactive::Picked;
use omp_sdk::sessions::SessionInfo;
use omp_sdk::{Directories, SavedSessions, SessionScope};

use crate::output;

/// Nobody wants to hear more of them; others are named with `--resume <id>`.
const MOST: usize = 20;
/// An answer is a number.
const LONGEST_ANSWER: u64 = 1000;

/// Lists the latest sessions of the directory, else of all directories, and asks for one.
pub(crate) fn choose(directories: &Directories, session_dir: Option<&Path>, cwd: &Path) -> Picked {
    let saved = SavedSessions::new(directories, session_dir, cwd);
    let list =
        |scope| saved.session_list(scope, None).sessions().iter().take(MOST).cloned().collect::<Vec<_>>();
    let mut sessions = list(SessionScope::Folder);
    let here = !sessions.is_empty();
    if !here {
        sessions = list(SessionScope::AllFolders);
    }
    if sessions.is_empty() {
        return Picked::NoSessions;
    }
    for (number, session) in (1..).zip(&sessions) {
        let place = if here { String::new() } else { format!(", in {}", session.cwd.display()) };
        output::note(&output::name(&format!("{number}. {}{place}", session.name())));
    }
    output::note("Number of the session to resume (Enter to cancel):");
    ask(&sessions)
}

fn ask(sessions: &[SessionInfo]) -> Picked {
    loop {
        let mut line = String::new();
        let read = std::io::stdin().lock().take(LONGEST_ANSWER).read_line(&mut line);
        if !matches!(read, Ok(1..)) || line.trim().is_empty() {
            return Picked::Cancelled;
        }
        let number: Option<usize> = line.trim().parse().ok();
        let chosen = number.and_then(|number| sessions.get(number.checked_sub(1)?));
        if let Some(SessionInfo { path, id, cwd, .. }) = chosen.cloned() {
            return Picked::Session { path, id, cwd };
        }
        output::note(&format!("Enter a number from 1 to {} (Enter to cancel):", sessions.len()));
    }
}
