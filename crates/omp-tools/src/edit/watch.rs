//! A look at edits that are still being written: a call that can only fail is stopped.
//!
//! The loop asks between two pieces of the stream and must not wait, so files are loaded beside it; until one is
//! there, nothing is said about it.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use omp_agent::Inspection;
use omp_edits::hashline::{File, NoSyntax, Operation, Patch, Patcher, parse_partial};
use omp_edits::patch::{
    Fuzzy, Hunk, HunkLine, MatchError, Matcher, Occurrences, Started, apply, parse_envelope_start,
    parse_hunks_start, replace,
};
use serde_json::{Map, Value};

use super::mode::EditMode;
use super::target::Target;
use crate::{Context, generated};

/// Longer arguments are not looked at: each look reads them from the start.
const MAX_BYTES: usize = 256 * 1024;
/// So much of what was seen tells one call from the next.
const TAIL: usize = 64;

/// Watches one call after the other.
pub(super) struct Watch {
    context: Arc<Context>,
    state: Arc<Mutex<WatchState>>,
}

#[derive(Default)]
struct WatchState {
    /// How far the call was when it was looked at last.
    progress: usize,
    /// How much of the call's text was seen, and its end.
    seen: usize,
    tail: String,
    /// By the path as it is typed. `None` while it is being loaded.
    files: HashMap<String, Option<Loaded>>,
    /// A file was loaded since the last verdict.
    dirty: bool,
}

/// A file as it is on disk.
enum Loaded {
    /// Not there or not readable: the call itself will tell.
    Unknown,
    /// It must not be changed.
    Refused(String),
    Text {
        key: String,
        shown: String,
        text: String,
    },
}

/// A file that may be changed.
#[derive(Clone, Copy)]
struct Known<'a> {
    key: &'a str,
    shown: &'a str,
    text: &'a str,
}

impl Watch {
    pub(super) fn new(context: Arc<Context>) -> Self {
        Self { context, state: Arc::default() }
    }

    /// The call is over.
    pub(super) fn forget(&self) {
        *self.state() = WatchState::default();
    }

    /// Says whether the call can still succeed.
    pub(super) fn look(&self, partial: &Map<String, Value>) -> Inspection {
        let settings = &self.context.settings;
        if !settings.edit.block_generated && !settings.edit.streaming_abort {
            return Inspection::GoOn;
        }
        let too_long = |value: &Value| value.as_str().is_some_and(|text| text.len() > MAX_BYTES);
        if partial.values().any(too_long) {
            return Inspection::GoOn;
        }
        let written = Written::of(settings.edit.mode, partial);
        if written.progress > MAX_BYTES || !self.advance(&written) {
            return Inspection::GoOn;
        }
        match self.verdict(&written) {
            Some(reason) => {
                self.forget();
                Inspection::Stop(reason)
            }
            None => Inspection::GoOn,
        }
    }

    fn state(&self) -> MutexGuard<'_, WatchState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what is new, and says whether a verdict could differ from the last one.
    fn advance(&self, written: &Written<'_>) -> bool {
        let mut state = self.state();
        let before = written.text.get(..state.seen);
        if written.progress < state.progress || !before.is_some_and(|before| before.ends_with(&state.tail)) {
            *state = WatchState::default();
        }
        let grown = written.progress > state.progress;
        state.progress = written.progress;
        state.seen = written.text.len();
        let start = (0..=state.seen.saturating_sub(TAIL)).rev().find(|at| written.text.is_char_boundary(*at));
        state.tail = written.text[start.unwrap_or(0)..].to_owned();
        if !std::mem::take(&mut state.dirty) && !grown {
            return false;
        }
        for path in &written.paths {
            if !state.files.contains_key(*path) {
                state.files.insert((*path).to_owned(), None);
                self.load((*path).to_owned());
            }
        }
        true
    }

    /// Reads a file where that holds up nobody.
    fn load(&self, typed: String) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let (context, state) = (self.context.clone(), self.state.clone());
        runtime.spawn_blocking(move || {
            let loaded = Loaded::of(&context, &typed);
            let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(place) = state.files.get_mut(&typed) {
                *place = Some(loaded);
                state.dirty = true;
            }
        });
    }

    fn verdict(&self, written: &Written<'_>) -> Option<String> {
        let state = self.state();
        let files = || written.paths.iter().filter_map(|path| state.files.get(*path)?.as_ref());
        let refused = files().find_map(|file| match file {
            Loaded::Refused(reason) => Some(reason.clone()),
            _ => None,
        });
        if refused.is_some() || !self.context.settings.edit.streaming_abort {
            return refused;
        }
        let text = |typed: &str| match state.files.get(typed)?.as_ref()? {
            Loaded::Text { key, shown, text } => Some(Known { key, shown, text }),
            _ => None,
        };
        match self.context.settings.edit.mode {
            EditMode::Hashline => self.check_lines(&written.text[..written.progress], &text),
            EditMode::ApplyPatch => {
                let files = parse_envelope_start(written.text).ok()?;
                let mut known = HashSet::new();
                // A file that is named again is meant as the first section leaves it, which is not known here.
                let mut first = files.iter().filter(|(path, _)| known.insert(path.as_str()));
                first.find_map(|(path, started)| self.check_hunks(text(path)?, started))
            }
            EditMode::Patch => {
                let first = written.arguments.get("edits")?.get(0)?;
                let diff = first.get("diff").and_then(Value::as_str)?;
                let updates = first.get("op").is_none_or(|op| op == "update");
                let started = parse_hunks_start(diff).ok().filter(|_| updates)?;
                self.check_hunks(text(written.paths.first()?)?, &started)
            }
            EditMode::Replace => {
                let old = written.complete("old_string")?;
                let Known { shown, text, .. } = text(written.paths.first()?)?;
                let matcher = self.matcher();
                not_found(shown, &replace(text, old, "", Occurrences::All, &matcher).err()?)
            }
        }
    }

    fn matcher(&self) -> Matcher {
        Matcher { fuzzy: self.context.settings.edit.fuzzy }
    }

    /// Hunks that are complete must fit; of the last one what is there so far, unless it may yet fit nearly.
    fn check_hunks(&self, Known { shown, text, .. }: Known<'_>, started: &Started) -> Option<String> {
        let matcher = self.matcher();
        if let Err(error) = apply(text, &started.complete, &matcher) {
            return Some(stopped(shown, &error.to_string()));
        }
        let open = started.open.as_ref().filter(|open| matcher.fuzzy == Fuzzy::Off && has_turned(open))?;
        not_found(shown, &apply(text, std::slice::from_ref(open), &matcher).err()?)
    }

    /// Lines by number: the tag must be known and the lines must be there. Blocks are left to the call itself.
    fn check_lines<'a>(&self, input: &str, text: &dyn Fn(&str) -> Option<Known<'a>>) -> Option<String> {
        let Patch { sections, .. } = parse_partial(input, &self.context.cwd);
        let patcher =
            Patcher { syntax: &NoSyntax, enforce_seen: self.context.settings.edit.enforce_seen_lines };
        sections.into_iter().find_map(|mut section| {
            let Known { key, text, .. } = text(&section.path)?;
            section.hunks.retain(|hunk| !is_block(hunk.operation));
            let file = File { key, text };
            let planned = patcher.plan(&section, file, &mut self.context.seen.snapshots());
            planned.err().map(|error| error.to_string())
        })
    }
}

fn is_block(operation: Operation) -> bool {
    use Operation::{DeleteBlock, InsertAfterBlock, SwapBlock};
    matches!(operation, SwapBlock { .. } | DeleteBlock { .. } | InsertAfterBlock { .. })
}

/// Did removed lines end and added ones begin?
fn has_turned(hunk: &Hunk) -> bool {
    let removed = hunk.rows.iter().position(|row| matches!(row, HunkLine::Remove(_)));
    removed.is_some_and(|removed| hunk.rows[removed..].iter().any(|row| matches!(row, HunkLine::Add(_))))
}

/// Other mistakes than this one can still be put right by what follows.
fn not_found(shown: &str, error: &MatchError) -> Option<String> {
    matches!(error, MatchError::NotFound { .. }).then(|| stopped(shown, &error.to_string()))
}

fn stopped(shown: &str, error: &str) -> String {
    format!("{shown} was not changed; the call was stopped early: {error}")
}

impl Loaded {
    fn of(context: &Context, typed: &str) -> Self {
        let Ok(Some(target)) = Target::at(context, typed) else { return Self::Unknown };
        match generated::refuse(context, target.path(), target.document.text()) {
            Err(refusal) => Self::Refused(refusal.message),
            Ok(()) => {
                let text = target.document.text().to_owned();
                Self::Text { key: target.key, shown: target.shown, text }
            }
        }
    }
}

/// What is there of a call's arguments.
struct Written<'a> {
    arguments: &'a Map<String, Value>,
    /// Its beginning stays the same as long as it is the same call.
    text: &'a str,
    /// Grows when there is something new to judge: a whole hunk, a whole line, or another parameter.
    progress: usize,
    /// Files whose names are complete.
    paths: Vec<&'a str>,
}

impl<'a> Written<'a> {
    fn of(mode: EditMode, arguments: &'a Map<String, Value>) -> Self {
        let string = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
        let whole_lines = |text: &str| text.rfind('\n').map_or(0, |end| end + 1);
        let (text, progress) = match mode {
            EditMode::Hashline => (string("input"), whole_hunks(string("input"))),
            EditMode::ApplyPatch => (string("input"), whole_lines(string("input"))),
            EditMode::Replace => (string("path"), arguments.len()),
            EditMode::Patch => {
                let first = arguments.get("edits").and_then(|edits| edits.get(0)?.get("diff")?.as_str());
                (string("path"), arguments.len() + first.map_or(0, whole_lines))
            }
        };
        let mut written = Self { arguments, text, progress, paths: Vec::new() };
        let lines = || text[..progress.min(text.len())].lines();
        written.paths = match mode {
            EditMode::Hashline => lines().filter_map(tagged).collect(),
            EditMode::ApplyPatch => lines().filter_map(updated).collect(),
            EditMode::Patch | EditMode::Replace => written.complete("path").into_iter().collect(),
        };
        written
    }

    /// A parameter behind which another one began.
    fn complete(&self, name: &str) -> Option<&'a str> {
        let last = self.arguments.keys().next_back()?;
        self.arguments.get(name).filter(|_| last != name).and_then(Value::as_str)
    }
}

/// Where the last header begins: all before it is complete, and each line more of its body says nothing new.
fn whole_hunks(input: &str) -> usize {
    let is_header = |line: &str| ["SWAP", "DEL", "INS", "["].iter().any(|word| line.starts_with(word));
    let mut start = 0;
    let mut last = 0;
    for line in input.split_inclusive('\n') {
        last = if is_header(line) { start } else { last };
        start += line.len();
    }
    last
}

/// The path of `[PATH#TAG]`.
fn tagged(line: &str) -> Option<&str> {
    let inner = line.trim_end().strip_prefix('[')?.strip_suffix(']')?;
    Some(inner.rsplit_once('#')?.0.trim_matches('"'))
}

/// The path of `*** Update File: PATH` and `*** Delete File: PATH`.
fn updated(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("*** ")?;
    let path = rest.strip_prefix("Update File:").or_else(|| rest.strip_prefix("Delete File:"))?;
    Some(path.trim().trim_matches('"'))
}
