//! The languages in which a model can describe an edit.

use omp_types::ToolDefinition;

use super::NAME;
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
        let (prompts, schema) = match self {
            Self::Hashline => {
                ([include_str!("prompt.md"), include_str!("short-prompt.md")], include_str!("schema.json"))
            }
            // The others are short as they are.
            Self::ApplyPatch => {
                ([include_str!("modes/apply_patch_prompt.md"); 2], include_str!("modes/apply_patch.json"))
            }
            Self::Patch => ([include_str!("modes/patch_prompt.md"); 2], include_str!("modes/patch.json")),
            Self::Replace => {
                ([include_str!("modes/replace_prompt.md"); 2], include_str!("modes/replace.json"))
            }
        };
        let definition = wording.definition(NAME, prompts, schema);
        // Models that know the envelope write it as plain text, where their interface has such tools.
        ToolDefinition { free_text: self == Self::ApplyPatch, ..definition }
    }
}
