//! The way through a parsed command, simple command by simple command.

use std::path::PathBuf;

use brush_parser::ast::{
    AndOrList, Command, CompoundCommand, CompoundList, ExtendedTestExpr, FunctionDefinition, Pipeline,
    Program, Word,
};
use brush_parser::{Parser, ParserOptions};

use super::execute::{self, Role};
use super::git_clean::GitClean;
use super::shell::Shell;
use super::word::Text;
use super::{BEYOND, ShellContext, critical};

/// Texts within texts that are followed: `bash -c`, `eval`, substitutions.
const DEEPEST: usize = 8;
/// Open brackets and compound commands within each other; more is not given to the parser, which is recursive.
const NESTING: usize = 32;
/// Values of a loop variable that are followed.
const ROUNDS: usize = 16;

/// What holds at one place of the command.
#[derive(Clone)]
pub(super) struct WalkState {
    pub(super) shell: Shell,
    /// `None` after a `cd` to a place that only a run can tell.
    pub(super) cwd: Option<PathBuf>,
}

/// What following a command brought to light.
pub(super) struct Followed {
    pub(super) critical: Option<&'static str>,
    pub(super) at_stake: Vec<PathBuf>,
    pub(super) git_cleans: Vec<GitClean>,
    pub(super) shell: Shell,
}

/// Looks at everything a command does.
pub(super) struct Walk<'a> {
    pub(super) place: ShellContext<'a>,
    pub(super) state: WalkState,
    found: Option<&'static str>,
    /// Places of which something would be gone.
    pub(super) at_stake: Vec<PathBuf>,
    pub(super) git_cleans: Vec<GitClean>,
    /// What each program does with what it reads and writes, for pipelines.
    pub(super) roles: Vec<Role>,
    /// What the last simple command prints, if its words tell.
    pub(super) printed: Option<String>,
    /// Functions that are being followed, and how many were.
    pub(super) following: Vec<String>,
    pub(super) calls: usize,
    depth: usize,
}

impl<'a> Walk<'a> {
    pub(super) fn new(place: ShellContext<'a>) -> Self {
        let text = |path: &std::path::Path| path.to_string_lossy().into_owned();
        let mut shell = place.shell.clone();
        let usual = [("PWD", Some(place.cwd)), ("HOME", place.home)];
        for (name, path) in usual.into_iter().filter_map(|(name, path)| Some((name, path?))) {
            shell.variables.entry(name.to_owned()).or_insert_with(|| text(path));
        }
        let state = WalkState { shell, cwd: Some(place.cwd.to_owned()) };
        let (roles, following) = (Vec::new(), Vec::new());
        Self {
            place,
            state,
            found: None,
            at_stake: Vec::new(),
            git_cleans: Vec::new(),
            roles,
            printed: None,
            following,
            calls: 0,
            depth: 0,
        }
    }

    pub(super) fn finish(self) -> Followed {
        Followed {
            critical: self.found,
            at_stake: self.at_stake,
            git_cleans: self.git_cleans,
            shell: self.state.shell,
        }
    }

    /// Follows a text that a shell would run. `false` if it is not a command as far as we can read.
    pub(super) fn script(&mut self, text: &str) -> bool {
        if self.depth >= DEEPEST || !is_readable(text) {
            self.find(Some(BEYOND));
            return false;
        }
        let Some(program) = parsed(text) else { return false };
        self.depth += 1;
        for list in &program.complete_commands {
            self.list(list);
        }
        self.depth -= 1;
        true
    }

    /// Can the text be read?
    pub(super) fn is_command(text: &str) -> bool {
        is_readable(text) && parsed(text).is_some()
    }

    pub(super) fn find(&mut self, reason: Option<&'static str>) {
        self.found = self.found.or(reason);
    }

    pub(super) fn list(&mut self, list: &CompoundList) {
        for item in &list.0 {
            self.chain(&item.0);
        }
    }

    fn chain(&mut self, chain: &AndOrList) {
        for (_, pipeline) in chain {
            self.pipeline(pipeline);
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline) {
        if let [command] = pipeline.seq.as_slice() {
            self.command(command);
            return;
        }
        let mut fetched = false;
        for command in &pipeline.seq {
            // Every stage is a shell of its own.
            let begun = self.roles.len();
            let incoming = self.printed.take();
            self.apart(|walk| walk.command(command));
            if let Some(text) = incoming.filter(|_| self.roles[begun..].contains(&Role::RunsInput)) {
                self.apart(|walk| walk.script(&text));
            }
            let does = |role| self.roles[begun..].contains(&role);
            let (fetches, runs) = (does(Role::Fetches), does(Role::RunsInput));
            self.find((fetched && runs).then_some(execute::REASON));
            fetched |= fetches;
        }
    }

    /// Follows something that cannot change variables or the directory of what comes after it.
    pub(super) fn apart<T>(&mut self, follow: impl FnOnce(&mut Self) -> T) -> T {
        let state = self.state.clone();
        let result = follow(self);
        self.state = state;
        result
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Compound(compound, redirects) => {
                self.redirects(redirects.as_ref());
                self.compound(compound);
            }
            Command::Function(function) => self.function(function),
            Command::ExtendedTest(test, redirects) => {
                self.redirects(redirects.as_ref());
                self.test(&test.expr);
            }
        }
    }

    fn compound(&mut self, compound: &CompoundCommand) {
        match compound {
            CompoundCommand::Arithmetic(arithmetic) => self.arithmetic(&arithmetic.expr.value),
            CompoundCommand::ArithmeticForClause(clause) => {
                for expression in
                    [&clause.initializer, &clause.condition, &clause.updater].into_iter().flatten()
                {
                    self.arithmetic(&expression.value);
                }
                self.list(&clause.body.list);
            }
            CompoundCommand::BraceGroup(group) => self.list(&group.list),
            CompoundCommand::Subshell(subshell) => self.apart(|walk| walk.list(&subshell.list)),
            CompoundCommand::ForClause(clause) => {
                let raw = clause.values.iter().flatten();
                let values: Vec<Text> = raw.flat_map(|word| self.words(word)).collect();
                let rounds = values
                    .iter()
                    .map(Some)
                    .take(ROUNDS)
                    .chain([None].into_iter().filter(|_| values.is_empty()));
                for value in rounds {
                    self.assign(&clause.variable_name, value);
                    self.list(&clause.body.list);
                }
            }
            CompoundCommand::CaseClause(clause) => {
                self.words(&clause.value);
                for case in &clause.cases {
                    case.patterns.iter().for_each(|pattern| {
                        self.words(pattern);
                    });
                    case.cmd.iter().for_each(|list| self.list(list));
                }
            }
            CompoundCommand::IfClause(clause) => {
                self.list(&clause.condition);
                self.list(&clause.then);
                for other in clause.elses.iter().flatten() {
                    other.condition.iter().for_each(|list| self.list(list));
                    self.list(&other.body);
                }
            }
            CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
                self.list(&clause.0);
                self.list(&clause.1.list);
            }
            CompoundCommand::Coprocess(process) => self.apart(|walk| walk.command(&process.body)),
        }
    }

    fn arithmetic(&mut self, expression: &str) {
        self.words(&Word::new(expression));
    }

    fn function(&mut self, function: &FunctionDefinition) {
        self.find(critical::fork_bomb(function));
        self.apart(|walk| {
            walk.redirects(function.body.1.as_ref());
            walk.compound(&function.body.0);
        });
        self.define(&function.fname.value, &function.body.to_string());
    }

    fn test(&mut self, expression: &ExtendedTestExpr) {
        match expression {
            ExtendedTestExpr::And(one, other) | ExtendedTestExpr::Or(one, other) => {
                self.test(one);
                self.test(other);
            }
            ExtendedTestExpr::Not(one) | ExtendedTestExpr::Parenthesized(one) => self.test(one),
            ExtendedTestExpr::UnaryTest(_, word) => {
                self.words(word);
            }
            ExtendedTestExpr::BinaryTest(_, one, other) => {
                self.words(one);
                self.words(other);
            }
        }
    }
}

fn parsed(text: &str) -> Option<Program> {
    Parser::new(text.as_bytes(), &ParserOptions::default()).parse_program().ok()
}

/// May the text be given to the parser?
fn is_readable(text: &str) -> bool {
    nesting(text) <= NESTING && !has_odd_document(text)
}

/// Is there a here-document without a plain delimiter? The parser looks for the end of such a one for ever.
fn has_odd_document(text: &str) -> bool {
    let operators = text.match_indices("<<").filter(|(at, _)| !text[..*at].ends_with('<'));
    operators.into_iter().any(|(at, _)| {
        let behind = &text[at + 2..];
        let is_string = behind.starts_with('<');
        let behind = behind.strip_prefix('-').unwrap_or(behind).trim_start_matches([' ', '\t']);
        let delimiter = behind.split([' ', '\t', '\n', ';', '|', '&', '<', '>']).next().unwrap_or_default();
        let paired = |quote: char| delimiter.matches(quote).count().is_multiple_of(2);
        let plain = |letter: char| letter.is_alphanumeric() || "_-.+:!'\"\\)".contains(letter);
        let plain = !delimiter.is_empty() && delimiter.chars().all(plain) && paired('\'') && paired('"');
        !is_string && !plain
    })
}

/// How deeply brackets and compound commands may lie within each other, at a glance and rather too high.
fn nesting(text: &str) -> usize {
    let (mut open, mut deepest) = (0_usize, 0);
    let mut word = String::new();
    for character in text.chars().chain([' ']) {
        if character.is_ascii_alphabetic() {
            word.push(character);
            continue;
        }
        let words_open = matches!(word.as_str(), "if" | "while" | "until" | "for" | "case" | "select");
        let words_close = matches!(word.as_str(), "fi" | "done" | "esac");
        word.clear();
        open += usize::from(words_open) + usize::from(matches!(character, '(' | '{' | '`'));
        deepest = deepest.max(open);
        open = open.saturating_sub(usize::from(words_close) + usize::from(matches!(character, ')' | '}')));
    }
    deepest
}
