//! What fills the prompt.

use omp_types::ToolDefinition;
use serde::Serialize;

use super::SystemPrompt;

/// The prompt of a session and where its bytes go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PromptReport {
    /// The blocks as they are sent.
    pub blocks: Vec<String>,
    /// The sections of the prompt.
    pub sections: Vec<SectionSize>,
    /// The tools with their descriptions.
    pub tools: Vec<ToolSize>,
    /// Bytes of everything.
    pub bytes: usize,
    /// An estimate, as all tokens here.
    pub tokens: usize,
}

/// A section of the system prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SectionSize {
    /// The block that it is in.
    pub block: usize,
    /// What it is about.
    pub name: &'static str,
    /// Its bytes.
    pub bytes: usize,
    /// Its tokens, as we estimate them.
    pub tokens: usize,
}

/// Description and schema of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ToolSize {
    /// The name of the tool.
    pub name: String,
    /// Bytes of its description.
    pub bytes: usize,
    /// Its tokens, as we estimate them.
    pub tokens: usize,
}

fn tokens(text: &str) -> usize {
    usize::try_from(omp_tokens::estimate(text)).unwrap_or(usize::MAX)
}

impl PromptReport {
    /// `definitions` as the model gets them.
    pub(crate) fn new(prompt: &SystemPrompt, definitions: &[ToolDefinition]) -> Self {
        let blocks: Vec<String> = prompt.blocks().to_vec();
        let size = |tool: &ToolDefinition| {
            let bytes = tool.name.len() + tool.description.len() + tool.parameters.to_string().len();
            let tokens = usize::try_from(omp_tokens::tool(tool)).unwrap_or(usize::MAX);
            ToolSize { name: tool.name.clone(), bytes, tokens }
        };
        let tools: Vec<ToolSize> = definitions.iter().map(size).collect();
        let bytes = blocks.iter().map(String::len).sum::<usize>()
            + tools.iter().map(|tool| tool.bytes).sum::<usize>();
        let all = blocks.iter().map(|block| tokens(block)).sum::<usize>()
            + tools.iter().map(|tool| tool.tokens).sum::<usize>();
        Self { blocks, sections: sections(prompt), tools, bytes, tokens: all }
    }
}

fn sections(prompt: &SystemPrompt) -> Vec<SectionSize> {
    let mut sizes = Vec::new();
    for (block, sections) in prompt.blocks.iter().enumerate() {
        sizes.extend(sections.iter().map(|section| SectionSize {
            block,
            name: section.name,
            bytes: section.text.len(),
            tokens: tokens(&section.text),
        }));
    }
    sizes
}
