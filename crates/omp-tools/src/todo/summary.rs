//! The list as the model reads it after a change.

use std::fmt::Write as _;

use super::list::{Phase, Status, Task};
use super::markdown::mark;

/// What became of the list, mistakes first.
pub(super) fn summary(phases: &[Phase], errors: &[String]) -> String {
    let mut text = String::new();
    if !errors.is_empty() {
        let _ = writeln!(text, "Errors: {}", errors.join("; "));
    }
    if phases.iter().all(|phase| phase.tasks.is_empty()) {
        text.push_str(if errors.is_empty() { "Todo list cleared." } else { "The todo list is empty." });
        return text;
    }
    let open: Vec<(&Phase, &Task)> = phases
        .iter()
        .flat_map(|phase| phase.tasks.iter().map(move |task| (phase, task)))
        .filter(|(_, task)| task.status.is_open())
        .collect();
    match open.is_empty() {
        true => text.push_str("Remaining items: none.\n"),
        false => {
            let _ = writeln!(text, "Remaining items ({}):", open.len());
        }
    }
    for (phase, task) in &open {
        let active = if task.status == Status::InProgress { " [in progress]" } else { "" };
        let _ = writeln!(text, "- {}{active} ({})", task.content, phase.name);
    }
    if let Some(current) =
        open.iter().find(|(_, task)| task.status == Status::InProgress).map(|(phase, _)| *phase)
    {
        let done = current.tasks.iter().filter(|task| !task.status.is_open()).count();
        let _ = writeln!(text, "Current phase \"{}\": {done} of {} done.", current.name, current.tasks.len());
    }
    for phase in phases {
        let _ = writeln!(text, "{}:", phase.name);
        phase.tasks.iter().for_each(|task| add(&mut text, task));
    }
    text.truncate(text.trim_end().len());
    text
}

/// Notes are shown where they are needed: with the active task.
fn add(text: &mut String, task: &Task) {
    let _ = writeln!(text, "  [{}] {}", mark(task.status), task.content);
    let notes = task.notes.iter().filter(|_| task.status == Status::InProgress);
    for line in notes.flat_map(|note| note.lines()) {
        let _ = writeln!(text, "      > {line}");
    }
}
