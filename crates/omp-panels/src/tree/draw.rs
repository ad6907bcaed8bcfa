//! The rows of the tree.

use omp_theme::{Symbol, Token};
use omp_tui::render::{Position, Size};
use omp_tui::text::Line;
use omp_view::Look;

use super::shape::Shown;
use super::{Navigator, TreeMode, TreeRow, Voice};
use crate::{Drawn, list_rows};

impl Navigator {
    /// The tree as rows: about half of the screen, with the cursor in the middle.
    pub fn draw(&mut self, look: &Look, size: Size) -> Drawn {
        self.page = (size.height / 2).max(5);
        let mut rows = vec![self.title(look), self.prompt(look)];
        let cursor = Position { row: 1, column: self.prompt_width(look) };
        // The root that is none takes a row of the page, too.
        let root = usize::from(self.roots > 1);
        let page = self.page - root;
        let most = self.shown.len().saturating_sub(page);
        let top = self.cursor.saturating_sub(page / 2).min(most);
        if root > 0 && top == 0 {
            rows.push(look.row(Token::Dim, "  (beginning)"));
        }
        if self.shown.is_empty() {
            let text = if self.query.is_empty() { "  No entries" } else { "  No matches" };
            rows.push(look.row(Token::Muted, text));
        }
        for (place, shown) in self.shown.iter().enumerate().skip(top).take(page) {
            rows.push(list_rows::choice(look, place == self.cursor, &self.row(look, shown)));
        }
        if rows.len() + 2 < size.height {
            rows.extend(list_rows::hidden(look, top, self.shown.len().saturating_sub(top + page)));
        }
        rows.extend(list_rows::keys_below(look, &self.keys_row(), rows.len(), size));
        Drawn { rows, cursor: Some(cursor) }
    }

    fn title(&self, look: &Look) -> Line {
        let mut line = Line::styled(look.bold(Token::Accent), "Session tree");
        line.push(look.fg(Token::Muted), &format!("{}{}", look.dot(), self.filter.word()));
        line.push(look.fg(Token::Dim), &format!("  {}", self.rows.len()));
        look.shortened(&line, look.width)
    }

    fn prompt(&self, look: &Look) -> Line {
        let icon = |symbol: Symbol| Line::styled(look.fg(Token::Muted), &format!("{} ", look.symbol(symbol)));
        let line = match &self.mode {
            TreeMode::Label(_, label) => {
                let mut line = icon(Symbol::IconEdit);
                line.push(look.fg(Token::Muted), "Label: ");
                line.push(look.fg(Token::Text), label);
                line
            }
            TreeMode::Browse => {
                let mut line = icon(Symbol::IconSearch);
                match self.query.as_str() {
                    "" => line.push(look.fg(Token::Dim), "type to search"),
                    query => line.push(look.fg(Token::Text), query),
                };
                line
            }
        };
        look.shortened(&line, look.width)
    }

    fn prompt_width(&self, look: &Look) -> usize {
        let empty = self.query.is_empty() && self.mode == TreeMode::Browse;
        let wide = match empty {
            true => Line::plain(look.symbol(Symbol::IconSearch)).width() + 1,
            false => self.prompt(look).width(),
        };
        wide.min(look.width.saturating_sub(1))
    }

    fn row(&self, look: &Look, shown: &Shown) -> Line {
        let row = &self.rows[shown.row];
        let mut line = branches(look, shown);
        let fold = look.symbol(Symbol::NavExpand);
        if shown.hidden > 0 {
            line.push(look.fg(Token::Accent), &format!("{fold} "));
        }
        if row.active {
            line.push(look.fg(Token::Accent), &format!("{} ", look.symbol(Symbol::MdBullet)));
        }
        if let Some(label) = &row.label {
            line.push(look.fg(Token::Warning), &format!("[{label}] "));
        }
        line.push(look.fg(color(row)), &format!("{}: ", row.who));
        if shown.hidden > 0 {
            line.push(look.fg(Token::Dim), &format!("(+{}) ", shown.hidden));
        }
        line.push(look.fg(Token::Text), &row.text);
        line
    }

    fn keys_row(&self) -> Vec<String> {
        if matches!(self.mode, TreeMode::Label(..)) {
            return vec![
                "Enter: save label".to_owned(),
                "empty: remove label".to_owned(),
                "Esc: cancel".to_owned(),
            ];
        }
        let fold = (!self.fold_key.is_empty()).then(|| format!("{}: fold", self.fold_key));
        let esc = if self.query.is_empty() { "Esc: cancel" } else { "Esc: clear search" };
        ["Enter: go to entry", esc, "Shift+L: label", "Ctrl+O: filter"]
            .map(str::to_owned)
            .into_iter()
            .chain(fold)
            .chain(["Alt+D/T/U/L/A: pick a filter".to_owned()])
            .collect()
    }
}

fn color(row: &TreeRow) -> Token {
    match row.voice {
        Voice::User => Token::Accent,
        Voice::Assistant => Token::Success,
        Voice::Tool | Voice::Other => Token::Muted,
    }
}

/// The lines before an entry; where they would take too much room, the innermost.
fn branches(look: &Look, shown: &Shown) -> Line {
    let sign = |symbol: Symbol| look.symbol(symbol);
    let level = Line::plain(sign(Symbol::TreeBranch)).width() + 1;
    let most = (look.width / 3 / level).max(1);
    let cut = shown.trunk.len().saturating_sub(most);
    let mut text = String::new();
    if cut > 0 {
        text.push_str(sign(Symbol::FormatEllipsis));
        text.push(' ');
    }
    for (place, followed) in shown.trunk.iter().enumerate().skip(cut) {
        let own = shown.begins && place + 1 == shown.trunk.len();
        let part = match (own, followed) {
            (true, true) => sign(Symbol::TreeBranch),
            (true, false) => sign(Symbol::TreeLast),
            (false, true) => sign(Symbol::TreeVertical),
            (false, false) => "",
        };
        text.push_str(part);
        text.extend(std::iter::repeat_n(' ', level.saturating_sub(Line::plain(part).width())));
    }
    Line::styled(look.fg(Token::Dim), &text)
}
