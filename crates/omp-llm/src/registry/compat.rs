//! The `compat` block: a user's word on an endpoint's quirks, over what was detected.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::file::ProviderConfig;
use crate::model::{Compat, Strictness};

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
        for (key, value) in self.compat.iter().chain(model.into_iter().flatten()) {
            apply_key(compat, key, value)?;
        }
        if self.disable_strict {
            compat.strict = Strictness::Unsupported;
        }
        Ok(())
    }
}

/// Documented keys that parts of a later release read.
const LATER: [&str; 18] = [
    "allowsSyntheticReasoningContentForToolCalls",
    "disableReasoningOnForcedToolChoice",
    "disableReasoningOnToolChoice",
    "openRouterRouting",
    "reasoningEffortMap",
    "requiresAssistantAfterToolResult",
    "requiresAssistantContentForToolCalls",
    "requiresMistralToolIds",
    "requiresReasoningContentForToolCalls",
    "requiresThinkingAsText",
    "requiresToolResultId",
    "strictResponsesPairing",
    "supportsMultipleSystemMessages",
    "supportsReasoningParams",
    "toolStrictMode",
    "vercelGatewayRouting",
    "whenThinking",
    "supportsTools",
];

fn apply_key(compat: &mut Compat, key: &str, value: &Value) -> Result<(), String> {
    match key {
        "supportsStore" => compat.supports_store = read(key, value)?,
        "supportsDeveloperRole" => compat.supports_developer_role = read(key, value)?,
        "supportsUsageInStreaming" => compat.supports_usage_in_streaming = read(key, value)?,
        "supportsToolChoice" => compat.supports_tool_choice = read(key, value)?,
        "supportsReasoningEffort" => compat.supports_reasoning_effort = read(key, value)?,
        "alwaysSendMaxTokens" => compat.always_send_max_tokens = read(key, value)?,
        "requiresToolResultName" => compat.requires_tool_result_name = read(key, value)?,
        "replayUnsignedThinking" => compat.replay_unsigned_thinking = read(key, value)?,
        "supportsLongPromptCacheRetention" => compat.long_cache_retention = read(key, value)?,
        "maxTokensField" => compat.max_tokens_field = read(key, value)?,
        "thinkingFormat" => compat.thinking_format = read(key, value)?,
        "reasoningContentField" => compat.reasoning_field = read(key, value)?,
        "cacheControlFormat" => compat.cache_control = read(key, value)?,
        "streamIdleTimeoutMs" => compat.stream_idle_timeout_ms = read(key, value)?,
        "extraBody" => compat.extra_body.extend(read::<Map<String, Value>>(key, value)?),
        "supportsStrictMode" => {
            let supported: bool = read(key, value)?;
            compat.strict = if supported { Strictness::WherePossible } else { Strictness::Unsupported };
        }
        later if LATER.contains(&later) => {}
        unknown => return Err(format!("\"compat.{unknown}\" is not a known setting.")),
    }
    Ok(())
}

fn read<T: DeserializeOwned>(key: &str, value: &Value) -> Result<T, String> {
    T::deserialize(value).map_err(|_| format!("\"compat.{key}\" cannot be {value}."))
}
