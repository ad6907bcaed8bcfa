//! Calls as XML-like elements, inside a block of calls.
//!
//! ```text
//! <function_calls>
//! <invoke name="read">
//! <parameter name="path">a & b.txt</parameter>
//! </invoke>
//! </function_calls>
//! ```
//!
//! All tags may carry one of several prefixes. It is not XML: a parameter's body reaches to its own closing tag,
//! nothing is unescaped and no space is trimmed. The older form, with the name in a `tool_name` element and one
//! element per argument, is understood as well; which form an `invoke` has is decided by its name attribute alone.

use memchr::memchr;

use super::output::Output;
use super::pairs::Pairs;
use super::scanner::{Block, Schemas, Step};
use super::source::{LiteralSearch, Source};
use super::xml_tag::Tag;

/// A longer tag is none.
const LONGEST_TAG: usize = 512;

pub(crate) struct Calls {
    schemas: Schemas,
    state: XmlState,
}

enum XmlState {
    /// Between calls.
    Between,
    Call(Call),
    /// Inside one parameter of a call.
    Body(Call, Body),
}

struct Call {
    /// Empty as long as it is not known.
    name: String,
    form: Form,
    pairs: Pairs,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Modern,
    Legacy,
}

struct Body {
    kind: XmlElement,
    /// The body's own closing tag.
    end: String,
}

enum XmlElement {
    /// The name of the tool, as far as it was read.
    Name(String),
    Argument,
    /// It belongs to nothing.
    Stray,
}

impl Calls {
    pub(crate) fn new(schemas: Schemas) -> Self {
        Self { schemas, state: XmlState::Between }
    }

    fn call(&self, name: &str, form: Form) -> Call {
        Call { name: name.to_owned(), form, pairs: Pairs::new(self.schemas.get(name)) }
    }

    fn between(&mut self, source: &mut Source, out: &mut Output) -> Step {
        source.skip_space();
        let (tag, length) = match next_tag(source) {
            Next::Tag(tag, length) => (tag, length),
            Next::More => return Step::More,
            Next::Other => return leave(source, out),
        };
        match (tag.is_end, tag.name) {
            (false, "invoke") => {
                let (name, form) =
                    tag.attribute("name").map_or(("", Form::Legacy), |name| (name, Form::Modern));
                if !name.is_empty() {
                    out.open_call(name, None);
                }
                self.state = XmlState::Call(self.call(name, form));
            }
            (false, "function_results") => out.fabricated(),
            (true, "function_calls" | "tool_calls" | "tool_call") => {
                source.skip(length);
                return Step::Done;
            }
            (false, "function_calls" | "tool_calls" | "tool_call") | (true, "invoke" | "parameter") => {}
            _ => return leave(source, out),
        }
        source.skip(length);
        Step::Again
    }

    fn inside(&mut self, mut call: Call, source: &mut Source, out: &mut Output) -> Step {
        source.skip_space();
        let (tag, length) = match next_tag(source) {
            Next::Tag(tag, length) => (tag, length),
            Next::More => {
                self.state = XmlState::Call(call);
                return Step::More;
            }
            Next::Other => {
                // Stray words inside a call belong to nothing.
                let rest = source.rest();
                let next = memchr(b'<', &rest.as_bytes()[1..]).map_or(rest.len(), |offset| offset + 1);
                source.skip(next);
                self.state = XmlState::Call(call);
                return Step::Again;
            }
        };
        match (tag.is_end, tag.name) {
            (true, "invoke") => {
                source.skip(length);
                complete(call, out);
            }
            (true, "function_calls" | "tool_calls" | "tool_call")
            | (false, "invoke" | "function_calls" | "tool_calls" | "function_results") => {
                // The call was never closed; the tag is for the block to read.
                out.truncate(&call.name);
            }
            _ => {
                self.state = match body_of(&tag, &mut call, out) {
                    Some(body) => XmlState::Body(call, body),
                    None => XmlState::Call(call),
                };
                source.skip(length);
            }
        }
        Step::Again
    }

    fn body(&mut self, mut call: Call, mut body: Body, source: &mut Source, out: &mut Output) -> Step {
        let (bytes, ended) = match source.find(&[&body.end]) {
            LiteralSearch::At(offset, _) => (offset, true),
            LiteralSearch::Safe(bytes) => (bytes, false),
        };
        let text = &source.rest()[..bytes];
        match &mut body.kind {
            XmlElement::Name(name) => name.push_str(text),
            XmlElement::Argument => call.pairs.push(text, out),
            XmlElement::Stray => {}
        }
        source.skip(bytes);
        if !ended {
            self.state = XmlState::Body(call, body);
            return Step::More;
        }
        source.skip(body.end.len());
        match body.kind {
            XmlElement::Name(name) if call.name.is_empty() && !name.trim().is_empty() => {
                out.open_call(name.trim(), None);
                call = self.call(name.trim(), call.form);
            }
            XmlElement::Argument => call.pairs.end(out),
            XmlElement::Name(_) | XmlElement::Stray => {}
        }
        self.state = XmlState::Call(call);
        Step::Again
    }
}

impl Block for Calls {
    fn step(&mut self, source: &mut Source, out: &mut Output) -> Step {
        match std::mem::replace(&mut self.state, XmlState::Between) {
            XmlState::Between => self.between(source, out),
            XmlState::Call(call) => self.inside(call, source, out),
            XmlState::Body(call, body) => self.body(call, body, source, out),
        }
    }

    fn end(&mut self, _source: &mut Source, out: &mut Output) {
        match &self.state {
            XmlState::Between => {}
            XmlState::Call(call) | XmlState::Body(call, _) => out.truncate(&call.name),
        }
    }
}

/// What stands here is text, at least its first character.
fn leave(source: &mut Source, out: &mut Output) -> Step {
    if source.take("<") {
        out.text("<");
    }
    Step::Done
}

fn complete(mut call: Call, out: &mut Output) {
    if call.name.is_empty() {
        out.truncate("");
        return;
    }
    call.pairs.finish(out);
    out.close_call();
}

/// What comes next inside a block.
enum Next {
    /// A tag and its length.
    Tag(Tag, usize),
    /// It cannot be told yet.
    More,
    Other,
}

fn next_tag(source: &Source) -> Next {
    let rest = source.rest();
    if rest.is_empty() {
        return Next::More;
    }
    if !rest.starts_with('<') {
        return Next::Other;
    }
    let window = &rest.as_bytes()[..rest.len().min(LONGEST_TAG)];
    match memchr(b'>', window) {
        Some(end) => Next::Tag(Tag::parse(&rest[1..end]), end + 1),
        None if rest.len() < LONGEST_TAG => Next::More,
        None => Next::Other,
    }
}

/// The body that a tag inside a call opens, if it opens one.
fn body_of(tag: &Tag, call: &mut Call, out: &mut Output) -> Option<Body> {
    let key = match (call.form, tag.name, tag.attribute("name")) {
        _ if tag.is_end => return None,
        (Form::Modern, "parameter", Some(name)) => Some(name),
        (Form::Legacy, "tool_name", None) => None,
        (Form::Legacy, "", None) if !tag.full.is_empty() => Some(tag.full.as_str()),
        _ => return None,
    };
    let end = format!("</{}>", tag.full);
    let kind = match key {
        None => XmlElement::Name(String::new()),
        Some(_) if call.name.is_empty() => XmlElement::Stray,
        Some(key) => {
            call.pairs.begin(key, tag.reading(), out);
            XmlElement::Argument
        }
    };
    Some(Body { kind, end })
}
