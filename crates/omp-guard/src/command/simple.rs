//! Simple commands: their words, what the shell does around them, the program behind wrappers.

use std::path::PathBuf;

use brush_parser::ast::{
    Assignment, AssignmentName, AssignmentValue, CommandPrefixOrSuffixItem, IoFileRedirectKind,
    IoFileRedirectTarget, IoRedirect, RedirectList, SimpleCommand, SubshellCommand, Word,
};

use super::execute::{self, Role};
use super::path::{self, Target};
use super::script::Simple;
use super::walk::Walk;
use super::word::{self, Text};
use super::{Place, critical, unwrap};

/// A program about to run.
pub(super) struct Call<'c> {
    /// The program and its arguments, without what only wraps them.
    pub(super) words: &'c [Text],
    pub(super) cwd: Option<&'c PathBuf>,
    pub(super) place: Place<'c>,
}

impl Call<'_> {
    /// The name of the program without its directory; empty if only a run can tell.
    pub(super) fn program(&self) -> &str {
        let name = self.words.first().and_then(Text::known).unwrap_or_default();
        name.rsplit('/').next().unwrap_or_default()
    }

    pub(super) fn arguments(&self) -> &[Text] {
        self.words.get(1..).unwrap_or_default()
    }

    /// Arguments as far as they are known.
    pub(super) fn known(&self) -> impl Iterator<Item = &str> {
        self.arguments().iter().filter_map(Text::known)
    }

    pub(super) fn target(&self, word: &Text) -> Option<Target> {
        path::target(word, self.cwd, self.place)
    }
}

impl Walk<'_> {
    pub(super) fn simple(&mut self, simple: &SimpleCommand) {
        let mut parts = Parts { plain: true, ..Parts::default() };
        for item in simple.prefix.iter().flat_map(|prefix| &prefix.0) {
            self.item(item, &mut parts);
        }
        let assigned = std::mem::take(&mut parts.assigned);
        if let Some(name) = &simple.word_or_name {
            parts.words.extend(self.words(name));
        }
        for item in simple.suffix.iter().flat_map(|suffix| &suffix.0) {
            self.item(item, &mut parts);
        }
        if parts.words.is_empty() {
            // Without a program the assignments stay.
            for (name, value) in assigned {
                self.assign(&name, Some(&value));
            }
        }
        let Parts { words, plain, .. } = parts;
        let plain = plain && words.iter().all(|word| word.substitutions.is_empty());
        if let Some(script) = &mut self.script {
            let known = words.iter().map(|word| word.known().map(str::to_owned)).collect();
            script.commands.push(Simple { words: known, plain });
        }
        self.judge(&words);
    }

    fn item(&mut self, item: &CommandPrefixOrSuffixItem, parts: &mut Parts) {
        match item {
            CommandPrefixOrSuffixItem::Word(word) => parts.words.extend(self.words(word)),
            CommandPrefixOrSuffixItem::IoRedirect(redirect) => parts.plain &= self.redirect(redirect),
            CommandPrefixOrSuffixItem::AssignmentWord(assignment, word) => {
                parts.plain = false;
                match parts.words.is_empty() {
                    true => parts.assigned.extend(self.assignment(assignment)),
                    // `export NAME=value` and `make NAME=value`.
                    false => parts.words.extend(self.words(word)),
                }
            }
            CommandPrefixOrSuffixItem::ProcessSubstitution(_, subshell) => {
                parts.plain = false;
                let pipe = self.pipe(subshell);
                parts.words.push(pipe);
            }
        }
    }

    /// Looks at the program behind everything that only wraps it, and follows a text that it is given to run.
    fn judge(&mut self, words: &[Text]) {
        let unwrapped = unwrap::unwrap(words);
        let unwrap::Unwrapped { words: inner, text } = &unwrapped;
        let call = Call { words: inner, cwd: self.state.cwd.as_ref(), place: self.place };
        let (reason, role) = (critical::reason(&call), execute::role(&call));
        let in_this_shell = call.program() == "eval";
        let given = match text {
            Some(text) => text.fetched,
            None => execute::runs_what_it_is_given(&call),
        };
        self.find(reason);
        self.find(given.then_some(execute::REASON));
        self.roles.push(role);
        if let Some(known) = text.as_ref().and_then(Text::known) {
            let script = self.script.take();
            match in_this_shell {
                true => self.script(known),
                false => self.apart(|walk| walk.script(known)),
            };
            self.script = script;
        }
        self.note(inner, text.as_ref());
        self.change_directory(inner);
        self.follow_all(words, &unwrapped);
    }

    fn change_directory(&mut self, words: &[Text]) {
        let [program, rest @ ..] = words else { return };
        if !matches!(program.known(), Some("cd" | "pushd")) {
            return;
        }
        let target = rest.iter().find(|word| !word.value().starts_with('-'));
        self.state.cwd = match (target, &self.state.cwd) {
            (None, _) => self.place.home.map(std::path::Path::to_owned),
            (Some(target), Some(cwd)) => target.known().map(|target| path::join(cwd, target)),
            (Some(target), None) => target.known().map(PathBuf::from).filter(|path| path.is_absolute()),
        };
        let cwd = self.state.cwd.as_ref().map(|cwd| Text::literal(&cwd.to_string_lossy()));
        self.assign("PWD", cwd.as_ref());
    }

    /// What a written word becomes. Commands in it are followed.
    pub(super) fn words(&mut self, word: &Word) -> Vec<Text> {
        let Some(mut words) = word::expand(&word.value, &self.state.shell.variables) else {
            self.script = None;
            return vec![Text::something()];
        };
        words.iter_mut().for_each(|word| self.substitute(word));
        words
    }

    fn substitute(&mut self, word: &mut Text) {
        for command in &word.substitutions {
            let begun = self.roles.len();
            self.apart(|walk| walk.script(command));
            word.fetched |= self.roles.drain(begun..).any(|role| role == Role::Fetches);
        }
    }

    /// The word that stands for the other end of a pipe.
    fn pipe(&mut self, subshell: &SubshellCommand) -> Text {
        let begun = self.roles.len();
        self.apart(|walk| walk.list(&subshell.list));
        let fetched = self.roles.drain(begun..).any(|role| role == Role::Fetches);
        Text::literal("/dev/fd/63").with_fetched(fetched)
    }

    /// A variable gets a value; `None` for one that only a run can tell.
    pub(super) fn assign(&mut self, name: &str, value: Option<&Text>) {
        match value {
            Some(value) => self.state.shell.variables.insert(name.to_owned(), value.value().to_owned()),
            None => self.state.shell.variables.remove(name),
        };
    }

    fn assignment(&mut self, assignment: &Assignment) -> Option<(String, Text)> {
        match (&assignment.name, &assignment.value) {
            (AssignmentName::VariableName(name), AssignmentValue::Scalar(word)) => {
                let value = self.words(word).pop().unwrap_or_default();
                let before = self.state.shell.variables.get(name).filter(|_| assignment.append);
                let joined = before.map(|before| Text::literal(&format!("{before}{}", value.value())));
                Some((name.clone(), joined.unwrap_or(value)))
            }
            (_, AssignmentValue::Scalar(word)) => {
                self.words(word);
                None
            }
            (_, AssignmentValue::Array(items)) => {
                for (index, item) in items {
                    index.iter().chain([item]).for_each(|word| {
                        self.words(word);
                    });
                }
                None
            }
        }
    }

    pub(super) fn redirects(&mut self, redirects: Option<&RedirectList>) {
        for redirect in redirects.into_iter().flat_map(|list| &list.0) {
            if !self.redirect(redirect) {
                // A rule speaks for programs, not for the files that the shell writes around them.
                self.script = None;
            }
        }
    }

    /// `true` if the redirection touches no file but `/dev/null`.
    fn redirect(&mut self, redirect: &IoRedirect) -> bool {
        match redirect {
            IoRedirect::File(_, kind, IoFileRedirectTarget::Filename(word)) => {
                let written = !matches!(kind, IoFileRedirectKind::Read);
                self.file(word, written)
            }
            IoRedirect::OutputAndError(word, _) => self.file(word, true),
            IoRedirect::File(_, _, IoFileRedirectTarget::Fd(_)) => true,
            IoRedirect::File(_, _, IoFileRedirectTarget::Duplicate(word)) => {
                let words = self.words(word);
                words.iter().all(|word| {
                    word.known().is_some_and(|to| to.bytes().all(|b| b.is_ascii_digit() || b == b'-'))
                })
            }
            IoRedirect::File(_, _, IoFileRedirectTarget::ProcessSubstitution(_, subshell)) => {
                self.pipe(subshell);
                false
            }
            IoRedirect::HereDocument(_, document) => {
                if document.requires_expansion {
                    match word::document(&document.doc.value, &self.state.shell.variables) {
                        Some(mut text) => self.substitute(&mut text),
                        None => self.script = None,
                    }
                }
                false
            }
            IoRedirect::HereString(_, word) => {
                self.words(word);
                false
            }
        }
    }

    fn file(&mut self, word: &Word, written: bool) -> bool {
        let words = self.words(word);
        for word in words.iter().filter(|_| written) {
            let target = path::target(word, self.state.cwd.as_ref(), self.place);
            self.find(target.and_then(|target| critical::written(&target)));
        }
        words.iter().all(|word| word.known() == Some("/dev/null"))
    }
}

/// What the items of a simple command amount to.
#[derive(Default)]
struct Parts {
    words: Vec<Text>,
    assigned: Vec<(String, Text)>,
    plain: bool,
}
