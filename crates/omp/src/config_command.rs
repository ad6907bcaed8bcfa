//! `omp config`: show and change settings.

use std::path::PathBuf;

use omp_cli::{CommandCall, Topic};
use omp_sdk::load_settings;
use omp_sdk::settings::{
    Layer, Saved, Secrecy, Setting, Settings, SettingsError, TABLE, find, keys, migrate_files, parse_value,
    reset, reset_value, set, suggestion,
};
use omp_tui::text::neutral;
use omp_types::address;
use serde_json::{Map, Value, json};

use crate::command_context::CommandContext;
use crate::output::{self, Stream};
use crate::working_directory;

/// A refusal: the sentence, and hints on lines of their own.
struct Refusal(String, Vec<String>);

impl From<String> for Refusal {
    fn from(message: String) -> Self {
        Self(message, Vec::new())
    }
}

impl From<SettingsError> for Refusal {
    fn from(error: SettingsError) -> Self {
        let hint = match &error {
            SettingsError::Unknown { suggestion: Some(name), .. } => vec![format!("Did you mean {name}?")],
            SettingsError::Unknown { .. } => vec!["Run 'omp config list' to see all settings.".to_owned()],
            _ => Vec::new(),
        };
        Self(error.to_string(), hint)
    }
}

/// What the command was called with.
struct Command<'a> {
    call: &'a CommandCall,
    context: CommandContext,
    cwd: PathBuf,
}

/// How listings show a secret that is set.
const MASK: &str = "********";
/// Longest value in a list, in characters.
const MAX_SHOWN: usize = 100;

pub(crate) fn run(call: &CommandCall, profile: Option<&str>) -> u8 {
    match execute(call, profile) {
        Ok(text) => output::print(Stream::Out, &text),
        Err(Refusal(message, hints)) => output::fail(&message, &hints),
    }
}

/// `omp config --help`: the help, then the settings if they can be had.
pub(crate) fn help(profile: Option<&str>) -> u8 {
    let help = omp_cli::render_help(Topic::Command("config"), output::width(), crate::VERSION);
    let settings = CommandContext::here(profile).ok().and_then(|context| {
        let cwd = std::env::current_dir().ok()?;
        load_settings(&context.directories, &cwd, context.environment.as_ref(), &[], Map::new()).ok()
    });
    let list = settings.map(|settings| format!("\n{}", list_text(&settings))).unwrap_or_default();
    output::print(Stream::Out, &format!("{help}{list}"))
}

fn execute(call: &CommandCall, profile: Option<&str>) -> Result<String, Refusal> {
    let Some(action) = call.args.text("action") else {
        help(profile);
        return Ok(String::new());
    };
    let command = Command::new(call, profile)?;
    match action {
        "path" if command.is_json() => Ok(pretty(&json!({"path": command.context.directories.agent}))),
        "path" => Ok(format!("{}\n", command.context.directories.agent.display())),
        "get" => command.get(),
        "set" => command.set(),
        "reset" => command.reset(),
        _ => command.list(),
    }
}

impl<'a> Command<'a> {
    fn new(call: &'a CommandCall, profile: Option<&str>) -> Result<Self, Refusal> {
        let context = CommandContext::here(profile)?;
        let cwd = working_directory::current()?;
        Ok(Self { call, context, cwd })
    }

    /// The effective settings, with warnings said.
    fn settings(&self) -> Result<Settings, Refusal> {
        let is_light = |name: &str| omp_interactive::is_light_theme(&self.context.directories, name);
        let warnings = migrate_files(&self.context.directories, &is_light);
        let overlays = self.call.values.paths("config");
        let settings = load_settings(
            &self.context.directories,
            &self.cwd,
            self.context.environment.as_ref(),
            &overlays,
            Map::new(),
        )?;
        warnings.iter().chain(settings.warnings()).for_each(|warning| output::warn(warning));
        Ok(settings)
    }

    fn setting(&self) -> Result<&'static Setting, Refusal> {
        let action = self.call.args.text("action").unwrap_or_default();
        let Some(key) = self.call.args.text("key") else {
            return Err(format!("omp config {action} needs the name of a setting").into());
        };
        let unknown = || SettingsError::Unknown { path: output::name(key), suggestion: suggestion(key) };
        find(key).ok_or_else(|| unknown().into())
    }

    fn no_value(&self) -> Result<(), Refusal> {
        match self.call.args.text("value") {
            Some(extra) => Err(format!("Unexpected argument: {}", output::name(extra)).into()),
            None => Ok(()),
        }
    }

    fn is_json(&self) -> bool {
        self.call.values.has("json")
    }

    fn list(&self) -> Result<String, Refusal> {
        if let Some(extra) = self.call.args.text("key") {
            return Err(format!("Unexpected argument: {}", output::name(extra)).into());
        }
        let settings = self.settings()?;
        settings.of_later_releases().iter().for_each(|remark| output::warn(remark));
        if !self.is_json() {
            return Ok(list_text(&settings));
        }
        let rows = TABLE.iter().map(|row| {
            let value = masked(row, settings.value(row));
            (row.path.to_owned(), json!({"value": value, "type": row.type_name(), "description": row.about}))
        });
        Ok(pretty(&Value::Object(rows.collect())))
    }

    fn get(&self) -> Result<String, Refusal> {
        let row = self.setting()?;
        self.no_value()?;
        let value = self.settings()?.value(row);
        Ok(if self.is_json() { described(row, &value) } else { format!("{}\n", plain(&value)) })
    }

    fn set(&self) -> Result<String, Refusal> {
        let row = self.setting()?;
        let words = self.call.args.texts("value");
        if words.is_empty() {
            return Err(format!("omp config set {} needs a value", row.path).into());
        }
        let value = parse_value(row, &words.join(" "))?;
        let themes = [keys::THEME_DARK.path(), keys::THEME_LIGHT.path()];
        if let Some(name) = value.as_str().filter(|_| themes.contains(&row.path)) {
            let checked = omp_interactive::check_theme(&self.context.directories, name);
            checked.map_err(|error| error.to_string())?;
        }
        self.settings()?;
        let saved = set(&self.context.directories, row.path, value.clone())?;
        self.changed(row, &value, &saved)
    }

    fn reset(&self) -> Result<String, Refusal> {
        let row = self.setting()?;
        self.no_value()?;
        self.settings()?;
        let saved = reset(&self.context.directories, row.path)?;
        self.changed(row, &reset_value(row), &saved)
    }

    /// What a change gives, and notes about what the user might not expect.
    fn changed(&self, row: &Setting, value: &Value, saved: &Saved) -> Result<String, Refusal> {
        if let Saved::Rewritten { backup } = saved {
            output::note(&format!(
                "Note: the file could not be edited in place and was rewritten; the previous version is {}",
                backup.display()
            ));
        }
        let overlays = self.call.values.paths("config");
        let environment = self.context.environment.as_ref();
        let settings =
            load_settings(&self.context.directories, &self.cwd, environment, &overlays, Map::new())?;
        if let Some(place) = overriding(&settings.origin(row.path)) {
            output::note(&format!("Note: {place} overrides {} here", row.path));
        }
        Ok(if self.is_json() {
            described(row, value)
        } else {
            format!("{} = {}\n", row.path, plain(&masked(row, value.clone())))
        })
    }
}

/// The layer above the user's file, in words.
fn overriding(layer: &Layer) -> Option<String> {
    match layer {
        Layer::Default | Layer::Global(_) => None,
        Layer::Project { path, .. } | Layer::Overlay(path) => Some(path.display().to_string()),
        Layer::Runtime => Some("an environment variable".to_owned()),
    }
}

fn list_text(settings: &Settings) -> String {
    let mut text = String::new();
    let mut group = None;
    for row in TABLE {
        if group != Some(row.group) {
            let gap = if group.is_some() { "\n" } else { "" };
            text.push_str(&format!("{gap}{}\n", row.group.title()));
            group = Some(row.group);
        }
        let value = shown(&masked(row, settings.value(row)));
        text.push_str(&format!("  {} = {value} ({})\n", row.path, row.type_name()));
    }
    text
}

/// A value on one line of a list.
fn shown(value: &Value) -> String {
    let text = match value {
        Value::Null => "not set".to_owned(),
        Value::String(text) if text.is_empty() => "\"\"".to_owned(),
        other => output::name(&plain(other).replace(['\n', '\t'], " ")),
    };
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// A text as it is, nothing for nothing, everything else as JSON.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => neutral::json(&other.to_string()).into_owned(),
    }
}

fn masked(row: &Setting, value: Value) -> Value {
    match (row.secrecy, &value) {
        (Secrecy::Secret, Value::String(text)) if !text.is_empty() => Value::from(MASK),
        (_, Value::String(text)) => Value::from(address::masked(text)),
        _ => value,
    }
}

fn described(row: &Setting, value: &Value) -> String {
    let value = match value {
        Value::String(text) => Value::from(address::masked(text)),
        other => other.clone(),
    };
    pretty(&json!({"key": row.path, "value": value, "type": row.type_name(), "description": row.about}))
}

fn pretty(value: &Value) -> String {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    format!("{}\n", neutral::json(&text))
}
