//! What is in the editor, outside the editor: text, folded pastes and pictures in their order.

use std::fmt::Write as _;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A picture as the application knows it: a name under which it keeps the bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ImageHandle(pub Arc<str>);

/// How the model gets a folded paste.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Wrapping {
    /// As if it had been typed.
    #[default]
    Inline,
    /// Inside an `<attachment>` block.
    Attachment,
}

/// A piece of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ContentPart {
    /// Text as it was typed.
    Text(String),
    /// A folded paste.
    Paste {
        /// The whole text.
        text: Arc<str>,
        /// How the model gets it.
        wrapping: Wrapping,
    },
    /// A picture.
    Image(ImageHandle),
}

/// A prompt: pieces in their order. Two texts never follow each other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Content {
    parts: Vec<ContentPart>,
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        let mut content = Self::default();
        content.push(ContentPart::Text(text.to_owned()));
        content
    }
}

impl Content {
    /// A queued message: every `[Image #N]` in `text` that names one of `images` becomes that picture; pictures that
    /// nothing names are put at the end.
    pub fn from_marked(text: &str, images: &[ImageHandle]) -> Self {
        let mut content = Self::default();
        let mut named = vec![false; images.len()];
        let mut rest = text;
        while let Some((before, number, after)) = next_marker(rest) {
            let index = number.checked_sub(1).filter(|index| named.get(*index) == Some(&false));
            match index.and_then(|index| images.get(index).map(|image| (index, image))) {
                Some((index, image)) => {
                    content.push(ContentPart::Text(before.to_owned()));
                    content.push(ContentPart::Image(image.clone()));
                    named[index] = true;
                }
                None => content.push(ContentPart::Text(rest[..rest.len() - after.len()].to_owned())),
            }
            rest = after;
        }
        content.push(ContentPart::Text(rest.to_owned()));
        for (image, _) in images.iter().zip(&named).filter(|(_, named)| !**named) {
            if !content.is_empty() {
                content.push(ContentPart::Text(" ".to_owned()));
            }
            content.push(ContentPart::Image(image.clone()));
        }
        content
    }

    /// Several messages as one, a blank line between them, in their order. Pictures count through.
    pub fn merge(messages: impl IntoIterator<Item = Self>) -> Self {
        let mut merged = Self::default();
        for message in messages {
            if message.is_empty() {
                continue;
            }
            if !merged.is_empty() {
                merged.push(ContentPart::Text("\n\n".to_owned()));
            }
            for part in message.parts {
                merged.push(part);
            }
        }
        merged
    }

    /// What the dequeue key puts into the editor: steering messages, then follow-ups, then what is there already.
    pub fn dequeued(steering: Vec<Self>, follow_ups: Vec<Self>, current: Self) -> Self {
        Self::merge(steering.into_iter().chain(follow_ups).chain([current]))
    }

    /// Appends a piece; texts are joined.
    pub fn push(&mut self, part: ContentPart) {
        match (self.parts.last_mut(), part) {
            (_, ContentPart::Text(text)) if text.is_empty() => {}
            (Some(ContentPart::Text(last)), ContentPart::Text(text)) => last.push_str(&text),
            (_, part) => self.parts.push(part),
        }
    }

    /// The pieces.
    pub fn parts(&self) -> &[ContentPart] {
        &self.parts
    }

    /// Whether nothing is there at all.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Whether there is nothing to send: no picture and no text but blanks.
    pub fn is_blank(&self) -> bool {
        self.parts.iter().all(|part| match part {
            ContentPart::Text(text) => text.trim().is_empty(),
            ContentPart::Paste { text, .. } => text.trim().is_empty(),
            ContentPart::Image(_) => false,
        })
    }

    /// What the model gets: pastes unfolded, pictures as `[Image #N]` counted from 1 in the order of
    /// [`Content::images`].
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut images = 0;
        for part in &self.parts {
            match part {
                ContentPart::Text(typed) => text.push_str(typed),
                ContentPart::Paste { text: pasted, wrapping: Wrapping::Inline } => text.push_str(pasted),
                ContentPart::Paste { text: pasted, wrapping: Wrapping::Attachment } => {
                    let end = if pasted.ends_with('\n') { "" } else { "\n" };
                    let _ = write!(text, "<attachment>\n{pasted}{end}</attachment>");
                }
                ContentPart::Image(_) => {
                    images += 1;
                    let _ = write!(text, "[Image #{images}]");
                }
            }
        }
        text
    }

    /// The pictures in their order.
    pub fn images(&self) -> Vec<ImageHandle> {
        let image = |part: &ContentPart| {
            if let ContentPart::Image(image) = part { Some(image.clone()) } else { None }
        };
        self.parts.iter().filter_map(image).collect()
    }
}

/// The text before the first `[Image #N]`, its number, and the text behind it.
fn next_marker(text: &str) -> Option<(&str, usize, &str)> {
    const OPENING: &str = "[Image #";
    for (at, _) in text.match_indices(OPENING) {
        let (digits, after) = text[at + OPENING.len()..].split_once(']')?;
        if !digits.is_empty() && digits.len() <= 4 && digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Some((&text[..at], digits.parse().ok()?, after));
        }
    }
    None
}

/// What is kept of an editor when the program ends, and restored when the session is resumed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    /// What was in the editor.
    pub content: Content,
    /// The cursor, in characters from the beginning; a paste or a picture counts as one.
    pub cursor: usize,
}

impl Draft {
    /// Whether there is nothing to keep.
    pub fn is_empty(&self) -> bool {
        self.content.is_blank()
    }
}
