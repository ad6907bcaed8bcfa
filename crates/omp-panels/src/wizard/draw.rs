//! What the wizard looks like: the whole screen.

use omp_theme::{Symbol, Token};
use omp_tui::render::Size;
use omp_tui::text::Line;
use omp_view::Look;

use super::{Scene, Wizard};
use crate::Drawn;
use crate::list_rows;
use crate::listing::indented;

impl Wizard {
    /// Its rows: exactly as many as the screen has.
    pub fn draw(&mut self, look: &Look, size: Size) -> Drawn {
        let mut rows = self.head(look);
        let foot = list_rows::keys(look, &self.hints());
        let room = size.height.saturating_sub(foot.len());
        let mut about = Vec::new();
        if let Some(question) = self.question() {
            about.extend(inset(look, Token::Muted, question.scene.about()));
            about.extend(inset(look, Token::Warning, &question.remark));
        }
        // On a low screen the list is what is needed.
        about.truncate(room.saturating_sub(rows.len() + 6));
        let mut list = self.list.draw_within(look, room.saturating_sub(rows.len() + about.len() + 1));
        let title = list.drain(..1.min(list.len()));
        rows.extend(title);
        rows.extend(about);
        rows.push(Line::new());
        rows.extend(list);
        rows.truncate(room);
        rows.resize(room, Line::new());
        rows.extend(foot);
        rows.truncate(size.height);
        rows.into()
    }

    fn head(&self, look: &Look) -> Vec<Line> {
        let mut title = Line::styled(look.bold(Token::Accent), "omp");
        let place = format!("  Setup, step {} of {}", self.at + 1, self.questions.len());
        title.push(look.fg(Token::Muted), &place);
        let rule = look.symbol(Symbol::BoxSharpHorizontal).repeat(look.width);
        vec![look.shortened(&title, look.width), look.row(Token::Border, &rule)]
    }

    fn hints(&self) -> Vec<String> {
        let choose = match self.scene() {
            Some(Scene::Providers) => "Enter: sign in or continue",
            _ => "Enter: select",
        };
        let mut hints = vec![choose.to_owned(), "type to search".to_owned()];
        if self.at > 0 {
            hints.push("Left: back".to_owned());
        }
        hints.push("Esc: exit setup".to_owned());
        hints
    }
}

fn inset(look: &Look, token: Token, text: &str) -> Vec<Line> {
    look.narrower(2).wrapped(token, text, 0).iter().map(indented).collect()
}
