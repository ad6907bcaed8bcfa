//! Long programs as an outline: declarations with their line numbers, bodies left out.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;

use omp_agent::ToolError;
use omp_syntax::outline::{self, Options, Summary};
use omp_syntax::{Family, Language, MAX_BYTES};
use omp_types::ToolOutput;
use omp_workspace::document::Document;
use omp_workspace::text::Charset;
use serde_json::json;

use super::selector::Selector;
use super::{Target, missing};
use crate::output::MAX_BYTES as MAX_SHOWN;
use crate::syntax::patiently;

/// Ranges named in the footer.
const RANGES: usize = 4;
/// Lines of a summary, and of one that was still too many bytes.
const LIMITS: [usize; 2] = [1_500, 300];
/// Texts for people that no grammar knows.
const PLAIN: [&str; 6] = ["txt", "text", "rst", "adoc", "org", "tex"];

/// The outline of a file; `None` where the text itself is the answer. The file is then at its start again.
pub(super) fn read(
    target: &Target,
    file: &mut File,
    length: u64,
    charset: Charset,
) -> Result<Option<ToolOutput>, ToolError> {
    let plain = target.selector == Selector::default() && target.url.is_none() && target.inside.is_none();
    if !plain || !target.context.settings.read.summarize || length > MAX_BYTES as u64 {
        return Ok(None);
    }
    let explain = |error| missing::explain(target, &error);
    let mut bytes = Vec::new();
    file.take(MAX_BYTES as u64).read_to_end(&mut bytes).map_err(explain)?;
    file.rewind().map_err(explain)?;
    let document = Document::new(bytes, charset);
    let text = document.text();
    let Some(kind) = OutlineKind::of(&target.path, text, target.context.settings.read.summarize_prose) else {
        return Ok(None);
    };
    // Whoever reads a file with merge conflicts wants to see them.
    let conflicts = || text.lines().any(|line| line.starts_with("<<<<<<< "));
    if text.lines().count() < Options::default().min_lines || conflicts() {
        return Ok(None);
    }
    target.job.slow()?;
    Ok(summarize(target, text, kind))
}

fn summarize(target: &Target, text: &str, kind: OutlineKind) -> Option<ToolOutput> {
    for limit in LIMITS {
        let options = Options { limit, ..Options::default() };
        let summary = match kind {
            OutlineKind::Code(language) => {
                patiently(|bounds| outline::code(text, language, &options, bounds))
            }
            OutlineKind::Prose(language) => outline::prose(text, language, &options),
        }?;
        let lines: Vec<&str> = text.lines().collect();
        let rows = rows(&lines, &summary);
        if rows.iter().map(|row| row.text.len() + 16).sum::<usize>() <= MAX_SHOWN {
            return Some(output(target, text, &rows, &summary));
        }
    }
    None
}

/// What kind of outline a file has.
#[derive(Clone, Copy)]
enum OutlineKind {
    Code(Language),
    Prose(Option<Language>),
}

impl OutlineKind {
    fn of(path: &Path, text: &str, prose: bool) -> Option<Self> {
        let name = path.file_name()?.to_string_lossy();
        match crate::syntax::language(&name, text) {
            Some(language) => match language.family() {
                Family::Code => Some(Self::Code(language)),
                Family::Prose if prose => Some(Self::Prose(Some(language))),
                Family::Prose | Family::Data | Family::Markup => None,
            },
            None => {
                let extension = path.extension().and_then(|extension| extension.to_str());
                let plain = extension.is_none_or(|extension| PLAIN.contains(&extension));
                (prose && plain).then_some(Self::Prose(None))
            }
        }
    }
}

/// A row of the outline: one line, or the first to the last of lines with what they enclose left out.
struct OutlineRow {
    /// `None` for lines that are left out.
    lines: Option<(usize, usize)>,
    text: String,
    /// The lines of the file that it shows.
    seen: Vec<usize>,
}

fn rows(lines: &[&str], summary: &Summary) -> Vec<OutlineRow> {
    let mut rows = Vec::new();
    let mut elided = summary.elided.iter().peekable();
    let mut line = 1;
    while line <= lines.len() {
        if let Some(gap) = elided.next_if(|gap| gap.first == line) {
            rows.push(OutlineRow { lines: None, text: "…".to_owned(), seen: Vec::new() });
            line = gap.last + 1;
            continue;
        }
        let mut row = OutlineRow {
            lines: Some((line, line)),
            text: lines[line - 1].trim_end().to_owned(),
            seen: vec![line],
        };
        // `} else {` closes one bracket and opens the next.
        while let Some(gap) = elided.next_if(|gap| gap.bracketed && gap.first == line + 1) {
            line = gap.last + 1;
            row.text.push_str(&format!(" .. {}", lines[line - 1].trim()));
            row.seen.push(line);
            row.lines = row.lines.map(|(first, _)| (first, line));
        }
        rows.push(row);
        line += 1;
    }
    rows
}

fn output(target: &Target, text: &str, rows: &[OutlineRow], summary: &Summary) -> ToolOutput {
    let context = target.context;
    let seen: Vec<(usize, usize)> =
        rows.iter().flat_map(|row| &row.seen).map(|line| (*line, *line)).collect();
    let mut shown = String::new();
    let separator = match (context.shows_anchors(), context.settings.read.line_numbers) {
        (true, _) => {
            let tag = context.seen.record(&target.path, text, &seen);
            shown.push_str(&format!("[{}#{tag}]\n", target.shown()));
            Some(':')
        }
        (false, true) => Some('|'),
        (false, false) => None,
    };
    for row in rows {
        let number = match row.lines {
            Some((first, last)) if first == last => first.to_string(),
            Some((first, last)) => format!("{first}-{last}"),
            None => String::new(),
        };
        match separator.filter(|_| row.lines.is_some()) {
            Some(separator) => shown.push_str(&format!("{number}{separator}{}\n", row.text)),
            None => shown.push_str(&format!("{}\n", row.text)),
        }
    }
    let elided = summary.elided_lines();
    shown.push_str(&format!(
        "\n[{elided} lines elided; read the ranges you need, e.g. {}:{}]",
        target.shown(),
        ranges(summary)
    ));
    let facts = json!({
        "lines": summary.lines - elided,
        "elidedSpans": summary.elided.len(),
        "elidedLines": elided,
    });
    ToolOutput::text(shown).with_details(target.details().with("summary", facts).finish(&target.meta()))
}

/// The first spans, as a selector.
fn ranges(summary: &Summary) -> String {
    let range = |one: &outline::Elided| format!("{}-{}", one.first, one.last);
    summary.elided.iter().take(RANGES).map(range).collect::<Vec<_>>().join(",")
}
