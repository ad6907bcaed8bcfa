//! The ways in which servers cut an answer into events.
//!
//! Whatever the framing, an event has a name (which may be empty) and a text, so the decoders of the wires read one
//! kind of event only.

use memchr::memchr;

use crate::model::{Api, Model, Transport};
use crate::sse::{SseDecoder, SseError, SseEvent};
use crate::wire::EventStreamDecoder;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FrameError {
    #[error(transparent)]
    Text(#[from] SseError),
    #[error("the stream is corrupt: {0}")]
    Damaged(&'static str),
}

/// Decodes the body of one answer.
pub(crate) enum Frames {
    ServerSent(SseDecoder),
    /// One JSON value per line.
    Lines(LineDecoder),
    /// Amazon's binary messages.
    Messages(EventStreamDecoder),
}

impl Frames {
    pub(crate) fn new(model: &Model, limit: usize) -> Self {
        match model.api {
            _ if model.transport == Transport::PiNative => Self::ServerSent(SseDecoder::new(limit)),
            Api::OllamaChat => Self::Lines(LineDecoder { line: Vec::new(), limit }),
            Api::BedrockConverseStream => Self::Messages(EventStreamDecoder::new(limit)),
            _ => Self::ServerSent(SseDecoder::new(limit)),
        }
    }

    /// Takes the next bytes and calls `on_event` for each event they complete.
    pub(crate) fn feed<E: From<SseError> + From<FrameError>>(
        &mut self,
        chunk: &[u8],
        on_event: impl FnMut(SseEvent<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            Self::ServerSent(decoder) => decoder.feed(chunk, on_event),
            Self::Lines(decoder) => decoder.feed(chunk, on_event),
            Self::Messages(decoder) => decoder.feed(chunk, on_event),
        }
    }

    /// What is still to be read when the body ends where an event may end without a mark: the last line of a file
    /// need not have a line end.
    pub(crate) fn rest(&mut self) -> &'static [u8] {
        match self {
            Self::Lines(decoder) if !decoder.line.is_empty() => b"\n",
            _ => b"",
        }
    }
}

/// Lines, cut at any byte. Empty ones mean nothing.
pub(crate) struct LineDecoder {
    line: Vec<u8>,
    limit: usize,
}

impl LineDecoder {
    fn feed<E: From<SseError>>(
        &mut self,
        mut chunk: &[u8],
        mut on_event: impl FnMut(SseEvent<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        while let Some(end) = memchr(b'\n', chunk) {
            let (line, rest) = (&chunk[..end], &chunk[end + 1..]);
            if self.line.is_empty() {
                dispatch(line, &mut on_event)?;
            } else {
                self.keep(line)?;
                let whole = std::mem::take(&mut self.line);
                dispatch(&whole, &mut on_event)?;
            }
            chunk = rest;
        }
        Ok(self.keep(chunk)?)
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), SseError> {
        if self.line.len() + bytes.len() > self.limit {
            return Err(SseError::TooLarge { limit: self.limit });
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }
}

fn dispatch<E: From<SseError>>(
    line: &[u8],
    on_event: &mut impl FnMut(SseEvent<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let text = std::str::from_utf8(line).map_err(|_| SseError::InvalidUtf8)?.trim();
    if text.is_empty() { Ok(()) } else { on_event(SseEvent { name: "", data: text }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(chunks: &[&[u8]]) -> Result<Vec<String>, FrameError> {
        let mut frames = Frames::Lines(LineDecoder { line: Vec::new(), limit: 24 });
        let mut lines = Vec::new();
        let mut take = |event: SseEvent<'_>| {
            lines.push(event.data.to_owned());
            Ok::<(), FrameError>(())
        };
        for chunk in chunks {
            frames.feed(chunk, &mut take)?;
        }
        let rest = frames.rest();
        frames.feed(rest, &mut take)?;
        Ok(lines)
    }

    #[test]
    fn lines_do_not_depend_on_where_chunks_are_cut() {
        let bytes = "{\"a\":\"ü€\"}\r\n\n {\"b\":2} \n{\"c\":3}".as_bytes();
        let expected = ["{\"a\":\"ü€\"}", "{\"b\":2}", "{\"c\":3}"];
        for cut in 0..=bytes.len() {
            assert_eq!(decode(&[&bytes[..cut], &bytes[cut..]]).unwrap(), expected, "cut at {cut}");
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(decode(&single).unwrap(), expected);
    }

    #[test]
    fn lines_are_bounded_and_text() {
        let long = [b'x'; 20];
        assert_eq!(decode(&[&long, &long]), Err(FrameError::Text(SseError::TooLarge { limit: 24 })));
        assert_eq!(decode(&[b"\xff\n"]), Err(FrameError::Text(SseError::InvalidUtf8)));
    }
}
