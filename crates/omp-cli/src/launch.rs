//! What a command line that starts a session asks for.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::{UsageError, Waiting};
use crate::value::{Value, Values};
use crate::words::{ApprovalMode, LogLevel, OutputMode, ServiceTier, ThinkingArg};

/// A session as asked for on the command line: what was typed, not what it resolves to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Launch {
    pub print: bool,
    pub mode: Option<OutputMode>,
    pub print_thoughts: bool,
    pub hide_thinking: bool,
    pub max_time: Option<Duration>,
    /// Lines instead of a screen.
    pub plain_ui: bool,
    pub no_ui: bool,
    pub log_level: Option<LogLevel>,

    /// Prompts in order: the first turn and the later ones.
    pub messages: Vec<String>,
    /// Paths given as `@path`, without the `@`, in order. Any bytes the file system allows.
    pub attachments: Vec<PathBuf>,

    pub model: ModelArgs,
    pub roles: RoleArgs,
    pub prompt: PromptArgs,
    pub tools: ToolArgs,
    pub approval: ApprovalArgs,

    pub session: SessionArgs,
    pub work: WorkArgs,
    pub extend: ExtendArgs,

    pub place: PlaceArgs,

    pub help: bool,
    pub version: bool,

    /// Flags that extensions registered, in the order given.
    pub extension_flags: Vec<ExtensionArg>,
    /// Sentences for the user about values that were ignored.
    pub warnings: Vec<String>,
    waiting: Vec<Waiting>,
}

/// The model of `--demo`.
const DEMO: &str = "omp/demo";

/// The main model, and what its provider is told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelArgs {
    /// `--model`, or the demo.
    pub selector: Option<String>,
    pub provider: Option<String>,
    pub api_key: Option<String>,
    pub thinking: Option<ThinkingArg>,
    pub service_tier: Option<ServiceTier>,
    pub prompt_cache_key: Option<String>,
    /// `--provider-session-id`.
    pub session_id: Option<String>,
}

/// What the model is told before the conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PromptArgs {
    /// `--system-prompt`: text, or the path of a file with it.
    pub system: Option<String>,
    /// `--append-system-prompt`: text, or the path of a file with it.
    pub append: Option<String>,
    /// `--system-prompt-template`.
    pub template: Option<PathBuf>,
}

/// Which tools there are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolArgs {
    /// `--tools`: names in lower case.
    pub only: Option<Vec<String>>,
    /// `--no-tools`.
    pub none: bool,
    pub no_lsp: bool,
    pub no_pty: bool,
}

/// What may run without a question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApprovalArgs {
    /// `--approval-mode`.
    pub mode: Option<ApprovalMode>,
    /// `--auto-approve`.
    pub auto: bool,
    pub trust_project: bool,
}

/// Where the session works, and which settings files count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlaceArgs {
    pub cwd: Option<PathBuf>,
    pub allow_home: bool,
    pub add_dirs: Vec<PathBuf>,
    /// Settings files in the order in which they override each other.
    pub configs: Vec<PathBuf>,
}

/// Models besides the main one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RoleArgs {
    pub smol: Option<String>,
    pub slow: Option<String>,
    pub plan: Option<String>,
    /// The models to cycle through.
    pub models: Option<Vec<String>>,
    pub list_models: bool,
    /// `--mpreset`.
    pub preset: Option<String>,
    /// `--default`: keep the preset.
    pub keep_preset: bool,
}

/// Which session to start from and whether to keep it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionArgs {
    pub continue_last: bool,
    pub resume: Option<Resume>,
    pub fork: Option<String>,
    pub no_session: bool,
    pub session_dir: Option<PathBuf>,
    /// Another process that has the session open loses it.
    pub take_over: bool,
    /// The session file to export; the output path, if any, is the first message.
    pub export: Option<PathBuf>,
    pub from_claude: bool,
    pub from_codex: bool,
    pub no_title: bool,
    /// A new file for a recording.
    pub record: Option<PathBuf>,
    /// Milliseconds.
    pub title_spinner_interval: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resume {
    /// Without a value: let the user choose.
    Pick,
    /// An id, a prefix of one, or a path.
    Named(String),
}

/// Goals and plans.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkArgs {
    pub goal: Option<String>,
    pub plan_yolo: bool,
    pub plan_yolo_into: Option<String>,
    pub prewalk: bool,
    pub prewalk_into: Option<String>,
}

/// What users add: extensions, plugins, skills, rules.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExtendArgs {
    pub extensions: Vec<PathBuf>,
    pub trusted_extensions: Vec<PathBuf>,
    pub no_extensions: bool,
    pub plugin_dirs: Vec<PathBuf>,
    /// Globs.
    pub skills: Option<Vec<String>>,
    pub no_skills: bool,
    pub no_rules: bool,
}

/// A flag of an extension as it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtensionArg {
    /// Without the dashes.
    pub name: String,
    /// `None` for a boolean flag, and for a string flag with nothing after it.
    pub value: Option<String>,
}

impl Launch {
    /// What was asked for that belongs to a part of the program that is not built yet.
    pub fn waiting(&self) -> &[Waiting] {
        &self.waiting
    }

    /// The error for [`Launch::waiting`], if there is anything.
    pub fn require_available(&self) -> Result<(), UsageError> {
        match self.waiting.is_empty() {
            true => Ok(()),
            false => Err(UsageError::NotYet { waiting: self.waiting.clone() }),
        }
    }

    /// Whether the command line alone rules the terminal interface out. Any explicit `--mode` does.
    pub fn is_non_interactive(&self) -> bool {
        self.print || self.mode.is_some()
    }

    /// `implied` is the mode that the command itself stands for; it goes before `--mode`.
    pub(crate) fn from_values(values: &Values, implied: Option<OutputMode>) -> Launch {
        let mut launch = Launch {
            print: values.has("print"),
            mode: implied.or_else(|| values.text("mode").and_then(OutputMode::from_word)),
            print_thoughts: values.has("print-thoughts"),
            hide_thinking: values.has("hide-thinking"),
            max_time: values.duration("max-time"),
            plain_ui: values.has("plain-ui"),
            no_ui: values.has("no-ui"),
            log_level: values.text("log-level").and_then(LogLevel::from_word),
            model: ModelArgs::from_values(values),
            roles: RoleArgs::from_values(values),
            prompt: PromptArgs::from_values(values),
            tools: ToolArgs::from_values(values),
            approval: ApprovalArgs::from_values(values),
            session: SessionArgs::from_values(values),
            work: WorkArgs::from_values(values),
            extend: ExtendArgs::from_values(values),
            place: PlaceArgs::from_values(values),
            help: values.has("help"),
            version: values.has("version"),
            ..Launch::default()
        };
        if values.has("demo") && values.has("model") {
            launch.warnings.push("--model was ignored: --demo uses the built-in model".to_owned());
        }
        launch.note_late_profile(values);
        launch.note_waiting(values);
        launch
    }

    /// Profiles are cut out before extensions load. One that only comes to light afterwards, because an
    /// extension took over the flag before it, is too late to choose directories.
    fn note_late_profile(&mut self, values: &Values) {
        for flag in ["profile", "alias"].into_iter().filter(|flag| values.has(flag)) {
            self.warnings.push(format!("--{flag} was ignored: write it before the flags of extensions"));
        }
    }

    fn note_waiting(&mut self, values: &Values) {
        for waiting in values.flags().filter_map(Waiting::flag) {
            if !self.waiting.contains(&waiting) {
                self.waiting.push(waiting);
            }
        }
        if let Some((mode, part)) = self.mode.and_then(|mode| Some((mode, mode.waits_for()?))) {
            self.waiting.push(Waiting { what: format!("--mode {}", mode.word()), part });
        }
    }
}

impl ModelArgs {
    fn from_values(values: &Values) -> ModelArgs {
        ModelArgs {
            selector: if values.has("demo") { Some(DEMO.to_owned()) } else { owned(values.text("model")) },
            provider: owned(values.text("provider")),
            api_key: owned(values.text("api-key")),
            thinking: values.text("thinking").and_then(ThinkingArg::from_word),
            service_tier: values.text("service-tier").and_then(ServiceTier::from_word),
            prompt_cache_key: owned(values.text("prompt-cache-key")),
            session_id: owned(values.text("provider-session-id")),
        }
    }
}

impl PromptArgs {
    fn from_values(values: &Values) -> PromptArgs {
        PromptArgs {
            system: owned(values.text("system-prompt")),
            append: owned(values.text("append-system-prompt")),
            template: values.path("system-prompt-template").map(Path::to_path_buf),
        }
    }
}

impl ToolArgs {
    fn from_values(values: &Values) -> ToolArgs {
        ToolArgs {
            only: values.list("tools").map(<[String]>::to_vec),
            none: values.has("no-tools"),
            no_lsp: values.has("no-lsp"),
            no_pty: values.has("no-pty"),
        }
    }
}

impl ApprovalArgs {
    fn from_values(values: &Values) -> ApprovalArgs {
        ApprovalArgs {
            mode: values.text("approval-mode").and_then(ApprovalMode::from_word),
            auto: values.has("auto-approve"),
            trust_project: values.has("trust-project"),
        }
    }
}

impl PlaceArgs {
    fn from_values(values: &Values) -> PlaceArgs {
        PlaceArgs {
            cwd: values.path("cwd").map(Path::to_path_buf),
            allow_home: values.has("allow-home"),
            add_dirs: values.paths("add-dir"),
            configs: values.paths("config"),
        }
    }
}

impl RoleArgs {
    fn from_values(values: &Values) -> RoleArgs {
        RoleArgs {
            smol: owned(values.text("smol")),
            slow: owned(values.text("slow")),
            plan: owned(values.text("plan")),
            models: values.list("models").map(<[String]>::to_vec),
            list_models: values.has("list-models"),
            preset: owned(values.text("mpreset")),
            keep_preset: values.has("default"),
        }
    }
}

impl SessionArgs {
    fn from_values(values: &Values) -> SessionArgs {
        SessionArgs {
            continue_last: values.has("continue"),
            resume: values.get("resume").map(|value| match value {
                Value::Text(name) => Resume::Named(name.clone()),
                _ => Resume::Pick,
            }),
            fork: owned(values.text("fork")),
            no_session: values.has("no-session"),
            session_dir: values.path("session-dir").map(Path::to_path_buf),
            take_over: values.has("take-over"),
            export: values.path("export").map(Path::to_path_buf),
            from_claude: values.has("from-claude"),
            from_codex: values.has("from-codex"),
            no_title: values.has("no-title"),
            record: values.path("record").map(Path::to_path_buf),
            title_spinner_interval: values.integer("title-spinner-interval"),
        }
    }
}

impl WorkArgs {
    fn from_values(values: &Values) -> WorkArgs {
        WorkArgs {
            goal: owned(values.text("goal")),
            plan_yolo: values.has("plan-yolo"),
            plan_yolo_into: owned(values.text("plan-yolo-into")),
            prewalk: values.has("prewalk"),
            prewalk_into: owned(values.text("prewalk-into")),
        }
    }
}

impl ExtendArgs {
    fn from_values(values: &Values) -> ExtendArgs {
        ExtendArgs {
            extensions: values.paths("extension"),
            trusted_extensions: values.paths("trusted-extension"),
            no_extensions: values.has("no-extensions"),
            plugin_dirs: values.paths("plugin-dir"),
            skills: values.list("skills").map(<[String]>::to_vec),
            no_skills: values.has("no-skills"),
            no_rules: values.has("no-rules"),
        }
    }
}

fn owned(text: Option<&str>) -> Option<String> {
    text.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Takes, launch_flags};
    use std::ffi::OsStr;

    /// A row of the table that nothing reads would be a flag without effect.
    #[test]
    fn every_launch_flag_reaches_the_result() {
        let nothing = Launch::from_values(&Values::default(), None);
        for flag in launch_flags() {
            let sample = match flag.takes {
                Takes::Nothing => None,
                Takes::Required(kind) | Takes::Optional(kind) => {
                    Some(OsStr::new(kind.words().first().copied().unwrap_or("7")))
                }
            };
            let mut values = Values::default();
            values.add(flag, &format!("--{}", flag.long), sample).unwrap();
            let mut launch = Launch::from_values(&values, None);
            launch.waiting.clear();
            assert_ne!(launch, nothing, "--{}", flag.long);
        }
    }
}
