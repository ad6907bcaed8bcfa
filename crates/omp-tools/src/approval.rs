//! What tools say about their calls before these run.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use omp_guard::command::{Shell, ShellContext, Verdict, judge};
use omp_types::{Approval, ApprovalDetail, Tier};
use omp_workspace::footprint;
use omp_workspace::path::plain_path;
pub use omp_workspace::path::real_path;
pub use omp_workspace::repository::first_risk;
use omp_workspace::repository::{IgnoredFiles, untracked};
use serde_json::{Map, Value};

use crate::{Context, InternalUrl};

/// Places that a question names.
const SHOWN_PLACES: usize = 3;

/// Schemes of things that belong to the session alone.
const SESSION: [&str; 3] = ["agent", "artifact", "local"];
/// The scheme of merge conflicts, which are in files.
const CONFLICT: &str = "conflict";

fn text<'a>(arguments: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    arguments.get(name).and_then(Value::as_str)
}

/// One line for each argument that is a text, under the label that stands beside its name.
pub(crate) fn details(
    arguments: &Map<String, Value>,
    labels: &[(&str, &'static str)],
) -> Vec<ApprovalDetail> {
    let detail = |(name, label): &(&str, &'static str)| {
        Some(ApprovalDetail { label, value: text(arguments, name)?.to_owned() })
    };
    labels.iter().filter_map(detail).collect()
}

/// What a command would destroy, with numbers.
pub(crate) fn at_stake(
    context: &Context,
    start: Start,
    arguments: &Map<String, Value>,
) -> Option<ApprovalDetail> {
    let command = text(arguments, "command")?;
    let places = doomed(&verdict(context, start, command, arguments));
    if places.is_empty() {
        return None;
    }
    let now = SystemTime::now();
    let root = real_path(&context.cwd);
    let outside = places.iter().any(|place| footprint::is_outside(place, &[&context.cwd, &root]));
    // Below the working directory the rest of the path says it all; the directory itself is named in full.
    let short = |place: &PathBuf| {
        let below = [&context.cwd, &root].into_iter().find_map(|base| place.strip_prefix(base).ok());
        let name = below.filter(|below| !below.as_os_str().is_empty()).unwrap_or(place);
        name.display().to_string()
    };
    let names: Vec<String> = places.iter().take(SHOWN_PLACES).map(short).collect();
    let more = if places.len() > SHOWN_PLACES { " and more" } else { "" };
    let numbers = footprint::measure(&places, now).sentence(now);
    let where_to = if outside { ", outside the workspace" } else { "" };
    let value = format!("{}{more}: {numbers}{where_to}", names.join(", "));
    Some(ApprovalDetail { label: "Destroys", value })
}

/// Places of which a command would destroy something. Waits for the disk.
pub(crate) fn doomed(verdict: &Verdict) -> Vec<PathBuf> {
    let cleaned = verdict.git_cleans.iter().flat_map(|clean| {
        let ignored = match (clean.only_ignored, clean.ignored) {
            (true, _) => IgnoredFiles::Only,
            (false, true) => IgnoredFiles::Included,
            (false, false) => IgnoredFiles::Kept,
        };
        untracked(&clean.directory, ignored, clean.whole_directories).unwrap_or_default()
    });
    verdict.at_stake.iter().cloned().chain(cleaned).collect()
}

/// Where a command begins, and what is set there.
pub(crate) struct Start {
    pub(crate) cwd: PathBuf,
    pub(crate) shell: Shell,
}

/// Runs code, and insists on a question if the command is one that nothing can undo.
pub(crate) fn of_command(context: &Context, start: Start, arguments: &Map<String, Value>) -> Approval {
    let command = text(arguments, "command").unwrap_or_default();
    let elsewhere = !start.cwd.starts_with(&context.cwd);
    let verdict = verdict(context, start, command, arguments);
    // What is named relative to another directory is something else than rules and modes take it for.
    let hidden = verdict.script.is_none() || elsewhere && !verdict.effects.only_reads();
    match verdict.critical {
        Some(reason) => Approval { reason: Some(reason.into()), insists: true, hidden, ..Approval::EXEC },
        None => Approval { hidden, ..Approval::EXEC },
    }
}

/// What a command does. Variables of the call hold for it before those that are set anyway.
pub(crate) fn verdict(
    context: &Context,
    start: Start,
    command: &str,
    arguments: &Map<String, Value>,
) -> Verdict {
    let Start { cwd, mut shell } = start;
    let given = arguments.get("env").and_then(Value::as_object).into_iter().flatten();
    let given = given.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
    shell.variables.extend(given);
    let home = context.home.as_deref();
    let git_risk = |directory: &Path| first_risk(directory).filter(|_| !(context.is_trusted)());
    judge(command, ShellContext { cwd: &cwd, home, shell: &shell, real: &real_path, git_risk: &git_risk })
}

/// Writing; mere reading if everything that is written belongs to the session alone. What is outside the workspace or
/// protected is asked about. May wait for the disk.
pub(crate) fn of_edit(
    context: &Context,
    tool: &str,
    arguments: &Map<String, Value>,
    targets: &[String],
) -> Approval {
    let inside =
        |typed: &String| InternalUrl::parse(typed).is_some_and(|url| SESSION.contains(&url.scheme()));
    if !targets.is_empty() && targets.iter().all(inside) {
        return Approval::READ;
    }
    let paths: Vec<PathBuf> = targets.iter().filter_map(|typed| context.file_to_change(typed).ok()).collect();
    context.agree(tool, arguments, &paths)
}

/// What writing behind an internal URL is: what belongs to the session alone is written as files of the workspace are, and
/// everything else, such as notes of another program, is outside of it.
pub(crate) fn of_url(typed: &str) -> Option<Approval> {
    let url = InternalUrl::parse(typed)?;
    if SESSION.contains(&url.scheme()) || url.scheme() == CONFLICT {
        return None;
    }
    let reason = format!("outside the workspace: {url}");
    Some(Approval { tier: Tier::Exec, reason: Some(reason.into()), insists: true, ..Approval::WRITE })
}

/// Paths as they were typed, each with what it leads to where that is another one. May wait for the disk.
pub(crate) fn paths<'a>(
    context: &Context,
    typed: impl IntoIterator<Item = (&'static str, &'a str)>,
) -> Vec<ApprovalDetail> {
    let mut details = Vec::new();
    for (label, typed) in typed {
        details.push(ApprovalDetail { label, value: typed.to_owned() });
        let is_file = InternalUrl::parse(typed).is_none() && !omp_web::address::is_web(typed);
        let path = context.file(typed).ok().filter(|_| is_file);
        let value = path.and_then(|path| elsewhere(context, &path));
        details.extend(value.map(|value| ApprovalDetail { label: "Resolves to", value }));
    }
    details
}

/// Where a path leads, if that is not what it says.
fn elsewhere(context: &Context, path: &Path) -> Option<String> {
    let real = real_path(path);
    let plain = plain_path(path);
    // The working directory and home may be behind links themselves, which nobody needs to be told each time.
    let bases = [Some(&context.cwd), context.home.as_ref()].into_iter().flatten();
    let mut said = bases.filter_map(|base| Some(real_path(base).join(plain.strip_prefix(base).ok()?)));
    (plain != real && !said.any(|said| said == real)).then(|| real.display().to_string())
}
