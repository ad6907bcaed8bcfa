//! What a child process sees of the environment.
//!
//! Built in this order: what was inherited, minus the secrets of model providers, plus the settings that keep
//! programs from asking questions nobody can answer, plus what the caller asked for.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// Variables that lead git to another repository, or to other programs.
const LEADING_GIT: [&str; 12] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_EXTERNAL_DIFF",
    "GIT_TEMPLATE_DIR",
    "GIT_EXEC_PATH",
];

/// A complete set of environment variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment(BTreeMap<OsString, OsString>);

/// Whether programs are told that they run in a build farm, which keeps many of them from asking questions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ci {
    #[default]
    Announced,
    /// As it was inherited.
    Inherited,
}

/// Answers to questions that programs would otherwise put to a person.
const UNATTENDED: &[(&str, &str)] = &[
    // Pagers wait for a key.
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("SYSTEMD_PAGER", "cat"),
    ("GH_PAGER", "cat"),
    ("BAT_PAGER", "cat"),
    ("DELTA_PAGER", "cat"),
    ("PSQL_PAGER", "cat"),
    ("AWS_PAGER", ""),
    // Editors wait for a person. `true` accepts what is there.
    ("EDITOR", "true"),
    ("VISUAL", "true"),
    ("GIT_EDITOR", "true"),
    ("GIT_SEQUENCE_EDITOR", "true"),
    // Passwords and confirmations.
    ("GIT_TERMINAL_PROMPT", "0"),
    ("SSH_ASKPASS", "/usr/bin/false"),
    ("GH_PROMPT_DISABLED", "1"),
    ("DEBIAN_FRONTEND", "noninteractive"),
    ("PIP_NO_INPUT", "1"),
    ("PIP_DISABLE_PIP_VERSION_CHECK", "1"),
    ("NPM_CONFIG_YES", "true"),
    ("NPM_CONFIG_FUND", "false"),
    ("NPM_CONFIG_AUDIT", "false"),
    ("NPM_CONFIG_UPDATE_NOTIFIER", "false"),
    ("COREPACK_ENABLE_DOWNLOAD_PROMPT", "0"),
    ("COMPOSER_NO_INTERACTION", "1"),
    ("CLOUDSDK_CORE_DISABLE_PROMPTS", "1"),
    ("HOMEBREW_NO_AUTO_UPDATE", "1"),
    ("TF_INPUT", "0"),
];

impl Environment {
    /// The environment of this process.
    pub fn inherited() -> Self {
        std::env::vars_os().collect()
    }

    /// Without the variables that `secrets` names.
    pub fn without(mut self, secrets: &SecretNames) -> Self {
        self.0.retain(|name, _| !secrets.matches(name));
        self
    }

    /// Without what leads git to another repository, or to programs of its own, as hooks have it.
    pub fn without_git(mut self) -> Self {
        self.0.retain(|name, _| !LEADING_GIT.iter().any(|other| name == other));
        self
    }

    /// With the settings that keep programs from waiting for a person.
    pub fn unattended(mut self, ci: Ci) -> Self {
        let defaults = UNATTENDED.iter().map(|(name, value)| (name.into(), value.into()));
        self.0.extend(defaults);
        if ci == Ci::Announced {
            self.set("CI", "1");
        }
        self
    }

    pub fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        self.0.insert(name.into(), value.into());
    }

    pub fn get(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        self.0.get(name.as_ref()).map(OsString::as_os_str)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

impl<N: Into<OsString>, V: Into<OsString>> FromIterator<(N, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Self {
        Self(variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

impl<N: Into<OsString>, V: Into<OsString>> Extend<(N, V)> for Environment {
    fn extend<I: IntoIterator<Item = (N, V)>>(&mut self, variables: I) {
        self.0.extend(variables.into_iter().map(|(name, value)| (name.into(), value.into())));
    }
}

/// Names of variables that children must not see. A `*` in a name stands for any text, once per name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretNames(Vec<String>);

/// The credentials of model providers and of this program itself. Credentials of other services stay: the
/// user's own commands need them.
const PROVIDER_SECRETS: &[&str] = &[
    "ANTHROPIC_*KEY",
    "ANTHROPIC_*TOKEN",
    "CLAUDE_CODE_*KEY",
    "CLAUDE_CODE_*TOKEN",
    "OPENAI_*KEY",
    "OPENAI_*TOKEN",
    "AZURE_OPENAI_*KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GOOGLE_CLOUD_API_KEY",
    "GOOGLE_GENERATIVE_AI_API_KEY",
    "AWS_BEARER_TOKEN_BEDROCK",
    "COPILOT_GITHUB_TOKEN",
    "CURSOR_*TOKEN",
    "XAI_*KEY",
    "XAI_*TOKEN",
    "GROQ_API_KEY",
    "CEREBRAS_API_KEY",
    "MISTRAL_API_KEY",
    "DEEPSEEK_API_KEY",
    "OPENROUTER_API_KEY",
    "TOGETHER_API_KEY",
    "FIREWORKS_API_KEY",
    "FIREPASS_API_KEY",
    "NVIDIA_API_KEY",
    "HF_TOKEN",
    "HUGGINGFACE_*TOKEN",
    "MOONSHOT_API_KEY",
    "KIMI_API_KEY",
    "KILO_API_KEY",
    "MINIMAX_*KEY",
    "QWEN_*KEY",
    "QWEN_*TOKEN",
    "QIANFAN_API_KEY",
    "ALIBABA_*_API_KEY",
    "XIAOMI_API_KEY",
    "ZAI_API_KEY",
    "ZHIPU_API_KEY",
    "ZENMUX_API_KEY",
    "VENICE_API_KEY",
    "SYNTHETIC_API_KEY",
    "NANO_GPT_API_KEY",
    "AIMLAPI_API_KEY",
    "OPENCODE_API_KEY",
    "UMANS_*_API_KEY",
    "WAFER_*_API_KEY",
    "AI_GATEWAY_API_KEY",
    "VERCEL_AI_GATEWAY_API_KEY",
    "CLOUDFLARE_AI_GATEWAY_API_KEY",
    "LITELLM_API_KEY",
    "VLLM_API_KEY",
    "OLLAMA_*KEY",
    "LM_STUDIO_API_KEY",
    "LLAMA_CPP_API_KEY",
    "OMP_AUTH_*TOKEN",
];

impl Default for SecretNames {
    fn default() -> Self {
        Self::new(PROVIDER_SECRETS.iter().copied())
    }
}

impl SecretNames {
    pub fn new(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self(names.into_iter().map(Into::into).collect())
    }

    /// Adds names, such as those of a user's own providers.
    pub fn and(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.0.extend(names.into_iter().map(Into::into));
        self
    }

    fn matches(&self, name: &OsStr) -> bool {
        let Some(name) = name.to_str() else { return false };
        self.0.iter().any(|pattern| match pattern.split_once('*') {
            None => pattern == name,
            Some((start, end)) => {
                name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(variables: &[(&str, &str)]) -> Environment {
        variables.iter().copied().collect()
    }

    #[test]
    fn provider_secrets_are_taken_out_and_others_stay() {
        let names = [
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_FOUNDRY_API_KEY",
            "OPENAI_API_KEY",
            "OPENAI_CODEX_OAUTH_TOKEN",
            "GH_TOKEN",
            "STRIPE_API_KEY",
            "PATH",
        ];
        let inherited = names.iter().map(|name| (*name, "x")).collect::<Environment>();
        let left = inherited.without(&SecretNames::default());
        let left: Vec<_> = left.iter().map(|(name, _)| name.to_owned()).collect();
        assert_eq!(left, ["GH_TOKEN", "PATH", "STRIPE_API_KEY"]);
    }

    #[test]
    fn a_pattern_does_not_match_its_overlapping_ends() {
        assert!(!SecretNames::new(["AB*BC"]).matches(OsStr::new("ABC")));
        assert!(SecretNames::new(["AB*BC"]).matches(OsStr::new("ABBC")));
    }

    #[test]
    fn names_can_be_added() {
        let names = SecretNames::default().and(["MY_PROVIDER_API_KEY"]);
        assert!(names.matches(OsStr::new("MY_PROVIDER_API_KEY")));
        assert!(names.matches(OsStr::new("OPENAI_API_KEY")));
    }

    #[test]
    fn programs_are_told_that_nobody_answers() {
        let unattended = environment(&[("PAGER", "less"), ("HOME", "/h")]).unattended(Ci::Announced);
        assert_eq!(unattended.get("PAGER"), Some(OsStr::new("cat")));
        assert_eq!(unattended.get("HOME"), Some(OsStr::new("/h")));
        assert_eq!(unattended.get("CI"), Some(OsStr::new("1")));
    }

    #[test]
    fn a_user_can_do_without_ci() {
        assert_eq!(environment(&[]).unattended(Ci::Inherited).get("CI"), None);
        let own = environment(&[("CI", "mine")]).unattended(Ci::Inherited);
        assert_eq!(own.get("CI"), Some(OsStr::new("mine")));
    }
}
