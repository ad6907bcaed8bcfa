//! The part of the answer that is not read yet.

use memchr::memchr_iter;

/// Text that was fed and not consumed. Small: whatever is understood leaves it at once.
#[derive(Default)]
pub(crate) struct Source {
    text: String,
    at: usize,
    ended: bool,
}

/// Where a search among the unread text ended.
pub(crate) enum LiteralSearch {
    /// The literal with this number begins after so many bytes.
    At(usize, usize),
    /// None of them begins in the first so many bytes; what follows may become one.
    Safe(usize),
}

impl Source {
    pub(crate) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Nothing more will come.
    pub(crate) fn end(&mut self) {
        self.ended = true;
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }

    pub(crate) fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    pub(crate) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    pub(crate) fn skip_all(&mut self) {
        self.at = self.text.len();
    }

    pub(crate) fn skip_space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    /// Consumes `literal` if it comes next.
    pub(crate) fn take(&mut self, literal: &str) -> bool {
        let taken = self.rest().starts_with(literal);
        self.at += if taken { literal.len() } else { 0 };
        taken
    }

    /// Forgets what was consumed.
    pub(crate) fn compact(&mut self) {
        self.text.drain(..self.at);
        self.at = 0;
    }

    /// Looks for the first of `literals`, all of which begin with `<`.
    pub(crate) fn find(&self, literals: &[&str]) -> LiteralSearch {
        let rest = self.rest();
        for start in memchr_iter(b'<', rest.as_bytes()) {
            let tail = &rest[start..];
            if let Some(which) = literals.iter().position(|literal| tail.starts_with(literal)) {
                return LiteralSearch::At(start, which);
            }
            if literals.iter().any(|literal| literal.starts_with(tail)) {
                return LiteralSearch::Safe(start);
            }
        }
        LiteralSearch::Safe(rest.len())
    }

    /// Can what comes next still become one of `literals`?
    pub(crate) fn may_become(&self, literals: &[&str]) -> bool {
        !self.ended && literals.iter().any(|literal| literal.starts_with(self.rest()))
    }
}

/// Is this remainder of a stream more likely a torn marker than words? A lone bracket is a character.
pub(crate) fn is_torn_marker(text: &str) -> bool {
    !matches!(text, "" | "<" | "</" | "<|") && !text.bytes().all(|byte| byte == b'`')
}
