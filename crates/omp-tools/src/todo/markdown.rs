//! The list as Markdown that people can edit.

use std::fmt::Write as _;

use super::list::{Phase, Status, Task, normalise};

/// Tasks before the first heading belong here.
const NO_PHASE: &str = "Todos";

pub(super) fn mark(status: Status) -> char {
    match status {
        Status::Pending => ' ',
        Status::InProgress => '/',
        Status::Completed => 'x',
        Status::Abandoned => '-',
    }
}

fn status(mark: char) -> Option<Status> {
    match mark {
        ' ' => Some(Status::Pending),
        '/' | '>' => Some(Status::InProgress),
        'x' | 'X' => Some(Status::Completed),
        '-' | '~' => Some(Status::Abandoned),
        _ => None,
    }
}

/// Headings for phases, check boxes for tasks, quotes for notes.
pub fn to_markdown(phases: &[Phase]) -> String {
    let mut text = String::new();
    for phase in phases {
        let gap = if text.is_empty() { "" } else { "\n" };
        let _ = writeln!(text, "{gap}# {}\n", phase.name);
        for task in &phase.tasks {
            let _ = writeln!(text, "- [{}] {}", mark(task.status), task.content);
            for (at, note) in task.notes.iter().enumerate() {
                // An empty line between quotes keeps two notes apart.
                text.push_str(if at > 0 { "\n" } else { "" });
                note.split('\n').for_each(|line| {
                    let _ = writeln!(text, "  > {line}");
                });
            }
        }
    }
    text
}

/// Reads what [`to_markdown`] writes, and what people make of it. Lines that are nothing of it are left out.
pub fn from_markdown(text: &str) -> Vec<Phase> {
    let mut phases: Vec<Phase> = Vec::new();
    let mut in_note = false;
    for line in text.lines() {
        let trimmed = line.trim();
        let quoted = trimmed.strip_prefix('>');
        if let Some(quoted) = quoted {
            let note = quoted.strip_prefix(' ').unwrap_or(quoted);
            add_note(&mut phases, note, in_note);
        } else if let Some(name) = heading(trimmed) {
            phases.push(Phase { name: name.to_owned(), tasks: Vec::new() });
        } else if let Some(task) = task(trimmed) {
            if phases.is_empty() {
                phases.push(Phase { name: NO_PHASE.to_owned(), tasks: Vec::new() });
            }
            phases.iter_mut().last().into_iter().for_each(|phase| phase.tasks.push(task.clone()));
        }
        in_note = quoted.is_some();
    }
    normalise(&mut phases);
    phases
}

fn add_note(phases: &mut [Phase], line: &str, goes_on: bool) {
    let Some(task) = phases.last_mut().and_then(|phase| phase.tasks.last_mut()) else { return };
    match task.notes.last_mut().filter(|_| goes_on) {
        Some(note) => {
            note.push('\n');
            note.push_str(line);
        }
        None => task.notes.push(line.to_owned()),
    }
}

fn heading(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches('#');
    let name = rest.strip_prefix(' ').map(str::trim).filter(|name| !name.is_empty());
    name.filter(|_| rest.len() < line.len())
}

/// `- [x] task`, also with `*`, `+` or a number before the box, or none.
fn task(line: &str) -> Option<Task> {
    let body = line.trim_start_matches(|letter: char| letter.is_ascii_digit() || "-*+.) ".contains(letter));
    let mut letters = body.strip_prefix('[')?.chars();
    let status = status(letters.next()?)?;
    let content = letters.as_str().strip_prefix(']')?.trim();
    (!content.is_empty()).then(|| Task { status, ..Task::new(content) })
}
