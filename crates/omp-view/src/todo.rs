//! The list of things to do: in the result of a change, and in the panel above the editor.

use omp_theme::{Symbol, Token};
use omp_tui::text::{Attributes, Line};
use serde_json::Value;

use crate::Look;
use crate::look::count;
use crate::preview::more;

/// Tasks that the panel shows.
const PANEL: usize = 5;

/// How far a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It waits.
    Pending,
    /// It is being done.
    InProgress,
    /// It is done.
    Completed,
    /// It will not be done.
    Abandoned,
}

/// Something to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// What it is.
    pub content: String,
    /// How far it is.
    pub status: Status,
    /// Remarks.
    pub notes: Vec<String>,
}

/// A group of tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TodoPhase {
    /// Its name.
    pub name: String,
    /// Its tasks.
    pub tasks: Vec<Task>,
}

/// The whole list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Todos {
    /// Its groups.
    pub phases: Vec<TodoPhase>,
}

/// Whose notes are shown in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notes {
    /// Those of the task that is being done.
    OfTheActive,
    /// Nobody's.
    None,
}

impl Todos {
    /// The list in `details.phases` of a result. `None` if that is something else.
    pub fn of_json(phases: &Value) -> Option<Self> {
        let phases = phases.as_array()?.iter().map(phase).collect::<Option<_>>()?;
        Some(Self { phases })
    }

    /// All tasks in order.
    pub fn tasks(&self) -> impl Iterator<Item = &Task> {
        self.phases.iter().flat_map(|phase| &phase.tasks)
    }
}

fn phase(value: &Value) -> Option<TodoPhase> {
    let tasks = value.get("tasks")?.as_array()?.iter().map(task).collect::<Option<_>>()?;
    Some(TodoPhase { name: value.get("name")?.as_str()?.to_owned(), tasks })
}

fn task(value: &Value) -> Option<Task> {
    let status = match value.get("status")?.as_str()? {
        "in_progress" => Status::InProgress,
        "completed" => Status::Completed,
        "abandoned" => Status::Abandoned,
        _ => Status::Pending,
    };
    let notes = value.get("notes").and_then(Value::as_array).into_iter().flatten();
    let notes = notes.filter_map(Value::as_str).map(str::to_owned).collect();
    Some(Task { content: value.get("content")?.as_str()?.to_owned(), status, notes })
}

/// The list as a tree: groups with their tasks, at most `most` tasks. The ones around the active task are kept.
pub fn tree(look: &Look, todos: &Todos, most: usize, notes: Notes) -> Vec<Line> {
    let total = todos.tasks().count();
    let active = todos.tasks().position(|task| task.status == Status::InProgress).unwrap_or(0);
    // One task that is over stays above the active one.
    let first = active.saturating_sub(1).min(total.saturating_sub(most));
    let shown = first..first.saturating_add(most).min(total);
    let mut rows = Vec::new();
    let mut index = 0;
    for phase in &todos.phases {
        let start = index;
        index += phase.tasks.len();
        let here = start.max(shown.start)..index.min(shown.end);
        if here.is_empty() {
            continue;
        }
        if todos.phases.len() > 1 {
            rows.push(heading(look, phase));
        }
        for at in here.clone() {
            let last = at + 1 == index.min(shown.end);
            rows.extend(item(look, &phase.tasks[at - start], last, notes));
        }
    }
    if shown.len() < total {
        let hidden = total - shown.len();
        rows.push(match notes {
            Notes::OfTheActive => more(look, hidden, "task"),
            Notes::None => {
                let dots = look.symbol(Symbol::FormatEllipsis);
                let word = count(hidden as u64, "more task");
                look.row(Token::Dim, &format!("{dots} {word} (/todo shows all)"))
            }
        });
    }
    rows
}

/// `Name 2/5`
fn heading(look: &Look, phase: &TodoPhase) -> Line {
    let done = phase.tasks.iter().filter(|task| task.status == Status::Completed).count();
    let mut line = Line::styled(look.bold(Token::Text), &phase.name);
    line.push(look.fg(Token::Dim), &format!(" {done}/{}", phase.tasks.len()));
    look.shortened(&line, look.width)
}

fn item(look: &Look, task: &Task, last: bool, notes: Notes) -> Vec<Line> {
    let branch = if last { Symbol::TreeLast } else { Symbol::TreeBranch };
    let mut line = Line::styled(look.fg(Token::Dim), &format!("{} ", look.symbol(branch)));
    let (token, symbol) = match task.status {
        Status::Pending => (Token::Muted, Symbol::CheckboxUnchecked),
        Status::InProgress => (Token::Accent, Symbol::StatusRunning),
        Status::Completed => (Token::Success, Symbol::CheckboxChecked),
        Status::Abandoned => (Token::Dim, Symbol::FormatDash),
    };
    line.push(look.fg(token), &format!("{} ", look.symbol(symbol)));
    let style = match task.status {
        Status::Pending => look.fg(Token::ToolOutput),
        Status::InProgress => look.bold(Token::Accent),
        Status::Completed => look.fg(Token::Dim),
        Status::Abandoned => look.fg(Token::Dim).with(Attributes::STRIKE),
    };
    line.push(style, &task.content);
    if !task.notes.is_empty() {
        line.push(look.fg(Token::Muted), &superscript(task.notes.len(), look));
    }
    let mut rows = vec![look.shortened(&line, look.width)];
    if notes == Notes::OfTheActive && task.status == Status::InProgress {
        let upright = if last { " " } else { look.symbol(Symbol::TreeVertical) };
        for text in task.notes.iter().flat_map(|note| note.lines()) {
            let mut line = Line::styled(look.fg(Token::Dim), &format!("{upright}    "));
            line.push(look.fg(Token::MdQuoteBorder), &format!("{} ", look.symbol(Symbol::MdQuoteBorder)));
            line.push(look.fg(Token::Muted), text);
            rows.extend(line.wrap(look.width, 7));
        }
    }
    rows
}

/// `²`, or `(2)` where letters are all there is.
fn superscript(number: usize, look: &Look) -> String {
    if look.theme.preset() == omp_theme::Preset::Ascii {
        return format!(" ({number})");
    }
    let digit = |digit: char| match digit {
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4'..='9' => char::from_u32(0x2070 + u32::from(digit) - u32::from('0')).unwrap_or(digit),
        _ => '⁰',
    };
    number.to_string().chars().map(digit).collect()
}

/// The panel above the editor: what is being done and what comes next. Empty if nothing is open.
pub fn panel(look: &Look, todos: &Todos) -> Vec<Line> {
    let open =
        todos.tasks().filter(|task| matches!(task.status, Status::Pending | Status::InProgress)).count();
    if open == 0 {
        return Vec::new();
    }
    let total = todos.tasks().count();
    let done = todos.tasks().filter(|task| task.status == Status::Completed).count();
    let mut head = Line::styled(look.fg(Token::Accent), look.symbol(Symbol::IconTodo));
    head.push(look.bold(Token::Text), " Todo");
    head.push(look.fg(Token::Muted), &format!("{}{done} of {total} done", look.dot()));
    let mut rows = vec![look.shortened(&head, look.width)];
    rows.extend(tree(look, todos, PANEL, Notes::None));
    rows
}
