//! Block 0: how to work, with which tone and tools.

use super::Section;

const INSTRUCTIONS: &str = include_str!("../../prompts/system.md");
const GUIDANCE: &str = include_str!("../../prompts/guidance.md");
const DEFAULT_TONE: &str = include_str!("../../prompts/personality-default.md");
const FRIENDLY_TONE: &str = include_str!("../../prompts/personality-friendly.md");
const PRAGMATIC_TONE: &str = include_str!("../../prompts/personality-pragmatic.md");

/// The tone of answers (`personality`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Personality {
    #[default]
    Default,
    Friendly,
    Pragmatic,
    /// Nothing is said about tone.
    None,
}

impl Personality {
    pub(crate) fn from_word(word: &str) -> Self {
        match word {
            "friendly" => Self::Friendly,
            "pragmatic" => Self::Pragmatic,
            "none" => Self::None,
            _ => Self::Default,
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Default => DEFAULT_TONE,
            Self::Friendly => FRIENDLY_TONE,
            Self::Pragmatic => PRAGMATIC_TONE,
            Self::None => "",
        }
    }
}

pub(super) fn sections(personality: Personality, tools: &[&str]) -> Vec<Section> {
    vec![
        Section::new("instructions", INSTRUCTIONS.trim_end()),
        Section::new("personality", personality.text().trim_end()),
        Section::new("tool guidance", guidance(tools)),
    ]
}

/// The lines whose tools are all on offer.
fn guidance(tools: &[&str]) -> String {
    if tools.is_empty() {
        return String::new();
    }
    let applies = |needed: &str| needed == "*" || needed.split(' ').all(|tool| tools.contains(&tool));
    let lines = GUIDANCE.lines().filter_map(|line| line.split_once(": "));
    let lines: Vec<String> =
        lines.filter(|(needed, _)| applies(needed)).map(|(_, text)| format!("- {text}")).collect();
    format!("# Tools\n{}", lines.join("\n"))
}
