//! Harmony: messages with a header that names author, channel and recipient.
//!
//! ```text
//! <|start|>assistant<|channel|>commentary to=functions.read<|message|>{"path":"a.txt"}<|call|>
//! ```

use super::output::Output;
use super::scanner::{Block, Step};
use super::source::{LiteralSearch, Source, is_torn_marker};

const START: &str = "<|start|>";
const CHANNEL: &str = "<|channel|>";
const MESSAGE: &str = "<|message|>";
const CONSTRAIN: &str = "<|constrain|>";
const END: &str = "<|end|>";
const CALL: &str = "<|call|>";
const RETURN: &str = "<|return|>";

/// A longer header is none.
const LONGEST_HEADER: usize = 1024;

#[derive(Default)]
pub(crate) struct Message {
    header: String,
    body: Option<Body>,
}

enum Body {
    Thought,
    Words,
    Call(String),
    /// Somebody else's message.
    Foreign,
}

impl Block for Message {
    fn step(&mut self, source: &mut Source, out: &mut Output) -> Step {
        match self.body {
            None => self.header(source, out),
            Some(_) => self.body(source, out),
        }
    }

    /// A header that never came to its message is discarded, and so is a call without end.
    fn end(&mut self, source: &mut Source, out: &mut Output) {
        let words = Some(source.rest()).filter(|rest| !is_torn_marker(rest)).unwrap_or_default();
        match &self.body {
            Some(Body::Call(name)) => out.truncate(name),
            Some(Body::Thought) => out.thinking(words),
            Some(Body::Words) => out.text(words),
            Some(Body::Foreign) | None => {}
        }
    }
}

impl Message {
    fn header(&mut self, source: &mut Source, out: &mut Output) -> Step {
        let (bytes, end) = match source.find(&[MESSAGE, START, END, CALL, RETURN]) {
            LiteralSearch::At(offset, which) => (offset, Some(which)),
            LiteralSearch::Safe(bytes) => (bytes, None),
        };
        let room = LONGEST_HEADER.saturating_sub(self.header.chars().count());
        self.header.extend(source.rest()[..bytes].chars().take(room));
        source.skip(bytes);
        if self.header.starts_with("functions.") {
            out.fabricated();
            return Step::Done;
        }
        match end {
            None => return Step::More,
            Some(0) => {
                source.skip(MESSAGE.len());
                self.body = Some(self.opened(out));
            }
            // The header of another message, without one for this.
            Some(1) => {
                source.skip(START.len());
                self.header.clear();
            }
            // The terminator is for whoever reads next.
            Some(_) => return Step::Done,
        }
        Step::Again
    }

    /// What kind of message the header announces.
    fn opened(&self, out: &mut Output) -> Body {
        let header = Header::parse(&self.header);
        if header.role != "assistant" {
            return Body::Foreign;
        }
        match (header.recipient, header.channel) {
            (Some("assistant" | "user"), _) | (None, "commentary" | "final" | "") => Body::Words,
            (None, _) => Body::Thought,
            (Some(recipient), _) => {
                let name = recipient.strip_prefix("functions.").unwrap_or(recipient);
                out.open_call(name, None);
                Body::Call(name.to_owned())
            }
        }
    }

    fn body(&mut self, source: &mut Source, out: &mut Output) -> Step {
        let (bytes, end) = match source.find(&[END, CALL, RETURN, START]) {
            LiteralSearch::At(offset, which) => (offset, Some(which)),
            LiteralSearch::Safe(bytes) => (bytes, None),
        };
        let text = &source.rest()[..bytes];
        match &self.body {
            Some(Body::Thought) => out.thinking(text),
            Some(Body::Words) => out.text(text),
            Some(Body::Call(_)) => out.written_arguments(text),
            Some(Body::Foreign) | None => {}
        }
        source.skip(bytes);
        let Some(end) = end else { return Step::More };
        // The next message begins without an end of this one; its start is read by whoever comes next.
        let is_closed = end != 3;
        if let Some(Body::Call(name)) = &self.body {
            if is_closed {
                out.close_call();
            } else {
                out.truncate(name);
            }
        }
        if end == 0 {
            source.skip(END.len());
        }
        Step::Done
    }
}

struct Header<'a> {
    role: &'a str,
    channel: &'a str,
    recipient: Option<&'a str>,
}

impl<'a> Header<'a> {
    /// The recipient stands behind the role or behind the channel. A message that continues a prompt has no role.
    fn parse(text: &'a str) -> Self {
        let (author, rest) = text.split_once(CHANNEL).unwrap_or((text, ""));
        let rest = rest.split(CONSTRAIN).next().unwrap_or(rest);
        let mut words = author.split_whitespace().peekable();
        let role = words.next_if(|word| !word.starts_with("to=")).unwrap_or("assistant");
        let mut channel = rest.split_whitespace().peekable();
        let name = channel.next_if(|word| !word.starts_with("to=")).unwrap_or_default();
        let recipient = words.chain(channel).find_map(|word| word.strip_prefix("to="));
        Self { role, channel: name, recipient: recipient.filter(|recipient| !recipient.is_empty()) }
    }
}
