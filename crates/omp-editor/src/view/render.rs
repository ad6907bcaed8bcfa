//! The editor as rows.

use std::ops::Range;

use omp_tui::render::Position as Cell;
use omp_tui::text::{Line, Style};

use super::window::{Seen, Window};
use super::{Frame, Look, Rendered};
use crate::Editor;
use crate::text::{Position, clusters, glyph};

/// Longest text in which words are looked for.
const KEYWORD_BYTES: usize = 64 << 10;
/// Below this width there is no frame.
const NARROW: usize = 8;

/// The cells that a frame takes.
struct Insets {
    side: usize,
    rules: usize,
}

impl Insets {
    fn of(frame: Frame, look: &Look<'_>) -> Self {
        let rules = if look.height >= 3 { 2 } else { 0 };
        match frame {
            _ if look.width < NARROW || frame == Frame::None => Self { side: 0, rules: 0 },
            Frame::Box if rules > 0 => Self { side: 2, rules },
            _ => Self { side: 0, rules },
        }
    }
}

impl Editor {
    /// Draws the editor. The frame and the window are chosen so that the cursor is always seen.
    pub fn render(&mut self, look: &Look<'_>) -> Rendered {
        let insets = Insets::of(look.frame, look);
        let inner = look.width.saturating_sub(2 * insets.side).max(1);
        self.text.set_width(inner);
        let window = self.window(look.height.saturating_sub(insets.rules));
        let marks = self.marks(look);
        let mut lines: Vec<Line> =
            window.rows.iter().map(|seen| self.draw(*seen, &marks, look, inner)).collect();
        let seen = window.rows.get(window.cursor).copied();
        let mut column = seen.map_or(0, |seen| self.column_in(seen.line, seen.row, self.cursor.byte));
        column = column.min(inner.saturating_sub(1));
        self.decorate(&mut lines, window.cursor, column, inner, look);
        let rows = framed(lines, &window, &insets, inner, look);
        let cursor = Cell { row: window.cursor + insets.rules / 2, column: column + insets.side };
        let popup = self.popup_rows(look);
        Rendered { rows, cursor, popup }
    }

    /// Placeholder and ghost, behind the text.
    fn decorate(&self, lines: &mut [Line], row: usize, column: usize, inner: usize, look: &Look<'_>) {
        let Some(line) = lines.get_mut(row) else { return };
        if self.is_empty() {
            let words = Line::styled(look.styles.placeholder, look.placeholder);
            *line = look.styles.shortened(&words, inner);
        } else if let Some(ghost) = self.ghost() {
            let room = inner.saturating_sub(column);
            line.append(&look.styles.shortened(&Line::styled(look.styles.ghost, &ghost), room));
        }
    }

    /// Where words with a meaning stand: line and bytes, in order.
    fn marks(&self, look: &Look<'_>) -> Vec<(usize, Range<usize>)> {
        if self.text.bytes() > KEYWORD_BYTES {
            return Vec::new();
        }
        let mut found = Vec::new();
        let text = self.text.text();
        for range in (look.keywords)(&text) {
            if text.get(range.clone()).is_none_or(|word| word.contains('\n')) {
                continue;
            }
            let line = text[..range.start].matches('\n').count();
            let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
            found.push((line, range.start - start..range.end - start));
        }
        found
    }

    fn draw(&self, seen: Seen, marks: &[(usize, Range<usize>)], look: &Look<'_>, inner: usize) -> Line {
        let room = inner.saturating_sub(1).max(1);
        let selection = self.selection();
        let text = &self.text.line(seen.line)[seen.row.start..seen.row.end];
        let mut line = Line::new();
        let mut column = 0;
        for (offset, cluster) in clusters(text) {
            let byte = seen.row.start + offset;
            let shown = glyph(cluster, column, room, &self.atoms);
            column += shown.width;
            let marked = marks.iter().any(|(at, range)| *at == seen.line && range.contains(&byte));
            let mut style = match (shown.is_atom, marked) {
                (true, _) => look.styles.marker,
                (_, true) => look.styles.keyword,
                _ => look.styles.text,
            };
            let place = Position::new(seen.line, byte);
            if selection.is_some_and(|(from, to)| from <= place && place < to) {
                style = Style { background: look.styles.selection.background, ..style }
                    .with(look.styles.selection.attributes);
            }
            line.push(style, &shown.text);
        }
        line.clamp(inner)
    }
}

/// The rows with what is around them.
fn framed(lines: Vec<Line>, window: &Window, insets: &Insets, inner: usize, look: &Look<'_>) -> Vec<Line> {
    let styles = look.styles;
    let glyphs = styles.glyphs;
    let boxed = insets.side > 0;
    let body = lines.into_iter().map(|line| {
        if !boxed {
            return line;
        }
        let mut row = Line::styled(styles.border, glyphs.vertical);
        row.push(styles.text, " ");
        row.append(&line.fit(inner, styles.text));
        row.push(styles.text, " ");
        row.push(styles.border, glyphs.vertical);
        row
    });
    if insets.rules == 0 {
        return body.collect();
    }
    let [top_left, top_right, bottom_left, bottom_right] =
        if boxed { glyphs.corners } else { [glyphs.horizontal; 4] };
    let above = if window.more_above { glyphs.above } else { "" };
    let below = if window.more_below { glyphs.below } else { "" };
    let mut rows = vec![rule([top_left, top_right], [look.title, look.title_right], above, look)];
    rows.extend(body);
    rows.push(rule([bottom_left, bottom_right], [None, None], below, look));
    rows
}

/// A rule with titles at both sides and a sign at its right. The left title is cut where it does not fit; the right one is
/// left out.
fn rule(corners: [&str; 2], titles: [Option<&Line>; 2], sign: &str, look: &Look<'_>) -> Line {
    let border = look.styles.border;
    let horizontal = look.styles.glyphs.horizontal;
    let [title, title_right] = titles.map(|title| title.filter(|title| title.width() > 0));
    let mut row = Line::styled(border, corners[0]);
    row.push(border, horizontal);
    let sign = if sign.is_empty() { String::new() } else { format!(" {sign} {horizontal}") };
    let mut tail = Line::styled(border, &format!("{sign}{}", corners[1]));
    let room = look.width.saturating_sub(row.width() + tail.width() + 1);
    let wanted = title.map_or(0, |title| title.width() + 2);
    if let Some(right) = title_right.filter(|right| wanted + right.width() + 4 <= room) {
        let mut end = Line::styled(border, " ");
        end.append(right);
        end.push(border, " ");
        end.push(border, horizontal);
        end.append(&tail);
        tail = end;
    }
    if let Some(title) = title.filter(|_| room > 4) {
        row.push(border, " ");
        row.append(&look.styles.shortened(title, room - 2));
        row.push(border, " ");
    }
    let missing = look.width.saturating_sub(row.width() + tail.width());
    row.push(border, &horizontal.repeat(missing));
    row.append(&tail);
    row.clamp(look.width)
}
