//! Files that may still refer to a path that was renamed: those that contain its name as a word.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use omp_workspace::grep::{Query, Style};
use omp_workspace::walk::{End, Options, WalkEntry, walk};

use super::call::Call;
use crate::Context;

/// How long files are looked through.
const TIME: Duration = Duration::from_secs(2);
/// Files with the word after which looking ends.
const MOST: usize = 1_000;
/// Files that are named.
const SHOWN: usize = 10;
/// Names of files that say nothing; what refers to them names their directory.
const NAMELESS: [&str; 4] = ["index", "mod", "__init__", "__main__"];

/// Files with the word, in the order of their names.
struct Mentions {
    files: Vec<PathBuf>,
    /// Everything was looked through.
    complete: bool,
}

/// A row about the files that mention what was renamed; `None` for a name that cannot be looked for.
pub(super) async fn tell(call: &Call<'_>, from: &Path, to: &Path) -> Option<String> {
    let word = word(from)?;
    let (context, looked_for) = (Arc::clone(call.context), word.clone());
    let (from, to, cancel) = (from.to_owned(), to.to_owned(), call.limit.cancel.clone());
    let work = move || find(&context, &looked_for, &[&from, &to], &|| cancel.is_cancelled());
    let Mentions { files, complete } = tokio::task::spawn_blocking(work).await.ok()??;
    let shown: Vec<String> = files.iter().take(SHOWN).map(|file| call.shown(file)).collect();
    let rest = match files.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let at_least = if complete { "" } else { "At least " };
    Some(match files.len() {
        0 if complete => format!("No other file contains the word \"{word}\"."),
        0 => return None,
        1 => format!(
            "{at_least}1 file contains the word \"{word}\" and may refer to the old path: {}",
            shown[0]
        ),
        count => format!(
            "{at_least}{count} files contain the word \"{word}\" and may refer to the old path: {}{rest}",
            shown.join(", ")
        ),
    })
}

/// The word by which others refer to a path.
fn word(path: &Path) -> Option<String> {
    let stem = path.file_stem()?.to_str()?;
    let word = match NAMELESS.contains(&stem) {
        true => path.parent()?.file_name()?.to_str()?,
        false => stem,
    };
    Some(word.to_owned())
}

/// The files of the project that contain the word, but for those at or below `except`.
fn find(
    context: &Context,
    word: &str,
    except: &[&Path],
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Option<Mentions> {
    let style = Style { ignore_case: false, before: 0, after: 0, limit: 1 };
    let query = Query::new(&format!(r"(?:^|\W){}(?:$|\W)", escaped(word)), style).ok()?;
    let deadline = Instant::now() + TIME;
    let files = Mutex::new(Vec::new());
    let full = AtomicBool::new(false);
    let stop = || cancelled() || full.load(Ordering::Relaxed) || Instant::now() >= deadline;
    let options = Options {
        hidden: false,
        gitignore: true,
        deadline: Some(deadline),
        entries: u64::MAX,
        cancelled: &stop,
    };
    let check = context.borders.walk(&context.cwd);
    let visit = |entry: &WalkEntry| {
        let path = entry.path();
        if !entry.is_file() || except.iter().any(|moved| path.starts_with(moved)) || stop() {
            return;
        }
        // A file that cannot or must not be read mentions nothing.
        let found = check.open(path).and_then(|file| query.opened(&file, &[], &stop));
        if found.is_ok_and(|found| found.matches > 0) {
            let mut files = files.lock().unwrap_or_else(PoisonError::into_inner);
            files.push(path.to_owned());
            full.store(files.len() >= MOST, Ordering::Relaxed);
        }
    };
    let end = walk(&context.cwd, &options, &visit);
    let complete = end == End::Complete && !stop();
    let mut files = files.into_inner().unwrap_or_else(PoisonError::into_inner);
    files.sort();
    Some(Mentions { files, complete })
}

/// The word as a pattern.
fn escaped(word: &str) -> String {
    let escape = |character: char| match character.is_ascii_punctuation() {
        true => format!("\\{character}"),
        false => character.to_string(),
    };
    word.chars().map(escape).collect()
}
