//! Calls between tokens of their own, in one section: the dialects of DeepSeek and Kimi.
//!
//! ```text
//! SECTION-BEGIN CALL-BEGIN header SEPARATOR json CALL-END … SECTION-END
//! ```

use super::output::Output;
use super::scanner::{Block, Step};
use super::source::{LiteralSearch, Source};

pub(crate) struct Tokens {
    section_end: &'static str,
    call_begin: &'static str,
    separator: &'static str,
    call_end: &'static str,
    header: fn(&str) -> Header<'_>,
}

/// What stands before the separator.
enum Header<'a> {
    Call {
        id: Option<&'a str>,
        name: &'a str,
    },
    /// The name follows in a line of its own.
    NameFollows,
}

pub(crate) const DEEPSEEK: Tokens = Tokens {
    section_end: "<\u{ff5c}tool\u{2581}calls\u{2581}end\u{ff5c}>",
    call_begin: "<\u{ff5c}tool\u{2581}call\u{2581}begin\u{ff5c}>",
    separator: "<\u{ff5c}tool\u{2581}sep\u{ff5c}>",
    call_end: "<\u{ff5c}tool\u{2581}call\u{2581}end\u{ff5c}>",
    header: deepseek_header,
};

pub(crate) const KIMI: Tokens = Tokens {
    section_end: "<|tool_calls_section_end|>",
    call_begin: "<|tool_call_begin|>",
    separator: "<|tool_call_argument_begin|>",
    call_end: "<|tool_call_end|>",
    header: kimi_header,
};

/// The models before V3.1 write the word `function` where later ones write the name.
fn deepseek_header(text: &str) -> Header<'_> {
    if text == "function" { Header::NameFollows } else { Header::Call { id: None, name: text } }
}

/// `functions.NAME:INDEX`; the last part of a name with dots is the tool's.
fn kimi_header(text: &str) -> Header<'_> {
    let name = text.rsplit_once(':').map_or(text, |(front, _)| front);
    Header::Call { id: Some(text), name: name.rsplit('.').next().unwrap_or(name) }
}

pub(crate) struct Calls {
    tokens: &'static Tokens,
    state: SectionState,
}

enum SectionState {
    Between,
    /// Up to the separator.
    Header,
    /// In the line with the name.
    Name,
    Arguments(String),
}

impl Calls {
    pub(crate) fn new(tokens: &'static Tokens) -> Self {
        Self { tokens, state: SectionState::Between }
    }

    fn between(&mut self, source: &mut Source) -> Step {
        source.skip_space();
        let tokens = self.tokens;
        if source.take(tokens.section_end) {
            return Step::Done;
        }
        if source.take(tokens.call_begin) {
            self.state = SectionState::Header;
            return Step::Again;
        }
        if source.rest().is_empty() || source.may_become(&[tokens.call_begin, tokens.section_end]) {
            return Step::More;
        }
        // The section was not closed and the model speaks again.
        Step::Done
    }

    fn header(&mut self, source: &mut Source, out: &mut Output) -> Step {
        let tokens = self.tokens;
        match source.find(&[tokens.separator, tokens.call_end, tokens.call_begin, tokens.section_end]) {
            LiteralSearch::Safe(_) => return Step::More,
            LiteralSearch::At(offset, 0) => {
                let header = source.rest()[..offset].trim().to_owned();
                source.skip(offset + tokens.separator.len());
                match (tokens.header)(&header) {
                    Header::NameFollows => self.state = SectionState::Name,
                    Header::Call { name, id } => self.open(name, id, out),
                }
            }
            // A call without arguments is none.
            LiteralSearch::At(offset, which) => {
                source.skip(offset);
                out.truncate("");
                if which == 1 {
                    source.skip(tokens.call_end.len());
                }
                self.state = SectionState::Between;
            }
        }
        Step::Again
    }

    fn name(&mut self, source: &mut Source, out: &mut Output) -> Step {
        let rest = source.rest();
        let Some(end) = memchr::memchr2(b'\n', b'<', rest.as_bytes()) else { return Step::More };
        let name = rest[..end].trim().to_owned();
        source.skip(end);
        self.open(&name, None, out);
        Step::Again
    }

    fn open(&mut self, name: &str, id: Option<&str>, out: &mut Output) {
        if !name.is_empty() {
            out.open_call(name, id);
        }
        self.state = SectionState::Arguments(name.to_owned());
    }

    fn arguments(&mut self, name: &str, source: &mut Source, out: &mut Output) -> Step {
        let tokens = self.tokens;
        let (bytes, end) = match source.find(&[tokens.call_end, tokens.call_begin, tokens.section_end]) {
            LiteralSearch::At(offset, which) => (offset, Some(which)),
            LiteralSearch::Safe(bytes) => (bytes, None),
        };
        if !name.is_empty() {
            out.written_arguments(&source.rest()[..bytes]);
        }
        source.skip(bytes);
        let Some(end) = end else { return Step::More };
        self.state = SectionState::Between;
        match end {
            0 if !name.is_empty() => {
                source.skip(tokens.call_end.len());
                out.close_call();
            }
            0 => {
                source.skip(tokens.call_end.len());
                out.truncate("");
            }
            // The next token is for the section to read.
            _ => out.truncate(name),
        }
        Step::Again
    }
}

impl Block for Calls {
    fn step(&mut self, source: &mut Source, out: &mut Output) -> Step {
        match std::mem::replace(&mut self.state, SectionState::Between) {
            SectionState::Between => self.between(source),
            SectionState::Header => {
                self.state = SectionState::Header;
                self.header(source, out)
            }
            SectionState::Name => {
                self.state = SectionState::Name;
                self.name(source, out)
            }
            SectionState::Arguments(name) => {
                let step = self.arguments(&name, source, out);
                if step == Step::More {
                    self.state = SectionState::Arguments(name);
                }
                step
            }
        }
    }

    fn end(&mut self, _source: &mut Source, out: &mut Output) {
        match &self.state {
            SectionState::Between => {}
            SectionState::Header | SectionState::Name => out.truncate(""),
            SectionState::Arguments(name) => out.truncate(name),
        }
    }
}
