//! The list of completions as rows.

use omp_tui::text::{Line, neutral};

use crate::Editor;
use crate::complete::{Trigger, TriggerKind};

/// Most cells of a label before explanations begin.
const LABEL: usize = 40;

impl Editor {
    /// The rows of the list; none when it is closed.
    pub(super) fn popup_rows(&mut self, look: &super::Look<'_>) -> Vec<Line> {
        let (width, styles) = (look.width, look.styles);
        if !self.list.is_open() {
            return Vec::new();
        }
        let is_name = |(_, trigger): &(_, Trigger)| trigger.kind == TriggerKind::Name;
        let most = if self.list.at.as_ref().is_some_and(is_name) { look.command_rows } else { 0 };
        let height = self.options.max_offers.max(most).max(1);
        let first = self.list.first(height);
        let selected = self.list.selected_index();
        let count = self.list.offers().len();
        let seen = &self.list.offers()[first..(first + height).min(count)];
        // Names of files are chosen by what is seen of them.
        let labels = seen.iter().map(|offer| Line::plain(&neutral::exact_line(offer.label())));
        let labels: Vec<Line> = labels.collect();
        let column =
            labels.iter().map(Line::width).max().unwrap_or(0).min(LABEL).min(width.saturating_sub(2));
        let mut rows = Vec::with_capacity(seen.len());
        for (index, (offer, label)) in (first..).zip(seen.iter().zip(&labels)) {
            let chosen = index == selected;
            let style = if chosen { styles.popup_selected } else { styles.popup };
            let mut row = Line::styled(style, if chosen { styles.glyphs.pointer } else { " " });
            row.push(style, " ");
            let text = styles.shortened(label, column).text();
            row.append(&Line::styled(style, &text).fit(column, style));
            let place =
                if chosen && count > height { format!("  {}/{count}", index + 1) } else { String::new() };
            let room = width.saturating_sub(row.width() + 2 + place.len());
            if !offer.detail().is_empty() && room > 6 {
                row.push(style, "  ");
                row.append(&styles.shortened(&Line::styled(styles.popup_detail, offer.detail()), room));
            }
            let gap = width.saturating_sub(row.width() + place.len());
            if !place.is_empty() {
                row.push(styles.popup_detail, &format!("{}{place}", " ".repeat(gap)));
            }
            rows.push(row.clamp(width));
        }
        rows
    }
}
