//! Writes to `conflict://`: the text that takes the place of a conflict.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use omp_agent::ToolError;
use omp_types::ToolOutput;
use omp_workspace::conflicts::{Conflict, ConflictAddress, ConflictBlock, ConflictSide, Replaced, blocks};
use omp_workspace::document::{Document, Splice};
use omp_workspace::open::OpenedPath;
use omp_workspace::sniff::{self, FileKind};
use omp_workspace::turn::Turn;
use omp_workspace::write::Mode;

use crate::Context;
use crate::lsp::Before;
use crate::output::{Details, Meta};
use crate::seen_files::SeenFiles;

/// Resolves what `address` names by `content`.
pub(crate) fn write(
    context: &Context,
    typed: &str,
    address: ConflictAddress,
    content: &str,
) -> Result<ToolOutput, ToolError> {
    match address {
        ConflictAddress::Side(id, _) => Err(ToolError::new(format!(
            "'{typed}' is read-only. To resolve the conflict, write to conflict://{id} without a side; a \
             line @ours, @theirs, @base or @both in the content is replaced with that side's text."
        ))),
        ConflictAddress::Conflict(id) => {
            let conflict = context.seen.conflicts.get(id).map_err(ToolError::new)?;
            let content = expand(&conflict, content).map_err(ToolError::new)?;
            let path = conflict.path.clone();
            let done = resolve_file(context, &path, vec![(conflict, content)]).map_err(ToolError::new)?;
            Ok(one_answer(context, id, &done))
        }
        ConflictAddress::All => resolve_all(context, content),
    }
}

/// The content with the sides it names. A missing base is an error.
fn expand(conflict: &Conflict, content: &str) -> Result<Vec<String>, String> {
    let content = content.replace("\r\n", "\n");
    let mut lines = Vec::new();
    for line in content.strip_suffix('\n').unwrap_or(&content).split('\n') {
        match ConflictSide::from_line(line) {
            Some(side) => lines.extend(conflict.block.side(side).ok_or_else(|| {
                format!("Conflict {} has no base: its markers have no ||||||| section.", conflict.id)
            })?),
            None => lines.push(line.to_owned()),
        }
    }
    Ok(if content.is_empty() { Vec::new() } else { lines })
}

/// `<id>: @side` on every line that is not empty.
fn listed(content: &str) -> Option<Vec<(usize, ConflictSide)>> {
    let lines = content.lines().map(str::trim).filter(|line| !line.is_empty());
    let entry = |line: &str| {
        let (id, side) = line.split_once(':')?;
        Some((id.trim().parse().ok()?, ConflictSide::from_line(side.trim())?))
    };
    let list: Vec<(usize, ConflictSide)> = lines.map(entry).collect::<Option<_>>()?;
    (!list.is_empty()).then_some(list)
}

/// A conflict and what takes its place.
type Resolution = (Conflict, Vec<String>);

fn resolve_all(context: &Context, content: &str) -> Result<ToolOutput, ToolError> {
    let resolutions: Result<Vec<Resolution>, String> = match listed(content) {
        Some(list) => list
            .into_iter()
            .map(|(id, side)| {
                let conflict = context.seen.conflicts.get(id)?;
                let lines = conflict.block.side(side).ok_or_else(|| format!("Conflict {id} has no base."))?;
                Ok((conflict, lines))
            })
            .collect(),
        None => {
            let open = context.seen.conflicts.open();
            open.into_iter()
                .map(|conflict| expand(&conflict, content).map(|lines| (conflict, lines)))
                .collect()
        }
    };
    let resolutions = resolutions.map_err(ToolError::new)?;
    if resolutions.is_empty() {
        return Err(ToolError::new("No conflicts to resolve. Read a file with conflicts first."));
    }
    let mut files: BTreeMap<PathBuf, Vec<Resolution>> = BTreeMap::new();
    for (conflict, lines) in resolutions {
        let list = files.entry(conflict.path.clone()).or_default();
        if list.iter().any(|(known, _)| known.id == conflict.id) {
            return Err(ToolError::new(format!(
                "Conflict {} is listed twice; nothing was written.",
                conflict.id
            )));
        }
        list.push((conflict, lines));
    }
    let (mut done, mut failed) = (Vec::new(), Vec::new());
    for (path, list) in files {
        match resolve_file(context, &path, list) {
            Ok(file) => done.push(file),
            Err(reason) => failed.push(reason),
        }
    }
    match done.is_empty() {
        true => Err(ToolError::new(failed.join("\n"))),
        false => Ok(bulk_answer(context, &done, &failed)),
    }
}

/// A file after conflicts of it were resolved.
struct Done {
    path: PathBuf,
    text: String,
    ids: Vec<usize>,
    left: Vec<usize>,
    /// The lines that took the first conflict's place.
    first: (usize, usize),
}

/// Replaces all of a file's conflicts that are named, or none of them.
fn resolve_file(context: &Context, path: &Path, list: Vec<Resolution>) -> Result<Done, String> {
    let shown = context.base().display(path);
    let _turn = Turn::wait(path);
    let document = load(context, path).map_err(|error| format!("Cannot read {shown}: {error}."))?;
    let lines: Vec<&str> = document.text().split('\n').collect();
    let mut there = blocks(&lines);
    let mut placed: Vec<(usize, Resolution)> = Vec::new();
    for (conflict, content) in list {
        let start = take(&mut there, &conflict).ok_or_else(|| {
            format!(
                "Conflict {} in {shown} has changed since it was read; nothing was written there. Read \
                 {shown}:conflicts again.",
                conflict.id
            )
        })?;
        placed.push((start, (conflict, content)));
    }
    placed.sort_by_key(|(start, _)| *start);
    let splices: Vec<Splice<'_>> = placed
        .iter()
        .map(|(start, (conflict, content))| Splice {
            start: *start,
            removed: conflict.block.lines.len(),
            inserted: content,
        })
        .collect();
    let bytes = document.splice(&splices).map_err(|error| format!("{shown} was not changed: {error}"))?;
    replace(context, path, &document, &bytes)?;
    let text = Document::new(bytes, document.charset()).text().to_owned();
    let first = placed.first().map_or((0, 0), |(start, (_, content))| (*start, content.len()));
    let replaced: Vec<(usize, Replaced)> = placed
        .iter()
        .map(|(start, (conflict, content))| {
            let removed = conflict.block.lines.len();
            (conflict.id, Replaced { start: *start, removed, added: content.len() })
        })
        .collect();
    context.seen.conflicts.resolved(path, &replaced);
    let left = context.seen.conflicts.open().into_iter().filter(|conflict| conflict.path == path);
    let left = left.map(|conflict| conflict.id).collect();
    let ids = placed.iter().map(|(_, (conflict, _))| conflict.id).collect();
    Ok(Done { path: path.to_owned(), text, ids, left, first })
}

/// The place of a conflict in the file as it is: the nearest one with its text that no other has taken.
fn take(there: &mut Vec<(usize, ConflictBlock)>, conflict: &Conflict) -> Option<usize> {
    let same = there.iter().enumerate().filter(|(_, (_, block))| *block == conflict.block);
    let (index, _) = same.min_by_key(|(_, (start, _))| start.abs_diff(conflict.line))?;
    Some(there.swap_remove(index).0)
}

/// Puts other bytes into the place of a file, unless somebody else wrote since it was loaded.
fn replace(context: &Context, path: &Path, old: &Document, bytes: &[u8]) -> Result<(), String> {
    context.about_to_change(path);
    let is_unchanged = || load(context, path).is_ok_and(|now| now.bytes() == old.bytes());
    let written = context.put_if(path, bytes, Mode::Keep, is_unchanged);
    written.map_err(|error| crate::write::explain(context, &error).message)?;
    context.changed(path, Before::Present);
    Ok(())
}

/// The file as text.
pub(crate) fn load(context: &Context, path: &Path) -> Result<Document, String> {
    let (mut file, metadata) = match context.open(path) {
        Ok(OpenedPath::File(file, metadata)) => (file, metadata),
        Ok(_) => return Err("it is not a file".to_owned()),
        Err(error) => return Err(error.to_string()),
    };
    if metadata.len() > SeenFiles::MAX_BYTES {
        return Err("it is larger than 16 MB".to_owned());
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    match sniff::kind(&bytes[..bytes.len().min(sniff::HEAD)]) {
        FileKind::Text(charset) => Ok(Document::new(bytes, charset)),
        _ => Err("it is not a text file".to_owned()),
    }
}

impl Done {
    /// `[PATH#TAG]`, where edits use it; the text is remembered for them.
    fn header(&self, context: &Context) -> Option<String> {
        let shown = context.base().display(&self.path);
        context.shows_anchors().then(|| {
            let tag = context.seen.record(
                &self.path,
                &self.text,
                &[(self.first.0 + 1, self.first.0 + self.first.1)],
            );
            format!("[{shown}#{tag}]")
        })
    }

    /// What remains to be done in the file.
    fn rest(&self, shown: &str) -> String {
        let left: Vec<String> = self.left.iter().map(usize::to_string).collect();
        match left.is_empty() {
            true => String::new(),
            false => format!(" Still unresolved in {shown}: {}.", left.join(", ")),
        }
    }
}

fn one_answer(context: &Context, id: usize, done: &Done) -> ToolOutput {
    let shown = context.base().display(&done.path);
    let (start, count) = done.first;
    let became = match count {
        0 => "no lines left".to_owned(),
        1 => format!("now line {}", start + 1),
        more => format!("now lines {}-{}", start + 1, start + more),
    };
    let mut text = done.header(context).map(|header| format!("{header}\n")).unwrap_or_default();
    text.push_str(&format!("Resolved conflict {id} in {shown}: {became}.{}", done.rest(&shown)));
    let details = Details::default().with("resolved", vec![id]);
    ToolOutput::text(text).with_details(details.finish(&Meta::of_path(&done.path)))
}

fn bulk_answer(context: &Context, done: &[Done], failed: &[String]) -> ToolOutput {
    let ids: Vec<usize> = done.iter().flat_map(|file| file.ids.iter().copied()).collect();
    let counted = |count: usize, thing: &str| match count {
        1 => format!("1 {thing}"),
        more => format!("{more} {thing}s"),
    };
    let (conflicts, files) = (counted(ids.len(), "conflict"), counted(done.len(), "file"));
    let mut rows = vec![format!("Resolved {conflicts} in {files}.")];
    for file in done {
        let shown = context.base().display(&file.path);
        let list: Vec<String> = file.ids.iter().map(usize::to_string).collect();
        rows.push(format!("{shown}: {}.{}", list.join(", "), file.rest(&shown)));
    }
    rows.extend(failed.iter().cloned());
    let headers: Vec<String> = done.iter().filter_map(|file| file.header(context)).collect();
    if !headers.is_empty() {
        rows.push(format!("\nSnapshots:\n{}", headers.join("\n")));
    }
    let details = Details::default().with("resolved", ids);
    ToolOutput::text(rows.join("\n")).with_details(details.finish(&Meta::default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What another program writes between the look at a file and its replacement stays.
    #[test]
    fn resolving_leaves_alone_what_somebody_else_wrote() {
        let (_directory, context) = Context::in_temporary_directory();
        let path = context.cwd.join("a.txt");
        std::fs::write(&path, "one\n").unwrap();
        let old = load(&context, &path).unwrap();
        std::fs::write(&path, "two\n").unwrap();
        let refused = replace(&context, &path, &old, b"ours\n").unwrap_err();
        assert_eq!(
            refused,
            "a.txt was changed by something else in the meantime and was left alone. Try again."
        );
        assert_eq!(std::fs::read(&path).unwrap(), b"two\n");
        replace(&context, &path, &load(&context, &path).unwrap(), b"ours\n").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"ours\n");
    }
}
