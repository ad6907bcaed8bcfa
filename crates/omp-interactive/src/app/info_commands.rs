//! Commands that only tell something.

use omp_keys::Context;
use omp_theme::Token;
use omp_tui::text::width::text_width;
use omp_tui::text::{Line, Style};
use omp_tui::transcript::Transcript;
use omp_view::Look;

use super::App;
use crate::app::surface::Surface;
use crate::panels::full_output::FullOutput;

/// The left column of a table is not wider; what is longer has a row of its own.
const WIDEST_LEFT: usize = 42;
/// On narrower screens columns are given up where they do not fit.
const NARROW: usize = 60;
/// Where the right column begins then.
const STACKED: usize = 6;

impl App {
    /// Shows output whole or in short. What can still change does so in its place; of what is final the newest is shown in
    /// front of the conversation, which stays as it is.
    pub(super) fn expand(&mut self) {
        let changes =
            self.surface.stage.expanded() || self.turn.shell.is_some() || self.shown.conversation.is_open();
        if !changes
            && let Some(newest) = FullOutput::newest(self.shown.conversation.folds(), &self.surface.look())
        {
            self.open(newest);
            return;
        }
        self.toggle_expanded();
    }

    /// Shows the output of what runs, and of what comes, whole or in short.
    pub(crate) fn toggle_expanded(&mut self) {
        let expanded = self.surface.stage.toggle_expanded();
        let text = if expanded { "Showing full output" } else { "Showing shortened output" };
        self.hint(Token::Muted, text);
    }

    /// Lines in two columns, as a block of the conversation.
    pub(super) fn table(&mut self, title: &str, rows: Vec<(String, String)>) {
        let title = title.to_owned();
        let draw = move |look: &Look| {
            let column = left_column(look.width, rows.iter().map(|(left, _)| text_width(left)));
            let mut lines = look.wrapped(Token::Accent, &title, 2);
            for (left, right) in &rows {
                let mut line = Line::styled(look.fg(Token::Text), &format!("  {left}"));
                if line.width() + 2 > column {
                    lines.extend(line.wrap(look.width, 4));
                    line = Line::new();
                }
                for right in look.narrower(column).wrapped(Token::Muted, right, 0) {
                    line.push(Style::PLAIN, &" ".repeat(column.saturating_sub(line.width())));
                    line.append(&right);
                    lines.push(std::mem::take(&mut line));
                }
                if line.width() > 0 {
                    lines.push(line);
                }
            }
            lines
        };
        if let Some(transcript) = self.surface.ui.get_mut::<Transcript>(self.surface.lanes.transcript) {
            self.shown.conversation.show(transcript, draw);
        }
        self.surface.changed();
    }

    /// All keys, a table for each place where they count.
    pub(super) fn hotkeys(&mut self) {
        for context in Context::ALL {
            let entries = self.composer.keys.list().into_iter().filter(|entry| entry.context == context);
            let rows: Vec<(String, String)> = entries
                .filter(|entry| !entry.chords.is_empty())
                .map(|entry| {
                    let chords: Vec<String> = entry.chords.iter().map(ToString::to_string).collect();
                    (chords.join(", "), entry.description)
                })
                .collect();
            if !rows.is_empty() {
                self.table(context.title(), rows);
            }
        }
    }
}

impl Surface {
    /// How things are drawn at the width of the moment.
    pub(crate) fn look(&self) -> Look {
        self.stage.look(self.width)
    }
}

/// Where the right column of a table begins, given the widths on its left.
fn left_column(width: usize, lefts: impl Iterator<Item = usize> + Clone) -> usize {
    let most = (width * 2 / 5).min(WIDEST_LEFT);
    if width < NARROW && lefts.clone().any(|left| left > most) {
        return STACKED;
    }
    lefts.filter(|left| *left <= most).max().unwrap_or(0) + 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_kept_where_they_fit() {
        assert_eq!(left_column(80, [4, 10, 20].into_iter()), 24);
        assert_eq!(left_column(80, [4, 10, 60].into_iter()), 14, "one long name moves nothing");
        assert_eq!(left_column(200, [4, 60].into_iter()), 8);
        assert_eq!(left_column(40, [4, 10].into_iter()), 14);
        assert_eq!(left_column(40, [4, 30].into_iter()), STACKED);
    }
}
