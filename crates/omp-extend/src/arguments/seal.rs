//! Keeps what is not the template's away from it.
//!
//! Placeholders and foreign tags become marks that occur nowhere else. So neither the template engine nor the
//! placeholders ever read what the other has put in, and foreign text comes back byte for byte.

use super::placeholder::{Placeholder, TemplatePart, parts};
use super::tags::{Piece, SpanKind};

/// Ends a mark; the number before it says which.
const END: char = '\u{e001}';

/// What a mark stands for.
enum Content<'a> {
    Arguments(Placeholder),
    Foreign(&'a str),
}

/// A body with marks.
pub(super) struct Sealed<'a> {
    pub(super) text: String,
    /// Whether any part of the body stands for arguments.
    pub(super) uses_arguments: bool,
    mark: String,
    contents: Vec<Content<'a>>,
}

impl<'a> Sealed<'a> {
    pub(super) fn new(pieces: &[Piece<'a>], body: &str, written: &str) -> Self {
        let mut sealed = Self {
            text: String::new(),
            uses_arguments: false,
            mark: unused(body, written),
            contents: Vec::new(),
        };
        for piece in pieces {
            sealed.add(piece);
        }
        sealed
    }

    fn add(&mut self, piece: &Piece<'a>) {
        match piece.kind {
            SpanKind::Text => self.add_text(piece.text),
            SpanKind::Foreign => {
                let holds = |part: &TemplatePart| matches!(part, TemplatePart::Placeholder(_));
                self.uses_arguments |= parts(piece.text).iter().any(holds);
                self.seal(Content::Foreign(piece.text));
            }
            SpanKind::AllArguments => {
                self.uses_arguments = true;
                self.seal(Content::Arguments(Placeholder::All));
            }
            SpanKind::Template { arguments } => {
                self.uses_arguments |= arguments;
                self.text.push_str(piece.text);
            }
        }
    }

    fn add_text(&mut self, text: &'a str) {
        for part in parts(text) {
            match part {
                TemplatePart::Text(text) => self.text.push_str(text),
                TemplatePart::Placeholder(placeholder) => {
                    self.uses_arguments = true;
                    self.seal(Content::Arguments(placeholder));
                }
            }
        }
    }

    fn seal(&mut self, content: Content<'a>) {
        self.text.push_str(&format!("{}{}{END}", self.mark, self.contents.len()));
        self.contents.push(content);
    }

    /// Puts the contents in place of the marks. Stops soon after `limit` bytes.
    pub(super) fn open(&self, rendered: &str, arguments: &[String], limit: usize) -> String {
        let mut pieces = rendered.split(self.mark.as_str());
        let mut text = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            if text.len() > limit {
                break;
            }
            let (number, rest) = piece.split_once(END).unwrap_or(("", piece));
            if let Some(content) = number.parse().ok().and_then(|number: usize| self.contents.get(number)) {
                content.write(arguments, limit, &mut text);
            }
            text.push_str(rest);
        }
        text
    }
}

impl Content<'_> {
    fn write(&self, arguments: &[String], limit: usize, text: &mut String) {
        match self {
            Self::Arguments(placeholder) => text.push_str(&placeholder.value(arguments)),
            Self::Foreign(written) => {
                for part in parts(written) {
                    match part {
                        _ if text.len() > limit => break,
                        TemplatePart::Text(plain) => text.push_str(plain),
                        TemplatePart::Placeholder(placeholder) => {
                            text.push_str(&placeholder.value(arguments));
                        }
                    }
                }
            }
        }
    }
}

/// The head of a mark that neither the body nor the arguments contain.
fn unused(body: &str, written: &str) -> String {
    let marks = (0u64..).map(|number| format!("\u{e000}{number}{END}"));
    let mut free = marks.filter(|mark| !body.contains(mark.as_str()) && !written.contains(mark.as_str()));
    free.next().expect("a text of finite length does not contain every number")
}
