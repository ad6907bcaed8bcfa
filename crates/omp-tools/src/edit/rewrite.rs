//! Changes that another tool planned, checked and written as edits are.

use std::path::PathBuf;

use omp_agent::ToolError;
use omp_edits::hashline::{Change, Planned, Tag};

use super::encode::Written;
use super::target::Target;
use super::{Ready, write_all};
use crate::{Context, generated};

/// New lines for one file.
pub(crate) struct Rewrite {
    pub(crate) path: PathBuf,
    /// The text that the changes were made for.
    pub(crate) old: String,
    pub(crate) new: String,
    pub(crate) changes: Vec<Change>,
}

/// A file after its rewrite: how it is called, and the tag of its new text.
pub(crate) struct Rewritten {
    pub(crate) shown: String,
    pub(crate) tag: Tag,
}

/// Writes all files. Nothing is written if one of them is no longer what it was.
pub(crate) fn rewrite(context: &Context, rewrites: Vec<Rewrite>) -> Result<Vec<Rewritten>, ToolError> {
    let mut ready = Vec::new();
    for one in rewrites {
        let target = Target::load(context, one.path, None)?.in_turn(context, ready.len())?;
        if target.document.text() != one.old {
            return Err(ToolError::new(format!("{} has changed; nothing was written.", target.shown)));
        }
        generated::refuse(context, target.path(), target.document.text())?;
        let planned =
            Planned { text: one.new, changes: one.changes, warnings: Vec::new(), blocks: Vec::new() };
        let bytes = Some(target.encode(&planned, Written::Partly)?);
        ready.push(Ready { target, planned, bytes });
    }
    let tags = write_all(context, &ready)?;
    let rewritten = |(one, tag): (Ready, Tag)| Rewritten { shown: one.target.shown, tag };
    Ok(ready.into_iter().zip(tags).map(rewritten).collect())
}
