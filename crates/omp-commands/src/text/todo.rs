//! `/todo`: the list of tasks, seen and changed by a person.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use omp_sdk::{Phase, Session, Task, TaskStatus, from_markdown, to_markdown};

use super::{first_word, unquoted};
use crate::answer::Answer;

const USAGE: &str = "Usage: /todo [edit|copy|export [path]|import [path]|append [phase] task|start task|done [task]|drop [task]|rm [task]]";
/// Where a list is written and read unless another file is named.
const FILE: &str = "TODO.md";
/// Tasks without a phase belong here.
const NO_PHASE: &str = "Todos";
/// A longer file is no list of tasks.
const LARGEST: u64 = 1024 * 1024;

/// `/todo …`
pub(crate) async fn run(session: &Arc<Session>, arguments: &str) -> Answer {
    let (verb, rest) = first_word(arguments);
    match verb {
        "" => shown(&session.tasks().history().await),
        "edit" if rest.is_empty() => Answer::Screen,
        "copy" if rest.is_empty() => match session.tasks().history().await {
            phases if phases.is_empty() => Answer::refused(EMPTY),
            phases => Answer::Copy(to_markdown(&phases)),
        },
        "export" => export(session, rest).await,
        "import" => import(session, rest).await,
        _ => match changed_tasks(&session.tasks().phases(), verb, rest) {
            Ok((phases, change)) => {
                session.tasks().set(phases, &change);
                Answer::Changed(format!("Todo list: {change}"))
            }
            Err(mistake) => Answer::Refused(mistake),
        },
    }
}

const EMPTY: &str = "The todo list is empty. Add a task with /todo append <task>.";

fn shown(phases: &[Phase]) -> Answer {
    match phases.iter().all(|phase| phase.tasks.is_empty()) {
        true => Answer::Text(EMPTY.to_owned()),
        false => Answer::Text(to_markdown(phases).trim_end().to_owned()),
    }
}

fn file(session: &Session, typed: &str) -> PathBuf {
    let typed = unquoted(typed);
    session.cwd().join(if typed.is_empty() { FILE } else { typed })
}

async fn export(session: &Session, path: &str) -> Answer {
    let (file, phases) = (file(session, path), session.tasks().history().await);
    if phases.is_empty() {
        return Answer::refused(EMPTY);
    }
    let (target, text) = (file.clone(), to_markdown(&phases));
    let written = tokio::task::spawn_blocking(move || write_private(&target, &text)).await;
    match written {
        Ok(Ok(())) => Answer::Text(format!("Todo list written to {}", file.display())),
        Ok(Err(error)) => Answer::Refused(format!("cannot write {}: {error}", file.display())),
        Err(error) => Answer::refused(error),
    }
}

/// What is said in a session is for its owner only, wherever it is written.
fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())
}

async fn import(session: &Session, path: &str) -> Answer {
    let file = file(session, path);
    let source = file.clone();
    let read = move || match std::fs::metadata(&source) {
        Ok(metadata) if metadata.len() > LARGEST => Err("it is larger than 1 MB".to_owned()),
        Ok(_) => std::fs::read_to_string(&source).map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    let text = tokio::task::spawn_blocking(read).await.unwrap_or_else(|error| Err(error.to_string()));
    let phases = match text {
        Ok(text) => from_markdown(&text),
        Err(error) => return Answer::Refused(format!("cannot read {}: {error}", file.display())),
    };
    let tasks: usize = phases.iter().map(|phase| phase.tasks.len()).sum();
    if tasks == 0 {
        return Answer::Refused(format!(
            "no tasks in {}: a task is a line such as `- [ ] write tests`",
            file.display()
        ));
    }
    let change = format!("{} read from {}", counted(tasks), file.display());
    session.tasks().set(phases, &change);
    Answer::Changed(format!("Todo list: {change}"))
}

fn counted(tasks: usize) -> String {
    if tasks == 1 { "1 task".to_owned() } else { format!("{tasks} tasks") }
}

/// The list after `append`, `start`, `done`, `drop` or `rm`, and what was changed in a few words. Tasks and phases are
/// found by what they resemble.
pub fn changed_tasks(phases: &[Phase], verb: &str, rest: &str) -> Result<(Vec<Phase>, String), String> {
    let mut phases = phases.to_vec();
    let change = match verb {
        "append" => append(&mut phases, rest)?,
        "start" => start(&mut phases, rest)?,
        "done" => mark(&mut phases, rest, TaskStatus::Completed, "done")?,
        "drop" => mark(&mut phases, rest, TaskStatus::Abandoned, "dropped")?,
        "rm" => remove(&mut phases, rest)?,
        _ => return Err(USAGE.to_owned()),
    };
    Ok((phases, change))
}

fn append(phases: &mut Vec<Phase>, rest: &str) -> Result<String, String> {
    let (phase, task) = phase_and_task(phases, rest);
    if task.is_empty() {
        return Err("Usage: /todo append [phase] task".to_owned());
    }
    if phases.iter().flat_map(|phase| &phase.tasks).any(|known| known.content == task) {
        return Err(format!("task \"{task}\" already exists"));
    }
    let at = match phase {
        Some(at) => at,
        None => {
            if phases.is_empty() {
                phases.push(Phase { name: NO_PHASE.to_owned(), tasks: Vec::new() });
            }
            phases.len() - 1
        }
    };
    let new = Task { content: task.to_owned(), status: TaskStatus::Pending, notes: Vec::new() };
    phases[at].tasks.push(new);
    Ok(format!("\"{task}\" appended to {}", phases[at].name))
}

/// A first word, or words in quotes, that name a phase exactly; the rest is the task.
fn phase_and_task<'a>(phases: &[Phase], rest: &'a str) -> (Option<usize>, &'a str) {
    let quoted = rest.strip_prefix('"').and_then(|rest| rest.split_once('"'));
    let (name, task) = quoted.unwrap_or_else(|| first_word(rest));
    let same = |phase: &Phase| phase.name.to_lowercase() == name.trim().to_lowercase();
    match phases.iter().position(same).filter(|_| !task.trim().is_empty()) {
        Some(at) => (Some(at), task.trim()),
        None => (None, rest),
    }
}

fn start(phases: &mut [Phase], wanted: &str) -> Result<String, String> {
    let (phase, task) = find_task(phases, wanted)?;
    let active = phases.iter_mut().flat_map(|phase| &mut phase.tasks);
    for other in active.filter(|task| task.status == TaskStatus::InProgress) {
        other.status = TaskStatus::Pending;
    }
    let task = &mut phases[phase].tasks[task];
    task.status = TaskStatus::InProgress;
    Ok(format!("\"{}\" started", task.content))
}

/// What `done`, `drop` and `rm` are about, by position.
enum Target {
    Everything,
    Phase(usize),
    Task(usize, usize),
}

/// Everything without words; else the phase of that name, else the task that resembles the words most.
fn target(phases: &[Phase], wanted: &str) -> Result<Target, String> {
    if phases.iter().all(|phase| phase.tasks.is_empty()) {
        return Err(EMPTY.to_owned());
    }
    if wanted.is_empty() {
        return Ok(Target::Everything);
    }
    let named = phases.iter().position(|phase| phase.name.to_lowercase() == wanted.to_lowercase());
    match named {
        Some(phase) => Ok(Target::Phase(phase)),
        None => find_task(phases, wanted).map(|(phase, task)| Target::Task(phase, task)),
    }
}

fn mark(phases: &mut [Phase], wanted: &str, status: TaskStatus, word: &str) -> Result<String, String> {
    let set = |task: &mut Task| task.status = status;
    Ok(match target(phases, wanted)? {
        Target::Everything => {
            let open = phases.iter_mut().flat_map(|phase| &mut phase.tasks);
            open.filter(|task| task.status.is_open()).for_each(set);
            format!("everything {word}")
        }
        Target::Phase(at) => {
            phases[at].tasks.iter_mut().filter(|task| task.status.is_open()).for_each(set);
            format!("{} {word}", phases[at].name)
        }
        Target::Task(phase, task) => {
            set(&mut phases[phase].tasks[task]);
            format!("\"{}\" {word}", phases[phase].tasks[task].content)
        }
    })
}

fn remove(phases: &mut Vec<Phase>, wanted: &str) -> Result<String, String> {
    Ok(match target(phases, wanted)? {
        Target::Everything => {
            phases.clear();
            "everything removed".to_owned()
        }
        Target::Phase(at) => format!("{} removed", phases.remove(at).name),
        Target::Task(phase, task) => {
            format!("\"{}\" removed", phases[phase].tasks.remove(task).content)
        }
    })
}

/// The task that resembles the words most.
fn find_task(phases: &[Phase], wanted: &str) -> Result<(usize, usize), String> {
    if wanted.is_empty() {
        return Err("name a task (its beginning is enough)".to_owned());
    }
    let mut matcher = Matcher::new(Config::DEFAULT);
    let pattern = Pattern::parse(wanted, CaseMatching::Ignore, Normalization::Smart);
    let mut letters = Vec::new();
    let mut best: Option<(u32, (usize, usize))> = None;
    for (at, phase) in phases.iter().enumerate() {
        for (place, task) in phase.tasks.iter().enumerate() {
            let exact = task.content.to_lowercase() == wanted.to_lowercase();
            let score = pattern.score(Utf32Str::new(&task.content, &mut letters), &mut matcher);
            let Some(score) = exact.then_some(u32::MAX).or(score) else { continue };
            if best.is_none_or(|(known, _)| score > known) {
                best = Some((score, (at, place)));
            }
        }
    }
    best.map(|(_, place)| place).ok_or_else(|| format!("no task matches \"{wanted}\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list() -> Vec<Phase> {
        from_markdown("# Build\n- [/] write the parser\n- [ ] write the tests\n# Ship\n- [ ] tag it\n")
    }

    fn after(verb: &str, rest: &str) -> String {
        match changed_tasks(&list(), verb, rest) {
            Ok((phases, change)) => {
                format!("{}|{change}", to_markdown(&phases).replace("\n\n", "\n").trim_end())
            }
            Err(mistake) => mistake,
        }
    }

    #[test]
    fn tasks_are_found_by_resemblance() {
        assert!(after("done", "parser").contains("- [x] write the parser"));
        assert!(after("done", "TAG IT").contains("- [x] tag it"));
        assert!(after("drop", "wrtests").contains("- [-] write the tests"));
        assert!(after("start", "tag").contains("- [ ] write the parser"));
        assert!(after("start", "tag").contains("- [/] tag it"));
        assert!(!after("rm", "tests").contains("- [ ] write the tests"));
        assert_eq!(after("done", "zebra"), "no task matches \"zebra\"");
        assert!(after("start", "").contains("name a task"));
        assert!(after("sing", "x").starts_with("Usage: /todo"));
    }

    #[test]
    fn phases_and_everything() {
        assert!(after("done", "build").contains("- [x] write the tests"));
        assert!(after("done", "build").contains("- [ ] tag it"));
        assert!(after("drop", "").ends_with("|everything dropped"));
        assert_eq!(after("rm", ""), "|everything removed");
        assert!(
            after("append", "Ship announce it")
                .contains("- [ ] announce it|\"announce it\" appended to Ship")
        );
        assert!(after("append", "\"Build\" lint").contains("lint\" appended to Build"));
        assert!(after("append", "sing a song").ends_with("appended to Ship"));
        assert!(after("append", "tag it").contains("already"));
        let (phases, _) = changed_tasks(&[], "append", "begin").unwrap();
        assert_eq!(phases[0].name, "Todos");
    }
}
