//! What stands between messages: notices, and the places where a conversation was shortened.

use omp_theme::{Symbol, Token};
use omp_tui::text::Line;

use crate::Look;
use crate::look::{behind, grouped};
use crate::markdown;
use crate::tool::Expansion;

/// How serious a notice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Good to know.
    Info,
    /// Something may not be as expected.
    Warning,
    /// Something failed.
    Error,
    /// Somebody stopped something.
    Aborted,
}

/// A sentence outside the conversation.
pub fn notice(look: &Look, level: Level, text: &str) -> Vec<Line> {
    let (token, symbol) = match level {
        Level::Info => (Token::Muted, Symbol::StatusInfo),
        Level::Warning => (Token::Warning, Symbol::StatusWarning),
        Level::Error => (Token::Error, Symbol::StatusError),
        Level::Aborted => (Token::Warning, Symbol::StatusAborted),
    };
    let sign = Line::styled(look.fg(token), &format!("{} ", look.symbol(symbol)));
    let blank = Line::plain(&" ".repeat(sign.width()));
    let rows = look.narrower(sign.width()).wrapped(token, text.trim_end(), 0);
    let with =
        |(index, row): (usize, &Line)| behind(if index == 0 { &sign } else { &blank }, row).clamp(look.width);
    rows.iter().enumerate().map(with).collect()
}

/// How retries ended without success, in one sentence. `last_error` is why there were any.
pub fn retries_ended(attempts: u32, final_error: &str, last_error: &str) -> (Level, String) {
    let noun = if attempts == 1 { "attempt" } else { "attempts" };
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    if final_error != omp_types::AgentEvent::RETRY_CANCELLED {
        return (Level::Error, format!("Retry failed after {attempts} {noun}: {final_error}"));
    }
    match last_error {
        "" => (Level::Aborted, format!("Retry cancelled after {attempts} {noun}")),
        error => (Level::Aborted, format!("Retry cancelled after {attempts} {noun}: {}", flat(error))),
    }
}

/// Facts about something, each behind its name.
pub fn facts(look: &Look, title: &str, facts: &[(&str, String)]) -> Vec<Line> {
    let mut rows = vec![look.shortened(&Line::styled(look.bold(Token::Accent), title), look.width)];
    let widest = facts.iter().map(|(name, _)| Line::plain(name).width()).max().unwrap_or(0);
    for (name, value) in facts {
        let mut line = Line::styled(look.fg(Token::Muted), &format!("  {name}"));
        let line = line.push(look.fg(Token::Text), &" ".repeat((widest + 4).saturating_sub(line.width())));
        line.push(look.fg(Token::Text), value);
        rows.extend(line.wrap(look.width, widest + 4));
    }
    rows
}

/// What the user has said that waits: what steers the turn, and what comes after it. `hint` is the last row.
pub fn queued(look: &Look, steering: &[String], later: &[String], hint: &str) -> Vec<Line> {
    const MOST: usize = 5;
    let flat = |text: &String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let row = |symbol: Symbol, label: &str, text: &String| {
        let mut line = Line::styled(look.fg(Token::Accent), &format!("{} ", look.symbol(symbol)));
        line.push(look.fg(Token::Muted), &format!("{label:<9} "));
        line.push(look.fg(Token::Text), &flat(text));
        look.shortened(&line, look.width)
    };
    let steering = steering.iter().map(|text| row(Symbol::IconQueue, "steering", text));
    let later = later.iter().map(|text| row(Symbol::StatusPending, "queued", text));
    let mut rows: Vec<Line> = steering.chain(later).collect();
    let more = rows.len().saturating_sub(MOST);
    if more > 1 {
        rows.truncate(MOST);
        rows.push(look.row(Token::Dim, &format!("  {more} more")));
    }
    rows.push(look.row(Token::Muted, hint));
    rows
}

/// A rule of the user stepped in while the model was writing.
pub fn rule(look: &Look, name: &str, text: &str) -> Vec<Line> {
    let mut rows = notice(look, Level::Info, &format!("Rule {name} matched; regenerating the response"));
    rows.extend(look.wrapped(Token::Dim, &format!("  {}", text.trim()), 2));
    rows
}

/// The place where the conversation before was replaced by a summary.
pub fn compaction(look: &Look, summary: &str, tokens_before: u64, expansion: Expansion) -> Vec<Line> {
    let title = match tokens_before {
        0 => "Compacted".to_owned(),
        tokens => format!("Compacted from {} tokens", grouped(tokens)),
    };
    let icon = look.symbol(Symbol::IconCompact);
    summarised(look, &format!("{icon} {title}"), summary, expansion)
}

/// The place where another branch was left, with what happened there.
pub fn branch(look: &Look, summary: &str, expansion: Expansion) -> Vec<Line> {
    let icon = look.symbol(Symbol::IconBranch);
    summarised(look, &format!("{icon} Branch summary"), summary, expansion)
}

fn summarised(look: &Look, title: &str, summary: &str, expansion: Expansion) -> Vec<Line> {
    let across = look.symbol(Symbol::TreeHorizontal);
    let mut line = Line::styled(look.fg(Token::BorderMuted), &format!("{} ", across.repeat(2)));
    line.push(look.fg(Token::Muted), title);
    let hint = Line::styled(look.fg(Token::Dim), &format!("{}{}", look.dot(), look.expand_key));
    let hidden = expansion == Expansion::Collapsed && !summary.trim().is_empty();
    if hidden && line.width() + hint.width() < look.width {
        line.append(&hint);
    }
    line.push(look.fg(Token::BorderMuted), " ");
    let rest = look.width.saturating_sub(line.width());
    line.push(look.fg(Token::BorderMuted), &across.repeat(rest));
    let mut rows = vec![line.clamp(look.width)];
    if expansion == Expansion::Expanded {
        rows.extend(markdown::render_in(look, summary, look.fg(Token::Muted)));
    }
    rows
}
