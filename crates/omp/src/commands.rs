//! Subcommands that need no session.

use omp_cli::{CommandCall, CompleteQuery, CompletionSource};
use omp_sdk::settings::TABLE;
use omp_sdk::{SessionScope, TOOL_NAMES, list_models, list_sessions, load_settings};

use crate::output::{self, Stream};
use crate::world;

/// `omp session list [--all] [--json]`.
pub(crate) fn sessions(call: &CommandCall, profile: Option<&str>) -> u8 {
    let directories = match world::directories(profile) {
        Ok(directories) => directories,
        Err(error) => return output::fail(&error, &[]),
    };
    let cwd = match std::env::current_dir() {
        Ok(cwd) => cwd,
        Err(error) => return output::fail(&format!("the current directory cannot be used: {error}"), &[]),
    };
    let scope = if call.values.has("all") { SessionScope::AllFolders } else { SessionScope::Folder(&cwd) };
    let rows = list_sessions(&directories, scope);
    if call.values.has("json") {
        let text = serde_json::to_string_pretty(&rows).unwrap_or_default();
        return output::print(Stream::Out, &format!("{text}\n"));
    }
    let lines =
        rows.iter().map(|row| format!("{}  {}  {}\n", row.id, row.modified, output::sanitize(&row.name)));
    let text: String = lines.collect();
    output::print(Stream::Out, if text.is_empty() { "No sessions yet.\n" } else { &text })
}

/// `omp __complete`: candidates for shell completion. Offline, and silent whatever happens.
pub(crate) fn complete(query: &CompleteQuery, profile: Option<&str>) -> u8 {
    let mut lines = String::new();
    for (value, description) in candidates(query.source, profile) {
        if value.starts_with(&query.prefix) {
            lines.push_str(&format!("{value}\t{description}\n"));
        }
    }
    output::print(Stream::Out, &lines);
    0
}

fn candidates(source: Option<CompletionSource>, profile: Option<&str>) -> Vec<(String, String)> {
    match source {
        Some(CompletionSource::Models) => {
            let (Ok(directories), Ok(cwd)) = (world::directories(profile), std::env::current_dir()) else {
                return Vec::new();
            };
            let (environment, _) = world::environment(&directories, &cwd);
            let settings =
                load_settings(&directories, &cwd, environment.as_ref(), &[], serde_json::Map::new());
            let Ok(settings) = settings else { return Vec::new() };
            let listing = list_models(&directories, &settings, environment.as_ref());
            listing
                .models
                .into_iter()
                .map(|row| {
                    (row.selector, if row.available { row.name } else { format!("{} (no key)", row.name) })
                })
                .collect()
        }
        Some(CompletionSource::Tools) => {
            TOOL_NAMES.iter().map(|name| ((*name).to_owned(), "built-in tool".to_owned())).collect()
        }
        Some(CompletionSource::Sessions) => {
            let (Ok(directories), Ok(cwd)) = (world::directories(profile), std::env::current_dir()) else {
                return Vec::new();
            };
            let rows = list_sessions(&directories, SessionScope::Folder(&cwd));
            rows.into_iter().map(|row| (row.id, row.name)).collect()
        }
        Some(CompletionSource::Settings) => {
            TABLE.iter().map(|row| (row.path.to_owned(), row.about.to_owned())).collect()
        }
        None => Vec::new(),
    }
}

pub(crate) fn update() -> u8 {
    output::print(
        Stream::Out,
        "omp does not update itself: install the new version with the package manager you got it from.\n",
    )
}
