//! Commands that only tell something.

use omp_keys::Context;
use omp_theme::Token;
use omp_tui::text::Line;
use omp_tui::text::width::text_width;
use omp_tui::transcript::Transcript;
use omp_view::Look;

use super::App;

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
                lines.push(look.shortened(&line, look.width));
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
