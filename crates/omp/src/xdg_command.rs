//! `omp config init-xdg`.

use omp_cli::CommandCall;
use omp_sdk::xdg::{self, Initialized};
use omp_sdk::{Environment, ProcessEnvironment};
use serde_json::json;

use crate::command_context;
use crate::output::{self, Stream};

/// Makes the XDG directories and says what did not move there.
pub(crate) fn init(call: &CommandCall, profile: Option<&str>) -> u8 {
    let directories = match command_context::directories(profile) {
        Ok(directories) => directories,
        Err(error) => return output::fail(&error, &[]),
    };
    match xdg::init(&directories, |name| ProcessEnvironment.var(name).filter(|value| !value.is_empty())) {
        Ok(done) if call.values.has("json") => output::print_json(&as_json(&done)),
        Ok(done) => output::print(Stream::Out, &as_text(&done)),
        Err(error) => output::fail(&error.to_string(), &[]),
    }
}

fn as_json(done: &Initialized) -> serde_json::Value {
    let moves = done.left_behind.iter().map(|(from, to)| json!({"from": from, "to": to}));
    json!({
        "created": done.created,
        "existing": done.existing,
        "leftBehind": moves.collect::<Vec<_>>(),
    })
}

fn as_text(done: &Initialized) -> String {
    let mut text = String::new();
    for path in &done.created {
        text.push_str(&format!("Created {}\n", path.display()));
    }
    for path in &done.existing {
        text.push_str(&format!("Already exists: {}\n", path.display()));
    }
    if !done.left_behind.is_empty() {
        text.push_str("Nothing was moved. To move existing files, exit every omp and run:\n");
    }
    for (from, to) in &done.left_behind {
        if let Some(parent) = to.parent().filter(|parent| !parent.exists()) {
            text.push_str(&format!("  mkdir -p {}\n", quoted(parent)));
        }
        text.push_str(&format!("  mv {} {}\n", quoted(from), quoted(to)));
    }
    text
}

/// As one word of a shell.
fn quoted(path: &std::path::Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}
