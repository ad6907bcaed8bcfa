//! The built-in tools: one folder each, with its code and what the model is told about it (`tool.md`). Everything else about
//! a tool is its row in [`omp_types::BUILTIN_TOOLS`].
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
mod commands;
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
mod named_addresses;
mod notebook;
mod output;
mod pending;
mod plan;
mod reach;
mod read;
mod report_tool_issue;
mod resolve;
mod resources;
mod rewind;
mod sandbox;
mod search;
mod search_roots;
mod seen_files;
mod settings;
mod spills;
mod ssh;
mod structure;
mod syntax;
mod todo;
mod uniform;
mod wording;
mod write;

use std::sync::Arc;

use omp_agent::{Tool, ToolError};
use omp_types::BuiltinTool;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

pub use approval::{first_risk, real_path};
pub use ask::{AskAnswer, AskOption, AskQuestion, Dialog, Ended, Questioner};
pub use bash::{InterceptRule, Interception, Minimizer, PtyView, UserCommand};
pub use borders::Borders;
pub use checkpoint::{Checkpoints, Mark, Rewound};
pub use commands::Commands;
pub use context::{Context, MAIN_AGENT};
pub use discovery::{DiscoverableTool, Match, SEARCH_TOOL, Shelf, ToolIndex, is_searchable, search_tool};
pub use edit::EditMode;
pub use goal::GoalKeeper;
pub use inspect_image::{Seer, Vision, VisionError};
pub use job::JobSettings;
pub use lsp::{CHECKER_PROGRAMS, LanguageServers, Late, LateFindings, LspSettings};
pub use modes::{Asking, Modes};
pub use named_addresses::NamedAddresses;
pub use omp_edits::patch::Fuzzy;
pub use omp_workspace::scans::{Limits as ScanLimits, Scans};
pub use pending::{Decision, Handler, Pending, PendingAction};
pub use plan::Planning;
pub use reach::Reach;
pub use resources::{
    Completion, Content, InternalUrl, Mutability, Paging, Resource, Resources, SCHEMES, Scheme,
};
pub use sandbox::{
    Choice as RungChoice, NetworkSetting, Sandbox, SandboxMode, SandboxSettings, SandboxStatus,
};
pub use settings::{
    BashSettings, EditSettings, ImageSettings, Login, ReadSettings, SearchSettings, Settings,
};
pub use spills::Spills;
pub use ssh::SshHosts;
pub use todo::{ClearDelay, Phase, Status, Storage, Task, TodoList, from_markdown, to_markdown};
use uniform::{UniformTool, uniform};
pub use wording::Wording;

/// How the code of a tool gets its context; `None` where the session has not what the tool needs.
type Construct = fn(Arc<Context>) -> Option<Arc<dyn Tool>>;

/// The code of the rows of [`omp_types::BUILTIN_TOOLS`] that a session has from its start, in their order.
const CODE: &[(&BuiltinTool, Construct)] = &[
    (read::TOOL, |context| offered(read::Read::new(context))),
    (write::TOOL, |context| offered(write::Write::new(context))),
    (edit::TOOL, |context| offered(edit::Edit::new(context))),
    (find::TOOL, |context| alike(find::Find::new, &context)),
    (search::TOOL, |context| alike(search::Search::new, &context)),
    (ast_grep::TOOL, |context| alike(ast_grep::AstGrep::new, &context)),
    (ast_edit::TOOL, |context| alike(ast_edit::AstEdit::new, &context)),
    (resolve::TOOL, |context| offered(resolve::Resolve::new(context))),
    (bash::TOOL, |context| offered(bash::Bash::new(context))),
    (job::TOOL, |context| alike(job::Job::new, &context)),
    (todo::TOOL, |context| alike(todo::Todo::new, &context)),
    (ask::TOOL, |context| alike(ask::Ask::new, &context)),
    (checkpoint::TOOL, |context| alike(checkpoint::Checkpoint::new, &context)),
    (rewind::TOOL, |context| alike(rewind::Rewind::new, &context)),
    (inspect_image::TOOL, |context| alike(inspect_image::InspectImage::new, &context)),
    (ssh::TOOL, |context| offered(ssh::Ssh::new(context)?)),
    (lsp::TOOL, |context| offered(lsp::Lsp::new(context)?)),
    (report_tool_issue::TOOL, |context| alike(report_tool_issue::ReportToolIssue::new, &context)),
];

fn alike<T: UniformTool>(new: fn(&Arc<Context>) -> T, context: &Arc<Context>) -> Option<Arc<dyn Tool>> {
    Some(uniform(new(context), context.settings.wording))
}

fn offered(tool: impl Tool + 'static) -> Option<Arc<dyn Tool>> {
    Some(Arc::new(tool))
}

/// The built-in tools that a session can have from its start, always in the same order. May wait for the disk.
pub fn builtin(context: &Arc<Context>) -> Vec<Arc<dyn Tool>> {
    CODE.iter().filter_map(|(_, construct)| construct(Arc::clone(context))).collect()
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
pub fn goal(context: &Context) -> Arc<dyn Tool> {
    uniform(goal::GoalTool::new(context), context.settings.wording)
}

/// Arguments as the tool's own type. The schema was checked before, so this fails on a mismatch between the two.
fn arguments<T: DeserializeOwned>(arguments: Map<String, Value>) -> Result<T, ToolError> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| ToolError::new(format!("Invalid arguments: {error}.")))
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

#[cfg(test)]
mod tests {
    use omp_types::{BUILTIN_TOOLS, ToolOffer};

    use super::*;

    #[test]
    fn every_row_has_its_code_at_the_same_place() {
        let rows = BUILTIN_TOOLS.iter().filter(|tool| tool.offer != ToolOffer::ByMode);
        let rows: Vec<&str> = rows.map(|tool| tool.name).collect();
        assert_eq!(CODE.iter().map(|(tool, _)| tool.name).collect::<Vec<_>>(), rows);
    }
}
