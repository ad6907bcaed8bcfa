//! What the plugin browser looks like.

use omp_theme::{Symbol, Token};
use omp_tui::render::Size;
use omp_tui::text::Line;
use omp_view::Look;

use super::{PluginItem, PluginsPanel, TITLE};
use crate::Drawn;
use crate::list_rows::{self, one_line};
use crate::listing::indented;

/// Rows for the description of a plugin.
const DESCRIPTION_ROWS: usize = 6;

impl PluginsPanel {
    pub(super) fn rows(&mut self, look: &Look, size: Size) -> Drawn {
        let most = size.height.saturating_sub(2).max(3);
        let mut foot = self.notes(look);
        foot.extend(list_rows::keys(look, &self.hints()));
        // On a low screen the list is what is needed.
        foot.truncate(most.saturating_sub(5));
        let room = most.saturating_sub(foot.len()).max(3);
        let about = self.item().map(|item| about(item, look));
        let mut rows = match (&mut self.page, about) {
            (Some((_, actions)), Some(mut about)) => {
                about.truncate(room.saturating_sub(6));
                let mut rows = actions.draw_within(look, room - about.len());
                let at = rows.len().min(1);
                rows.splice(at..at, about);
                rows
            }
            _ if self.items.is_empty() => {
                let heading = Line::styled(look.bold(Token::Accent), TITLE);
                let mut rows = vec![look.shortened(&heading, look.width)];
                let help = "No plugins. Add a marketplace with /marketplace add <owner/repo>, or ./directory";
                rows.extend(look.wrapped(Token::Muted, &format!("  {help}"), 2));
                rows.truncate(room);
                rows
            }
            _ => self.list.draw_within(look, room),
        };
        rows.extend(foot);
        rows.truncate(size.height);
        rows.into()
    }

    /// What runs, or became of the last action.
    fn notes(&self, look: &Look) -> Vec<Line> {
        let (token, text) = match (&self.running, &self.note) {
            (Some(running), _) => (Token::Muted, format!("{running}{}", look.symbol(Symbol::FormatEllipsis))),
            (None, Some((note, true))) => (Token::Error, note.clone()),
            (None, Some((note, false))) => (Token::Success, note.clone()),
            (None, None) => return Vec::new(),
        };
        look.narrower(2).wrapped(token, &text, 0).iter().take(4).map(indented).collect()
    }

    fn hints(&self) -> Vec<String> {
        let hints: &[&str] = match (&self.running, &self.page) {
            (Some(_), _) => &["Esc: stop"],
            (None, Some(_)) => &["Enter: select", "Esc: back"],
            (None, None) => &["Enter: open", "Esc: close", "type to search"],
        };
        hints.iter().map(|hint| (*hint).to_owned()).collect()
    }
}

/// Everything about a plugin that is no list.
fn about(item: &PluginItem, look: &Look) -> Vec<Line> {
    let description = look.narrower(2).wrapped(Token::Text, &one_line(&item.description), 0);
    let mut rows: Vec<Line> = description.iter().take(DESCRIPTION_ROWS).map(indented).collect();
    let wide = item.facts.iter().map(|(name, _)| Line::plain(name).width()).max().unwrap_or(0);
    for (name, value) in &item.facts {
        let mut row = Line::styled(look.fg(Token::Dim), &format!("  {name:wide$}  "));
        row.push(look.fg(Token::Text), &one_line(value));
        rows.push(look.shortened(&row, look.width));
    }
    rows.push(Line::new());
    rows
}
