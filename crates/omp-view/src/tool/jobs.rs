//! `job`: work in the background.

use omp_theme::{Symbol, Token};
use omp_tui::text::Line;
use serde_json::Value;

use super::{Drawing, Drawn, Phase};
use crate::Look;
use crate::look::{count, duration};
use crate::preview::{Part, Preview};

/// Rows of a job's text that are shown when the call is expanded, and when not.
const ROWS: [usize; 2] = [200, 2];

pub(super) fn draw(drawing: &Drawing<'_>) -> Drawn {
    let call = drawing.call;
    let (poll, cancel) = (call.listed("poll"), call.listed("cancel"));
    let subject = match (poll.as_str(), cancel.as_str()) {
        ("", "") if call.phase == Phase::Pending => String::new(),
        ("", "") => "list".to_owned(),
        (poll, "") => format!("wait for {poll}"),
        ("", cancel) => format!("cancel {cancel}"),
        (poll, cancel) => format!("wait for {poll}, cancel {cancel}"),
    };
    let jobs = call.detail("/jobs").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let running = jobs.iter().filter(|job| word(job, "status") == "running").count() as u64;
    let figure = match (jobs.is_empty(), call.is_done()) {
        (true, true) => "no jobs".to_owned(),
        (true, false) => String::new(),
        (false, _) if running > 0 => format!("{running} of {} running", jobs.len()),
        (false, _) => count(jobs.len() as u64, "job"),
    };
    let mut body: Vec<Line> = jobs.iter().flat_map(|job| rows(drawing, job)).collect();
    for one in call.detail("/cancelled").and_then(Value::as_array).into_iter().flatten() {
        let text = format!("{} {}", word(one, "id"), word(one, "status"));
        body.push(drawing.look.row(Token::Warning, &text));
    }
    body.extend(drawing.trouble().unwrap_or_default());
    Drawn { subject, figure, body, ..Drawn::default() }
}

fn word<'a>(job: &'a Value, name: &str) -> &'a str {
    job.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// A job in a row, and below it what it said.
fn rows(drawing: &Drawing<'_>, job: &Value) -> Vec<Line> {
    let look = drawing.look;
    let (token, symbol) = sign(word(job, "status"));
    let mut line = Line::styled(look.fg(token), look.symbol(symbol));
    line.push(look.fg(Token::Text), &format!(" {}", word(job, "id")));
    line.push(look.fg(Token::ToolOutput), &format!(" {}", word(job, "label")));
    let took = job.get("durationMs").and_then(Value::as_u64).map(duration).unwrap_or_default();
    line.push(look.fg(Token::Muted), &format!("{}{} {took}", look.dot(), word(job, "status")));
    let mut rows = vec![look.shortened(&line, look.width)];
    for (name, token) in [("resultText", Token::ToolOutput), ("errorText", Token::Error)] {
        let text = word(job, name);
        let most = ROWS[usize::from(!drawing.is_expanded())];
        let inner: Look = look.narrower(2);
        let preview = Preview::of_output(&inner, text, Part::Tail(most), look.fg(token));
        let blank = Line::plain("  ");
        let part = Part::Tail(most);
        rows.extend(preview.with_hint(&inner, part).iter().map(|row| crate::look::behind(&blank, row)));
    }
    rows
}

fn sign(status: &str) -> (Token, Symbol) {
    match status {
        "running" => (Token::Accent, Symbol::StatusRunning),
        "completed" => (Token::Success, Symbol::StatusSuccess),
        "failed" => (Token::Error, Symbol::StatusError),
        _ => (Token::Warning, Symbol::StatusAborted),
    }
}
