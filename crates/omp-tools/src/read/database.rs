//! SQLite databases: their tables, rows, and answers to SQL.

use std::path::Path;

use omp_agent::ToolError;
use omp_documents::database::{self, Selector};
use omp_types::ToolOutput;

use super::{Target, container};
use crate::output::{Limits, ResultLimit, cap};

/// Do files of that name hold databases?
pub(super) fn is_named_so(path: &Path) -> bool {
    database::splits(&path.to_string_lossy()).iter().any(|(_, rest)| rest.is_empty())
}

/// Reads what `rest`, the part behind the name of the database, asks for.
pub(super) fn read(target: &Target, rest: &str) -> Result<ToolOutput, ToolError> {
    let selector = Selector::parse(rest).map_err(ToolError::new)?;
    target.job.slow()?;
    let stop = container::stop(target.job);
    let answer = database::read(&target.path, &selector, &stop)
        .map_err(|error| ToolError::new(format!("Cannot read {}{rest}: {error}", target.shown())))?;
    let mut meta = target.meta();
    if let Some(reached) = answer.limit {
        let limit = ResultLimit { reached, suggestion: reached * 2 };
        meta.limits = Some(Limits { result_limit: Some(limit), ..Limits::default() });
    }
    let (text, truncation) = cap(answer.text);
    meta.truncation = truncation;
    Ok(ToolOutput::text(text).with_details(target.details().finish(&meta)))
}
