//! `rename_file`: a file or a directory gets another name, and servers correct what refers to it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use omp_lsp::edits::{Operation, WorkspaceEdit};
use omp_lsp::{Client, Server, uri};
use serde_json::{Value, json};

use super::call::{Call, Fault, Reply};
use super::{Before, apply, mentions, tell};
use crate::plan::Change;

/// Files of a directory that are told to servers.
const MOST_FILES: usize = 1_000;

/// What is to be moved.
struct Move {
    from: PathBuf,
    to: PathBuf,
    /// Old and new names of the files.
    pairs: Vec<(PathBuf, PathBuf)>,
    directory: bool,
}

pub(super) async fn run(call: &Call<'_>) -> Result<Reply, Fault> {
    let from = call.path(call.needs_file()?)?;
    let to = call.arguments.new_name.as_deref().filter(|name| !name.trim().is_empty());
    let Some(to) = to else {
        return Err(Fault::Refused("Action rename_file requires `new_name`, the new path.".to_owned()));
    };
    let to = call.path(to.trim_end_matches('/'))?;
    let plan = plan(call, from, to).await?;
    let label = match plan.pairs.len() {
        1 if !plan.directory => call.shown(&plan.from),
        count => format!("{} ({count} file{})", call.shown(&plan.from), if count == 1 { "" } else { "s" }),
    };
    let files: Vec<Value> =
        plan.pairs.iter().map(|(old, new)| json!({"oldUri": uri::of(old), "newUri": uri::of(new)})).collect();
    let params = json!({ "files": files });
    let Asked { proposals, notes, idle } = ask(call, &plan, &params).await?;
    let corrected = proposals.iter().any(|(_, edit)| !edit.is_empty());
    let (head, mut rows) = match call.arguments.apply {
        Some(false) => ("Rename preview:", previewed(call, &proposals)),
        _ => ("Renamed", carried_out(call, &plan, proposals, &params).await?),
    };
    rows.extend(notes);
    if !corrected {
        rows.push(uncorrected(&idle));
        rows.extend(mentions::tell(call, &plan.from, &plan.to).await);
    }
    rows.insert(0, format!("{head} {label} → {}", call.shown(&plan.to)));
    Ok(Reply::new(rows.join("\n")))
}

/// What the servers want to change because of it.
type Proposals = Vec<(Arc<Client>, WorkspaceEdit)>;

/// What came of asking the servers.
#[derive(Default)]
struct Asked {
    proposals: Proposals,
    /// What else they say.
    notes: Vec<String>,
    /// Why those that know most about the files correct nothing.
    idle: Vec<String>,
}

async fn ask(call: &Call<'_>, plan: &Move, params: &Value) -> Result<Asked, Fault> {
    let mut asked = Asked::default();
    for server in call.config.speaking() {
        let (client, problem) = match proposal(call, server, params).await {
            Ok((client, edit)) => {
                let problem = edit.is_empty().then(|| match offers(&client) {
                    true => "returned no edits",
                    false => "does not support it (workspace/willRenameFiles)",
                });
                asked.proposals.push((client, edit));
                (None, problem)
            }
            Err((_, Fault::Aborted)) => return Err(Fault::Aborted),
            Err((client, Fault::Failed(problem) | Fault::Refused(problem))) => {
                asked.notes.push(format!("Note from {}: {problem}", server.name));
                let problem = if client.is_some() { "failed" } else { "did not start" };
                (client, Some(problem))
            }
        };
        asked.proposals.extend(client.map(|client| (client, WorkspaceEdit::default())));
        let knows = !server.is_linter && plan.pairs.iter().any(|(old, _)| server.serves(old));
        asked.idle.extend(problem.filter(|_| knows).map(|problem| format!("{} {problem}", server.name)));
    }
    Ok(asked)
}

/// What one server wants to change. A server that runs is returned whatever it says.
async fn proposal(
    call: &Call<'_>,
    server: &Server,
    params: &Value,
) -> Result<(Arc<Client>, WorkspaceEdit), (Option<Arc<Client>>, Fault)> {
    let client = call.client(server).await.map_err(|fault| (None, fault))?;
    client.loaded(call.limit).await;
    let answer = client.request("workspace/willRenameFiles", params.clone(), call.limit).await;
    let edit = match answer {
        Ok(answer) => WorkspaceEdit::parse(&answer).map_err(Fault::Failed),
        Err(error) if error.is_unknown_method() => Ok(WorkspaceEdit::default()),
        Err(error) => Err(Fault::from(error)),
    };
    match edit {
        Ok(edit) => Ok((client, edit)),
        Err(fault) => Err((Some(client), fault)),
    }
}

/// Does the server say that it corrects what refers to renamed files?
fn offers(client: &Client) -> bool {
    let declared = client.capabilities().pointer("/workspace/fileOperations/willRename").is_some();
    declared || client.can("", "workspace/willRenameFiles")
}

fn uncorrected(idle: &[String]) -> String {
    match idle.is_empty() {
        true => "Imports not updated: no language server handles this kind of file.".to_owned(),
        false => format!("Imports not updated: {}.", idle.join(", ")),
    }
}

fn previewed(call: &Call<'_>, proposals: &Proposals) -> Vec<String> {
    let some = proposals.iter().filter(|(_, edit)| !edit.is_empty());
    some.map(|(client, edit)| format!("{}:\n{}", client.name(), apply::preview(call.context, edit))).collect()
}

/// Makes the proposed changes, moves the file, and tells the servers.
async fn carried_out(
    call: &Call<'_>,
    plan: &Move,
    proposals: Proposals,
    params: &Value,
) -> Result<Vec<String>, Fault> {
    let mut rows = Vec::new();
    let mut clients = Vec::new();
    let mut touched = HashSet::new();
    for (client, mut edit) in proposals {
        let left_out = without(&mut edit, &mut touched);
        rows.extend(left_out.iter().map(|path| {
            let (name, shown) = (client.name(), call.shown(path));
            format!("Note from {name}: {shown} was skipped, because another server has already changed it.")
        }));
        if !edit.is_empty() {
            let output = apply::proposed(call.context, edit, &client).await?;
            rows.push(format!("{}:\n{}", client.name(), apply::lines(&output)));
        }
        clients.push(client);
    }
    let (from, to, context) = (plan.from.clone(), plan.to.clone(), Arc::clone(call.context));
    let pairs = plan.pairs.clone();
    let moved = tokio::task::spawn_blocking(move || {
        context.rename_entry(&from, &to)?;
        context.scans.changed(&from);
        context.scans.changed(&to);
        for (old, new) in pairs {
            context.changed(&old, Before::Present);
            context.changed(&new, Before::Absent);
        }
        Ok::<_, std::io::Error>(())
    });
    let moved = moved.await.map_err(|error| Fault::Failed(error.to_string()))?;
    moved.map_err(|error| Fault::Failed(format!("Cannot move {}: {error}", call.shown(&plan.from))))?;
    rows.push(format!("  Moved {} to {}", call.shown(&plan.from), call.shown(&plan.to)));
    for client in clients {
        // The file is moved; a server that is gone meanwhile reads it again.
        for (old, _) in &plan.pairs {
            let _ = client.forget(old).await;
        }
        let _ = client.notify("workspace/didRenameFiles", params).await;
    }
    tell(call.context).await;
    Ok(rows)
}

/// Leaves out changes of files that were changed since the servers were asked, and returns these files.
fn without(edit: &mut WorkspaceEdit, touched: &mut HashSet<PathBuf>) -> Vec<PathBuf> {
    let changed = |operation: &Operation| match operation {
        Operation::Edit { path, .. } => Some(path.clone()),
        _ => None,
    };
    let left_out = edit.operations.iter().filter_map(changed).filter(|path| touched.contains(path)).collect();
    edit.operations.retain(|operation| changed(operation).is_none_or(|path| !touched.contains(&path)));
    touched.extend(edit.operations.iter().filter_map(changed));
    left_out
}

async fn plan(call: &Call<'_>, from: PathBuf, to: PathBuf) -> Result<Move, Fault> {
    let (context, shown_from, shown_to) = (Arc::clone(call.context), call.shown(&from), call.shown(&to));
    let work = move || {
        if from == to {
            return Err(format!("{shown_from} already has this name."));
        }
        let Ok(metadata) = from.symlink_metadata() else {
            return Err(format!("{shown_from} does not exist."));
        };
        if to.symlink_metadata().is_ok() {
            return Err(format!("{shown_to} already exists."));
        }
        if to.starts_with(&from) {
            return Err(format!("{shown_to} is inside {shown_from}."));
        }
        for path in [&from, &to] {
            context.may_change(path, Change::Rename).map_err(|error| error.message)?;
        }
        let mut files = Vec::new();
        match metadata.is_dir() {
            true => {
                below(&from, &mut files).map_err(|error| format!("Cannot read {shown_from}: {error}."))?;
            }
            false => files.push(from.clone()),
        }
        if files.len() > MOST_FILES {
            return Err(format!("{shown_from} has more than {MOST_FILES} files; move it with bash."));
        }
        if files.is_empty() {
            return Err(format!("{shown_from} has no files; there is nothing to rename."));
        }
        let renamed = |old: PathBuf| match old.strip_prefix(&from) {
            Ok(rest) if !rest.as_os_str().is_empty() => (old.clone(), to.join(rest)),
            _ => (old, to.clone()),
        };
        let pairs: Vec<(PathBuf, PathBuf)> = files.into_iter().map(renamed).collect();
        // Each file, so that the history of files knows what was where.
        pairs.iter().flat_map(|(old, new)| [old, new]).for_each(|path| context.about_to_change(path));
        Ok(Move { directory: metadata.is_dir(), pairs, from, to })
    };
    let planned = tokio::task::spawn_blocking(work).await;
    planned.map_err(|error| Fault::Failed(error.to_string()))?.map_err(Fault::Refused)
}

/// The regular files below a directory, in the order of their names, until there are too many.
fn below(directory: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries: Vec<_> = std::fs::read_dir(directory)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let kind = entry.file_type()?;
        if kind.is_dir() {
            below(&entry.path(), files)?;
        } else if kind.is_file() {
            files.push(entry.path());
        }
        if files.len() > MOST_FILES {
            break;
        }
    }
    Ok(())
}
