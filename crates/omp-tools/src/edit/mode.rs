//! The languages in which a model can describe an edit.

use omp_types::ToolDefinition;

use super::TOOL;
use crate::Wording;

/// The language of a session's edits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EditMode {
    /// Line numbers of a tagged text.
    #[default]
    Hashline,
    /// A patch of several files in one envelope.
    ApplyPatch,
    /// Hunks of a diff for one file.
    Patch,
    /// One string in the place of another.
    Replace,
}

impl EditMode {
    /// All modes.
    pub const ALL: [Self; 4] = [Self::Hashline, Self::ApplyPatch, Self::Patch, Self::Replace];

    /// The word of the setting `edit.mode`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Hashline => "hashline",
            Self::ApplyPatch => "apply_patch",
            Self::Patch => "patch",
            Self::Replace => "replace",
        }
    }

    /// The mode that a word names.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.word() == word)
    }

    /// What the model is told about the tool.
    pub(super) fn definition(self, wording: Wording) -> ToolDefinition {
        let text = match self {
            Self::Hashline => include_str!("tool.md"),
            Self::ApplyPatch => include_str!("modes/apply_patch.md"),
            Self::Patch => include_str!("modes/patch.md"),
            Self::Replace => include_str!("modes/replace.md"),
        };
        let definition = wording.describe(TOOL, text);
        // Models that know the envelope write it as plain text, where their interface has such tools.
        ToolDefinition { free_text: self == Self::ApplyPatch, ..definition }
    }
}
