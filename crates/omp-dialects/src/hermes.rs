//! Qwen 3: one JSON object with name and arguments between tags.
//!
//! ```text
//! <tool_call>
//! {"name": "read", "arguments": {"path": "a.txt"}}
//! </tool_call>
//! ```

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::value::RawValue;

use super::json_text::JsonText;
use super::output::Output;
use super::scanner::{Block, Step};
use super::source::{LiteralSearch, Source};

const CALL: &str = "<tool_call>";
const CALL_END: &str = "</tool_call>";

#[derive(Default)]
pub(crate) struct Call {
    text: String,
}

impl Block for Call {
    fn step(&mut self, source: &mut Source, out: &mut Output) -> Step {
        let (bytes, end) = match source.find(&[CALL_END, CALL]) {
            LiteralSearch::At(offset, which) => (offset, Some(which)),
            LiteralSearch::Safe(bytes) => (bytes, None),
        };
        self.text.push_str(&source.rest()[..bytes]);
        source.skip(bytes);
        match end {
            None => return Step::More,
            Some(0) => {
                source.skip(CALL_END.len());
                self.complete(out);
            }
            // Another call begins; this one was not closed.
            Some(_) => self.end(source, out),
        }
        Step::Done
    }

    fn end(&mut self, _source: &mut Source, out: &mut Output) {
        out.truncate(name_in(&self.text));
    }
}

impl Call {
    fn complete(&self, out: &mut Output) {
        let (mut json, mut mended) = (JsonText::default(), String::new());
        json.push(&self.text, &mut mended);
        json.finish(&mut mended);
        match parsed(&mended) {
            Some((name, arguments)) => out.whole_call(&name, &arguments),
            None => match name_in(&self.text) {
                "" => out.truncate(""),
                name => out.whole_call(name, &self.text),
            },
        }
    }
}

/// The name and the arguments, which are checked and left as they are written: they may be a whole file.
fn parsed(text: &str) -> Option<(String, Cow<'_, str>)> {
    let members: HashMap<String, &RawValue> = serde_json::from_str(text).ok()?;
    let name: String = serde_json::from_str(members.get("name")?.get()).ok()?;
    let written = members.get("arguments").map_or("null", |value| value.get());
    let arguments = match written.as_bytes().first() {
        Some(b'n') => Cow::Borrowed("{}"),
        // Some write the arguments as a string of JSON.
        Some(b'"') => Cow::Owned(serde_json::from_str(written).ok()?),
        _ => Cow::Borrowed(written),
    };
    (!name.is_empty()).then_some((name, arguments))
}

/// The name in an object that cannot be parsed, as far as it can be told.
fn name_in(text: &str) -> &str {
    let value = text.split_once("\"name\"").and_then(|(_, rest)| rest.trim_start().strip_prefix(':'));
    let quoted = value.and_then(|value| value.trim_start().strip_prefix('"'));
    quoted.and_then(|quoted| quoted.split_once('"')).map_or("", |(name, _)| name)
}
