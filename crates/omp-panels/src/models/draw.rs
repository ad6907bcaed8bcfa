//! What the choice of a model looks like.

use omp_theme::Token;
use omp_tui::render::Size;
use omp_view::Look;

use super::{Asked, Panel, Purpose};
use crate::Drawn;
use crate::listing::fitting;
use crate::parts;

impl Panel {
    /// Its rows on a screen of this size.
    pub fn draw(&mut self, look: &Look, size: Size) -> Drawn {
        let hints: &[&str] = match (&self.asked, self.purpose) {
            (Some(_), _) => &["Enter chooses", "Esc goes back"],
            (None, Purpose::Roles) => {
                &["Enter chooses", "Esc leaves", "Tab gives it a role", "Left and Right change the view"]
            }
            (None, Purpose::Once) => &["Enter chooses", "Esc leaves", "Left and Right change the view"],
        };
        let hints: Vec<String> = hints.iter().map(|hint| (*hint).to_owned()).collect();
        let foot = parts::keys(look, &hints);
        let mut rows = Vec::new();
        if let Some(note) = &self.offer.note {
            rows.push(look.shortened(&look.row(Token::Warning, note), look.width));
        }
        if self.asked.is_none() {
            rows.push(self.tabs.row(look));
        }
        let most = (size.height * 2 / 3).max(8).min(size.height.saturating_sub(2));
        let room = most.saturating_sub(rows.len() + foot.len()).max(4);
        let list = self.asked.as_mut().map_or(&mut self.list, Asked::list);
        rows.extend(fitting(list, look, room));
        rows.extend(foot);
        rows.into()
    }
}
