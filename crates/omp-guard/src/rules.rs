//! Commands that a person allowed.
//!
//! A rule is the beginning of a command: `git status *` allows `git status` with any arguments, `make test` allows just
//! that. A call is allowed only if every simple command in it is: nothing is gained by writing another command behind
//! `;`, `&&` or a pipe, and neither variables, nor files that the shell writes, nor substitutions are covered. A
//! beginning reaches only what has the same kinds of effects: `git diff *` says nothing about `git diff --output=F`, nor
//! about an option that the table of effects does not know.
//!
//! Two rules are not about commands: the name of a tool of an MCP server allows its calls, and [`EDITS`] allows changes of
//! files in the workspace. What such a call does beyond that is asked about as before.

use std::fmt;
use std::path::Path;

use crate::command::{Script, Shell, ShellContext, Simple, judge};
use crate::effects::{Executes, Kinds, Matched, Unknown};

/// How the names of tools begin that rules can be about.
const TOOL: &str = "mcp__";
/// The rule about files, in files and lists. No command can be written so.
const EDITS: &str = "edit(*)";

/// Where and how long a rule holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Until the session ends.
    Session,
    /// In this project, also later. What "always" means.
    Project,
    /// In all projects.
    Everywhere,
}

impl Scope {
    /// All of them, the narrowest first.
    pub const ALL: [Self; 3] = [Self::Session, Self::Project, Self::Everywhere];

    /// The answer that gives a rule this scope.
    pub fn answer(self) -> &'static str {
        match self {
            Self::Session => "Yes, for this session",
            Self::Project => "Yes, always in this project",
            Self::Everywhere => "Yes, always in every project",
        }
    }

    /// As it is named in lists.
    pub fn name(self) -> &'static str {
        match self {
            Self::Session => "this session",
            Self::Project => "this project",
            Self::Everywhere => "everywhere",
        }
    }
}

/// One allowed beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    words: Vec<String>,
    /// Further arguments may follow.
    open: bool,
    /// What the table says about the beginning.
    row: Option<Matched>,
}

impl Rule {
    /// Reads a rule. `None` for a text that is not one plain command.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text == EDITS {
            return Some(Self::of_edits());
        }
        if text.starts_with(TOOL) && !text.contains(char::is_whitespace) {
            return Self::of_tool(text);
        }
        let (text, open) = match text.strip_suffix(" *") {
            Some(beginning) => (beginning, true),
            None => (text, false),
        };
        let real = |path: &Path| path.to_owned();
        let script = judge(
            text,
            ShellContext {
                cwd: Path::new("/"),
                home: None,
                shell: &Shell::default(),
                real: &real,
                git_risk: &|_| None,
            },
        )
        .script?;
        let [Simple { words, plain: true, row, .. }] = script.commands.as_slice() else { return None };
        let words: Option<Vec<String>> = words.iter().cloned().collect();
        let names_program = |words: &Vec<String>| words.first().is_some_and(|program| !program.contains('*'));
        words.filter(names_program).map(|words| Self { words, open, row: *row })
    }

    /// The rule for all calls of a tool; only those of MCP servers can be allowed so.
    pub fn of_tool(name: &str) -> Option<Self> {
        let words = vec![name.to_owned()];
        name.starts_with(TOOL).then_some(Self { words, open: false, row: None })
    }

    /// The tool that it allows, as it is spelled.
    pub fn tool(&self) -> Option<&str> {
        match self.words.as_slice() {
            [name] if name.starts_with(TOOL) => Some(name),
            _ => None,
        }
    }

    /// The rule for changes of files in the workspace.
    pub fn of_edits() -> Self {
        Self { words: vec![EDITS.to_owned()], open: false, row: None }
    }

    /// Is it the one of [`Rule::of_edits`]?
    pub fn is_of_edits(&self) -> bool {
        *self == Self::of_edits()
    }

    /// What it allows, for people who are asked whether it should hold.
    pub fn about(&self) -> String {
        match self.is_of_edits() {
            true => "all edits of files in the workspace".to_owned(),
            false => self.to_string(),
        }
    }

    fn allows(&self, command: &Simple, roots: &[&Path]) -> bool {
        // A program of that name is something else.
        if self.tool().is_some() || self.is_of_edits() {
            return false;
        }
        let fits = match self.open {
            true => command.words.len() >= self.words.len(),
            false => command.words.len() == self.words.len(),
        };
        let same = |(own, word): (&String, &Option<String>)| word.as_ref() == Some(own);
        if matches!(command.effects.unknown, Some(Unknown::Repository(_))) {
            // It was agreed to where the repository did not choose what runs.
            return false;
        }
        let begins = command.plain && fits && self.words.iter().zip(&command.words).all(same);
        begins && (!self.open || self.reaches(command, roots))
    }

    /// Does the command do nothing of another kind than what was allowed?
    fn reaches(&self, command: &Simple, roots: &[&Path]) -> bool {
        let Some(row) = self.row else { return is_literal(command) };
        let kinds = if row.family { with_family(row.kinds) } else { row.kinds };
        let effects = &command.effects;
        // Nothing is left to add to a program that runs anything.
        let judged = effects.unknown.is_none()
            || row.kinds.executes == Executes::Arbitrary && is_literal(command) && !row.family;
        let changed = effects.writes.iter().chain(&effects.destroys).chain(&effects.programs);
        judged && effects.kinds().is_within(kinds) && changed.into_iter().all(|target| target.is_in(roots))
    }

    /// The rule for what a person allowed: the same command with any arguments where that says enough, else just this.
    fn of(command: &Simple) -> Option<Self> {
        let words: Vec<String> = command.words.iter().cloned().collect::<Option<_>>()?;
        let by_repository = matches!(command.effects.unknown, Some(Unknown::Repository(_)));
        // A program may be called as rules about other things are written.
        let is_ambiguous = words.len() == 1 && (words[0].starts_with(TOOL) || words[0] == EDITS);
        if !command.plain || words.is_empty() || by_repository || is_ambiguous {
            return None;
        }
        let begins = command.row.filter(|row| {
            let Matched { words, kinds, named, family } = *row;
            let safe =
                kinds.executes <= Executes::Project && !kinds.destroys && !kinds.outside && !kinds.elsewhere;
            let says_enough = kinds == Kinds::default() || words > 1 || kinds.executes == Executes::Project;
            let same = command.effects.unknown.is_none() && command.effects.kinds().is_within(kinds);
            words > 0 && !named && !family && safe && says_enough && same
        });
        Some(match begins {
            Some(row) => Self { words: words[..row.words].to_vec(), open: true, row: Some(row) },
            None => Self { words, open: false, row: command.row },
        })
    }
}

/// A program that is not in the table, or one that runs anything: all its words must be known.
fn is_literal(command: &Simple) -> bool {
    let readable = matches!(
        command.effects.unknown,
        None | Some(Unknown::Program(_) | Unknown::Option { .. } | Unknown::Operand { .. })
    );
    readable && command.words.iter().all(Option::is_some)
}

/// What a rule for all commands of a program reaches: what stays in the project.
fn with_family(kinds: Kinds) -> Kinds {
    Kinds { writes: true, network: true, executes: kinds.executes.max(Executes::Project), ..kinds }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(tool) = self.tool() {
            return f.write_str(tool);
        }
        if self.is_of_edits() {
            return f.write_str(EDITS);
        }
        let words: Vec<String> = self.words.iter().map(|word| quoted(word)).collect();
        f.write_str(&words.join(" "))?;
        f.write_str(if self.open { " *" } else { "" })
    }
}

fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./:=@%+,".contains(letter);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// The rule that allows this command, if it changes nothing outside these directories that was not named.
pub fn find<'r>(rules: &'r [Rule], command: &Simple, roots: &[&Path]) -> Option<&'r Rule> {
    rules.iter().find(|rule| rule.allows(command, roots))
}

/// Is everything that the command runs allowed?
pub fn allow(rules: &[Rule], script: &Script, roots: &[&Path]) -> bool {
    !script.commands.is_empty() && script.commands.iter().all(|command| find(rules, command, roots).is_some())
}

/// The rules under which this command would need no question. `None` if there can be none.
pub fn propose(script: &Script) -> Option<Vec<Rule>> {
    let mut rules: Vec<Rule> = Vec::new();
    for command in &script.commands {
        let rule = Rule::of(command)?;
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    (!rules.is_empty()).then_some(rules)
}

#[cfg(test)]
mod tests;
