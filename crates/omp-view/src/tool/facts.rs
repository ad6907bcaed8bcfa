//! What the drawings of several tools share.

use omp_syntax::Language;
use omp_theme::{Symbol, Token};
use omp_tui::text::Line;

use super::{Drawing, Expansion, Phase};
use crate::look::grouped;
use crate::preview::{Part, Preview, more};

/// Rows of a list that a collapsed call shows.
pub(crate) const ITEMS: usize = 8;

/// Whether a text is for the model alone: what it says stands in the header.
fn says_nothing_new(text: &str) -> bool {
    text.trim() == "Tool execution was aborted." || text.contains("was not approved by the user")
}

impl Drawing<'_> {
    /// Whether everything is asked for.
    pub(crate) fn is_expanded(&self) -> bool {
        self.expansion == Expansion::Expanded
    }

    /// The end of a text while it grows, or when that is where the news is.
    pub(crate) fn tail(&self, rows: usize) -> Part {
        if self.is_expanded() { Part::Whole } else { Part::Tail(rows) }
    }

    /// The start of a text.
    pub(crate) fn head(&self, rows: usize) -> Part {
        if self.is_expanded() { Part::Whole } else { Part::Head(rows) }
    }

    /// Facts of one row, those that say something.
    pub(crate) fn facts(&self, facts: impl IntoIterator<Item = String>) -> String {
        let facts: Vec<String> = facts.into_iter().filter(|fact| !fact.is_empty()).collect();
        facts.join(&self.look.dot())
    }

    /// The language, if its colours are there. A call that is over is drawn for good, so it waits for them.
    pub(crate) fn ready(&self, language: Option<Language>) -> Option<Language> {
        let ready = self.look.preparer.ready(language);
        if self.call.phase.is_over() { language } else { ready }
    }

    /// A text in the colour of output.
    pub(crate) fn output(&self, text: &str, part: Part) -> Vec<Line> {
        let base = self.look.fg(Token::ToolOutput);
        Preview::of_output(self.look, text, part, base).with_hint(self.look, part)
    }

    /// What a call that did not go well says.
    pub(crate) fn trouble(&self) -> Option<Vec<Line>> {
        let token = match self.call.phase {
            Phase::Failed => Token::Error,
            Phase::Aborted | Phase::Denied => Token::Warning,
            _ => return None,
        };
        let text = self.call.text();
        if says_nothing_new(&text) {
            return Some(Vec::new());
        }
        let part = self.head(6);
        let style = self.look.fg(token);
        Some(Preview::of_text(self.look, text.trim(), part, style).with_hint(self.look, part))
    }

    /// At most [`ITEMS`] rows of a list, all of it if expanded.
    pub(crate) fn items(&self, rows: &[Line], what: &str) -> Vec<Line> {
        let rows: Vec<Line> = rows.iter().map(|row| self.look.shortened(row, self.look.width)).collect();
        if self.is_expanded() || rows.len() <= ITEMS {
            return rows;
        }
        let hidden = rows.len() - ITEMS;
        let mut rows: Vec<Line> = rows.into_iter().take(ITEMS).collect();
        rows.push(more(self.look, hidden, what));
        rows
    }

    /// Rows as the branches of a tree.
    pub(crate) fn branches(&self, rows: Vec<Line>) -> Vec<Line> {
        let last = rows.len().saturating_sub(1);
        let style = self.look.fg(Token::Dim);
        let branch = |(index, row): (usize, Line)| {
            let symbol = if index == last { Symbol::TreeLast } else { Symbol::TreeBranch };
            let mut line = Line::styled(style, &format!("{} ", self.look.symbol(symbol)));
            line.append(&row);
            line
        };
        rows.into_iter().enumerate().map(branch).collect()
    }

    /// Why there is less than there was, and where the rest is.
    pub(crate) fn truncation(&self) -> Option<Line> {
        let meta = self.call.detail("/meta/truncation")?;
        let number = |name: &str| meta.get(name).and_then(serde_json::Value::as_u64).unwrap_or(0);
        let by = meta.get("truncatedBy").and_then(serde_json::Value::as_str).unwrap_or("size");
        let mut text = format!(
            "{} Truncated by {by}: {} of {} lines shown",
            self.look.symbol(Symbol::StatusWarning),
            grouped(number("outputLines")),
            grouped(number("totalLines")),
        );
        if let Some(id) = meta.get("artifactId").and_then(serde_json::Value::as_str) {
            text.push_str(&format!("{}artifact://{id}", self.look.dot()));
        }
        Some(self.look.row(Token::Warning, &text))
    }
}
