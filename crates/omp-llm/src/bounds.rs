//! How much one answer may be. A server can send for ever; what it sends is kept in memory, written to the session and
//! sent back with every later request.

use omp_types::{AssistantBlock, AssistantMessage, Failure, TextBlock};

use crate::failure::fatal;

/// Text, thoughts and arguments of one answer together: more than any model writes, by a factor of ten.
pub(crate) const MAX_BYTES: usize = 16 * 1024 * 1024;
/// Calls of one answer.
pub(crate) const MAX_CALLS: usize = 512;
/// What a block weighs beside its text, so that empty ones have an end too.
const BLOCK: usize = 1024;

/// A broken answer that is larger than this is cut: nothing was wrong with smaller ones but their end.
const LARGE: usize = 1024 * 1024;
/// What is left of it: enough to see what happened, and room for the conversation that continues.
const KEPT_BYTES: usize = 256 * 1024;
const KEPT_CALLS: usize = 16;

/// An event of usual size holds few values, whatever they are.
const LARGE_EVENT: usize = 1024 * 1024;
/// Values in one event. Read into memory an empty object takes thirty times its text.
const MAX_VALUES: usize = 200_000;

/// Refuses an event that would grow out of all proportion when it is read.
pub(crate) fn check_event(json: &str) -> Result<(), Failure> {
    match json.len() > LARGE_EVENT && has_more_values(json.as_bytes(), MAX_VALUES) {
        true => Err(fatal(format!("the stream sent an event with more than {MAX_VALUES} values"))),
        false => Ok(()),
    }
}

/// Counts what separates values outside strings.
fn has_more_values(mut json: &[u8], most: usize) -> bool {
    let mut found = 0;
    while let Some((&byte, rest)) = json.split_first() {
        json = rest;
        match byte {
            b'"' => json = behind_string(json),
            b',' | b'{' | b'[' => found += 1,
            _ => {}
        }
        if found > most {
            return true;
        }
    }
    false
}

fn behind_string(mut json: &[u8]) -> &[u8] {
    while let Some(at) = memchr::memchr2(b'"', b'\\', json) {
        if json[at] == b'"' {
            return &json[at + 1..];
        }
        json = json.get(at + 2..).unwrap_or_default();
    }
    &[]
}

/// What was used up of the bounds.
#[derive(Debug, Default)]
pub(crate) struct Bounds {
    bytes: usize,
    calls: usize,
    exceeded: Option<Bound>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    Bytes,
    Calls,
}

impl Bounds {
    /// The part of a text that fits; behind the bound there is nothing.
    pub(crate) fn admit<'t>(&mut self, text: &'t str) -> &'t str {
        if self.exceeded.is_some() {
            return "";
        }
        let room = MAX_BYTES.saturating_sub(self.bytes);
        let part = &text[..text.floor_char_boundary(room.min(text.len()))];
        self.bytes += part.len();
        if part.len() < text.len() {
            self.exceeded = Some(Bound::Bytes);
        }
        part
    }

    /// Counts a block; `false` if there is no room for it.
    pub(crate) fn admit_block(&mut self, is_call: bool) -> bool {
        if self.exceeded.is_none() {
            self.calls += usize::from(is_call);
            self.bytes += BLOCK;
            if self.calls > MAX_CALLS {
                self.exceeded = Some(Bound::Calls);
            } else if self.bytes > MAX_BYTES {
                self.exceeded = Some(Bound::Bytes);
            }
        }
        self.exceeded.is_none()
    }

    /// Why the answer ends here.
    pub(crate) fn failure(&self) -> Option<Failure> {
        let bound = match self.exceeded? {
            Bound::Bytes => format!("{} MiB of text, thinking and tool arguments", MAX_BYTES / (1024 * 1024)),
            Bound::Calls => format!("{MAX_CALLS} tool calls"),
        };
        Some(fatal(format!("the answer was stopped: it exceeded the limit of {bound}")))
    }

    /// Makes a large answer that broke off small, and says so where the model reads it.
    pub(crate) fn cut(&self, message: &mut AssistantMessage) {
        if self.bytes <= LARGE && self.exceeded.is_none() {
            return;
        }
        let (mut room, mut calls) = (KEPT_BYTES, KEPT_CALLS);
        message.content.retain_mut(|block| keep(block, &mut room, &mut calls));
        let reason = message.error_message.as_deref().unwrap_or("the answer was cut off");
        let text = format!("[{reason}; only the start is kept]");
        message.content.push(AssistantBlock::Text(TextBlock { text, text_signature: None }));
    }
}

fn keep(block: &mut AssistantBlock, room: &mut usize, calls: &mut usize) -> bool {
    match block {
        AssistantBlock::Text(text) => {
            text.text_signature = None;
            shorten(&mut text.text, room)
        }
        AssistantBlock::Thinking(thinking) => {
            thinking.thinking_signature = None;
            shorten(&mut thinking.thinking, room)
        }
        AssistantBlock::ToolCall(call) => {
            let size = serde_json::to_string(&call.arguments).map_or(0, |text| text.len());
            if *calls == 0 || size > *room {
                return false;
            }
            *calls -= 1;
            *room -= size;
            call.thought_signature = None;
            call.invalid_arguments.iter_mut().all(|raw| shorten(raw, room))
        }
        // Nothing without all of what their provider said.
        AssistantBlock::RedactedThinking(_) | AssistantBlock::Native(_) => false,
    }
}

/// `false` if nothing is left.
fn shorten(text: &mut String, room: &mut usize) -> bool {
    text.truncate(text.floor_char_boundary((*room).min(text.len())));
    text.shrink_to_fit();
    *room -= text.len();
    !text.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_admitted_and_nothing_behind_it() {
        let mut bounds = Bounds::default();
        let half = "é".repeat(MAX_BYTES / 4);
        assert_eq!(bounds.admit(&half).len(), half.len());
        assert_eq!(bounds.admit(&half).len(), half.len());
        assert!(bounds.failure().is_none());
        assert_eq!(bounds.admit("x"), "");
        assert!(bounds.failure().unwrap().message.contains("16 MiB"), "{:?}", bounds.failure());
        assert_eq!(bounds.admit(""), "");
    }

    #[test]
    fn an_event_of_very_many_values_is_refused() {
        assert!(check_event(&format!("[{}0]", "{},".repeat(600_000))).is_err());
        let text = format!("{{\"a\": \"{}\"}}", "{[\\\",".repeat(600_000));
        assert!(check_event(&text).is_ok());
        assert!(check_event("[1,2]").is_ok());
    }

    #[test]
    fn calls_and_empty_blocks_have_an_end() {
        let mut bounds = Bounds::default();
        assert!((0..MAX_CALLS).all(|_| bounds.admit_block(true)) && !bounds.admit_block(true));
        assert!(bounds.failure().unwrap().message.contains("512 tool calls"));
        let mut bounds = Bounds::default();
        assert_eq!((0..1_000_000).filter(|_| bounds.admit_block(false)).count(), MAX_BYTES / BLOCK);
    }
}
