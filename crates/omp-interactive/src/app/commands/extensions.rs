//! `/extensions`: everything that was found, by source, to be switched on and off.

use std::collections::BTreeSet;
use std::sync::Arc;

use omp_sdk::settings::keys;
use omp_sdk::{DiscoveredItem, DiscoveredState, Session};
use omp_theme::Token;
use omp_view::message::Level;
use omp_view::select::{Choice, Selector};
use serde_json::Value;

use crate::app::{App, Task};

/// A row of the dashboard.
enum ExtensionRow {
    /// A whole source.
    Source {
        id: &'static str,
        label: &'static str,
        on: bool,
    },
    Item(DiscoveredItem),
    /// What is known of modules that are loaded, or are not.
    Modules(usize),
}

/// Opens the dashboard at a row.
pub(crate) fn show_extensions(app: &mut App, at: usize) {
    let session = app.session();
    app.spawn(async move {
        let found = session.configuration().discovered_items().await;
        Box::new(move |app: &mut App| {
            let mut rows = rows(found);
            let session = app.session();
            let extensions = session.extensions();
            let others = extensions.failed().len() + extensions.refused().len();
            if extensions.loaded().len() + others > 0 {
                rows.insert(0, ExtensionRow::Modules(extensions.loaded().len()));
            }
            list_extensions(app, rows, at);
        }) as Task
    });
}

fn list_extensions(app: &mut App, rows: Vec<ExtensionRow>, at: usize) {
    if rows.is_empty() {
        app.hint(Token::Muted, "No context files, skills, rules, commands or settings files found");
        return;
    }
    let list = Selector::new("Extensions (Enter: enable or disable)", rows.iter().map(choice).collect());
    let list = list.at(at.min(rows.len() - 1));
    app.pick(list, move |app, chosen| {
        let Some((place, row)) = chosen.and_then(|place| Some((place, rows.get(place)?))) else { return };
        let (key, entry) = match row {
            ExtensionRow::Source { id, .. } => (keys::DISABLED_PROVIDERS.path(), (*id).to_owned()),
            ExtensionRow::Modules(_) => {
                let report = omp_commands::extensions_report(&app.session());
                return app.say(Level::Info, &report);
            }
            ExtensionRow::Item(found) => (keys::DISABLED_EXTENSIONS.path(), found.entry.clone()),
        };
        toggle(app, key, entry, place);
    });
}

/// Puts an entry into a list of the settings, or takes it away, and shows the dashboard again.
fn toggle(app: &mut App, key: &'static str, entry: String, place: usize) {
    let session = app.session();
    app.spawn(async move {
        let done = switch(&session, key, &entry).await;
        Box::new(move |app: &mut App| {
            if let Err(error) = done {
                app.complain(&error.to_string());
            }
            app.look_around();
            show_extensions(app, place);
        }) as Task
    });
}

async fn switch(session: &Arc<Session>, key: &'static str, entry: &str) -> Result<(), omp_sdk::SessionError> {
    let settings = session.settings();
    let list = match key == keys::DISABLED_PROVIDERS.path() {
        true => settings.get(keys::DISABLED_PROVIDERS),
        false => settings.get(keys::DISABLED_EXTENSIONS),
    };
    // Entries that hold for a path only are objects and stay.
    let mut entries: Vec<Value> = list.to_vec();
    let known = entries.len();
    entries.retain(|value| value.as_str() != Some(entry));
    if entries.len() == known {
        entries.push(Value::from(entry));
    }
    session.configuration().change(key, Value::Array(entries)).await?;
    session.configuration().reload().await.map(drop)
}

/// Each source before what it has.
fn rows(mut found: Vec<DiscoveredItem>) -> Vec<ExtensionRow> {
    found.sort_by_key(|item| item.order);
    let mut seen = BTreeSet::new();
    let mut rows = Vec::new();
    for item in found {
        if seen.insert(item.provider) {
            let on = item.state != DiscoveredState::SourceOff;
            rows.push(ExtensionRow::Source { id: item.provider, label: item.label, on });
        }
        rows.push(ExtensionRow::Item(item));
    }
    rows
}

fn choice(row: &ExtensionRow) -> Choice {
    match row {
        ExtensionRow::Source { label, on, .. } => {
            let state = if *on { "on" } else { "off" };
            Choice::new(format!("all of {label} ({state})")).group(*label)
        }
        ExtensionRow::Modules(count) => {
            Choice::new(format!("{count} extensions loaded")).detail("what they registered and touched")
        }
        ExtensionRow::Item(item) => {
            let (sign, state) = match &item.state {
                DiscoveredState::Active => ("+", "active".to_owned()),
                DiscoveredState::Shadowed(winner) => ("~", format!("shadowed by {}", winner.display())),
                DiscoveredState::Disabled => ("-", "disabled".to_owned()),
                DiscoveredState::SourceOff => ("-", "disabled with its source".to_owned()),
            };
            let name = format!("{sign} {} {}", item.kind, item.name);
            Choice::new(name).detail(format!("{state}, {}", item.level)).group(item.label)
        }
    }
}
