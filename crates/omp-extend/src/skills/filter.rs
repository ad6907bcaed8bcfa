//! Which skills the user wants.

use std::path::PathBuf;

use globset::{Glob, GlobSet, GlobSetBuilder};
use omp_config::discovery::{Finding, Level, Origin, Skill};

/// The settings that decide which skills are in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillFilter {
    /// `skills.enabled`, and not `--no-skills`.
    pub enabled: bool,
    pub sources: SkillSources,
    /// `disabledExtensions`: the entries `skill:<name>` count here.
    pub disabled_extensions: Vec<String>,
    /// `skills.ignoredSkills`: globs.
    pub ignored: Vec<String>,
    /// `skills.includeSkills`: globs; empty means all.
    pub included: Vec<String>,
    /// `skills.customDirectories`: absolute paths.
    pub custom_directories: Vec<PathBuf>,
    /// `--skills`: globs that stand in for `included` in this run.
    pub only: Option<Vec<String>>,
}

impl Default for SkillFilter {
    fn default() -> Self {
        Self {
            enabled: true,
            sources: SkillSources::default(),
            disabled_extensions: Vec::new(),
            ignored: Vec::new(),
            included: Vec::new(),
            custom_directories: Vec::new(),
            only: None,
        }
    }
}

/// The switches `skills.enable…`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SkillSources {
    pub codex_user: bool,
    pub claude_user: bool,
    pub claude_project: bool,
    pub pi_user: bool,
    pub pi_project: bool,
    pub agents_user: bool,
    pub agents_project: bool,
}

impl Default for SkillSources {
    fn default() -> Self {
        Self {
            codex_user: true,
            claude_user: true,
            claude_project: true,
            pi_user: true,
            pi_project: true,
            agents_user: true,
            agents_project: true,
        }
    }
}

impl SkillSources {
    /// Whether skills from there are wanted. A source without a switch goes with any of the others.
    pub fn admit(&self, origin: &Origin) -> bool {
        match (origin.provider, origin.level) {
            ("codex", Level::User) => self.codex_user,
            ("claude", Level::User) => self.claude_user,
            ("claude", Level::Project) => self.claude_project,
            ("native", Level::User) => self.pi_user,
            ("native", Level::Project) => self.pi_project,
            ("agents", Level::User) => self.agents_user,
            ("agents", Level::Project) => self.agents_project,
            _ => self.any(),
        }
    }

    fn any(&self) -> bool {
        self.codex_user
            || self.claude_user
            || self.claude_project
            || self.pi_user
            || self.pi_project
            || self.agents_user
            || self.agents_project
    }
}

/// The filter with its globs compiled.
pub(super) struct Judge<'a> {
    filter: &'a SkillFilter,
    ignored: Patterns,
    included: Patterns,
}

impl<'a> Judge<'a> {
    pub(super) fn new(filter: &'a SkillFilter, warnings: &mut Vec<String>) -> Self {
        let ignored = Patterns::new(&filter.ignored, "skills.ignoredSkills", warnings);
        let included = match &filter.only {
            Some(only) => Patterns::new(only, "--skills", warnings),
            None => Patterns::new(&filter.included, "skills.includeSkills", warnings),
        };
        Self { filter, ignored, included }
    }

    pub(super) fn admits(&self, finding: &Finding<Skill>) -> bool {
        self.filter.sources.admit(&finding.origin) && self.admits_name(&finding.item.name)
    }

    pub(super) fn admits_name(&self, name: &str) -> bool {
        !self.is_disabled(name)
            && !self.ignored.matches(name)
            && (self.included.is_empty() || self.included.matches(name))
    }

    fn is_disabled(&self, name: &str) -> bool {
        let entries = self.filter.disabled_extensions.iter();
        entries.filter_map(|entry| entry.strip_prefix("skill:")).any(|disabled| disabled == name)
    }
}

/// Globs over names.
struct Patterns {
    globs: GlobSet,
    /// What is no glob is a name.
    names: Vec<String>,
}

impl Patterns {
    fn new(written: &[String], setting: &str, warnings: &mut Vec<String>) -> Self {
        let mut builder = GlobSetBuilder::new();
        let mut names = Vec::new();
        for pattern in written {
            match Glob::new(pattern) {
                Ok(glob) => {
                    builder.add(glob);
                }
                Err(error) => {
                    warnings.push(format!(
                        "{setting}: `{pattern}` is not a valid glob ({}); it is matched as a plain name",
                        error.kind()
                    ));
                    names.push(pattern.clone());
                }
            }
        }
        let globs = builder.build().unwrap_or_else(|error| {
            warnings.push(format!("{setting}: the globs are too large in total ({error}); none is used"));
            GlobSet::empty()
        });
        Self { globs, names }
    }

    fn is_empty(&self) -> bool {
        self.globs.is_empty() && self.names.is_empty()
    }

    fn matches(&self, name: &str) -> bool {
        self.globs.is_match(name) || self.names.iter().any(|known| known == name)
    }
}
