//! What the wizard looks like: the whole screen.

use omp_theme::{Symbol, Token};
use omp_tui::render::Size;
use omp_tui::text::Line;
use omp_view::Look;

use super::{Scene, Wizard};
use crate::Drawn;
use crate::listing::fitting;
use crate::parts;

impl Wizard {
    /// Its rows: exactly as many as the screen has.
    pub fn draw(&mut self, look: &Look, size: Size) -> Drawn {
        let mut rows = self.head(look);
        let foot = parts::keys(look, &self.hints());
        if let Some(scene) = self.scene() {
            let remark = self.question().map(|question| question.remark.clone()).unwrap_or_default();
            rows.extend(inset(look, Token::Muted, scene.about()));
            rows.extend(inset(look, Token::Warning, &remark));
            rows.push(Line::new());
        }
        // On a low screen the list is what is needed.
        let room = size.height.saturating_sub(foot.len());
        rows.truncate(room.saturating_sub(6));
        let most = room.saturating_sub(rows.len());
        rows.extend(fitting(&mut self.list, look, most));
        rows.truncate(room);
        rows.resize(room, Line::new());
        rows.extend(foot);
        rows.truncate(size.height);
        rows.into()
    }

    fn head(&self, look: &Look) -> Vec<Line> {
        let mut title = Line::styled(look.bold(Token::Accent), "omp");
        let place = format!("  set-up, {} of {}", self.at + 1, self.questions.len());
        title.push(look.fg(Token::Muted), &place);
        let rule = look.symbol(Symbol::BoxSharpHorizontal).repeat(look.width);
        vec![look.shortened(&title, look.width), look.row(Token::Border, &rule)]
    }

    fn hints(&self) -> Vec<String> {
        let choose = match self.scene() {
            Some(Scene::Providers) => "Enter signs in or goes on",
            _ => "Enter chooses",
        };
        let mut hints = vec![choose.to_owned(), "typing searches".to_owned()];
        if self.at > 0 {
            hints.push("Left goes back".to_owned());
        }
        hints.push("Esc leaves the set-up".to_owned());
        hints
    }
}

fn inset(look: &Look, token: Token, text: &str) -> Vec<Line> {
    let rows = look.narrower(2).wrapped(token, text, 0);
    let indented = |line: Line| {
        let mut row = Line::plain("  ");
        row.append(&line);
        row
    };
    rows.into_iter().map(indented).collect()
}
