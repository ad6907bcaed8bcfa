//! Shaking: heavy parts leave the conversation, without a model.
//!
//! Results of tools and large blocks inside texts are replaced by a line that says what was there and where it is now.
//! The originals make one text, which whoever runs this keeps as an artifact. Messages stay where they are, so
//! calls keep their results.

mod blocks;
mod texts;

use std::collections::HashMap;
use std::ops::Range;

use omp_session::{Entry, EntryKind, since_reset};
use omp_types::{AssistantMessage, UserBlock};

use self::texts::{edit, result_of, texts, user_blocks};

/// Tokens at the end of the conversation that are left alone.
const PROTECTED: u64 = 16_000;
/// Tokens that must be won, or nothing is touched.
const LEAST_SAVED: u64 = 4_000;
/// Tokens from which on a part is heavy.
const HEAVY: u64 = 400;
/// Tools whose results tell the model how to work.
const KEPT_TOOLS: [&str; 1] = ["skill"];
const KEPT_READS: &str = "skill://";

/// What leaves the conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shake {
    /// Heavy results of tools, and heavy blocks inside texts.
    #[default]
    Elide,
    /// Pictures.
    Images,
}

/// Parts that can go.
#[derive(Clone, Debug, Default)]
pub struct Shaken {
    parts: Vec<HeavyPart>,
    /// The entries with such parts.
    entries: Vec<Entry>,
    /// Tokens that are won.
    pub saved: u64,
}

/// A piece of an entry's text that goes.
#[derive(Clone, Debug)]
struct HeavyPart {
    entry: usize,
    /// The text's place among the blocks of the message.
    block: usize,
    range: Range<usize>,
    what: String,
    tokens: u64,
}

/// What came of shaking.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// What the entries say now, by their ids.
    pub kinds: HashMap<String, EntryKind>,
    /// Tokens that were won.
    pub saved: u64,
    /// Parts that went.
    pub parts: usize,
}

impl Shaken {
    /// Looks for heavy parts on the way to the leaf, as far as the model still reads it. `None` when too little would
    /// be won.
    pub fn find(path: &[&Entry]) -> Option<Self> {
        let live = live(path);
        let calls = kept_calls(live);
        let mut found = Self::default();
        for entry in live.iter().take(protected_from(live)) {
            found.look_at(entry, &calls);
        }
        (found.saved >= LEAST_SAVED).then_some(found)
    }

    fn look_at(&mut self, entry: &Entry, kept: &[String]) {
        let at = self.entries.len();
        let before = self.parts.len();
        for (block, text) in texts(&entry.kind).into_iter().enumerate() {
            match result_of(&entry.kind) {
                Some((_, call)) if kept.iter().any(|kept| kept == call) => {}
                Some((tool, _)) => self.part(at, block, text, 0..text.len(), &format!("{tool} result")),
                None => {
                    for (range, name) in blocks::find(text) {
                        self.part(at, block, text, range, &format!("{name} block"));
                    }
                }
            }
        }
        if self.parts.len() > before {
            self.entries.push(entry.clone());
        }
    }

    fn part(&mut self, entry: usize, block: usize, text: &str, range: Range<usize>, what: &str) {
        let tokens = text.get(range.clone()).map_or(0, omp_tokens::estimate);
        if tokens >= HEAVY {
            self.saved += tokens;
            self.parts.push(HeavyPart { entry, block, range, what: what.to_owned(), tokens });
        }
    }

    /// The originals as one text, each after a line that names it, and the lines where each of them is.
    fn originals_with_lines(&self) -> (String, Vec<Range<usize>>) {
        let (mut all, mut lines) = (String::new(), Vec::new());
        let mut line = 1;
        for (number, part) in self.parts.iter().enumerate() {
            let entry = self.entries.get(part.entry);
            let texts = entry.map(|entry| texts(&entry.kind)).unwrap_or_default();
            let text =
                texts.get(part.block).and_then(|text| text.get(part.range.clone())).unwrap_or_default();
            let id = entry.map_or("", |entry| entry.id.as_str());
            all.push_str(&format!("=== {}: {} of entry {id} ===\n{text}", number + 1, part.what));
            let first = line + 1;
            line = first + text.lines().count().max(1);
            lines.push(first..line);
            if !text.ends_with('\n') {
                all.push('\n');
            }
        }
        (all, lines)
    }

    /// The originals, for an artifact.
    pub fn originals(&self) -> String {
        self.originals_with_lines().0
    }

    /// The entries without their heavy parts. `url` leads to the originals, where they are kept.
    pub fn apply(mut self, url: Option<&str>) -> Outcome {
        let (_, lines) = self.originals_with_lines();
        let mut saved = 0;
        // From the end, so that the places before stay right.
        for (part, lines) in self.parts.iter().zip(&lines).rev() {
            let notice = notice(part, url, lines);
            saved += part.tokens.saturating_sub(omp_tokens::estimate(&notice));
            if let Some(entry) = self.entries.get_mut(part.entry) {
                edit(&mut entry.kind, part.block, |text| text.replace_range(part.range.clone(), &notice));
            }
        }
        let kinds = self.entries.into_iter().map(|entry| (entry.id, entry.kind)).collect();
        Outcome { kinds, saved, parts: self.parts.len() }
    }
}

/// Takes the pictures out of the conversation, as far as the model still reads it.
pub fn without_images(path: &[&Entry]) -> Outcome {
    let mut outcome = Outcome::default();
    for entry in live(path) {
        let mut kind = entry.kind.clone();
        let Some(blocks) = user_blocks(&mut kind) else { continue };
        let before = outcome.parts;
        for block in blocks {
            if let UserBlock::Image(image) = block {
                let notice = format!("[Image ({}) removed from the conversation]", image.mime_type);
                let tokens = omp_tokens::Billing::default().image(image);
                outcome.saved += tokens.saturating_sub(omp_tokens::estimate(&notice));
                outcome.parts += 1;
                *block = UserBlock::text(notice);
            }
        }
        if outcome.parts > before {
            outcome.kinds.insert(entry.id.clone(), kind);
        }
    }
    outcome
}

/// What stands in the place of a part.
fn notice(part: &HeavyPart, url: Option<&str>, lines: &Range<usize>) -> String {
    let what = format!("{} of {} tokens", part.what, part.tokens);
    match url {
        Some(url) => format!("[{what} moved to {url}:{}-{}]", lines.start, lines.end.saturating_sub(1)),
        None => format!("[{what} removed from the conversation]"),
    }
}

/// The entries that the model still reads: what the last compaction kept, and everything since.
fn live<'a, 'b>(path: &'a [&'b Entry]) -> &'a [&'b Entry] {
    let path = since_reset(path);
    let kept = path.iter().rev().find_map(|entry| match &entry.kind {
        EntryKind::Compaction(compaction) => Some((compaction.first_kept_entry_id.as_deref(), &entry.id)),
        _ => None,
    });
    let Some((kept, compaction)) = kept else { return path };
    let first = path.iter().position(|entry| Some(entry.id.as_str()) == kept);
    let first = first.or_else(|| path.iter().position(|entry| entry.id == *compaction));
    path.get(first.unwrap_or(0)..).unwrap_or_default()
}

/// Where the newest entries begin that are left alone.
fn protected_from(live: &[&Entry]) -> usize {
    let mut tokens = 0;
    for (at, entry) in live.iter().enumerate().rev() {
        tokens += size(&entry.kind);
        if tokens > PROTECTED {
            return at;
        }
    }
    0
}

fn size(kind: &EntryKind) -> u64 {
    match kind {
        EntryKind::Message(entry) => omp_tokens::message(&entry.message),
        EntryKind::CustomMessage(entry) => omp_tokens::estimate(&entry.content.text()),
        _ => 0,
    }
}

/// The calls whose results are never taken away: skills, however they were read.
fn kept_calls(live: &[&Entry]) -> Vec<String> {
    let answers = live.iter().filter_map(|entry| entry.message()?.as_assistant());
    let calls = answers.flat_map(AssistantMessage::tool_calls).filter(|call| {
        let path = call.arguments.get("path").and_then(serde_json::Value::as_str).unwrap_or_default();
        KEPT_TOOLS.contains(&call.name.as_str()) || path.starts_with(KEPT_READS)
    });
    calls.map(|call| call.id.clone()).collect()
}
