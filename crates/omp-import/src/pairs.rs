//! Which result belongs to which call.
//!
//! Results may stand anywhere behind their call, on other branches, and between the parts of one answer. They are
//! found in a first pass, so that in the second every answer can be followed by all its results at once.

use std::collections::{HashMap, HashSet};

use crate::json::key;
use crate::lines::Span;

/// Calls and results of a file by call id, in the order of the file.
#[derive(Default)]
pub(crate) struct Pairs {
    marks: HashMap<u64, Vec<Mark>>,
    /// Results that were given to their calls and whose records are still to come.
    taken: HashSet<(u64, u64)>,
}

#[derive(Clone, Copy)]
enum Mark {
    Call(u64),
    Result(Span),
}

impl Mark {
    fn offset(self) -> u64 {
        match self {
            Self::Call(offset) => offset,
            Self::Result(span) => span.offset,
        }
    }
}

impl Pairs {
    pub(crate) fn call(&mut self, id: &str, at: Span) {
        self.marks.entry(key(id)).or_default().push(Mark::Call(at.offset));
    }

    pub(crate) fn result(&mut self, id: &str, at: Span) {
        self.marks.entry(key(id)).or_default().push(Mark::Result(at));
    }

    /// The first result of the call at `offset`, before another call uses the same id.
    pub(crate) fn take(&mut self, id: &str, offset: u64) -> Option<Span> {
        let marks = self.marks.get(&key(id))?;
        let next = marks.partition_point(|mark| mark.offset() <= offset);
        let Some(Mark::Result(span)) = marks.get(next) else { return None };
        let is_call =
            marks[..next].last().is_some_and(|mark| matches!(mark, Mark::Call(at) if *at == offset));
        if !is_call {
            return None;
        }
        self.taken.insert((key(id), span.offset)).then_some(*span)
    }

    /// Was the result at this place given to its call? Forgets it.
    pub(crate) fn was_taken(&mut self, id: &str, at: Span) -> bool {
        self.taken.remove(&(key(id), at.offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(offset: u64) -> Span {
        Span { offset, length: 1 }
    }

    #[test]
    fn a_call_takes_its_own_result() {
        let mut pairs = Pairs::default();
        pairs.result("a", at(0));
        pairs.call("a", at(1));
        pairs.call("a", at(2));
        pairs.result("a", at(3));
        pairs.result("a", at(4));
        assert_eq!(pairs.take("a", 1), None, "the next result belongs to the second use of the id");
        assert_eq!(pairs.take("a", 2), Some(at(3)));
        assert_eq!(pairs.take("a", 2), None, "once");
        assert_eq!(pairs.take("b", 2), None);
        assert!(pairs.was_taken("a", at(3)) && !pairs.was_taken("a", at(4)) && !pairs.was_taken("a", at(0)));
    }
}
