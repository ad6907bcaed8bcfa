//! The words of an answer, up to the next marker.
//!
//! Markdown code is told from the rest, because a tag that is quoted there is meant to be read.

use memchr::{memchr2, memchr3, memrchr};

use super::output::Output;
use super::source::{Source, is_torn_marker};

/// A literal that is not words.
#[derive(Clone, Copy)]
pub(crate) struct Marker {
    pub(crate) literal: &'static str,
    pub(crate) place: MarkerPlace,
    pub(crate) action: Action,
}

/// Where a marker counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum MarkerPlace {
    Anywhere,
    /// Inside Markdown code it is text.
    OutsideCode,
    /// Only before the first word.
    Beginning,
}

/// What a marker means.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    /// It is removed.
    Drop,
    /// Something of this kind begins behind it.
    Open(Opening),
    /// Something of this kind begins with it; it is read again.
    Reopen(Opening),
    Fabricated,
    Stop,
}

/// What a marker opens.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opening {
    /// Reasoning up to this closing tag.
    Thought(&'static str),
    Xml,
    DeepSeek,
    Kimi,
    Glm,
    Hermes,
    Gemma,
    GemmaChannel,
    Harmony,
    Python,
    FencedThought,
}

#[derive(Default)]
pub(crate) struct Prose {
    code: Code,
    /// Some text of the line stands already, and it is more than indentation.
    is_mid_line: bool,
    has_words: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Code {
    #[default]
    Outside,
    /// Between runs of so many backticks, on one line.
    Span(usize),
    /// Between lines that begin with so many.
    Fence(usize),
}

impl Prose {
    /// Moves text to the output up to a marker, which is consumed and returned. `None`: more input is needed.
    pub(crate) fn advance(
        &mut self,
        source: &mut Source,
        markers: &[Marker],
        out: &mut Output,
    ) -> Option<Action> {
        loop {
            let rest = source.rest();
            let stop = match self.code {
                Code::Span(_) => memchr3(b'<', b'`', b'\n', rest.as_bytes()),
                Code::Outside | Code::Fence(_) => memchr2(b'<', b'`', rest.as_bytes()),
            };
            let Some(stop) = stop else {
                self.words(source, rest.len(), out);
                return None;
            };
            self.words(source, stop, out);
            match self.marker(source, markers) {
                Next::Marker(marker) => {
                    if !matches!(marker.action, Action::Reopen(_)) {
                        source.skip(marker.literal.len());
                    }
                    return Some(marker.action);
                }
                Next::More => return None,
                Next::Torn => {
                    source.skip_all();
                    return None;
                }
                Next::Words => {}
            }
            if !self.character(source, out) {
                return None;
            }
        }
    }

    fn marker(&self, source: &Source, markers: &[Marker]) -> Next {
        let rest = source.rest();
        // Most brackets and backticks are words already by what follows them.
        if let Some(front) = rest.as_bytes().get(..2)
            && !markers.iter().any(|marker| marker.literal.as_bytes().starts_with(front))
        {
            return Next::Words;
        }
        let counts = |marker: &&Marker| match marker.place {
            MarkerPlace::Anywhere => true,
            MarkerPlace::OutsideCode => self.code == Code::Outside,
            MarkerPlace::Beginning => !self.has_words,
        };
        if let Some(marker) = markers.iter().filter(counts).find(|marker| rest.starts_with(marker.literal)) {
            return Next::Marker(*marker);
        }
        let is_beginning = markers.iter().filter(counts).any(|marker| marker.literal.starts_with(rest));
        match (is_beginning, source.has_ended()) {
            (true, false) => Next::More,
            (true, true) if is_torn_marker(rest) => Next::Torn,
            _ => Next::Words,
        }
    }

    /// A character that could have begun a marker and did not. `false`: more input is needed.
    fn character(&mut self, source: &mut Source, out: &mut Output) -> bool {
        let rest = source.rest();
        match rest.as_bytes().first() {
            Some(b'`') => {
                let run = rest.bytes().take_while(|byte| *byte == b'`').count();
                if run == rest.len() && !source.has_ended() {
                    return false;
                }
                self.backticks(run);
                self.words(source, run, out);
            }
            Some(b'\n') => {
                self.code = Code::Outside;
                self.words(source, 1, out);
            }
            _ => self.words(source, 1, out),
        }
        true
    }

    fn backticks(&mut self, run: usize) {
        self.code = match self.code {
            Code::Outside if run >= 3 && !self.is_mid_line => Code::Fence(run),
            Code::Outside => Code::Span(run),
            Code::Span(open) if open == run => Code::Outside,
            Code::Fence(open) if run >= open && !self.is_mid_line => Code::Outside,
            other => other,
        };
    }

    fn words(&mut self, source: &mut Source, bytes: usize, out: &mut Output) {
        let text = &source.rest()[..bytes];
        let line = match memrchr(b'\n', text.as_bytes()) {
            Some(end) => {
                self.is_mid_line = false;
                &text[end + 1..]
            }
            None => text,
        };
        self.is_mid_line = self.is_mid_line || line.bytes().any(|byte| byte != b' ');
        self.has_words = self.has_words || !text.trim_start().is_empty();
        out.text(text);
        source.skip(bytes);
    }
}

enum Next {
    Marker(Marker),
    More,
    /// The stream ended inside a marker.
    Torn,
    Words,
}
