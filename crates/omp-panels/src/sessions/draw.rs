//! The rows of the list of sessions.

use omp_theme::{Symbol, Token};
use omp_tui::render::{Position, Size};
use omp_tui::text::{Line, Style};
use omp_view::Look;

use super::{Picker, Scope, SessionItem, SessionsMode};
use crate::{Drawn, list_rows};

/// A name gets at least so many cells before something about the session is left out.
const NAME_ROOM: usize = 24;

impl Picker {
    /// The list as rows, about half of the screen.
    pub fn draw(&mut self, look: &Look, size: Size) -> Drawn {
        let each = if self.paths { 2 } else { 1 };
        self.page = ((size.height / 2).max(5) / each).max(1);
        self.scroll();
        let mut rows = vec![self.title(look)];
        let cursor = Position { row: rows.len(), column: self.prompt_width(look) };
        rows.push(self.prompt(look));
        match self.list() {
            None => {
                let dots = look.symbol(Symbol::FormatEllipsis);
                rows.push(look.row(Token::Muted, &format!("  Loading sessions{dots}")));
            }
            Some(_) if self.shown.is_empty() => rows.push(look.row(Token::Muted, &self.nothing())),
            Some(list) => {
                let shown = self.shown.iter().enumerate().skip(self.top).take(self.page);
                for (place, item) in shown.filter_map(|(place, at)| Some((place, list.get(*at)?))) {
                    rows.push(list_rows::choice(look, place == self.cursor, &self.row(look, item)));
                    if self.paths {
                        let mut row = Line::plain("    ");
                        let path = item.path.display().to_string();
                        row.append(&list_rows::ending(&look.narrower(4), Token::Dim, &path));
                        rows.push(row.clamp(look.width));
                    }
                }
            }
        }
        let below = self.shown.len().saturating_sub(self.top + self.page);
        rows.extend(list_rows::hidden(look, self.top, below));
        match &self.problem {
            Some(problem) => rows.extend(look.wrapped(Token::Error, &format!("  {problem}"), 2)),
            None => rows.extend(list_rows::keys_below(look, &self.keys_row(), rows.len(), size)),
        }
        Drawn { rows, cursor: Some(cursor).filter(|_| !matches!(self.mode, SessionsMode::Confirm(_))) }
    }

    /// Moves the shown part so that the cursor is in it.
    fn scroll(&mut self) {
        let most = self.shown.len().saturating_sub(self.page);
        let lowest = (self.cursor + 1).saturating_sub(self.page);
        self.top = self.top.clamp(lowest, self.cursor.max(lowest)).min(most);
    }

    fn title(&self, look: &Look) -> Line {
        let scope = match self.scope {
            Scope::Folder => "this folder",
            Scope::All => "all folders",
        };
        let mut line = Line::styled(look.bold(Token::Accent), "Resume a session");
        line.push(look.fg(Token::Muted), &format!("{}{scope}", look.dot()));
        if let Some(list) = self.list() {
            let gone = list.iter().filter(|item| item.path.as_os_str().is_empty()).count();
            let (shown, all) = (self.shown.len(), list.len() - gone);
            let count =
                if self.query.is_empty() { format!("  {all}") } else { format!("  {shown} of {all}") };
            line.push(look.fg(Token::Dim), &count);
        }
        look.shortened(&line, look.width)
    }

    /// What is asked, or what was typed.
    fn prompt(&self, look: &Look) -> Line {
        let icon = |symbol: Symbol| Line::styled(look.fg(Token::Muted), &format!("{} ", look.symbol(symbol)));
        let line = match &self.mode {
            SessionsMode::Browse => {
                let mut line = icon(Symbol::IconSearch);
                match self.query.as_str() {
                    "" => line.push(look.fg(Token::Dim), "type to search"),
                    query => line.push(look.fg(Token::Text), query),
                };
                line
            }
            SessionsMode::Rename(_, name) => {
                let mut line = icon(Symbol::IconEdit);
                line.push(look.fg(Token::Muted), "New name: ");
                line.push(look.fg(Token::Text), name);
                line
            }
            SessionsMode::Confirm(path) => {
                let named = self.list().unwrap_or_default().iter().find(|item| item.path == *path);
                let name = named.map_or("", |item| item.name.as_str());
                let question = format!("Delete \"{}\" and its artifacts?", look.cut(name, 40));
                Line::styled(look.fg(Token::Warning), &question)
            }
        };
        look.shortened(&line, look.width)
    }

    fn prompt_width(&self, look: &Look) -> usize {
        let wide = match &self.mode {
            SessionsMode::Browse if self.query.is_empty() => {
                Line::plain(look.symbol(Symbol::IconSearch)).width() + 1
            }
            _ => self.prompt(look).width(),
        };
        wide.min(look.width.saturating_sub(1))
    }

    /// Why there is no session to see.
    fn nothing(&self) -> String {
        let text = match (self.query.is_empty(), self.scope) {
            (false, _) => "No matches".to_owned(),
            (true, Scope::Folder) => {
                format!("No sessions in current folder. Press {} to view all.", self.hints.scope)
            }
            (true, Scope::All) => "No sessions found".to_owned(),
        };
        format!("  {text}")
    }

    fn row(&self, look: &Look, item: &SessionItem) -> Line {
        let room = look.width.saturating_sub(3);
        let about = self.about(look, item, room);
        let name = Line::styled(look.fg(Token::Text), &item.name);
        let left = room.saturating_sub(Line::plain(&about).width() + 2);
        let mut line = look.shortened(&name, left).fit(left, Style::PLAIN);
        line.push(look.fg(Token::Muted), &format!("  {about}"));
        line
    }

    /// What is said about a session beside its name: less where there is little room.
    fn about(&self, look: &Look, item: &SessionItem, room: usize) -> String {
        let messages = match item.messages {
            1 => "1 message".to_owned(),
            count => format!("{count} messages"),
        };
        let directory = if self.scope == Scope::All { item.directory.clone() } else { String::new() };
        let parts = [directory, item.remark.to_owned(), messages, item.age.clone()];
        let mut parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        loop {
            let about = parts.join(&look.dot());
            let fits = Line::plain(&about).width() + NAME_ROOM.min(room * 2 / 3) <= room;
            // The age goes last, the directory of a session elsewhere before it.
            let spare =
                parts.iter().rposition(|part| part.ends_with("message") || part.ends_with("messages"));
            match (fits || parts.len() <= 1, spare) {
                (true, _) => return about,
                (false, Some(place)) => drop(parts.remove(place)),
                (false, None) => drop(parts.remove(0)),
            }
        }
    }

    fn keys_row(&self) -> Vec<String> {
        let Self { hints, .. } = self;
        let named = |key: &str, what: &str| (!key.is_empty()).then(|| format!("{key}: {what}"));
        let other = match self.scope {
            Scope::Folder => "all folders",
            Scope::All => "this folder",
        };
        match self.mode {
            SessionsMode::Confirm(_) => {
                vec!["Enter or y: delete".to_owned(), "any other key: keep".to_owned()]
            }
            SessionsMode::Rename(..) => vec!["Enter: rename".to_owned(), "Esc: cancel".to_owned()],
            SessionsMode::Browse => [
                Some("Enter: resume".to_owned()),
                Some("Esc: cancel".to_owned()),
                named(&hints.scope, other),
                named(&hints.delete, "delete"),
                named(&hints.rename, "rename"),
                named(&hints.sort, &format!("sort ({})", self.sort.word())),
                named(&hints.path, "show paths"),
            ]
            .into_iter()
            .flatten()
            .collect(),
        }
    }
}
