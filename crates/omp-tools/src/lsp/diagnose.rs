//! `diagnostics`: what is wrong with a file, with several, or with the project.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use omp_workspace::walk::{Options, walk};

use super::call::{Call, Fault, Reply};
use super::check::{Check, Checked, ONE_FILE, ONE_OF_MANY, Patience};
use super::{project, report};
use crate::search_roots::{SearchRoots, has_glob};

/// Files of a pattern that are looked at.
const MOST_FILES: usize = 20;
/// Files that are asked about at the same time.
const AT_ONCE: usize = 8;
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
            "Action diagnostics requires `file`: a path, a glob such as src/**/*.rs, or \"*\" for the whole \
             project."
                .to_owned(),
        ));
    };
    let literal = call.path(typed)?;
    if has_glob(typed) && !literal.exists() {
        return many(call, typed, deduplicate).await;
    }
    // Whoever names a time wants to wait for so long.
    let time = call.arguments.timeout.map_or(ONE_FILE, |seconds| super::timeout(Some(seconds)));
    let patience = Patience::Asked(time);
    let (checked, shown) = (one(call, &literal, patience, deduplicate).await?, call.shown(&literal));
    let names = [checked.servers.clone(), checked.silent.clone()].concat().join(", ");
    Ok(Reply::new(told(&shown, &checked)).by(&names))
}

/// Asks all servers of a file.
async fn one(
    call: &Call<'_>,
    path: &PathBuf,
    patience: Patience,
    deduplicate: bool,
) -> Result<Checked, Fault> {
    let servers = call.config.for_file(path);
    if servers.is_empty() {
        let shown = call.shown(path);
        return Err(Fault::Refused(format!(
            "No language server found for {shown}. Use action \"status\" to list the available ones."
        )));
    }
    let text = call.text(path).await?;
    let check = Check { servers: call.servers, path, text: &text, patience, deduplicate };
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
        (true, false) => vec!["No diagnostics yet.".to_owned()],
    };
    if !checked.silent.is_empty() {
        parts.push(format!("Still waiting for: {}", checked.silent.join(", ")));
    }
    if !checked.old.is_empty() {
        parts.push(format!("Possibly outdated, {}", report::text(shown, &checked.old)));
    }
    parts.extend(checked.failed.iter().map(|failed| format!("Not available: {failed}")));
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
            .push(format!("[More than {MOST_FILES} files match {typed}; showing the first {MOST_FILES}]"));
    }
    // Servers look at one file while others wait for theirs, so all have the time of all.
    for files in files.chunks(AT_ONCE) {
        let each = u32::try_from(files.len()).unwrap_or(u32::MAX);
        let patience = Patience::Among(ONE_OF_MANY * each);
        let checks = join_all(files.iter().map(|file| one(call, file, patience, deduplicate))).await;
        for (file, checked) in files.iter().zip(checks) {
            let shown = call.shown(file);
            let section = match checked {
                Ok(checked) => told(&shown, &checked),
                Err(Fault::Aborted) => return Err(Fault::Aborted),
                Err(Fault::Refused(text)) => text,
                Err(Fault::Failed(text)) => format!("LSP error: {text}"),
            };
            sections.push(format!("{shown}: {section}"));
        }
    }
    Ok(Reply::new(sections.join("\n\n")))
}

/// The files of a pattern, in the order of their names, and whether there are more.
async fn expand(call: &Call<'_>, typed: &str) -> Result<(Vec<PathBuf>, bool), Fault> {
    let (context, typed, cancel) = (call.context.clone(), typed.to_owned(), call.limit.cancel.clone());
    let found = crate::blocking(move || {
        let places = SearchRoots::new(&context, &[typed], "The pattern is empty.")?;
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
