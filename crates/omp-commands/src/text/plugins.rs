//! `/marketplace`, `/plugins` and the same actions of `omp plugin`.

mod views;
mod words;

use std::sync::Arc;

use omp_sdk::Session;
use omp_sdk::marketplaces::PluginHealth;
use omp_sdk::plugins::marketplace::{
    InstalledPlugin, MarketplaceError, Marketplaces, PluginId, PluginRepair, PluginScope,
    RefreshedMarketplace, Reinstall, Upgrade,
};
use omp_sdk::plugins::packages::Packages;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::answer::Answer;
use crate::handler::{CommandContext, TextCall};
use crate::text::moving;
use words::Words;

pub use views::{health_json, health_text, installed_json, installed_text};

const MARKETPLACE_USAGE: &str = "Usage: /marketplace [list]
       /marketplace add <owner/repo|git URL|URL of a .json file|./directory>
       /marketplace remove <marketplace> | update [marketplace] | discover [marketplace]
       /marketplace install [--force] [--scope user|project] <name@marketplace>
       /marketplace uninstall|enable|disable|rollback [--scope user|project] <name@marketplace>
       /marketplace upgrade [--scope user|project] [name@marketplace]
       /marketplace installed | doctor [--fix]";
const PLUGINS_USAGE: &str = "Usage: /plugins [list]
       /plugins enable|disable|uninstall [--scope user|project] <plugin>
       /plugins upgrade [name@marketplace] | doctor [--fix]";

/// What is to be done with marketplaces and plugins from them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MarketplaceAction {
    /// Adds one.
    Add(String),
    /// Forgets one.
    Remove(String),
    /// Fetches catalogues again.
    Update(Option<String>),
    /// Which ones there are.
    List,
    /// What they offer.
    Discover(Option<String>),
    /// What is installed.
    Installed,
    /// Installs a plugin.
    Install {
        /// Which one.
        id: PluginId,
        /// For whom.
        scope: PluginScope,
        /// What happens to one that is there.
        reinstall: Reinstall,
    },
    /// Removes a plugin.
    Uninstall(PluginId, Option<PluginScope>),
    /// Switches a plugin on or off.
    SetEnabled(PluginId, Option<PluginScope>, bool),
    /// Installs newer versions.
    Upgrade(Option<PluginId>, Option<PluginScope>),
    /// Returns to the version before.
    Rollback(PluginId, Option<PluginScope>),
}

/// What came of an action.
#[derive(Clone, Debug, PartialEq)]
pub struct PluginOutcome {
    /// For people.
    pub text: String,
    /// For programs.
    pub json: Value,
    /// What sessions find has changed.
    pub changed: bool,
    /// Something of it went wrong.
    pub failed: bool,
}

impl PluginOutcome {
    fn told(text: String, json: Value) -> Self {
        Self { text, json, changed: false, failed: false }
    }

    fn changed(text: String, json: Value) -> Self {
        Self { changed: true, ..Self::told(text, json) }
    }
}

/// Does what is asked for.
pub async fn perform(
    marketplaces: &Marketplaces,
    action: MarketplaceAction,
) -> Result<PluginOutcome, MarketplaceError> {
    match action {
        MarketplaceAction::Add(typed) => {
            let added = marketplaces.add(&typed).await?;
            let text = with_notes(
                format!("Marketplace {} added: {}", added.name, views::plugins(added.plugins)),
                &added.notes,
            );
            let hint = format!(
                "{text}\nTo see them: /marketplace discover {0}, or omp plugin discover {0}",
                added.name
            );
            Ok(PluginOutcome::told(hint, refreshed_json(&added)))
        }
        MarketplaceAction::Remove(name) => {
            marketplaces.remove(&name)?;
            let text = format!("Marketplace {name} removed; plugins installed from it stay");
            Ok(PluginOutcome::told(text, json!({"name": name, "removed": true})))
        }
        MarketplaceAction::Update(name) => {
            let done = marketplaces.update(name.as_deref()).await?;
            updated(done)
        }
        MarketplaceAction::List => {
            let all = marketplaces.list()?;
            Ok(PluginOutcome::told(views::marketplaces(&all), views::marketplaces_json(&all)))
        }
        MarketplaceAction::Discover(name) => {
            let (offered, problems) = marketplaces.discover(name.as_deref())?;
            Ok(PluginOutcome::told(
                views::offered(&offered, &problems),
                views::offered_json(&offered, &problems),
            ))
        }
        MarketplaceAction::Installed => {
            let (all, warnings) = marketplaces.installed();
            Ok(PluginOutcome::told(installed_text(&all, &[], &warnings), installed_json(&all)))
        }
        MarketplaceAction::Install { id, scope, reinstall } => {
            let installed = marketplaces.install(&id, scope, reinstall).await?;
            Ok(PluginOutcome::changed(installed_now(&id, &installed), installed_now_json(&installed)))
        }
        MarketplaceAction::Uninstall(id, scope) => {
            let scope = marketplaces.uninstall(&id, scope)?;
            let json = json!({"id": id.to_string(), "scope": scope.word(), "uninstalled": true});
            Ok(PluginOutcome::changed(format!("{id} uninstalled ({scope})"), json))
        }
        MarketplaceAction::SetEnabled(id, scope, enabled) => {
            let scope = marketplaces.set_enabled(&id, scope, enabled)?;
            let word = if enabled { "enabled" } else { "disabled" };
            let json = json!({"id": id.to_string(), "scope": scope.word(), "enabled": enabled});
            Ok(PluginOutcome::changed(format!("{id} {word} ({scope})"), json))
        }
        MarketplaceAction::Upgrade(id, scope) => {
            Ok(upgraded(&marketplaces.upgrade(id.as_ref(), scope).await?, id.is_none()))
        }
        MarketplaceAction::Rollback(id, scope) => {
            let (scope, from, to) = marketplaces.rollback(&id, scope)?;
            let json = json!({"id": id.to_string(), "scope": scope.word(), "from": from, "to": to});
            Ok(PluginOutcome::changed(format!("{id} {from} -> {to} ({scope})"), json))
        }
    }
}

fn with_notes(text: String, notes: &[String]) -> String {
    const MOST: usize = 10;
    let text = notes.iter().take(MOST).fold(text, |text, note| format!("{text}\n  {note}"));
    match notes.len().checked_sub(MOST).filter(|more| *more > 0) {
        Some(more) => format!("{text}\n  … {more} more"),
        None => text,
    }
}

fn refreshed_json(one: &RefreshedMarketplace) -> Value {
    json!({"name": one.name, "plugins": one.plugins, "notes": one.notes})
}

fn updated(
    done: Vec<(String, Result<RefreshedMarketplace, MarketplaceError>)>,
) -> Result<PluginOutcome, MarketplaceError> {
    if done.is_empty() {
        let text = "No marketplaces (to add one: omp plugin marketplace add owner/repo)".to_owned();
        return Ok(PluginOutcome::told(text, json!([])));
    }
    let (mut lines, mut values, mut failed, mut renamed) = (Vec::new(), Vec::new(), None, false);
    let count = done.len();
    for (name, result) in done {
        match result {
            Ok(one) => {
                renamed |= one.notes.iter().any(|note| note.contains(" is now "));
                let text = format!("Marketplace {name} updated: {}", views::plugins(one.plugins));
                lines.push(with_notes(text, &one.notes));
                values.push(refreshed_json(&one));
            }
            Err(error) => {
                lines.push(format!("Marketplace {name} was not updated: {error}"));
                values.push(json!({"name": name, "error": error.to_string()}));
                failed = Some(error);
            }
        }
    }
    match failed {
        // One alone either works or is the error.
        Some(error) if count == 1 => Err(error),
        failed => Ok(PluginOutcome {
            text: lines.join("\n"),
            json: Value::Array(values),
            changed: renamed,
            failed: failed.is_some(),
        }),
    }
}

fn installed_now(asked: &PluginId, installed: &InstalledPlugin) -> String {
    let InstalledPlugin { id, version, scope, left_out, .. } = installed;
    let mut text = format!("{id} {version} installed ({scope})");
    if id != asked {
        text.push_str(&format!("; {asked} has that name now"));
    }
    if !left_out.is_empty() {
        let names: Vec<String> = left_out.iter().take(5).map(|path| path.display().to_string()).collect();
        text.push_str(&format!("\n  left out, because they lead out of the plugin: {}", names.join(", ")));
    }
    text
}

fn installed_now_json(installed: &InstalledPlugin) -> Value {
    json!({
        "id": installed.id.to_string(),
        "version": installed.version,
        "scope": installed.scope.word(),
        "path": installed.path,
        "leftOut": installed.left_out,
    })
}

fn upgraded(done: &[Upgrade], all: bool) -> PluginOutcome {
    let line = |one: &Upgrade| match &one.to {
        Ok(Some(to)) => format!("{} {} -> {to} ({})", one.id, one.from, one.scope),
        Ok(None) => format!("{} {} is up to date ({})", one.id, one.from, one.scope),
        Err(error) => format!("{} stays at {} ({}): {error}", one.id, one.from, one.scope),
    };
    let value = |one: &Upgrade| {
        json!({
            "id": one.id.to_string(),
            "scope": one.scope.word(),
            "from": one.from,
            "to": one.to.as_ref().ok().and_then(Clone::clone),
            "error": one.to.as_ref().err().map(ToString::to_string),
        })
    };
    let text = match done.is_empty() && all {
        true => "All plugins are up to date (to look for newer ones first: omp plugin marketplace update)"
            .to_owned(),
        false => done.iter().map(line).collect::<Vec<_>>().join("\n"),
    };
    PluginOutcome {
        text,
        json: done.iter().map(value).collect(),
        changed: done.iter().any(|one| matches!(one.to, Ok(Some(_)))),
        failed: done.iter().any(|one| one.to.is_err()),
    }
}

/// Examines all plugins, and repairs what can be repaired if that is asked for.
pub async fn doctor(
    marketplaces: &Marketplaces,
    fix: bool,
    examine: impl Fn() -> PluginHealth + Send + Sync + 'static,
) -> Result<PluginOutcome, String> {
    let marketplaces = marketplaces.clone();
    let work = move || {
        let mut health = examine();
        let mut repaired = Vec::new();
        if fix {
            let repairs: Vec<PluginRepair> =
                health.problems.iter().filter_map(|problem| problem.repair.clone()).collect();
            for repair in repairs {
                marketplaces.repair(&repair).map_err(|error| error.to_string())?;
                repaired.push(views::repaired(&repair));
            }
            if !repaired.is_empty() {
                health = examine();
            }
        }
        let failed = health.broken() > 0 || !health.problems.is_empty();
        Ok(PluginOutcome {
            text: health_text(&health, &repaired),
            json: health_json(&health, &repaired),
            changed: !repaired.is_empty(),
            failed,
        })
    };
    tokio::task::spawn_blocking(work).await.map_err(|error| error.to_string())?
}

/// `/marketplace …`
pub(crate) async fn marketplace(call: TextCall<'_>) -> Answer {
    let words = match Words::parse(call.arguments) {
        Ok(words) => words,
        Err(mistake) => return Answer::Refused(format!("{mistake}\n{MARKETPLACE_USAGE}")),
    };
    if words.words.first().is_some_and(|word| word == "doctor") {
        return health(call.context, words.fix).await;
    }
    match words.action() {
        Ok(Some(action)) => answer(call.context, action).await,
        Ok(None) => Answer::Refused(format!("unknown action {:?}\n{MARKETPLACE_USAGE}", words.words[0])),
        Err(mistake) => Answer::Refused(format!("{mistake}\n{MARKETPLACE_USAGE}")),
    }
}

/// `/plugins …`
pub(crate) async fn plugins(call: TextCall<'_>) -> Answer {
    let refused = |mistake: String| Answer::Refused(format!("{mistake}\n{PLUGINS_USAGE}"));
    let words = match Words::parse(call.arguments) {
        Ok(words) => words,
        Err(mistake) => return refused(mistake),
    };
    let action = words.words.first().map_or("list", String::as_str);
    match action {
        "list" | "ls" => return list(&call.session()).await,
        "doctor" => return health(call.context, words.fix).await,
        "enable" | "disable" | "uninstall" | "upgrade" => {}
        other => return refused(format!("unknown action {other:?}")),
    }
    let name = match words.only() {
        Ok(name) => name,
        Err(mistake) => return refused(mistake),
    };
    let package = name.filter(|name| name.parse::<PluginId>().is_err() && action != "upgrade");
    if let Some(name) = package {
        return package_action(call.context, action, name).await;
    }
    match words.action() {
        Ok(Some(action)) => answer(call.context, action).await,
        Ok(None) => refused(format!("unknown action {action:?}")),
        Err(mistake) => refused(mistake),
    }
}

/// What is done with a package, which has no marketplace.
async fn package_action(context: &CommandContext, action: &str, name: String) -> Answer {
    let packages: Packages = context.session().packages();
    let word = action.to_owned();
    let work = move || {
        let done = match word.as_str() {
            "uninstall" => packages.uninstall(&name),
            enables => packages.set_enabled(&name, enables == "enable"),
        };
        done.map(|()| format!("{name} {word}{}", if word.ends_with('e') { "d" } else { "ed" }))
    };
    match tokio::task::spawn_blocking(work).await {
        Ok(Ok(text)) => reloaded(context, text).await,
        Ok(Err(error)) => Answer::refused(error),
        Err(error) => Answer::refused(error),
    }
}

async fn list(session: &Arc<Session>) -> Answer {
    let marketplaces = session.marketplaces(&CancellationToken::new());
    let packages = session.packages();
    crate::text::blocking(move || {
        let (installed, mut warnings) = marketplaces.installed();
        let (packages, more) = packages.list();
        warnings.extend(more);
        Answer::Text(installed_text(&installed, &packages, &warnings))
    })
    .await
}

/// Does what is asked for, and uses what it changes at once.
pub(crate) async fn answer(context: &CommandContext, action: MarketplaceAction) -> Answer {
    let cancel = CancellationToken::new();
    let _stop = cancel.clone().drop_guard();
    match perform(&context.session().marketplaces(&cancel), action).await {
        Ok(outcome) if outcome.changed => reloaded(context, outcome.text).await,
        Ok(outcome) if outcome.failed => Answer::Refused(outcome.text),
        Ok(outcome) => Answer::Text(outcome.text),
        Err(error) => Answer::refused(error),
    }
}

async fn health(context: &CommandContext, fix: bool) -> Answer {
    let session = context.session();
    let marketplaces = session.marketplaces(&CancellationToken::new());
    let examined = marketplaces.clone();
    match doctor(&marketplaces, fix, move || session.plugin_health(&examined)).await {
        Ok(outcome) => Answer::Text(outcome.text),
        Err(error) => Answer::Refused(error),
    }
}

/// Puts what was done before what reloading says.
async fn reloaded(context: &CommandContext, done: String) -> Answer {
    match moving::reload(context).await {
        Answer::Changed(text) => Answer::Changed(format!("{done}\n{text}")),
        Answer::Arrived(arrival, text) => Answer::Arrived(arrival, format!("{done}\n{text}")),
        Answer::Refused(reason) => {
            Answer::Changed(format!("{done}\nNot in use yet: {reason} (then: /reload-plugins)"))
        }
        _ => Answer::Changed(done),
    }
}
