//! What tools say about their calls before these run.

use std::path::{Path, PathBuf};

use omp_guard::command::{Place, judge};
use omp_types::{Approval, ApprovalDetail};
use serde_json::{Map, Value};

use crate::{Context, InternalUrl};

/// Schemes of things that belong to the session alone.
const SESSION: [&str; 3] = ["agent", "artifact", "local"];

fn text<'a>(arguments: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    arguments.get(name).and_then(Value::as_str)
}

/// One line for each argument that is a text, under the label that stands beside its name.
pub(crate) fn details(
    arguments: &Map<String, Value>,
    labels: &[(&str, &'static str)],
) -> Vec<ApprovalDetail> {
    let detail = |(name, label): &(&str, &'static str)| {
        Some(ApprovalDetail { label, value: text(arguments, name)?.to_owned() })
    };
    labels.iter().filter_map(detail).collect()
}

/// Runs code, and insists on a question if the command is one that nothing can undo.
pub(crate) fn of_command(context: &Context, arguments: &Map<String, Value>) -> Approval {
    let command = text(arguments, "command").unwrap_or_default();
    let cwd = text(arguments, "cwd").and_then(|typed| context.base().resolve(typed).ok());
    let given = arguments.get("env").and_then(Value::as_object).into_iter().flatten();
    let variables: Vec<(String, String)> =
        given.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect();
    let place = Place {
        cwd: cwd.as_deref().unwrap_or(&context.cwd),
        home: context.home.as_deref(),
        variables: &variables,
        real: &real,
    };
    match judge(command, place).critical {
        Some(reason) => Approval { reason: Some(reason.into()), insists: true, ..Approval::EXEC },
        None => Approval::EXEC,
    }
}

/// Writing; mere reading if everything that is written belongs to the session alone.
pub(crate) fn of_edit<'a>(targets: impl IntoIterator<Item = &'a str>) -> Approval {
    let mut targets = targets.into_iter().peekable();
    let inside = |typed: &str| InternalUrl::parse(typed).is_some_and(|url| SESSION.contains(&url.scheme()));
    match targets.peek().is_some() && targets.all(inside) {
        true => Approval::READ,
        false => Approval::WRITE,
    }
}

/// The file behind all links, even if it or its directory does not exist yet.
pub(crate) fn real(path: &Path) -> PathBuf {
    let mut missing = PathBuf::new();
    let mut existing = path;
    loop {
        if let Ok(found) = existing.canonicalize() {
            return if missing.as_os_str().is_empty() { found } else { found.join(missing) };
        }
        match (existing.parent(), existing.file_name()) {
            (Some(parent), Some(name)) => {
                missing =
                    if missing.as_os_str().is_empty() { name.into() } else { Path::new(name).join(missing) };
                existing = parent;
            }
            _ => return path.to_owned(),
        }
    }
}
