//! Merge conflicts: what is said about them below a text, lists of them, and their sides.

use std::borrow::Cow;
use std::io;
use std::path::PathBuf;

use omp_agent::ToolError;
use omp_types::ToolOutput;
use omp_workspace::conflicts::{Conflict, ConflictAddress, ConflictSide, blocks};
use omp_workspace::open::OpenedPath;
use omp_workspace::text::{Charset, Window};

use super::job::Job;
use super::selector::{self, Style};
use super::{Target, Url, locate, missing, resolve, text};
use crate::conflicts::load;
use crate::output::{Meta, cap};
use crate::resources::{Mutability, Paging};

/// Conflicts that a warning lists.
const LISTED: usize = 20;
/// Lines of a side that a warning shows.
const SIDE_LINES: usize = 3;

/// Is it `conflict://…`?
pub(super) fn is_address(typed: &str) -> bool {
    ConflictAddress::parse(typed).is_some()
}

/// The path of `PATH:conflicts`; `None` if something else is meant.
pub(super) fn listing<'a>(job: &Job, typed: &'a str) -> Option<&'a str> {
    let path = typed.strip_suffix(":conflicts").filter(|path| !path.is_empty())?;
    let exists = |typed| resolve(&job.context, typed).is_ok_and(|path| path.symlink_metadata().is_ok());
    // A file may have such a name, and `a:5:conflicts` is a mistake that the selector explains.
    let other = exists(typed) || (selector::without(path) != path && !exists(path));
    (!other).then_some(path)
}

/// A conflict with its markers, or one of its sides.
pub(super) fn read_address(job: &Job, typed: &str) -> Result<ToolOutput, ToolError> {
    let (address, selector) = selector::split(typed).map_err(ToolError::new)?;
    let parsed = ConflictAddress::parse(address)
        .unwrap_or_else(|| Err(format!("'{address}' does not name a conflict.")));
    let get = |id| job.context.seen.conflicts.get(id).map_err(ToolError::new);
    let lines = match parsed.map_err(ToolError::new)? {
        ConflictAddress::All => return Ok(list_all(job)),
        ConflictAddress::Conflict(id) => get(id)?.block.lines,
        ConflictAddress::Side(id, side) => get(id)?.block.side(side).ok_or_else(|| {
            ToolError::new(format!("Conflict {id} has no base: its markers have no ||||||| section."))
        })?,
    };
    let content = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let url = Url {
        text: address.to_owned(),
        mime: Cow::Borrowed("text/plain"),
        mutability: Mutability::Immutable,
        paging: Paging::Lines,
    };
    let target = Target { url: Some(url), ..Target::new(job, PathBuf::new(), selector) };
    text::read(&target, content.as_bytes(), content.len() as u64, Charset::Utf8)
}

/// Everything that is open, whatever the file.
fn list_all(job: &Job) -> ToolOutput {
    let rows: Vec<String> = job
        .context
        .seen
        .conflicts
        .open()
        .iter()
        .map(|conflict| format!("{}: {}", job.context.base().display(&conflict.path), headline(conflict)))
        .collect();
    let text =
        if rows.is_empty() { "No unresolved conflicts are known.".to_owned() } else { rows.join("\n") };
    ToolOutput::text(cap(text).0)
}

/// All conflicts of a file with their sides.
pub(super) fn list(job: &Job, typed: &str) -> Result<ToolOutput, ToolError> {
    job.slow()?;
    let target = locate(job, typed)?;
    let (path, shown) = (&target.path, target.shown());
    match target.context.open(path) {
        Ok(OpenedPath::File(..)) => {}
        Ok(_) => return Err(ToolError::new(format!("{shown} is not a file; :conflicts needs a text file."))),
        Err(error) => return Err(missing::explain(&target, &error)),
    }
    let document = load(target.context, path).map_err(|reason| {
        missing::explain(&target, &io::Error::other(format!("{reason}, so it has no conflicts to list")))
    })?;
    let lines: Vec<&str> = document.text().split('\n').collect();
    let found = job.context.seen.conflicts.register(path, blocks(&lines));
    let text = match found.as_slice() {
        [] => format!("{shown} has no unresolved conflicts."),
        some => {
            let each: Vec<String> = some.iter().map(|conflict| described(conflict, usize::MAX)).collect();
            format!("{} in {shown}:\n\n{}\n\n{}", counted(some.len()), each.join("\n\n"), how(&some[0]))
        }
    };
    let (text, truncation) = cap(text);
    let meta = Meta { truncation, ..Meta::of_path(path) };
    Ok(target.announce(ToolOutput::text(text).with_details(target.details().finish(&meta))))
}

/// The text of a read, with a word on the conflicts in the lines it shows.
pub(super) fn warned(target: &Target, window: &Window, mut text: String) -> String {
    let plain = target.url.is_none() && target.inside.is_none() && target.selector.style != Style::Raw;
    if !plain {
        return text;
    }
    let mut found = Vec::new();
    for segment in &window.segments {
        let before = usize::try_from(segment.first.saturating_sub(1)).unwrap_or(usize::MAX);
        found.extend(
            blocks(&segment.lines).into_iter().map(|(line, block)| (before.saturating_add(line), block)),
        );
    }
    if found.is_empty() {
        return text;
    }
    let conflicts = target.context.seen.conflicts.register(&target.path, found);
    let each: Vec<String> =
        conflicts.iter().take(LISTED).map(|conflict| described(conflict, SIDE_LINES)).collect();
    text.truncate(text.trim_end_matches('\n').len());
    text.push_str(&format!(
        "\n\n[Warning: {} in these lines]\n{}",
        counted(conflicts.len()),
        each.join("\n")
    ));
    if conflicts.len() > LISTED {
        let shown = target.shown();
        text.push_str(&format!("\n… {} more: read {shown}:conflicts", conflicts.len() - LISTED));
    }
    text.push_str(&format!("\n{}", how(&conflicts[0])));
    text
}

fn counted(count: usize) -> String {
    match count {
        1 => "1 unresolved merge conflict".to_owned(),
        more => format!("{more} unresolved merge conflicts"),
    }
}

fn headline(conflict: &Conflict) -> String {
    format!("conflict://{}, {}", conflict.id, conflict.span())
}

fn described(conflict: &Conflict, most: usize) -> String {
    let mut rows = vec![headline(conflict)];
    let block = &conflict.block;
    let base = block.has_base().then_some((ConflictSide::Base, "base", ""));
    let sides = [
        (ConflictSide::Ours, "ours", block.our_name()),
        (ConflictSide::Theirs, "theirs", block.their_name()),
    ];
    for (side, word, name) in sides.into_iter().take(1).chain(base).chain(sides.into_iter().skip(1)) {
        let lines = block.side(side).unwrap_or_default();
        let name = if name.is_empty() { String::new() } else { format!(" ({name})") };
        let empty = if lines.is_empty() { " nothing" } else { "" };
        rows.push(format!("  {word}{name}:{empty}"));
        rows.extend(lines.iter().take(most).map(|line| format!("    {line}")));
        if lines.len() > most {
            rows.push(format!("    … {} more lines", lines.len() - most));
        }
    }
    rows.join("\n")
}

fn how(conflict: &Conflict) -> String {
    let base = if conflict.block.has_base() { ", @base" } else { "" };
    format!(
        "To resolve one, write to conflict://{0}: the content replaces all lines from <<<<<<< to >>>>>>>; a \
         line @ours, @theirs{base} or @both is replaced with that side. Write to conflict://* to resolve \
         all. Read conflict://{0}/ours to see one side.",
        conflict.id
    )
}
