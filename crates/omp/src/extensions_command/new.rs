//! `omp extensions new`: a working example, with types for editors.

use std::path::{Path, PathBuf};

use omp_cli::CommandCall;
use omp_workspace::write::{Mode, write_if};
use serde_json::json;

use crate::command_context::CommandContext;
use crate::output::{self, Stream};
use crate::working_directory;

/// The longest name.
const LONGEST: usize = 64;

/// What the types of the API say to an editor.
const TYPES: &str = include_str!("templates/omp.d.ts");

/// A kind of code that a user can add.
struct Template {
    kind: &'static str,
    /// Where it belongs, below a directory of omp.
    place: fn(&str) -> String,
    source: &'static str,
    /// How to try it.
    hint: fn(&str) -> String,
}

const TEMPLATES: &[Template] = &[
    Template {
        kind: "extension",
        place: |name| format!("extensions/{name}/index.ts"),
        source: include_str!("templates/extension.ts"),
        hint: |name| format!("Start omp and type /{name}"),
    },
    Template {
        kind: "tool",
        place: |name| format!("tools/{name}/index.ts"),
        source: include_str!("templates/tool.ts"),
        hint: |name| format!("Start omp and ask the model to call {}", tool(name)),
    },
    Template {
        kind: "hook",
        place: |name| format!("hooks/pre/{name}.ts"),
        source: include_str!("templates/hook.ts"),
        hint: |name| format!("It is asked before each call of the tool {name}"),
    },
    Template {
        kind: "command",
        place: |name| format!("commands/{name}/index.ts"),
        source: include_str!("templates/command.ts"),
        hint: |name| format!("Start omp and type /{name}"),
    },
];

pub(super) fn run(call: &CommandCall, profile: Option<&str>) -> Result<u8, String> {
    let example = "name it, for example: omp extensions new word-count";
    let name = call.args.text("name").ok_or_else(|| format!("the extension needs a name: {example}"))?;
    let kind = call.values.text("kind").unwrap_or("extension");
    let template = TEMPLATES.iter().find(|template| template.kind == kind);
    let template = template.ok_or_else(|| format!("unknown kind {kind:?}"))?;
    check(name, kind)?;
    let base = base(call, profile)?;
    let path = base.join((template.place)(name));
    let source = template
        .source
        .replace("__NAME__", name)
        .replace("__TOOL__", &tool(name))
        .replace("__TYPES__", &types(template, name));
    let types = base.join("types/omp.d.ts");
    create(&path, &source)?;
    // One file for all of them; whoever has changed theirs keeps it.
    let has_types = types.symlink_metadata().is_ok();
    if !has_types {
        create(&types, TYPES)?;
    }
    if call.values.has("json") {
        return Ok(output::print_json(&json!({ "kind": kind, "path": path, "types": types })));
    }
    let written = output::name(&path.display().to_string());
    Ok(output::print(Stream::Out, &format!("Created {written}\n{}\n", (template.hint)(name))))
}

/// The user's directory, or that of the project.
fn base(call: &CommandCall, profile: Option<&str>) -> Result<PathBuf, String> {
    match call.values.has("project") {
        true => Ok(working_directory::current()?.join(".omp")),
        false => Ok(CommandContext::here(profile)?.directories.agent),
    }
}

fn check(name: &str, kind: &str) -> Result<(), String> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    let begins = name.starts_with(|c: char| c.is_ascii_lowercase());
    if !begins || !name.chars().all(fits) || name.len() > LONGEST {
        return Err(format!("{name:?} is not a valid name: use lower-case letters, digits, - and _"));
    }
    let is_command = matches!(kind, "extension" | "command");
    if is_command && omp_commands::reserved_names().iter().any(|reserved| reserved == name) {
        return Err(format!("/{name} is a built-in command: choose another name"));
    }
    Ok(())
}

/// Names of tools have no hyphens.
fn tool(name: &str) -> String {
    name.replace('-', "_")
}

/// The types, as the source names them.
fn types(template: &Template, name: &str) -> String {
    let place = (template.place)(name);
    let up = "../".repeat(place.matches('/').count());
    format!("{up}types/omp.d.ts")
}

/// Writes a new file, and never over another one.
fn create(path: &Path, text: &str) -> Result<(), String> {
    let is_free = || path.symlink_metadata().is_err();
    if !is_free() {
        return Err(format!("{} exists already: choose another name", path.display()));
    }
    write_if(path, text.as_bytes(), Mode::Keep, is_free).map(drop).map_err(|error| error.to_string())
}
