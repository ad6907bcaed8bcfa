//! What the user and the project have written down for the model: context files, skills, rules.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use omp_auth::Environment;
use omp_config::discovery::{ContextFile, Discovery, Listing, Places, PromptFileName, StickyRule};
use omp_config::settings::{ForeignFile, Settings, SettingsError, Sources, keys, strings};
use omp_config::{Directories, discovery};
use omp_extend::{Commands, RuleBook, Skills, always_section, rules_section, skills_section};
use omp_resources::SkillsAndRules;
use serde_json::Map;

use crate::configure;
use crate::guard::trust;
use crate::prompt::Section;
use crate::session::options::{RuleChoice, SessionOptions, SkillChoice};

/// What standing rules may take of every prompt.
const STICKY_LIMIT: usize = 16 * 1024;

/// Everything that was found, read once when the session opens.
pub(crate) struct Knowledge {
    pub(crate) skills: Arc<Skills>,
    pub(crate) rules: Arc<RuleBook>,
    pub(crate) context: Vec<ContextFile>,
    pub(crate) sticky: Option<Arc<str>>,
    /// `SYSTEM.md` and `APPEND_SYSTEM.md`.
    pub(crate) system: Option<String>,
    pub(crate) append: Option<String>,
    pub(crate) warnings: Vec<String>,
    /// Which skills and rules were asked for.
    choice: (SkillChoice, RuleChoice),
}

/// What is known at the moment.
pub(crate) struct CurrentKnowledge(RwLock<Arc<Knowledge>>);

impl CurrentKnowledge {
    pub(crate) fn new(knowledge: Knowledge) -> Self {
        Self(RwLock::new(Arc::new(knowledge)))
    }

    pub(crate) fn get(&self) -> Arc<Knowledge> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn set(&self, knowledge: Knowledge) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(knowledge);
    }
}

impl SkillsAndRules for CurrentKnowledge {
    fn skills(&self) -> Arc<Skills> {
        Arc::clone(&self.get().skills)
    }

    fn rules(&self) -> Arc<RuleBook> {
        Arc::clone(&self.get().rules)
    }
}

impl Knowledge {
    pub(crate) fn load(discovery: &Discovery, settings: &Settings, options: &SessionOptions) -> Self {
        let choice = (options.skills.clone(), options.rules);
        let (skills, rules) = skills_and_rules(discovery, settings, &choice, &options.directories);
        let context = discovery.context_files();
        let sticky = discovery.sticky_rules();
        let file = |name, given: &Option<String>| match given {
            Some(_) => None,
            None => discovery.prompt_file(name).map(|(_, text)| text),
        };
        let mut warnings = Vec::new();
        for found in [skills.warnings(), rules.warnings(), &context.warnings, &sticky.warnings] {
            warnings.extend_from_slice(found);
        }
        let system = file(PromptFileName::System, &options.prompt.system);
        let append = file(PromptFileName::AppendSystem, &options.prompt.append);
        warnings.extend(discovery.prompt_notes());
        Self {
            system,
            append,
            sticky: standing(&sticky, &mut warnings),
            context: context.active().map(|finding| finding.item.clone()).collect(),
            skills,
            rules,
            warnings,
            choice,
        }
    }

    /// The same with the skills and rules of now. What went into the prompt stays.
    pub(crate) fn again(
        &self,
        discovery: &Discovery,
        settings: &Settings,
        directories: &Directories,
    ) -> Self {
        let (skills, rules) = skills_and_rules(discovery, settings, &self.choice, directories);
        let warnings = [skills.warnings(), rules.warnings()].concat();
        Self {
            skills,
            rules,
            warnings,
            choice: self.choice.clone(),
            context: self.context.clone(),
            sticky: self.sticky.clone(),
            system: self.system.clone(),
            append: self.append.clone(),
        }
    }

    /// The sections of the prompt that tell of rules and skills. `own` are texts of the user that may hold a rule
    /// already.
    pub(crate) fn sections(&self, own: &[&str], can_read: bool) -> Vec<Section> {
        let on_demand = |section: Option<String>| section.filter(|_| can_read);
        let sections = [
            ("rules that always apply", always_section(&self.rules, own)),
            ("skills", on_demand(skills_section(&self.skills))),
            ("rules on demand", on_demand(rules_section(&self.rules))),
        ];
        sections.into_iter().filter_map(|(name, text)| Some(Section::new(name, text?))).collect()
    }
}

fn skills_and_rules(
    discovery: &Discovery,
    settings: &Settings,
    (skills, rules): &(SkillChoice, RuleChoice),
    directories: &Directories,
) -> (Arc<Skills>, Arc<RuleBook>) {
    let found = match rules {
        RuleChoice::All => discovery.rules(),
        RuleChoice::None => Listing::default(),
    };
    let skills = Skills::discover(discovery, &configure::skills(settings, skills, directories));
    (Arc::new(skills), Arc::new(RuleBook::sort(found, &configure::rules(settings))))
}

/// The standing rules as one text.
fn standing(found: &Listing<StickyRule>, warnings: &mut Vec<String>) -> Option<Arc<str>> {
    let mut text = String::new();
    for finding in found.active() {
        let rule = finding.item.content.trim();
        if rule.is_empty() {
            continue;
        }
        if text.len() + rule.len() > STICKY_LIMIT {
            warnings.push(format!(
                "{} was skipped: standing rules are sent with every prompt and limited to {STICKY_LIMIT} bytes in total; \
                 shorten it, or move background to AGENTS.md",
                finding.item.path.display()
            ));
            continue;
        }
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(rule);
    }
    (!text.is_empty()).then(|| Arc::from(text))
}

/// Looks around from the session's directory, with the sources that the settings leave on.
pub(crate) fn discovery(directories: &Directories, cwd: &Path, settings: &Settings) -> Discovery {
    let left_out = strings(settings.get(keys::DISABLED_EXTENSIONS)).map(str::to_owned).collect();
    let discovery = Discovery::new(Places::find(directories, cwd), &settings.disabled_providers());
    discovery.without(left_out).admitting(trust::outside(directories, cwd, settings))
}

/// The commands behind `/<name>`.
pub(crate) fn commands(discovery: &Discovery, settings: &Settings) -> Commands {
    Commands::new(discovery.commands(), discovery.prompts(), &configure::commands(settings))
}

/// The settings of a run in `cwd`.
pub fn load_settings(
    directories: &Directories,
    cwd: &Path,
    environment: &dyn Environment,
    overlays: &[PathBuf],
    overrides: Map<String, serde_json::Value>,
) -> Result<Settings, SettingsError> {
    let env = |name: &str| environment.var(name);
    let project_files =
        |disabled: &[String]| -> Vec<ForeignFile> { discovery::settings_files(cwd, disabled) };
    Settings::load(&Sources {
        directories,
        cwd,
        overlays,
        overrides,
        env: &env,
        project_files: &project_files,
    })
}

/// Everything that omp and other agents keep for a run in `cwd`, also what another item hides.
pub fn list_sources(directories: &Directories, cwd: &Path, settings: &Settings) -> discovery::Sources {
    discovery(directories, cwd, settings).sources()
}
