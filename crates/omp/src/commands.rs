//! Subcommands that need no session.

use omp_cli::{CompleteQuery, CompletionSource};
use omp_sdk::settings::TABLE;
use omp_sdk::{SavedSessions, SessionScope, TOOL_NAMES, list_models, load_settings};

use crate::command_context;
use crate::output::{self, Stream};

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
            let (Ok(directories), Ok(cwd)) = (command_context::directories(profile), std::env::current_dir())
            else {
                return Vec::new();
            };
            let (environment, _) = command_context::environment(&directories, &cwd);
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
            let (Ok(directories), Ok(cwd)) = (command_context::directories(profile), std::env::current_dir())
            else {
                return Vec::new();
            };
            let rows = SavedSessions::new(&directories, None, &cwd).list(SessionScope::Folder);
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
        "omp does not update itself: install the new version with your package manager.\n",
    )
}
