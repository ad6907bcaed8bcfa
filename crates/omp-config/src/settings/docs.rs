//! The page of documentation, made from the table.

use std::fmt::Write;

use super::row::{Group, Setting};
use super::table::TABLE;

const INTRODUCTION: &str = include_str!("page.md");

/// The text of `docs/settings.md`.
pub fn docs_page() -> String {
    let mut page = INTRODUCTION.to_owned();
    let mut group: Option<Group> = None;
    for row in TABLE {
        if group != Some(row.group) {
            group = Some(row.group);
            let _ = write!(
                page,
                "\n## {}\n\n| key | type | default | meaning |\n|---|---|---|---|\n",
                row.group.title()
            );
        }
        let _ =
            writeln!(page, "| `{}` | {} | {} | {} |", row.path, row.type_name(), default(row), meaning(row));
    }
    page
}

fn default(row: &Setting) -> String {
    match row.default_value() {
        serde_json::Value::Null => "not set".to_owned(),
        serde_json::Value::String(text) if text.is_empty() => "empty".to_owned(),
        serde_json::Value::String(text) => format!("`{text}`"),
        other => format!("`{other}`"),
    }
}

fn meaning(row: &Setting) -> String {
    let mut text = row.about.replace('|', "\\|");
    if !row.choices().is_empty() {
        let _ = write!(text, " One of `{}`.", row.choices().join("`, `"));
    }
    for variable in row.variables {
        let _ = write!(text, " `{}` overrides `{}`.", variable.name, variable.path);
    }
    if let Some(flag) = row.flag {
        let _ = write!(text, " For one run: `{flag}`.");
    }
    if let Some(part) = row.waits_for {
        let _ = write!(text, " Not available yet: needs {part}.");
    }
    text
}
