//! What is left out of a snapshot that is too large.

use serde_json::{Value, json};

use crate::images::Images;

/// How much was left out, each step including those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trim {
    /// Nothing.
    Nothing,
    /// Images.
    Images,
    /// Also what is longer than this many bytes in a text.
    Texts(usize),
    /// Also this many entries, the oldest ones.
    Oldest(usize),
}

/// The steps before entries are left out.
pub(super) const STEPS: [Trim; 6] = [
    Trim::Nothing,
    Trim::Images,
    Trim::Texts(32 << 10),
    Trim::Texts(8 << 10),
    Trim::Texts(2 << 10),
    SHORTEST,
];
/// The last of them.
pub(super) const SHORTEST: Trim = Trim::Texts(512);

const IMAGE: &str = "[image omitted from the shared snapshot]";
const CUT: &str = "… [truncated for sharing]";

impl std::fmt::Display for Trim {
    /// A sentence for the user; empty if nothing was left out.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Nothing => Ok(()),
            Self::Images => {
                formatter.write_str("The session was too large to share in full: images were omitted")
            }
            Self::Texts(limit) => {
                let limit =
                    if *limit < 1024 { format!("{limit} bytes") } else { format!("{} KB", limit >> 10) };
                write!(
                    formatter,
                    "The session was too large to share in full: images were omitted and texts truncated \
                     to {limit}"
                )
            }
            Self::Oldest(count) => {
                let entries = if *count == 1 { "entry" } else { "entries" };
                write!(
                    formatter,
                    "The session was too large to share in full: images and the {count} oldest {entries} \
                     were omitted, and texts truncated to 512 bytes"
                )
            }
        }
    }
}

impl Trim {
    fn longest(self) -> usize {
        match self {
            Self::Nothing | Self::Images => usize::MAX,
            Self::Texts(limit) => limit,
            Self::Oldest(_) => 512,
        }
    }

    /// Changes a value to what is shared of it. `redact` sees every text before it is cut.
    pub(super) fn apply(self, value: &mut Value, images: &Images, redact: &dyn Fn(&str) -> Option<String>) {
        match value {
            Value::String(text) => {
                if self != Self::Nothing && text.starts_with("data:image/") {
                    IMAGE.clone_into(text);
                    return;
                }
                if let Some(redacted) = redact(text) {
                    *text = redacted;
                }
                self.cut(text);
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.apply(item, images, redact)),
            Value::Object(fields) if fields.get("type").is_some_and(|kind| kind == "image") => {
                let data = fields.get("data").and_then(Value::as_str);
                match (self, data.and_then(|data| images.data(data))) {
                    (Self::Nothing, Some(data)) => {
                        fields.insert("data".to_owned(), json!(data));
                    }
                    _ => *value = json!({"type": "text", "text": IMAGE}),
                }
            }
            Value::Object(fields) => fields.values_mut().for_each(|field| self.apply(field, images, redact)),
            _ => {}
        }
    }

    /// Cuts a text so that it is not longer than allowed, with the mark that it was cut.
    fn cut(self, text: &mut String) {
        let longest = self.longest();
        if text.len() > longest {
            text.truncate(text.floor_char_boundary(longest - CUT.len()));
            text.push_str(CUT);
        }
    }
}
