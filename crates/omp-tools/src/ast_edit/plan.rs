//! What a structural edit would change.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use omp_agent::ToolError;
use omp_edits::hashline::Change;
use omp_syntax::pattern::{Pattern, Replacement, Rule, Source};
use omp_syntax::{Bounds, Language, parses};
use tokio_util::sync::CancellationToken;

use super::Operation;
use crate::Context;
use crate::edit::Rewrite;
use crate::resources::InternalUrl;
use crate::structure::{Loaded, NO_CODE, Targets, load, look, too_large};

/// A run over all files.
#[derive(Default)]
pub(super) struct Plan {
    pub(super) files: Vec<FilePlan>,
    /// How many files were looked at.
    pub(super) searched: usize,
    /// There are more files than one edit may change.
    pub(super) limited: bool,
    pub(super) issues: Vec<String>,
    /// About the paths.
    pub(super) notes: Vec<String>,
}

/// The changes of one file.
pub(super) struct FilePlan {
    pub(super) path: PathBuf,
    pub(super) old: String,
    pub(super) replacements: Vec<Replacement>,
    /// The new text has syntax errors.
    breaks: bool,
}

/// What a preview promised about a file: what would be replaced by what. Where it stands does not matter.
#[derive(PartialEq, Eq)]
pub(super) struct Promise {
    path: PathBuf,
    count: usize,
    code: u64,
}

/// What became of a file that was looked at.
enum Looked {
    Changes(FilePlan),
    Issue(String),
    Overlap(String),
}

impl Plan {
    pub(super) fn make(
        context: &Context,
        operations: &[Operation],
        paths: &[String],
        cancel: &CancellationToken,
    ) -> Result<Self, ToolError> {
        for url in paths.iter().map(|path| path.trim()).filter(|path| InternalUrl::parse(path).is_some()) {
            context.file_to_change(url)?;
        }
        let targets = Targets::find(context, paths, cancel)?;
        let mut plan = Self { notes: targets.notes(), ..Self::default() };
        let Some(language) = one_language(context, &targets.files)? else {
            plan.notes.push(NO_CODE.to_owned());
            return Ok(plan);
        };
        let rules = plan.rules(operations, language)?;
        let most = context.settings.ast_max_files;
        let one = |path: &Path| look_at(context, path, &rules, cancel);
        let count = |looked: &[Looked]| looked.iter().filter(|one| matches!(one, Looked::Changes(_))).count();
        let (looked, searched) = look(&targets.files, cancel, &one, |looked| count(looked) > most);
        if cancel.is_cancelled() {
            return Err(ToolError::new("Operation aborted"));
        }
        plan.searched = searched;
        for one in looked {
            match one {
                Looked::Changes(file) => plan.files.push(file),
                Looked::Issue(issue) => plan.issues.push(issue),
                Looked::Overlap(message) => return Err(ToolError::new(message)),
            }
        }
        plan.limited = plan.files.len() > most;
        plan.files.truncate(most);
        let broken =
            plan.files.iter().filter(|file| file.breaks).map(|file| context.base().display(&file.path));
        plan.issues.extend(broken.map(|shown| format!("{shown}: syntax errors after the change")));
        Ok(plan)
    }

    /// The operations in a language. A pattern that is invalid there is an issue; a replacement that would lose code is
    /// a mistake.
    fn rules(&mut self, operations: &[Operation], language: Language) -> Result<Vec<Rule>, ToolError> {
        let mut rules = Vec::new();
        for operation in operations {
            let typed = operation.pat.trim();
            match Pattern::new(&operation.pat, language) {
                Ok(pattern) => {
                    let rule = Rule::new(pattern, &operation.out, language);
                    let out = &operation.out;
                    rules.push(rule.map_err(|error| {
                        ToolError::new(format!("`out` `{out}` does not match `pat` `{typed}`: {error}."))
                    })?);
                }
                Err(error) => self.issues.push(format!("{}: `{typed}`: {error}", language.name())),
            }
        }
        Ok(rules)
    }

    /// What a preview and its application must agree on.
    pub(super) fn promises(&self) -> Vec<Promise> {
        self.files.iter().map(FilePlan::promise).collect()
    }

    pub(super) fn total(&self) -> usize {
        self.files.iter().map(|file| file.replacements.len()).sum()
    }
}

/// The language of all files that have one.
fn one_language(context: &Context, files: &[PathBuf]) -> Result<Option<Language>, ToolError> {
    let mut languages: Vec<Language> = Vec::new();
    for path in files {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let by_name = Language::of_path(&name, "");
        let found = match path.extension() {
            Some(_) => by_name,
            None => by_name.or_else(|| match load(context, path)? {
                Loaded::Code(_, language) => Some(language),
                Loaded::TooLarge => None,
            }),
        };
        languages.extend(found.filter(|language| !languages.contains(language)));
    }
    if languages.len() > 1 {
        let names: BTreeSet<&str> = languages.iter().map(|language| language.name()).collect();
        let names: Vec<&str> = names.into_iter().collect();
        return Err(ToolError::new(format!(
            "The paths contain files in several languages ({}). Narrow them to one language, e.g. with the \
             glob src/**/*.ts.",
            names.join(", ")
        )));
    }
    Ok(languages.first().copied())
}

fn look_at(context: &Context, path: &Path, rules: &[Rule], cancel: &CancellationToken) -> Option<Looked> {
    let shown = || context.base().display(path);
    let (document, language) = match load(context, path)? {
        Loaded::Code(document, language) => (document, language),
        Loaded::TooLarge => return Some(Looked::Issue(too_large(&shown()))),
    };
    if !rules.iter().any(|rule| rule.may_match(document.text())) {
        return None;
    }
    let bounds = Bounds { stop: &|| cancel.is_cancelled() };
    let Some(source) = Source::parse(document.text(), language, bounds) else {
        return Some(Looked::Issue(format!("{}: nested too deeply; skipped", shown())));
    };
    if source.has_error() {
        return Some(Looked::Issue(format!("{}: syntax errors; skipped", shown())));
    }
    match source.rewrite(rules) {
        Ok(replacements) if replacements.is_empty() => None,
        Ok(replacements) => {
            let old = document.text().to_owned();
            let mut file = FilePlan { path: path.to_owned(), old, replacements, breaks: false };
            file.breaks = parses(&file.new_text(), language, bounds) == Some(false);
            Some(Looked::Changes(file))
        }
        Err(overlap) => Some(Looked::Overlap(format!("{overlap}: {}", shown()))),
    }
}

impl FilePlan {
    /// The replacements with their lines, counted from one.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (usize, &Replacement)> {
        let (mut line, mut at) = (1, 0);
        self.replacements.iter().map(move |one| {
            line += self.old[at..one.range.start].matches('\n').count();
            at = one.range.start;
            (line, one)
        })
    }

    fn promise(&self) -> Promise {
        let mut code = DefaultHasher::new();
        for one in &self.replacements {
            (&self.old[one.range.clone()], &one.inserted).hash(&mut code);
        }
        Promise { path: self.path.clone(), count: self.replacements.len(), code: code.finish() }
    }

    pub(super) fn rewrite(self) -> Rewrite {
        let (new, changes) = (self.new_text(), self.changes());
        Rewrite { path: self.path, old: self.old, new, changes }
    }

    fn new_text(&self) -> String {
        let mut new = String::with_capacity(self.old.len());
        let mut at = 0;
        for one in &self.replacements {
            new.push_str(&self.old[at..one.range.start]);
            new.push_str(&one.inserted);
            at = one.range.end;
        }
        new.push_str(&self.old[at..]);
        // A file keeps the way it ends, also when its last line goes.
        if !self.old.ends_with('\n') && new.ends_with('\n') {
            new.pop();
        }
        new
    }

    /// The replacements as changes of whole lines: those that share a line become one.
    fn changes(&self) -> Vec<Change> {
        let starts: Vec<usize> =
            std::iter::once(0).chain(self.old.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let row = |byte: usize| starts.partition_point(|start| *start <= byte) - 1;
        let mut changes = Vec::new();
        let mut rest = self.replacements.as_slice();
        while let Some(first) = rest.first() {
            let begin = row(first.range.start);
            let mut end = row(first.range.end.max(first.range.start + 1) - 1);
            let mut count = 1;
            while let Some(next) = rest.get(count).filter(|next| row(next.range.start) <= end) {
                end = end.max(row(next.range.end.max(next.range.start + 1) - 1));
                count += 1;
            }
            let (group, after) = rest.split_at(count);
            let span = starts[begin]..starts.get(end + 1).copied().unwrap_or(self.old.len());
            changes.push(Change {
                start: begin,
                removed: end + 1 - begin,
                inserted: self.lines(span, group),
            });
            rest = after;
        }
        changes
    }

    /// Lines of the text with replacements.
    fn lines(&self, span: std::ops::Range<usize>, replacements: &[Replacement]) -> Vec<String> {
        let mut text = String::new();
        let mut at = span.start;
        for one in replacements {
            text.push_str(&self.old[at..one.range.start]);
            text.push_str(&one.inserted);
            at = one.range.end;
        }
        text.push_str(self.old.get(at..span.end).unwrap_or_default());
        if text.is_empty() {
            return Vec::new();
        }
        text.strip_suffix('\n').unwrap_or(&text).split('\n').map(str::to_owned).collect()
    }
}
