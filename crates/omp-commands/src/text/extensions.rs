//! `/extensions list` and `/extensions log`: what is loaded, what it registered, what it touched, what went wrong.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use omp_sdk::Session;
use omp_sdk::extensions::{Extension, Registered};

use crate::answer::Answer;

/// Names of one kind that are listed.
const MOST: usize = 12;
/// Lines of the log that are shown.
const LOG: usize = 200;

/// Answers the command.
pub(crate) async fn run(session: &Session, arguments: &str) -> Answer {
    match arguments.trim() {
        "" | "list" => Answer::Text(extensions_report(session)),
        "log" => Answer::Text(log(session)),
        _ => Answer::refused("Usage: /extensions [list|log]"),
    }
}

fn log(session: &Session) -> String {
    let lines = session.extensions().log();
    match lines.is_empty() {
        true => "Extensions have printed nothing".to_owned(),
        false => lines[lines.len().saturating_sub(LOG)..].join("\n"),
    }
}

/// Everything that is known of the extensions of a session, as text.
pub fn extensions_report(session: &Session) -> String {
    let extensions = session.extensions();
    let (loaded, failed, refused) = (extensions.loaded(), extensions.failed(), extensions.refused());
    let mut text = String::new();
    for extension in &loaded {
        describe(&mut text, extension);
    }
    let refused = refused.iter().map(|refused| (refused.spec.clone(), refused.reason.clone()));
    for (spec, reason) in failed.into_iter().chain(refused) {
        let (source, path) = (spec.source.name(), spec.path.display());
        let _ = writeln!(text, "{} ({source}) {path}\n  not loaded: {reason}", spec.name);
    }
    match text.is_empty() {
        true => "No extensions (put a .ts or .js file into ~/.omp/agent/extensions)".to_owned(),
        false => text.trim_end().to_owned(),
    }
}

fn describe(text: &mut String, extension: &Extension) {
    let spec = &extension.spec;
    let label = extension.label();
    let called = if label == spec.name { String::new() } else { format!(", {label}") };
    let _ = writeln!(
        text,
        "{}{called} ({}, {}) {}",
        spec.name,
        spec.source.name(),
        spec.form.name(),
        spec.path.display()
    );
    if let Some(process) = &extension.process {
        let _ = writeln!(
            text,
            "  runs in a process of its own ({}), because {}",
            process.program, process.reason
        );
    }
    if let Some(reason) = extension.ended() {
        let _ = writeln!(text, "  has ended: {reason}");
    }
    let parts = registered(&extension.registered());
    if !parts.is_empty() {
        let _ = writeln!(text, "  registered: {}", parts.join("; "));
    }
    let usage = extension.usage();
    let touched = [
        ("read", &usage.read),
        ("wrote", &usage.written),
        ("hosts", &usage.hosts),
        ("programs", &usage.programs),
    ];
    let touched: Vec<String> =
        touched.iter().filter_map(|(what, names)| Some(format!("{what}: {}", set(names)?))).collect();
    if !touched.is_empty() {
        let _ = writeln!(text, "  touched: {}", touched.join("; "));
    }
    let _ = writeln!(text, "  memory: {:.1} MiB", usage.memory as f64 / 1024.0 / 1024.0);
    for problem in extension.problems() {
        let _ = writeln!(text, "  problem in {}: {}", problem.event, problem.message);
    }
}

fn registered(registered: &Registered) -> Vec<String> {
    let names =
        |what: &str, names: Vec<String>| (!names.is_empty()).then(|| format!("{what}: {}", some(names)));
    let commands = registered.commands.iter().map(|command| format!("/{}", command.name)).collect();
    let keys = registered.shortcuts.iter().map(|shortcut| shortcut.key.clone()).collect();
    let flags = registered.flags.iter().map(|flag| format!("--{}", flag.name)).collect();
    let providers =
        registered.providers.iter().filter_map(|one| one["name"].as_str().map(str::to_owned)).collect();
    let parts = [
        names("commands", commands),
        names("tools", registered.tools.iter().map(|tool| tool.name.clone()).collect()),
        names("events", registered.events.clone()),
        names("keys", keys),
        names("flags", flags),
        names("providers", providers),
        names("messages", registered.message_renderers.clone()),
    ];
    parts.into_iter().flatten().collect()
}

fn set(names: &BTreeSet<String>) -> Option<String> {
    (!names.is_empty()).then(|| some(names.iter().cloned().collect()))
}

fn some(names: Vec<String>) -> String {
    let more = names.len().saturating_sub(MOST);
    let shown = names.into_iter().take(MOST).collect::<Vec<_>>().join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}
