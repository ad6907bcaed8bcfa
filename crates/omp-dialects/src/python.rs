//! Gemini and Gemma 3: calls as Python source in a fenced block.
//!
//! ~~~text
//! ```tool_code
//! print(default_api.read(path="a.txt"))
//! ```
//! ~~~
//!
//! The source is parsed, never run. The block ends at the first line that is nothing but a fence.

use serde_json::Value;

use super::output::Output;
use super::python_source::{self, Statement};
use super::scanner::{Block, Step};
use super::source::Source;

#[derive(Default)]
pub(crate) struct Code {
    /// The line that opened the block is behind us.
    is_open: bool,
    text: String,
    /// So much of the line that is still to come to its end was looked at: a file in an argument is one line.
    looked: usize,
}

impl Block for Code {
    fn step(&mut self, source: &mut Source, out: &mut Output) -> Step {
        let rest = source.rest();
        let Some(end) = memchr::memchr(b'\n', &rest.as_bytes()[self.looked..]) else {
            self.looked = rest.len();
            return if source.has_ended() && self.is_open && is_fence(rest) {
                source.skip_all();
                self.complete(out);
                Step::Done
            } else {
                Step::More
            };
        };
        let end = std::mem::take(&mut self.looked) + end;
        if !self.is_open {
            self.is_open = true;
        } else if is_fence(&rest[..end]) {
            // The line break behind the block is text again.
            source.skip(end);
            self.complete(out);
            return Step::Done;
        } else {
            self.text.push_str(&rest[..=end]);
        }
        source.skip(end + 1);
        Step::Again
    }

    fn end(&mut self, source: &mut Source, out: &mut Output) {
        self.text.push_str(if self.is_open { source.rest() } else { "" });
        out.truncate(&python_source::first_name(&self.text));
    }
}

impl Code {
    fn complete(&self, out: &mut Output) {
        for statement in python_source::parse(&self.text) {
            match statement {
                Statement::Call { name, arguments } => {
                    out.whole_call(&name, &Value::Object(arguments).to_string());
                }
                Statement::Invalid { name, written } if !name.is_empty() => out.whole_call(&name, &written),
                Statement::Invalid { .. } => out.truncate(""),
            }
        }
    }
}

fn is_fence(line: &str) -> bool {
    line.trim() == "```"
}
