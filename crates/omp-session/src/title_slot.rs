//! The name of a session as later releases keep it: in a line of fixed width before the header.
//!
//! Such a line is the truth about the name, and a change of it is written over it in place; each change also leaves a
//! `title_change` entry behind. Files without the line have their name in the header alone.

use serde_json::{Value, json};

use crate::entry::{Entry, EntryKind};
use crate::header::{Header, TitleSource};

/// The `type` of the line.
const TYPE: &str = "title";
/// How long the line is with its newline: longer or shorter ones could not be written over.
const WIDTH: usize = 256;
/// The version of the line that is written.
const VERSION: u32 = 1;

/// A name and the moment it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedAt {
    /// `None` if the session has no name.
    title: Option<String>,
    source: Option<TitleSource>,
    /// ISO 8601, so that the order of times is that of the texts.
    at: String,
}

/// What a line before or at the beginning of a session is.
pub(crate) enum Opening {
    /// The name; the header follows.
    Name(NamedAt),
    Header(Header),
    /// The file is no session.
    Other,
}

impl Opening {
    pub(crate) fn read(value: Value) -> Self {
        match NamedAt::read(&value) {
            Some(name) => Self::Name(name),
            None => Header::read(value).map_or(Self::Other, Self::Header),
        }
    }
}

impl NamedAt {
    fn read(value: &Value) -> Option<Self> {
        if value["type"] != TYPE || value.get("id").is_some() {
            return None;
        }
        let title = value["title"].as_str()?;
        Some(Self {
            title: Some(title.to_owned()).filter(|title| !title.trim().is_empty()),
            source: value["source"].as_str().map(TitleSource::named),
            at: value["updatedAt"].as_str().unwrap_or_default().to_owned(),
        })
    }

    /// The name that an entry gives, if it gives one.
    pub(crate) fn of(entry: &Entry) -> Option<Self> {
        let EntryKind::TitleChange(change) = &entry.kind else { return None };
        let (title, source) = (change.title.clone(), change.source.as_deref().map(TitleSource::named));
        Some(Self { title: Some(title), source, at: entry.timestamp.clone() })
    }

    /// The later of two names; of two of the same moment, this one.
    pub(crate) fn or_later(self, other: Self) -> Self {
        if other.at > self.at { other } else { self }
    }

    /// The header has this name from now on.
    pub(crate) fn give(self, header: &mut Header) {
        header.title = self.title;
        header.title_source = self.source;
    }
}

/// Gives a header the last of the names that a file has beside it.
pub(crate) fn name(header: &mut Header, names: impl IntoIterator<Item = NamedAt>) {
    if let Some(last) = names.into_iter().reduce(NamedAt::or_later) {
        last.give(header);
    }
}

/// The line for a name, of exactly the width that can be written over. A name that does not fit is cut.
pub(crate) fn line(title: &str, source: &TitleSource, now: &str) -> Vec<u8> {
    let text = |title: &str, pad: usize| {
        let pad = " ".repeat(pad);
        let line = json!({"type": TYPE, "v": VERSION, "title": title, "source": source, "updatedAt": now, "pad": pad});
        format!("{line}\n")
    };
    let ends = title.char_indices().map(|(at, _)| at).chain([title.len()]);
    // Ends lie so close together that looking at each of them costs little: names are short.
    let fits =
        ends.take(WIDTH).filter(|end| text(&title[..*end], 0).len() <= WIDTH).last().unwrap_or_default();
    let title = &title[..fits];
    text(title, WIDTH.saturating_sub(text(title, 0).len())).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_a_line_of_fixed_width() {
        let now = "2026-11-18T03:00:00.000Z";
        for title in ["", "short", &"long ".repeat(100), &"\u{1f600}\"\\".repeat(90)] {
            let line = line(title, &TitleSource::User, now);
            assert_eq!((line.len(), line.last()), (WIDTH, Some(&b'\n')), "{title}");
            let value: Value = serde_json::from_slice(&line).unwrap();
            assert!(title.starts_with(value["title"].as_str().unwrap()));
            let Opening::Name(read) = Opening::read(value) else { panic!("not understood") };
            assert_eq!((read.at.as_str(), read.source), (now, Some(TitleSource::User)));
        }
    }

    #[test]
    fn the_later_name_counts() {
        let named =
            |title: &str, at: &str| NamedAt { title: Some(title.into()), source: None, at: at.into() };
        let mut header = Header::new(std::path::Path::new("/p"));
        header.title = Some("old".to_owned());
        name(&mut header, []);
        assert_eq!(header.title.as_deref(), Some("old"));
        name(&mut header, [named("b", "2026-01-02"), named("a", "2026-01-01"), named("c", "2026-01-02")]);
        assert_eq!(header.title.as_deref(), Some("b"));
    }
}
