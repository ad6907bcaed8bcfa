//! Pasted text: typed, folded, asked about, or a path of a picture.

use std::sync::Arc;

use super::Editor;
use crate::command::Outcome;
use crate::content::{ImageHandle, Wrapping};
use crate::mode::Prefix;
use crate::text::Atom;

/// Most bytes that are put into the text unfolded.
const UNFOLDED: usize = 256 << 10;
/// Most bytes of everything in the editor.
const TOTAL: usize = 64 << 20;

/// A paste that waits for a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LargePaste {
    /// The text.
    pub text: Arc<str>,
    /// Its lines.
    pub lines: usize,
}

/// What becomes of a large paste.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PasteChoice {
    /// It is folded, and the model gets it inside an `<attachment>` block.
    Attachment,
    /// It becomes a `local://` file.
    File,
    /// It is put into the text as it is.
    Inline,
    /// Nothing was chosen: it is folded, and the model gets it as if it had been typed.
    Folded,
}

/// The menu: choice, label, explanation. Escape means [`PasteChoice::Folded`].
pub const PASTE_CHOICES: &[(PasteChoice, &str, &str)] = &[
    (PasteChoice::Attachment, "Attach", "send it as one marked block"),
    (PasteChoice::File, "Save as file", "keep it as a local:// file and send its name"),
    (PasteChoice::Inline, "Paste inline", "put the text into the prompt"),
];

/// Line ends of other systems become ours.
pub(super) fn normalised(text: &str) -> String {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text.to_owned() }
}

impl Editor {
    pub(super) fn paste(&mut self, text: &str) -> Outcome {
        if self.prefix() == Prefix::None
            && let Some(found) = crate::drop::dropped(text, &self.options.is_image)
        {
            if !found.others.is_empty() {
                let others = self.atoms.admit(&found.others.join(" "));
                self.insert_own(&format!("{others} "));
            }
            return Outcome::Attach(found.images);
        }
        let text = normalised(text);
        if text.is_empty() {
            return Outcome::Ignored;
        }
        if let Some(refusal) = self.refusal(text.len()) {
            return refusal;
        }
        let lines = text.lines().count();
        if self.options.ask_lines > 0 && lines >= self.options.ask_lines {
            self.large = Some(LargePaste { text: text.into(), lines });
            return Outcome::AskPaste;
        }
        if lines > self.options.fold_lines || text.len() > self.options.fold_bytes {
            return self.fold(text.into(), Wrapping::Inline);
        }
        self.unfold(&text)
    }

    pub(super) fn paste_raw(&mut self, text: &str) -> Outcome {
        let text = normalised(text);
        match self.refusal(text.len()) {
            Some(refusal) => refusal,
            None if text.is_empty() => Outcome::Ignored,
            None => self.unfold(&text),
        }
    }

    /// Puts text into the text; what is too much for that is folded.
    fn unfold(&mut self, text: &str) -> Outcome {
        let own = self.admitted(text);
        self.insert_own(&own)
    }

    /// Foreign text as it can be put into the text; what is too much for that is folded.
    pub(super) fn admitted(&mut self, text: &str) -> String {
        if text.len() > UNFOLDED || self.text.bytes() + text.len() > 4 * UNFOLDED {
            return self.atoms.add_paste(text.into(), Wrapping::Inline).to_string();
        }
        self.atoms.admit(text)
    }

    fn refusal(&self, bytes: usize) -> Option<Outcome> {
        let total = self.text.bytes() + self.atoms.bytes() + bytes;
        (total > TOTAL).then(|| {
            Outcome::Refused(format!(
                "the paste of {} MB is too large for a prompt ({} MB): save it to a file and mention it with @",
                bytes >> 20,
                TOTAL >> 20
            ))
        })
    }

    fn fold(&mut self, text: Arc<str>, wrapping: Wrapping) -> Outcome {
        let atom = self.atoms.add_paste(text, wrapping);
        self.insert_own(&atom.to_string())
    }

    /// The paste that waits for a choice.
    pub fn large_paste(&self) -> Option<&LargePaste> {
        self.large.as_ref()
    }

    /// Does with the waiting paste what was chosen.
    pub fn choose_paste(&mut self, choice: PasteChoice) -> Outcome {
        let Some(LargePaste { text, .. }) = self.large.take() else { return Outcome::Ignored };
        match choice {
            PasteChoice::Attachment => self.fold(text, Wrapping::Attachment),
            PasteChoice::Folded => self.fold(text, Wrapping::Inline),
            PasteChoice::Inline => self.unfold(&text),
            PasteChoice::File => Outcome::SavePaste(text),
        }
    }

    /// Puts a picture at the cursor, shown as `[Image #N]`.
    pub fn insert_image(&mut self, handle: ImageHandle) {
        let atom = self.atoms.add(Atom::Image { number: 0, handle });
        let gap = self.text.line(self.cursor.line)[..self.cursor.byte].chars().next_back();
        let gap = if gap.is_some_and(|c| !c.is_whitespace()) { " " } else { "" };
        self.insert_own(&format!("{gap}{atom} "));
    }
}
