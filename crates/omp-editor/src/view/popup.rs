//! The list of completions as rows.

use omp_tui::text::{Line, neutral};

use crate::Editor;
use crate::complete::{ListRow, Offer, Topics, Trigger, TriggerKind};

/// Most cells of a label before explanations begin.
const LABEL: usize = 40;

/// Where the columns of the list are, and how much of it there is.
struct Columns {
    label: usize,
    width: usize,
    /// The place of the selected offer among all, where not all are seen.
    place: String,
}

impl Editor {
    /// Whether commands can be chosen by name: a list that is worth more of the screen than others.
    pub fn offers_commands(&self) -> bool {
        let is_name = |(_, trigger): &(_, Trigger)| trigger.kind == TriggerKind::Name;
        self.list.is_open() && self.list.at.as_ref().is_some_and(is_name)
    }

    /// The rows of the list; none when it is closed.
    pub(super) fn popup_rows(&mut self, look: &super::Look<'_>) -> Vec<Line> {
        let (width, styles) = (look.width, look.styles);
        if !self.list.is_open() {
            return Vec::new();
        }
        let most = if self.offers_commands() { look.command_rows } else { 0 };
        let height = self.options.max_offers.max(most).max(1);
        let topics = if most > 0 { Topics::Shown } else { Topics::Hidden };
        let selected = self.list.selected_index();
        let seen = self.list.seen(height, topics).to_vec();
        let offers = self.list.offers();
        let shown = || seen.iter().filter(|row| matches!(row, ListRow::Offer(_)));
        let of = |row: &ListRow| match row {
            ListRow::Topic(place) | ListRow::Offer(place) => &offers[*place],
        };
        let label = shown().map(|row| label(of(row)).width()).max().unwrap_or(0);
        let is_cut = shown().count() < offers.len();
        let columns = Columns {
            label: label.min(LABEL).min(width.saturating_sub(2)),
            width,
            place: if is_cut { format!("  {}/{}", selected + 1, offers.len()) } else { String::new() },
        };
        let row = |row: &ListRow| match row {
            ListRow::Topic(_) => Line::styled(styles.popup_topic, &of(row).topic).clamp(width),
            ListRow::Offer(place) => offer_row(of(row), *place == selected, &columns, styles),
        };
        seen.iter().map(row).collect()
    }
}

/// Names of files are chosen by what is seen of them.
fn label(offer: &Offer) -> Line {
    Line::plain(&neutral::exact_line(offer.label()))
}

fn offer_row(offer: &Offer, chosen: bool, columns: &Columns, styles: &super::Styles<'_>) -> Line {
    let style = if chosen { styles.popup_selected } else { styles.popup };
    let mut row = Line::styled(style, if chosen { styles.glyphs.pointer } else { " " });
    row.push(style, " ");
    let text = styles.shortened(&label(offer), columns.label).text();
    row.append(&Line::styled(style, &text).fit(columns.label, style));
    let place = if chosen { columns.place.as_str() } else { "" };
    let room = columns.width.saturating_sub(row.width() + 2 + place.len());
    if !offer.detail().is_empty() && room > 6 {
        row.push(style, "  ");
        row.append(&styles.shortened(&Line::styled(styles.popup_detail, offer.detail()), room));
    }
    let gap = columns.width.saturating_sub(row.width() + place.len());
    if !place.is_empty() {
        row.push(styles.popup_detail, &format!("{}{place}", " ".repeat(gap)));
    }
    row.clamp(columns.width)
}
