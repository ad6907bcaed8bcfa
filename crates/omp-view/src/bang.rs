//! Commands that the user runs with `!`.

use omp_theme::{Symbol, Token};
use omp_tui::text::Line;

use crate::look::behind;
use crate::preview::{Part, Preview, clamped, earlier};
use crate::tool::Expansion;
use crate::{Cached, Look};

/// Lines that a collapsed view shows.
const LINES: usize = 20;

/// Output that is kept for the expanded view; the start of what is longer is dropped.
const KEPT: usize = 1024 * 1024;

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BangState {
    /// It runs.
    Running,
    /// It ended with this code.
    Exited(i32),
    /// The user stopped it.
    Cancelled,
    /// It could not be run, or its end is not known.
    Failed(String),
}

/// A command and its output, which arrives while it runs.
#[derive(Clone, Debug)]
pub struct BangView {
    command: String,
    output: String,
    dropped: bool,
    state: BangState,
    /// How it was stopped, in its own words.
    stopped: String,
    hidden_from_model: bool,
    truncation: Option<String>,
    version: u64,
    body: Cached,
}

impl BangView {
    /// A command that begins to run.
    pub fn new(command: &str) -> Self {
        Self {
            command: command.to_owned(),
            output: String::new(),
            dropped: false,
            state: BangState::Running,
            stopped: String::new(),
            hidden_from_model: false,
            truncation: None,
            version: 0,
            body: Cached::default(),
        }
    }

    /// The model does not get to see the command.
    #[must_use]
    pub fn hidden_from_model(mut self) -> Self {
        self.hidden_from_model = true;
        self
    }

    /// Takes the output as it is now, in place of what was there: for those who hand out its end again and again.
    pub fn replace(&mut self, output: &str) {
        if self.output != output {
            self.output.clear();
            self.dropped = false;
            self.push(output);
        }
    }

    /// Takes more output.
    pub fn push(&mut self, chunk: &str) {
        self.output.push_str(chunk);
        if self.output.len() > 2 * KEPT {
            let from = self.output.ceil_char_boundary(self.output.len() - KEPT);
            let from = self.output[from..].find('\n').map_or(from, |at| from + at + 1);
            self.output.drain(..from);
            self.dropped = true;
        }
        self.version += 1;
    }

    /// Takes the end. `truncation` says why the output is short and where the rest is. What the output of a stopped command
    /// itself says about its end becomes the row that says so.
    pub fn finish(&mut self, state: BangState, truncation: Option<String>) {
        if state == BangState::Cancelled
            && let Some((start, words)) = stopped(&self.output)
        {
            self.stopped = words.to_owned();
            self.output.truncate(start);
        }
        self.state = state;
        self.truncation = truncation;
        self.version += 1;
    }

    /// The rows.
    pub fn rows(&mut self, look: &Look, expansion: Expansion) -> Vec<Line> {
        let version = self.version * 2 + u64::from(expansion == Expansion::Expanded);
        let (output, dropped) = (&self.output, self.dropped);
        let inner = look.narrower(2);
        let body = self.body.rows(look, version, || body(&inner, output, dropped, expansion));
        let blank = Line::plain("  ");
        let mut rows = self.header(look);
        rows.extend(body.iter().map(|row| behind(&blank, row).clamp(look.width)));
        rows.extend(self.ending(&inner).iter().map(|row| behind(&blank, row).clamp(look.width)));
        rows
    }

    fn header(&self, look: &Look) -> Vec<Line> {
        let mut line = Line::styled(look.bold(Token::BashMode), "! ");
        line.push(look.fg(Token::Text), &self.command.lines().collect::<Vec<_>>().join("; "));
        if self.hidden_from_model {
            line.push(look.fg(Token::Dim), &format!("{}not sent to the model", look.dot()));
        }
        line.wrap(look.width, 2)
    }

    /// Each end has a row of its own.
    fn ending(&self, look: &Look) -> Vec<Line> {
        let mut rows = Vec::new();
        if let Some(reason) = &self.truncation {
            rows.push(look.row(Token::Warning, &format!("{} {reason}", look.symbol(Symbol::StatusWarning))));
        }
        let (token, text) = match &self.state {
            BangState::Running => (Token::Dim, format!("{} running", look.symbol(Symbol::StatusRunning))),
            BangState::Exited(0) => return rows,
            BangState::Exited(code) => {
                (Token::Error, format!("{} exit {code}", look.symbol(Symbol::StatusError)))
            }
            BangState::Cancelled => {
                let how = if self.stopped.is_empty() { "cancelled" } else { &self.stopped };
                (Token::Warning, format!("{} {how}", look.symbol(Symbol::StatusAborted)))
            }
            BangState::Failed(reason) => {
                (Token::Error, format!("{} error: {reason}", look.symbol(Symbol::StatusError)))
            }
        };
        rows.extend(look.wrapped(token, &text, 2));
        rows
    }
}

/// Where the last line begins if it says how the command was stopped, and what it says: `[Command cancelled]`. Whoever shows
/// the end in words of its own leaves that line out.
pub fn stopped(output: &str) -> Option<(usize, &str)> {
    let start = output.rfind('\n').map_or(0, |at| at + 1);
    let words = output[start..].strip_prefix("[Command ")?.strip_suffix(']')?;
    Some((start, words))
}

/// The last lines of the output, or all that is kept.
fn body(look: &Look, output: &str, dropped: bool, expansion: Expansion) -> Vec<Line> {
    let output = output.trim_end_matches('\n');
    let total = if output.is_empty() { 0 } else { output.split('\n').count() };
    let mut rows = Vec::new();
    let shown: Vec<&str> = match expansion {
        Expansion::Expanded => output.split('\n').collect(),
        Expansion::Collapsed => {
            output.rsplit('\n').take(LINES).collect::<Vec<_>>().into_iter().rev().collect()
        }
    };
    if dropped && expansion == Expansion::Expanded {
        rows.push(look.row(Token::Dim, "The start of the output is no longer available here"));
    }
    if total > shown.len() {
        rows.push(earlier(look, total - shown.len()));
    }
    let text = shown.into_iter().map(clamped).collect::<Vec<_>>().join("\n");
    rows.extend(Preview::of_output(look, &text, Part::Whole, look.fg(Token::ToolOutput)).rows);
    rows
}
