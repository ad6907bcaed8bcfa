//! The whole stream, kept somewhere else once the inline text does not show all of it.

use std::io;

/// Where a whole stream can go. Nothing is written for a stream that is shown completely.
pub trait Spill: Send {
    /// Takes the next part. The first call opens whatever is behind it. After an error no more calls come and
    /// the stream counts as not spilled.
    ///
    /// Called between two reads of the stream: an implementation that may block for long hands the text on.
    fn write(&mut self, text: &str) -> io::Result<()>;

    /// The stream has ended; the name under which it can be found.
    fn finish(&mut self) -> io::Result<String>;
}

/// A stream that was spilled completely.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spilled {
    /// What [`Spill::finish`] called it.
    pub name: String,
    pub bytes: u64,
}

/// Decides when to spill. Until then it holds the text back, which is never more than fits inline.
pub(super) struct Spiller {
    state: SpillState,
    bytes: u64,
}

enum SpillState {
    Off,
    Holding { spill: Box<dyn Spill>, held: String },
    Writing(Box<dyn Spill>),
}

impl Spiller {
    pub(super) fn new(spill: Option<Box<dyn Spill>>) -> Self {
        let state = match spill {
            Some(spill) => SpillState::Holding { spill, held: String::new() },
            None => SpillState::Off,
        };
        Self { state, bytes: 0 }
    }

    /// The next part of the stream, and whether the inline text hides something of what came so far.
    pub(super) fn push(&mut self, text: &str, hidden: Hidden) {
        self.state = match std::mem::replace(&mut self.state, SpillState::Off) {
            SpillState::Off => SpillState::Off,
            SpillState::Writing(spill) => self.write(spill, text),
            SpillState::Holding { spill, mut held } => {
                held.push_str(text);
                match hidden {
                    Hidden::Nothing => SpillState::Holding { spill, held },
                    Hidden::Something => self.write(spill, &held),
                }
            }
        };
    }

    pub(super) fn finish(self) -> Option<Spilled> {
        let SpillState::Writing(mut spill) = self.state else { return None };
        Some(Spilled { name: spill.finish().ok()?, bytes: self.bytes })
    }

    /// A spill that fails is given up: the command matters more than its record.
    fn write(&mut self, mut spill: Box<dyn Spill>, text: &str) -> SpillState {
        match spill.write(text) {
            Ok(()) => {
                self.bytes += text.len() as u64;
                SpillState::Writing(spill)
            }
            Err(_) => SpillState::Off,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hidden {
    Nothing,
    Something,
}
