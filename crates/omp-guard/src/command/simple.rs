//! Simple commands: their words, what the shell does around them, the program behind wrappers.

use std::path::PathBuf;

use brush_parser::ast::{
    Assignment, AssignmentName, AssignmentValue, CommandPrefixOrSuffixItem, IoFileRedirectKind,
    IoFileRedirectTarget, IoRedirect, RedirectList, SimpleCommand, SubshellCommand, Word,
};

use super::execute::{self, Role};
use super::path::{self, Target};
use super::walk::Walk;
use super::word::{self, Text};
use super::{ShellContext, critical, git_clean, unwrap};
use crate::effects::is_risky_variable;

/// Places that a question could name.
const MOST_PLACES: usize = 64;

/// A program about to run.
pub(super) struct Call<'c> {
    /// The program and its arguments, without what only wraps them.
    pub(super) words: &'c [Text],
    pub(super) cwd: Option<&'c PathBuf>,
    pub(super) place: ShellContext<'c>,
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
        let mut parts = Parts::default();
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
        let given = std::mem::take(&mut parts.given);
        self.printed = printed(&parts.words, &given);
        self.judge(&parts.words);
        if !given.is_empty() && self.roles.last() == Some(&Role::RunsInput) {
            self.apart(|walk| walk.script(&given));
        }
    }

    fn item(&mut self, item: &CommandPrefixOrSuffixItem, parts: &mut Parts) {
        match item {
            CommandPrefixOrSuffixItem::Word(word) => parts.words.extend(self.words(word)),
            CommandPrefixOrSuffixItem::IoRedirect(redirect) => {
                parts.given.extend(self.text_of(redirect));
                self.redirect(redirect);
            }
            CommandPrefixOrSuffixItem::AssignmentWord(assignment, word) => {
                match parts.words.is_empty() {
                    true => parts.assigned.extend(self.assignment(assignment)),
                    // `export NAME=value` and `make NAME=value`.
                    false => parts.words.extend(self.words(word)),
                }
            }
            CommandPrefixOrSuffixItem::ProcessSubstitution(_, subshell) => {
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
        let places = critical::at_stake(&call);
        let cleans = git_clean::of(&call);
        let in_this_shell = call.program() == "eval";
        let given = match text {
            Some(text) => text.fetched,
            None => execute::runs_what_it_is_given(&call),
        };
        self.find(reason);
        self.stake(places);
        self.git_cleans.extend(cleans);
        self.find(given.then_some(execute::REASON));
        self.roles.push(role);
        if let Some(known) = text.as_ref().and_then(Text::known) {
            match in_this_shell {
                true => self.script(known),
                false => self.apart(|walk| walk.script(known)),
            };
        }
        self.note(inner, text.as_ref());
        self.change_directory(inner);
        self.follow_all(words, &unwrapped);
    }

    fn stake(&mut self, places: Vec<PathBuf>) {
        let new: Vec<PathBuf> = places.into_iter().filter(|place| !self.at_stake.contains(place)).collect();
        let room = MOST_PLACES.saturating_sub(self.at_stake.len());
        self.at_stake.extend(new.into_iter().take(room));
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
        self.state.shell.uncertain |= value.is_none() && name != "PWD" && is_risky_variable(name);
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
            (name, AssignmentValue::Array(items)) => {
                let mut values: Vec<Text> = Vec::new();
                for (index, item) in items {
                    index.iter().for_each(|word| {
                        self.words(word);
                    });
                    values.extend(self.words(item));
                }
                let AssignmentName::VariableName(name) = name else { return None };
                let values: Vec<&str> = values.iter().map(Text::value).collect();
                Some((format!("{name}[@]"), Text::literal(&values.join(" "))))
            }
        }
    }

    pub(super) fn redirects(&mut self, redirects: Option<&RedirectList>) {
        for redirect in redirects.into_iter().flat_map(|list| &list.0) {
            self.redirect(redirect);
        }
    }

    /// The literal text that a redirection gives to a program.
    fn text_of(&mut self, redirect: &IoRedirect) -> Option<String> {
        match redirect {
            IoRedirect::HereDocument(_, document) => Some(document.doc.value.clone()),
            IoRedirect::HereString(_, word) => {
                let words = self.words(word);
                Some(words.iter().map(Text::value).collect::<Vec<_>>().join(" "))
            }
            IoRedirect::NamedFd(_, redirect) => self.text_of(redirect),
            _ => None,
        }
    }

    fn redirect(&mut self, redirect: &IoRedirect) {
        match redirect {
            IoRedirect::File(_, kind, IoFileRedirectTarget::Filename(word)) => {
                let written = !matches!(kind, IoFileRedirectKind::Read);
                self.file(word, written);
            }
            IoRedirect::OutputAndError(word, _) => self.file(word, true),
            IoRedirect::File(_, _, IoFileRedirectTarget::Fd(_)) => {}
            IoRedirect::File(_, _, IoFileRedirectTarget::Duplicate(word)) => self.file(word, true),
            IoRedirect::File(_, _, IoFileRedirectTarget::ProcessSubstitution(_, subshell)) => {
                self.pipe(subshell);
            }
            IoRedirect::HereDocument(_, document) => {
                if document.requires_expansion
                    && let Some(mut text) = word::document(&document.doc.value, &self.state.shell.variables)
                {
                    self.substitute(&mut text);
                }
            }
            IoRedirect::HereString(_, word) => {
                self.words(word);
            }
            IoRedirect::NamedFd(_, redirect) => self.redirect(redirect),
        }
    }

    fn file(&mut self, word: &Word, written: bool) {
        let words = self.words(word);
        for word in words.iter().filter(|_| written) {
            let target = path::target(word, self.state.cwd.as_ref(), self.place);
            self.find(target.and_then(|target| critical::written(&target)));
        }
    }
}

/// What the items of a simple command amount to.
#[derive(Default)]
struct Parts {
    words: Vec<Text>,
    assigned: Vec<(String, Text)>,
    /// Text that comes in.
    given: String,
}

/// What a program prints, where its words tell.
fn printed(words: &[Text], given: &str) -> Option<String> {
    let (program, arguments) = words.split_first()?;
    let texts = || arguments.iter().map(Text::value).filter(|word| !matches!(*word, "-n" | "-e" | "-E"));
    match program.known()? {
        "echo" => Some(texts().collect::<Vec<_>>().join(" ")),
        // Each argument may become a line.
        "printf" => Some(texts().map(|text| text.replace("\\n", "\n")).collect::<Vec<_>>().join("\n")),
        "cat" | "tee" if !given.is_empty() => Some(given.to_owned()),
        _ => None,
    }
}
