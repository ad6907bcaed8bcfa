//! What the panel of settings looks like.

use omp_theme::Token;
use omp_tui::render::Size;
use omp_tui::text::Line;
use omp_view::Look;

use super::{SettingKind, SettingsPanel};
use crate::Drawn;
use crate::list_rows;
use crate::listing::{indented, under_tabs};

impl SettingsPanel {
    pub(super) fn rows(&mut self, look: &Look, size: Size) -> Drawn {
        let most = size.height.saturating_sub(2);
        let mut foot = self.foot(look);
        // On a low screen the list is what is needed.
        foot.drain(..foot.len().saturating_sub(most.saturating_sub(6)));
        let room = most.saturating_sub(foot.len()).max(5);
        let mut rows = match &mut self.words {
            Some((_, words)) => words.draw_within(look, room),
            None => under_tabs(&self.tabs, &mut self.list, look, room),
        };
        rows.extend(foot);
        rows.into()
    }

    /// What is under the cursor, and the keys.
    fn foot(&self, look: &Look) -> Vec<Line> {
        let mut rows = vec![Line::new()];
        let place = self.words.as_ref().map(|(place, _)| *place);
        if let Some(item) = place.map(|place| &self.items[place]).or_else(|| self.current()) {
            rows.extend(look.narrower(2).wrapped(Token::Text, item.about, 0).iter().map(indented));
            let facts = match item.usual.as_str() {
                "" => item.path.to_owned(),
                usual => format!("{}{}{usual}", item.path, look.dot()),
            };
            rows.extend(look.narrower(2).wrapped(Token::Dim, &facts, 0).iter().map(indented));
            if !item.remark.is_empty() {
                let remark = look.narrower(2).wrapped(Token::Warning, &item.remark, 0);
                rows.extend(remark.iter().map(indented));
            }
        }
        if let Some(problem) = &self.problem {
            rows.extend(look.narrower(2).wrapped(Token::Error, problem, 0).iter().map(indented));
        }
        rows.extend(list_rows::keys(look, &self.hints()));
        rows
    }

    fn hints(&self) -> Vec<String> {
        if self.words.is_some() {
            return ["Enter: select", "Esc: back"].map(str::to_owned).to_vec();
        }
        let change = match self.current().map(|item| &item.kind) {
            Some(SettingKind::Flag) => "Enter: toggle",
            Some(SettingKind::Words(_) | SettingKind::Tried(_)) => "Enter: choose",
            _ => "Enter: edit",
        };
        [change, "Esc: close", "Left/Right: change group", "Del: reset to default"]
            .map(str::to_owned)
            .to_vec()
    }
}
