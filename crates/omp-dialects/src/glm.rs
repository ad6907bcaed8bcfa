//! GLM: the name, then pairs of key and value elements.
//!
//! ```text
//! <tool_call>NAME
//! <arg_key>KEY</arg_key>
//! <arg_value>VALUE</arg_value>
//! </tool_call>
//! ```
//!
//! From 4.7 on the line breaks may be missing. Nothing is escaped: a value ends at the first closing tag.

use memchr::memchr2;

use super::output::Output;
use super::pairs::{Pairs, Reading};
use super::scanner::{Block, Schemas, Step};
use super::source::{LiteralSearch, Source};

const KEY: &str = "<arg_key>";
const KEY_END: &str = "</arg_key>";
const VALUE: &str = "<arg_value>";
const VALUE_END: &str = "</arg_value>";
const CALL: &str = "<tool_call>";
const CALL_END: &str = "</tool_call>";

pub(crate) struct Call {
    schemas: Schemas,
    name: String,
    pairs: Pairs,
    state: GlmState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum GlmState {
    Name,
    /// Before a key or the end.
    Between,
    Key,
    Value,
}

impl Call {
    pub(crate) fn new(schemas: Schemas) -> Self {
        Self { schemas, name: String::new(), pairs: Pairs::new(None), state: GlmState::Name }
    }

    /// The name ends at the line or at the first tag.
    fn name(&mut self, source: &mut Source, out: &mut Output) -> Step {
        let rest = source.rest();
        let written = rest.trim_start();
        let Some(end) = memchr2(b'\n', b'<', written.as_bytes()) else { return Step::More };
        let name = written[..end].trim().to_owned();
        let skipped = rest.len() - written.len() + end;
        source.skip(skipped);
        if !name.is_empty() {
            out.open_call(&name, None);
        }
        self.pairs = Pairs::new(self.schemas.get(&name));
        self.name = name;
        self.state = GlmState::Between;
        Step::Again
    }

    /// Whatever is no tag of a call belongs to nothing, and the parser continues at the next tag.
    fn between(&mut self, source: &mut Source, out: &mut Output) -> Step {
        match source.find(&[KEY, VALUE, CALL_END, CALL]) {
            LiteralSearch::Safe(bytes) => {
                source.skip(bytes);
                Step::More
            }
            LiteralSearch::At(offset, which) => {
                source.skip(offset);
                self.tag(which, source, out)
            }
        }
    }

    fn tag(&mut self, which: usize, source: &mut Source, out: &mut Output) -> Step {
        match which {
            0 => {
                source.skip(KEY.len());
                self.state = GlmState::Key;
                Step::Again
            }
            // A value without a key.
            1 => {
                source.skip(VALUE.len());
                Step::Again
            }
            2 => {
                source.skip(CALL_END.len());
                self.complete(out);
                Step::Done
            }
            // Another call begins; this one was not closed.
            _ => {
                out.truncate(&self.name);
                Step::Done
            }
        }
    }

    fn complete(&mut self, out: &mut Output) {
        if self.name.is_empty() {
            out.truncate("");
            return;
        }
        self.pairs.finish(out);
        out.close_call();
    }

    /// From the key to the beginning of its value.
    fn key(&mut self, source: &mut Source, out: &mut Output) -> Step {
        match source.find(&[VALUE, CALL_END]) {
            LiteralSearch::Safe(_) => return Step::More,
            LiteralSearch::At(offset, 0) => {
                let key = source.rest()[..offset].trim_end();
                let key = key.strip_suffix(KEY_END).unwrap_or(key).trim().to_owned();
                source.skip(offset + VALUE.len());
                if !self.name.is_empty() {
                    self.pairs.begin(&key, Reading::BySchema, out);
                }
                self.state = GlmState::Value;
            }
            // A key without a value.
            LiteralSearch::At(offset, _) => {
                source.skip(offset);
                self.state = GlmState::Between;
            }
        }
        Step::Again
    }

    /// Models forget to close a value; the end of the call closes it as well.
    fn value(&mut self, source: &mut Source, out: &mut Output) -> Step {
        let (bytes, end) = match source.find(&[VALUE_END, CALL_END]) {
            LiteralSearch::At(offset, which) => (offset, Some(which)),
            LiteralSearch::Safe(bytes) => (bytes, None),
        };
        let mut text = &source.rest()[..bytes];
        let is_unclosed = end == Some(1);
        if is_unclosed {
            text = text.strip_suffix('\n').unwrap_or(text);
        }
        // The break before a closing tag that may be missing is not known to belong to the value.
        let held = usize::from(end.is_none() && text.ends_with('\n'));
        let taken = text.len() - held;
        if !self.name.is_empty() {
            self.pairs.push(&text[..taken], out);
        }
        source.skip(if end.is_some() { bytes } else { taken });
        if end.is_none() {
            return Step::More;
        }
        if !is_unclosed {
            source.skip(VALUE_END.len());
        }
        self.pairs.end(out);
        self.state = GlmState::Between;
        Step::Again
    }
}

impl Block for Call {
    fn step(&mut self, source: &mut Source, out: &mut Output) -> Step {
        match self.state {
            GlmState::Name => self.name(source, out),
            GlmState::Between => self.between(source, out),
            GlmState::Key => self.key(source, out),
            GlmState::Value => self.value(source, out),
        }
    }

    fn end(&mut self, _source: &mut Source, out: &mut Output) {
        out.truncate(&self.name);
    }
}
