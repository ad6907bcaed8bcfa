//! What there is: commands, tools, jobs, the session itself.

use std::sync::Arc;
use std::time::Duration;

use omp_sdk::Session;

use super::{BUSY, first_word};
use crate::answer::{Answer, Columns};
use crate::handler::CommandContext;
use crate::listing::{BUILT_IN, Listed, ListedFor, listed};
use crate::topics::{OWN_TOPIC, topic_of};

/// Letters of a command and its hint in the list of all.
const LONGEST_USAGE: usize = 36;
const SESSION_USAGE: &str = "Usage: /session [info|delete]";

/// `/help`: all commands by topic, with their sources.
pub(crate) async fn help(session: &Arc<Session>) -> Answer {
    let session = Arc::clone(session);
    let all = tokio::task::spawn_blocking(move || listed(&session, ListedFor::People)).await;
    let all = all.unwrap_or_default();
    let wide = all.iter().map(|command| command.source.chars().count()).max().unwrap_or(0);
    let row = |command: Listed| {
        let hint = if command.hint.is_empty() { String::new() } else { format!(" {}", command.hint) };
        let aliases: String = command.aliases.iter().map(|alias| format!(", /{alias}")).collect();
        let name = cut(format!("/{}{aliases}{hint}", command.name));
        (format!("  {name}"), format!("{:wide$}  {}", command.source, command.description))
    };
    let place = |command: &Listed| match command.source == BUILT_IN {
        true => topic_of(&command.name).unwrap_or((OWN_TOPIC, usize::MAX)),
        false => (OWN_TOPIC, usize::MAX),
    };
    let mut all: Vec<((&str, usize), Listed)> =
        all.into_iter().map(|command| (place(&command), command)).collect();
    all.sort_by_key(|((_, place), _)| *place);
    let (mut rows, mut topic) = (Vec::new(), "");
    for ((of, _), command) in all {
        if topic != of {
            rows.push((of.to_owned(), String::new()));
            topic = of;
        }
        rows.push(row(command));
    }
    Answer::Table(Columns::new("Commands", rows))
}

/// A long hint leaves room for what the command does.
fn cut(usage: String) -> String {
    match usage.char_indices().nth(LONGEST_USAGE) {
        Some((end, _)) => format!("{}...", &usage[..end]),
        None => usage,
    }
}

/// `/tools`: all tools with what they do, the active ones marked.
pub(crate) fn tools(session: &Session) -> Answer {
    let row = |(name, active): (String, bool)| {
        let sign = if active { "* " } else { "  " };
        let summary = omp_types::builtin_tool(&name).map_or("", |tool| tool.summary);
        (format!("{sign}{name}"), summary.to_owned())
    };
    let rows = session.all_tools().into_iter().map(row).collect();
    Answer::Table(Columns::new("Tools of the model (* can be called now)", rows))
}

/// `/jobs`: what runs in the background, and what ran recently.
pub(crate) fn jobs(session: &Session) -> Answer {
    let jobs = session.jobs().list();
    if jobs.is_empty() {
        return Answer::Text(
            "No background jobs. A command becomes one when the model starts it in the background, or when \
             it runs long and bash.autoBackground.enabled is set."
                .to_owned(),
        );
    }
    let row = |job: omp_sdk::JobSnapshot| {
        let state = format!("{} {} {}", job.kind, job.status.word(), age(job.duration));
        (job.id, format!("{state}  {}", job.label))
    };
    Answer::Table(Columns::new("Background jobs", jobs.into_iter().map(row).collect()))
}

fn age(duration: Duration) -> String {
    match duration.as_secs() {
        seconds @ 0..60 => format!("{seconds}s"),
        seconds @ 60..3600 => format!("{}m {}s", seconds / 60, seconds % 60),
        seconds => format!("{}h {}m", seconds / 3600, seconds % 3600 / 60),
    }
}

/// `/session`: about this session; `delete` removes it and begins another.
pub(crate) async fn session(context: &CommandContext, arguments: &str) -> Answer {
    let session = context.session();
    match first_word(arguments) {
        ("" | "info", "") => info(&session).await,
        ("delete", "") if session.control().is_running() => Answer::refused(BUSY),
        ("delete", "") if session.file().is_none() => {
            Answer::refused("nothing to delete: the session is not saved")
        }
        ("delete", "") => match context.host.drop_session().await {
            Ok(arrival) => Answer::Arrived(arrival, "Session deleted".to_owned()),
            Err(error) => Answer::refused(error),
        },
        _ => Answer::refused(SESSION_USAGE),
    }
}

async fn info(session: &Session) -> Answer {
    let header = session.header();
    let file = session.file().map_or_else(|| "not saved".to_owned(), |path| path.display().to_string());
    let counts = session.transcript().statistics().await;
    let row = |name: &str, value: String| (name.to_owned(), value);
    let tokens = format!(
        "{} in, {} out, {} cache read, {} cache write",
        counts.usage.input, counts.usage.output, counts.usage.cache_read, counts.usage.cache_write
    );
    let messages = format!(
        "{} ({} user, {} assistant, {} tool)",
        counts.messages, counts.prompts, counts.answers, counts.results
    );
    let rows = vec![
        row("id", header.id),
        row("title", header.title.unwrap_or_else(|| "none".to_owned())),
        row("file", file),
        row("directory", header.cwd),
        row("model", session.model_selector()),
        row("messages", messages),
        row("tool calls", counts.calls.to_string()),
        row("tokens", tokens),
        row("cost", format!("${:.4}", counts.usage.cost.total + counts.side_cost)),
        row("side requests", format!("{}, ${:.4} of the cost", counts.side_requests, counts.side_cost)),
    ];
    Answer::Table(Columns::new("Session", rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_short() {
        let shown = |seconds| age(Duration::from_secs(seconds));
        assert_eq!((shown(5), shown(65), shown(7_260)), ("5s".into(), "1m 5s".into(), "2h 1m".into()));
    }
}
