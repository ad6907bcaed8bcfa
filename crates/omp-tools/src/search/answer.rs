//! Matches as text: one page, with what edits need.

use std::io::Read;

use omp_edits::hashline::Tag;
use omp_types::ToolOutput;
use omp_workspace::document::Document;
use omp_workspace::grep::{FileMatches, GrepLine};
use omp_workspace::open;
use omp_workspace::sniff::{self, FileKind};
use serde_json::{Value, json};

use super::collect::{Collected, FileHit};
use super::targets::Targets;
use super::{PAGE, PER_FILE};
use crate::Context;
use crate::output::{Details, MAX_BYTES, Meta, Source, cap};
use crate::seen_files::SeenFiles;

/// What is said about a finished search.
pub(super) struct Answer<'a> {
    pub(super) context: &'a Context,
    pub(super) targets: &'a Targets,
    pub(super) collected: Collected,
    /// One file was searched, and its matches stand without a heading of their own.
    pub(super) alone: bool,
    pub(super) skip: usize,
}

impl Answer<'_> {
    pub(super) fn output(&self) -> ToolOutput {
        let files = &self.collected.files;
        let page = files.get(self.skip.min(files.len())..).unwrap_or_default();
        let page = &page[..page.len().min(PAGE)];
        let more = files.len() > self.skip + page.len();
        let tags: Vec<Option<Tag>> = page.iter().map(|file| self.tag(file)).collect();
        let mut per_file = if self.alone { usize::MAX } else { PER_FILE };
        let mut parts = self.parts(page, &tags, per_file, Gutter::Model);
        // Every file keeps its share: fewer matches of each before any is cut off.
        while parts.iter().map(String::len).sum::<usize>() > MAX_BYTES && per_file > 1 {
            per_file = if self.alone { per_file.min(longest(page)) / 2 } else { per_file / 2 }.max(1);
            parts = self.parts(page, &tags, per_file, Gutter::Model);
        }
        let mut text = parts.join(BETWEEN);
        if page.is_empty() {
            text = match files.is_empty() {
                true => "No matches found".to_owned(),
                false => format!("No more matches ({} matching files in total).", files.len()),
            };
            text.extend(self.why_nothing().map(|why| format!("\n\n{why}")));
        }
        let trimmed: Vec<String> = page
            .iter()
            .filter(|file| file.found.more || file.found.matches > per_file)
            .map(|file| self.label(file))
            .collect();
        for notice in self.notices(more, &trimmed, page.len()) {
            text.push_str(&format!("\n\n{notice}"));
        }
        let (text, truncation) = cap(text);
        // What was left out or cut off was not seen.
        let whole = page.iter().zip(&tags).zip(&parts).filter(|(_, part)| text.contains(part.as_str()));
        whole.for_each(|((file, tag), _)| self.saw(file, *tag, per_file));
        let display = self.parts(page, &tags, per_file, Gutter::Person).join(BETWEEN);
        let meta =
            Meta { source: Some(Source::Path(self.targets.shown.clone())), truncation, ..Meta::default() };
        let details = self
            .details(page, more, !trimmed.is_empty(), meta.truncation.is_some())
            .with("displayContent", display);
        let output = ToolOutput::text(text).with_details(details.finish(&meta));
        if files.is_empty() { output.uneventful() } else { output }
    }

    fn label(&self, file: &FileHit) -> String {
        match (&file.label, &file.path) {
            (Some(label), _) => label.clone(),
            (None, Some(path)) => self.context.base().display(path),
            (None, None) => String::new(),
        }
    }

    /// Remembers the whole file, so that an edit can follow; `None` where it cannot, or where the file is no longer what
    /// was found.
    fn tag(&self, file: &FileHit) -> Option<Tag> {
        let path = file.path.as_ref().filter(|_| self.context.shows_anchors())?;
        // A notebook is edited by its cells, not by the lines of its file.
        if crate::notebook::is_notebook(path) {
            return None;
        }
        let Ok(open::OpenedPath::File(source, metadata)) = self.context.open(path) else { return None };
        if metadata.len() > SeenFiles::MAX_BYTES {
            return None;
        }
        let mut bytes = Vec::new();
        source.take(SeenFiles::MAX_BYTES).read_to_end(&mut bytes).ok()?;
        let FileKind::Text(charset) = sniff::kind(&bytes[..bytes.len().min(sniff::HEAD)]) else {
            return None;
        };
        let document = Document::new(bytes, charset);
        let lines: Vec<&str> = document.text().split('\n').collect();
        let holds = |row: &GrepLine| {
            line_of(row).and_then(|at| lines.get(at - 1)).is_some_and(|line| shows(row, line))
        };
        let is_same = file.found.rows.iter().all(holds);
        is_same.then(|| self.context.seen.record(path, document.text(), &[]))
    }

    fn saw(&self, file: &FileHit, tag: Option<Tag>, per_file: usize) {
        let (Some(path), Some(tag)) = (&file.path, tag) else { return };
        let whole = first(&file.found, per_file).filter(|row| !row.cut);
        let lines: Vec<(usize, usize)> = whole.filter_map(line_of).map(|line| (line, line)).collect();
        self.context.seen.saw(path, tag, &lines);
    }

    fn parts(&self, page: &[FileHit], tags: &[Option<Tag>], per_file: usize, gutter: Gutter) -> Vec<String> {
        let mut parts = Vec::new();
        for (file, tag) in page.iter().zip(tags) {
            let mut rows = Vec::new();
            let label = self.label(file);
            rows.extend(match (self.alone, tag) {
                (true, Some(tag)) => Some(format!("[{label}#{tag}]")),
                (true, None) => None,
                (false, Some(tag)) => Some(format!("# {label}#{tag}")),
                (false, None) => Some(format!("# {label}")),
            });
            let separator = match (gutter, tag) {
                (Gutter::Person, _) => '│',
                (Gutter::Model, Some(_)) => ':',
                (Gutter::Model, None) => '|',
            };
            rows.extend(first(&file.found, per_file).map(|row| {
                let mark = if row.matched { '*' } else { ' ' };
                format!("{mark}{}{separator}{}", row.line, row.text)
            }));
            parts.push(rows.join("\n"));
        }
        parts
    }

    /// What a model should know before it believes that there is nothing.
    fn why_nothing(&self) -> Option<String> {
        if let Some(path) = &self.collected.hidden_match {
            let shown = self.context.base().display(path);
            return Some(format!(
                "[Ignored files also match, e.g. {shown}. Use gitignore=false to search them]"
            ));
        }
        let by_glob = self.targets.places.iter().any(|place| place.glob.is_some());
        let nothing_seen = self.collected.searched == 0 && by_glob && self.collected.too_large == 0;
        nothing_seen.then(|| {
            "[No files were searched: none match the glob. `*` does not cross directories, `**` does]"
                .to_owned()
        })
    }

    fn notices(&self, more: bool, trimmed: &[String], shown: usize) -> Vec<String> {
        let mut notices = Vec::new();
        if more {
            let next = self.skip + shown;
            let total = self.collected.files.len();
            let total = if self.collected.stopped { format!("more than {total}") } else { total.to_string() };
            notices.push(format!(
                "[{shown} of {total} matching files shown. Use skip={next} for the next page]"
            ));
        } else if self.collected.stopped {
            notices.push("[Stopped after 2000 matches. Narrow the pattern or the paths]".to_owned());
        }
        notices.extend(self.more_matches(trimmed));
        if !self.targets.missing.is_empty() {
            notices.push(format!("Skipped missing paths: {}", self.targets.missing.join(", ")));
        }
        notices.extend(self.skipped());
        if !self.collected.failed.is_empty() {
            notices.push(format!("Not searched: {}", self.collected.failed.join(", ")));
        }
        if self.collected.too_large > 0 {
            let files = if self.collected.too_large == 1 {
                "1 file".to_owned()
            } else {
                format!("{} files", self.collected.too_large)
            };
            notices.push(format!(
                "[Not searched: {files} over 16 MB, because the pattern spans lines. Search for a single \
                 line of it]"
            ));
        }
        notices
    }

    fn more_matches(&self, files: &[String]) -> Option<String> {
        const NAMED: usize = 3;
        if files.is_empty() {
            return None;
        }
        if self.alone {
            return Some(
                "[More matches than shown. Narrow the pattern or the line range, e.g. path:500-900]"
                    .to_owned(),
            );
        }
        let others = if files.len() > NAMED { " and others" } else { "" };
        let named = files[..files.len().min(NAMED)].join(", ");
        Some(format!(
            "[More matches than shown in {named}{others}. Narrow the pattern, or search a single file]"
        ))
    }

    fn skipped(&self) -> Option<String> {
        const SHOWN: usize = 20;
        let skipped = &self.targets.skipped;
        let more = skipped.len().saturating_sub(SHOWN);
        let names = skipped.iter().take(SHOWN).cloned().chain((more > 0).then(|| format!("{more} more")));
        let names = names.collect::<Vec<_>>().join(", ");
        (!skipped.is_empty()).then(|| format!("Skipped unreadable archive members: {names}"))
    }

    fn details(&self, page: &[FileHit], more: bool, trimmed: bool, truncated: bool) -> Details {
        let labels: Vec<String> = page.iter().map(|file| self.label(file)).collect();
        let each: Vec<Value> = page
            .iter()
            .zip(&labels)
            .map(|(file, label)| json!({ "path": label, "count": file.found.matches }))
            .collect();
        let cut = page.iter().flat_map(|file| &file.found.rows).any(|row| row.cut);
        let mut details = Details::default()
            .with("scopePath", self.targets.shown.clone())
            .with("matchCount", page.iter().map(|file| file.found.matches).sum::<usize>())
            .with("fileCount", page.len())
            .with("files", labels)
            .with("fileMatches", each)
            .with("truncated", truncated || more || trimmed);
        for (name, set) in
            [("fileLimitReached", more), ("perFileLimitReached", trimmed), ("linesTruncated", cut)]
        {
            if set {
                details = details.with(name, true);
            }
        }
        if !self.targets.missing.is_empty() {
            details = details.with("missingPaths", self.targets.missing.clone());
        }
        details
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Gutter {
    Model,
    Person,
}

/// What stands between two files.
const BETWEEN: &str = "\n\n";

fn line_of(row: &GrepLine) -> Option<usize> {
    usize::try_from(row.line).ok().filter(|line| *line > 0)
}

/// Longer lines are searched piece by piece, and a row may show any of the pieces.
const ONE_PIECE: usize = 256 * 1024;

/// Is the row what stands on the line?
fn shows(row: &GrepLine, line: &str) -> bool {
    match row.text.strip_suffix('…').filter(|_| row.cut) {
        Some(start) => line.starts_with(start) || (line.len() > ONE_PIECE && line.contains(start)),
        None => line.strip_suffix('\r').unwrap_or(line) == row.text,
    }
}

fn longest(page: &[FileHit]) -> usize {
    page.iter().map(|file| file.found.matches).max().unwrap_or(1)
}

/// The rows of the first matches; the lines after the last of them belong to it.
fn first(found: &FileMatches, matches: usize) -> impl Iterator<Item = &GrepLine> {
    let mut seen = 0;
    found.rows.iter().take_while(move |row| {
        seen += usize::from(row.matched);
        seen <= matches
    })
}
