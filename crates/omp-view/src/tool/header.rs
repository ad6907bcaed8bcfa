//! The first row of a call.

use std::time::Duration;

use omp_theme::{Spinner, Symbol, Token};
use omp_tui::text::{Attributes, Line, Style, neutral};

use super::{Call, Drawn, Phase};
use crate::Look;
use crate::look::duration;

/// The cells that the one thing that matters keeps at least, before the figure is cut.
const SUBJECT: usize = 12;

/// Symbol, name, the one thing that matters, and what came of it.
pub(super) fn header(look: &Look, call: &Call, drawn: &Drawn, running: Option<Duration>) -> Line {
    let ground = match call.phase {
        Phase::Done => Token::ToolSuccessBg,
        Phase::Failed | Phase::Denied => Token::ToolErrorBg,
        _ => Token::ToolPendingBg,
    };
    let ground = look.theme.color(ground);
    let on = |style: Style| style.background(ground);
    let mut line = status(look, call.phase, running);
    let name = neutral::exact_line(drawn.title.as_deref().unwrap_or(&call.name));
    line.push(on(look.fg(Token::ToolTitle)).with(Attributes::BOLD), &format!(" {name}"));
    let room = look.width.saturating_sub(line.width() + 1);
    let kept = SUBJECT.min(Line::plain(&drawn.subject).width() + 1);
    let figure = figure(look, call, drawn, running, room.saturating_sub(kept));
    let figure = Line::styled(on(look.fg(Token::Muted)), &figure);
    if !drawn.subject.is_empty() {
        let room = room.saturating_sub(figure.width());
        let subject = drawn.subject.lines().next().unwrap_or_default();
        let subject = look.shortened(&Line::styled(on(look.fg(Token::Text)), subject), room);
        line.push(on(Style::PLAIN), " ").append(&subject);
    }
    line.append(&figure);
    line.fit(look.width, on(Style::PLAIN))
}

/// The sign of a phase.
pub(super) fn status(look: &Look, phase: Phase, running: Option<Duration>) -> Line {
    let (token, symbol) = match phase {
        Phase::Pending | Phase::Ready => (Token::Muted, Symbol::StatusPending),
        Phase::Running => (Token::Accent, Symbol::StatusRunning),
        Phase::Done => (Token::Success, Symbol::StatusSuccess),
        Phase::Failed => (Token::Error, Symbol::StatusError),
        Phase::Aborted => (Token::Warning, Symbol::StatusAborted),
        Phase::Denied => (Token::Warning, Symbol::IconLock),
    };
    let ground = match phase {
        Phase::Done => Token::ToolSuccessBg,
        Phase::Failed | Phase::Denied => Token::ToolErrorBg,
        _ => Token::ToolPendingBg,
    };
    let style = look.theme.on(token, ground);
    if let (Phase::Running, Some(running)) = (phase, running) {
        let frames = look.theme.spinner(Spinner::Status);
        return Line::styled(style, Spinner::Status.frame(frames, running));
    }
    Line::styled(style, look.symbol(symbol))
}

/// What came of the call, behind a dot. Of a call that runs: how long it does. Facts that do not fit are left out, the
/// last ones first; the first is cut.
fn figure(look: &Look, call: &Call, drawn: &Drawn, running: Option<Duration>, room: usize) -> String {
    let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let word = match call.phase {
        Phase::Aborted => "aborted",
        Phase::Denied => "not allowed",
        Phase::Failed if drawn.figure.is_empty() => "failed",
        _ => "",
    };
    let running = running.filter(|time| call.phase == Phase::Running && *time >= Duration::from_secs(1));
    let slow = call.took.filter(|took| *took >= Duration::from_secs(2)).map(milliseconds).map(duration);
    let dot = look.dot();
    let own = drawn.figure.split(&dot).map(str::to_owned);
    let time = running.map(|time| format!("{}s", time.as_secs())).or(slow);
    let facts = [word.to_owned()].into_iter().chain(own).chain(time).filter(|fact| !fact.is_empty());
    let mut figure = Line::new();
    for fact in facts {
        let part = Line::plain(&format!("{dot}{fact}"));
        if figure.width() == 0 {
            figure = look.shortened(&part, room);
        } else if figure.width() + part.width() <= room {
            figure.append(&part);
        } else {
            break;
        }
    }
    figure.text()
}
