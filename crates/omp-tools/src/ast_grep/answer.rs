//! Matches as text: one page, with what edits need.

use omp_syntax::pattern::Match;
use omp_types::ToolOutput;
use serde_json::{Value, json};

use super::{Hit, PAGE};
use crate::Context;
use crate::output::{Details, Meta, Source, cap};
use crate::structure::issues_note;

/// Lines shown of one match.
const LINES: usize = 30;
/// Characters shown of a line, and of what a name stood for.
const COLUMNS: usize = 512;
const CAPTURE: usize = 120;

/// What is said about a finished search.
pub(super) struct Answer<'a> {
    pub(super) context: &'a Context,
    pub(super) scope: &'a str,
    pub(super) hits: Vec<Hit>,
    pub(super) issues: Vec<String>,
    /// About the paths.
    pub(super) notes: Vec<String>,
    /// How many files were looked at.
    pub(super) files: usize,
    pub(super) skip: usize,
}

impl Answer<'_> {
    pub(super) fn output(&self) -> ToolOutput {
        let page = self.page();
        let total: usize = self.hits.iter().map(|hit| hit.matches.len()).sum();
        let limited = total > self.skip + PAGE;
        let mut parts: Vec<String> = page.iter().map(|(hit, matches)| self.file(hit, matches)).collect();
        if parts.is_empty() {
            parts.push(match total {
                0 => "No matches found".to_owned(),
                total => format!("No more matches ({total} in total)."),
            });
        }
        if limited {
            parts.push("Result limit reached; narrow paths or increase limit.".to_owned());
        }
        parts.extend(self.notes.iter().cloned());
        parts.extend(issues_note(&self.issues));
        let (text, truncation) = cap(parts.join("\n\n"));
        let meta = Meta { source: Some(Source::Path(self.scope.to_owned())), truncation, ..Meta::default() };
        let output = ToolOutput::text(text).with_details(self.details(&page, limited).finish(&meta));
        if total == 0 { output.uneventful() } else { output }
    }

    /// The files of this page with their matches.
    fn page(&self) -> Vec<(&Hit, &[Match])> {
        let (mut skip, mut room) = (self.skip, PAGE);
        let mut page = Vec::new();
        for hit in &self.hits {
            let passed = skip.min(hit.matches.len());
            skip -= passed;
            let rest = &hit.matches[passed..];
            let rest = &rest[..rest.len().min(room)];
            room -= rest.len();
            if !rest.is_empty() {
                page.push((hit, rest));
            }
        }
        page
    }

    fn file(&self, hit: &Hit, matches: &[Match]) -> String {
        let lines: Vec<&str> = hit.document.text().lines().collect();
        let (label, anchors) = (self.context.base().display(&hit.path), self.context.shows_anchors());
        let separator = if anchors { ':' } else { '|' };
        let mut rows = Vec::new();
        let mut seen = Vec::new();
        for one in matches {
            let (first, last) = one.lines;
            for line in first..=last.min(first + LINES - 1) {
                let text = lines.get(line - 1).copied().unwrap_or_default();
                let mark = if line == first { '*' } else { ' ' };
                let (shown, whole) = cut(text, COLUMNS);
                rows.push(format!("{mark}{line}{separator}{shown}"));
                seen.extend(whole.then_some((line, line)));
            }
            if last >= first + LINES {
                rows.push(" …".to_owned());
            }
            rows.extend(captures(one));
        }
        let header = match anchors {
            true => format!("[{label}#{}]", self.context.seen.record(&hit.path, hit.document.text(), &seen)),
            false => format!("# {label}"),
        };
        format!("{header}\n{}", rows.join("\n"))
    }

    fn details(&self, page: &[(&Hit, &[Match])], limited: bool) -> Details {
        let label = |hit: &Hit| self.context.base().display(&hit.path);
        let files: Vec<String> = page.iter().map(|(hit, _)| label(hit)).collect();
        let each: Vec<Value> =
            page.iter().map(|(hit, matches)| json!({ "path": label(hit), "count": matches.len() })).collect();
        let mut details = Details::default()
            .with("matchCount", page.iter().map(|(_, matches)| matches.len()).sum::<usize>())
            .with("fileCount", page.len())
            .with("filesSearched", self.files)
            .with("limitReached", limited)
            .with("scopePath", self.scope);
        if !self.issues.is_empty() {
            details = details.with("parseErrors", self.issues.clone());
        }
        if !page.is_empty() {
            details = details.with("files", files).with("fileMatches", each);
        }
        details
    }
}

/// What the names of the pattern stood for.
fn captures(one: &Match) -> Option<String> {
    let each = one.captures.iter().map(|(name, value)| {
        let flat = value.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("{name}={}", cut(&flat, CAPTURE).0)
    });
    let each: Vec<String> = each.collect();
    (!each.is_empty()).then(|| format!("  meta: {}", each.join(", ")))
}

/// The start of a line, and whether that is all of it.
fn cut(text: &str, most: usize) -> (String, bool) {
    match text.char_indices().nth(most) {
        Some((end, _)) => (format!("{}…", &text[..end]), false),
        None => (text.to_owned(), true),
    }
}
