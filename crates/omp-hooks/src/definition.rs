//! Hooks as files describe them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::event::HookEvent;
use crate::matcher::Matcher;

/// How long a hook may take that says nothing about it.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);
/// The most hooks of one file.
const MOST: usize = 500;

/// Where a hook is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookSource {
    /// The file that describes it, or the script itself.
    pub file: PathBuf,
    /// The project brings it, not the user.
    pub of_project: bool,
    /// The directory of the plugin that it belongs to.
    pub plugin: Option<PathBuf>,
    /// Whose words it expects.
    pub dialect: Dialect,
}

/// Whose names for tools and fields a hook is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    Claude,
    Omp,
}

/// What a hook runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookProgram {
    /// A command for the shell.
    Command(String),
    /// An executable file.
    Script(PathBuf),
}

impl HookProgram {
    /// What runs, for people.
    pub fn shown(&self) -> String {
        match self {
            Self::Command(command) => command.clone(),
            Self::Script(path) => path.display().to_string(),
        }
    }
}

/// One hook.
#[derive(Clone, Debug)]
pub struct CommandHook {
    pub event: HookEvent,
    /// The occasions that it is about, as written.
    pub about: String,
    pub(crate) matcher: Matcher,
    pub program: HookProgram,
    pub timeout: Duration,
    /// Nobody waits for it, and what it says does not count.
    pub in_background: bool,
    pub source: Arc<HookSource>,
}

/// When a script of ours runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    Before,
    After,
}

/// The hooks of one file, and what is wrong with the others.
#[derive(Clone, Debug, Default)]
pub struct Parsed {
    pub hooks: Vec<CommandHook>,
    pub warnings: Vec<String>,
}

impl Parsed {
    fn warn(&mut self, source: &HookSource, problem: impl std::fmt::Display) {
        self.warnings.push(format!("{}: {problem}", source.file.display()));
    }
}

/// A script of ours: the tool that it is about, named by its file, and when it runs.
pub fn script(phase: Phase, tool: &str, path: PathBuf, source: Arc<HookSource>) -> CommandHook {
    CommandHook {
        event: match phase {
            Phase::Before => HookEvent::PreToolUse,
            Phase::After => HookEvent::PostToolUse,
        },
        about: tool.to_owned(),
        matcher: Matcher::Names(vec![tool.to_owned()]),
        program: HookProgram::Script(path),
        timeout: DEFAULT_TIMEOUT,
        in_background: false,
        source,
    }
}

/// The `hooks` object of a settings file or of a plugin's `hooks.json`.
pub fn parse(hooks: &Value, source: &Arc<HookSource>) -> Parsed {
    let mut parsed = Parsed::default();
    let Value::Object(events) = hooks else {
        parsed.warn(source, "`hooks` must be a mapping from events to hooks");
        return parsed;
    };
    for (name, groups) in events {
        let Some(event) = HookEvent::from_name(name) else {
            parsed.warn(source, format_args!("hooks for {name} are ignored: omp has no such event"));
            continue;
        };
        let Some(groups) = groups.as_array() else {
            parsed.warn(source, format_args!("hooks.{name} must be a list"));
            continue;
        };
        for group in groups {
            if let Err(problem) = add_group(&mut parsed, event, group, source) {
                parsed.warn(source, format_args!("a hook for {name} is ignored: {problem}"));
            }
        }
    }
    parsed
}

/// The hooks that share a matcher.
fn add_group(
    parsed: &mut Parsed,
    event: HookEvent,
    group: &Value,
    source: &Arc<HookSource>,
) -> Result<(), String> {
    let about = match group.get("matcher") {
        Some(Value::String(matcher)) if event.has_matcher() => matcher.clone(),
        None | Some(Value::Null | Value::String(_)) => String::new(),
        Some(_) => return Err("`matcher` must be a string".to_owned()),
    };
    let matcher = Matcher::parse(&about).map_err(|error| format!("the matcher {about:?}: {error}"))?;
    let list = group.get("hooks").and_then(Value::as_array).ok_or("`hooks` must be a list")?;
    for hook in list {
        if parsed.hooks.len() == MOST {
            return Err(format!("there are more than {MOST} hooks"));
        }
        let fields = hook.as_object().ok_or("a hook must be a mapping")?;
        let program = HookProgram::Command(command(fields)?);
        parsed.hooks.push(CommandHook {
            event,
            about: about.clone(),
            matcher: matcher.clone(),
            program,
            timeout: timeout(fields)?,
            in_background: fields.get("async") == Some(&Value::Bool(true)),
            source: Arc::clone(source),
        });
    }
    Ok(())
}

fn command(fields: &Map<String, Value>) -> Result<String, String> {
    match fields.get("type").and_then(Value::as_str) {
        Some("command") | None => {}
        Some(other) => return Err(format!("hooks of the type {other:?} are not supported, only commands")),
    }
    let command = fields.get("command").and_then(Value::as_str).map(str::trim).unwrap_or_default();
    match command.is_empty() {
        true => Err("`command` is missing".to_owned()),
        false => Ok(command.to_owned()),
    }
}

/// In seconds.
fn timeout(fields: &Map<String, Value>) -> Result<Duration, String> {
    let Some(seconds) = fields.get("timeout").filter(|value| !value.is_null()) else {
        return Ok(DEFAULT_TIMEOUT);
    };
    let seconds = seconds.as_f64().filter(|seconds| *seconds > 0.0);
    let seconds = seconds.ok_or("`timeout` must be a number of seconds")?;
    Ok(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn source() -> Arc<HookSource> {
        let file = "/p/settings.json".into();
        Arc::new(HookSource { file, of_project: false, plugin: None, dialect: Dialect::Claude })
    }

    #[test]
    fn good_hooks_are_kept_beside_bad_ones() {
        let hooks = json!({
            "PreToolUse": [
                {"matcher": "Bash", "hooks": [
                    {"type": "command", "command": "one", "timeout": 5},
                    {"type": "prompt", "prompt": "is this fine?"},
                ]},
                {"matcher": "(", "hooks": [{"type": "command", "command": "never"}]},
                {"hooks": [{"type": "command", "command": "two", "async": true}]},
                {"hooks": [{"type": "command"}]},
                {"hooks": [{"type": "command", "command": "never", "timeout": "soon"}]},
            ],
            "Stop": [{"matcher": "(ignored here", "hooks": [{"command": "three"}]}],
            "MoonPhase": [],
            "SessionEnd": 7,
        });
        let Parsed { hooks, warnings } = parse(&hooks, &source());
        let shown: Vec<_> = hooks.iter().map(|hook| (hook.event.name(), hook.program.shown())).collect();
        assert_eq!(
            shown,
            [("PreToolUse", "one".into()), ("PreToolUse", "two".into()), ("Stop", "three".into())]
        );
        assert_eq!((hooks[0].timeout.as_secs(), hooks[1].timeout), (5, DEFAULT_TIMEOUT));
        assert!(hooks[1].in_background && !hooks[0].in_background);
        assert_eq!(warnings.len(), 6, "{warnings:#?}");
        assert!(warnings.iter().all(|warning| warning.starts_with("/p/settings.json: ")), "{warnings:#?}");
    }
}
