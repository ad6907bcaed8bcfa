//! Killed texts, to be put back.

/// Texts that are kept.
const ENTRIES: usize = 60;
/// Bytes of them that are kept.
const BYTES: usize = 4 << 20;

/// A killed or copied text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kill {
    pub(crate) text: String,
    /// Whether it is whole lines, which vi puts below or above the line of the cursor.
    pub(crate) lines: bool,
}

/// From which end a kill adds to the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grow {
    Front,
    Back,
}

/// The latest killed texts, the newest last.
#[derive(Clone, Debug, Default)]
pub(crate) struct KillRing {
    entries: Vec<Kill>,
    /// How far back the last yank-pop went.
    turned: usize,
}

impl KillRing {
    /// Adds a text, to the newest one if `grow` says at which end.
    pub(crate) fn add(&mut self, text: &str, lines: bool, grow: Option<Grow>) {
        if text.is_empty() {
            return;
        }
        self.turned = 0;
        match (grow, self.entries.last_mut()) {
            (Some(Grow::Front), Some(last)) => last.text.insert_str(0, text),
            (Some(Grow::Back), Some(last)) => last.text.push_str(text),
            _ => self.entries.push(Kill { text: text.to_owned(), lines }),
        }
        let mut bytes: usize = self.entries.iter().map(|kill| kill.text.len()).sum();
        while self.entries.len() > ENTRIES || (bytes > BYTES && self.entries.len() > 1) {
            bytes -= self.entries.remove(0).text.len();
        }
    }

    /// The newest text.
    pub(crate) fn newest(&mut self) -> Option<Kill> {
        self.turned = 0;
        self.entries.last().cloned()
    }

    /// The text before the one last given, around the ring.
    pub(crate) fn older(&mut self) -> Option<Kill> {
        if self.entries.is_empty() {
            return None;
        }
        self.turned = (self.turned + 1) % self.entries.len();
        self.entries.get(self.entries.len() - 1 - self.turned).cloned()
    }

    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|kill| kill.text.as_str())
    }
}
