//! Commands that only tell something.

use omp_keys::Context;
use omp_theme::Token;
use omp_tui::text::{Line, Style};
use omp_tui::text::width::text_width;
use omp_tui::transcript::Transcript;
use omp_view::Look;

use super::App;
use crate::panels::whole::Whole;

impl App {
    /// How things are drawn at the width of the moment.
    pub(crate) fn look(&self) -> Look {
        self.stage.look(self.width)
    }

    /// Shows output whole or in short. What can still change does so in its place; of what is final the newest is shown in
    /// front of the conversation, which stays as it is.
    pub(super) fn expand(&mut self) {
        let changes = self.stage.expanded() || self.shell.is_some() || self.conversation.is_open();
        if !changes && let Some(newest) = Whole::newest(self.conversation.folds(), &self.look()) {
            self.open(newest);
            return;
        }
        let expanded = self.stage.toggle_expanded();
        let text = if expanded { "Output is shown whole." } else { "Output is shown in short." };
        self.hint(Token::Muted, text);
    }

    /// Lines in two columns, as a block of the conversation.
    pub(super) fn table(&mut self, title: &str, rows: Vec<(String, String)>) {
        let title = title.to_owned();
        let draw = move |look: &Look| {
            let most = look.width / 2;
            let wide = rows.iter().map(|(left, _)| text_width(left)).filter(|wide| *wide <= most).max();
            let column = wide.unwrap_or(0) + 2;
            let mut lines = vec![look.row(Token::Accent, &title)];
            for (left, right) in &rows {
                let mut line = Line::styled(look.fg(Token::Text), &format!("  {left}"));
                if line.width() > column {
                    lines.extend(line.wrap(look.width, 4));
                    line = Line::new();
                }
                for right in look.narrower(column + 2).wrapped(Token::Muted, right, 0) {
                    line.push(Style::PLAIN, &" ".repeat((column + 2).saturating_sub(line.width())));
                    line.append(&right);
                    lines.push(std::mem::take(&mut line));
                }
                if line.width() > 0 {
                    lines.push(line);
                }
            }
            lines
        };
        if let Some(transcript) = self.ui.get_mut::<Transcript>(self.lanes.transcript) {
            self.conversation.show(transcript, draw);
        }
        self.changed();
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
}
