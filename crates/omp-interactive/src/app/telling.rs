//! Commands that only tell something.

use omp_keys::Context;
use omp_theme::Token;
use omp_tui::text::Line;
use omp_tui::text::width::text_width;
use omp_tui::transcript::Transcript;
use omp_view::Look;

use super::App;
use crate::commands::{BUILTINS, Builtin, named};

impl App {
    /// Lines in two columns, as a block of the conversation.
    pub(super) fn table(&mut self, title: &str, rows: Vec<(String, String)>) {
        let title = title.to_owned();
        let draw = move |look: &Look| {
            let wide = rows.iter().map(|(left, _)| text_width(left)).max().unwrap_or(0);
            let mut lines = vec![look.row(Token::Accent, &title)];
            for (left, right) in &rows {
                let gap = wide - text_width(left) + 2;
                let mut line = Line::styled(look.fg(Token::Text), &format!("  {left}"));
                line.push(look.fg(Token::Muted), &format!("{}{right}", " ".repeat(gap)));
                lines.push(line.truncate(look.width));
            }
            lines
        };
        if let Some(transcript) = self.ui.get_mut::<Transcript>(self.lanes.transcript) {
            self.conversation.show(transcript, draw);
        }
        self.changed();
    }

    pub(super) fn help(&mut self) {
        let usage = |command: &Builtin| {
            let hint = if command.hint.is_empty() { String::new() } else { format!(" {}", command.hint) };
            (format!("/{}{hint}", command.name), command.description.to_owned())
        };
        let built_in = BUILTINS.iter().filter(|command| command.waits_for.is_none()).map(usage);
        let session = self.session();
        let own = session.commands();
        let own = own.list(|name| named(name).is_some());
        let own = own.map(|row| (format!("/{}", row.name), row.description.clone()));
        let rows = built_in.chain(own).collect();
        self.table("Commands", rows);
    }

    pub(super) fn hotkeys(&mut self) {
        let mut rows = Vec::new();
        for context in Context::ALL {
            for entry in self.keys.list().into_iter().filter(|entry| entry.context == context) {
                let chords: Vec<String> = entry.chords.iter().map(ToString::to_string).collect();
                if !chords.is_empty() {
                    rows.push((chords.join(", "), entry.description));
                }
            }
        }
        self.table("Keys", rows);
    }

    pub(super) fn session_info(&mut self, arguments: &str) {
        if arguments == "delete" {
            self.hint(
                Token::Warning,
                "/session delete is not available in the terminal yet; use omp session delete.",
            );
            return;
        }
        let session = self.session();
        let header = session.header();
        let file = session.file().map_or_else(|| "not saved".to_owned(), |path| path.display().to_string());
        let rows = vec![
            ("id".to_owned(), header.id),
            ("title".to_owned(), header.title.unwrap_or_default()),
            ("file".to_owned(), file),
            ("directory".to_owned(), header.cwd),
            ("model".to_owned(), session.model_selector()),
            ("cost".to_owned(), format!("${:.4}", self.spent)),
        ];
        self.table("Session", rows);
    }

    pub(super) fn tools(&mut self) {
        let session = self.session();
        let active: Vec<String> =
            session.prompt_report().tools.iter().map(|tool| tool.name.clone()).collect();
        let mut names: Vec<String> = omp_sdk::TOOL_NAMES.iter().map(|name| (*name).to_owned()).collect();
        names.extend(active.iter().filter(|name| !omp_sdk::TOOL_NAMES.contains(&name.as_str())).cloned());
        let row = |name: String| {
            let sign = if active.contains(&name) { "* " } else { "  " };
            (format!("{sign}{name}"), String::new())
        };
        self.table("Tools (* active)", names.into_iter().map(row).collect());
    }

    pub(super) fn context_use(&mut self) {
        let session = self.session();
        let report = session.prompt_report();
        let tools: usize = report.tools.iter().map(|tool| tool.tokens).sum();
        let system = report.tokens.saturating_sub(tools);
        let window = usize::try_from(session.context_window()).unwrap_or(usize::MAX);
        let used = usize::try_from(self.context).unwrap_or(usize::MAX).max(system + tools);
        let share = |tokens: usize| format!("{tokens} tokens ({}%)", tokens * 100 / window.max(1));
        let rows = vec![
            ("System prompt".to_owned(), share(system)),
            ("Tools".to_owned(), share(tools)),
            ("Messages".to_owned(), share(used - system - tools)),
            ("Free".to_owned(), share(window.saturating_sub(used))),
        ];
        self.table(&format!("Context window of {window} tokens (estimated)"), rows);
    }

    pub(super) fn show_jobs(&mut self) {
        let jobs = self.session().jobs();
        if jobs.is_empty() {
            self.hint(Token::Muted, "No background jobs.");
            return;
        }
        let rows =
            jobs.into_iter().map(|job| (format!("{} {}", job.id, job.status.word()), job.label)).collect();
        self.table("Background jobs", rows);
    }
}
