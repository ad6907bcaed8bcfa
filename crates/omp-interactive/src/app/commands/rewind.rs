//! `/rewind`: a prompt, what goes back, and what that does to files before it is done.

use std::path::Path;
use std::sync::Arc;

use omp_commands::file_report;
use omp_sdk::{FilePlan, OtherChanges, RewindError, RewindPoint, RewindWhat, Rewound};
use omp_theme::Token;
use omp_tui::text::Line;
use omp_view::message::Level;
use omp_view::select::{Choice, Selector};

use crate::app::switching;
use crate::app::{App, Task};
use crate::panels::menu::Menu;

/// Files that are named before anything is done.
const MOST_NAMED: usize = 12;

/// What can be answered when a prompt was chosen.
#[derive(Clone, Copy)]
enum RewindAnswer {
    Go(RewindWhat, OtherChanges),
    Leave,
}

/// Opens the list of prompts.
pub(crate) fn pick_rewind(app: &mut App) {
    let session = app.session();
    app.spawn(async move {
        let points = session.file_history().points().await;
        Box::new(move |app: &mut App| match points {
            Ok(points) => offer_points(app, points),
            Err(error) => app.complain(&error.to_string()),
        }) as Task
    });
}

fn offer_points(app: &mut App, points: Vec<RewindPoint>) {
    if points.is_empty() {
        app.hint(Token::Warning, "Nothing to rewind to yet");
        return;
    }
    let option = |point: &RewindPoint| {
        let text = point.text.split_whitespace().collect::<Vec<_>>().join(" ");
        Choice::new(text).detail(counted(point.files))
    };
    let menu = Selector::new("Rewind to before a prompt", points.iter().map(option).collect());
    let menu = menu.at(points.len() - 1);
    app.pick(menu, move |app, chosen| {
        if let Some(point) = chosen.and_then(|place| points.get(place)) {
            weigh_rewind(app, point.entry.clone());
        }
    });
}

/// Shows what would happen to files, and asks what goes back.
fn weigh_rewind(app: &mut App, entry: String) {
    let session = app.session();
    app.spawn(async move {
        let plan = session.file_history().plan(&entry).await;
        Box::new(move |app: &mut App| match plan {
            Ok(plan) => ask_what(app, entry, &plan),
            // Without a history the conversation alone can go back.
            Err(error @ RewindError::Off(_)) => ask_about_conversation(app, entry, &error.to_string()),
            Err(RewindError::Files(error)) => ask_about_conversation(app, entry, &error.to_string()),
            Err(error) => app.complain(&error.to_string()),
        }) as Task
    });
}

fn ask_about_conversation(app: &mut App, entry: String, reason: &str) {
    let text = vec![Line::styled(app.surface.look().fg(Token::Warning), reason)];
    let menu = Menu::new("Rewind to before this prompt?", [])
        .with_text(text)
        .or("Conversation only", "")
        .or("Cancel", "");
    app.ask(menu, move |app, chosen| {
        if chosen == Some(0) {
            rewind(app, entry, RewindWhat::Conversation, OtherChanges::Stay);
        }
    });
}

fn ask_what(app: &mut App, entry: String, plan: &FilePlan) {
    let mut menu = Menu::new("Rewind to before this prompt?", []).with_text(files_told(app, plan));
    let mut answers = Vec::new();
    let mut offer = |menu: Menu, label: &str, detail: &str, answer: RewindAnswer| {
        answers.push(answer);
        menu.or(label, detail)
    };
    let stay = OtherChanges::Stay;
    if !plan.changes.is_empty() {
        let detail = counted(Some(plan.changes.len()));
        menu = offer(menu, "Conversation and files", &detail, RewindAnswer::Go(RewindWhat::Both, stay));
    }
    if !plan.outside.is_empty() {
        let detail = format!("{}, including those changed by others", counted(Some(plan.files())));
        let answer = RewindAnswer::Go(RewindWhat::Both, OtherChanges::Restored);
        menu = offer(menu, "Conversation and all files", &detail, answer);
    }
    menu = offer(menu, "Conversation only", "", RewindAnswer::Go(RewindWhat::Conversation, stay));
    if !plan.changes.is_empty() {
        menu = offer(menu, "Files only", "", RewindAnswer::Go(RewindWhat::Files, stay));
    }
    menu = offer(menu, "Cancel", "", RewindAnswer::Leave);
    app.ask(menu, move |app, chosen| {
        if let Some(RewindAnswer::Go(what, others)) = chosen.and_then(|place| answers.get(place)).copied() {
            rewind(app, entry, what, others);
        }
    });
}

/// The files of a plan.
fn files_told(app: &App, plan: &FilePlan) -> Vec<Line> {
    let (look, cwd) = (app.surface.look(), app.session().cwd());
    let shown = |path: &Path| path.strip_prefix(&cwd).unwrap_or(path).display().to_string();
    let mut rows: Vec<Line> = Vec::new();
    let mut section = |token: Token, title: &str, lines: Vec<String>| {
        if lines.is_empty() {
            return;
        }
        rows.push(Line::styled(look.fg(token), title));
        let more = lines.len().saturating_sub(MOST_NAMED);
        rows.extend(lines.iter().take(MOST_NAMED).map(|line| Line::styled(look.fg(Token::Text), line)));
        if more > 0 {
            rows.push(Line::styled(look.fg(Token::Muted), &format!("  and {more} more")));
        }
    };
    let changed = |change: &omp_sdk::FileChange| format!("  {}  {}", change.action, shown(&change.path));
    section(Token::Muted, "Files:", plan.changes.iter().map(changed).collect());
    let title = "Changed outside this session (kept unless you choose all):";
    section(Token::Warning, title, plan.outside.iter().map(changed).collect());
    let unprotected = plan.unprotected.iter().map(|one| format!("  {} ({})", shown(&one.path), one.why));
    section(Token::Warning, "Not tracked (left unchanged):", unprotected.collect());
    if rows.is_empty() {
        rows.push(Line::styled(look.fg(Token::Muted), "No files changed since"));
    }
    rows
}

fn rewind(app: &mut App, entry: String, what: RewindWhat, others: OtherChanges) {
    let session = app.session();
    if let Some(run) = &app.turn.run {
        run.cancel.cancel();
    }
    app.spawn(async move {
        let rewound = session.file_history().rewind(&entry, what, others).await;
        let messages = session.transcript().messages().await;
        Box::new(move |app: &mut App| match rewound {
            Ok(rewound) => show_rewound(app, rewound, &messages),
            Err(error) => app.complain(&error.to_string()),
        }) as Task
    });
}

fn show_rewound(app: &mut App, rewound: Rewound, messages: &[Arc<omp_types::Message>]) {
    let report = file_report(&rewound.files, &app.session().cwd(), "/rewind <number> files all");
    match rewound.moved {
        Some(moved) => {
            app.turn.leave_run();
            switching::arrive(app, messages, &format!("Rewound (/redo to undo)\n{report}"));
            if let Some(text) = moved.prefill {
                app.set_text(&text);
            }
        }
        None => app.say(Level::Info, &format!("Files restored (/redo to undo)\n{report}")),
    }
}

fn counted(files: Option<usize>) -> String {
    match files {
        None => "no checkpoint".to_owned(),
        Some(0) => "no files".to_owned(),
        Some(1) => "1 file".to_owned(),
        Some(files) => format!("{files} files"),
    }
}
