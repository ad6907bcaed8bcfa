//! `omp models`: what there is, as tables or as JSON.

use omp_cli::{ModelsAction, ModelsCall};
use omp_sdk::{CanonicalRow, ListState, ListStatus, ModelListing, ModelRow, Survey, survey_models};
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use crate::command_context::CommandContext;
use crate::output::{self, Stream};
use crate::profiles_command;
use crate::runtime;
use crate::working_directory;

/// `omp models [list|find|canonical|profiles|refresh] [pattern]`.
pub(crate) fn run(call: &ModelsCall, profile: Option<&str>) -> u8 {
    if call.action == ModelsAction::Profiles {
        return profiles_command::run(call, profile);
    }
    if call.action == ModelsAction::Refresh {
        return refresh(call, profile);
    }
    let mut listing = match listing(profile, Survey::Aged) {
        Ok(listing) => listing,
        Err(error) => return output::fail(&error, &[]),
    };
    if let Some(pattern) = &call.pattern {
        narrow(&mut listing, call.action, &pattern.to_lowercase());
    }
    match (call.action, call.json) {
        (ModelsAction::Canonical, true) => json(&listing.canonical),
        (ModelsAction::Canonical, false) => output::print(Stream::Out, &canonical_table(&listing.canonical)),
        (_, true) => json(&listing.models),
        (_, false) => {
            let extent = if call.pattern.is_some() { Extent::Everything } else { Extent::Usable };
            output::print(Stream::Out, &provider_tables(&listing, extent))
        }
    }
}

/// How much of a listing is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// The models that can be used; of other providers a line each.
    Usable,
    Everything,
}

/// `--list-models`: both views.
pub(crate) fn list_both(profile: Option<&str>) -> u8 {
    let listing = match listing(profile, Survey::Aged) {
        Ok(listing) => listing,
        Err(error) => return output::fail(&error, &[]),
    };
    let text = format!(
        "Canonical models\n\n{}\nModels by provider\n\n{}",
        canonical_table(&listing.canonical),
        provider_tables(&listing, Extent::Everything)
    );
    output::print(Stream::Out, &text)
}

/// `omp models refresh [provider]`: what every provider that can be asked said. Fails if one of them did.
fn refresh(call: &ModelsCall, profile: Option<&str>) -> u8 {
    let provider = call.pattern.as_deref();
    let mut listing = match listing(profile, Survey::Now(provider)) {
        Ok(listing) => listing,
        Err(error) => return output::fail(&error, &[]),
    };
    if let Some(provider) = provider {
        listing.lists.retain(|list| list.provider.eq_ignore_ascii_case(provider));
    }
    let failed = listing.lists.iter().any(|list| list.state == ListState::Failed);
    let written = match call.json {
        true => json(&listing.lists),
        false => output::print(Stream::Out, &status_table(&listing.lists)),
    };
    if written != 0 { written } else { u8::from(failed) }
}

/// One line for each provider that was asked.
fn status_table(lists: &[ListStatus]) -> String {
    if lists.is_empty() {
        return "No model lists to refresh: no provider has an API key or \"discovery\".\n".to_owned();
    }
    let line = |list: &ListStatus| {
        let provider = output::name(&list.provider);
        match (list.state, &list.error) {
            (ListState::Failed, Some(error)) => format!("{provider}: {}\n", output::name(error)),
            (ListState::Unknown, _) => format!("{provider}: skipped\n"),
            _ => format!("{provider}: {} models\n", list.models),
        }
    };
    lists.iter().map(line).collect()
}

fn listing(profile: Option<&str>, survey: Survey<'_>) -> Result<ModelListing, String> {
    let context = CommandContext::here(profile)?;
    let cwd = working_directory::current()?;
    let settings = context.settings(&cwd)?;
    let runtime = runtime::start()?;
    let cancel = CancellationToken::new();
    let survey = survey_models(&context.directories, &settings, &context.environment, survey, cancel);
    let listing = runtime.block_on(survey);
    // Idle connections and timers must not hold the process.
    runtime.shutdown_background();
    listing.warnings.iter().for_each(|warning| output::warn(warning));
    Ok(listing)
}

/// A word that is a provider's id shows that provider, unless a search was asked for; any other is looked for in
/// the names.
fn narrow(listing: &mut ModelListing, action: ModelsAction, pattern: &str) {
    let is_provider = listing.models.iter().any(|row| row.provider.eq_ignore_ascii_case(pattern))
        || listing.lists.iter().any(|list| list.provider.eq_ignore_ascii_case(pattern));
    let one_provider = is_provider && action == ModelsAction::List;
    listing.models.retain(|row| match one_provider {
        true => row.provider.eq_ignore_ascii_case(pattern),
        false => row.selector.to_lowercase().contains(pattern) || row.name.to_lowercase().contains(pattern),
    });
    listing.canonical.retain(|row| {
        let holds = |name: &String| name.to_lowercase().contains(pattern);
        holds(&row.id) || row.variants.iter().any(holds)
    });
}

pub(crate) fn json(rows: &impl Serialize) -> u8 {
    match serde_json::to_string_pretty(rows) {
        Ok(text) => output::print_json_text(&text),
        Err(error) => output::fail(&format!("cannot write the list as JSON: {error}"), &[]),
    }
}

const NOTHING: &str = "No matching models\n";

/// One table for each provider, those that can be used first.
fn provider_tables(listing: &ModelListing, extent: Extent) -> String {
    let mut providers: Vec<(&str, bool)> = Vec::new();
    for row in &listing.models {
        if !providers.iter().any(|(name, _)| *name == row.provider) {
            providers.push((&row.provider, row.available));
        }
    }
    providers.sort_by_key(|(_, available)| !available);
    let printed = listing.models.iter().filter(|row| extent == Extent::Everything || row.available);
    let width = printed.map(|row| row.selector.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (provider, available) in providers {
        let rows = listing.models.iter().filter(|row| row.provider == provider);
        let heading = heading(listing, provider, available);
        if extent == Extent::Usable && !available {
            text.push_str(&format!("{heading} ({} models)\n", rows.count()));
            continue;
        }
        let lines: String = rows.map(|row| line(row, width)).collect();
        text.push_str(&format!("{heading}\n{lines}\n"));
    }
    match text.trim_end() {
        "" => NOTHING.to_owned(),
        text => format!("{text}\n"),
    }
}

/// The provider, and what it lacks.
fn heading(listing: &ModelListing, provider: &str, available: bool) -> String {
    let variables = listing.variables.get(provider).map(|names| names.join(" or ")).unwrap_or_default();
    match (available, variables.is_empty()) {
        (true, _) => format!("{}: ready", output::name(provider)),
        (false, true) => format!("{}: no key", output::name(provider)),
        (false, false) => format!("{}: no key, set {variables}", output::name(provider)),
    }
}

fn line(row: &ModelRow, width: usize) -> String {
    let mut notes = Vec::new();
    if row.reasoning {
        notes.push("thinking");
    }
    if row.input.contains(&"image") {
        notes.push("images");
    }
    let selector = output::name(&row.selector);
    let text = format!(
        "  {selector:<width$}  {:>6} context  {:>6} output  {:<16}  {:<24}  {}",
        tokens(row.context_window),
        tokens(u64::from(row.max_tokens)),
        notes.join(", "),
        row.api,
        if row.name == row.id { String::new() } else { output::name(&row.name) },
    );
    format!("{}\n", text.trim_end())
}

/// One line for each model, regardless of who offers it.
fn canonical_table(rows: &[CanonicalRow]) -> String {
    if rows.is_empty() {
        return NOTHING.to_owned();
    }
    let width = rows.iter().map(|row| row.id.chars().count()).max().unwrap_or(0);
    let line = |row: &CanonicalRow| {
        let state = if row.available { "ready " } else { "no key" };
        let (id, variants) = (output::name(&row.id), row.variants.join(", "));
        format!("{id:<width$}  {state}  {}\n", output::name(&variants))
    };
    rows.iter().map(line).collect()
}

fn tokens(count: u64) -> String {
    match count {
        0..1000 => count.to_string(),
        1000..1_000_000 => format!("{}k", count / 1000),
        _ => format!("{}.{}m", count / 1_000_000, count % 1_000_000 / 100_000),
    }
}
