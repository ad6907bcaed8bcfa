//! Paths that lead into a file: members of archives, and rows of databases.

use omp_agent::ToolError;
use omp_documents::{Stop, archive, database};
use omp_types::ToolOutput;

use super::job::Job;
use super::selector::Selector;
use super::suffix::{self, Match};
use super::{Resolution, Target, resolve, spelled};

/// Reads what `typed` names inside a file; `None` if it names a file or a directory as a whole.
pub(super) fn read(job: &Job, typed: &str) -> Result<Option<ToolOutput>, ToolError> {
    if !typed.contains([':', '?']) || resolve(&job.context, typed)?.symlink_metadata().is_ok() {
        return Ok(None);
    }
    for (name, inner, format) in archive::splits(typed) {
        if let Some(target) = find(job, name, inner, std::path::Path::is_file)? {
            check(&target)?;
            let output = super::archive::read(&target, format, inner)?;
            return Ok(Some(target.announce(output)));
        }
    }
    for (name, rest) in database::splits(typed) {
        if let Some(target) = find(job, name, rest, database::is_database)? {
            check(&target)?;
            let output = super::database::read(&target, rest)?;
            return Ok(Some(target.announce(output)));
        }
    }
    Ok(None)
}

/// Refuses a credential store before anything opens it by its path.
fn check(target: &Target<'_>) -> Result<(), ToolError> {
    target.context.borders.check(&target.path).map_err(|error| super::missing::explain(target, &error))
}

/// The file of that name, if it is one of the wanted kind. A file that does not exist is looked for elsewhere.
fn find<'a>(
    job: &'a Job,
    name: &str,
    rest: &str,
    wanted: fn(&std::path::Path) -> bool,
) -> Result<Option<Target<'a>>, ToolError> {
    let typed = resolve(&job.context, name)?;
    let path = spelled(&typed).unwrap_or(typed);
    if wanted(&path) {
        return Ok(Some(Target::new(job, path, Selector::default())));
    }
    if rest.is_empty() || path.symlink_metadata().is_ok() {
        return Ok(None);
    }
    match suffix::find(job, &path)? {
        Match::One(found) if wanted(&found) => {
            let resolution =
                Some(Resolution { from: name.to_owned(), to: job.context.base().display(&found) });
            Ok(Some(Target { resolution, ..Target::new(job, found, Selector::default()) }))
        }
        _ => Ok(None),
    }
}

/// Ends the work when the call is cancelled.
pub(super) fn stop(job: &Job) -> Stop {
    let cancel = job.cancel.clone();
    Stop::when(move || cancel.is_cancelled())
}
