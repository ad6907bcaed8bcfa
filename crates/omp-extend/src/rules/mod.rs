//! The rules in use, by what brings them to the model.

mod normalise;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use omp_config::discovery::{Finding, Listing, Rule};

pub use normalise::normalise;

/// The provider id of rules that are part of the program.
pub const EMBEDDED: &str = "embedded";

/// Bytes of a compiled condition.
const EXPRESSION: usize = 1024 * 1024;

/// The settings that decide which rules are in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleSettings {
    /// `ttsr.disabledRules`: names.
    pub disabled: Vec<String>,
    /// `ttsr.builtinRules`: whether rules of provider [`EMBEDDED`] count.
    pub builtin: bool,
    /// `ttsr.enabled`.
    pub stream: StreamRules,
}

impl Default for RuleSettings {
    fn default() -> Self {
        Self { disabled: Vec::new(), builtin: true, stream: StreamRules::Watch }
    }
}

/// Whether rules with a condition watch what the model writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StreamRules {
    #[default]
    Watch,
    /// Their conditions do not count: they are told, listed or inactive like any other rule.
    Ignore,
}

/// Rules in four parts, each in order of precedence.
#[derive(Clone, Debug, Default)]
pub struct RuleBook {
    stream: Vec<Rule>,
    always: Vec<Rule>,
    listed: Vec<Rule>,
    inactive: Vec<Rule>,
    warnings: Vec<String>,
}

impl RuleBook {
    /// Sorts what was found. Of several rules with one name the first counts.
    pub fn sort(found: Listing<Rule>, settings: &RuleSettings) -> Self {
        let mut book = Self { warnings: found.warnings, ..Self::default() };
        let mut names = HashSet::new();
        for finding in found.all {
            if is_wanted(&finding, settings) && names.insert(finding.item.name.clone()) {
                book.add(normalise(finding.item), settings.stream);
            }
        }
        book
    }

    fn add(&mut self, mut rule: Rule, stream: StreamRules) {
        let watches = match stream {
            StreamRules::Watch => self.keep_usable_conditions(&mut rule),
            StreamRules::Ignore => false,
        };
        let part = if watches {
            &mut self.stream
        } else if rule.always_apply {
            &mut self.always
        } else if rule.description.as_deref().is_some_and(|text| !text.trim().is_empty()) {
            &mut self.listed
        } else {
            &mut self.inactive
        };
        part.push(rule);
    }

    /// Drops conditions that can never match, and says so. Whether any is left.
    fn keep_usable_conditions(&mut self, rule: &mut Rule) -> bool {
        let (name, path) = (rule.name.clone(), rule.path.clone());
        rule.condition.retain(|condition| match expression(condition) {
            Ok(_) => true,
            Err(error) => {
                self.warnings.push(format!(
                    "rule `{name}` in {}: the condition `{condition}` is not a valid regular expression \
                     ({error}) and is ignored",
                    path.display()
                ));
                false
            }
        });
        !rule.condition.is_empty() || !rule.ast_condition.is_empty()
    }

    /// Rules that wait for what the model writes; only they have usable conditions.
    pub fn stream(&self) -> &[Rule] {
        &self.stream
    }

    /// Rules whose text stands in the system prompt.
    pub fn always(&self) -> &[Rule] {
        &self.always
    }

    /// Rules that the system prompt names, to be read on demand.
    pub fn listed(&self) -> &[Rule] {
        &self.listed
    }

    /// Rules that nothing brings to the model: they have neither a description nor a condition.
    pub fn inactive(&self) -> &[Rule] {
        &self.inactive
    }

    /// The rule that `rule://<name>` names.
    pub fn reachable(&self, name: &str) -> Option<&Rule> {
        self.all_reachable().find(|rule| rule.name == name)
    }

    /// Every rule that `rule://` can name.
    pub fn all_reachable(&self) -> impl Iterator<Item = &Rule> {
        self.listed.iter().chain(&self.always)
    }

    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

/// Compiles a condition; one that would take megabytes is as bad as a broken one.
fn expression(condition: &str) -> Result<fancy_regex::Regex, Box<fancy_regex::Error>> {
    fancy_regex::RegexBuilder::new(condition).delegate_size_limit(EXPRESSION).build().map_err(Box::new)
}

fn is_wanted(finding: &Finding<Rule>, settings: &RuleSettings) -> bool {
    let embedded = finding.origin.provider == EMBEDDED;
    (settings.builtin || !embedded) && !settings.disabled.contains(&finding.item.name)
}
