//! Lines of JSON among what a process prints.

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// A longer line is no message.
const LONGEST: usize = 64 << 20;
/// As much of what a script prints by itself is kept of one line.
const LONGEST_OUTPUT: usize = 8 << 10;

/// What the process said.
#[derive(Debug, PartialEq)]
pub(super) enum Said {
    Message(Value),
    /// Something printed by others.
    Output(String),
    /// What follows cannot be read any more.
    Unreadable(&'static str),
}

pub(super) struct Lines<R> {
    source: R,
    mark: Vec<u8>,
    kept: Vec<u8>,
    /// Up to where there is no end of a line.
    searched: usize,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(source: R, mark: &str) -> Self {
        Self { source, mark: mark.as_bytes().to_vec(), kept: Vec::new(), searched: 0 }
    }

    /// The next line; nothing at the end. Can be dropped and called again.
    pub(super) async fn next(&mut self) -> Option<Said> {
        loop {
            if let Some(end) = self.kept[self.searched..].iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.kept.drain(..=self.searched + end).collect();
                self.searched = 0;
                if let Some(said) = self.read(&line[..line.len() - 1]) {
                    return Some(said);
                }
                continue;
            }
            self.searched = self.kept.len();
            if self.kept.len() > LONGEST {
                return Some(Said::Unreadable("it sent a line that is too long"));
            }
            let mut chunk = [0; 64 << 10];
            match self.source.read(&mut chunk).await {
                Ok(0) | Err(_) => return None,
                Ok(size) => self.kept.extend_from_slice(&chunk[..size]),
            }
        }
    }

    /// Text of others may stand before a message, where it has no end of a line of its own.
    fn read(&mut self, line: &[u8]) -> Option<Said> {
        let found = line.windows(self.mark.len()).position(|part| part == self.mark);
        let Some(at) = found else {
            let text = String::from_utf8_lossy(&line[..line.len().min(LONGEST_OUTPUT)]).trim_end().to_owned();
            return (!text.is_empty()).then_some(Said::Output(text));
        };
        let message = serde_json::from_slice(&line[at + self.mark.len()..]);
        let said = message.map_or(Said::Unreadable("it sent something that is not JSON"), Said::Message);
        if at == 0 {
            return Some(said);
        }
        // The message comes next, alone.
        let mut rest = line[at..].to_vec();
        rest.push(b'\n');
        rest.append(&mut self.kept);
        self.kept = rest;
        self.read(&line[..at])
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn messages_are_told_from_output() {
        let bytes = "#{\"a\":1}\nplain words\n\nprompt> #{\"b\":2}\n#broken\n".as_bytes();
        let mut lines = Lines::new(bytes, "#");
        let mut said = Vec::new();
        while let Some(one) = lines.next().await {
            said.push(one);
        }
        let output = |text: &str| Said::Output(text.to_owned());
        let expected = [
            Said::Message(json!({"a": 1})),
            output("plain words"),
            output("prompt>"),
            Said::Message(json!({"b": 2})),
            Said::Unreadable("it sent something that is not JSON"),
        ];
        assert_eq!(said, expected);
    }
}
