//! What `ast_grep` and `ast_edit` share: which files a call means, and how their texts are read.

mod paths;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use omp_syntax::pattern::{Pattern, PatternError};
use omp_syntax::{Language, MAX_BYTES};
use omp_workspace::document::Document;
use omp_workspace::open::OpenedPath;
use omp_workspace::sniff::{self, FileKind};
use tokio_util::sync::CancellationToken;

use crate::Context;

pub(crate) use paths::Targets;

/// Lines about what could not be parsed.
const MAX_ISSUES: usize = 20;
/// What a model should know before it believes that there is nothing.
pub(crate) const NO_CODE: &str = "[No files were searched: the paths contain no code in a supported \
                                  language. `*` does not cross directories, `**` does]";
/// Files looked at before it is asked whether that is enough.
const CHUNK: usize = 64;

/// A file as patterns see it.
pub(crate) enum Loaded {
    Code(Document, Language),
    /// Its language is known, but no text of that size is parsed.
    TooLarge,
}

/// The text of a file in a language that we know; `None` for all others, and for what cannot be read.
pub(crate) fn load(context: &Context, path: &Path) -> Option<Loaded> {
    let Ok(OpenedPath::File(file, metadata)) = context.open(path) else { return None };
    let name = path.file_name()?.to_string_lossy();
    // Only names that say nothing are worth a look into the file.
    let known = Language::of_path(&name, "");
    if known.is_none() && path.extension().is_some() {
        return None;
    }
    if metadata.len() > MAX_BYTES as u64 {
        return known.map(|_| Loaded::TooLarge);
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES as u64).read_to_end(&mut bytes).ok()?;
    let FileKind::Text(charset) = sniff::kind(&bytes[..bytes.len().min(sniff::HEAD)]) else { return None };
    let document = Document::new(bytes, charset);
    let language = crate::syntax::language(&name, document.text())?;
    Some(Loaded::Code(document, language))
}

/// What is said about a file that is too large.
pub(crate) fn too_large(shown: &str) -> String {
    format!("{shown}: larger than {} MB; skipped", MAX_BYTES / 1024 / 1024)
}

/// Looks at files in their order, on all cores. `enough` is asked after each part of the list; what was found stays in
/// the order of the files. Returns it with the number of files that were looked at.
pub(crate) fn look<T: Send>(
    files: &[PathBuf],
    cancel: &CancellationToken,
    look: &(dyn Fn(&Path) -> Option<T> + Sync),
    mut enough: impl FnMut(&[T]) -> bool,
) -> (Vec<T>, usize) {
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let mut all = Vec::new();
    let mut looked = 0;
    for part in files.chunks(CHUNK) {
        let found = Mutex::new(BTreeMap::new());
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..threads.min(part.len()) {
                scope.spawn(|| {
                    while let Some((at, path)) = take(part, &next).filter(|_| !cancel.is_cancelled()) {
                        if let Some(one) = look(path) {
                            found.lock().unwrap_or_else(PoisonError::into_inner).insert(at, one);
                        }
                    }
                });
            }
        });
        looked += part.len();
        all.extend(found.into_inner().unwrap_or_else(PoisonError::into_inner).into_values());
        if cancel.is_cancelled() || enough(&all) {
            break;
        }
    }
    (all, looked)
}

fn take<'a>(part: &'a [PathBuf], next: &AtomicUsize) -> Option<(usize, &'a Path)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    Some((at, part.get(at)?.as_path()))
}

/// A pattern in every language it was needed in.
pub(crate) struct Patterns<'a> {
    text: &'a str,
    known: Mutex<BTreeMap<&'static str, Result<Pattern, PatternError>>>,
}

impl<'a> Patterns<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, known: Mutex::default() }
    }

    /// The pattern in a language, if it is one there.
    pub(crate) fn of(&self, language: Language) -> Option<Pattern> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let pattern = known.entry(language.name()).or_insert_with(|| Pattern::new(self.text, language));
        pattern.as_ref().ok().cloned()
    }

    /// One line for each language in which the pattern is invalid.
    pub(crate) fn issues(&self) -> Vec<String> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = known.iter().filter_map(|(language, result)| Some((language, result.as_ref().err()?)));
        failed.map(|(language, error)| format!("{language}: `{}`: {error}", self.text.trim())).collect()
    }
}

/// Problems as a note below a result, each once.
pub(crate) fn issues_note(issues: &[String]) -> Option<String> {
    let mut rows: Vec<&String> = Vec::new();
    for issue in issues {
        if !rows.contains(&issue) {
            rows.push(issue);
        }
    }
    if rows.is_empty() {
        return None;
    }
    let mut note = "Parse issues:".to_owned();
    for row in rows.iter().take(MAX_ISSUES) {
        note.push_str(&format!("\n- {row}"));
    }
    if rows.len() > MAX_ISSUES {
        note.push_str(&format!("\n- … and {} more", rows.len() - MAX_ISSUES));
    }
    Some(note)
}
