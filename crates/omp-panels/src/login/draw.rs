//! What a login looks like.

use std::sync::Arc;

use omp_theme::{Symbol, Token};
use omp_tui::render::{Position, Size};
use omp_tui::text::{Attributes, Line};
use omp_view::Look;

use super::{Asks, Login};
use crate::Drawn;
use crate::list_rows;
use crate::listing::indented;

impl Login {
    /// Its rows on a screen of this size. `copy` is the key that copies the address, if there is one.
    pub fn draw(&self, look: &Look, size: Size, copy: Option<&str>) -> Drawn {
        let mut rows = vec![look.shortened(&Line::styled(look.bold(Token::Accent), &self.title), look.width)];
        let inner = look.narrower(2);
        if let Some(address) = &self.address {
            rows.push(look.row(Token::Text, "  Open this URL in a browser:"));
            rows.extend(address_rows(&inner, address).iter().map(indented));
        }
        if let Some(code) = &self.code {
            let mut line = Line::styled(look.fg(Token::Text), "  and enter the code ");
            line.push(look.bold(Token::Accent), code);
            rows.push(look.shortened(&line, look.width));
        }
        for words in &self.said {
            rows.extend(inner.wrapped(Token::Warning, words, 0).iter().map(indented));
        }
        rows.extend(self.question(&inner).iter().map(indented));
        let foot = list_rows::keys(look, &self.hints(copy));
        // The line that is typed must be seen, so an address gives way first.
        let room = size.height.saturating_sub(foot.len() + 2).max(2);
        let over = rows.len().saturating_sub(room);
        rows.drain(1..(1 + over).min(rows.len()));
        let cursor = self.asked().then(|| self.cursor(&rows));
        rows.extend(foot);
        Drawn { rows, cursor }
    }

    fn asked(&self) -> bool {
        self.asks != Asks::Nothing && !self.busy
    }

    fn cursor(&self, rows: &[Line]) -> Position {
        let row = rows.len().saturating_sub(1);
        Position { row, column: rows.last().map_or(0, Line::width) }
    }

    fn question(&self, look: &Look) -> Vec<Line> {
        if self.busy {
            return look.wrapped(Token::Muted, "One moment", 0);
        }
        let question = match self.asks {
            Asks::Nothing => return look.wrapped(Token::Muted, "Waiting for authorization", 0),
            Asks::Address => "Browser on another machine? Paste the final URL here, or the code it shows.",
            Asks::Key => "Paste the API key or token (hidden)",
        };
        let mut rows = look.wrapped(Token::Text, question, 0);
        let mut line =
            Line::styled(look.bold(Token::Accent), &format!("{} ", look.symbol(Symbol::NavCursor)));
        let room = look.width.saturating_sub(line.width() + 1);
        let letters = self.line.chars().filter(|letter| !letter.is_control());
        let shown: String = match self.asks {
            Asks::Key => letters.map(|_| '*').collect(),
            _ => letters.collect(),
        };
        // The end of a long line is what somebody looks at.
        let typed = Line::styled(look.fg(Token::Text), &shown);
        line.append(&typed.slice(typed.width().saturating_sub(room), typed.width()));
        rows.push(line);
        rows
    }

    fn hints(&self, copy: Option<&str>) -> Vec<String> {
        let mut hints = Vec::new();
        if self.asked() {
            hints.push("Enter: submit".to_owned());
        }
        hints.push("Esc: cancel".to_owned());
        if let Some(key) = copy.filter(|_| self.address.is_some()) {
            hints.push(format!("{key}: copy the URL"));
        }
        if self.asks != Asks::Key {
            hints.push("Tab: continue in the background".to_owned());
        }
        hints
    }
}

/// The address in as many rows as it needs, each of them a link to the whole.
fn address_rows(look: &Look, address: &str) -> Vec<Line> {
    let target: Arc<str> = address.into();
    let style = look.fg(Token::MdLink).with(Attributes::UNDERLINE);
    let visible: String = address.chars().filter(|letter| !letter.is_control()).collect();
    let whole = Line::plain(&visible);
    (0..whole.width())
        .step_by(look.width.max(1))
        .map(|from| {
            let mut line = Line::new();
            line.push_linked(style, &whole.slice(from, from + look.width).text(), Some(Arc::clone(&target)));
            line
        })
        .collect()
}
