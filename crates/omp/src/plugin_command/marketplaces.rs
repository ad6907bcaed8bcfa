//! `omp plugin marketplace …`, and plugins of marketplaces.

use omp_cli::CommandCall;
use omp_commands::plugins::{doctor, perform};
use omp_commands::{MarketplaceAction, PluginOutcome};
use omp_sdk::marketplaces::{PluginHealth, marketplaces_of};
use omp_sdk::plugins::marketplace::{Marketplaces, PluginId, PluginScope, Reinstall};

use serde_json::{Value, json};

use super::{PluginContext, Said};
use crate::command_context::CommandContext;
use crate::output;

impl PluginContext<'_> {
    pub(super) fn marketplaces(&self) -> Marketplaces {
        marketplaces_of(&self.directories, &self.cwd, &self.environment, &self.cancel)
    }

    /// The scope that was chosen, if one was.
    pub(super) fn scope(&self) -> Option<PluginScope> {
        scope(self.call)
    }

    /// `omp plugin marketplace add|remove|update|list`
    pub(super) async fn marketplace(&self) -> Result<u8, String> {
        let words = self.words();
        let (action, rest) =
            words.split_first().map_or(("list", &[][..]), |(first, rest)| (first.as_str(), rest));
        let named = || match rest {
            [one] => Ok(one.clone()),
            [] => Err(format!("omp plugin marketplace {action} needs a marketplace")),
            [_, more, ..] => Err(format!("unexpected argument {more:?}")),
        };
        let action = match action {
            "list" => MarketplaceAction::List,
            "add" => MarketplaceAction::Add(named()?),
            "remove" => MarketplaceAction::Remove(named()?),
            "update" if rest.is_empty() => MarketplaceAction::Update(None),
            "update" => MarketplaceAction::Update(Some(named()?)),
            other => return Err(format!("unknown action {other:?}: use add, remove, update or list")),
        };
        self.do_with_marketplaces(action).await
    }

    /// `omp plugin discover [marketplace]`
    pub(super) async fn discover(&self) -> Result<u8, String> {
        self.do_with_marketplaces(MarketplaceAction::Discover(self.words().first().cloned())).await
    }

    /// `omp plugin upgrade|rollback`: without a name all that are outdated.
    pub(super) async fn upgrade_plugins(&self) -> Result<u8, String> {
        let id = self.words().first().map(|name| plugin_id(name)).transpose()?;
        self.do_with_marketplaces(MarketplaceAction::Upgrade(id, self.scope())).await
    }

    /// `omp plugin rollback`
    pub(super) async fn rollback_plugin(&self) -> Result<u8, String> {
        let name =
            self.words().first().cloned().ok_or("omp plugin rollback needs a plugin: name@marketplace")?;
        self.do_with_marketplaces(MarketplaceAction::Rollback(plugin_id(&name)?, self.scope())).await
    }

    /// Installs a plugin of a marketplace.
    pub(super) async fn install_from_marketplace(
        &self,
        plugin: &str,
        marketplace: &str,
    ) -> Result<Said, String> {
        let id = plugin_id(&format!("{plugin}@{marketplace}"))?;
        let scope = self.scope().unwrap_or(PluginScope::User);
        if self.call.values.has("dry-run") {
            let (offered, _) =
                self.marketplaces().discover(Some(marketplace)).map_err(|error| error.to_string())?;
            let offer = offered.into_iter().find(|offered| offered.id == id);
            let offer = offer.ok_or_else(|| {
                format!("Plugin \"{id}\" not found (see: omp plugin discover {marketplace})")
            })?;
            let version = offer.entry.version.map(|version| format!(" {version}")).unwrap_or_default();
            return Ok(would(&format!("Would install {id}{version} ({scope})"), &id, "install"));
        }
        let reinstall = if self.call.values.has("force") { Reinstall::Force } else { Reinstall::Refuse };
        self.said(MarketplaceAction::Install { id, scope, reinstall }).await
    }

    /// `omp plugin uninstall|enable|disable`: plugins of marketplaces have an `@` in their names, packages do not. The first
    /// that fails ends it.
    pub(super) async fn change_each(&self, action: &str) -> Result<u8, String> {
        let words = self.words();
        if words.is_empty() {
            return Err("name a plugin (see: omp plugin list)".to_owned());
        }
        let (mut texts, mut rows) = (Vec::new(), Vec::new());
        for word in &words {
            let said = match word.parse::<PluginId>() {
                Ok(id) => self.change_plugin(action, id).await,
                Err(_) if self.scope().is_some() => {
                    Err(format!("{word} is a package: only plugins of marketplaces have --scope"))
                }
                Err(_) => match action {
                    "uninstall" => self.uninstall(word),
                    _ => self.switch(word, action == "enable"),
                }
                .map_err(|error| error.to_string()),
            };
            match said {
                Ok(said) => {
                    texts.push(said.text);
                    rows.push(said.json);
                }
                Err(error) => {
                    if !self.is_json() && !texts.is_empty() {
                        output::print_prose(&format!("{}\n", texts.join("\n")));
                    }
                    return Err(error);
                }
            }
        }
        let json = if rows.len() == 1 { rows.remove(0) } else { Value::Array(rows) };
        Ok(self.say(&Said { text: texts.join("\n"), json, failed: false }))
    }

    async fn change_plugin(&self, action: &str, id: PluginId) -> Result<Said, String> {
        if self.call.values.has("dry-run") {
            return Ok(would(&format!("Would {action} {id}"), &id, action));
        }
        self.said(match action {
            "uninstall" => MarketplaceAction::Uninstall(id, self.scope()),
            _ => MarketplaceAction::SetEnabled(id, self.scope(), action == "enable"),
        })
        .await
    }

    /// `omp plugin doctor [--fix]`
    pub(super) async fn doctor(&self) -> Result<u8, String> {
        let context = CommandContext {
            directories: self.directories.clone(),
            environment: std::sync::Arc::clone(&self.environment),
        };
        let settings = context.settings(&self.cwd)?;
        let (marketplaces, directories, cwd) =
            (self.marketplaces(), self.directories.clone(), self.cwd.clone());
        let seen = marketplaces.clone();
        let examine = move || PluginHealth::examine(&directories, &cwd, &settings, &seen);
        let outcome = doctor(&marketplaces, self.call.values.has("fix"), examine).await?;
        Ok(self.say(&said(outcome)))
    }

    async fn do_with_marketplaces(&self, action: MarketplaceAction) -> Result<u8, String> {
        let said = self.said(action).await?;
        Ok(self.say(&said))
    }

    async fn said(&self, action: MarketplaceAction) -> Result<Said, String> {
        let outcome = perform(&self.marketplaces(), action).await;
        outcome.map(said).map_err(|error| error.to_string())
    }
}

fn said(outcome: PluginOutcome) -> Said {
    Said { text: outcome.text, json: outcome.json, failed: outcome.failed }
}

fn would(text: &str, id: &PluginId, action: &str) -> Said {
    let json = json!({"id": id.to_string(), "action": action, "dryRun": true});
    Said { text: text.to_owned(), json, failed: false }
}

fn scope(call: &CommandCall) -> Option<PluginScope> {
    call.values.text("scope").and_then(PluginScope::from_word)
}

fn plugin_id(name: &str) -> Result<PluginId, String> {
    name.parse().map_err(|error: omp_sdk::plugins::marketplace::InvalidPluginId| error.to_string())
}
