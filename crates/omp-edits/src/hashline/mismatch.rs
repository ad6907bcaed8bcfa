//! What a refused edit shows of the file.

use std::collections::BTreeMap;

use crate::hashline::error::EditError;
use crate::hashline::lines::Lines;
use crate::hashline::patch::Section;
use crate::hashline::tag::Tag;

/// Lines shown on each side of an anchor.
const AROUND: usize = 2;
/// Rows shown at most.
const ROWS: usize = 80;
/// Characters shown of a line.
const WIDTH: usize = 240;

/// Numbered rows around the anchors, which are marked; `...` stands for what lies between.
pub(crate) fn context(lines: &Lines<'_>, anchors: &[(usize, usize)]) -> String {
    let mut rows: BTreeMap<usize, bool> = BTreeMap::new();
    for (first, last) in anchors {
        // Of lines behind the end, the end is shown.
        if *last > lines.count() {
            for line in lines.count().saturating_sub(AROUND)..=lines.count() {
                rows.entry(line).or_insert(false);
            }
        }
        // A long range is shown by its ends.
        let start = *first..=(*last).min(first.saturating_add(AROUND));
        let end = last.saturating_sub(AROUND).max(start.end().saturating_add(1))..=*last;
        for line in start.chain(end) {
            for near in line.saturating_sub(AROUND).max(1)..=line.saturating_add(AROUND) {
                rows.entry(near).or_insert(false);
            }
            rows.insert(line, true);
        }
    }
    let mut text = String::new();
    let mut previous = None;
    for (line, anchored) in rows.into_iter().take(ROWS) {
        let Some(content) = lines.get(line) else { continue };
        if previous.is_some_and(|previous| previous + 1 < line) {
            text.push_str("...\n");
        }
        previous = Some(line);
        let mark = if anchored { '*' } else { ' ' };
        text.push_str(&format!("{mark}{line}:{}\n", cut(content)));
    }
    text.truncate(text.trim_end_matches('\n').len());
    text
}

pub(crate) fn cut(line: &str) -> String {
    match line.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// The refusal of a section whose tag does not name the file as it is.
pub(crate) fn error(section: &Section, lines: &Lines<'_>, current: Tag, known: bool) -> EditError {
    let (path, tag) = (&section.path, section.tag);
    let reason = match known {
        true => format!(
            "Edit rejected: {path} changed between read and edit (expected #{tag}, the file is now #{current}), \
             and the lines to edit could not be found again unchanged."
        ),
        false => format!(
            "Edit rejected: #{tag} is not a hash of {path} from this session; the file is #{current}. Never make \
             up a tag: copy it from the latest read, search, write or edit output."
        ),
    };
    let anchors: Vec<_> = section.hunks.iter().filter_map(|hunk| hunk.operation.anchors()).collect();
    let context = context(lines, &anchors);
    let rows = if context.is_empty() { String::new() } else { format!("\n\n{context}") };
    EditError::Mismatch(format!(
        "{reason} The lines named by the patch are shown as they are now; correct the numbers and use \
         [{path}#{current}].{rows}"
    ))
}
