//! The language servers of a session: where their configuration is, and how late findings reach the model.

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::join_all;
use omp_agent::{Clock, Control};
use omp_config::Directories;
use omp_config::settings::{Settings, keys};
use omp_lsp::{Servers, Surroundings};
use omp_shell::{Environment as ChildEnvironment, Scope};
use omp_tools::{LanguageServers, LateFindings, LspSettings};
use omp_types::{CustomMessage, UserContent};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::clock::SystemClock;
use crate::prompt::knowledge;
use crate::session::Session;
use crate::session::builder::SessionBuilder;

/// The kind of the message in session files.
const LATE: &str = "lsp-diagnostics";
const HEAD: &str = include_str!("../../prompts/late-diagnostics.md");

/// A language server of the project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LanguageServer {
    /// Its name in the configuration.
    pub name: String,
    /// Whether it runs.
    pub state: ServerState,
}

/// Whether a language server runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ServerState {
    /// It starts when it is needed.
    Available,
    /// It runs.
    Ready,
    /// It could not be started, and why.
    Failed(String),
}

/// The language servers of the project.
#[derive(Clone, Copy)]
pub struct ProjectLanguageServers<'s> {
    pub(crate) session: &'s Session,
}

impl ProjectLanguageServers<'_> {
    /// The language servers of the project. Reads files; starts nothing.
    pub async fn list(self) -> Vec<LanguageServer> {
        let Some(lsp) = &self.session.tools.lsp else { return Vec::new() };
        let consent = lsp.servers.consent().await;
        let row = |server: &omp_lsp::Server| {
            let state = match (&consent, lsp.servers.state(server)) {
                (Err(reason), _) => ServerState::Failed(reason.clone()),
                (Ok(()), omp_lsp::ServerState::Failed(reason)) => ServerState::Failed(reason),
                (Ok(()), omp_lsp::ServerState::Running) => ServerState::Ready,
                (Ok(()), _) => ServerState::Available,
            };
            LanguageServer { name: server.name.clone(), state }
        };
        lsp.servers.config().await.servers.iter().map(row).collect()
    }

    /// Do they wait until they are needed?
    pub fn are_lazy(self) -> bool {
        self.session.settings().get(keys::LSP_LAZY)
    }

    /// Starts them before they are needed. Each has a few seconds to get ready.
    pub async fn warm_up(self) -> Vec<LanguageServer> {
        let Some(lsp) = &self.session.tools.lsp else { return Vec::new() };
        let config = lsp.servers.config().await;
        let started = config.servers.iter().map(|server| async {
            let state = match server.speaks() {
                false => ServerState::Available,
                true => match lsp.servers.warm_up(server).await {
                    Ok(()) => ServerState::Ready,
                    Err(error) => ServerState::Failed(error.to_string()),
                },
            };
            LanguageServer { name: server.name.clone(), state }
        });
        join_all(started).await
    }
}

/// The servers, unless they are disabled. Reads and starts nothing.
pub(crate) fn of_session(
    builder: &SessionBuilder,
    scope: &Arc<Scope>,
    environment: &ChildEnvironment,
    modes: Arc<omp_tools::Modes>,
) -> Option<Arc<LanguageServers>> {
    let (settings, options) = (&builder.settings, &builder.options);
    if !settings.get(keys::LSP_ENABLED) {
        return None;
    }
    let (directories, cwd, known) = (options.directories.clone(), options.cwd.clone(), settings.clone());
    let consent = builder.trust();
    let servers = Servers::new(Surroundings {
        scope: Arc::clone(scope),
        environment: environment.clone(),
        cwd: cwd.clone(),
        directories: Box::new(move || places(&directories, cwd.clone(), &known)),
        // The mode that never asks runs whatever a model wants; a checker adds nothing to that.
        consent: Box::new(move || match modes.reach.is_enforced() {
            true => consent.code(),
            false => Ok(()),
        }),
    });
    let wishes = LspSettings {
        diagnostics_on_write: settings.get(keys::LSP_DIAGNOSTICS_ON_WRITE),
        diagnostics_on_edit: settings.get(keys::LSP_DIAGNOSTICS_ON_EDIT),
        format_on_write: settings.get(keys::LSP_FORMAT_ON_WRITE),
        deduplicate: settings.get(keys::LSP_DIAGNOSTICS_DEDUPLICATE),
    };
    Some(Arc::new(LanguageServers::new(servers, wishes)))
}

/// Directories with configuration files, the least important first.
pub(crate) fn places(directories: &Directories, cwd: PathBuf, settings: &Settings) -> Vec<PathBuf> {
    let discovery = knowledge::discovery(directories, &cwd, settings);
    let mut all = vec![directories.home.clone()];
    all.extend(discovery.plugin_roots());
    all.extend([directories.home.join(".gemini"), directories.agent.clone()]);
    all.extend([cwd.join(".gemini"), cwd.join(".omp"), cwd]);
    all
}

/// Has findings that come after the result of a call read at the next step.
pub(crate) fn connect(context: &omp_tools::Context, control: Control) {
    let Some(lsp) = &context.lsp else { return };
    lsp.deliver_to(Box::new(move |late| control.aside(Box::new(move || Some(message(&late))))));
}

fn message(late: &LateFindings) -> CustomMessage {
    let LateFindings { file, summary, text } = late;
    CustomMessage {
        custom_type: LATE.to_owned(),
        content: UserContent::Text(format!("{} {file} ({summary}):\n{text}", HEAD.trim_end())),
        display: true,
        details: Some(json!({"file": file, "summary": summary})),
        timestamp: SystemClock.now_ms(),
    }
}
