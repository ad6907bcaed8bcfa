//! The length of the conversation: what fills it, what can go, what the cache makes of it.

use omp_sdk::{CacheMiss, CacheReport, ContextPart, Session, Shake};

use super::BUSY;
use crate::answer::{Answer, Columns};

/// Misses that are shown one by one.
const SHOWN: usize = 8;

/// `/context`: what fills the window, by part.
pub(crate) async fn context(session: &Session) -> Answer {
    let found = session.context().usage().await;
    let window = found.window.max(1);
    let share = |tokens: u64| {
        let part = tokens as f64 * 100.0 / window as f64;
        format!("{} tokens ({part:.1}%)", grouped(tokens))
    };
    let conversation: u64 =
        found.parts.iter().filter(|(part, _)| part.is_message()).map(|(_, tokens)| *tokens).sum();
    let mut rows = Vec::new();
    for (part, tokens) in &found.parts {
        if !part.is_message() {
            rows.push((part.name().to_owned(), share(*tokens)));
        }
    }
    rows.push(("Messages".to_owned(), share(conversation)));
    let inside = found.parts.iter().filter(|(part, _)| part.is_message());
    rows.extend(
        inside.map(|(part, tokens): &(ContextPart, u64)| (format!("  {}", part.name()), share(*tokens))),
    );
    rows.push(("Free".to_owned(), share(found.free)));
    let fitted = match found.counted {
        Some(_) => "estimated from the provider's last count",
        None => "estimated",
    };
    let (all, used) = (grouped(found.window), grouped(found.used));
    let title = format!(
        "Context window of {all} tokens: what the model reads with each request, {used} used ({fitted})"
    );
    Answer::Table(Columns::new(title, rows))
}

/// `/shake`: heavy results and blocks, or pictures, leave the conversation.
pub(crate) async fn shake(session: &Session, arguments: &str) -> Answer {
    let what = match arguments {
        "" | "elide" => Shake::Elide,
        "images" => Shake::Images,
        other => {
            return Answer::refused(format!("unknown argument {other:?}. Usage: /shake [elide|images]"));
        }
    };
    if session.control().is_running() {
        return Answer::refused(BUSY);
    }
    match session.context().shake(what).await {
        Ok(report) => {
            let noun = match (what, report.parts) {
                (Shake::Images, 1) => "image",
                (Shake::Images, _) => "images",
                (Shake::Elide, 1) => "large result",
                (Shake::Elide, _) => "large results",
            };
            let place =
                report.artifact.map_or_else(String::new, |url| format!("; the originals are in {url}"));
            let (parts, saved) = (report.parts, report.saved);
            Answer::Text(format!("Trimmed {parts} {noun} (about {saved} tokens) from the context{place}"))
        }
        Err(error) => Answer::refused(error),
    }
}

/// `/cache`: what the provider's prompt cache saved, what was re-read, and why.
pub(crate) fn cache(session: &Session) -> Answer {
    let report = session.prompt_cache().report();
    if report.requests == 0 {
        return Answer::Text("No token counts from the provider yet".to_owned());
    }
    let row = |name: &str, value: String| (name.to_owned(), value);
    let mut rows = vec![
        row("Requests", report.requests.to_string()),
        row(
            "Read from cache",
            format!(
                "{} ({}), at a fraction of the price{}",
                grouped(report.read),
                percent(&report),
                dollars(", saved", report.saved)
            ),
        ),
        row("Written to cache", format!("{}, for the requests that follow", grouped(report.written))),
        row("Not cached", format!("{}, new in each request", grouped(report.fresh))),
        row(
            "Re-sent",
            format!(
                "{}, was cached and had to be read again{}",
                grouped(report.missed),
                dollars(", cost more", report.missed_cost)
            ),
        ),
    ];
    for total in &report.causes {
        let times = if total.misses == 1 { "once".to_owned() } else { format!("{} times", total.misses) };
        let value = format!("{} tokens, {times}{}", grouped(total.tokens), dollars(",", total.cost));
        rows.push((format!("  {}", total.cause.words()), value));
    }
    let newest = report.misses.iter().rev().take(SHOWN);
    rows.extend(newest.map(|miss| (format!("Request {}", miss.request), told(miss))));
    Answer::Table(Columns::new("Prompt cache, in tokens since the session was opened", rows))
}

fn told(miss: &CacheMiss) -> String {
    let CacheMiss { model, cause, tokens, cost, .. } = miss;
    let tokens = grouped(*tokens);
    format!("{tokens} tokens re-sent to {model}: {}{}", cause.words(), dollars(",", *cost))
}

/// A number with its thousands apart.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn percent(report: &CacheReport) -> String {
    let all = report.read + report.written + report.fresh;
    format!("{:.0}%", report.read as f64 * 100.0 / all.max(1) as f64)
}

fn dollars(before: &str, cost: f64) -> String {
    if cost > 0.0 { format!("{before} ${cost:.4}") } else { String::new() }
}
