//! The row that turns while something goes on.

use std::time::Duration;

use omp_theme::{Spinner, Token};
use omp_tui::text::Line;

use crate::Look;

/// What goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Activity {
    /// The model or its tools work.
    Working(String),
    /// The conversation is being summarised.
    Compacting,
    /// A failed request waits for its next try.
    Retrying {
        /// Which try comes next.
        attempt: u32,
        /// How many there are.
        attempts: u32,
        /// The time until then.
        wait: Duration,
    },
}

/// The row of an activity that has gone on for `running`. `interrupt_key` stops it.
pub fn row(look: &Look, activity: &Activity, running: Duration, interrupt_key: &str) -> Line {
    let frames = look.theme.spinner(Spinner::Status);
    let mut line = Line::styled(look.fg(Token::Accent), Spinner::Status.frame(frames, running));
    let text = match activity {
        Activity::Working(what) => what.clone(),
        Activity::Compacting => "Compacting the conversation".to_owned(),
        Activity::Retrying { attempt, attempts, wait } => {
            let left = wait.saturating_sub(running).as_secs_f64().ceil();
            format!("Retrying ({attempt} of {attempts}) in {left}s")
        }
    };
    line.push(look.fg(Token::Muted), &format!(" {text}"));
    let seconds = running.as_secs();
    let time = if seconds > 0 { format!("{seconds}s{}", look.dot()) } else { String::new() };
    line.push(look.fg(Token::Dim), &format!(" ({time}{interrupt_key} to stop)"));
    look.shortened(&line, look.width)
}
