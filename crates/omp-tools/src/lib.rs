//! The built-in tools: one folder each, with its schema, the text the model reads about it, and its code.
//!
//! Tools know the [`Context`] they run in and nothing of terminals or providers. What they tell the model is
//! bounded ([`output`]), and their errors say what to do instead.

mod approval;
mod ask;
mod ast_edit;
mod ast_grep;
mod bash;
mod borders;
mod checkpoint;
mod conflicts;
mod context;
mod discovery;
mod edit;
mod files;
mod find;
mod generated;
mod goal;
mod inspect_image;
mod job;
mod lsp;
mod modes;
mod named;
mod notebook;
mod output;
mod pending;
mod plan;
mod reach;
mod read;
mod resolve;
mod resources;
mod rewind;
mod sandbox;
mod scope;
mod search;
mod shown;
mod spills;
mod ssh;
mod structure;
mod syntax;
mod todo;
mod toll;
mod wording;
mod write;

use std::sync::Arc;

use omp_agent::{Tool, ToolError};
use omp_types::ToolDefinition;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

pub use approval::{first_risk, real_path};
pub use ask::{AskAnswer, AskOption, AskQuestion, Dialog, Ended, Questioner};
pub use bash::{InterceptRule, Interception, Minimizer, PtyView, UserCommand};
pub use borders::Borders;
pub use checkpoint::{Checkpoints, Mark, Rewound};
pub use context::{Context, Login, MAIN_AGENT, Settings};
pub use discovery::{DiscoverableTool, Match, SEARCH_TOOL, Shelf, ToolIndex, is_searchable, search_tool};
pub use edit::EditMode;
pub use goal::GoalKeeper;
pub use inspect_image::{Seer, Vision, VisionError};
pub use job::JobSettings;
pub use lsp::{CHECKER_PROGRAMS, LanguageServers, Late, LateFindings, LspSettings};
pub use modes::{Asking, Modes};
pub use named::NamedAddresses;
pub use omp_patch::Fuzzy;
pub use omp_workspace::scans::{Limits as ScanLimits, Scans};
pub use pending::{Decision, Handler, Pending, PendingAction};
pub use plan::Planning;
pub use reach::Reach;
pub use resources::{
    Completion, Content, InternalUrl, Mutability, Paging, Resource, Resources, SCHEMES, Scheme,
};
pub use sandbox::{
    Choice as RungChoice, Escalation, HostBook, NetworkSetting, OtherHosts, Sandbox, SandboxMode,
    SandboxSettings, SandboxStatus,
};
pub use spills::Spills;
pub use ssh::SshHosts;
pub use todo::{ClearDelay, Phase, Status, Storage, Task, TodoList, from_markdown, to_markdown};
pub use wording::Wording;

/// The names of the built-in tools that users may choose from, in the order of [`builtin`].
pub const NAMES: &[&str] = &[
    read::NAME,
    write::NAME,
    edit::NAME,
    find::NAME,
    search::NAME,
    ast_grep::NAME,
    ast_edit::NAME,
    bash::NAME,
    job::NAME,
    todo::NAME,
    ask::NAME,
    checkpoint::NAME,
    rewind::NAME,
    inspect_image::NAME,
    ssh::NAME,
    lsp::NAME,
];

/// The tool that a hidden one comes with: nobody chooses `resolve`, but edits that are shown first need it.
pub fn companion_of(name: &str) -> Option<&'static str> {
    (name == resolve::NAME).then_some(ast_edit::NAME)
}

/// The built-in tools, always in the same order: the tool list is part of the prompt that providers cache.
pub fn builtin(context: Arc<Context>) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(read::Read::new(context.clone())),
        Arc::new(write::Write::new(context.clone())),
        Arc::new(edit::Edit::new(context.clone())),
        Arc::new(find::Find::new(context.clone())),
        Arc::new(search::Search::new(context.clone())),
        Arc::new(ast_grep::AstGrep::new(context.clone())),
        Arc::new(ast_edit::AstEdit::new(context.clone())),
        Arc::new(resolve::Resolve::new(context.clone())),
        Arc::new(bash::Bash::new(context.clone())),
        Arc::new(job::Job::new(context.clone())),
        Arc::new(todo::Todo::new(context.clone())),
        Arc::new(ask::Ask::new(context.clone())),
        Arc::new(checkpoint::Checkpoint::new(context.clone())),
        Arc::new(rewind::Rewind::new(context.clone())),
        Arc::new(inspect_image::InspectImage::new(context)),
    ]
}

/// The tool of a session with machines to run commands on. May wait for the disk.
pub fn ssh(context: Arc<Context>) -> Option<Arc<dyn Tool>> {
    ssh::Ssh::new(context).map(|tool| Arc::new(tool) as Arc<dyn Tool>)
}

/// The tool of a session with language servers. Starts nothing.
pub fn lsp(context: Arc<Context>) -> Option<Arc<dyn Tool>> {
    lsp::Lsp::new(context).map(|tool| Arc::new(tool) as Arc<dyn Tool>)
}

/// The tool for these machines. May wait for the disk.
pub fn ssh_to(context: Arc<Context>, hosts: Arc<SshHosts>) -> Arc<dyn Tool> {
    Arc::new(ssh::Ssh::to(context, hosts))
}

/// The tool that decides about previews and plans, where it is not offered anyway.
pub fn resolve(context: Arc<Context>) -> Arc<dyn Tool> {
    Arc::new(resolve::Resolve::new(context))
}

/// The tool of a session with a goal.
pub fn goal(context: Arc<Context>) -> Arc<dyn Tool> {
    Arc::new(goal::GoalTool::new(context))
}

/// What a model is told about a tool, from the two files beside its code.
fn definition(name: &str, prompt: &str, schema: &str) -> ToolDefinition {
    ToolDefinition {
        name: name.to_owned(),
        description: prompt.trim().to_owned(),
        parameters: serde_json::from_str(schema).expect("schema.json is part of the program and has a test"),
        strict: None,
        free_text: false,
    }
}

/// Arguments as the tool's own type. The schema was checked before, so this fails on a mismatch between the two.
fn arguments<T: DeserializeOwned>(arguments: Map<String, Value>) -> Result<T, ToolError> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| ToolError::new(format!("The arguments do not fit the tool: {error}.")))
}

/// Runs work that waits for the disk where it does not hold up anybody.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => Err(ToolError::new(format!("The tool failed unexpectedly: {error}."))),
    }
}
