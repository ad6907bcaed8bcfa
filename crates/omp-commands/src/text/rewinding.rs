//! `/rewind` and `/redo` in words.

use std::path::Path;
use std::sync::Arc;

use omp_sdk::{Arrival, OtherChanges, RestoredFiles, RewindError, RewindPoint, RewindWhat, Rewound, Session};

use crate::answer::{Answer, Columns};

const USAGE: &str = "Usage: /rewind [list | <number> [both|conversation|files] [all] | on | off | clear]";
/// Files that are named at most.
const MOST_NAMED: usize = 30;
/// So much of a prompt is shown.
const SHOWN: usize = 100;

/// `/rewind`
pub(crate) async fn rewind(session: &Arc<Session>, arguments: &str) -> Answer {
    let words: Vec<&str> = arguments.split_whitespace().collect();
    let answered = match words.as_slice() {
        [] | ["list"] => list(session).await,
        ["on"] => switch(session, true).await,
        ["off"] => switch(session, false).await,
        ["clear"] => clear(session).await,
        [number, rest @ ..] => match wish(rest) {
            Some((what, others)) => go_back(session, number, what, others).await,
            None => Ok(Answer::refused(USAGE)),
        },
    };
    answered.unwrap_or_else(Answer::refused)
}

/// `/redo`
pub(crate) async fn redo(session: &Arc<Session>, arguments: &str) -> Answer {
    let others = match arguments {
        "" => OtherChanges::Stay,
        "all" => OtherChanges::Restored,
        _ => return Answer::refused("Usage: /redo [all]"),
    };
    match session.file_history().redo(others).await {
        Ok(rewound) => told(session, rewound, "Undid the last /rewind", "/redo all"),
        Err(error) => Answer::refused(error),
    }
}

fn wish(words: &[&str]) -> Option<(RewindWhat, OtherChanges)> {
    let (words, others) = match words {
        [words @ .., "all"] => (words, OtherChanges::Restored),
        words => (words, OtherChanges::Stay),
    };
    let what = match words {
        [] | ["both"] => RewindWhat::Both,
        ["conversation"] => RewindWhat::Conversation,
        ["files"] => RewindWhat::Files,
        _ => return None,
    };
    Some((what, others))
}

async fn list(session: &Session) -> Result<Answer, RewindError> {
    let points = session.file_history().points().await?;
    if points.is_empty() {
        return Ok(Answer::refused("Nothing to rewind to yet"));
    }
    let row = |(place, point): (usize, &RewindPoint)| {
        let files = match point.files {
            None => "no checkpoint".to_owned(),
            Some(0) => "no files".to_owned(),
            Some(1) => "1 file".to_owned(),
            Some(files) => format!("{files} files"),
        };
        (format!("{}  {files}", place + 1), line(&point.text))
    };
    let rows = points.iter().enumerate().map(row).collect();
    let title = match session.file_history().is_on().await {
        Ok(true) => {
            let kept = session.file_history().bytes().await?;
            format!("Prompts, and the files a rewind would change ({} KB kept)", kept / 1024)
        }
        Ok(false) => "Prompts. File history is off: turn it on with /rewind on".to_owned(),
        Err(reason) => format!("Prompts. {reason}"),
    };
    Ok(Answer::Table(Columns::new(title, rows)))
}

async fn switch(session: &Session, on: bool) -> Result<Answer, RewindError> {
    session.file_history().set_on(on).await?;
    Ok(Answer::Text(match on {
        true => "File history on for this session".to_owned(),
        false => "File history off for this session; existing checkpoints are kept. \
                  For all sessions: omp config set fileHistory.enabled false"
            .to_owned(),
    }))
}

async fn clear(session: &Session) -> Result<Answer, RewindError> {
    let checkpoints = session.file_history().clear().await?;
    Ok(Answer::Text(match checkpoints {
        0 => "No checkpoints to clear".to_owned(),
        1 => "1 checkpoint cleared; files unchanged".to_owned(),
        many => format!("{many} checkpoints cleared; files unchanged"),
    }))
}

async fn go_back(
    session: &Session,
    number: &str,
    what: RewindWhat,
    others: OtherChanges,
) -> Result<Answer, RewindError> {
    let prompts = session.tree().prompts().await;
    let place = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let by_number = place.and_then(|place| prompts.get(place));
    let Some((entry, text)) = by_number.or_else(|| prompts.iter().find(|(entry, _)| entry == number)) else {
        return Ok(Answer::Refused(format!("no prompt {number} (see: /rewind list). {USAGE}")));
    };
    let rewound = session.file_history().rewind(entry, what, others).await?;
    let done = format!("Rewound to before: {}", line(text));
    let again = format!("/rewind {number} files all");
    Ok(told(session, rewound, &done, &again))
}

/// What came of it, with the words for bringing back the rest.
fn told(session: &Session, rewound: Rewound, done: &str, again: &str) -> Answer {
    let text =
        [done.to_owned(), report(&rewound.files, &session.cwd(), again)].join("\n").trim_end().to_owned();
    match rewound.moved {
        Some(moved) => Answer::Arrived(Arrival { prompt: moved.prefill, ..Arrival::default() }, text),
        None => Answer::Text(text),
    }
}

/// What happened to files, in lines.
pub fn report(files: &RestoredFiles, cwd: &Path, again: &str) -> String {
    let shown = |path: &Path| path.strip_prefix(cwd).unwrap_or(path).display().to_string();
    let mut lines: Vec<String> =
        files.done.iter().map(|(path, action)| format!("  {action}  {}", shown(path))).collect();
    shorten(&mut lines);
    if files.done.is_empty() && files.failed.is_empty() {
        lines.push("No files changed".to_owned());
    }
    let failed = |(path, reason): &(_, String)| {
        format!("  failed  {}: {reason}", shown(std::path::PathBuf::as_path(path)))
    };
    lines.extend(files.failed.iter().map(failed));
    if !files.left.is_empty() {
        lines.push(format!("Skipped, changed outside this session ({again} restores them too):"));
        let mut left: Vec<String> = files.left.iter().map(|path| format!("  {}", shown(path))).collect();
        shorten(&mut left);
        lines.extend(left);
    }
    if !files.unprotected.is_empty() {
        lines.push("Not tracked, left unchanged:".to_owned());
        let named = files.unprotected.iter().map(|one| format!("  {} ({})", shown(&one.path), one.why));
        let mut named: Vec<String> = named.collect();
        shorten(&mut named);
        lines.extend(named);
    }
    lines.join("\n")
}

fn shorten(lines: &mut Vec<String>) {
    let more = lines.len().saturating_sub(MOST_NAMED);
    if more > 0 {
        lines.truncate(MOST_NAMED);
        lines.push(format!("  and {more} more"));
    }
}

/// A prompt in one line.
fn line(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}
