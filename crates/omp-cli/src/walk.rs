//! How argv falls into flags with values, words and literals: the one place that knows the grammar.
//!
//! Routing, profile extraction, the two launch passes and the commands all walk argv with [`Walk`] and
//! differ only in the flags they look up, so they cannot disagree about which token is whose value.

use std::ffi::{OsStr, OsString};
use std::ops::Range;

use crate::table::{Flag, Takes};

/// Which token a flag takes as its value when none is attached with `=`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Appetite {
    Nothing,
    /// The next one, whatever it looks like, so that `--system-prompt --foo` needs no quoting rules.
    Next,
    /// The next one unless it starts with `-`.
    NextUnlessDash,
}

impl From<Takes> for Appetite {
    fn from(takes: Takes) -> Appetite {
        match takes {
            Takes::Nothing => Appetite::Nothing,
            Takes::Required(_) => Appetite::Next,
            Takes::Optional(_) => Appetite::NextUnlessDash,
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Item<'a, S> {
    Flag {
        spec: S,
        /// As typed, dashes included, without `=value`.
        spelled: &'a str,
        value: Option<&'a OsStr>,
    },
    /// A flag nobody looked up. Lossy, because it is only ever shown.
    Unknown(String),
    Word(&'a OsStr),
    /// A token after `--`: a word whatever it looks like.
    Literal(&'a OsStr),
}

/// Finds what a spelling such as `--model` or `-p` means and how it gets its value.
pub(crate) trait Lookup {
    type Spec;
    fn find(&self, spelled: &str) -> Option<(Self::Spec, Appetite)>;
}

/// A lookup in a flag table.
pub(crate) struct Table<F>(pub(crate) F);

impl<F: Fn(&str) -> Option<&'static Flag>> Lookup for Table<F> {
    type Spec = &'static Flag;
    fn find(&self, spelled: &str) -> Option<(&'static Flag, Appetite)> {
        (self.0)(spelled).map(|flag| (flag, flag.takes.into()))
    }
}

pub(crate) struct Walk<'a, L> {
    argv: &'a [OsString],
    next: usize,
    literal: bool,
    lookup: L,
}

impl<'a, L: Lookup> Walk<'a, L> {
    pub(crate) fn new(argv: &'a [OsString], lookup: L) -> Walk<'a, L> {
        Walk { argv, next: 0, literal: false, lookup }
    }

    fn flag(&mut self, name: &'a OsStr, attached: Option<&'a OsStr>) -> Item<'a, L::Spec> {
        let known = name.to_str().and_then(|spelled| Some((spelled, self.lookup.find(spelled)?)));
        let Some((spelled, (spec, appetite))) = known else {
            return Item::Unknown(name.to_string_lossy().into_owned());
        };
        let value = match (appetite, attached) {
            // A value attached to a switch is dropped: it must not become a message.
            (Appetite::Nothing, _) => None,
            (_, Some(value)) => Some(value),
            (Appetite::Next, None) => self.take(),
            (Appetite::NextUnlessDash, None) => self.take_unless_dash(),
        };
        Item::Flag { spec, spelled, value }
    }

    fn take(&mut self) -> Option<&'a OsStr> {
        let token = self.argv.get(self.next)?;
        self.next += 1;
        Some(token)
    }

    fn take_unless_dash(&mut self) -> Option<&'a OsStr> {
        let token = self.argv.get(self.next)?;
        if token.as_encoded_bytes().starts_with(b"-") { None } else { self.take() }
    }
}

impl<'a, L: Lookup> Iterator for Walk<'a, L> {
    /// The positions of the tokens that belong to the item, and the item.
    type Item = (Range<usize>, Item<'a, L::Spec>);

    fn next(&mut self) -> Option<Self::Item> {
        let mut start = self.next;
        let mut token = self.take()?;
        if !self.literal && token == "--" {
            self.literal = true;
            start = self.next;
            token = self.take()?;
        }
        let item = if self.literal {
            Item::Literal(token)
        } else if looks_like_flag(token) {
            let (name, attached) = split_at_equals(token);
            self.flag(name, attached)
        } else {
            Item::Word(token)
        };
        Some((start..self.next, item))
    }
}

/// A lone `-` is a message, and so is `- item`: no flag has a space after its dash, but a prompt that
/// is a Markdown list does.
fn looks_like_flag(token: &OsStr) -> bool {
    match token.as_encoded_bytes() {
        [b'-', second, ..] => !second.is_ascii_whitespace(),
        _ => false,
    }
}

fn split_at_equals(token: &OsStr) -> (&OsStr, Option<&OsStr>) {
    let Some(at) = token.as_encoded_bytes().iter().position(|&byte| byte == b'=') else {
        return (token, None);
    };
    match (sub(token, 0..at), sub(token, at + 1..token.len())) {
        (Some(name), Some(value)) => (name, Some(value)),
        _ => (token, None),
    }
}

/// The part of a token at these byte positions. On Unix any bytes will do; elsewhere only text can be
/// cut without unsafe code, and there a token that is not text stays whole.
pub(crate) fn sub(token: &OsStr, range: Range<usize>) -> Option<&OsStr> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        token.as_bytes().get(range).map(OsStr::from_bytes)
    }
    #[cfg(not(unix))]
    {
        token.to_str().and_then(|text| text.get(range)).map(OsStr::new)
    }
}
