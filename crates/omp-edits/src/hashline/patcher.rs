//! One section of a patch against one file.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use crate::hashline::apply::{self, Change, Source, Steps};
use crate::hashline::error::EditError;
use crate::hashline::lines::Lines;
use crate::hashline::mismatch;
use crate::hashline::patch::{Operation, Section};
use crate::hashline::recover::{How, Live, recover};
use crate::hashline::repair::repair;
use crate::hashline::snapshots::Snapshots;
use crate::hashline::syntax::Syntax;

/// Larger texts are not looked at for syntax errors, in bytes.
const MAX_CHECKED: usize = 64 * 1024;

/// Lines shown when a hunk aims at lines that were never displayed.
const UNSEEN_SHOWN: usize = 40;

/// A file as it is now.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    /// The resolved path: what snapshots are kept under.
    pub key: &'a str,
    /// With `\n` ends and no byte order mark.
    pub text: &'a str,
}

/// What a section comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// The file's new text.
    pub text: String,
    /// The same as changes of the file's lines, in order.
    pub changes: Vec<Change>,
    pub warnings: Vec<String>,
    /// What block operations were resolved to. Empty where the file had changed since it was read.
    pub blocks: Vec<BlockSpan>,
}

/// The lines that a block operation stood for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockSpan {
    pub operation: Operation,
    pub first: usize,
    pub last: usize,
}

impl BlockSpan {
    /// The line of the result that tells the model what was taken for the block.
    pub fn shown(&self) -> String {
        let shown = self.operation.shown();
        let (name, first, last) = (shown.trim_end_matches(':'), self.first, self.last);
        let span = match last - first {
            0 => format!("resolved line {first} (1 line)"),
            more => format!("resolved lines {first}-{last} ({} lines)", more + 1),
        };
        match self.operation {
            Operation::InsertAfterBlock { .. } => format!("{name} → {span}; body lands after line {last}"),
            _ => format!("{name} → {span}"),
        }
    }
}

/// Plans edits.
#[derive(Clone, Copy)]
pub struct Patcher<'a> {
    pub syntax: &'a dyn Syntax,
    /// Refuse hunks that aim at lines which were never displayed.
    pub enforce_seen: bool,
}

impl Patcher<'_> {
    /// What the section does to the file. Nothing is written; a refusal leaves no trace but that the file's text is
    /// remembered, so that the tag in the refusal can be used.
    pub fn plan(
        &self,
        section: &Section,
        file: File<'_>,
        snapshots: &mut Snapshots,
    ) -> Result<Planned, EditError> {
        let current = snapshots.tag(file.key, file.text);
        let lines = Lines::of(file.text);
        let fresh = current == section.tag && snapshots.stands_for(file.key, section.tag, file.text);
        if fresh && self.enforce_seen {
            snapshots.record(file.key, file.text);
        }
        self.check_seen(section, file.key, snapshots)?;
        let planned = if fresh {
            self.directly(section, file.text, &lines)?
        } else if section.hunks.iter().all(|hunk| hunk.operation.anchors().is_none()) {
            let mut planned = self.directly(section, file.text, &lines)?;
            let (path, tag) = (&section.path, section.tag);
            let drift = match snapshots.text(file.key, tag) {
                Some(_) => format!("{path} changed since it was read (#{tag}, now #{current})"),
                None => format!("#{tag} is not a hash of {path} from this session; the file is #{current}"),
            };
            planned.warnings.push(format!("{drift}; the head or tail was added to the file as it is."));
            planned
        } else {
            match self.recovered(section, file, &lines, snapshots) {
                Some(planned) => planned,
                None => {
                    let known = snapshots.text(file.key, section.tag).is_some();
                    snapshots.record(file.key, file.text);
                    return Err(mismatch::error(section, &lines, current, known));
                }
            }
        };
        Ok(self.with_syntax_warning(planned, section, file.text))
    }

    fn directly(&self, section: &Section, text: &str, lines: &Lines<'_>) -> Result<Planned, EditError> {
        let Steps { steps, blocks, warnings } = self.steps(section, text, lines)?;
        let changes = apply::changes(&steps);
        Ok(Planned { text: apply::rewrite(lines, &changes), changes, warnings, blocks })
    }

    fn steps(&self, section: &Section, text: &str, lines: &Lines<'_>) -> Result<Steps, EditError> {
        let source = Source { path: &section.path, text, lines, syntax: self.syntax };
        let mut steps = apply::resolve(&section.hunks, source)?;
        repair(&mut steps.steps, source, &mut steps.warnings)?;
        Ok(steps)
    }

    fn recovered(
        &self,
        section: &Section,
        file: File<'_>,
        lines: &Lines<'_>,
        snapshots: &Snapshots,
    ) -> Option<Planned> {
        let versions = snapshots.versions(file.key);
        let from = versions.iter().rposition(|version| version.tag == section.tag)?;
        let old = &versions[from].text;
        let mut found = self.steps(section, old, &Lines::of(old)).ok()?;
        let recovered = recover(&found.steps, versions, from, Live { text: file.text, lines })?;
        apply::check_overlap(&recovered.steps).ok()?;
        let changes = apply::changes(&recovered.steps);
        let path = &section.path;
        found.warnings.push(match recovered.how {
            How::External => format!(
                "{path} was changed by something else since it was read; recovered from a stale file hash using a \
                 previous read snapshot."
            ),
            How::Chain => format!(
                "The tag is older than your own later edit of {path}; recovered through the session's edits. Use the \
                 tag of the latest result."
            ),
            How::Replay => format!(
                "The tag is older than your own later edit right beside these lines of {path}; replayed on the file \
                 as it is. Verify the result."
            ),
        });
        if recovered.offset != 0 {
            found
                .warnings
                .push(format!("The lines had moved by {:+}; the edit followed them.", recovered.offset));
        }
        let text = apply::rewrite(lines, &changes);
        Some(Planned { text, changes, warnings: found.warnings, blocks: Vec::new() })
    }

    /// Refuses lines that were not displayed of the text that the tag stands for.
    fn check_seen(&self, section: &Section, key: &str, snapshots: &mut Snapshots) -> Result<(), EditError> {
        let text = if self.enforce_seen { snapshots.text(key, section.tag) } else { None };
        let Some(text) = text else { return Ok(()) };
        let lines = Lines::of(&text);
        let anchors = section.hunks.iter().filter_map(|hunk| hunk.operation.anchors());
        let named = anchors.flat_map(|(first, last)| RangeInclusive::new(first, last.min(lines.count())));
        let unseen = named.filter(|line| !snapshots.has_seen(key, section.tag, *line));
        let unseen: BTreeSet<usize> = unseen.collect();
        if unseen.is_empty() {
            return Ok(());
        }
        let mut rows = String::new();
        for line in unseen.iter().take(UNSEEN_SHOWN) {
            rows.push_str(&format!("\n{line}:{}", lines.get(*line).map(mismatch::cut).unwrap_or_default()));
            snapshots.saw(key, section.tag, *line, *line);
        }
        let next = match unseen.len() > UNSEEN_SHOWN {
            true => format!(
                "These are the first {UNSEEN_SHOWN} of {}; read the others before the next try",
                unseen.len()
            ),
            false => "They are shown now; send the edit again if it is still right".to_owned(),
        };
        Err(EditError::Unseen(format!(
            "{} was not displayed at these lines, so the edit was not applied. {next}:\n{rows}",
            section.path
        )))
    }

    fn with_syntax_warning(&self, mut planned: Planned, section: &Section, before: &str) -> Planned {
        // Reading a whole large file twice would take longer than the edit; the warning is a courtesy.
        if before.len().max(planned.text.len()) > MAX_CHECKED {
            return planned;
        }
        let parses = |text: &str| self.syntax.parses(&section.path, text);
        if planned.text != before && parses(&planned.text) == Some(false) && parses(before) == Some(true) {
            let line = planned.changes.first().map_or(1, |change| change.start + 1);
            planned.warnings.push(format!(
                "The edit stands, but {} had no syntax error before and has one now, near line {line}.",
                section.path
            ));
        }
        planned
    }
}
