//! The skills in use: those that were found, without the ones the user does not want.

mod filter;
mod invoke;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use omp_config::discovery::{Description, Discovery, Finding, Listing, Origin, Skill};

pub use filter::{SkillFilter, SkillSources};
pub use invoke::{InvokeError, SkillMessage};

pub(crate) use invoke::suggestion;

use filter::Judge;

/// Skills that passed the filters, each name and each file once, in order of precedence.
#[derive(Clone, Debug, Default)]
pub struct Skills {
    chosen: Vec<Finding<Skill>>,
    warnings: Vec<String>,
}

impl Skills {
    /// Looks for skills and filters them. Without `enabled` nothing is looked for.
    pub fn discover(discovery: &Discovery, filter: &SkillFilter) -> Self {
        if !filter.enabled {
            return Self::default();
        }
        let scan = |directory: &Path| discovery.scan_skills(directory, Description::Required);
        Self::select(discovery.skills(), filter, scan)
    }

    /// Filters what was found, then adds the custom directories, which `scan` reads.
    ///
    /// Names are compared after filtering: a source that is disabled hides nothing.
    pub fn select(
        found: Listing<Skill>,
        filter: &SkillFilter,
        scan: impl Fn(&Path) -> Listing<Skill>,
    ) -> Self {
        if !filter.enabled {
            return Self::default();
        }
        let mut selection = Selection::default();
        selection.skills.warnings = found.warnings;
        let judge = Judge::new(filter, &mut selection.skills.warnings);
        for finding in found.all {
            if judge.admits(&finding) {
                selection.add(finding);
            }
        }
        for directory in &filter.custom_directories {
            let listing = scan(directory);
            selection.skills.warnings.extend(listing.warnings);
            // A directory that the user named has no switch of its own.
            for finding in listing.all.into_iter().filter(|finding| judge.admits_name(&finding.item.name)) {
                selection.add(finding);
            }
        }
        selection.skills
    }

    /// The skill of exactly that name, hidden or not.
    pub fn get(&self, name: &str) -> Option<&Skill> {
        self.all().find(|skill| skill.name == name)
    }

    /// Where the skill of that name comes from.
    pub fn origin(&self, name: &str) -> Option<&Origin> {
        self.chosen.iter().find(|finding| finding.item.name == name).map(|finding| &finding.origin)
    }

    /// Every skill in use.
    pub fn all(&self) -> impl Iterator<Item = &Skill> {
        self.chosen.iter().map(|finding| &finding.item)
    }

    /// The skills that the model is told of.
    pub fn listed(&self) -> impl Iterator<Item = &Skill> {
        self.all().filter(|skill| !skill.hidden)
    }

    /// What could not be read, and names that stand for several skills.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

/// Collects skills, the first of a name or a file wins.
#[derive(Default)]
struct Selection {
    skills: Skills,
    files: HashSet<PathBuf>,
}

impl Selection {
    fn add(&mut self, finding: Finding<Skill>) {
        // Two ways to one file are one skill, and nothing to warn of.
        if !self.files.insert(real(&finding.item.file)) {
            return;
        }
        if let Some(first) = self.skills.get(&finding.item.name) {
            let warning = format!(
                "the skill `{}` in {} is ignored: {} has the same name and takes precedence (rename one of \
                 them)",
                finding.item.name,
                finding.item.file.display(),
                first.file.display()
            );
            self.skills.warnings.push(warning);
            return;
        }
        self.skills.chosen.push(Finding { shadowed_by: None, ..finding });
    }
}

/// The path without symbolic links; a file that vanished keeps the one it has.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
