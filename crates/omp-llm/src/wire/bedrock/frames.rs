//! `application/vnd.amazon.eventstream`: length, length of the headers, checksum; headers; payload; checksum.

use serde_json::json;

use crate::frames::FrameError;
use crate::sse::{SseError, SseEvent};

const PRELUDE: usize = 12;
const CHECKSUM: usize = 4;

/// Decodes messages from chunks cut at any byte. An event carries its type as name; an exception carries the name of
/// the exception, and an error without one is called `error`.
pub(crate) struct EventStreamDecoder {
    buffer: Vec<u8>,
    limit: usize,
}

impl EventStreamDecoder {
    pub(crate) fn new(limit: usize) -> Self {
        Self { buffer: Vec::new(), limit }
    }

    pub(crate) fn feed<E: From<FrameError>>(
        &mut self,
        chunk: &[u8],
        mut on_event: impl FnMut(SseEvent<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.buffer.extend_from_slice(chunk);
        let mut read = 0;
        while let Some(length) = message_length(&self.buffer[read..], self.limit)? {
            let Some(message) = self.buffer.get(read..read + length) else { break };
            dispatch(message, &mut on_event)?;
            read += length;
        }
        self.buffer.drain(..read);
        Ok(())
    }
}

/// The length of the message that begins here; `None` while its first bytes are incomplete. The lengths have a
/// checksum of their own, so a damaged one is noticed before anything waits for its bytes.
fn message_length(bytes: &[u8], limit: usize) -> Result<Option<usize>, FrameError> {
    let Some(prelude) = bytes.get(..PRELUDE) else { return Ok(None) };
    if crc32fast::hash(&prelude[..8]) != number(prelude, 8) {
        return Err(FrameError::Damaged("the checksum of a message's lengths is wrong"));
    }
    let length = number(prelude, 0) as usize;
    if length > limit {
        return Err(SseError::TooLarge { limit }.into());
    }
    if length < PRELUDE + number(prelude, 4) as usize + CHECKSUM {
        return Err(FrameError::Damaged("a message is shorter than its headers"));
    }
    Ok(Some(length))
}

fn number(bytes: &[u8], at: usize) -> u32 {
    let four = bytes.get(at..at + 4).and_then(|four| four.try_into().ok());
    u32::from_be_bytes(four.unwrap_or_default())
}

/// `message` is a whole message.
fn dispatch<E: From<FrameError>>(
    message: &[u8],
    on_event: &mut impl FnMut(SseEvent<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let end = message.len() - CHECKSUM;
    if crc32fast::hash(&message[..end]) != number(message, end) {
        return Err(FrameError::Damaged("the checksum of a message is wrong").into());
    }
    let payload_at = PRELUDE + number(message, 4) as usize;
    let headers = Headers::read(&message[PRELUDE..payload_at])?;
    let payload = std::str::from_utf8(&message[payload_at..end]).map_err(|_| SseError::InvalidUtf8);
    let payload = payload.map_err(FrameError::from)?;
    match headers.message_type {
        "exception" => on_event(SseEvent { name: headers.exception_type, data: payload }),
        "error" => {
            let error = json!({"code": headers.error_code, "message": headers.error_message}).to_string();
            on_event(SseEvent { name: "error", data: &error })
        }
        _ => on_event(SseEvent { name: headers.event_type, data: payload }),
    }
}

/// The headers that say what a message is.
#[derive(Default)]
struct Headers<'a> {
    message_type: &'a str,
    event_type: &'a str,
    exception_type: &'a str,
    error_code: &'a str,
    error_message: &'a str,
}

impl<'a> Headers<'a> {
    fn read(mut bytes: &'a [u8]) -> Result<Self, FrameError> {
        let mut headers = Self::default();
        while !bytes.is_empty() {
            let name_length = usize::from(take(&mut bytes, 1)?[0]);
            let name = take(&mut bytes, name_length)?;
            let value = value(&mut bytes)?;
            let text = std::str::from_utf8(value).unwrap_or_default();
            match name {
                b":message-type" => headers.message_type = text,
                b":event-type" => headers.event_type = text,
                b":exception-type" => headers.exception_type = text,
                b":error-code" => headers.error_code = text,
                b":error-message" => headers.error_message = text,
                _ => {}
            }
        }
        Ok(headers)
    }
}

/// The bytes of a header's value. All kinds must be known, or the next header could not be found.
fn value<'a>(bytes: &mut &'a [u8]) -> Result<&'a [u8], FrameError> {
    let length = match take(bytes, 1)?[0] {
        // True and false.
        0 | 1 => 0,
        2 => 1,
        3 => 2,
        4 => 4,
        // A long number, a point in time.
        5 | 8 => 8,
        // Bytes, text.
        6 | 7 => {
            let length = take(bytes, 2)?;
            usize::from(u16::from_be_bytes([length[0], length[1]]))
        }
        // A UUID.
        9 => 16,
        _ => return Err(FrameError::Damaged("a header has a value of an unknown type")),
    };
    take(bytes, length)
}

fn take<'a>(bytes: &mut &'a [u8], length: usize) -> Result<&'a [u8], FrameError> {
    let (taken, rest) =
        bytes.split_at_checked(length).ok_or(FrameError::Damaged("a header exceeds the header block"))?;
    *bytes = rest;
    Ok(taken)
}

#[cfg(test)]
#[path = "frames_tests.rs"]
mod tests;
