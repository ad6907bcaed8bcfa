//! Server-sent events, decoded incrementally from chunks cut at any byte.

use memchr::{memchr, memchr2};

/// One event. Borrowed from the decoder's buffer, so that a stream of small deltas allocates nothing here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SseEvent<'a> {
    /// The `event:` field; empty when the server did not name one.
    pub name: &'a str,
    /// All `data:` lines joined by newlines.
    pub data: &'a str,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SseError {
    #[error("the stream sent an event larger than {limit} bytes")]
    TooLarge { limit: usize },
    #[error("the stream sent text that is not valid UTF-8")]
    InvalidUtf8,
}

/// Follows the event-stream format: fields per line, an empty line ends an event, lines end in LF, CRLF or CR,
/// lines that start with a colon are comments, and a byte order mark at the very start is skipped.
pub struct SseDecoder {
    /// Bytes of the unfinished line.
    line: Vec<u8>,
    name: String,
    data: String,
    has_data: bool,
    /// The last byte of the previous chunk was CR: an LF now belongs to it.
    after_cr: bool,
    at_start: bool,
    limit: usize,
}

impl SseDecoder {
    /// Events are bounded: a server that never ends one cannot fill the memory. One may hold all of the largest answer.
    pub const DEFAULT_LIMIT: usize = 20 * 1024 * 1024;

    pub fn new(limit: usize) -> Self {
        Self {
            line: Vec::new(),
            name: String::new(),
            data: String::new(),
            has_data: false,
            after_cr: false,
            at_start: true,
            limit,
        }
    }

    /// Takes the next bytes and calls `on_event` for each event they complete. When `on_event` fails the error is
    /// passed on and the rest of the chunk is dropped.
    pub fn feed<E: From<SseError>>(
        &mut self,
        mut chunk: &[u8],
        mut on_event: impl FnMut(SseEvent<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.after_cr && !chunk.is_empty() {
            self.after_cr = false;
            if chunk[0] == b'\n' {
                chunk = &chunk[1..];
            }
        }
        while let Some(end) = memchr2(b'\n', b'\r', chunk) {
            let line = &chunk[..end];
            let mut rest = &chunk[end + 1..];
            if chunk[end] == b'\r' {
                match rest.first() {
                    Some(b'\n') => rest = &rest[1..],
                    Some(_) => {}
                    None => self.after_cr = true,
                }
            }
            if self.line.is_empty() {
                self.take_line(line, &mut on_event)?;
            } else {
                self.check_room(line.len())?;
                let mut whole = std::mem::take(&mut self.line);
                whole.extend_from_slice(line);
                self.take_line(&whole, &mut on_event)?;
                whole.clear();
                self.line = whole;
            }
            chunk = rest;
        }
        self.check_room(chunk.len())?;
        self.line.extend_from_slice(chunk);
        Ok(())
    }

    fn check_room(&self, more: usize) -> Result<(), SseError> {
        if self.line.len() + self.data.len() + more > self.limit {
            return Err(SseError::TooLarge { limit: self.limit });
        }
        Ok(())
    }

    fn take_line<E: From<SseError>>(
        &mut self,
        mut line: &[u8],
        on_event: &mut impl FnMut(SseEvent<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if std::mem::take(&mut self.at_start) {
            line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        }
        if line.is_empty() {
            return self.dispatch(on_event);
        }
        let (field, value) = match memchr(b':', line) {
            Some(0) => return Ok(()),
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &line[line.len()..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                self.check_room(value.len())?;
                let text = std::str::from_utf8(value).map_err(|_| SseError::InvalidUtf8)?;
                if self.has_data {
                    self.data.push('\n');
                }
                self.data.push_str(text);
                self.has_data = true;
            }
            b"event" => {
                let text = std::str::from_utf8(value).map_err(|_| SseError::InvalidUtf8)?;
                self.name.clear();
                self.name.push_str(text);
            }
            _ => {}
        }
        Ok(())
    }

    fn dispatch<E>(&mut self, on_event: &mut impl FnMut(SseEvent<'_>) -> Result<(), E>) -> Result<(), E> {
        let outcome = if std::mem::take(&mut self.has_data) {
            on_event(SseEvent { name: &self.name, data: &self.data })
        } else {
            Ok(())
        };
        self.name.clear();
        self.data.clear();
        outcome
    }
}

impl Default for SseDecoder {
    fn default() -> Self {
        Self::new(Self::DEFAULT_LIMIT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(chunks: &[&[u8]]) -> Result<Vec<(String, String)>, SseError> {
        crate::fuzzing::sse(64, chunks)
    }

    /// One recording with every feature of the format, cut in two at every byte.
    // proves: WIR-006
    #[test]
    fn events_do_not_depend_on_where_chunks_are_cut() {
        let text = "\u{feff}: hello\r\nevent: a\r\ndata: 1\r\ndata:2 \r\n\r\nid: 7\ndata: \u{20ac}\u{1f600}\n\n\rdata\r\r\nevent: lost\n\n";
        let bytes = text.as_bytes();
        let expected = vec![
            ("a".to_owned(), "1\n2 ".to_owned()),
            (String::new(), "\u{20ac}\u{1f600}".to_owned()),
            (String::new(), String::new()),
        ];
        assert_eq!(decode(&[bytes]).unwrap(), expected);
        for cut in 0..=bytes.len() {
            assert_eq!(decode(&[&bytes[..cut], &bytes[cut..]]).unwrap(), expected, "cut at {cut}");
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(decode(&single).unwrap(), expected);
    }

    #[test]
    fn an_event_without_end_is_bounded() {
        let line = [b'x'; 40];
        assert_eq!(decode(&[b"data: ", &line, &line]), Err(SseError::TooLarge { limit: 64 }));
    }

    #[test]
    fn invalid_text_is_an_error_not_a_panic() {
        assert_eq!(decode(&[b"data: \xff\n\n"]), Err(SseError::InvalidUtf8));
    }
}
