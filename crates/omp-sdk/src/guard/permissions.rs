//! Rules with their scopes: what the user allowed in this session, in this project, everywhere.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use omp_config::settings::{self, Settings, keys, strings};
use omp_config::{Directories, permissions};
use omp_guard::command::{Script, Shell, ShellContext, Verdict, judge};
use omp_guard::rules::{Rule, Scope, allow, find, propose};
use omp_tools::{first_risk, real_path};

use crate::guard::trust::ProjectTrust;
use crate::session::Session;
use omp_mcp_session::is_named;

/// What stands behind a rule whose commands also run outside the sandbox.
const OUTSIDE: &str = " (outside the sandbox)";

/// A rule that the user agreed to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Granted {
    scope: Scope,
    rule: Rule,
    /// What it allows runs outside the sandbox.
    outside: bool,
}

impl Granted {
    /// A rule as it is written in files.
    fn parse(scope: Scope, text: &str) -> Option<Self> {
        let (text, outside) = match text.strip_suffix(OUTSIDE) {
            Some(text) => (text, true),
            None => (text, false),
        };
        Some(Self { scope, rule: Rule::parse(text)?, outside })
    }

    fn text(&self) -> String {
        format!("{}{}", self.rule, if self.outside { OUTSIDE } else { "" })
    }

    fn public(&self) -> Permission {
        Permission { scope: self.scope, rule: self.text() }
    }
}

/// A rule and where it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permission {
    /// How long it holds.
    pub scope: Scope,
    /// The rule, as it is written in files.
    pub rule: String,
}

/// What a command would do and whether rules speak for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// What it does, one effect a line.
    pub effects: Vec<String>,
    /// Why it is asked about in every mode but yolo.
    pub critical: Option<&'static str>,
    /// It is known that it only reads.
    pub only_reads: bool,
    /// The rules that allow it, if all of it is allowed.
    pub allowed: Option<Vec<Permission>>,
    /// The rules that would allow it.
    pub proposal: Option<Vec<String>>,
}

impl Explanation {
    /// Whether it would run without a question because of a rule.
    pub fn outcome(&self) -> String {
        match (&self.critical, &self.allowed) {
            (Some(reason), _) => format!("asks in every mode but yolo: {reason}"),
            (None, Some(rules)) => {
                let named: Vec<String> =
                    rules.iter().map(|one| format!("{} ({})", one.rule, one.scope.name())).collect();
                format!("runs without a question: {}", named.join(", "))
            }
            (None, None) if self.only_reads => "no rule, but it only reads".to_owned(),
            (None, None) => "no rule allows it; the approval mode decides".to_owned(),
        }
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "effects:")?;
        for line in &self.effects {
            writeln!(f, "  {line}")?;
        }
        writeln!(f, "outcome: {}", self.outcome())?;
        if let (None, Some(rules)) = (&self.allowed, &self.proposal) {
            writeln!(f, "\"always\" would add: {}", rules.join(", "))?;
        }
        Ok(())
    }
}

/// The rules of one session.
pub struct Permissions {
    directories: Directories,
    cwd: PathBuf,
    project: PathBuf,
    rules: Mutex<Vec<Granted>>,
    trust: ProjectTrust,
}

impl Permissions {
    /// The rules that hold where a session works.
    pub fn new(settings: &Settings, trust: ProjectTrust) -> Self {
        let (directories, cwd) = trust.place();
        let project = permissions::project_of(&directories, &cwd);
        let this = Self { directories, cwd, project, rules: Mutex::default(), trust };
        this.reload(settings);
        this
    }

    /// The files may say something else now; what was allowed for the session stays.
    pub fn reload(&self, settings: &Settings) {
        let everywhere = strings(settings.get(keys::TOOLS_APPROVAL_RULES));
        // A file that cannot be read allows nothing.
        let stored = permissions::load(&self.directories).unwrap_or_default();
        let project = stored.of(&self.project).iter();
        let mut rules = self.lock();
        rules.retain(|granted| granted.scope == Scope::Session);
        rules.extend(project.filter_map(|rule| Granted::parse(Scope::Project, rule)));
        rules.extend(everywhere.filter_map(|rule| Granted::parse(Scope::Everywhere, rule)));
    }

    /// Is everything that the command runs allowed?
    pub fn allow(&self, script: &Script) -> bool {
        let rules: Vec<Rule> = self.lock().iter().map(|granted| granted.rule.clone()).collect();
        allow(&rules, script, &[&self.cwd, &self.project])
    }

    /// Are all calls of this tool allowed?
    pub(crate) fn allows_tool(&self, tool: &str) -> bool {
        self.lock().iter().filter_map(|granted| granted.rule.tool()).any(|rule| is_named(rule, tool))
    }

    /// Does this rule, which is about a tool or about edits, hold for calls of a tool of this name?
    pub(crate) fn allows_call(&self, rule: &Rule, tool: &str) -> bool {
        match rule.is_of_edits() {
            true => self.lock().iter().any(|granted| granted.rule == *rule),
            false => self.allows_tool(tool),
        }
    }

    /// Is everything that the command runs allowed outside the sandbox?
    pub(crate) fn let_out(&self, script: &Script) -> bool {
        let rules: Vec<Rule> = self
            .lock()
            .iter()
            .filter(|granted| granted.outside)
            .map(|granted| granted.rule.clone())
            .collect();
        allow(&rules, script, &[&self.cwd, &self.project])
    }

    /// Holds for this session at once, and for later ones if the file can be written.
    pub async fn remember(&self, new: Vec<Rule>, scope: Scope) {
        self.grant(new.into_iter().map(|rule| Granted { scope, rule, outside: false }).collect(), scope)
            .await;
    }

    /// The same, and what the rules allow runs outside the sandbox.
    pub(crate) async fn remember_outside(&self, new: Vec<Rule>, scope: Scope) {
        self.grant(new.into_iter().map(|rule| Granted { scope, rule, outside: true }).collect(), scope).await;
    }

    async fn grant(&self, new: Vec<Granted>, scope: Scope) {
        let texts: Vec<String> = new.iter().map(Granted::text).collect();
        self.lock().extend(new);
        let (directories, project) = (self.directories.clone(), self.project.clone());
        let save = move || match scope {
            Scope::Session => Ok(()),
            Scope::Project => permissions::add(&directories, &project, &texts),
            Scope::Everywhere => {
                settings::add_to_list(&directories, keys::TOOLS_APPROVAL_RULES.path(), texts).map(|_| ())
            }
        };
        // A file that cannot be written costs another question, not the call.
        let _ = tokio::task::spawn_blocking(save).await;
    }

    /// The root under which rules of this project are kept.
    pub fn project(&self) -> &Path {
        &self.project
    }

    /// All rules that hold here, the narrowest first.
    pub fn list(&self) -> Vec<Permission> {
        let mut all: Vec<Permission> = self.lock().iter().map(Granted::public).collect();
        all.sort_by_key(|one| one.scope);
        all
    }

    /// Takes a rule back, wherever it holds. Says where it held.
    pub fn remove(&self, rule: &str) -> Result<Vec<Scope>, settings::SettingsError> {
        let mut scopes: Vec<Scope> = Vec::new();
        if permissions::remove(&self.directories, &self.project, rule)? {
            scopes.push(Scope::Project);
        }
        if settings::remove_from_list(&self.directories, keys::TOOLS_APPROVAL_RULES.path(), rule)? {
            scopes.push(Scope::Everywhere);
        }
        let mut rules = self.lock();
        if rules.iter().any(|granted| granted.scope == Scope::Session && granted.text() == rule) {
            scopes.push(Scope::Session);
        }
        rules.retain(|granted| granted.text() != rule);
        Ok(scopes)
    }

    /// What a command would do here, and what speaks for it.
    pub fn explain(&self, command: &str) -> Explanation {
        let Verdict { critical, effects, script, .. } = self.judge(command);
        let allowed = script.as_ref().filter(|_| critical.is_none()).and_then(|script| self.allowing(script));
        let proposal = script.as_ref().filter(|_| critical.is_none()).and_then(propose);
        Explanation {
            critical,
            only_reads: effects.only_reads(),
            effects: effects.describe(),
            allowed,
            proposal: proposal.map(|rules| rules.iter().map(ToString::to_string).collect()),
        }
    }

    /// What a command does in a fresh shell of this session. Looks behind links, so it may wait for the disk.
    pub fn judge(&self, command: &str) -> Verdict {
        let home = Some(self.directories.home.as_path());
        let shell = &Shell::default();
        let git_risk = |directory: &Path| first_risk(directory).filter(|_| self.trust.code().is_err());
        judge(command, ShellContext { cwd: &self.cwd, home, shell, real: &real_path, git_risk: &git_risk })
    }

    /// The rules that allow each part of a command.
    fn allowing(&self, script: &Script) -> Option<Vec<Permission>> {
        let rules = self.lock();
        let mut used: Vec<Permission> = Vec::new();
        for command in &script.commands {
            let one = rules.iter().find(|granted| {
                find(std::slice::from_ref(&granted.rule), command, &[&self.cwd, &self.project]).is_some()
            })?;
            if !used.contains(&one.public()) {
                used.push(one.public());
            }
        }
        (!used.is_empty()).then_some(used)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Granted>> {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Session {
    /// What the user allowed, and what a command would do.
    pub fn permissions(&self) -> &Permissions {
        self.guard.permissions()
    }
}
