//! From the words of the command line to the options of a session.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use omp_cli::{ApprovalMode, ExtensionArg, Launch, WorkArgs};
use omp_sdk::extensions::ExtensionChoice;
use omp_sdk::settings::{Settings, keys, set};
use omp_sdk::{
    Deck, Directories, Effort, Environment, IfHeld, ModelOptions, ProcessEnvironment, PromptOptions,
    ProviderOptions, Ptys, RootError, RuleChoice, Session, SessionOptions, SkillChoice, TerminalOptions,
    ToolFilter, workspace_root,
};
use serde_json::{Map, Value};

use crate::command_context::CommandContext;
use crate::output;

/// Everything up to the first model call; what goes wrong is one message and its hints.
pub(crate) type Fallible<T> = Result<T, (String, Vec<String>)>;

/// A message that needs no hint.
pub(crate) fn plain(message: String) -> (String, Vec<String>) {
    (message, Vec::new())
}

/// `--record`: a new file, so that nothing is overwritten.
pub(crate) fn recording(path: &Path) -> Fallible<Deck> {
    omp_sdk::record(path).map_err(|error| {
        let hint = "Specify a new file in an existing directory.".to_owned();
        (format!("cannot record to {}: {error}", path.display()), vec![hint])
    })
}

/// What one session is built from.
pub(crate) fn session_options(
    launch: Launch,
    context: CommandContext,
    cwd: PathBuf,
    settings: Settings,
) -> Fallible<SessionOptions> {
    let CommandContext { directories, environment } = context;
    let roots = launch.place.add_dirs.iter().map(|path| workspace_root(path, &cwd)).collect::<Result<_, _>>();
    let roots = roots.map_err(|error: RootError| plain(format!("--add-dir: {error}")))?;
    let extensions = extension_choice(&launch);
    let text = |value: Option<String>| value.map(|value| text_or_file(&value, &cwd)).transpose();
    Ok(SessionOptions {
        settings: Some(settings),
        roots,
        prompt: PromptOptions {
            system: text(launch.prompt.system).map_err(plain)?,
            append: text(launch.prompt.append).map_err(plain)?,
            silence: environment.var("NULL_PROMPT").is_some_and(|value| value == "true"),
        },
        model: ModelOptions {
            selector: launch.model.selector,
            scope: launch.roles.models,
            profile: launch.roles.preset,
            provider: launch.model.provider,
            api_key: launch.model.api_key,
            thinking: launch.model.thinking.and_then(|level| Effort::from_word(level.word())),
            ..ModelOptions::default()
        },
        provider: ProviderOptions {
            service_tier: launch.model.service_tier.map(|tier| tier.word().to_owned()),
            session_id: launch.model.session_id,
            prompt_cache_key: launch.model.prompt_cache_key,
            cache_retention: None,
        },
        tools: match (launch.tools.only, launch.tools.none) {
            (Some(names), _) => ToolFilter::Only(names),
            (None, true) => ToolFilter::None,
            (None, false) => ToolFilter::All,
        },
        skills: match (launch.extend.skills, launch.extend.no_skills) {
            (_, true) => SkillChoice::None,
            (Some(globs), false) => SkillChoice::Only(globs),
            (None, false) => SkillChoice::All,
        },
        extensions,
        rules: if launch.extend.no_rules { RuleChoice::None } else { RuleChoice::All },
        terminal: TerminalOptions {
            ptys: if launch.tools.no_pty { Ptys::Never } else { Ptys::Allowed },
            id: terminal_name(),
            ..TerminalOptions::default()
        },
        if_held: if launch.session.take_over { IfHeld::TakeOver } else { IfHeld::Refuse },
        session_dir: launch
            .session
            .session_dir
            .map(|directory| std::path::absolute(&directory).unwrap_or(directory)),
        embedded_shell: Some(omp_shell::own_program()),
        ..SessionOptions::new(cwd, directories, environment)
    })
}

/// Which extensions a command line means.
pub(crate) fn extension_choice(launch: &Launch) -> ExtensionChoice {
    let extend = &launch.extend;
    ExtensionChoice {
        named: extend.extensions.iter().chain(&extend.trusted_extensions).cloned().collect(),
        trusted: extend.trusted_extensions.clone(),
        only_named: extend.no_extensions,
        flags: extension_flags(launch),
        reserved_commands: omp_commands::reserved_names(),
        ..ExtensionChoice::default()
    }
}

/// The flags that extensions registered, as they were typed.
pub(crate) fn extension_flags(launch: &Launch) -> Map<String, Value> {
    let value = |flag: &ExtensionArg| flag.value.clone().map_or(Value::Bool(true), Value::String);
    launch.extension_flags.iter().map(|flag| (flag.name.clone(), value(flag))).collect()
}

/// What flags say about settings, for this run only.
pub(crate) fn overrides(launch: &Launch) -> Map<String, Value> {
    let roles = &launch.roles;
    let named = [("smol", &roles.smol), ("slow", &roles.slow), ("plan", &roles.plan)];
    let set = |(role, model): (&str, &Option<String>)| {
        Some((format!("modelRoles.{role}"), Value::String(model.clone()?)))
    };
    let mut overrides: Map<String, Value> = named.into_iter().filter_map(set).collect();
    let mode = match launch.approval.auto {
        true => Some(ApprovalMode::Yolo),
        false => launch.approval.mode,
    };
    if let Some(mode) = mode {
        overrides.insert(keys::TOOLS_APPROVAL_MODE.path().to_owned(), Value::String(mode.word().to_owned()));
    }
    if launch.approval.trust_project {
        overrides.insert(keys::TRUST_PROJECTS.path().to_owned(), Value::String("always".to_owned()));
    }
    if launch.hide_thinking {
        overrides.insert(keys::HIDE_THINKING_BLOCK.path().to_owned(), Value::Bool(true));
    }
    if launch.tools.no_lsp {
        overrides.insert(keys::LSP_ENABLED.path().to_owned(), Value::Bool(false));
    }
    overrides
}

/// The terminal this runs in, for `--continue`.
fn terminal_name() -> Option<String> {
    let tty = crate::sys::terminal_path().filter(|_| std::io::stdin().is_terminal());
    omp_sdk::terminal_id(tty.as_deref(), |name| ProcessEnvironment.var(name))
}

/// A path if such a file exists, else the text itself.
fn text_or_file(value: &str, cwd: &Path) -> Result<String, String> {
    let path = cwd.join(value);
    if value.len() > 4096 || value.contains('\n') || !path.is_file() {
        return Ok(value.to_owned());
    }
    std::fs::read_to_string(&path)
        .map_err(|error| format!("cannot read the prompt file {}: {error}", path.display()))
}

/// `--default`: the model profile that every session is to begin with.
pub(crate) fn kept_preset(launch: &Launch) -> Option<String> {
    launch.roles.preset.clone().filter(|_| launch.roles.keep_preset)
}

/// The profile works, so every session may begin with it.
pub(crate) async fn keep_preset(directories: &Directories, name: String) {
    let directories = directories.clone();
    let path = keys::MODEL_PROFILE_DEFAULT.path();
    let saved = tokio::task::spawn_blocking(move || set(&directories, path, Value::from(name))).await;
    if let Ok(Err(error)) = saved {
        output::warn(&format!("cannot save the profile: {error}"));
    }
}

/// The role of the cheap model.
const CHEAP: &str = "pi/smol";

/// `--plan-yolo` and `--prewalk`: how the first session works.
pub(crate) async fn set_manner(session: &Session, work: &WorkArgs) -> Result<(), String> {
    if work.plan_yolo || work.plan_yolo_into.is_some() {
        let planned = session.plan().plan_and_go(work.plan_yolo_into.as_deref()).await;
        planned.map_err(|error| format!("--plan-yolo: {error}"))?;
    }
    if work.prewalk || work.prewalk_into.is_some() {
        let into = work.prewalk_into.as_deref().unwrap_or(CHEAP);
        session.models().prewalk(into).await.map_err(|error| format!("--prewalk: {error}"))?;
    }
    Ok(())
}
