//! Lines of a stream, bounded.

use crate::limits;

/// What is kept of a line that is too long: enough to find out which request it answers.
const EDGE: usize = 256;

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    Whole(Vec<u8>),
    /// Its beginning and its end.
    TooLong {
        head: Vec<u8>,
        tail: Vec<u8>,
    },
}

/// Cuts chunks into lines.
#[derive(Debug)]
pub(crate) struct Frames {
    most: usize,
    line: Vec<u8>,
    /// Of a line that is too long.
    skipped: Option<Vec<u8>>,
}

impl Default for Frames {
    fn default() -> Self {
        Self::new(limits::FRAME)
    }
}

impl Frames {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, line: Vec::new(), skipped: None }
    }

    /// Takes a chunk and gives the lines that it completes.
    pub(crate) fn take(&mut self, chunk: &[u8]) -> Vec<Frame> {
        let mut found = Vec::new();
        let mut rest = chunk;
        while let Some(at) = rest.iter().position(|byte| *byte == b'\n') {
            self.extend(&rest[..at]);
            found.extend(self.finish());
            rest = &rest[at + 1..];
        }
        self.extend(rest);
        found
    }

    fn extend(&mut self, bytes: &[u8]) {
        if let Some(tail) = &mut self.skipped {
            tail.extend_from_slice(&bytes[bytes.len().saturating_sub(EDGE)..]);
            let surplus = tail.len().saturating_sub(EDGE);
            tail.drain(..surplus);
            return;
        }
        if self.line.len() + bytes.len() <= self.most {
            self.line.extend_from_slice(bytes);
            return;
        }
        self.skipped = Some(Vec::new());
        self.extend(bytes);
        self.line.truncate(EDGE);
        self.line.shrink_to_fit();
    }

    fn finish(&mut self) -> Option<Frame> {
        let mut line = std::mem::take(&mut self.line);
        if let Some(tail) = self.skipped.take() {
            return Some(Frame::TooLong { head: line, tail });
        }
        if line.ends_with(b"\r") {
            line.pop();
        }
        (!line.is_empty()).then_some(Frame::Whole(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> Frame {
        Frame::Whole(text.as_bytes().to_vec())
    }

    #[test]
    fn lines_however_they_are_cut() {
        let text = b"one\r\n\n two \n\xff\nhalf";
        for size in 1..=text.len() {
            let mut frames = Frames::new(100);
            let found: Vec<Frame> = text.chunks(size).flat_map(|chunk| frames.take(chunk)).collect();
            assert_eq!(found, [whole("one"), whole(" two "), Frame::Whole(vec![0xff])], "{size}");
        }
    }

    #[test]
    fn long_lines_are_skipped_and_the_next_one_is_read() {
        let long = format!("{{\"result\":\"{}\",\"id\":7}}\nnext\n", "x".repeat(10_000));
        for size in [1, 7, 900, 20_000] {
            let mut frames = Frames::new(1000);
            let found: Vec<Frame> =
                long.as_bytes().chunks(size).flat_map(|chunk| frames.take(chunk)).collect();
            let [Frame::TooLong { head, tail }, next] = &found[..] else { panic!("{found:?}") };
            assert!(head.len() <= EDGE && tail.ends_with(b"\"id\":7}") && tail.len() <= EDGE, "{size}");
            assert_eq!(next, &whole("next"));
        }
    }
}
