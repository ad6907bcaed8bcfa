//! The last lines that a server wrote to its standard error, and what we noticed about it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use crate::limits;

/// Shared by everything that belongs to one server; outlives its connections.
#[derive(Clone, Debug, Default)]
pub struct Log(Arc<Mutex<Tail>>);

#[derive(Debug, Default)]
struct Tail {
    lines: VecDeque<String>,
    bytes: usize,
}

impl Log {
    /// Adds a line; the oldest ones go.
    pub(crate) fn add(&self, line: impl AsRef<str>) {
        let line = limits::shortened(line.as_ref().trim_end(), limits::LOG_LINE);
        if line.is_empty() {
            return;
        }
        let mut tail = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tail.bytes += line.len();
        tail.lines.push_back(line);
        while tail.bytes > limits::LOG {
            let Some(oldest) = tail.lines.pop_front() else { break };
            tail.bytes -= oldest.len();
        }
    }

    /// The lines that are kept, oldest first. They are a stranger's.
    pub fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).lines.iter().cloned().collect()
    }

    /// The last line, for messages.
    pub(crate) fn last(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).lines.back().cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_is_kept() {
        let log = Log::default();
        for number in 0..100_000 {
            log.add(format!("line {number}\n"));
        }
        log.add("y".repeat(1 << 20));
        let lines = log.lines();
        assert!(lines.iter().map(String::len).sum::<usize>() <= limits::LOG);
        assert_eq!(lines[lines.len() - 2], "line 99999");
        assert!(lines.last().unwrap().len() < limits::LOG_LINE + 10);
    }
}
