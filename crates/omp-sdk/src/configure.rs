//! What the settings mean to the parts of a session.

use std::path::{Path, PathBuf};

use omp_agent::{
    AgentConfig, Eager, Fallbacks, InterruptMode, QueueMode, RetryConfig, RevertPolicy, TodoConfig,
    parse_chains,
};
use omp_auth::Environment;
use omp_config::settings::{Key, Settings, keys, kind, strings};
use omp_config::{Directories, expand_home};
use omp_extend::{CommandSwitches, KeywordSwitches, RuleSettings, SkillFilter, SkillSources, StreamRules};
use omp_llm::dialect::ToolFormat;
use omp_models::model_of_role;
use omp_shell::Limits;
use omp_tools::EditMode;
use omp_types::{Sampling, ThinkingBudgets, builtin_tool};
use serde_json::Value;

use crate::error::SessionError;
use crate::request::model_pool::ImagePolicy;
use crate::session::options::SkillChoice;

/// Whether models may be sent pictures.
pub(crate) fn image_policy(settings: &Settings) -> ImagePolicy {
    match settings.get(keys::IMAGES_BLOCK_IMAGES) {
        true => ImagePolicy::Blocked,
        false => ImagePolicy::Allowed,
    }
}

/// How the loop behaves; the request and the fallbacks are filled in elsewhere.
pub(crate) fn agent(settings: &Settings) -> AgentConfig {
    AgentConfig {
        steering_mode: queue_mode(settings.get(keys::STEERING_MODE)),
        follow_up_mode: queue_mode(settings.get(keys::FOLLOW_UP_MODE)),
        interrupt_mode: match settings.get(keys::INTERRUPT_MODE) {
            "wait" => InterruptMode::Wait,
            _ => InterruptMode::Immediate,
        },
        retry: RetryConfig {
            enabled: settings.get(keys::RETRY_ENABLED),
            max_retries: whole(settings, keys::RETRY_MAX_RETRIES) as u32,
            base_delay_ms: whole(settings, keys::RETRY_BASE_DELAY_MS),
            max_delay_ms: settings.get(keys::RETRY_MAX_DELAY_MS) as i64,
        },
        context_promotion: settings.get(keys::CONTEXT_PROMOTION_ENABLED),
        intent_tracing: settings.get(keys::TOOLS_INTENT_TRACING),
        todo: TodoConfig {
            reminders: settings.get(keys::TODO_REMINDERS),
            max_reminders: u32::try_from(whole(settings, keys::TODO_REMINDERS_MAX)).unwrap_or(u32::MAX),
            eager: match settings.get(keys::TODO_EAGER) {
                "always" => Eager::Always,
                "preferred" => Eager::Preferred,
                _ => Eager::Default,
            },
        },
        ..AgentConfig::default()
    }
}

fn queue_mode(word: &str) -> QueueMode {
    match word {
        "all" => QueueMode::All,
        _ => QueueMode::OneAtATime,
    }
}

/// A number that counts something; negative ones are zero.
pub(crate) fn whole(settings: &Settings, key: Key<kind::Number>) -> u64 {
    settings.get(key).max(0.0) as u64
}

/// By the provider's interface or in the text of a dialect.
pub(crate) fn tool_format(settings: &Settings) -> ToolFormat {
    ToolFormat::parse(settings.get(keys::TOOLS_FORMAT)).unwrap_or_default()
}

/// `-1` leaves a parameter to the provider.
pub(crate) fn sampling(settings: &Settings) -> Sampling {
    let set = |key| Some(settings.get(key)).filter(|value: &f64| *value != -1.0);
    Sampling {
        temperature: set(keys::TEMPERATURE),
        top_p: set(keys::TOP_P),
        top_k: set(keys::TOP_K),
        min_p: set(keys::MIN_P),
        presence_penalty: set(keys::PRESENCE_PENALTY),
        repetition_penalty: set(keys::REPETITION_PENALTY),
    }
}

pub(crate) fn thinking_budgets(settings: &Settings) -> ThinkingBudgets {
    let tokens = |key| u32::try_from(whole(settings, key)).unwrap_or(u32::MAX);
    ThinkingBudgets {
        minimal: tokens(keys::THINKING_BUDGETS_MINIMAL),
        low: tokens(keys::THINKING_BUDGETS_LOW),
        medium: tokens(keys::THINKING_BUDGETS_MEDIUM),
        high: tokens(keys::THINKING_BUDGETS_HIGH),
        xhigh: tokens(keys::THINKING_BUDGETS_XHIGH),
    }
}

/// The chains of `retry.fallbackChains`, and what is wrong with them. The session's own model is the one that the
/// default role's chain stands in for, unless the role names another.
pub(crate) fn fallbacks(settings: &Settings, model: &str) -> (Fallbacks, Vec<String>) {
    let chains: Vec<(&str, Vec<String>)> = settings
        .get(keys::RETRY_FALLBACK_CHAINS)
        .iter()
        .map(|(role, list)| (role.as_str(), strings(array(list)).map(str::to_owned).collect()))
        .collect();
    let primary = |name: &str| match model_of_role(settings, name) {
        Some(selector) => Some(selector.to_owned()),
        None => (name == "default").then(|| model.to_owned()),
    };
    let (chains, warnings) =
        parse_chains(chains.iter().map(|(role, list)| (*role, list.as_slice())), primary);
    let revert = match settings.get(keys::RETRY_FALLBACK_REVERT_POLICY) {
        "never" => RevertPolicy::Never,
        _ => RevertPolicy::CooldownExpiry,
    };
    (Fallbacks { enabled: settings.get(keys::RETRY_MODEL_FALLBACK), chains, revert }, warnings)
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// What tools obey.
pub(crate) fn tools(settings: &Settings, home: &Path) -> omp_tools::Settings {
    let kilobytes = |key| whole(settings, key) as usize * 1024;
    omp_tools::Settings {
        read: omp_tools::ReadSettings {
            default_limit: whole(settings, keys::READ_DEFAULT_LIMIT).max(1),
            line_numbers: settings.get(keys::READ_LINE_NUMBERS),
            hash_lines: settings.get(keys::READ_HASH_LINES),
            summarize: settings.get(keys::READ_SUMMARIZE_ENABLED),
            summarize_prose: settings.get(keys::READ_SUMMARIZE_PROSE),
        },
        edit: omp_tools::EditSettings {
            fuzzy: match settings.get(keys::EDIT_FUZZY_MATCH) {
                true => omp_tools::Fuzzy::From(settings.get(keys::EDIT_FUZZY_THRESHOLD)),
                false => omp_tools::Fuzzy::Off,
            },
            streaming_abort: settings.get(keys::EDIT_STREAMING_ABORT),
            block_generated: settings.get(keys::EDIT_BLOCK_AUTO_GENERATED),
            enforce_seen_lines: settings.get(keys::EDIT_ENFORCE_SEEN_LINES),
            ..omp_tools::EditSettings::default()
        },
        search: omp_tools::SearchSettings {
            before: whole(settings, keys::SEARCH_CONTEXT_BEFORE) as usize,
            after: whole(settings, keys::SEARCH_CONTEXT_AFTER) as usize,
        },
        bash: omp_tools::BashSettings {
            shell: settings.get(keys::SHELL_PATH).map(|path| expand_home(path, home)),
            ..omp_tools::BashSettings::default()
        },
        images: omp_tools::ImageSettings {
            resize: settings.get(keys::IMAGES_AUTO_RESIZE),
            block: settings.get(keys::IMAGES_BLOCK_IMAGES),
        },
        max_timeout: whole(settings, keys::TOOLS_MAX_TIMEOUT),
        output: Limits {
            inline_bytes: kilobytes(keys::TOOLS_ARTIFACT_SPILL_THRESHOLD),
            head_bytes: kilobytes(keys::TOOLS_ARTIFACT_HEAD_BYTES),
            tail_bytes: kilobytes(keys::TOOLS_ARTIFACT_TAIL_BYTES),
            tail_lines: whole(settings, keys::TOOLS_ARTIFACT_TAIL_LINES) as usize,
            max_columns: whole(settings, keys::TOOLS_OUTPUT_MAX_COLUMNS) as usize,
        },
        ..omp_tools::Settings::default()
    }
}

/// The language of edits: the variant of the model, else `PI_EDIT_VARIANT`, else the setting.
pub(crate) fn edit_mode(
    settings: &Settings,
    environment: &dyn Environment,
    model: &str,
    warnings: &mut Vec<String>,
) -> Result<EditMode, SessionError> {
    for (part, mode) in settings.get(keys::EDIT_MODEL_VARIANTS) {
        if part.is_empty() || !model.contains(part.as_str()) {
            continue;
        }
        match mode.as_str().and_then(EditMode::from_word) {
            Some(mode) => return Ok(mode),
            None => warnings.push(format!(
                "edit.modelVariants: {mode} for \"{part}\" is not an edit mode and is ignored; use {}",
                EditMode::ALL.map(EditMode::word).join(", ")
            )),
        }
    }
    if let Some(word) = environment.var("PI_EDIT_VARIANT").filter(|word| !word.trim().is_empty()) {
        let mode = EditMode::from_word(word.trim());
        return mode.ok_or_else(|| SessionError::EditVariant(word.trim().to_owned()));
    }
    Ok(EditMode::from_word(settings.get(keys::EDIT_MODE)).unwrap_or_default())
}

/// Tools that a setting takes away.
pub(crate) fn is_switched_off(settings: &Settings, tool: &str) -> bool {
    let switch = builtin_tool(tool).and_then(|tool| tool.switch);
    switch.is_some_and(|switch| !settings.is_on(switch))
}

pub(crate) fn skills(settings: &Settings, choice: &SkillChoice, directories: &Directories) -> SkillFilter {
    let list = |key| strings(settings.get(key)).map(str::to_owned).collect();
    let custom = strings(settings.get(keys::SKILLS_CUSTOM_DIRECTORIES));
    SkillFilter {
        enabled: settings.get(keys::SKILLS_ENABLED) && *choice != SkillChoice::None,
        sources: SkillSources {
            codex_user: settings.get(keys::SKILLS_ENABLE_CODEX_USER),
            claude_user: settings.get(keys::SKILLS_ENABLE_CLAUDE_USER),
            claude_project: settings.get(keys::SKILLS_ENABLE_CLAUDE_PROJECT),
            pi_user: settings.get(keys::SKILLS_ENABLE_PI_USER),
            pi_project: settings.get(keys::SKILLS_ENABLE_PI_PROJECT),
            agents_user: settings.get(keys::SKILLS_ENABLE_AGENTS_USER),
            agents_project: settings.get(keys::SKILLS_ENABLE_AGENTS_PROJECT),
        },
        disabled_extensions: list(keys::DISABLED_EXTENSIONS),
        ignored: list(keys::SKILLS_IGNORED_SKILLS),
        included: list(keys::SKILLS_INCLUDE_SKILLS),
        custom_directories: custom.map(|path| absolute(path, directories)).collect(),
        only: match choice {
            SkillChoice::Only(globs) => Some(globs.clone()),
            SkillChoice::All | SkillChoice::None => None,
        },
    }
}

/// A directory that is not absolute is meant from home: a setting has no directory of its own.
fn absolute(path: &str, directories: &Directories) -> PathBuf {
    directories.home.join(expand_home(path, &directories.home))
}

pub(crate) fn rules(settings: &Settings) -> RuleSettings {
    RuleSettings {
        disabled: strings(settings.get(keys::TTSR_DISABLED_RULES)).map(str::to_owned).collect(),
        builtin: settings.get(keys::TTSR_BUILTIN_RULES),
        stream: match settings.get(keys::TTSR_ENABLED) {
            true => StreamRules::Watch,
            false => StreamRules::Ignore,
        },
    }
}

pub(crate) fn commands(settings: &Settings) -> CommandSwitches {
    CommandSwitches {
        claude_user: settings.get(keys::COMMANDS_ENABLE_CLAUDE_USER),
        claude_project: settings.get(keys::COMMANDS_ENABLE_CLAUDE_PROJECT),
        opencode_user: settings.get(keys::COMMANDS_ENABLE_OPENCODE_USER),
        opencode_project: settings.get(keys::COMMANDS_ENABLE_OPENCODE_PROJECT),
    }
}

pub(crate) fn keywords(settings: &Settings) -> KeywordSwitches {
    KeywordSwitches {
        enabled: settings.get(keys::MAGIC_KEYWORDS_ENABLED),
        ultrathink: settings.get(keys::MAGIC_KEYWORDS_ULTRATHINK),
        orchestrate: settings.get(keys::MAGIC_KEYWORDS_ORCHESTRATE),
        workflow: settings.get(keys::MAGIC_KEYWORDS_WORKFLOW),
    }
}
