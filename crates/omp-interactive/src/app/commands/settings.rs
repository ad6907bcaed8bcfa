//! Changing settings: what the panel shows, and what a change leads to in the running program.

use std::sync::Arc;

use omp_panels::settings::{SettingItem, SettingKind, SettingsPanel};
use omp_sdk::settings::{Layer, Secrecy, Setting, Settings as Values, Shape, find, parse_value, reset_value};
use omp_sdk::settings::{TABLE, keys};
use omp_sdk::{SettingEffect, setting_effect};
use omp_theme::{Preset, Token};
use serde_json::Value;

use crate::app::commands::theme;
use crate::app::panels::Panels;
use crate::app::{App, Task};
use crate::panels::covering::Covering;
use crate::panels::secret_input::SecretInput;
use crate::panels::text::Text;

/// Where a broker is, and its word, are no business of this panel: a session that uses one was started with it.
const HIDDEN: &[&str] = &["auth.broker.url", "auth.broker.token"];

impl Panels {
    /// Waits until everything that was changed is in the file.
    pub(crate) async fn settle(&mut self) {
        while self.setup.saves.join_next().await.is_some() {}
    }
}

/// Opens the panel of settings, with what the user's file says now.
pub(crate) fn open_settings(app: &mut App) {
    app.open_soon("Settings");
    let session = app.session();
    app.spawn(async move {
        let read = session.configuration().reread().await;
        Box::new(move |app: &mut App| {
            if let Err(error) = read {
                app.complain(&error.to_string());
            }
            let items = setting_items(app);
            app.opened(Covering(SettingsPanel::new(items)));
        }) as Task
    });
}

/// Gives a setting a value that was written or chosen.
pub(crate) fn change_setting(app: &mut App, path: &'static str, text: &str) {
    let Some(row) = find(path) else { return };
    match parse_value(row, text) {
        Ok(value) => store_setting(app, path, value),
        Err(error) => complain_about_setting(app, &error.to_string()),
    }
}

/// Gives a setting its default.
pub(crate) fn reset_setting(app: &mut App, path: &'static str) {
    if let Some(row) = find(path) {
        store_setting(app, path, reset_value(row));
    }
}

/// Asks for a value in words.
pub(crate) fn write_setting(app: &mut App, path: &'static str) {
    let Some(row) = find(path) else { return };
    if row.secrecy == Secrecy::Secret {
        app.open_in_front(SecretInput::new(path, move |app, written| change_setting(app, path, &written)));
        return;
    }
    let begun = shown(&app.session().settings().value(row));
    let form = match row.shape {
        Shape::List(_) => "\nSeparate entries with commas: one, two",
        Shape::Record => "\nSeparate entries with commas: name=value, other=value",
        Shape::Number(_) => "\nA number",
        _ => "",
    };
    let question = format!("{}{form}", row.about);
    app.open_in_front(Text::new(question, &begun, move |app, written| {
        if let Some(written) = written {
            change_setting(app, path, &in_json(row.shape, &written));
        }
    }));
}

/// Lists and records as people write them, in the form that settings are read in. JSON stays as it is.
fn in_json(shape: Shape, written: &str) -> String {
    let entries = || written.split(',').map(str::trim).filter(|entry| !entry.is_empty());
    let is_json = written.trim_start().starts_with(['[', '{']);
    match shape {
        Shape::List(_) if !is_json => Value::from(entries().collect::<Vec<_>>()).to_string(),
        Shape::Record if !is_json => {
            let pair = |entry: &str| {
                let (name, value) = entry.split_once('=')?;
                Some((name.trim().to_owned(), Value::from(value.trim())))
            };
            // What is no pair is left as it is, so that it is complained about.
            let pairs: Option<serde_json::Map<String, Value>> = entries().map(pair).collect();
            pairs.map_or(written.to_owned(), |pairs| Value::Object(pairs).to_string())
        }
        _ => written.to_owned(),
    }
}

pub(crate) fn store_setting(app: &mut App, path: &'static str, value: Value) {
    let (session, tasks, turn) = (app.session(), app.tasks.clone(), Arc::clone(&app.panels.setup.turn));
    while app.panels.setup.saves.try_join_next().is_some() {}
    app.panels.setup.saves.spawn(async move {
        let turn = turn.lock().await;
        let changed = session.configuration().change(path, value.clone()).await;
        drop(turn);
        let task: Task = Box::new(move |app: &mut App| match changed {
            Ok(()) => setting_changed(app, path, &value),
            Err(error) => complain_about_setting(app, &error.to_string()),
        });
        // The program has ended if nobody takes it.
        let _ = tasks.send(task);
    });
}

fn complain_about_setting(app: &mut App, problem: &str) {
    theme::stop_trying(app);
    match app.panels.panel::<Covering<SettingsPanel>>() {
        Some(panel) => panel.0.complain(problem),
        None => app.complain(problem),
    }
    app.surface.changed();
}

/// A setting was saved: the screen follows.
fn setting_changed(app: &mut App, path: &'static str, value: &Value) {
    app.surface.theme.end_preview();
    theme::dress(app);
    app.look_around();
    let items = setting_items(app);
    let settings = app.session().settings();
    let wins = find(path).filter(|row| settings.value(row) != *value).map(|_| settings.origin(path));
    if let Some(layer) = wins.filter(|layer| !matches!(layer, Layer::Global(_) | Layer::Default)) {
        app.hint(Token::Warning, format!("{path} saved, but {} overrides it here", place(&layer)));
    }
    if let Some(panel) = app.panels.panel::<Covering<SettingsPanel>>() {
        panel.0.update(items);
    }
    app.surface.changed();
}

fn setting_items(app: &App) -> Vec<SettingItem> {
    let settings = app.session().settings();
    let themes = app.surface.theme.names();
    let rows = TABLE.iter().filter(|row| !HIDDEN.contains(&row.path));
    rows.map(|row| item(row, &settings, &themes)).collect()
}

/// Shows a value of a setting without keeping it.
pub(crate) fn try_setting(app: &mut App, path: &'static str, text: &str) {
    if path == keys::SYMBOL_PRESET.path() {
        theme::try_symbols(app, Preset::find(text));
    } else {
        theme::try_theme(app, text);
    }
}

fn item(row: &'static Setting, settings: &Values, themes: &[String]) -> SettingItem {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    let kind = match row.shape {
        Shape::Flag(_) => SettingKind::Flag,
        Shape::Choice { choices, .. } if row.path == keys::SYMBOL_PRESET.path() => {
            SettingKind::Tried(words(choices))
        }
        Shape::Choice { choices, .. } => SettingKind::Words(words(choices)),
        Shape::Text(_) if [keys::THEME_DARK.path(), keys::THEME_LIGHT.path()].contains(&row.path) => {
            SettingKind::Tried(themes.to_vec())
        }
        Shape::Text(_) | Shape::Number(_) | Shape::List(_) | Shape::Record => SettingKind::Text,
    };
    let (value, layer) = (shown(&settings.value(row)), settings.origin(row.path));
    let value = match row.secrecy {
        Secrecy::Secret if !value.is_empty() => "set".to_owned(),
        _ => value,
    };
    let origin = match &layer {
        Layer::Default => "",
        Layer::Global(_) => "yours",
        Layer::Project { .. } => "project",
        Layer::Overlay(_) => "--config",
        Layer::Runtime => "this run",
    };
    let (group, about) = (row.group.title(), row.about);
    SettingItem {
        path: row.path,
        group,
        about,
        kind,
        value,
        usual: usual(row),
        origin: origin.to_owned(),
        remark: remark(row, &layer),
        is_idle: row.waits_for.is_some(),
    }
}

/// What kind of value a setting has, and its default.
fn usual(row: &Setting) -> String {
    let kind = match row.shape {
        Shape::Flag(_) => "on or off",
        Shape::Number(_) => "number",
        Shape::Choice { .. } => "choice",
        Shape::Text(_) => "text",
        Shape::List(_) => "list",
        Shape::Record => "names with values",
    };
    let default = match row.default_value() {
        Value::Bool(true) => "on".to_owned(),
        Value::Bool(false) => "off".to_owned(),
        value => shown(&value),
    };
    match default.as_str() {
        "" => kind.to_owned(),
        default => format!("{kind}, default {default}"),
    }
}

fn remark(row: &Setting, layer: &Layer) -> String {
    if let Some(part) = row.waits_for {
        return format!("No effect yet: {part} isn't available yet");
    }
    if !matches!(layer, Layer::Default | Layer::Global(_)) {
        return format!("Set by {}, which overrides your own file", capital(&place(layer)));
    }
    match setting_effect(row.path) {
        SettingEffect::Now => String::new(),
        SettingEffect::NextSession => "Takes effect in the next session".to_owned(),
    }
}

fn place(layer: &Layer) -> String {
    match layer {
        Layer::Default => "the defaults".to_owned(),
        Layer::Global(path) | Layer::Project { path, .. } | Layer::Overlay(path) => {
            path.display().to_string()
        }
        Layer::Runtime => "a flag, a variable or a choice made in this run".to_owned(),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// A value as people write it.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(entries) if entries.iter().all(is_simple) => {
            entries.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
        }
        Value::Object(entries) if entries.values().all(is_simple) => {
            let pairs =
                entries.iter().map(|(name, value)| format!("{name}={}", value.as_str().unwrap_or_default()));
            pairs.collect::<Vec<_>>().join(", ")
        }
        value => value.to_string(),
    }
}

/// Can it stand in a list that is separated by commas?
fn is_simple(value: &Value) -> bool {
    value
        .as_str()
        .is_some_and(|text| !text.is_empty() && !text.contains([',', '=', '\n']) && text.trim() == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_records_are_written_without_json() {
        let (list, record) = (Shape::List(&[]), Shape::Record);
        for (shape, written, json) in [
            (list, "a, b", r#"["a","b"]"#),
            (list, "", "[]"),
            (list, r#"["a,b"]"#, r#"["a,b"]"#),
            (record, "bash=prompt, edit = allow", r#"{"bash":"prompt","edit":"allow"}"#),
            (record, r#"{"a":1}"#, r#"{"a":1}"#),
            (record, "no pair", "no pair"),
            (Shape::Text(None), "a, b", "a, b"),
        ] {
            assert_eq!(in_json(shape, written), json);
        }
        assert_eq!(shown(&serde_json::json!(["a", "b"])), "a, b");
        assert_eq!(shown(&serde_json::json!({"bash": "prompt"})), "bash=prompt");
        assert_eq!(shown(&serde_json::json!(["a,b"])), r#"["a,b"]"#);
        assert_eq!(shown(&serde_json::json!({"a": 1})), r#"{"a":1}"#);
    }
}
