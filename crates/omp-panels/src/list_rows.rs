//! Rows that lists have in common.

use omp_theme::{Symbol, Token};
use omp_tui::render::Size;
use omp_tui::text::{Line, neutral};
use omp_view::{Look, grouped};

/// The keys at the foot of a panel take no more rows than this.
const MOST_KEY_ROWS: usize = 2;
/// What stands above a panel on the smallest screen.
const STATUS_ROWS: usize = 2;

/// Text of others on one line, without anything a terminal would obey.
pub(crate) fn one_line(text: &str) -> String {
    let visible = neutral::prose(text);
    visible.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How long ago something was, in a few letters.
pub fn age(seconds: u64) -> String {
    const MINUTE: u64 = 60;
    const HOUR: u64 = 60 * MINUTE;
    const DAY: u64 = 24 * HOUR;
    match seconds {
        0..MINUTE => "just now".to_owned(),
        MINUTE..HOUR => format!("{}m ago", seconds / MINUTE),
        HOUR..DAY => format!("{}h ago", seconds / HOUR),
        _ if seconds < 14 * DAY => format!("{}d ago", seconds / DAY),
        _ if seconds < 60 * DAY => format!("{}w ago", seconds / (7 * DAY)),
        _ if seconds < 730 * DAY => format!("{}mo ago", seconds / (30 * DAY)),
        _ => format!("{}y ago", seconds / (365 * DAY)),
    }
}

/// A row that begins with the sign of the cursor, on its background, or with as much room.
pub(crate) fn choice(look: &Look, at_cursor: bool, content: &Line) -> Line {
    let cursor = look.symbol(Symbol::NavCursor);
    if !at_cursor {
        let mut row = Line::plain(&" ".repeat(Line::plain(cursor).width() + 1));
        row.append(content);
        return look.shortened(&row, look.width);
    }
    let mut row = Line::styled(look.bold(Token::Accent), &format!("{cursor} "));
    row.append(content);
    look.selected(&look.shortened(&row, look.width))
}

/// Says how much of a list is above and below what is shown; nothing if all of it is.
pub(crate) fn hidden(look: &Look, above: usize, below: usize) -> Option<Line> {
    let (up, down) = (look.symbol(Symbol::NavUp), look.symbol(Symbol::NavDown));
    let [above, below] = [above, below].map(|count| grouped(count as u64));
    let text = match (above.as_str(), below.as_str()) {
        ("0", "0") => return None,
        ("0", below) => format!("  {down} {below} more"),
        (above, "0") => format!("  {up} {above} more"),
        (above, below) => format!("  {up} {above}  {down} {below} more"),
    };
    Some(look.row(Token::Dim, &text))
}

/// The end of a long text, as of a path, after an ellipsis.
pub(crate) fn ending(look: &Look, token: Token, text: &str) -> Line {
    let line = Line::styled(look.fg(token), text);
    let (wide, room) = (line.width(), look.width);
    if wide <= room {
        return line;
    }
    let mut short = Line::styled(look.fg(token), look.symbol(Symbol::FormatEllipsis));
    short.append(&line.slice((wide + short.width()).saturating_sub(room), wide));
    short.clamp(room)
}

/// The keys below `rows` rows, where a small screen has room for them.
pub(crate) fn keys_below(look: &Look, hints: &[String], rows: usize, size: Size) -> Vec<Line> {
    let fits = rows + MOST_KEY_ROWS + STATUS_ROWS <= size.height;
    if fits { keys(look, hints) } else { Vec::new() }
}

/// Which keys do what, the most useful first: as many as fit into two rows.
pub(crate) fn keys(look: &Look, hints: &[String]) -> Vec<Line> {
    let (dot, room) = (look.dot(), look.width.saturating_sub(2).max(1));
    let mut rows: Vec<String> = Vec::new();
    for hint in hints {
        let hint = look.hint(hint);
        let joined = rows.last().map(|row| format!("{row}{dot}{hint}"));
        if let Some(joined) = joined.filter(|joined| Line::plain(joined).width() <= room) {
            rows.pop();
            rows.push(joined);
        } else if rows.len() < MOST_KEY_ROWS {
            rows.push(hint);
        } else {
            break;
        }
    }
    rows.iter().map(|row| look.row(Token::Dim, &format!("  {row}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_short() {
        let day = 86_400;
        let ages = [0, 59, 60, 7_300, 3 * day, 15 * day, 70 * day, 800 * day].map(age);
        assert_eq!(
            ages,
            ["just now", "just now", "1m ago", "2h ago", "3d ago", "2w ago", "2mo ago", "2y ago"]
        );
    }

    #[test]
    fn nothing_of_a_name_reaches_the_terminal_as_a_command() {
        assert_eq!(one_line("a\n\tb \x1b[2J\u{9b}c"), "a b ␛[2J<U+009B>c");
    }
}
