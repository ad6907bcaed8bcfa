//! What hosts want differently about thinking and on the chat-completions wire. Each field is a `compat` key; its default is what the host and the
//! model's id tell.

use serde_json::{Map, Value};

use crate::compat::{Host, ReasoningField, ThinkingFormat};
use crate::model::Api;

/// How thinking is asked for and read back.
#[derive(Clone, Debug, PartialEq)]
pub struct ThinkingQuirks {
    /// Levels have names; otherwise thinking is on or off.
    pub effort: bool,
    pub format: ThinkingFormat,
    pub field: ReasoningField,
    /// Thoughts between calls of one answer can be asked for.
    pub interleaved: bool,
    /// Thoughts without a signature are sent back.
    pub replay_unsigned: bool,
}

impl ThinkingQuirks {
    pub(crate) fn detect(api: Api, host: &Host, model_id: &str) -> Self {
        let openrouter = host.is("openrouter.ai");
        let zhipu = host.within("z.ai") || host.within("bigmodel.cn");
        Self {
            // Of the models Ollama runs, this family alone takes a word instead of on and off.
            effort: if api == Api::OllamaChat {
                model_id.contains("gpt-oss")
            } else {
                !(host.within("x.ai") || zhipu || host.within("xiaomimimo.com"))
            },
            format: match (openrouter, zhipu) {
                (true, _) => ThinkingFormat::Openrouter,
                (_, true) => ThinkingFormat::Zai,
                _ => ThinkingFormat::Openai,
            },
            field: if openrouter { ReasoningField::Reasoning } else { ReasoningField::ReasoningContent },
            interleaved: api == Api::AnthropicMessages && host.is("api.anthropic.com"),
            replay_unsigned: false,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct ChatQuirks {
    /// System blocks stay messages of their own; otherwise they are joined, as strict chat templates want it.
    pub multiple_system_messages: bool,
    /// A demanded call and reasoning exclude each other.
    pub no_reasoning_with_forced_tools: bool,
    /// Any `tool_choice` and reasoning exclude each other.
    pub no_reasoning_with_tool_choice: bool,
    /// Parameters about reasoning may be sent at all.
    pub reasoning_params: bool,
    /// The host's own words for levels.
    pub effort_words: Map<String, Value>,
    /// Turns with calls must carry the thoughts that led to them.
    pub reasoning_for_calls: bool,
    /// A placeholder may stand for thoughts that were not kept.
    pub synthetic_reasoning: bool,
    /// Turns with calls must have words, too.
    pub text_for_calls: bool,
    /// An assistant turn must stand between results and the user's next words.
    pub assistant_after_results: bool,
    /// Thoughts are replayed as text in tags.
    pub thinking_as_text: bool,
    /// Call ids are exactly nine letters and digits.
    pub nine_letter_ids: bool,
    /// Sent to OpenRouter only.
    pub openrouter_routing: Map<String, Value>,
    /// Sent to Vercel's gateway only.
    pub vercel_routing: Map<String, Value>,
}

/// Hosts that take several system messages.
const SEVERAL_SYSTEM_MESSAGES: [&str; 10] = [
    "api.openai.com",
    "openai.azure.com",
    "openrouter.ai",
    "api.groq.com",
    "api.x.ai",
    "api.deepseek.com",
    "api.together.xyz",
    "api.fireworks.ai",
    "api.cerebras.ai",
    "ai-gateway.vercel.sh",
];

impl ChatQuirks {
    pub(crate) fn detect(host: &Host, model_id: &str) -> Self {
        let id = model_id.to_lowercase();
        let kimi = host.within("moonshot.ai") || host.within("moonshot.cn") || id.contains("kimi");
        let claude = host.is("openrouter.ai") && id.starts_with("anthropic/");
        let deepseek = host.within("deepseek.com");
        let mistral = host.is("api.mistral.ai");
        let mut effort_words = Map::new();
        if deepseek {
            effort_words.insert("xhigh".to_owned(), "max".into());
        }
        Self {
            multiple_system_messages: SEVERAL_SYSTEM_MESSAGES.iter().any(|name| host.within(name)),
            no_reasoning_with_forced_tools: kimi || claude,
            no_reasoning_with_tool_choice: deepseek,
            reasoning_params: !host.within("githubcopilot.com"),
            effort_words,
            reasoning_for_calls: kimi || deepseek,
            synthetic_reasoning: true,
            text_for_calls: kimi,
            assistant_after_results: mistral,
            thinking_as_text: mistral,
            nine_letter_ids: mistral,
            openrouter_routing: Map::new(),
            vercel_routing: Map::new(),
        }
    }
}
