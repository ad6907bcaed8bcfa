//! Marketplaces and plugins of a user: who does what with them, what of them works, and keeping them up to date.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use omp_auth::Environment;
use omp_config::Directories;
use omp_config::discovery::PluginState;
use omp_config::settings::{Settings, keys};
use omp_plugins::marketplace::{
    ExaminedPlugin, KnownMarketplace, Marketplaces, PartSwitches, PluginPlaces, PluginProblem,
};
use omp_plugins::packages::{InspectedPart, PartState, inspect};
use tokio_util::sync::CancellationToken;

use crate::plugins::{fetcher, git_for, packages_of};
use crate::prompt::knowledge;
use crate::session::Session;

/// A catalogue of that age is fetched again.
const STALE: Duration = Duration::from_secs(24 * 60 * 60);
/// How long keeping up to date may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// The marketplaces of a user, as a run in `cwd` sees them. Nothing is read before somebody asks.
pub fn marketplaces_of(
    directories: &Directories,
    cwd: &Path,
    environment: &Arc<dyn Environment>,
    cancel: &CancellationToken,
) -> Marketplaces {
    Marketplaces::new(PluginPlaces::new(directories, cwd), git_for(cancel), fetcher(environment))
}

/// What of all plugins works.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PluginHealth {
    /// Those of marketplaces.
    pub plugins: Vec<ExaminedPlugin>,
    /// Packages.
    pub packages: Vec<ExaminedPackage>,
    /// What is wrong with records and directories.
    pub problems: Vec<PluginProblem>,
}

/// A package and its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExaminedPackage {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: Option<String>,
    /// All its parts.
    pub parts: Vec<InspectedPart>,
}

impl PluginHealth {
    /// Looks at everything that a session in `cwd` would find. Waits for the disk.
    pub fn examine(
        directories: &Directories,
        cwd: &Path,
        settings: &Settings,
        marketplaces: &Marketplaces,
    ) -> Self {
        let discovery = knowledge::discovery(directories, cwd, settings);
        let switches = PartSwitches {
            hooks: settings.get(keys::HOOKS_ENABLED),
            language_servers: settings.get(keys::LSP_ENABLED),
        };
        let plugins = marketplaces.examine(&discovery, switches);
        let mut problems = marketplaces.problems();
        let (packages, warnings) = packages_of(directories, cwd).list();
        problems.extend(warnings.into_iter().map(|text| PluginProblem { text, repair: None }));
        let mut examined = Vec::new();
        for package in packages {
            if let Err(why) = &package.manifest {
                let text = format!(
                    "package {}: {why} (to install it again: omp plugin install --force)",
                    package.name
                );
                problems.push(PluginProblem { text, repair: None });
            }
            let version = package.manifest.as_ref().ok().and_then(|manifest| manifest.version.clone());
            examined.push(ExaminedPackage { parts: inspect(&package), version, name: package.name });
        }
        Self { plugins, packages: examined, problems }
    }

    /// Parts that cannot be used although they should be.
    pub fn broken(&self) -> usize {
        let parts = self.plugins.iter().flat_map(|plugin| &plugin.parts);
        let parts = parts.chain(self.packages.iter().flat_map(|package| &package.parts));
        parts.filter(|part| matches!(part.state, PartState::Broken(_))).count()
    }
}

impl Session {
    /// The marketplaces, as this session sees them.
    pub fn marketplaces(&self, cancel: &CancellationToken) -> Marketplaces {
        marketplaces_of(&self.places.directories, &self.cwd(), &self.models.environment, cancel)
    }

    /// The packages, as this session sees them.
    pub fn packages(&self) -> omp_plugins::packages::Packages {
        packages_of(&self.places.directories, &self.cwd())
    }

    /// What of all plugins works. Waits for the disk.
    pub fn plugin_health(&self, marketplaces: &Marketplaces) -> PluginHealth {
        PluginHealth::examine(&self.places.directories, &self.cwd(), &self.settings(), marketplaces)
    }

    /// Are plugins of any kind installed, or were there any? Costs a look at two paths.
    pub fn has_plugins(&self) -> bool {
        let claude = self.places.directories.home.join(".claude/plugins/installed_plugins.json");
        self.places.directories.plugins().is_dir() || claude.is_file()
    }

    /// Fetches catalogues again that are older than a day and, as the setting says, tells of newer versions or installs
    /// them. Nothing is said when the network is not there. Without marketplaces there is nothing to be done, which costs a
    /// look at one path.
    pub fn marketplace_news(&self) -> Option<BoxFuture<'static, Option<MarketplaceNews>>> {
        let mode = self.settings().get(keys::MARKETPLACE_AUTO_UPDATE);
        if mode == "off" || !self.places.directories.marketplaces_file().exists() {
            return None;
        }
        let (cancel, install) = (CancellationToken::new(), mode == "auto");
        let marketplaces = self.marketplaces(&cancel);
        let work = async move {
            // git ends with whoever waits for it.
            let _stop = cancel.drop_guard();
            tokio::time::timeout(PATIENCE, news(&marketplaces, install)).await.ok()?
        };
        Some(work.boxed())
    }
}

/// What keeping up to date found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarketplaceNews {
    /// For the user.
    pub text: String,
    /// Plugins have other versions now.
    pub changed: bool,
}

async fn news(marketplaces: &Marketplaces, install: bool) -> Option<MarketplaceNews> {
    let (all, now) = (marketplaces.list().ok()?, jiff::Timestamp::now());
    for known in all.iter().filter(|known| is_stale(known, now) && known.source.is_refreshed_alone()) {
        // Offline, or gone: the catalogue of last time counts.
        let _ = marketplaces.update(Some(&known.name)).await;
    }
    let looking = marketplaces.clone();
    let outdated = tokio::task::spawn_blocking(move || looking.outdated()).await.ok()?.ok()?;
    if outdated.is_empty() {
        return None;
    }
    if !install {
        let names: Vec<String> =
            outdated.iter().map(|one| format!("{} {} -> {}", one.id, one.from, one.to)).collect();
        let what = if names.len() == 1 { "Plugin update" } else { "Plugin updates" };
        let text = format!("{what} available: {} (to install: /marketplace upgrade)", names.join(", "));
        return Some(MarketplaceNews { text, changed: false });
    }
    let mut done = Vec::new();
    for one in outdated {
        let upgraded = marketplaces.upgrade(Some(&one.id), Some(one.scope)).await.ok()?;
        let changed =
            upgraded.into_iter().filter_map(|upgrade| Some((upgrade.id, upgrade.from, upgrade.to.ok()??)));
        done.extend(changed.map(|(id, from, to)| format!("{id} {from} -> {to}")));
    }
    let text = format!("Plugins upgraded: {} (to use them now: /reload-plugins)", done.join(", "));
    (!done.is_empty()).then_some(MarketplaceNews { text, changed: true })
}

/// Was the catalogue fetched more than a day ago, or never?
fn is_stale(known: &KnownMarketplace, now: jiff::Timestamp) -> bool {
    let updated = known.updated.as_ref().and_then(|text| text.parse::<jiff::Timestamp>().ok());
    updated.is_none_or(|updated| now.duration_since(updated).as_secs() > STALE.as_secs() as i64)
}

/// Why a plugin is not used, as a word for lists in JSON.
pub fn plugin_state_word(state: &PluginState) -> &'static str {
    match state {
        PluginState::Active => "active",
        PluginState::Disabled => "disabled",
        PluginState::Shadowed(_) => "shadowed",
        PluginState::Missing => "missing",
        PluginState::Untrusted => "untrusted",
        PluginState::Outside => "outside",
    }
}
