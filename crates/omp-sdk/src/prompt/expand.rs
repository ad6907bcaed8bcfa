//! Prompts that begin with `/`: skills, Markdown commands, templates. What is none of them stays as written.

use omp_agent::{Prompt, PromptForm};
use omp_config::settings::{Settings, keys};
use omp_extend::resolve::{self, CommandKind};
use omp_extend::{Commands, Skills};
use omp_types::{UserBlock, UserContent};
use serde_json::json;

use crate::session::setup::SKILL_PROMPT;

/// A prompt as it goes to the model.
pub(crate) struct Expansion {
    pub(crate) prompt: Prompt,
    pub(crate) warnings: Vec<String>,
}

/// Expands what the user typed. `commands` are looked up only when they are needed.
pub(crate) fn expand(
    prompt: Prompt,
    skills: &Skills,
    settings: &Settings,
    commands: impl FnOnce() -> Commands,
) -> Expansion {
    let unchanged = |prompt| Expansion { prompt, warnings: Vec::new() };
    let Some(text) = typed(&prompt.content).filter(|text| resolve::is_call(text)) else {
        return unchanged(prompt);
    };
    if let Some(call) = resolve::call(text, CommandKind::Skill)
        && settings.get(keys::SKILLS_ENABLE_SKILL_COMMANDS)
        && skills.get(call.name).is_some()
    {
        return match skills.invoke(call.name, call.arguments) {
            Ok(message) => unchanged(Prompt {
                form: PromptForm::Custom {
                    custom_type: SKILL_PROMPT.into(),
                    details: json!({
                        "name": message.name,
                        "path": message.path,
                        "args": message.arguments,
                    }),
                },
                content: with_text(prompt.content, message.text),
            }),
            Err(error) => Expansion { prompt, warnings: vec![error.to_string()] },
        };
    }
    match commands().expand(text) {
        Some(expanded) => Expansion {
            prompt: Prompt { content: with_text(prompt.content, expanded.text), form: prompt.form },
            warnings: expanded.warnings,
        },
        None => unchanged(prompt),
    }
}

/// The text of a prompt; with pictures, its first text.
pub(crate) fn typed(content: &UserContent) -> Option<&str> {
    match content {
        UserContent::Text(text) => Some(text),
        UserContent::Blocks(blocks) => blocks.iter().find_map(UserBlock::as_text),
    }
}

/// Puts `text` where the typed one stood.
pub(crate) fn with_text(content: UserContent, text: String) -> UserContent {
    match content {
        UserContent::Text(_) => UserContent::Text(text),
        UserContent::Blocks(mut blocks) => {
            if let Some(block) = blocks.iter_mut().find(|block| block.as_text().is_some()) {
                *block = UserBlock::text(text);
            }
            UserContent::Blocks(blocks)
        }
    }
}
