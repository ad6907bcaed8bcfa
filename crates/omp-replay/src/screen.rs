//! What a terminal showed and what was typed at it.
//!
//! A frame is what the screen showed when the program had come to rest: nothing ran, and everything that had come in
//! was dealt with. Only those are kept; what is seen on the way there depends on the speed of the machine.

use omp_guard::secrets::Secrets;

use crate::line::{FrameRow, Line, Screen};

/// Entries that wait to see whether something secret is typed.
const MOST_PENDING: usize = 512;

/// Keeps what is typed until it is known whether it was secret, and frames until their rows are.
#[derive(Debug, Default)]
pub(crate) struct Screening {
    pending: Vec<Screen>,
    /// Something was typed that is no text: what was typed before it is complete.
    closed: bool,
    /// The rows of the frame that was written last.
    shown: Vec<String>,
    /// Nothing is kept any more.
    over: bool,
}

impl Screening {
    /// Takes an entry. What is ready to be written comes back.
    pub(crate) fn take(&mut self, entry: Screen, secrets: Option<&Secrets>) -> Vec<Line> {
        if self.over {
            return Vec::new();
        }
        let mut ready = Vec::new();
        if self.closed || self.pending.len() >= MOST_PENDING {
            ready = self.flush(secrets);
        }
        match &entry {
            Screen::Text { .. } => {}
            Screen::Key { key, .. } => self.closed = key != BACKSPACE,
            // A frame that shows what is being typed waits with it; everything else has no reason to.
            _ if !self.pending.iter().any(is_typed) => {
                ready.extend(self.line(entry, secrets));
                return ready;
            }
            _ => {}
        }
        self.pending.push(entry);
        ready
    }

    /// The screen is left alone from here: nothing of what was typed last is kept.
    pub(crate) fn leave(&mut self, at: u64, what: String) -> Vec<Line> {
        if std::mem::replace(&mut self.over, true) {
            return Vec::new();
        }
        self.pending.clear();
        vec![Line::Screen(Screen::Left { at, what })]
    }

    /// Everything that waits. What was typed and is secret comes as what stands for it, and the frames that show how it
    /// was typed do not come.
    pub(crate) fn flush(&mut self, secrets: Option<&Secrets>) -> Vec<Line> {
        self.closed = false;
        let mut entries = std::mem::take(&mut self.pending);
        if let Some(secrets) = secrets {
            entries = without_secrets(entries, secrets);
        }
        entries.into_iter().filter_map(|entry| self.line(entry, secrets)).collect()
    }

    fn line(&mut self, entry: Screen, secrets: Option<&Secrets>) -> Option<Line> {
        let Screen::Frame { at, size, rows, count } = entry else { return Some(Line::Screen(entry)) };
        let mut texts: Vec<String> = rows.into_iter().map(|FrameRow(_, text)| text).collect();
        if let Some(secrets) = secrets {
            texts = without_shown(texts, size.0.into(), secrets)?;
        }
        let before = std::mem::replace(&mut self.shown, texts);
        let changed = self.shown.iter().enumerate().filter(|(row, text)| before.get(*row) != Some(*text));
        let rows: Vec<FrameRow> = changed.map(|(row, text)| FrameRow(row, text.clone())).collect();
        let same = rows.is_empty() && before.len() == self.shown.len();
        (!same).then_some(Line::Screen(Screen::Frame { at, size, rows, count }))
    }
}

/// How [`Screen::Key`] names the key that takes the last letter away.
pub(crate) const BACKSPACE: &str = "Backspace";

fn is_typed(entry: &Screen) -> bool {
    matches!(entry, Screen::Text { .. } | Screen::Key { .. })
}

/// What stands for the secrets in what was typed letter by letter.
fn without_secrets(entries: Vec<Screen>, secrets: &Secrets) -> Vec<Screen> {
    let (mut raw, mut typed) = (String::new(), String::new());
    for entry in &entries {
        match entry {
            Screen::Text { text, .. } => {
                raw.push_str(text);
                typed.push_str(text);
            }
            Screen::Key { key, .. } if key == BACKSPACE => drop(typed.pop()),
            _ => {}
        }
    }
    let hidden = secrets.obfuscate(&typed);
    if hidden.is_none() && secrets.obfuscate(&raw).is_none() {
        return entries;
    }
    let mut said = Some(hidden.unwrap_or(typed));
    let replaced = |entry: Screen| match entry {
        Screen::Text { at, told, .. } => Some(Screen::Text { at, told, text: said.take()? }),
        Screen::Key { ref key, .. } if key == BACKSPACE => None,
        Screen::Frame { .. } => None,
        other => Some(other),
    };
    entries.into_iter().filter_map(replaced).collect()
}

/// Rows with what stands for the secrets in them, as they are when what stands for them is typed instead. `None` if a
/// secret goes across the end of a row, or if the lines may break elsewhere then: such a frame cannot be compared.
fn without_shown(rows: Vec<String>, width: usize, secrets: &Secrets) -> Option<Vec<String>> {
    let hidden: Vec<Option<String>> = rows.iter().map(|row| secrets.obfuscate(row)).collect();
    if hidden.iter().any(Option::is_some) {
        let breaks =
            |place: usize| may_break(&rows, place, width) || may_break(&rows, place.wrapping_sub(1), width);
        if (0..rows.len()).any(|place| hidden[place].is_some() && breaks(place)) {
            return None;
        }
    }
    let replaced = rows.into_iter().zip(hidden).map(|(row, hidden)| match hidden {
        Some(hidden) => fitted(&row, hidden, width),
        None => Some(row),
    });
    let rows: Vec<String> = replaced.collect::<Option<_>>()?;
    let joined: String = rows.iter().map(|row| content(row)).collect();
    secrets.obfuscate(&joined).is_none().then_some(rows)
}

/// Columns at the edges of a row that no text is written into.
const MARGIN: usize = 6;

/// Frames and bars around a text.
fn is_edge(letter: char) -> bool {
    letter.is_whitespace() || ('\u{2500}'..='\u{259f}').contains(&letter) || letter == '|'
}

fn content(row: &str) -> &str {
    row.trim_matches(is_edge)
}

/// May a row end where it does because the first word of the next had no room in it?
fn may_break(rows: &[String], place: usize, width: usize) -> bool {
    let (Some(row), Some(next)) = (rows.get(place), rows.get(place.wrapping_add(1))) else { return false };
    let Some(word) = content(next).split_whitespace().next() else { return false };
    let (row, word) = (row.trim_end_matches(is_edge).chars().count(), word.chars().count());
    row > 0 && row + 1 + word + MARGIN > width
}

/// A row with what stands for a secret; a frame at its end stays where it is. `None` if there is no room for it.
fn fitted(row: &str, hidden: String, width: usize) -> Option<String> {
    let bare = hidden.trim_end_matches(is_edge);
    if bare.chars().count() + MARGIN > width {
        return None;
    }
    let edge = row.chars().next_back().filter(|last| is_edge(*last));
    Some(match edge {
        Some(edge) => {
            let blanks = row.chars().count().saturating_sub(bare.chars().count() + 1);
            format!("{bare}{}{edge}", " ".repeat(blanks))
        }
        None => hidden,
    })
}

#[cfg(test)]
mod tests {
    use omp_guard::secrets::{Matcher, Mode, SecretEntry};

    use super::*;

    fn secrets() -> Secrets {
        let entry = SecretEntry { matcher: Matcher::Plain("hunter22".to_owned()), mode: Mode::Obfuscate };
        Secrets::new(vec![entry], "s1")
    }

    fn text(text: &str) -> Screen {
        Screen::Text { at: 1, told: 0, text: text.to_owned() }
    }

    fn key(name: &str) -> Screen {
        Screen::Key { at: 1, told: 0, key: name.to_owned() }
    }

    fn frame(rows: &[&str]) -> Screen {
        let rows = rows.iter().enumerate().map(|(at, row)| FrameRow(at, (*row).to_owned())).collect();
        Screen::Frame { at: 1, size: (80, 3), count: 2, rows }
    }

    fn written(entries: Vec<Screen>) -> String {
        let (mut screening, secrets) = (Screening::default(), secrets());
        let mut lines = Vec::new();
        for entry in entries {
            lines.extend(screening.take(entry, Some(&secrets)));
        }
        lines.extend(screening.flush(Some(&secrets)));
        serde_json::to_string(&lines).unwrap()
    }

    #[test]
    fn what_is_typed_letter_by_letter_is_known_as_a_secret() {
        let letters = "hunter2x".chars().map(|letter| letter.to_string());
        let mut entries: Vec<Screen> = Vec::new();
        let mut shown = String::new();
        for letter in letters {
            shown.push_str(&letter);
            entries.extend([text(&letter), frame(&[&shown])]);
        }
        entries.extend([
            key("Backspace"),
            text("2"),
            key("Enter"),
            frame(&["> hunter22", "done"]),
            text("a"),
        ]);
        let written = written(entries);
        assert!(!written.contains("hunt") && !written.contains("Backspace"), "{written}");
        assert!(written.contains("Enter") && written.contains("\"text\":\"a\""), "{written}");
    }

    #[test]
    fn a_secret_across_two_rows_is_not_shown() {
        let written = written(vec![frame(&["│ my hunt │", "│ er22    │"]), frame(&["clean", "row"])]);
        assert!(!written.contains("hunt") && written.contains("clean"), "{written}");
    }

    #[test]
    fn what_stands_for_a_secret_is_shown_in_its_place() {
        let written = written(vec![frame(&["│ say hunter22 twice      │", "clean"])]);
        let lines: serde_json::Value = serde_json::from_str(&written).unwrap();
        let row = lines[0]["rows"][0][1].as_str().unwrap();
        assert!(row.starts_with("│ say #") && row.ends_with("# twice        │"), "{row:?}");
        assert_eq!(row.chars().count(), "│ say hunter22 twice      │".chars().count());
        assert!(written.contains("clean"), "{written}");
    }

    /// Lines that may break elsewhere with other words in them are not compared.
    #[test]
    fn long_lines_with_a_secret_are_left_out() {
        let full = format!("hunter22 {}", "word ".repeat(14));
        for rows in [[full.trim_end(), "word word"], [&"x".repeat(72), "hunter22 is it"]] {
            assert_eq!(written(vec![frame(&rows)]), "[]", "{rows:?}");
        }
        assert!(written(vec![frame(&["hunter22", "", "word"])]).contains("word"));
    }

    #[test]
    fn only_rows_that_changed_are_written() {
        let written =
            written(vec![frame(&["one", "two"]), frame(&["one", "three"]), frame(&["one", "three"])]);
        assert_eq!((written.matches("one").count(), written.matches("three").count()), (1, 1), "{written}");
    }

    #[test]
    fn what_was_typed_last_is_forgotten_when_the_screen_is_left() {
        let mut screening = Screening::default();
        let mut lines = Vec::new();
        for entry in [text("/login x sk-unknown"), frame(&["sk-unknown"]), key("Enter")] {
            lines.extend(screening.take(entry, None));
        }
        lines.extend(screening.leave(2, "/login".to_owned()));
        lines.extend(screening.take(text("more"), None));
        lines.extend(screening.flush(None));
        let written = serde_json::to_string(&lines).unwrap();
        assert!(!written.contains("unknown") && !written.contains("more"), "{written}");
        assert!(written.contains("/login"), "{written}");
    }
}
