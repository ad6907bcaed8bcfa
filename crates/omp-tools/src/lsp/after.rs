//! What follows a write: formatting, and what servers find in the new text.
//!
//! Whatever happens here, the file is written. A call waits five seconds for it; findings that take longer come later.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use omp_agent::ToolError;
use omp_lsp::diagnostics::{Severity, summary};
use omp_lsp::{Config, Limit, LspError, Server, edits};
use omp_types::{ToolOutput, UserBlock};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::check::{Check, Checked, Patience};
use super::format::{Formatting, format};
use super::language_servers::{LanguageServers, LateFindings};
use super::{report, tell, text};
use crate::Context;
use crate::edit::{Foreign, make};

/// How long a call waits for all of it.
const CALL: Duration = Duration::from_secs(5);
/// How long findings are waited for after that.
const DEFERRED: Duration = Duration::from_secs(25);
/// How long a call waits for servers that the last call has waited for in vain.
const IN_VAIN: Duration = Duration::from_secs(1);
/// Files of one call that are looked at.
const MOST_FILES: usize = 10;

/// What was done to the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Occasion {
    Write,
    Edit,
}

/// Tells servers what was changed, formats what was written and adds what they find in it, as far as the settings want
/// that.
pub(crate) async fn after(
    context: &Arc<Context>,
    occasion: Occasion,
    result: Result<ToolOutput, ToolError>,
    cancel: &CancellationToken,
) -> Result<ToolOutput, ToolError> {
    // A call that failed may have changed some files before.
    tell(context).await;
    let mut output = result?;
    let Some(lsp) = context.lsp.clone() else { return Ok(output) };
    let diagnoses = match occasion {
        Occasion::Write => lsp.settings.diagnostics_on_write,
        Occasion::Edit => lsp.settings.diagnostics_on_edit,
    };
    let paths = written(context, output.details.as_ref());
    if paths.is_empty() || !(diagnoses || lsp.settings.format_on_write) {
        return Ok(output);
    }
    let config = lsp.servers.config().await;
    let limit = Limit::after(CALL, cancel);
    let mut found = Map::new();
    for path in paths {
        if config.for_file(&path).is_empty() {
            continue;
        }
        if let Err(refused) = lsp.servers.may_run("Language server").await {
            if lsp.says_refusal() {
                add(&mut output, &format!("[No diagnostics and no formatting: {refused}]"));
            }
            break;
        }
        let shown = context.base().display(&path);
        if lsp.settings.format_on_write
            && let Ok(Some(formatting)) = formatting(&lsp, &config, &path, limit).await
        {
            put(context, &path, &shown, formatting, &mut output).await;
            tell(context).await;
        }
        if diagnoses && let Some(checked) = check(&lsp, &config, &path, &shown, limit).await {
            found.insert(shown.clone(), told(&shown, &checked, &mut output));
        }
    }
    note(&mut output, found);
    Ok(output)
}

/// The files that a result speaks of and that are still there.
fn written(context: &Context, details: Option<&Value>) -> Vec<PathBuf> {
    let Some(details) = details else { return Vec::new() };
    let source = details.pointer("/meta/source").filter(|source| source["type"] == "path");
    let own = source.and_then(|source| source["value"].as_str()).map(|path| (path, details));
    // A structural edit is written by another tool than the one that planned it.
    let planned = details.get("sourceResultDetails").filter(|facts| facts["applied"] == true);
    let planned = planned.and_then(|facts| facts["fileReplacements"].as_array());
    let each = details["perFileResults"].as_array().into_iter().chain(planned).flatten();
    let each = each.filter_map(|one| Some((one["path"].as_str()?, one)));
    let named = own.into_iter().chain(each).filter(|(_, facts)| facts["op"] != "delete");
    let typed = named.map(|(path, facts)| facts["move"].as_str().unwrap_or(path));
    typed.filter_map(|typed| context.base().resolve(typed).ok()).take(MOST_FILES).collect()
}

async fn load(path: &Path) -> Option<String> {
    let path = path.to_owned();
    tokio::task::spawn_blocking(move || text::load(&path)).await.ok()?.ok()
}

/// What a server would do to a file, and the text that it saw.
async fn formatting(
    lsp: &LanguageServers,
    config: &Config,
    path: &Path,
    limit: Limit<'_>,
) -> Result<Option<(Formatting, String)>, LspError> {
    let Some(text) = load(path).await else { return Ok(None) };
    let formatting = format(&lsp.servers, &config.for_file(path), (path, &text), limit).await?;
    Ok(formatting.map(|formatting| (formatting, text)))
}

/// Writes the formatted text, as an edit is written, and says so.
async fn put(
    context: &Arc<Context>,
    path: &Path,
    shown: &str,
    (formatting, seen): (Formatting, String),
    output: &mut ToolOutput,
) {
    let Formatting { server, edits, encoding } = formatting;
    let (own, file) = (Arc::clone(context), path.to_owned());
    let result = tokio::task::spawn_blocking(move || {
        let change = move |text: &str| match text == seen.replace("\r\n", "\n") {
            true => edits::apply(text, &edits, encoding),
            // The server's line numbers are about another text.
            false => Err("it has changed in the meantime".to_owned()),
        };
        let one = Foreign::Update { path: file.clone(), change: Box::new(change) };
        let before = text::load(&file);
        make(&own, vec![one])?;
        let after = text::load(&file);
        let tag = after.as_ref().ok().filter(|_| own.shows_anchors()).map(|after| {
            let plain = after.replace("\r\n", "\n");
            own.seen.record(&file, &plain, &[(1, usize::MAX)]).to_string()
        });
        Ok::<_, ToolError>((before != after, tag))
    });
    let said = match result.await {
        Ok(Ok((false, _))) => return,
        Ok(Ok((true, tag))) => {
            if let Some(tag) = tag {
                retag(output, shown, &tag);
            }
            format!("Formatted by {server}; line numbers may have changed.")
        }
        Ok(Err(error)) => format!("{server} could not format {shown}: {}", error.message),
        Err(_) => return,
    };
    add(output, &said);
}

/// The header of the result names the text as it was before the formatting.
fn retag(output: &mut ToolOutput, shown: &str, tag: &str) {
    let start = format!("[{shown}#");
    for block in &mut output.content {
        if let UserBlock::Text(text) = block {
            let rows = text.text.split('\n').map(|row| match row.starts_with(&start) && row.ends_with(']') {
                true => format!("{start}{tag}]"),
                false => row.to_owned(),
            });
            text.text = rows.collect::<Vec<_>>().join("\n");
        }
    }
}

/// Adds a paragraph to the text of a result.
fn add(output: &mut ToolOutput, paragraph: &str) {
    match output.content.iter_mut().rev().find_map(|block| match block {
        UserBlock::Text(text) => Some(&mut text.text),
        _ => None,
    }) {
        Some(text) => text.push_str(&format!("\n\n{paragraph}")),
        None => output.content.push(UserBlock::text(paragraph)),
    }
}

/// What is found within the time of a call. What comes later goes to whoever accepts it, unless the file was written again.
async fn check(
    lsp: &Arc<LanguageServers>,
    config: &Arc<Config>,
    path: &Path,
    shown: &str,
    limit: Limit<'_>,
) -> Option<Checked> {
    let text = load(path).await?;
    let number = lsp.begin(path);
    let names: Vec<&str> = config.for_file(path).iter().map(|server| server.name.as_str()).collect();
    let names = names.join(",");
    let limit = if lsp.is_slow(&names) { limit.at_most(IN_VAIN) } else { limit };
    let all = Arc::clone(lsp);
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let (lsp, config, path, shown) = (Arc::clone(lsp), Arc::clone(config), path.to_owned(), shown.to_owned());
    let stop = limit.cancel.child_token();
    let inner = stop.clone();
    let work = tokio::spawn(async move {
        let checked = look(&lsp, &config, &path, &text, &inner).await;
        let late = match sender.send(checked) {
            // The call is over.
            Err(checked) => checked,
            Ok(()) => return,
        };
        if let (Some(late), Some(deliver)) = (late.filter(|late| !late.items.is_empty()), lsp.late())
            && lsp.is_current(&path, number)
        {
            let text = report::lines(&shown, &late.items).join("\n");
            deliver(LateFindings { file: shown, summary: summary(&late.items), text });
        }
    });
    tokio::select! {
        checked = receiver => {
            all.set_slow(names, false);
            checked.ok().flatten()
        }
        () = limit.cancel.cancelled() => {
            work.abort();
            None
        }
        () = tokio::time::sleep_until(limit.until) => {
            all.set_slow(names, true);
            None
        }
    }
}

async fn look(
    lsp: &LanguageServers,
    config: &Config,
    path: &Path,
    text: &str,
    cancel: &CancellationToken,
) -> Option<Checked> {
    let limit = Limit::after(CALL + DEFERRED, cancel);
    let servers: Vec<&Server> = config.for_file(path);
    let (servers_of, deduplicate) = (&lsp.servers, lsp.settings.deduplicate);
    let check =
        Check { servers: servers_of, path, text, patience: Patience::Written(CALL + DEFERRED), deduplicate };
    check.run(&servers, limit).await.ok()
}

/// Adds the findings to the text of a result, and gives its facts.
fn told(shown: &str, checked: &Checked, output: &mut ToolOutput) -> Value {
    if !checked.items.is_empty() {
        add(output, &format!("Diagnostics, {}", report::text(shown, &checked.items)));
    }
    let summary = match (checked.items.is_empty(), checked.servers.is_empty()) {
        (false, _) => summary(&checked.items),
        (true, false) => "OK".to_owned(),
        (true, true) => "not checked by a server yet".to_owned(),
    };
    json!({
        "server": checked.servers.join(", "),
        "summary": summary,
        "messages": report::lines(shown, &checked.items),
        "errored": checked.items.iter().any(|one| one.severity == Severity::Error),
    })
}

/// Puts the facts into the details: those of one file as they are, those of several by their names.
fn note(output: &mut ToolOutput, found: Map<String, Value>) {
    let facts = match found.len() {
        0 => return,
        1 => found.into_iter().next().map(|(_, facts)| facts).unwrap_or_default(),
        _ => Value::Object(found),
    };
    if let Some(Value::Object(details)) = &mut output.details {
        details.insert("diagnostics".to_owned(), facts.clone());
        let meta = details.entry("meta").or_insert_with(|| json!({}));
        if let Value::Object(meta) = meta {
            meta.insert("diagnostics".to_owned(), facts);
        }
    }
}
