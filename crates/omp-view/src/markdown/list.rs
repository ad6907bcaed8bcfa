//! Lists: bullets, numbers and tasks.

use omp_theme::{Symbol, Token};
use omp_tui::text::{Line, Style};
use pulldown_cmark::{Event, Tag};

use super::block::{Blocks, hanging};
use super::cuts::ListPlace;

/// The rows of a list whose start was just read. Items follow each other without blank rows, but for an item of several
/// blocks, which has one behind it: so an item that is still to come cannot move those before it.
pub(super) fn render(blocks: &mut Blocks<'_>, start: Option<u64>, width: usize, base: Style) -> Vec<Line> {
    let mut rows: Vec<Line> = Vec::new();
    let depth = blocks.lists;
    blocks.lists += 1;
    let resumed = blocks.resumed.pop_front();
    let first = resumed.map(|place| place.number).or(start).unwrap_or_default();
    let mut place = resumed.unwrap_or_default();
    let mut items = 0;
    while let Some(event) = blocks.next() {
        match event {
            Event::Start(Tag::Item) => {
                let is_resumed = items == 0 && resumed.is_some();
                place.number = first.saturating_add(items);
                let item = item(blocks, start.map(|_| place.number), width, base);
                if place.is_long && !is_resumed {
                    rows.push(Line::new());
                }
                place.is_long = item.iter().any(Line::is_blank) || (is_resumed && place.is_long);
                rows.extend(item);
                items += 1;
            }
            Event::End(_) => break,
            _ => {}
        }
    }
    blocks.lists = depth;
    blocks.places.resize(blocks.places.len().max(depth + 1), ListPlace::default());
    blocks.places[depth] = place;
    rows
}

fn item(blocks: &mut Blocks<'_>, number: Option<u64>, width: usize, base: Style) -> Vec<Line> {
    let look = blocks.look;
    let task = blocks.task();
    let mark = match (number, task) {
        (_, Some(true)) => look.symbol(Symbol::MdTaskDone).to_owned(),
        (_, Some(false)) => look.symbol(Symbol::MdTaskOpen).to_owned(),
        (Some(number), None) => format!("{number}."),
        (None, None) => look.symbol(Symbol::MdBullet).to_owned(),
    };
    let prefix = Line::styled(look.fg(Token::MdListBullet), &format!("{mark} "));
    let room = width.saturating_sub(prefix.width()).max(1);
    let mut rows: Vec<Line> = Vec::new();
    while !blocks.at_end() {
        // A list within the item follows its words directly.
        let nested = blocks.at_list();
        let block = blocks.block(room, base);
        if !rows.is_empty() && !block.is_empty() && !nested {
            rows.push(Line::new());
        }
        rows.extend(block);
    }
    blocks.next();
    hanging(&prefix, &rows)
}
