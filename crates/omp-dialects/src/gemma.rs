//! Gemma 4: one call per block, in braces, with a token of its own for quotes.
//!
//! ```text
//! <|tool_call>call:NAME{path:<|"|>a.txt<|"|>,limit:3}<tool_call|>
//! <|channel>thought … <channel|>
//! ```

use memchr::memmem;

use super::gemma_value::{self, QUOTE};
use super::output::Output;
use super::scanner::{Block, Step};
use super::source::{LiteralSearch, Source, is_torn_marker};

const CALL_END: &str = "<tool_call|>";
const CHANNEL_END: &str = "<channel|>";

/// A call is read as a whole: what a value is depends on where it ends.
#[derive(Default)]
pub(crate) struct Call {
    text: String,
    /// The quotes before this place are counted.
    counted: usize,
    is_quoted: bool,
}

impl Block for Call {
    fn step(&mut self, source: &mut Source, out: &mut Output) -> Step {
        let (bytes, is_end) = match source.find(&[CALL_END]) {
            LiteralSearch::At(offset, _) => (offset, true),
            LiteralSearch::Safe(bytes) => (bytes, false),
        };
        self.text.push_str(&source.rest()[..bytes]);
        source.skip(bytes);
        if !is_end {
            return Step::More;
        }
        source.skip(CALL_END.len());
        self.count_quotes();
        if self.is_quoted {
            // The closing token is part of a string.
            self.text.push_str(CALL_END);
            return Step::Again;
        }
        complete(&self.text, out);
        Step::Done
    }

    fn end(&mut self, _source: &mut Source, out: &mut Output) {
        out.truncate(name_and_object(&self.text).map_or("", |(name, _)| name));
    }
}

impl Call {
    fn count_quotes(&mut self) {
        let quotes = memmem::find_iter(&self.text.as_bytes()[self.counted..], QUOTE).count();
        self.is_quoted ^= quotes % 2 == 1;
        self.counted = self.text.len();
    }
}

fn complete(text: &str, out: &mut Output) {
    let Some((name, object)) = name_and_object(text) else {
        out.truncate("");
        return;
    };
    match gemma_value::parse_object(object) {
        Some(arguments) => out.whole_call(name, &arguments.to_string()),
        None => out.whole_call(name, object),
    }
}

fn name_and_object(text: &str) -> Option<(&str, &str)> {
    let call = text.trim_start();
    let call = call.strip_prefix("call:").unwrap_or(call);
    let brace = call.find('{')?;
    let name = call[..brace].trim();
    (!name.is_empty()).then_some((name, &call[brace..]))
}

/// A channel; the one that is called `thought` is the only one there is.
#[derive(Default)]
pub(crate) struct Channel {
    is_named: bool,
    /// A line break that belongs to the text only if something follows.
    has_break: bool,
}

impl Block for Channel {
    fn step(&mut self, source: &mut Source, out: &mut Output) -> Step {
        if !self.is_named {
            let rest = source.rest();
            let Some(end) = memchr::memchr2(b'\n', b'<', rest.as_bytes()) else { return Step::More };
            let is_line = rest.as_bytes()[end] == b'\n';
            source.skip(end + usize::from(is_line));
            self.is_named = true;
            return Step::Again;
        }
        let (bytes, is_end) = match source.find(&[CHANNEL_END]) {
            LiteralSearch::At(offset, _) => (offset, true),
            LiteralSearch::Safe(bytes) => (bytes, false),
        };
        let text = source.rest()[..bytes].to_owned();
        self.words(&text, out);
        source.skip(bytes);
        if !is_end {
            return Step::More;
        }
        source.skip(CHANNEL_END.len());
        Step::Done
    }

    fn end(&mut self, source: &mut Source, out: &mut Output) {
        if self.is_named && !is_torn_marker(source.rest()) {
            let text = source.rest().to_owned();
            self.words(&text, out);
        }
    }
}

impl Channel {
    /// The last line break before the closing token is not part of the thought.
    fn words(&mut self, text: &str, out: &mut Output) {
        if text.is_empty() {
            return;
        }
        if self.has_break {
            out.thinking("\n");
        }
        let body = text.strip_suffix('\n');
        self.has_break = body.is_some();
        out.thinking(body.unwrap_or(text));
    }
}
