//! What the beginning and the end of a session file tell without reading all of it.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use memchr::{memchr_iter, memmem, memrchr_iter};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::entry::Entry;
use crate::header::Header;
use crate::list::Status;
use crate::title_slot::{self, NamedAt, Opening};

/// How much of the beginning is read.
pub(crate) const HEAD: usize = 4096;
/// How much of the end; most last messages are in the shorter one.
const SHORT_TAIL: usize = 4096;
pub(crate) const TAIL: usize = 32 * 1024;
/// A header that does not fit into the head, because of a long title or path, is looked for up to here.
const LONGEST_HEADER: usize = 64 * 1024;

/// The beginning of a session file.
pub(crate) struct Head {
    /// With the last name that was given in what was read.
    pub(crate) header: Header,
    /// When that was, if it was not in the header itself.
    name: Option<NamedAt>,
    pub(crate) messages: usize,
    pub(crate) first_user_text: Option<String>,
    /// The text of all messages in the head, for searching.
    pub(crate) text: String,
    pub(crate) short_summary: Option<String>,
}

/// The first line of a session file: who, when, where; `None` if the file is no session.
pub fn header_of(path: &Path) -> io::Result<Option<Header>> {
    header(&File::open(path)?)
}

/// The header of an open file, with the name that both of its ends tell.
pub(crate) fn header(file: &File) -> io::Result<Option<Header>> {
    let Some(mut head) = Head::read(file)? else { return Ok(None) };
    head.rename(Tail::read(file, file.metadata()?.len())?.name);
    Ok(Some(head.header))
}

impl Head {
    /// `None` if the file is no session.
    pub(crate) fn read(file: &File) -> io::Result<Option<Self>> {
        let bytes = read_at(file, 0, HEAD)?;
        let head = Self::parse(&bytes, HEAD);
        // The header may continue behind what was read, and so may what stands before the first prompt: other programs put
        // their instructions there.
        let enough = head.as_ref().is_some_and(|head| head.first_user_text.is_some());
        if enough || bytes.len() < HEAD {
            return Ok(head);
        }
        Ok(Self::parse(&read_at(file, 0, LONGEST_HEADER)?, LONGEST_HEADER).or(head))
    }

    fn parse(bytes: &[u8], window: usize) -> Option<Self> {
        let ends = memchr_iter(b'\n', bytes).map(|newline| newline + 1).chain(std::iter::once(bytes.len()));
        let mut start = 0;
        let lines = ends.map(|end| &bytes[std::mem::replace(&mut start, end)..end]);
        let mut lines = lines.filter(|line| !line.trim_ascii().is_empty());
        let (header, name) = opening(&mut lines)?;
        let mut head = Self {
            header,
            name,
            messages: 0,
            first_user_text: None,
            text: String::new(),
            short_summary: None,
        };
        for line in lines {
            // Where nothing was cut off, a line may lack its newline and be whole.
            let whole = line.ends_with(b"\n") || bytes.len() < window;
            match whole.then(|| serde_json::from_slice::<Line<'_>>(line)) {
                Some(Ok(entry)) => head.add(&entry),
                _ => head.add_cut_off(line),
            }
            head.name = head.name.into_iter().chain(name_in(line)).reduce(NamedAt::or_later);
        }
        title_slot::name(&mut head.header, head.name.clone());
        Some(head)
    }

    /// Takes a name that was given near the end of the file, unless the one at its beginning is later.
    pub(crate) fn rename(&mut self, later: Option<NamedAt>) {
        title_slot::name(&mut self.header, self.name.take().into_iter().chain(later));
    }

    fn add(&mut self, entry: &Line<'_>) {
        match entry.name.as_ref() {
            "message" => self.add_message(entry.message.as_ref()),
            "compaction" if entry.short_summary.is_some() => {
                self.short_summary.clone_from(&entry.short_summary);
            }
            _ => {}
        }
    }

    fn add_message(&mut self, message: Option<&Said<'_>>) {
        self.messages += 1;
        let Some(message) = message.filter(|message| matches!(message.role.as_ref(), "user" | "assistant"))
        else {
            return;
        };
        let text = text(message.content.map_or("", RawValue::get));
        if self.first_user_text.is_none() && message.role == "user" {
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

/// What a list wants to know of a line. Values that are not looked at are not taken apart: this is done for
/// thousands of files.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    #[serde(rename = "type", borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    message: Option<Said<'a>>,
    short_summary: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Said<'a> {
    #[serde(borrow)]
    role: Cow<'a, str>,
    #[serde(borrow)]
    stop_reason: Option<Cow<'a, str>>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Block {
    #[serde(rename = "type")]
    kind: String,
    text: Option<String>,
}

/// The text of a message: the content itself, or its text blocks.
fn text(content: &str) -> String {
    if content.starts_with('"') {
        return serde_json::from_str(content).unwrap_or_default();
    }
    let blocks: Vec<Block> = serde_json::from_str(content).unwrap_or_default();
    let texts = blocks.into_iter().filter(|block| block.kind == "text").filter_map(|block| block.text);
    texts.collect::<Vec<_>>().join("\n")
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

/// The end of a session file.
pub(crate) struct Tail {
    /// How the session ended, by the last message.
    pub(crate) status: Status,
    /// The last name that was given here.
    pub(crate) name: Option<NamedAt>,
}

impl Tail {
    pub(crate) fn read(file: &File, length: u64) -> io::Result<Self> {
        let mut tail = Self { status: Status::Unknown, name: None };
        for window in [SHORT_TAIL, TAIL] {
            let start = length.saturating_sub(window as u64);
            tail = Self::parse(&read_at(file, start, window)?);
            if tail.status != Status::Unknown || start == 0 {
                break;
            }
        }
        Ok(tail)
    }

    fn parse(bytes: &[u8]) -> Self {
        // The rest of a line that began before the tail is no JSON.
        let starts = memrchr_iter(b'\n', bytes).map(|newline| newline + 1).chain(std::iter::once(0));
        let mut end = bytes.len();
        let mut tail = Self { status: Status::Unknown, name: None };
        for start in starts {
            let line = &bytes[start..end];
            end = start;
            tail.name = tail.name.or_else(|| name_in(line));
            if tail.status == Status::Unknown {
                tail.status = status_after(line).unwrap_or(Status::Unknown);
            }
        }
        tail
    }
}

/// The name that a line gives to the session, if it is a change of the name.
fn name_in(line: &[u8]) -> Option<NamedAt> {
    // Cheaper than reading the line.
    memmem::find(line, b"\"title_change\"")?;
    NamedAt::of(&Entry::read(line.trim_ascii())?)
}

/// The header among the first lines of a file, and the name before it.
fn opening<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Option<(Header, Option<NamedAt>)> {
    let mut name = None;
    for value in lines.filter_map(|line| serde_json::from_slice(line).ok()) {
        match Opening::read(value) {
            Opening::Name(found) => name = Some(found),
            Opening::Header(header) => return Some((header, name)),
            Opening::Other => return None,
        }
    }
    None
}

/// Opens a file of which a few places are read: what lies between them need not be fetched.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    crate::sys::expect_jumps(&file);
    Ok(file)
}

/// How a session stands after a line; `None` if the line is no message, or one of the program itself.
fn status_after(line: &[u8]) -> Option<Status> {
    // Cheaper than reading the line.
    memmem::find(line, b"\"message\"")?;
    let line: Line<'_> = serde_json::from_slice(line).ok()?;
    let message = line.message.filter(|_| line.name == "message")?;
    match (message.role.as_ref(), message.stop_reason.as_deref()) {
        ("user", _) => Some(Status::Pending),
        ("toolResult", _) => Some(Status::Interrupted),
        ("assistant", Some("error")) => Some(Status::Error),
        ("assistant", Some("aborted")) => Some(Status::Aborted),
        ("assistant", _) => {
            let content = message.content.map_or("", RawValue::get);
            let blocks: Vec<Block> = serde_json::from_str(content).unwrap_or_default();
            let calls = blocks.iter().any(|block| block.kind == "toolCall");
            Some(if calls { Status::Interrupted } else { Status::Complete })
        }
        _ => None,
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
