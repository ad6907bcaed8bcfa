//! The `compat` block: a user's word on an endpoint's quirks, over what was detected.

use indexmap::IndexMap;
use omp_types::ThinkingLevel;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::fields::ProviderConfig;
use crate::model::{Compat, Strictness};
use crate::quirks::ChatQuirks;

/// What a provider's entry says about all of its models.
#[derive(Clone, Debug, Default)]
pub(super) struct Quirks {
    compat: Map<String, Value>,
    disable_strict: bool,
}

impl Quirks {
    pub(super) fn of(config: &ProviderConfig) -> Self {
        Self {
            compat: config.compat.clone().unwrap_or_default(),
            disable_strict: config.disable_strict_tools,
        }
    }

    /// Applies the provider's block, then the model's own. The error names the key.
    pub(super) fn apply(
        &self,
        compat: &mut Compat,
        model: Option<&Map<String, Value>>,
    ) -> Result<(), String> {
        apply_block(compat, &self.compat)?;
        self.refine(compat, model)
    }

    /// Applies a model's block over what already holds. What the provider rules out stays ruled out.
    pub(super) fn refine(
        &self,
        compat: &mut Compat,
        model: Option<&Map<String, Value>>,
    ) -> Result<(), String> {
        model.map_or(Ok(()), |block| apply_block(compat, block))?;
        if self.disable_strict {
            compat.strict = Strictness::Unsupported;
        }
        self.apply_thinking(compat, model)
    }

    /// `whenThinking` is a block of its own over everything else.
    fn apply_thinking(&self, compat: &mut Compat, model: Option<&Map<String, Value>>) -> Result<(), String> {
        let blocks: Vec<&Value> = [Some(&self.compat), model]
            .into_iter()
            .flatten()
            .filter_map(|block| block.get("whenThinking"))
            .collect();
        if blocks.is_empty() {
            return Ok(());
        }
        let mut thinking = compat.clone();
        for block in blocks {
            let Value::Object(keys) = block else {
                return Err("\"compat.whenThinking\" must be a mapping of compat settings".to_owned());
            };
            for (key, value) in keys {
                apply_key(&mut thinking, key, value)?;
            }
        }
        compat.when_thinking = Some(Box::new(thinking));
        Ok(())
    }

    /// What the user said, provider and model together, for showing.
    pub(super) fn given(&self, model: Option<&Map<String, Value>>) -> Map<String, Value> {
        let mut given = self.compat.clone();
        model.into_iter().for_each(|block| merge_blocks(&mut given, block));
        given
    }
}

/// Key by key; blocks inside of the block are merged, not replaced.
pub(super) fn merge_blocks(base: &mut Map<String, Value>, over: &Map<String, Value>) {
    for (key, value) in over {
        match (base.get_mut(key), value) {
            (Some(Value::Object(inner)), Value::Object(more)) => merge_blocks(inner, more),
            _ => {
                base.insert(key.clone(), value.clone());
            }
        }
    }
}

fn apply_block(compat: &mut Compat, block: &Map<String, Value>) -> Result<(), String> {
    block.iter().try_for_each(|(key, value)| apply_key(compat, key, value))
}

fn apply_key(compat: &mut Compat, key: &str, value: &Value) -> Result<(), String> {
    match key {
        "supportsStore" => compat.supports_store = read(key, value)?,
        "supportsDeveloperRole" => compat.supports_developer_role = read(key, value)?,
        "supportsUsageInStreaming" => compat.supports_usage_in_streaming = read(key, value)?,
        "supportsToolChoice" => compat.supports_tool_choice = read(key, value)?,
        "supportsTools" => compat.supports_tools = read(key, value)?,
        "supportsReasoningEffort" => compat.thinking.effort = read(key, value)?,
        "alwaysSendMaxTokens" => compat.always_send_max_tokens = read(key, value)?,
        "requiresToolResultName" => compat.requires_tool_result_name = read(key, value)?,
        "replayUnsignedThinking" => compat.thinking.replay_unsigned = read(key, value)?,
        "supportsLongPromptCacheRetention" => compat.long_cache_retention = read(key, value)?,
        "maxTokensField" => compat.max_tokens_field = read(key, value)?,
        "thinkingFormat" => compat.thinking.format = read(key, value)?,
        "reasoningContentField" => compat.thinking.field = read(key, value)?,
        "cacheControlFormat" => compat.cache_control = read(key, value)?,
        "streamIdleTimeoutMs" => compat.stream_idle_timeout_ms = read(key, value)?,
        "extraBody" => merge_blocks(&mut compat.extra_body, &read::<Map<String, Value>>(key, value)?),
        "supportsStrictMode" => {
            let supported: bool = read(key, value)?;
            compat.strict = if supported { Strictness::WherePossible } else { Strictness::Unsupported };
        }
        "toolStrictMode" => {
            compat.strict = match read::<String>(key, value)?.as_str() {
                "all_strict" => Strictness::Everywhere,
                "none" => Strictness::Unsupported,
                _ => return Err(format!("\"compat.{key}\" cannot be {value}: use all_strict or none")),
            };
        }
        "requiresToolResultId" => compat.tool_result_id = read(key, value)?,
        // Calls and results are paired on every host.
        "strictResponsesPairing" => drop(read::<bool>(key, value)?),
        // Read separately, when everything else is known.
        "whenThinking" => {}
        _ => return apply_chat_key(&mut compat.chat, key, value),
    }
    Ok(())
}

fn apply_chat_key(chat: &mut ChatQuirks, key: &str, value: &Value) -> Result<(), String> {
    match key {
        "supportsMultipleSystemMessages" => chat.multiple_system_messages = read(key, value)?,
        "disableReasoningOnForcedToolChoice" => chat.no_reasoning_with_forced_tools = read(key, value)?,
        "disableReasoningOnToolChoice" => chat.no_reasoning_with_tool_choice = read(key, value)?,
        "supportsReasoningParams" => chat.reasoning_params = read(key, value)?,
        "requiresReasoningContentForToolCalls" => chat.reasoning_for_calls = read(key, value)?,
        "allowsSyntheticReasoningContentForToolCalls" => chat.synthetic_reasoning = read(key, value)?,
        "requiresAssistantContentForToolCalls" => chat.text_for_calls = read(key, value)?,
        "requiresAssistantAfterToolResult" => chat.assistant_after_results = read(key, value)?,
        "requiresThinkingAsText" => chat.thinking_as_text = read(key, value)?,
        "requiresMistralToolIds" => chat.nine_letter_ids = read(key, value)?,
        "reasoningEffortMap" => {
            let words: IndexMap<ThinkingLevel, String> = read(key, value)?;
            let words = words.into_iter().map(|(level, word)| (level.name().to_owned(), word.into()));
            chat.effort_words.extend(words);
        }
        "openRouterRouting" => chat.openrouter_routing.extend(read::<Map<String, Value>>(key, value)?),
        "vercelGatewayRouting" => chat.vercel_routing.extend(read::<Map<String, Value>>(key, value)?),
        unknown => return Err(format!("unknown setting \"compat.{unknown}\"")),
    }
    Ok(())
}

fn read<T: DeserializeOwned>(key: &str, value: &Value) -> Result<T, String> {
    T::deserialize(value).map_err(|_| format!("\"compat.{key}\" cannot be {value}"))
}
