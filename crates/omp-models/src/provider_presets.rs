//! Descriptions of providers that are written to the user's models file on demand. They name variables; no key is
//! ever stored or looked at.

use std::path::PathBuf;

use omp_config::Directories;
use omp_config::settings::{SettingsError, add_entry, has_entry};
use serde_json::{Value, json};

/// A provider that can be described by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderPreset {
    /// MiniMax, international.
    MiniMax,
    /// MiniMax, China.
    MiniMaxCn,
    /// GLM of Z.ai.
    Glm,
}

impl ProviderPreset {
    /// `minimax`, `minimax-cn`, or `glm` under any of its names.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "minimax" => Some(Self::MiniMax),
            "minimax-cn" => Some(Self::MiniMaxCn),
            "glm" | "zai" | "z-ai" => Some(Self::Glm),
            _ => None,
        }
    }

    /// The id of the provider in the file.
    pub fn provider(self) -> &'static str {
        match self {
            Self::MiniMax => "minimax-proxy",
            Self::MiniMaxCn => "minimax-cn-proxy",
            Self::Glm => "glm-proxy",
        }
    }

    /// The variable that holds the key.
    pub fn variable(self) -> &'static str {
        match self {
            Self::MiniMax => "MINIMAX_CODE_API_KEY",
            Self::MiniMaxCn => "MINIMAX_CODE_CN_API_KEY",
            Self::Glm => "ZAI_API_KEY",
        }
    }

    fn description(self) -> Value {
        let (base_url, model) = match self {
            Self::MiniMax => ("https://api.minimax.io/v1", "MiniMax-M2.5"),
            Self::MiniMaxCn => ("https://api.minimaxi.com/v1", "MiniMax-M2.5"),
            Self::Glm => ("https://api.z.ai/api/paas/v4", "glm-4.6"),
        };
        let compat = match self {
            Self::MiniMax | Self::MiniMaxCn => json!({
                "supportsStore": false,
                "supportsDeveloperRole": false,
                "supportsMultipleSystemMessages": false,
                "supportsReasoningEffort": false,
                "reasoningContentField": "reasoning_content",
            }),
            Self::Glm => json!({"supportsDeveloperRole": false, "supportsReasoningEffort": false}),
        };
        json!({
            "baseUrl": base_url,
            "apiKeyEnv": self.variable(),
            "api": "openai-completions",
            "compat": compat,
            "models": [{"id": model}],
        })
    }
}

/// What became of a request to add a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProviderAdded {
    /// It is in this file now.
    Written(PathBuf),
    /// The file had a provider of that id, which stays as it is.
    AlreadyThere(PathBuf),
}

/// Whether the user's models file describes a provider; nothing is written.
pub fn has_provider(directories: &Directories, preset: ProviderPreset) -> Result<bool, SettingsError> {
    has_entry(&directories.models_file(), &format!("providers.{}", preset.provider()))
}

/// Describes a provider in the user's models file; everything else in it stays.
pub fn add_provider(
    directories: &Directories,
    preset: ProviderPreset,
) -> Result<ProviderAdded, SettingsError> {
    let file = directories.models_file();
    let place = format!("providers.{}", preset.provider());
    Ok(match add_entry(&file, &place, preset.description())? {
        Some(_) => ProviderAdded::Written(file),
        None => ProviderAdded::AlreadyThere(file),
    })
}
