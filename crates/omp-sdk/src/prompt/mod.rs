//! The system prompt: stable instructions first, then a footer about this place, then what the user appends.
//!
//! Blocks depend on nothing that changes within a session, so that every request of the session begins with
//! the same bytes.
//!
//! Beside it stands what prompts are made from: [`knowledge`] (context files, skills, rules), [`sources`] (what a session was
//! told of them), and what a person types ([`input`], [`expand`], [`mentions`], [`attach`]).

pub(crate) mod attach;
pub(crate) mod bundled_commands;
pub(crate) mod discovered;
pub(crate) mod expand;
mod footer;
pub(crate) mod input;
mod instructions;
pub(crate) mod knowledge;
pub(crate) mod mentions;
mod report;
pub(crate) mod sources;
mod tree;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use omp_tools::Wording;

pub(crate) use instructions::Personality;
pub use report::{PromptReport, SectionSize, ToolSize};
pub(crate) use tree::tree;

/// What the user changes about the prompt.
#[derive(Clone, Debug, Default)]
pub struct PromptOptions {
    /// Replaces the instructions. `None`: `SYSTEM.md` of the project or the user, if there is one.
    pub system: Option<String>,
    /// Added after everything else, or right after the instructions when these are replaced too. `None`:
    /// `APPEND_SYSTEM.md`, if there is one.
    pub append: Option<String>,
    /// Nothing at all is said, not even where we are.
    pub silence: bool,
}

/// How large the prompt may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) wording: Wording,
    /// Bytes of one context file, and of all of them together, in every request.
    pub(crate) context_file: usize,
    pub(crate) context_files: usize,
    /// Lines of the workspace tree.
    pub(crate) tree: usize,
}

impl Size {
    /// What suits a window of so many tokens. In a small one, context files may take about a quarter.
    pub(crate) fn for_window(tokens: u64) -> Self {
        let wording = Wording::for_window(tokens);
        match wording {
            Wording::Full => Self { wording, context_file: 64 * 1024, context_files: 128 * 1024, tree: 120 },
            Wording::Short => {
                let bytes = usize::try_from(tokens).unwrap_or(usize::MAX);
                Self { wording, context_file: bytes / 2, context_files: bytes, tree: 20 }
            }
        }
    }
}

/// Everything that goes into the prompt.
pub(crate) struct Ingredients<'a> {
    pub(crate) custom: Option<&'a str>,
    pub(crate) append: Option<&'a str>,
    pub(crate) size: Size,
    pub(crate) personality: Personality,
    /// Names of the tools on offer.
    pub(crate) tools: &'a [&'a str],
    /// Rules that always apply, skills, rules on demand: each rendered, in this order.
    pub(crate) knowledge: Vec<Section>,
    pub(crate) place: SessionFacts<'a>,
}

/// Where the session works.
pub(crate) struct SessionFacts<'a> {
    pub(crate) cwd: &'a Path,
    /// Further directories of the workspace.
    pub(crate) roots: &'a [PathBuf],
    pub(crate) today: &'a str,
    pub(crate) model: Option<&'a str>,
    /// Path and content.
    pub(crate) context: Vec<(&'a Path, &'a str)>,
    pub(crate) subdirectories: &'a [PathBuf],
    pub(crate) tree: Option<String>,
}

/// A named piece of the prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Section {
    pub(crate) name: &'static str,
    pub(crate) text: String,
}

impl Section {
    pub(crate) fn new(name: &'static str, text: impl Into<String>) -> Self {
        Self { name, text: text.into() }
    }
}

/// The prompt, still in pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SystemPrompt {
    blocks: Vec<Vec<Section>>,
}

impl SystemPrompt {
    pub(crate) fn build(ingredients: Ingredients<'_>) -> Self {
        let append = |text: &str| vec![Section::new("append", text)];
        let append = ingredients.append.filter(|text| !text.trim().is_empty()).map(append);
        let footer = footer::sections(&ingredients.place, ingredients.size);
        let mut blocks = Vec::new();
        match ingredients.custom {
            Some(custom) => {
                blocks.push(vec![Section::new("custom instructions", custom)]);
                blocks.extend(append);
                blocks.push(ingredients.knowledge);
                blocks.push(footer);
            }
            None => {
                let mut first = instructions::sections(
                    ingredients.size.wording,
                    ingredients.personality,
                    ingredients.tools,
                );
                first.extend(ingredients.knowledge);
                blocks.push(first);
                blocks.push(footer);
                blocks.extend(append);
            }
        }
        for block in &mut blocks {
            block.retain(|section| !section.text.trim().is_empty());
        }
        blocks.retain(|block| !block.is_empty());
        Self { blocks }
    }

    /// The blocks as they are sent.
    pub(crate) fn blocks(&self) -> Arc<[String]> {
        self.blocks.iter().map(|block| join(block)).collect()
    }
}

fn join(block: &[Section]) -> String {
    let texts: Vec<&str> = block.iter().map(|section| section.text.as_str()).collect();
    texts.join("\n\n")
}

#[cfg(test)]
mod tests;
