//! Directories: their tree, two levels deep.

use omp_agent::ToolError;
use omp_types::ToolOutput;
use omp_workspace::tree::{self, Tree};

use super::selector::Lines;
use super::{Target, missing};
use crate::output::{Limits, MAX_BYTES, MAX_LINES, Meta, ResultLimit};

pub(super) fn read(target: &Target) -> Result<ToolOutput, ToolError> {
    let now = (target.context.now)();
    let tree = tree::list(&target.path, now, &tree::Limits::default())
        .map_err(|error| missing::explain(target, &error))?;
    let mut meta = target.meta();
    let text =
        if tree.lines.is_empty() { "(empty directory)".to_owned() } else { render(target, &tree, &mut meta) };
    let details = target.details().with("isDirectory", true).finish(&meta);
    Ok(ToolOutput::text(text).with_details(details))
}

fn render(target: &Target, tree: &Tree, meta: &mut Meta) -> String {
    let shown = select(&tree.lines, &target.selector.lines);
    let mut notices = Vec::new();
    if let Some(&(last, _)) = shown.last()
        && last < tree.lines.len()
    {
        let next = last + 1;
        notices.push(format!(
            "[Showing {} of {} lines. Use :{next} to continue]",
            shown.len(),
            tree.lines.len()
        ));
    }
    if shown.is_empty() {
        notices
            .push(format!("[The listing has {} lines. Use :1 to read it from the start]", tree.lines.len()));
    }
    if tree.root_partial {
        notices.push(format!(
            "[The directory has more than {} entries; only that many were scanned, and the newest {} of them \
             are listed. Use bash (ls, find) for the rest]",
            tree.root_total, tree.root_shown
        ));
    }
    if !notices.is_empty() {
        let limit = ResultLimit { reached: shown.len(), suggestion: (shown.len() * 2).max(1) };
        meta.limits = Some(Limits { result_limit: Some(limit), ..Limits::default() });
    }
    let lines = shown.iter().map(|(_, line)| *line).collect::<Vec<_>>().join("\n");
    let parts = std::iter::once(lines).filter(|lines| !lines.is_empty()).chain(notices);
    parts.collect::<Vec<_>>().join("\n\n")
}

/// The numbered lines that were asked for, within the limits of a result.
fn select<'a>(lines: &'a [String], wanted: &Lines) -> Vec<(usize, &'a str)> {
    let mut bytes = 0;
    (1..)
        .zip(lines.iter().map(String::as_str))
        .filter(|(number, _)| wanted.wants(*number as u64))
        .take(MAX_LINES)
        .take_while(|(_, line)| {
            bytes += line.len() + 1;
            bytes <= MAX_BYTES
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::job::Job;
    use crate::read::selector::Selector;

    #[tokio::test]
    async fn a_part_of_an_endless_directory_is_called_a_part() {
        let directory = tempfile::tempdir().unwrap();
        let job = Job::in_directory(directory.path());
        let target = Target::new(&job, directory.path().to_owned(), Selector::default());
        let tree = Tree { lines: vec!["a".into()], root_total: 100_000, root_shown: 1, root_partial: true };
        let mut meta = target.meta();
        let text = render(&target, &tree, &mut meta);
        assert!(text.starts_with("a\n\n[The directory has more than 100000 entries"), "{text}");
        assert!(text.contains("only that many were scanned") && meta.limits.is_some(), "{text}");
    }
}
