//! The rows of the review.

use omp_theme::{Symbol, Token};
use omp_tui::render::Size;
use omp_tui::text::Line;
use omp_view::Look;

use super::{Review, Section, named};
use crate::Drawn;
use crate::list_rows::{choice, hidden, keys, one_line};

/// Most sections that are seen at once.
const MOST: usize = 12;

impl Review {
    /// The review on a screen of this size.
    pub fn draw(&mut self, look: &Look, size: Size) -> Drawn {
        let rule = look.row(Token::Border, &look.symbol(Symbol::BoxSharpHorizontal).repeat(look.width));
        let mut rows = vec![rule.clone(), self.head(look)];
        let fixed = self.decisions.len() + 7;
        let seen = size.height.saturating_sub(fixed).clamp(1, MOST);
        let last = self.sections.len().saturating_sub(seen);
        let at = self.cursor.min(self.sections.len().saturating_sub(1));
        self.top = self.top.clamp((at + 1).saturating_sub(seen), at).min(last);
        for (place, section) in self.sections.iter().enumerate().skip(self.top).take(seen) {
            rows.push(choice(look, place == self.cursor, &section_row(look, section)));
        }
        rows.extend(hidden(look, self.top, last - self.top));
        if self.roles.len() > 1 {
            rows.push(self.slider(look));
        }
        for (place, decision) in self.decisions.iter().enumerate() {
            let token = if decision.enabled { Token::Text } else { Token::Dim };
            let label = Line::styled(look.fg(token), &format!("{}. {}", place + 1, decision.label));
            rows.push(choice(look, self.sections.len() + place == self.cursor, &label));
        }
        rows.extend(keys(look, &self.hints()));
        rows.push(rule);
        rows.into()
    }

    fn head(&self, look: &Look) -> Line {
        let mut head = Line::styled(look.bold(Token::Accent), &format!("Plan: {}", one_line(&self.title)));
        if self.changed {
            head.push(look.fg(Token::Warning), &format!("{}changed", look.dot()));
        }
        look.shortened(&head, look.width)
    }

    fn slider(&self, look: &Look) -> Line {
        let mut row = Line::styled(look.fg(Token::Muted), "  Run with:");
        for (place, (role, _)) in self.roles.iter().enumerate() {
            let style = if place == self.role { look.bold(Token::Accent) } else { look.fg(Token::Dim) };
            let text = if place == self.role { format!(" [{role}]") } else { format!("  {role} ") };
            row.push(style, &text);
        }
        if let Some((_, model)) = self.roles.get(self.role) {
            row.push(look.fg(Token::Muted), &format!("  {model}"));
        }
        look.shortened(&row, look.width)
    }

    fn hints(&self) -> Vec<String> {
        let mut hints = ["Enter: decide", "Esc: stop the turn", "a: add a note", "d: delete section"]
            .map(str::to_owned)
            .to_vec();
        if !self.removed.is_empty() {
            hints.push("u: undo".to_owned());
        }
        hints.push("e: open in your editor".to_owned());
        if self.roles.len() > 1 {
            hints.push("Left/Right: choose the model".to_owned());
        }
        hints
    }
}

fn section_row(look: &Look, section: &Section) -> Line {
    let indent = " ".repeat(section.depth.saturating_sub(1) * 2);
    let lines = section.text.trim_end().lines().count();
    let mut row = Line::styled(look.fg(Token::Text), &format!("{indent}{}", one_line(named(section))));
    row.push(look.fg(Token::Dim), &format!("  {lines} {}", if lines == 1 { "line" } else { "lines" }));
    if !section.note.is_empty() {
        row.push(look.fg(Token::Warning), &format!("{}{}", look.dot(), one_line(&section.note)));
    }
    row
}
