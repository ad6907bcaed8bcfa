//! The row that turns while something is in progress.

use std::time::Duration;

use omp_theme::{Spinner, Symbol, Token};
use omp_tui::text::Line;

use crate::Look;

/// What is in progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Activity {
    /// The model or its tools work.
    Working(String),
    /// The conversation is being summarised.
    Compacting,
    /// A document for a new session is being written.
    HandingOff,
    /// A failed request waits for its next try.
    Retrying {
        /// Which try comes next.
        attempt: u32,
        /// How many there are.
        attempts: u32,
        /// The time until then.
        wait: Duration,
        /// Why the last one failed.
        error: String,
    },
}

/// The row of an activity that has gone on for `running`. `interrupt_key` stops it; none, if it means something else now.
pub fn row(look: &Look, activity: &Activity, running: Duration, interrupt_key: &str) -> Line {
    // As short as people write it.
    let interrupt_key = interrupt_key.replace("Escape", "Esc");
    let frames = look.theme.spinner(Spinner::Status);
    let mut line = Line::styled(look.fg(Token::Accent), Spinner::Status.frame(frames, running));
    let (text, remark) = match activity {
        Activity::Working(what) => (what.clone(), format!("{interrupt_key} to stop")),
        Activity::Compacting => {
            ("Compacting the conversation".to_owned(), format!("{interrupt_key} to stop"))
        }
        Activity::HandingOff => {
            let more = look.symbol(Symbol::FormatEllipsis);
            (format!("Generating handoff{more}"), format!("{} to cancel", interrupt_key.to_lowercase()))
        }
        Activity::Retrying { attempt, attempts, wait, .. } => {
            let left = wait.saturating_sub(running).as_secs_f64().ceil();
            let more = look.symbol(Symbol::FormatEllipsis);
            let text = format!("Retrying ({attempt}/{attempts}) in {left}s{more}");
            (text, format!("{} to cancel", interrupt_key.to_lowercase()))
        }
    };
    line.push(look.fg(Token::Muted), &format!(" {text}"));
    let counts =
        !matches!(activity, Activity::Retrying { .. } | Activity::HandingOff) && running.as_secs() > 0;
    let time = counts.then(|| format!("{}s", running.as_secs()));
    let remark = Some(remark).filter(|_| !interrupt_key.is_empty());
    let remarks: Vec<String> = [time, remark].into_iter().flatten().collect();
    if !remarks.is_empty() {
        line.push(look.fg(Token::Dim), &format!(" ({})", remarks.join(&look.dot())));
    }
    if let Activity::Retrying { error, .. } = activity {
        let error = error.split_whitespace().collect::<Vec<_>>().join(" ");
        line.push(look.fg(Token::Warning), &format!("{}{error}", look.dot()));
    }
    look.shortened(&line, look.width)
}
