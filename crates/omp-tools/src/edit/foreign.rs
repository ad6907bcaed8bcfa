//! Changes that somebody else than the model describes, such as a language server: all of them, or none.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use omp_agent::ToolError;
use omp_edits::patch::{Change, Edited, FinalEnd};
use omp_types::ToolOutput;

use super::commit::{changes, commit};
use super::textual::Plan;
use crate::Context;

/// Makes a new text of an old one, or says why not.
pub(crate) type Rewriting = Box<dyn FnOnce(&str) -> Result<String, String> + Send>;

/// What is to be done to one file.
pub(crate) enum Foreign {
    Update { path: PathBuf, change: Rewriting },
    Create { path: PathBuf },
    Rename { from: PathBuf, to: PathBuf },
    Delete { path: PathBuf },
}

/// Carries out all of it, in its order, as an edit of the model is carried out. May wait for the disk.
pub(crate) fn make(context: &Context, all: Vec<Foreign>) -> Result<ToolOutput, ToolError> {
    let mut plan = Plan { context, entries: Vec::new() };
    // New names of files that the plan still knows by their old ones.
    let mut renamed: HashMap<PathBuf, PathBuf> = HashMap::new();
    let known =
        |renamed: &HashMap<PathBuf, PathBuf>, path: PathBuf| renamed.get(&path).cloned().unwrap_or(path);
    for one in all {
        match one {
            Foreign::Update { path, change } => {
                let path = known(&renamed, path);
                plan.update(typed(&path)?, |text| change(text).map(|new| edited(text, &new)))?;
            }
            Foreign::Create { path } => plan.add(typed(&path)?, String::new())?,
            Foreign::Rename { from, to } => {
                let from = known(&renamed, from);
                plan.rename(typed(&from)?, typed(&to)?)?;
                renamed.insert(to, from);
            }
            Foreign::Delete { path } => plan.entry(typed(&known(&renamed, path))?)?.new = None,
        }
    }
    let output = commit(context, &plan.entries)?;
    for entry in plan.entries.iter().filter(|entry| entry.changes_text()) {
        if let Some(old) = &entry.old {
            let (before, after) = (entry.old_text(), entry.new_text());
            context.seen.snapshots().record_edit(&old.key, before, after, changes(before, after));
        }
    }
    Ok(output)
}

fn typed(path: &Path) -> Result<&str, ToolError> {
    path.to_str().ok_or_else(|| ToolError::new(format!("The name of {} is not valid UTF-8.", path.display())))
}

/// The lines in which the texts differ.
fn edited(old: &str, new: &str) -> Edited {
    let one = |change: omp_edits::hashline::Change| Change {
        start: change.start,
        removed: change.removed,
        inserted: change.inserted,
    };
    let final_end = match new.is_empty() || new.ends_with('\n') {
        true => FinalEnd::Present,
        false => FinalEnd::Absent,
    };
    Edited { changes: changes(old, new).into_iter().map(one).collect(), final_end, notes: Vec::new() }
}
