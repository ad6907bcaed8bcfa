//! `/rewind`: a prompt, what goes back, and what that does to files before it is done.

use std::path::Path;
use std::sync::Arc;

use omp_commands::file_report;
use omp_sdk::{FilePlan, OtherChanges, RewindError, RewindPoint, RewindWhat, Rewound};
use omp_theme::Token;
use omp_tui::text::Line;
use omp_view::message::Level;
use omp_view::select::{Choice, Selector};

use crate::app::{App, Task};
use crate::panels::menu::Menu;

/// Files that are named before anything is done.
const MOST_NAMED: usize = 12;

/// What can be answered when a prompt was chosen.
#[derive(Clone, Copy)]
enum Answer {
    Go(RewindWhat, OtherChanges),
    Leave,
}

impl App {
    /// Opens the list of prompts.
    pub(in crate::app) fn pick_rewind(&mut self) {
        let session = self.session();
        self.spawn(async move {
            let points = session.rewind_points().await;
            Box::new(move |app: &mut Self| match points {
                Ok(points) => app.offer_points(points),
                Err(error) => app.complain(&error.to_string()),
            }) as Task
        });
    }

    fn offer_points(&mut self, points: Vec<RewindPoint>) {
        if points.is_empty() {
            self.hint(Token::Warning, "Nothing to rewind to yet");
            return;
        }
        let option = |point: &RewindPoint| {
            let text = point.text.split_whitespace().collect::<Vec<_>>().join(" ");
            Choice::new(text).detail(counted(point.files))
        };
        let menu = Selector::new("Rewind to before a prompt", points.iter().map(option).collect());
        let menu = menu.at(points.len() - 1);
        self.pick(menu, move |app, chosen| {
            if let Some(point) = chosen.and_then(|place| points.get(place)) {
                app.weigh_rewind(point.entry.clone());
            }
        });
    }

    /// Shows what would happen to files, and asks what goes back.
    fn weigh_rewind(&mut self, entry: String) {
        let session = self.session();
        self.spawn(async move {
            let plan = session.rewind_plan(&entry).await;
            Box::new(move |app: &mut Self| match plan {
                Ok(plan) => app.ask_what(entry, &plan),
                // Without a history the conversation alone can go back.
                Err(error @ RewindError::Off(_)) => app.ask_about_conversation(entry, &error.to_string()),
                Err(RewindError::Files(error)) => app.ask_about_conversation(entry, &error.to_string()),
                Err(error) => app.complain(&error.to_string()),
            }) as Task
        });
    }

    fn ask_about_conversation(&mut self, entry: String, reason: &str) {
        let text = vec![Line::styled(self.look().fg(Token::Warning), reason)];
        let menu = Menu::new("Rewind to before this prompt?", [])
            .with_text(text)
            .or("Conversation only", "")
            .or("Cancel", "");
        self.ask(menu, move |app, chosen| {
            if chosen == Some(0) {
                app.rewind(entry, RewindWhat::Conversation, OtherChanges::Stay);
            }
        });
    }

    fn ask_what(&mut self, entry: String, plan: &FilePlan) {
        let mut menu = Menu::new("Rewind to before this prompt?", []).with_text(self.files_told(plan));
        let mut answers = Vec::new();
        let mut offer = |menu: Menu, label: &str, detail: &str, answer: Answer| {
            answers.push(answer);
            menu.or(label, detail)
        };
        let stay = OtherChanges::Stay;
        if !plan.changes.is_empty() {
            let detail = counted(Some(plan.changes.len()));
            menu = offer(menu, "Conversation and files", &detail, Answer::Go(RewindWhat::Both, stay));
        }
        if !plan.outside.is_empty() {
            let detail = format!("{}, including those changed by others", counted(Some(plan.files())));
            let answer = Answer::Go(RewindWhat::Both, OtherChanges::Restored);
            menu = offer(menu, "Conversation and all files", &detail, answer);
        }
        menu = offer(menu, "Conversation only", "", Answer::Go(RewindWhat::Conversation, stay));
        if !plan.changes.is_empty() {
            menu = offer(menu, "Files only", "", Answer::Go(RewindWhat::Files, stay));
        }
        menu = offer(menu, "Cancel", "", Answer::Leave);
        self.ask(menu, move |app, chosen| {
            if let Some(Answer::Go(what, others)) = chosen.and_then(|place| answers.get(place)).copied() {
                app.rewind(entry, what, others);
            }
        });
    }

    /// The files of a plan.
    fn files_told(&self, plan: &FilePlan) -> Vec<Line> {
        let (look, cwd) = (self.look(), self.session().cwd());
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

    fn rewind(&mut self, entry: String, what: RewindWhat, others: OtherChanges) {
        let session = self.session();
        if let Some(run) = &self.turn.run {
            run.cancel.cancel();
        }
        self.spawn(async move {
            let rewound = session.rewind(&entry, what, others).await;
            let messages = session.transcript().await;
            Box::new(move |app: &mut Self| match rewound {
                Ok(rewound) => app.rewound(rewound, &messages),
                Err(error) => app.complain(&error.to_string()),
            }) as Task
        });
    }

    fn rewound(&mut self, rewound: Rewound, messages: &[Arc<omp_types::Message>]) {
        let report = file_report(&rewound.files, &self.session().cwd(), "/rewind <number> files all");
        match rewound.moved {
            Some(moved) => {
                self.leave_run();
                self.arrive(messages, &format!("Rewound (/redo to undo)\n{report}"));
                if let Some(text) = moved.prefill {
                    self.set_text(&text);
                }
            }
            None => self.say(Level::Info, &format!("Files restored (/redo to undo)\n{report}")),
        }
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
