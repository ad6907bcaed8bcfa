//! The rows of a list.

use omp_theme::{Symbol, Token};
use omp_tui::text::width::{clusters, text_width};
use omp_tui::text::{Attributes, Line, Style};

use super::filter::FilterMatch;
use super::{Choice, Form, Marks, Presence, Selector};
use crate::Look;
use crate::look::{behind, grouped};

/// The share of a row that the column of labels may take.
const LABELS: usize = 2;

/// The most cells of that column, however wide the screen is.
const MOST_LABEL: usize = 36;

/// Cells of a row that are neither label nor detail: cursor, mark, gap.
const BEFORE_DETAIL: usize = 6;

/// Rows for what is said about one answer of a question.
const DETAIL_ROWS: usize = 4;

impl Selector {
    /// The list in at most `most` rows, as far as that is possible: fewer options are seen at a time.
    pub fn draw_within(&mut self, look: &Look, most: usize) -> Vec<Line> {
        // Title, what was typed, what is hidden; headings come on top.
        let mut room = most.saturating_sub(3).max(1);
        loop {
            self.set_rows(room);
            let rows = self.draw(look);
            let over = rows.len().saturating_sub(most);
            if over == 0 || room == 1 {
                return rows;
            }
            room = room.min(self.found.len().max(1)).saturating_sub(over).max(1);
        }
    }

    /// The list as rows: title, what was typed, the options, what is hidden, the keys.
    pub fn draw(&self, look: &Look) -> Vec<Line> {
        let mut rows = match self.form {
            Form::List => vec![self.title_row(look)],
            Form::Question => self.question_rows(look),
        };
        if self.form == Form::List || !self.query().is_empty() {
            rows.push(self.query_row(look));
        }
        if self.found.is_empty() {
            rows.push(look.row(Token::Muted, "  No matches"));
        }
        let labels = self.label_width(look.width);
        let apart = self.has_long_details(look, labels);
        let mut group = "";
        for (place, found) in self.found.iter().enumerate().skip(self.top).take(self.rows) {
            let choice = &self.choices[found.choice];
            // Headings hold only as long as the list is in its own order.
            if self.query().is_empty() && choice.group != group {
                rows.push(look.row(Token::Dim, &format!("  {}", choice.group)));
                group = &choice.group;
            }
            rows.push(self.choice_row(look, found, place == self.cursor, labels));
            if apart {
                rows.extend(detail_rows(look, &self.choices[found.choice]));
            }
        }
        let below = self.found.len().saturating_sub(self.top + self.rows);
        if self.top > 0 || below > 0 {
            rows.push(self.hidden_row(look, below));
        }
        if !self.hint.is_empty() {
            // A hint that is cut helps nobody.
            rows.extend(look.wrapped(Token::Dim, &format!("  {}", look.hint(&self.hint)), 2));
        }
        rows
    }

    fn title_row(&self, look: &Look) -> Line {
        let mut line = Line::styled(look.bold(Token::Accent), &self.title);
        let all = self.choices.iter().filter(|choice| choice.presence != Presence::UntilAll).count();
        let shown =
            self.found.iter().filter(|found| self.choices[found.choice].presence != Presence::UntilAll);
        let count = match shown.count() {
            shown if shown == all => format!("  {all}"),
            shown => format!("  {shown} of {all}"),
        };
        line.push(look.fg(Token::Dim), &count);
        if let Marks::Several(marked) = &self.marks {
            line.push(look.fg(Token::Muted), &format!("{}{} chosen", look.dot(), marked.len()));
        }
        look.shortened(&line, look.width)
    }

    fn question_rows(&self, look: &Look) -> Vec<Line> {
        let question = self.title.lines();
        question.flat_map(|line| Line::styled(look.bold(Token::Accent), line).wrap(look.width, 0)).collect()
    }

    /// Does a question have an answer whose explanation does not fit beside it?
    fn has_long_details(&self, look: &Look, labels: usize) -> bool {
        let room = look.width.saturating_sub(labels + BEFORE_DETAIL);
        self.form == Form::Question && self.choices.iter().any(|choice| text_width(&choice.detail) > room)
    }

    fn query_row(&self, look: &Look) -> Line {
        let mut line = Line::styled(look.fg(Token::Muted), look.symbol(Symbol::IconSearch));
        line.push(Style::PLAIN, " ");
        if self.query().is_empty() {
            line.push(look.fg(Token::Dim), "type to search");
        } else {
            line.push(look.fg(Token::Text), self.query());
        }
        look.shortened(&line, look.width)
    }

    /// The cells of the column of labels: those of the widest shown one that fits into it. A longer label pushes only its
    /// own detail away.
    fn label_width(&self, width: usize) -> usize {
        let most = (width / LABELS).min(MOST_LABEL);
        let shown = self.found.iter().skip(self.top).take(self.rows);
        let widths = shown.map(|found| text_width(&self.choices[found.choice].label));
        widths.filter(|cells| *cells <= most).max().unwrap_or(0)
    }

    fn choice_row(&self, look: &Look, found: &FilterMatch, at_cursor: bool, labels: usize) -> Line {
        let choice = &self.choices[found.choice];
        let mut line = Line::new();
        let cursor = look.symbol(Symbol::NavCursor);
        if at_cursor {
            line.push(look.bold(Token::Accent), cursor);
        } else {
            line.push(Style::PLAIN, &" ".repeat(text_width(cursor)));
        }
        line.push(Style::PLAIN, " ");
        if let Marks::Several(marked) = &self.marks
            && !choice.acts
        {
            let (symbol, token) = match marked.contains(&found.choice) {
                true => (Symbol::CheckboxChecked, Token::Accent),
                false => (Symbol::CheckboxUnchecked, Token::Dim),
            };
            line.push(look.fg(token), look.symbol(symbol));
            line.push(Style::PLAIN, " ");
        }
        let refused = !choice.refusal.is_empty();
        let detail = match refused {
            true => choice.refusal.as_str(),
            false if self.has_long_details(look, labels) => "",
            false => &choice.detail,
        };
        // Of a row with both, a part is kept for the detail.
        let room = look.width.saturating_sub(line.width());
        let room = if detail.is_empty() { room } else { labels.max(room * 2 / 3) };
        let label = look.shortened(&label(look, choice, found, at_cursor), room);
        line.append(&label);
        if !detail.is_empty() {
            line.push(Style::PLAIN, &" ".repeat(labels.saturating_sub(label.width())));
            let token = if refused { Token::Warning } else { Token::Muted };
            line.push(look.fg(token), &format!("  {detail}"));
        }
        let line = look.shortened(&line, look.width);
        if at_cursor { look.selected(&line) } else { line }
    }

    fn hidden_row(&self, look: &Look, below: usize) -> Line {
        let (up, down) = (look.symbol(Symbol::NavUp), look.symbol(Symbol::NavDown));
        let [above, below] = [self.top, below].map(|count| grouped(count as u64));
        let text = match (above.as_str(), below.as_str()) {
            ("0", below) => format!("  {down} {below} more"),
            (above, "0") => format!("  {up} {above} more"),
            (above, below) => format!("  {up} {above}  {down} {below} more"),
        };
        look.row(Token::Dim, &text)
    }
}

/// What is said about an answer, below it.
fn detail_rows(look: &Look, choice: &Choice) -> Vec<Line> {
    let inner = look.narrower(4);
    let text = choice.detail.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut rows = inner.wrapped(Token::Muted, &text, 0);
    if rows.len() > DETAIL_ROWS {
        rows.truncate(DETAIL_ROWS);
        let last = rows.pop().unwrap_or_default().fit(inner.width + 1, Style::PLAIN);
        rows.push(inner.shortened(&last, inner.width));
    }
    rows.iter().map(|row| behind(&Line::plain("    "), row).clamp(look.width)).collect()
}

/// The label with the letters that fit in another colour.
fn label(look: &Look, choice: &Choice, found: &FilterMatch, at_cursor: bool) -> Line {
    let refused = !choice.refusal.is_empty();
    let base = match (refused, at_cursor) {
        (true, _) => look.fg(Token::Dim),
        (false, true) => look.bold(Token::Text),
        (false, false) => look.fg(Token::Text),
    };
    let hit = look.bold(Token::Accent).with(Attributes::UNDERLINE);
    let mut line = Line::new();
    for (number, cluster) in clusters(&choice.label).enumerate() {
        line.push(if found.hits.binary_search(&number).is_ok() { hit } else { base }, cluster.text);
    }
    line
}
