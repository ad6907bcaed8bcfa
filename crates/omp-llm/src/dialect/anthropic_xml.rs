//! The dialect `anthropic`: calls as XML-like elements.
//!
//! ```text
//! <function_calls>
//! <invoke name="read">
//! <parameter name="path">a & b.txt</parameter>
//! </invoke>
//! </function_calls>
//! ```
//!
//! All tags may carry the prefix `antml:`. It is not XML: a parameter's body reaches to its own closing tag, nothing
//! is unescaped and no space is trimmed. The older form, with the name in a `tool_name` element and one element per
//! argument, is understood as well; which form an `invoke` has is decided by its name attribute alone.

use crate::schema::type_of;
use std::collections::HashMap;

use memchr::{memchr, memmem};
use omp_types::ToolDefinition;
use serde_json::{Map, Value};

use super::Piece;

/// Reads one streamed answer.
pub struct XmlScanner {
    /// Parameter schemas by tool.
    schemas: HashMap<String, Value>,
    /// What was fed; everything before `at` is done with.
    buffer: String,
    at: usize,
    state: State,
    pieces: Vec<Piece>,
}

enum State {
    Text,
    /// Between calls.
    Block,
    Call(Call),
    /// Inside one parameter of a call.
    Body(Call, Body),
    /// The model has begun to invent results: nothing counts any more.
    Cut,
}

struct Call {
    name: String,
    form: Form,
    arguments: Vec<(String, String)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Modern,
    Legacy,
}

struct Body {
    /// `None`: the body is the name of the tool.
    argument: Option<String>,
    /// The body's own closing tag.
    end: String,
    text: String,
}

/// What stands out in plain text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Marker {
    Open,
    Close,
    /// A call outside of any block: models forget the block, and nothing is done with it.
    Call,
    Results,
}

const MARKERS: [(&str, Marker); 8] = [
    ("<function_calls>", Marker::Open),
    ("<antml:function_calls>", Marker::Open),
    ("</function_calls>", Marker::Close),
    ("</antml:function_calls>", Marker::Close),
    ("<invoke name=", Marker::Call),
    ("<antml:invoke name=", Marker::Call),
    ("<function_results>", Marker::Results),
    ("<antml:function_results>", Marker::Results),
];

/// A longer tag is none.
const LONGEST_TAG: usize = 512;

impl XmlScanner {
    pub fn new(tools: &[ToolDefinition]) -> Self {
        Self {
            schemas: tools.iter().map(|tool| (tool.name.clone(), tool.parameters.clone())).collect(),
            buffer: String::new(),
            at: 0,
            state: State::Text,
            pieces: Vec::new(),
        }
    }

    /// Takes the next text of the answer and returns what it completes.
    pub fn feed(&mut self, text: &str) -> Vec<Piece> {
        self.buffer.push_str(text);
        while self.step() {}
        self.buffer.drain(..self.at);
        self.at = 0;
        std::mem::take(&mut self.pieces)
    }

    /// The answer is over. A call that is still open is reported as truncated.
    pub fn finish(&mut self) -> Vec<Piece> {
        match std::mem::replace(&mut self.state, State::Cut) {
            // A lone bracket is a character; more than that was the beginning of a marker.
            State::Text if matches!(self.buffer.as_str(), "<" | "</") => self.emit(self.buffer.len()),
            State::Call(call) | State::Body(call, _) => {
                self.pieces.push(Piece::Truncated { name: call.name });
            }
            State::Text | State::Block | State::Cut => {}
        }
        self.buffer.clear();
        self.at = 0;
        std::mem::take(&mut self.pieces)
    }

    /// One step forward; `false` when more input is needed.
    fn step(&mut self) -> bool {
        match std::mem::replace(&mut self.state, State::Text) {
            State::Text => self.text(),
            State::Block => self.block(),
            State::Call(call) => self.call(call),
            State::Body(call, body) => self.body(call, body),
            State::Cut => {
                self.at = self.buffer.len();
                self.state = State::Cut;
                false
            }
        }
    }

    fn rest(&self) -> &str {
        &self.buffer[self.at..]
    }

    /// The next `bytes` bytes are text.
    fn emit(&mut self, bytes: usize) {
        let text = &self.buffer[self.at..self.at + bytes];
        match self.pieces.last_mut() {
            _ if text.is_empty() => {}
            Some(Piece::Text(before)) => before.push_str(text),
            _ => self.pieces.push(Piece::Text(text.to_owned())),
        }
        self.at += bytes;
    }

    fn text(&mut self) -> bool {
        let Some(bracket) = memchr(b'<', self.rest().as_bytes()) else {
            self.emit(self.rest().len());
            return false;
        };
        self.emit(bracket);
        let rest = self.rest();
        if let Some((literal, marker)) = MARKERS.into_iter().find(|(literal, _)| rest.starts_with(literal)) {
            match marker {
                Marker::Results => self.cut(),
                // Its tag is read with the block's.
                Marker::Call => self.state = State::Block,
                Marker::Open => {
                    self.at += literal.len();
                    self.state = State::Block;
                }
                Marker::Close => self.at += literal.len(),
            }
            return true;
        }
        if MARKERS.iter().any(|(literal, _)| literal.starts_with(rest)) {
            return false;
        }
        self.emit(1);
        true
    }

    fn block(&mut self) -> bool {
        self.skip_space();
        let (tag, length) = match self.tag() {
            Next::Tag(tag, length) => (tag, length),
            Next::More => {
                self.state = State::Block;
                return false;
            }
            // The model forgot to close the block and speaks again.
            Next::Other => return self.leave_block(),
        };
        match (tag.is_end, tag.name) {
            (false, "invoke") => {
                let (name, form) =
                    tag.attribute.map_or_else(|| ("", Form::Legacy), |name| (name, Form::Modern));
                self.state = State::Call(Call { name: name.to_owned(), form, arguments: Vec::new() });
            }
            (false, "function_results") => self.cut(),
            (true, "function_calls") => {}
            (false, "function_calls") | (true, "invoke" | "parameter") => self.state = State::Block,
            _ => return self.leave_block(),
        }
        self.at += length;
        true
    }

    /// What stands here is text, at least its first character.
    fn leave_block(&mut self) -> bool {
        if self.rest().starts_with('<') {
            self.emit(1);
        }
        true
    }

    fn call(&mut self, call: Call) -> bool {
        self.skip_space();
        let (tag, length) = match self.tag() {
            Next::Tag(tag, length) => (tag, length),
            Next::More => {
                self.state = State::Call(call);
                return false;
            }
            Next::Other => {
                // Stray words inside a call belong to nothing.
                let skipped = memchr(b'<', self.rest().as_bytes().get(1..).unwrap_or_default());
                self.at = skipped.map_or(self.buffer.len(), |offset| self.at + 1 + offset);
                self.state = State::Call(call);
                return true;
            }
        };
        match (tag.is_end, tag.name) {
            (true, "invoke") => {
                self.at += length;
                self.state = State::Block;
                self.complete(call);
            }
            (true, "function_calls") | (false, "invoke" | "function_calls" | "function_results") => {
                // The call was never closed; the tag is for the block to read.
                self.state = State::Block;
                self.pieces.push(Piece::Truncated { name: call.name });
            }
            _ => {
                self.state = match body_of(&tag, call.form) {
                    Some(body) => State::Body(call, body),
                    None => State::Call(call),
                };
                self.at += length;
            }
        }
        true
    }

    fn body(&mut self, mut call: Call, mut body: Body) -> bool {
        let rest = self.rest();
        if let Some(end) = memmem::find(rest.as_bytes(), body.end.as_bytes()) {
            body.text.push_str(&rest[..end]);
            self.at += end + body.end.len();
            match body.argument {
                Some(name) => call.arguments.push((name, body.text)),
                None => body.text.trim().clone_into(&mut call.name),
            }
            self.state = State::Call(call);
            return true;
        }
        let kept = overlap(rest, &body.end);
        let taken = rest.len() - kept;
        body.text.push_str(&rest[..taken]);
        self.at += taken;
        self.state = State::Body(call, body);
        false
    }

    fn complete(&mut self, call: Call) {
        if call.name.is_empty() {
            self.pieces.push(Piece::Truncated { name: call.name });
            return;
        }
        let properties = self.schemas.get(&call.name).map(|schema| &schema["properties"]);
        let typed = |(name, raw): (String, String)| {
            let value = typed(properties.and_then(|all| all.get(&name)), raw);
            (name, value)
        };
        let arguments: Map<String, Value> = call.arguments.into_iter().map(typed).collect();
        self.pieces.push(Piece::Call { name: call.name, arguments });
    }

    fn cut(&mut self) {
        self.pieces.push(Piece::FabricatedResult);
        self.state = State::Cut;
    }

    fn skip_space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn tag(&self) -> Next<'_> {
        let rest = self.rest();
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
}

/// What comes next inside a block.
enum Next<'a> {
    /// A tag and its length.
    Tag(Tag<'a>, usize),
    /// It cannot be told yet.
    More,
    Other,
}

struct Tag<'a> {
    is_end: bool,
    /// With its prefix, if it has one.
    full: &'a str,
    name: &'a str,
    /// The `name` attribute.
    attribute: Option<&'a str>,
}

impl<'a> Tag<'a> {
    /// `inner` is what stands between the brackets.
    fn parse(inner: &'a str) -> Self {
        let (is_end, inner) = inner.strip_prefix('/').map_or((false, inner), |inner| (true, inner));
        let (full, rest) = inner.split_once(char::is_whitespace).unwrap_or((inner, ""));
        Self {
            is_end,
            full,
            name: full.strip_prefix("antml:").unwrap_or(full),
            attribute: name_attribute(rest),
        }
    }
}

fn name_attribute(attributes: &str) -> Option<&str> {
    let value = attributes.trim_start().strip_prefix("name")?.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    value[1..].split_once(quote).map(|(name, _)| name).filter(|name| !name.is_empty())
}

/// The body that a tag inside a call opens, if it opens one.
fn body_of(tag: &Tag<'_>, form: Form) -> Option<Body> {
    let argument = match (form, tag.name, tag.attribute) {
        _ if tag.is_end => return None,
        (Form::Modern, "parameter", Some(name)) => Some(name.to_owned()),
        (Form::Modern, ..)
        | (Form::Legacy, "parameters" | "parameter" | "", _)
        | (Form::Legacy, _, Some(_)) => return None,
        (Form::Legacy, "tool_name", None) => None,
        (Form::Legacy, name, None) => Some(name.to_owned()),
    };
    Some(Body { argument, end: format!("</{}>", tag.full), text: String::new() })
}

/// How many bytes at the end of `text` may be the beginning of `marker`.
fn overlap(text: &str, marker: &str) -> usize {
    let longest = text.len().min(marker.len() - 1);
    (1..=longest).rev().find(|&length| text.as_bytes().ends_with(&marker.as_bytes()[..length])).unwrap_or(0)
}

/// A string is taken as it stands; everything else is JSON, or a string after all.
fn typed(schema: Option<&Value>, raw: String) -> Value {
    let expected = schema.map(types).unwrap_or_default();
    match serde_json::from_str::<Value>(raw.trim()) {
        Ok(value) if !expected.contains(&"string") || (!value.is_string() && allows(&expected, &value)) => {
            value
        }
        _ => Value::String(raw),
    }
}

fn allows(expected: &[&str], value: &Value) -> bool {
    expected.contains(&type_of(value)) || (value.is_number() && expected.contains(&"number"))
}

/// The JSON types a schema names; empty when it does not say.
fn types(schema: &Value) -> Vec<&str> {
    let mut found = Vec::new();
    match &schema["type"] {
        Value::String(name) => found.push(name.as_str()),
        Value::Array(names) => found.extend(names.iter().filter_map(Value::as_str)),
        _ => {}
    }
    for choice in ["anyOf", "oneOf"].iter().flat_map(|key| schema[*key].as_array()).flatten() {
        found.extend(types(choice));
    }
    if found.is_empty() {
        for literal in schema["enum"].as_array().into_iter().flatten().chain(schema.get("const")) {
            found.push(type_of(literal));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
