//! Block 0: how to work, with which tone and tools.

use omp_tools::Wording;

use super::Section;

const INSTRUCTIONS: &str = include_str!("../../prompts/system.md");
const GUIDANCE: &str = include_str!("../../prompts/guidance.md");
const SHORT_INSTRUCTIONS: &str = include_str!("../../prompts/system-short.md");
const SHORT_GUIDANCE: &str = include_str!("../../prompts/guidance-short.md");
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

pub(super) fn sections(wording: Wording, personality: Personality, tools: &[&str]) -> Vec<Section> {
    let (instructions, guidance, tone) = match (wording, personality) {
        (Wording::Full, _) => (INSTRUCTIONS, GUIDANCE, personality.text()),
        // Only a tone that the user chose is worth its room.
        (Wording::Short, Personality::Default) => (SHORT_INSTRUCTIONS, SHORT_GUIDANCE, ""),
        (Wording::Short, _) => (SHORT_INSTRUCTIONS, SHORT_GUIDANCE, personality.text()),
    };
    vec![
        Section::new("instructions", instructions.trim_end()),
        Section::new("personality", tone.trim_end()),
        Section::new("tool guidance", applying(guidance, tools)),
    ]
}

/// The lines whose tools are all on offer.
fn applying(guidance: &str, tools: &[&str]) -> String {
    if tools.is_empty() {
        return String::new();
    }
    let applies = |needed: &str| needed == "*" || needed.split(' ').all(|tool| tools.contains(&tool));
    let lines = guidance.lines().filter_map(|line| line.split_once(": "));
    let lines: Vec<String> =
        lines.filter(|(needed, _)| applies(needed)).map(|(_, text)| format!("- {text}")).collect();
    format!("# Tools\n{}", lines.join("\n"))
}
