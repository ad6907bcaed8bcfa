//! The frames of a conversation, over all its compactions.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use omp_types::{ImageBlock, ImageDetail, Message, UserBlock};
use serde::{Deserialize, Serialize};

use crate::draw::draw;
use crate::guide::guide;
use crate::page::{Page, paginate};
use crate::script::{Script, Span, printed_length};
use crate::shape::Shape;

/// No request carries more frames.
const MOST_FRAMES: usize = 8;
/// Frames for a provider nobody has asked.
const UNKNOWN_PROVIDER: usize = 5;
/// Text that waits for the next compaction, in frames.
const TAIL_FRAMES: usize = 2;

/// Providers and how many pictures they take with one request.
const CAPS: [(&str, usize); 14] = [
    ("amazon-bedrock", 20),
    ("anthropic", 100),
    ("azure-openai", 50),
    ("azure-openai-responses", 50),
    ("github-copilot", 5),
    ("google", 3_000),
    ("google-gemini-cli", 3_000),
    ("google-antigravity", 3_000),
    ("google-vertex", 3_000),
    ("groq", 5),
    ("mistral", 8),
    ("openai", 500),
    ("openai-codex", 500),
    ("openrouter", 8),
];

/// How many frames a request to a provider may carry.
pub fn frame_budget(provider: &str) -> usize {
    let cap = CAPS.iter().find(|(name, _)| *name == provider).map_or(UNKNOWN_PROVIDER, |(_, cap)| *cap);
    cap.min(MOST_FRAMES)
}

/// What is on a frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Frame {
    /// The shape's name.
    pub shape: String,
    /// Pixels across.
    pub width: usize,
    /// Lines of text.
    pub rows: usize,
    /// Characters of text.
    pub characters: usize,
}

/// History that was printed. Kept with the entry of a compaction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Archive {
    /// What is on each picture.
    #[serde(default)]
    pub frames: Vec<Frame>,
    /// The pictures. Named as in messages, so that the session keeps them where it keeps all pictures.
    #[serde(default)]
    pub content: Vec<UserBlock>,
    /// The newest text, which did not fit; printed with the next compaction.
    #[serde(default)]
    pub text_tail: Script,
    /// Frames that were dropped since the beginning.
    #[serde(default)]
    pub dropped: usize,
}

/// What a compaction starts from.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The frames of the compaction before.
    pub previous: Option<&'a Archive>,
    /// The text of the compaction before, when it made no frames.
    pub previous_summary: Option<&'a str>,
    pub shape: Shape,
    /// Frames that a request may carry.
    pub budget: usize,
}

/// Prints messages on frames behind those of the compaction before. Returns the frames and the text that says how to
/// read them.
pub fn compact<'a>(
    messages: impl Iterator<Item = &'a Message> + Clone,
    input: Input<'_>,
) -> Result<(Archive, String), png::EncodingError> {
    let mut script = Script::default();
    if let Some(summary) = input.previous_summary {
        script.say("Summary of earlier history", summary);
    }
    let mut archive = input.previous.cloned().unwrap_or_default();
    script.append(std::mem::take(&mut archive.text_tail));
    script.append(Script::of(messages));
    let pages = paginate(&script, input.shape);
    let drawn = archive.make_room(pages.len(), input.budget.max(1));
    for page in pages.iter().take(drawn) {
        archive.add(page, input.shape)?;
    }
    if let Some(first) = pages.get(drawn) {
        let rest = script.after(first.start, printed_length);
        archive.text_tail = within(rest, TAIL_FRAMES * input.shape.capacity());
    }
    let text = guide(&archive, input.shape);
    Ok((archive, text))
}

impl Archive {
    /// Drops old frames for new ones, the oldest first but never the first of all. Returns how many new ones fit.
    fn make_room(&mut self, wanted: usize, budget: usize) -> usize {
        while self.frames.len() > 1 && self.frames.len() + wanted > budget {
            self.frames.remove(1);
            if self.content.len() > 1 {
                self.content.remove(1);
            }
            self.dropped += 1;
        }
        budget.saturating_sub(self.frames.len()).min(wanted)
    }

    fn add(&mut self, page: &Page, shape: Shape) -> Result<(), png::EncodingError> {
        self.content.push(block(page, shape)?);
        let frame = Frame {
            shape: shape.name.to_owned(),
            width: shape.width,
            rows: page.rows(),
            characters: page.characters,
        };
        self.frames.push(frame);
        Ok(())
    }
}

/// A text on as many pictures as it needs.
pub fn frames(script: &Script, shape: Shape) -> Result<Vec<UserBlock>, png::EncodingError> {
    paginate(script, shape).iter().map(|page| block(page, shape)).collect()
}

fn block(page: &Page, shape: Shape) -> Result<UserBlock, png::EncodingError> {
    let data = STANDARD.encode(draw(page, shape)?);
    let detail = Some(ImageDetail::Original);
    Ok(UserBlock::Image(ImageBlock { data, mime_type: "image/png".to_owned(), detail }))
}

/// A text of at most so many characters; the middle goes.
fn within(script: Script, most: usize) -> Script {
    let all = script.characters();
    if all <= most {
        return script;
    }
    let (head, end) = (most / 2, most - most / 2);
    let mut short = script.clone();
    short.truncate(head);
    short.spans.push(Span::plain(format!(" [...{} characters left out...] ", all - most)));
    short.spans.extend(script.after(all - end, |_| 1).spans);
    short
}
