//! `omp plugin` and `omp install`: [`packages`], and [`marketplace`]s with their plugins.

mod marketplaces;
mod packages;
mod progress;

use std::path::PathBuf;
use std::sync::Arc;

use omp_cli::CommandCall;
use omp_commands::packages as texts;
use omp_commands::plugins::{installed_json, installed_text};
use omp_sdk::plugins;
use omp_sdk::plugins::packages::{InstallMode, Installer, Packages};
use omp_sdk::{Directories, Environment};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::command_context::CommandContext;
use crate::output;
use crate::runtime;
use crate::signals::Signals;
use crate::working_directory;
use progress::Progress;

/// What every action works with.
struct PluginContext<'a> {
    call: &'a CommandCall,
    directories: Directories,
    environment: Arc<dyn Environment>,
    cwd: PathBuf,
    cancel: CancellationToken,
}

/// What an action says: a text for people, and a document for programs.
struct Said {
    text: String,
    json: Value,
    /// Something was wrong that is no failure of the command.
    failed: bool,
}

pub(crate) fn run(call: &CommandCall, profile: Option<&str>) -> u8 {
    match execute(call, profile) {
        Ok(code) => code,
        Err(message) => output::fail(&message, &[]),
    }
}

fn execute(call: &CommandCall, profile: Option<&str>) -> Result<u8, String> {
    let CommandContext { directories, environment } = CommandContext::here(profile)?;
    let cwd = working_directory::current()?;
    let runtime = runtime::start()?;
    let cancel = CancellationToken::new();
    let context = PluginContext { call, directories, environment, cwd, cancel: cancel.clone() };
    let result = runtime.block_on(async {
        let signals = Signals::watch(cancel);
        let result = context.act().await;
        match signals.exit_code() {
            // What was done until then is said; what was not is not done.
            Some(code) => result.map(|_| code).or(Ok(code)),
            None => result,
        }
    });
    runtime.shutdown_background();
    result
}

impl PluginContext<'_> {
    async fn act(&self) -> Result<u8, String> {
        let action = match self.call.command.name {
            "install" => "install",
            _ => self.call.args.text("action").unwrap_or("list"),
        };
        self.packages().recover().map_err(|error| error.to_string())?;
        match action {
            "install" => self.install().await,
            "link" => self.link(),
            "list" => self.list(),
            "uninstall" | "enable" | "disable" => self.change_each(action).await,
            "marketplace" => self.marketplace().await,
            "discover" => self.discover().await,
            "upgrade" => match self.words().as_slice() {
                [name] if self.packages().find(name).is_ok() => self.upgrade_package(name).await,
                _ => self.upgrade_plugins().await,
            },
            "rollback" => self.rollback_plugin().await,
            "doctor" => self.doctor().await,
            "features" => self.features(),
            "config" => self.config(),
            other => Err(format!("omp plugin {other} is not available yet")),
        }
    }

    fn packages(&self) -> Packages {
        plugins::packages_of(&self.directories, &self.cwd)
    }

    fn installer(&self, progress: &Arc<Progress>) -> Installer {
        let mut warnings = Vec::new();
        let shown = Arc::clone(progress);
        let step = Arc::new(move |step| shown.show(&step));
        let installer =
            plugins::installer(&self.directories, &self.environment, step, &self.cancel, &mut warnings);
        warnings.iter().for_each(|warning| output::warn(warning));
        installer
    }

    fn mode(&self) -> InstallMode {
        match (self.call.values.has("dry-run"), self.call.values.has("force")) {
            (true, _) => InstallMode::DryRun,
            (false, true) => InstallMode::Force,
            (false, false) => InstallMode::Normal,
        }
    }

    /// Everything that is installed.
    fn list(&self) -> Result<u8, String> {
        let (packages, mut warnings) = self.packages().list();
        let (plugins, more) = self.marketplaces().installed();
        warnings.extend(more);
        warnings.iter().for_each(|warning| output::warn(warning));
        let of_marketplaces = (!plugins.is_empty()).then(|| installed_text(&plugins, &[], &[]));
        let own = (!packages.is_empty()).then(|| texts::list(&packages));
        let text = match (of_marketplaces, own) {
            (None, None) => "No plugins installed (to install one: omp plugin install <package>)".to_owned(),
            (plugins, packages) => [plugins, packages].into_iter().flatten().collect::<Vec<_>>().join("\n"),
        };
        let json = json!({"npm": texts::rows(&packages), "marketplace": installed_json(&plugins)});
        Ok(self.say(&Said { text, json, failed: false }))
    }

    /// What was typed behind the action.
    fn words(&self) -> Vec<String> {
        let name = if self.call.command.name == "install" { "targets" } else { "args" };
        self.call.args.texts(name)
    }

    fn is_json(&self) -> bool {
        self.call.values.has("json")
    }

    /// Says what was done.
    fn say(&self, said: &Said) -> u8 {
        let code = match self.is_json() {
            true => output::print_json(&said.json),
            false => output::print_prose(&format!("{}\n", said.text.trim_end())),
        };
        if said.failed { 1 } else { code }
    }
}
