//! What the panel of MCP servers looks like.

use omp_theme::{Symbol, Token};
use omp_tui::render::{Position, Size};
use omp_tui::text::{Line, neutral};
use omp_view::Look;

use super::form::CallForm;
use super::page::{OVERVIEW, PROMPTS, RESOURCES, TOOLS};
use super::{Health, McpPanel, ServerItem};
use crate::Drawn;
use crate::list_rows::{self, one_line};
use crate::listing::{indented, under_tabs};

/// Rows for the description of a tool above its form.
const DESCRIPTION_ROWS: usize = 6;
/// The share of a row that names of parameters may take.
const NAMES: usize = 3;

impl McpPanel {
    pub(super) fn rows(&mut self, look: &Look, size: Size) -> Drawn {
        if let Some(output) = &mut self.output {
            return output.draw(look, size);
        }
        let most = size.height.saturating_sub(2).max(3);
        let mut foot = self.notes(look);
        foot.extend(list_rows::keys(look, &self.hints()));
        // On a low screen the list is what is needed.
        foot.truncate(most.saturating_sub(5));
        let room = most.saturating_sub(foot.len()).max(3);
        let mut drawn = match (&self.form, &mut self.page) {
            (Some(form), _) => form_rows(form, look, room, self.running.is_none()),
            (None, Some(page)) if page.shows_log() => {
                let mut rows = vec![heading(look, page.name()), page.tabs.row(look)];
                rows.extend(page.draw_log(look, Size { height: room.saturating_sub(2), ..size }).rows);
                rows.into()
            }
            (None, Some(page)) if page.list.choices().is_empty() && page.tabs.current() != OVERVIEW => {
                let nothing = format!("  It offers no {}", page.tabs.current().to_lowercase());
                let rows =
                    [heading(look, page.name()), page.tabs.row(look), look.row(Token::Muted, &nothing)];
                rows.to_vec().into()
            }
            (None, Some(page)) => {
                let server = self.servers.iter().find(|server| server.name == page.name());
                let about = server.filter(|_| page.tabs.current() == OVERVIEW).map(|it| about(it, look));
                let mut about = about.unwrap_or_default();
                about.truncate(room.saturating_sub(6));
                let mut rows = under_tabs(&page.tabs, &mut page.list, look, room - about.len());
                let at = rows.len().min(2);
                rows.splice(at..at, about);
                rows.into()
            }
            (None, None) if self.servers.is_empty() => {
                let help = "No MCP servers. Add one with /mcp add <name> -- <command>, or /mcp add <name> --url <url>";
                let mut rows = vec![heading(look, super::TITLE)];
                rows.extend(look.wrapped(Token::Muted, &format!("  {help}"), 2));
                rows.truncate(room);
                rows.into()
            }
            (None, None) => Drawn::from(self.list.draw_within(look, room)),
        };
        drawn.rows.extend(foot);
        drawn.rows.truncate(size.height);
        drawn
    }

    /// What runs, or became of the last action.
    fn notes(&self, look: &Look) -> Vec<Line> {
        let inner = look.narrower(2);
        let (token, text) = match (&self.running, &self.note) {
            (Some(running), _) => (Token::Muted, format!("{running}{}", look.symbol(Symbol::FormatEllipsis))),
            (None, Some((note, true))) => (Token::Error, note.clone()),
            (None, Some((note, false))) => (Token::Success, note.clone()),
            (None, None) => {
                let at_cursor = self.list.current().and_then(|place| self.servers.get(place));
                let server = if self.page.is_some() { None } else { at_cursor };
                let Some(problem) = server.and_then(|server| server.problem.as_ref()) else {
                    return Vec::new();
                };
                (Token::Warning, one_line(problem))
            }
        };
        inner.wrapped(token, &text, 0).iter().take(4).map(indented).collect()
    }

    fn hints(&self) -> Vec<String> {
        let hints: &[&str] = match (&self.running, &self.form, &self.page) {
            (Some(_), ..) => &["Esc: stop"],
            (None, Some(form), _) if form.current().is_none() => &["Enter: call", "Esc: back", "Tab: schema"],
            (None, Some(form), _) => match form.current().is_some_and(|field| !field.choices.is_empty()) {
                true => &["Enter: call", "Esc: back", "↑↓: field", "Left/Right: value", "Tab: schema"],
                false => &["Enter: call", "Esc: back", "↑↓: field", "Tab: schema"],
            },
            (None, None, Some(page)) => match page.tabs.current() {
                OVERVIEW => &["Enter: select", "Esc: back", "Left/Right: change tab"],
                TOOLS => &["Enter: open", "Esc: back", "Left/Right: change tab"],
                RESOURCES => &["Enter: read", "Esc: back", "Left/Right: change tab"],
                PROMPTS => &["Enter: use", "Esc: back", "Left/Right: change tab"],
                _ => &["↑↓: scroll", "Esc: back", "Left/Right: change tab"],
            },
            (None, None, None) => &["Enter: open", "Esc: close"],
        };
        hints.iter().map(|hint| (*hint).to_owned()).collect()
    }
}

fn heading(look: &Look, text: &str) -> Line {
    look.shortened(&Line::styled(look.bold(Token::Accent), &one_line(text)), look.width)
}

/// Everything about a server that is no list.
fn about(server: &ServerItem, look: &Look) -> Vec<Line> {
    let (token, symbol) = match server.health {
        Health::Good => (Token::Success, Symbol::StatusEnabled),
        Health::Busy => (Token::Muted, Symbol::StatusRunning),
        Health::Bad => (Token::Error, Symbol::StatusError),
        Health::Off => (Token::Dim, Symbol::StatusDisabled),
    };
    let state = format!("{} {}", look.symbol(symbol), one_line(&server.state));
    let mut rows = vec![indented(&look.row(token, &state))];
    let wide = server.facts.iter().map(|(name, _)| Line::plain(name).width()).max().unwrap_or(0);
    for (name, value) in &server.facts {
        let mut row = Line::styled(look.fg(Token::Dim), &format!("  {name:wide$}  "));
        row.push(look.fg(Token::Text), &one_line(value));
        rows.push(look.shortened(&row, look.width));
    }
    if let Some(problem) = &server.problem {
        rows.extend(look.narrower(2).wrapped(Token::Error, &one_line(problem), 0).iter().map(indented));
    }
    rows.push(Line::new());
    rows
}

/// The form of a tool.
fn form_rows(form: &CallForm, look: &Look, room: usize, has_cursor: bool) -> Drawn {
    let mut rows = vec![heading(look, &form.tool().name)];
    let inner = look.narrower(2);
    let described = neutral::prose(&form.tool().description);
    let described = inner.wrapped(Token::Muted, described.trim(), 0);
    let most = DESCRIPTION_ROWS.min(room.saturating_sub(6));
    rows.extend(described.iter().take(most).map(indented));
    if described.len() > most && most > 0 {
        rows.push(look.row(Token::Dim, &format!("  {}", look.symbol(Symbol::FormatEllipsis))));
    }
    let foot = field_foot(form, look);
    let shown = room.saturating_sub(rows.len() + foot.len() + 1).max(1);
    let total = form.rows().count();
    let top = (form.at() + 1).saturating_sub(shown).min(total.saturating_sub(shown));
    let mut cursor = None;
    let names = form.rows().map(|(field, _)| Line::plain(&name_of(field)).width()).max().unwrap_or(0);
    let names = names.min(look.width / NAMES).max(1);
    for (place, (field, value)) in form.rows().enumerate().skip(top).take(shown) {
        let here = place == form.at();
        let mut line = look.shortened(&Line::styled(look.fg(Token::Text), &name_of(field)), names);
        line.push(look.fg(Token::Dim), &" ".repeat(names - line.width() + 1));
        let room = look.width.saturating_sub(names + 5).max(1);
        let typed = Line::styled(look.fg(Token::Accent), &one_line(value));
        // The end of a long value is what somebody looks at.
        line.append(&typed.slice(typed.width().saturating_sub(room), typed.width()));
        let row = list_rows::choice(look, here, &line);
        if here && has_cursor {
            let before = Line::plain(look.symbol(Symbol::NavCursor)).width() + 1;
            cursor = Some(Position { row: rows.len(), column: (before + line.width()).min(look.width - 1) });
        }
        rows.push(row);
    }
    rows.extend(list_rows::hidden(look, top, total.saturating_sub(top + shown)));
    rows.extend(foot);
    rows.truncate(room);
    Drawn { rows, cursor }
}

fn name_of(field: &super::FieldItem) -> String {
    format!("{}{}", one_line(&field.name), if field.required { " *" } else { "" })
}

/// What is to be known about the parameter under the cursor.
fn field_foot(form: &CallForm, look: &Look) -> Vec<Line> {
    let Some(field) = form.current() else {
        return vec![look.row(Token::Muted, "  It takes no parameters.")];
    };
    let needed = if field.required { "required" } else { "optional" };
    let mut text = format!("{}{}{needed}", one_line(&field.kind), look.dot());
    if !field.description.is_empty() {
        text.push_str(&format!("{}{}", look.dot(), one_line(&field.description)));
    }
    look.narrower(2).wrapped(Token::Dim, &text, 0).iter().take(3).map(indented).collect()
}
