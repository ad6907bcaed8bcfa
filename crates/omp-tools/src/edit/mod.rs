//! `edit`: changes of files, in the language that the session's mode chooses.
//!
//! In `hashline` mode lines are named by number in a text that the model was shown; the other modes name the text
//! itself and are in [`textual`].

mod answer;
mod commit;
mod compare;
mod encode;
mod foreign;
mod mode;
mod parsed;
pub(crate) mod placeholder;
mod preview;
mod rewrite;
mod target;
mod textual;
mod watch;

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_agent::{Inspection, Invocation, LineInput, Scheduling, Tool, ToolError};
use omp_edits::hashline::{File, Patch, Patcher, Planned, Section, Tag};
use omp_types::{Approval, ApprovalDetail, BuiltinTool, ToolDefinition, ToolOutput, builtin};
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::plan::Change;
use crate::reach::Closing;
use crate::syntax::Grammars;
use crate::{Context, approval, generated, lsp};
use encode::Written;
use parsed::LastParsed;
use target::{FileId, Target};
use watch::Watch;

pub(crate) use foreign::{Foreign, make};
pub use mode::EditMode;
pub(crate) use preview::difference_to;
pub(crate) use rewrite::{Rewrite, Rewritten, rewrite};

pub(crate) const TOOL: &BuiltinTool = &builtin::EDIT;

pub(crate) struct Edit {
    definition: ToolDefinition,
    context: Arc<Context>,
    watch: Watch,
    parsed: Arc<LastParsed>,
}

/// The arguments of the modes that take one text.
#[derive(Deserialize)]
struct Arguments {
    input: String,
}

impl Edit {
    pub(crate) fn new(context: Arc<Context>) -> Self {
        let definition = context.settings.edit.mode.definition(context.settings.wording);
        let watch = Watch::new(context.clone());
        Self { definition, context, watch, parsed: Arc::default() }
    }

    /// The files that a call names.
    fn targets(&self, arguments: &Map<String, Value>) -> Vec<String> {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
        match self.context.settings.edit.mode {
            mode @ (EditMode::Hashline | EditMode::ApplyPatch) => {
                self.parsed.of(mode, text("input"), &self.context.cwd).paths()
            }
            EditMode::Patch | EditMode::Replace => {
                let edits = arguments.get("edits").and_then(Value::as_array).into_iter().flatten();
                let renamed = edits.filter_map(|edit| edit.get("rename")?.as_str());
                std::iter::once(text("path")).chain(renamed).map(str::to_owned).collect()
            }
        }
    }
}

impl Tool for Edit {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn scheduling(&self, _arguments: &Map<String, Value>) -> Scheduling {
        Scheduling::Exclusive
    }

    fn files(&self, arguments: &Map<String, Value>) -> Vec<String> {
        self.targets(arguments)
    }

    fn line_input(&self) -> Option<LineInput> {
        match self.context.settings.edit.mode {
            EditMode::Hashline => Some(LineInput { parameter: "input", header: "[" }),
            // Half a hunk of the others is another edit, not a smaller one.
            EditMode::ApplyPatch | EditMode::Patch | EditMode::Replace => None,
        }
    }

    fn inspect(&self, partial: &Map<String, Value>) -> Inspection {
        self.watch.look(partial)
    }

    fn approval(&self, arguments: &Map<String, Value>) -> Option<Approval> {
        Some(approval::of_edit(&self.context, TOOL.name, arguments, &self.targets(arguments)))
    }

    fn approval_details(&self, arguments: &Map<String, Value>) -> Vec<ApprovalDetail> {
        let targets = self.targets(arguments);
        let mut details =
            approval::paths(&self.context, targets.iter().map(|typed| ("Path", typed.as_str())));
        let change = preview::details(&self.context, &self.parsed, arguments);
        let is_told = change.iter().any(|detail| detail.label != preview::FAILS);
        details.extend(change);
        if is_told {
            return details;
        }
        let texts = [("input", "Edit"), ("old_string", "Replace"), ("new_string", "With")];
        details.extend(approval::details(arguments, &texts));
        let edits = arguments.get("edits").and_then(Value::as_array).into_iter().flatten();
        let said = |edit: &Value| {
            let value = edit.get("diff").or_else(|| edit.get("op").filter(|op| *op != "update"))?;
            Some(ApprovalDetail { label: "Edit", value: value.as_str()?.to_owned() })
        };
        details.extend(edits.filter_map(said));
        details
    }

    fn run<'a>(&'a self, call: Invocation) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        let (context, parsed) = (self.context.clone(), Arc::clone(&self.parsed));
        async move {
            self.watch.forget();
            let _agreed = Closing(&self.context);
            let (arguments, cancel) = (call.arguments, call.cancel.clone());
            let result = crate::blocking(move || {
                let result = match context.settings.edit.mode {
                    EditMode::Hashline => crate::arguments::<Arguments>(arguments)
                        .and_then(|arguments| run(&context, &parsed, &arguments.input, &cancel)),
                    _ => textual::run(&context, &parsed, arguments, &cancel),
                };
                parsed.forget();
                result
            });
            lsp::after(&self.context, lsp::Occasion::Edit, result.await, &call.cancel).await
        }
        .boxed()
    }
}

/// A section whose result is known but not yet written.
struct Ready {
    target: Target,
    planned: Planned,
    /// What is written; the text itself if there is nothing else to it.
    bytes: Option<Vec<u8>>,
}

impl Ready {
    fn bytes(&self) -> &[u8] {
        self.bytes.as_deref().unwrap_or(self.planned.text.as_bytes())
    }

    fn changes_nothing(&self) -> bool {
        self.planned.text == self.target.document.text()
    }
}

/// Refuses to continue with a call that was cancelled while it waited for other agents: whoever cancelled it was told that
/// it is over. What was begun is brought to its end, because half a patch is worse than either.
fn check_wanted(cancel: &CancellationToken) -> Result<(), ToolError> {
    match cancel.is_cancelled() {
        true => Err(ToolError::new("The edit was cancelled and nothing was written.")),
        false => Ok(()),
    }
}

/// All sections are tried on copies first: if one does not fit, no file changes.
fn run(
    context: &Context,
    parsed: &LastParsed,
    input: &str,
    cancel: &CancellationToken,
) -> Result<ToolOutput, ToolError> {
    let parsed = parsed.of(EditMode::Hashline, input, &context.cwd);
    let patch = parsed.lines()?;
    let ready = sections(context, patch, cancel)?;
    if let [one] = ready.as_slice()
        && one.changes_nothing()
    {
        let said = context.seen.noops().unchanged(&one.target.shown, input);
        return said.map(ToolOutput::text).map_err(ToolError::new);
    }
    if let Some(same) = ready.iter().find(|one| one.changes_nothing()) {
        return Err(ToolError::new(format!(
            "Nothing was written: the hunks for {} change nothing. Remove that section or correct it.",
            same.target.shown
        )));
    }
    check_wanted(cancel)?;
    let tags = write_all(context, &ready)?;
    Ok(answer::answer(&ready, &tags, &patch.warnings))
}

/// The sections of a patch, tried on copies.
fn sections(context: &Context, patch: &Patch, cancel: &CancellationToken) -> Result<Vec<Ready>, ToolError> {
    let mut ready = Vec::new();
    let mut known: HashMap<FileId, String> = HashMap::new();
    for section in &patch.sections {
        let because = |error: ToolError| match patch.sections.len() {
            1 => error,
            _ => {
                ToolError::new(format!("Nothing was written because of {}: {}", section.path, error.message))
            }
        };
        let target = Target::find(context, section).map_err(because)?;
        if let Some(other) = known.insert(target.file(), section.path.clone()) {
            return Err(ToolError::new(format!(
                "'{other}' and '{}' are the same file. Put all hunks for it under one header.",
                section.path
            )));
        }
        let target = target.in_turn(context, ready.len()).map_err(because)?;
        check_wanted(cancel)?;
        ready.push(prepare(context, section, target).map_err(because)?);
    }
    Ok(ready)
}

fn prepare(context: &Context, section: &Section, mut target: Target) -> Result<Ready, ToolError> {
    generated::refuse(context, target.path(), target.document.text())?;
    let patcher = Patcher { syntax: &Grammars, enforce_seen: context.settings.edit.enforce_seen_lines };
    let file = File { key: &target.key, text: target.document.text() };
    let rows = section.hunks.iter().flat_map(|hunk| &hunk.body).map(String::as_str);
    placeholder::refuse(&target.shown, target.document.text(), rows)?;
    let planned = patcher.plan(section, file, &mut context.seen.snapshots());
    let mut planned = planned.map_err(|error| ToolError::new(error.to_string()))?;
    planned.warnings.splice(0..0, target.remark.take());
    let mut bytes = match target.is_verbatim() {
        true => None,
        false => Some(target.encode(&planned, Written::Whole)?),
    };
    let next = target.shown_next(bytes.as_deref().unwrap_or(planned.text.as_bytes()));
    if let Some(next) = next.filter(|next| next.text() != planned.text) {
        planned.changes = commit::changes(target.document.text(), next.text());
        let text = std::mem::replace(&mut planned.text, next.text().to_owned());
        bytes = bytes.or(Some(text.into_bytes()));
    }
    Ok(Ready { target, planned, bytes })
}

/// Writes one file after the other, and tells what names the new texts. What was written before a failure stays and is
/// named.
fn write_all(context: &Context, ready: &[Ready]) -> Result<Vec<Tag>, ToolError> {
    for one in ready {
        context.may_change(one.target.path(), Change::Write)?;
    }
    let refused = ready.iter().find_map(|one| one.target.check_writable(context).err());
    if let Some(error) = refused {
        return Err(partly(ready, 0, error));
    }
    let mut tags = Vec::with_capacity(ready.len());
    for (position, one) in ready.iter().enumerate() {
        if let Err(error) = one.target.write(context, one.bytes()) {
            return Err(partly(ready, position, error));
        }
        let (target, planned) = (&one.target, &one.planned);
        let changes = planned.changes.clone();
        let before = target.document.text();
        tags.push(context.seen.snapshots().record_edit(&target.key, before, &planned.text, changes));
        context.seen.noops().changed(&target.shown);
    }
    Ok(tags)
}

fn partly(ready: &[Ready], failed: usize, error: ToolError) -> ToolError {
    if ready.len() == 1 {
        return error;
    }
    let names =
        |part: &[Ready]| part.iter().map(|one| one.target.shown.as_str()).collect::<Vec<_>>().join(", ");
    let written = if failed == 0 { "nothing".to_owned() } else { names(&ready[..failed]) };
    ToolError::new(format!("{} Written: {written}. Not written: {}.", error.message, names(&ready[failed..])))
}
