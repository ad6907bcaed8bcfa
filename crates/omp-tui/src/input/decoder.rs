//! Reassembling what reads have torn apart.

use std::time::Duration;

use super::event::{Code, Event, Key, Modifiers};
use super::reply::Reply;
use super::{keys, sequence};

/// How long an Escape may be the beginning of something longer.
const ESCAPE: Duration = Duration::from_millis(75);
/// The same while the terminal owes an answer, which begins with one: a line or a machine that is slow tears it apart.
const ESCAPE_OR_REPLY: Duration = Duration::from_millis(500);
/// How long an Escape with a capital letter behind it may be the beginning of something longer: terminals that know no
/// better send Alt+Shift+P as they begin a rare kind of reply.
const INTRODUCER: Duration = Duration::from_millis(150);
/// How long the rest of a sequence may be on its way.
const SEQUENCE: Duration = Duration::from_millis(1000);
/// How long a paste may pause before its end is taken for lost.
const PASTE: Duration = Duration::from_millis(1000);
/// How long after the last byte an overlong sequence is still being skipped.
const SKIP: Duration = Duration::from_millis(75);
/// The longest sequence; what grows beyond it is not one.
const SEQUENCE_BYTES: usize = 256;
/// The longest piece of a paste that is told in packets.
const PACKET_BYTES: usize = 64 * 1024;
const PACKET: &[u8] = b"5522;";
/// The largest single paste; a longer one arrives in several.
const PASTE_BYTES: usize = 16 * 1024 * 1024;

const PASTE_END: &[u8] = b"\x1b[201~";

#[derive(Debug, Default)]
enum DecoderState {
    /// Between sequences; the buffer holds the beginning of one, or of a character.
    #[default]
    Ground,
    /// Inside a paste, with this many bytes of the end mark seen.
    Paste { text: Vec<u8>, matched: usize },
    /// Inside something too long to be a sequence.
    Skip,
}

/// Turns bytes into events. Time is told, never asked for.
#[derive(Debug, Default)]
pub struct Decoder {
    state: DecoderState,
    buffer: Vec<u8>,
    last: Duration,
    expects_reply: bool,
}

/// What the front of the buffer is.
enum Front {
    /// This many bytes, with this meaning.
    Whole(usize, Option<Event>),
    /// The beginning of a paste.
    Paste(usize),
    /// More bytes are needed.
    Partial,
    /// Not a sequence: these bytes are dropped.
    Broken(usize),
    /// Too long: everything is dropped, and what follows, too.
    Overlong,
}

impl Decoder {
    /// A decoder that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the terminal was asked something and has not answered yet.
    pub fn expect_reply(&mut self, expects: bool) {
        self.expects_reply = expects;
    }

    /// Takes bytes that arrived at `now`.
    pub fn feed(&mut self, bytes: &[u8], now: Duration, events: &mut Vec<Event>) {
        self.expire(now, events);
        self.last = now;
        let mut begun = std::mem::take(&mut self.buffer);
        begun.extend_from_slice(bytes);
        let mut rest = begun.as_slice();
        while !rest.is_empty() {
            rest = match &self.state {
                DecoderState::Paste { .. } => self.paste(rest, events),
                DecoderState::Skip => self.skip(rest),
                DecoderState::Ground => self.ground(rest, events),
            };
            if matches!(self.state, DecoderState::Ground) && is_partial(rest) {
                break;
            }
        }
        self.buffer = rest.to_vec();
    }

    /// When [`Decoder::expire`] is due; `None` while nothing is pending, so that nobody has to wake up.
    pub fn deadline(&self) -> Option<Duration> {
        let wait = match &self.state {
            DecoderState::Paste { .. } => PASTE,
            DecoderState::Skip => SKIP,
            DecoderState::Ground if self.buffer.is_empty() => return None,
            DecoderState::Ground if self.buffer == [0x1b] && self.expects_reply => ESCAPE_OR_REPLY,
            DecoderState::Ground if self.buffer == [0x1b] => ESCAPE,
            DecoderState::Ground if matches!(self.buffer[..], [0x1b, b'P' | b'X']) => INTRODUCER,
            DecoderState::Ground => SEQUENCE,
        };
        Some(self.last + wait)
    }

    /// Gives up waiting for what is overdue at `now`.
    pub fn expire(&mut self, now: Duration, events: &mut Vec<Event>) {
        if self.deadline().is_none_or(|deadline| now < deadline) {
            return;
        }
        let buffer = std::mem::take(&mut self.buffer);
        match std::mem::take(&mut self.state) {
            DecoderState::Paste { mut text, matched } => {
                text.extend_from_slice(&PASTE_END[..matched]);
                events.push(pasted(&text));
            }
            DecoderState::Skip => {}
            DecoderState::Ground => match buffer.as_slice() {
                [0x1b] => events.push(Event::Key(Key::new(Code::Escape, Modifiers::NONE))),
                // Nothing followed the introducer: it was a key.
                [0x1b, byte] => events.push(Event::Key(Key::typed(char::from(*byte), Modifiers::ALT))),
                _ => {}
            },
        }
    }

    /// Takes everything complete off the front; a paste or a skip may begin behind it.
    fn ground<'a>(&mut self, bytes: &'a [u8], events: &mut Vec<Event>) -> &'a [u8] {
        let mut rest = bytes;
        while !rest.is_empty() {
            match front(rest) {
                Front::Whole(length, event) => {
                    events.extend(event);
                    rest = &rest[length..];
                }
                Front::Broken(length) => rest = &rest[length..],
                Front::Partial => break,
                Front::Paste(length) => {
                    self.state = DecoderState::Paste { text: Vec::new(), matched: 0 };
                    return &rest[length..];
                }
                Front::Overlong => {
                    self.state = DecoderState::Skip;
                    return &rest[2..];
                }
            }
        }
        rest
    }

    /// Collects a paste; linear in its length however it is split.
    fn paste<'a>(&mut self, bytes: &'a [u8], events: &mut Vec<Event>) -> &'a [u8] {
        let DecoderState::Paste { text, matched } = &mut self.state else { return bytes };
        let mut at = 0;
        while at < bytes.len() {
            if bytes[at] == PASTE_END[*matched] {
                *matched += 1;
                at += 1;
                if *matched == PASTE_END.len() {
                    events.push(pasted(text));
                    self.state = DecoderState::Ground;
                    return &bytes[at..];
                }
                continue;
            }
            if *matched > 0 {
                text.extend_from_slice(&PASTE_END[..*matched]);
                *matched = 0;
                continue;
            }
            let plain = bytes[at..].iter().position(|byte| *byte == 0x1b).unwrap_or(bytes.len() - at);
            let plain = plain.min(PASTE_BYTES - text.len()).max(1);
            text.extend_from_slice(&bytes[at..at + plain]);
            at += plain;
            if text.len() >= PASTE_BYTES {
                let kept = complete(text);
                events.push(pasted(&text[..kept]));
                text.drain(..kept);
            }
        }
        &[]
    }

    /// Drops what belongs to an overlong sequence, up to its terminator or the next sequence.
    fn skip<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        match bytes.iter().position(|byte| matches!(byte, 0x07 | 0x1b)) {
            Some(at) => {
                self.state = DecoderState::Ground;
                &bytes[if bytes[at] == 0x07 { at + 1 } else { at }..]
            }
            None => &[],
        }
    }
}

fn pasted(text: &[u8]) -> Event {
    Event::Paste(String::from_utf8_lossy(text).into_owned())
}

/// The bytes of `text` without a character at its end that is not complete.
fn complete(text: &[u8]) -> usize {
    match std::str::from_utf8(text) {
        Err(error) if error.error_len().is_none() => error.valid_up_to().max(1),
        _ => text.len(),
    }
}

/// Must more bytes come before this means something?
fn is_partial(bytes: &[u8]) -> bool {
    !bytes.is_empty() && matches!(front(bytes), Front::Partial)
}

fn front(buffer: &[u8]) -> Front {
    match buffer[0] {
        0x1b => escape(buffer),
        byte @ (0..0x20 | 0x7f) => Front::Whole(1, Some(Event::Key(keys::control(byte, Modifiers::NONE)))),
        _ => character(buffer, Modifiers::NONE, 0),
    }
}

/// A character of one or more bytes, `skip` bytes into the buffer.
fn character(buffer: &[u8], modifiers: Modifiers, skip: usize) -> Front {
    let bytes = &buffer[skip..];
    let length = match bytes[0] {
        0..0x80 => 1,
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0..0xf8 => 4,
        _ => return Front::Broken(skip + 1),
    };
    let seen = &bytes[..length.min(bytes.len())];
    match std::str::from_utf8(seen) {
        Ok(text) => {
            let event = text.chars().next().map(|character| Event::Key(Key::typed(character, modifiers)));
            Front::Whole(skip + length, event)
        }
        Err(error) if error.error_len().is_none() => Front::Partial,
        Err(_) => Front::Broken(skip + 1),
    }
}

fn escape(buffer: &[u8]) -> Front {
    let key = |key| Front::Whole(2, Some(Event::Key(key)));
    match buffer.get(1) {
        None => Front::Partial,
        Some(b'[') => csi(buffer),
        Some(b'O') => match buffer.get(2) {
            None => Front::Partial,
            Some(0x1b) => Front::Broken(2),
            Some(byte) => Front::Whole(3, keys::ss3(*byte)),
        },
        Some(b']') => string(buffer, Reply::from_osc),
        Some(b'P') => string(buffer, Reply::from_dcs),
        Some(b'_') => string(buffer, Reply::from_apc),
        Some(b'X' | b'^') => string(buffer, |_| None),
        // The second Escape begins something of its own.
        Some(0x1b) => Front::Whole(1, Some(Event::Key(Key::new(Code::Escape, Modifiers::NONE)))),
        Some(byte @ (0..0x20 | 0x7f)) => key(keys::control(*byte, Modifiers::ALT)),
        Some(_) => character(buffer, Modifiers::ALT, 1),
    }
}

fn csi(buffer: &[u8]) -> Front {
    let body = &buffer[2..];
    let parameters = body.iter().take_while(|byte| (0x20..0x40).contains(*byte)).count();
    if parameters > SEQUENCE_BYTES {
        return Front::Overlong;
    }
    let Some(last) = body.get(parameters) else { return Front::Partial };
    let length = 2 + parameters + 1;
    match (*last, std::str::from_utf8(&body[..parameters])) {
        // Linux's console sends function keys with a second bracket.
        (b'[', Ok("")) => match body.get(1) {
            None => Front::Partial,
            Some(byte @ b'A'..=b'E') => {
                let code = Code::F(byte - b'A' + 1);
                Front::Whole(4, Some(Event::Key(Key::new(code, Modifiers::NONE))))
            }
            Some(_) => Front::Broken(3),
        },
        (b'~', Ok("200")) => Front::Paste(length),
        (0x40..0x7f, Ok(text)) => Front::Whole(length, sequence::csi(text, *last)),
        // Something else began: the partial sequence is abandoned, what began is not.
        _ => Front::Broken(2 + parameters),
    }
}

/// A string that ends with BEL or `ESC \`.
fn string(buffer: &[u8], meaning: fn(&str) -> Option<Reply>) -> Front {
    let body = &buffer[2..];
    let most = if body.starts_with(PACKET) { PACKET_BYTES } else { SEQUENCE_BYTES };
    let Some(end) = body.iter().take(most + 1).position(|byte| matches!(byte, 0x07 | 0x1b)) else {
        return if body.len() > most { Front::Overlong } else { Front::Partial };
    };
    let event = || std::str::from_utf8(&body[..end]).ok().and_then(meaning).map(Event::Reply);
    match (body[end], body.get(end + 1)) {
        (0x07, _) => Front::Whole(2 + end + 1, event()),
        (_, None) => Front::Partial,
        (_, Some(b'\\')) => Front::Whole(2 + end + 2, event()),
        _ => Front::Broken(2 + end),
    }
}
