//! What the beginning and the end of a session file tell without reading all of it.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use omp_types::{Message, StopReason};
use serde_json::Value;

use crate::entry::{Entry, EntryKind};
use crate::header::Header;
use crate::list::Status;

/// How much of the beginning is read.
pub(crate) const HEAD: usize = 4096;
/// How much of the end.
pub(crate) const TAIL: usize = 32 * 1024;
/// A header that does not fit into the head, because of a long title or path, is looked for up to here.
const LONGEST_HEADER: usize = 64 * 1024;

/// The beginning of a session file.
pub(crate) struct Head {
    pub(crate) header: Header,
    pub(crate) messages: usize,
    pub(crate) first_user_text: Option<String>,
    /// The text of all messages in the head, for searching.
    pub(crate) text: String,
    pub(crate) short_summary: Option<String>,
}

impl Head {
    /// `None` if the file is no session.
    pub(crate) fn read(file: &File) -> io::Result<Option<Self>> {
        let mut bytes = read_at(file, 0, HEAD)?;
        if !bytes.contains(&b'\n') && bytes.len() == HEAD {
            bytes = read_at(file, 0, LONGEST_HEADER)?;
        }
        Ok(Self::parse(&bytes))
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
        let header =
            lines.find_map(|line| serde_json::from_slice::<Value>(line).ok()).and_then(Header::read)?;
        let mut head =
            Self { header, messages: 0, first_user_text: None, text: String::new(), short_summary: None };
        for line in lines {
            match Entry::read(line) {
                Some(entry) => head.add(&entry),
                None => head.add_cut_off(line),
            }
        }
        Some(head)
    }

    fn add(&mut self, entry: &Entry) {
        match &entry.kind {
            EntryKind::Message(entry) => self.add_message(&entry.message),
            EntryKind::Compaction(compaction) if compaction.short_summary.is_some() => {
                self.short_summary.clone_from(&compaction.short_summary);
            }
            _ => {}
        }
    }

    fn add_message(&mut self, message: &Message) {
        self.messages += 1;
        let text = match message {
            Message::User(user) => user.content.text(),
            Message::Assistant(answer) => answer.texts().collect::<Vec<_>>().join("\n"),
            Message::ToolResult(_) | Message::Custom(_) => return,
        };
        if self.first_user_text.is_none() && matches!(message, Message::User(_)) {
            self.first_user_text = Some(text.clone());
        }
        self.text.push_str(&text);
        self.text.push('\n');
    }

    /// The last line of the head is rarely whole; a long first prompt is worth knowing in part.
    fn add_cut_off(&mut self, line: &[u8]) {
        let line = String::from_utf8_lossy(line);
        if !line.contains("\"type\":\"message\"") {
            return;
        }
        self.messages += 1;
        if let Some(text) = cut_off_user_text(&line) {
            self.text.push_str(&text);
            self.first_user_text.get_or_insert(text);
        }
    }
}

/// The beginning of the text of a user message whose line was cut off.
fn cut_off_user_text(line: &str) -> Option<String> {
    let (_, message) = line.split_once("\"role\":\"user\"")?;
    let begins = |marker: &str| message.split_once(marker).map(|(_, rest)| rest);
    let text = begins("\"content\":\"").or_else(|| begins("\"text\":\""))?;
    // An escape may be cut too: the longest is a pair of surrogates, twelve characters.
    let mut end = text.trim_end_matches('\u{fffd}').len();
    for _ in 0..12 {
        let quoted = format!("\"{}\"", &text[..end]);
        if let Some(Ok(decoded)) = serde_json::Deserializer::from_str(&quoted).into_iter::<String>().next() {
            return Some(decoded);
        }
        end = text.floor_char_boundary(end.checked_sub(1)?);
    }
    None
}

/// How the session ended, by the last message in the tail of the file.
pub(crate) fn status(file: &File, length: u64) -> io::Result<Status> {
    let start = length.saturating_sub(TAIL as u64);
    let bytes = read_at(file, start, TAIL)?;
    // The rest of a line that began before the tail is no JSON.
    let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    let last = lines.iter().rev().filter_map(|line| Entry::read(line)).find_map(|entry| {
        let message = entry.message()?;
        (!matches!(**message, Message::Custom(_))).then(|| status_after(message))
    });
    Ok(last.unwrap_or(Status::Unknown))
}

fn status_after(message: &Message) -> Status {
    match message {
        Message::User(_) => Status::Pending,
        Message::ToolResult(_) => Status::Interrupted,
        Message::Assistant(answer) => match answer.stop_reason {
            StopReason::Error => Status::Error,
            StopReason::Aborted => Status::Aborted,
            _ if answer.tool_calls().next().is_some() => Status::Interrupted,
            _ => Status::Complete,
        },
        Message::Custom(_) => Status::Unknown,
    }
}

fn read_at(file: &File, start: u64, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    let mut filled = 0;
    while filled < length {
        match file.read_at(&mut bytes[filled..], start + filled as u64)? {
            0 => break,
            read => filled += read,
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_off_prompt_is_known_in_part() {
        let line = r#"{"type":"message","id":"a","message":{"role":"user","content":"say \"hi\" \n😀 \ud83d\ude00 now"#;
        let whole = "say \"hi\" \n😀 😀 now";
        for end in 0..=line.len() {
            let cut = String::from_utf8_lossy(&line.as_bytes()[..end]).into_owned();
            let text = cut_off_user_text(&cut);
            assert!(text.as_deref().is_none_or(|text| whole.starts_with(text)), "{end}: {text:?}");
        }
        assert_eq!(cut_off_user_text(line).as_deref(), Some(whole));
        let blocks = r#"{"message":{"role":"user","content":[{"type":"text","text":"look at th"#;
        assert_eq!(cut_off_user_text(blocks).as_deref(), Some("look at th"));
        assert_eq!(cut_off_user_text(&format!("{line}\",\"timestamp\":1")).as_deref(), Some(whole));
    }
}
