//! What the choice of a model looks like.

use omp_theme::Token;
use omp_tui::render::Size;
use omp_tui::text::Line;
use omp_view::Look;

use super::{ModelsPanel, Purpose};
use crate::Drawn;
use crate::list_rows;
use crate::listing::under_tabs;

impl ModelsPanel {
    pub(super) fn rows(&mut self, look: &Look, size: Size) -> Drawn {
        let hints: &[&str] = match (&self.asked, self.purpose) {
            (Some(_), _) => &["Enter: select", "Esc: back"],
            (None, Purpose::Roles) => {
                &["Enter: select", "Esc: cancel", "Tab: assign a role", "Left/Right: change view"]
            }
            (None, Purpose::Once) => &["Enter: select", "Esc: cancel", "Left/Right: change view"],
        };
        let hints: Vec<String> = hints.iter().map(|hint| (*hint).to_owned()).collect();
        let foot = list_rows::keys(look, &hints);
        let note = self.offer.note.iter().map(|note| look.row(Token::Warning, note));
        let note: Vec<Line> = note.collect();
        let most = (size.height * 2 / 3).max(8).min(size.height.saturating_sub(2));
        let room = most.saturating_sub(note.len() + foot.len()).max(4);
        let mut rows = match &mut self.asked {
            Some(asked) => asked.list().draw_within(look, room),
            None => under_tabs(&self.tabs, &mut self.list, look, room),
        };
        rows.splice(1..1, note);
        rows.extend(foot);
        rows.into()
    }
}
