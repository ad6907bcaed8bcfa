//! `diagnostics`: what is wrong with a file, with several, or with the project.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use omp_workspace::walk::{Options, walk};

use super::call::{Call, Fault, Reply};
use super::check::{Check, Checked, ONE_FILE, ONE_OF_MANY};
use super::{project, report};
use crate::scope::{Places, has_glob};

/// Files of a pattern that are looked at.
const MOST_FILES: usize = 20;
/// How long files of a pattern are looked for.
const WALK: Duration = Duration::from_secs(5);
/// Entries that are looked at for it.
const MOST_ENTRIES: u64 = 200_000;

pub(super) async fn run(call: &Call<'_>, deduplicate: bool) -> Result<Reply, Fault> {
    if call.arguments.file.as_deref() == Some("*") {
        return project::run(call).await;
    }
    let Some(typed) = call.file() else {
        return Err(Fault::Refused(
            "The action diagnostics needs `file`: a path, a glob such as src/**/*.rs, or \"*\" for the whole project."
                .to_owned(),
        ));
    };
    let literal = call.path(typed)?;
    if has_glob(typed) && !literal.exists() {
        return many(call, typed, deduplicate).await;
    }
    // Whoever names a time wants to wait for so long.
    let patience = call.arguments.timeout.map_or(ONE_FILE, |seconds| super::timeout(Some(seconds)));
    let (checked, shown) = (one(call, &literal, patience, deduplicate).await?, call.shown(&literal));
    let names = [checked.servers.clone(), checked.silent.clone()].concat().join(", ");
    Ok(Reply::new(told(&shown, &checked)).by(&names))
}

/// Asks all servers of a file.
async fn one(
    call: &Call<'_>,
    path: &PathBuf,
    patience: Duration,
    deduplicate: bool,
) -> Result<Checked, Fault> {
    let servers = call.config.for_file(path);
    if servers.is_empty() {
        let shown = call.shown(path);
        return Err(Fault::Refused(format!(
            "No language server found for {shown}. Use action \"status\" to see which there are."
        )));
    }
    let text = call.text(path).await?;
    let waits_for_start = patience != ONE_OF_MANY;
    let check = Check { servers: call.servers, path, text: &text, patience, waits_for_start, deduplicate };
    let checked = check.run(&servers, call.limit).await?;
    match checked.servers.is_empty() && checked.silent.is_empty() {
        true => Err(Fault::Failed(checked.failed.join("; "))),
        false => Ok(checked),
    }
}

fn told(shown: &str, checked: &Checked) -> String {
    let mut parts = match (checked.items.is_empty(), checked.silent.is_empty()) {
        (false, _) => vec![report::text(shown, &checked.items)],
        (true, true) => vec!["OK".to_owned()],
        (true, false) => vec!["No diagnostics so far.".to_owned()],
    };
    if !checked.silent.is_empty() {
        parts.push(format!("Not heard from yet: {}", checked.silent.join(", ")));
    }
    if !checked.old.is_empty() {
        parts.push(format!("Found before and perhaps no longer true, {}", report::text(shown, &checked.old)));
    }
    parts.extend(checked.failed.iter().map(|failed| format!("Not asked: {failed}")));
    parts.join("\n")
}

async fn many(call: &Call<'_>, typed: &str, deduplicate: bool) -> Result<Reply, Fault> {
    let (files, cut) = expand(call, typed).await?;
    if files.is_empty() {
        return Err(Fault::Refused(format!("No file matches {typed}.")));
    }
    let mut sections = Vec::new();
    if cut {
        sections
            .push(format!("[More than {MOST_FILES} files match {typed}; these are the first {MOST_FILES}]"));
    }
    for file in files {
        let shown = call.shown(&file);
        let section = match one(call, &file, ONE_OF_MANY, deduplicate).await {
            Ok(checked) => told(&shown, &checked),
            Err(Fault::Aborted) => return Err(Fault::Aborted),
            Err(Fault::Refused(text)) => text,
            Err(Fault::Failed(text)) => format!("LSP error: {text}"),
        };
        sections.push(format!("{shown}: {section}"));
    }
    Ok(Reply::new(sections.join("\n\n")))
}

/// The files of a pattern, in the order of their names, and whether there are more.
async fn expand(call: &Call<'_>, typed: &str) -> Result<(Vec<PathBuf>, bool), Fault> {
    let (context, typed, cancel) = (call.context.clone(), typed.to_owned(), call.limit.cancel.clone());
    let found = crate::blocking(move || {
        let places = Places::new(&context, &[typed], "The pattern is empty.")?;
        let found = Mutex::new(Vec::new());
        for place in &places.found {
            let options = Options {
                hidden: false,
                gitignore: true,
                deadline: Some(Instant::now() + WALK),
                entries: MOST_ENTRIES,
                cancelled: &|| cancel.is_cancelled(),
            };
            walk(&place.base, &options, &|entry| {
                if entry.is_file() && place.wants(entry.path()) {
                    found.lock().unwrap_or_else(PoisonError::into_inner).push(entry.path().to_owned());
                }
            });
        }
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.sort();
        Ok(found)
    });
    let mut found = found.await.map_err(|error| Fault::Refused(error.message))?;
    if call.limit.cancel.is_cancelled() {
        return Err(Fault::Aborted);
    }
    let cut = found.len() > MOST_FILES;
    found.truncate(MOST_FILES);
    Ok((found, cut))
}
