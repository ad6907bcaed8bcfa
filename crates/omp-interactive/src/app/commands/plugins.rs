//! `/marketplace` without arguments: the plugin browser, and what is done from it.

use std::collections::HashMap;

use omp_commands::MarketplaceAction;
use omp_panels::plugins::{PluginAction, PluginItem, PluginsPanel};
use omp_sdk::plugins::marketplace::{
    ListedPlugin, Marketplaces, OfferedPlugin, Outdated, PluginId, PluginScope, Reinstall,
};
use omp_theme::Token;
use omp_view::message::Level;
use tokio_util::sync::CancellationToken;

use crate::app::{App, Task};
use crate::panels::plugins::PluginBrowser;

/// Opens the browser with what catalogues say; nothing is fetched.
pub(crate) fn open_browser(app: &mut App) {
    let marketplaces = app.session().marketplaces(&CancellationToken::new());
    app.spawn(async move {
        let items = look(marketplaces).await;
        Box::new(move |app: &mut App| {
            app.open(PluginBrowser::new(PluginsPanel::new(items)));
            app.surface.changed();
        }) as Task
    });
}

/// Catalogues that are old are fetched again beside everything else; what is new is said.
pub(crate) fn keep_up_to_date(app: &App) {
    let Some(news) = app.session().marketplace_news() else { return };
    let tasks = app.tasks.clone();
    tokio::spawn(async move {
        if let Some(news) = news.await {
            let task: Task = Box::new(move |app: &mut App| app.say(Level::Info, &news.text));
            // The program has ended if nobody takes it.
            let _ = tasks.send(task);
        }
    });
}

async fn look(marketplaces: Marketplaces) -> Vec<PluginItem> {
    tokio::task::spawn_blocking(move || items(&marketplaces)).await.unwrap_or_default()
}

/// What is installed, then what is offered.
fn items(marketplaces: &Marketplaces) -> Vec<PluginItem> {
    let (installed, _) = marketplaces.installed();
    let (offered, _) = marketplaces.discover(None).unwrap_or_default();
    let outdated = marketplaces.outdated().unwrap_or_default();
    let entries: HashMap<String, &OfferedPlugin> =
        offered.iter().map(|offered| (offered.id.to_string(), offered)).collect();
    let here = installed.iter().map(|plugin| {
        let newer = outdated
            .iter()
            .find(|newer| newer.id.to_string() == plugin.id && Some(newer.scope) == plugin.scope());
        let mut item = installed_item(plugin, entries.get(&plugin.id).copied(), newer);
        let earlier = plugin.id.parse().ok().zip(plugin.scope());
        if earlier.is_some_and(|(id, scope)| marketplaces.has_earlier(&id, scope)) {
            item.actions.insert(item.actions.len() - 1, PluginAction::Rollback);
        }
        item
    });
    let new = offered.iter().filter(|offered| !offered.is_installed).map(|offered| PluginItem {
        id: offered.id.to_string(),
        description: offered.entry.description.clone().unwrap_or_default(),
        facts: facts(offered),
        actions: vec![PluginAction::Install, PluginAction::InstallHere],
        ..PluginItem::default()
    });
    here.chain(new).collect()
}

fn installed_item(
    plugin: &ListedPlugin,
    offered: Option<&OfferedPlugin>,
    newer: Option<&Outdated>,
) -> PluginItem {
    let version = plugin.version.as_deref().unwrap_or("unknown version");
    let mut state = format!("{version} ({})", plugin.owner());
    if let Some(remark) = plugin.remark() {
        state.push_str(&format!(", {remark}"));
    }
    if let Some(newer) = newer {
        state.push_str(&format!(", {} available", newer.to));
    }
    let mut facts = vec![("Installed", state.clone()), ("Directory", plugin.path.display().to_string())];
    facts.extend(offered.map(self::facts).unwrap_or_default());
    let switch = match plugin.state {
        omp_sdk::PluginState::Disabled => PluginAction::Enable,
        _ => PluginAction::Disable,
    };
    // What Claude Code has installed is its own.
    let actions = match plugin.scope() {
        None => Vec::new(),
        Some(_) => {
            let upgrade = newer.map(|_| PluginAction::Upgrade);
            upgrade.into_iter().chain([switch, PluginAction::Uninstall]).collect()
        }
    };
    let description = offered.and_then(|offered| offered.entry.description.clone()).unwrap_or_default();
    PluginItem { id: plugin.id.clone(), state, is_installed: true, description, facts, actions }
}

fn facts(offered: &OfferedPlugin) -> Vec<(&'static str, String)> {
    let entry = &offered.entry;
    let known = [
        ("Offered", &entry.version),
        ("Category", &entry.category),
        ("Author", &entry.author),
        ("Homepage", &entry.homepage),
    ];
    known.into_iter().filter_map(|(name, value)| Some((name, value.clone()?))).collect()
}

/// Has the session use what was changed.
pub(crate) fn use_changes(app: &mut App) {
    app.command("/reload-plugins");
}

/// Does something with a plugin for the browser; what comes of it is shown there.
pub(crate) fn act(app: &mut App, id: &str, action: PluginAction) {
    let cancel = CancellationToken::new();
    let marketplaces = app.session().marketplaces(&cancel);
    let Some(panel) = app.panels.panel::<PluginBrowser>() else { return };
    let id = match id.parse::<PluginId>() {
        Ok(id) => id,
        Err(error) => return panel.machine.note(&error.to_string(), true),
    };
    panel.running = Some(cancel.clone().drop_guard());
    app.spawn(async move {
        let work = async {
            let action = asked(&marketplaces, id, action);
            let outcome = omp_commands::plugins::perform(&marketplaces, action).await;
            (outcome, look(marketplaces.clone()).await)
        };
        let result = cancel.run_until_cancelled(work).await;
        Box::new(move |app: &mut App| {
            let changed = matches!(&result, Some((Ok(outcome), _)) if outcome.changed);
            match app.panels.panel::<PluginBrowser>() {
                Some(panel) => {
                    panel.running = None;
                    panel.has_changed |= changed;
                    match result {
                        None => panel.machine.note("Stopped", false),
                        Some((outcome, items)) => {
                            panel.machine.update(items);
                            match outcome {
                                Ok(outcome) => panel.machine.note(&outcome.text, outcome.failed),
                                Err(error) => panel.machine.note(&error.to_string(), true),
                            }
                        }
                    }
                }
                None if changed => {
                    app.hint(Token::Muted, "Plugins have changed (to use them: /reload-plugins)");
                }
                None => {}
            }
            app.surface.changed();
        }) as Task
    });
}

/// In both scopes the one of the project is meant: it comes first in the list.
fn asked(marketplaces: &Marketplaces, id: PluginId, action: PluginAction) -> MarketplaceAction {
    let (installed, _) = marketplaces.installed();
    let scope = installed.iter().filter(|plugin| plugin.id == id.to_string()).find_map(ListedPlugin::scope);
    let install = |scope| MarketplaceAction::Install { id: id.clone(), scope, reinstall: Reinstall::Refuse };
    match action {
        PluginAction::Install => install(PluginScope::User),
        PluginAction::InstallHere => install(PluginScope::Project),
        PluginAction::Upgrade => MarketplaceAction::Upgrade(Some(id), scope),
        PluginAction::Rollback => MarketplaceAction::Rollback(id, scope),
        PluginAction::Enable => MarketplaceAction::SetEnabled(id, scope, true),
        PluginAction::Disable => MarketplaceAction::SetEnabled(id, scope, false),
        PluginAction::Uninstall => MarketplaceAction::Uninstall(id, scope),
    }
}
