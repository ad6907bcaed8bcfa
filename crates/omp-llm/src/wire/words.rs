//! Words that arrive as one stream of deltas: text and thoughts, each in the block that is open for its kind.

use crate::answer::Answer;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum DeltaKind {
    Text,
    Thinking,
}

/// The block that words go into, as long as they are of one kind.
#[derive(Default)]
pub(super) struct Words {
    current: Option<(DeltaKind, usize)>,
}

impl Words {
    pub(super) fn push(&mut self, kind: DeltaKind, words: &str, answer: &mut Answer) {
        if words.is_empty() {
            return;
        }
        let block = match self.current {
            Some((current, block)) if current == kind => block,
            _ => {
                self.close(answer);
                let block = if kind == DeltaKind::Text { answer.open_text() } else { answer.open_thinking() };
                self.current = Some((kind, block));
                block
            }
        };
        answer.push_text(block, words);
    }

    pub(super) fn close(&mut self, answer: &mut Answer) {
        if let Some((_, block)) = self.current.take() {
            answer.close(block);
        }
    }

    /// The open block and what it holds.
    pub(super) fn open(&self) -> Option<(DeltaKind, usize)> {
        self.current
    }
}
