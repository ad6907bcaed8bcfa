//! What commands make of the shell that they run in. A name may then mean something else than the program of that name:
//! what runs instead is followed, and where that cannot be told, no rule speaks for any command.

use std::collections::HashMap;
use std::path::Path;

use super::walk::Walk;
use super::word::Text;
use super::{BEYOND, unwrap};
use crate::effects::{Unknown, is_risky_variable};

/// More functions and aliases than this are not followed.
const MOST: usize = 256;
/// Longer ones are not followed.
const LONGEST: usize = 4096;
/// Calls of functions that are followed in one command.
const CALLS: usize = 64;
/// How often a function is followed into itself.
const AGAIN: usize = 2;

/// A shell between two commands, as far as the texts of the earlier ones tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shell {
    /// Variables that are set.
    pub variables: HashMap<String, String>,
    /// Functions and aliases, with the texts that may run in the place of the name: which of several definitions was
    /// reached, only a run can tell.
    pub stand_ins: HashMap<String, Vec<String>>,
    /// It has read or run something that only a run can tell, such as a file: any name may mean anything.
    pub uncertain: bool,
}

impl Shell {
    /// Why names and words may mean something else than they usually do, apart from the stand-ins.
    pub(super) fn change(&self, home: Option<&Path>) -> Option<Unknown> {
        if self.uncertain {
            return Some(Unknown::Syntax("a shell that earlier commands may have changed"));
        }
        let usual = |name: &str, value: &str| match name {
            "PWD" | "OLDPWD" => true,
            "HOME" => home.is_none_or(|home| home.as_os_str() == value),
            _ => false,
        };
        let mut set = self.variables.iter();
        let found = set.find(|(name, value)| is_risky_variable(name) && !usual(name, value));
        found.map(|(name, _)| Unknown::Variable(name.clone()))
    }
}

impl Walk<'_> {
    /// From now on the name means this text.
    pub(super) fn define(&mut self, name: &str, text: &str) {
        let shell = &mut self.state.shell;
        let known: usize = shell.stand_ins.values().map(Vec::len).sum();
        if text.len() > LONGEST || known >= MOST || !Self::is_command(text) {
            shell.uncertain = true;
            return;
        }
        let texts = shell.stand_ins.entry(name.to_owned()).or_default();
        if !texts.iter().any(|one| one == text) {
            texts.push(text.to_owned());
        }
    }

    /// Follows what a name stands for, with the arguments of the call.
    pub(super) fn follow(&mut self, words: &[Text]) {
        let Some((name, arguments)) = words.split_first() else { return };
        let Some(name) = name.known() else { return };
        let Some(texts) = self.state.shell.stand_ins.get(name).cloned() else { return };
        if self.following.iter().filter(|one| *one == name).count() >= AGAIN {
            return;
        }
        self.following.push(name.to_owned());
        for text in texts {
            self.calls += 1;
            if self.calls > CALLS {
                self.find(Some(BEYOND));
                break;
            }
            let outer = self.give(arguments);
            self.script(&text);
            self.take_back(outer);
        }
        self.following.pop();
    }

    /// Sets `$1` and its like. Returns what they were.
    fn give(&mut self, arguments: &[Text]) -> Vec<(String, String)> {
        let is_positional = |name: &String| name == "@" || name.bytes().all(|byte| byte.is_ascii_digit());
        let variables = &mut self.state.shell.variables;
        let outer: Vec<String> = variables.keys().filter(|name| is_positional(name)).cloned().collect();
        let outer = outer.into_iter().filter_map(|name| variables.remove_entry(&name)).collect();
        let values: Vec<&str> = arguments.iter().map(Text::value).collect();
        variables.insert("@".to_owned(), values.join(" "));
        variables.extend(
            (1..).zip(values).map(|(place, value): (usize, _)| (place.to_string(), value.to_owned())),
        );
        outer
    }

    fn take_back(&mut self, outer: Vec<(String, String)>) {
        self.give(&[]);
        let variables = &mut self.state.shell.variables;
        variables.remove("@");
        variables.extend(outer);
    }

    /// Takes note of what a builtin changes in the shell.
    pub(super) fn note(&mut self, words: &[Text], text: Option<&Text>) {
        let Some((program, rest)) = words.split_first() else { return };
        let any =
            |wanted: &[&str]| rest.iter().any(|word| word.known().is_none_or(|word| wanted.contains(&word)));
        let uncertain = match program.known() {
            // It could be one of those below.
            None => true,
            Some("source" | "." | "enable") => true,
            Some("eval") => !rest.is_empty() && text.is_none_or(|text| text.known().is_none()),
            Some("hash") => any(&["-p"]),
            // Runs around every command from then on.
            Some("trap") => any(&["DEBUG", "ERR", "RETURN"]),
            Some("alias") => self.aliases(rest),
            // These set variables whose names they are given.
            Some("read" | "mapfile" | "readarray" | "getopts" | "unset" | "let" | "wait") => {
                rest.iter().any(names_risk)
            }
            Some("printf") => {
                rest.first().is_some_and(|word| word.value().starts_with("-v")) && any_risk(rest)
            }
            Some("set") => {
                self.positional(rest);
                any(&["-a", "-k", "allexport", "keyword"])
            }
            Some("shopt" | "bind" | "complete") => true,
            Some("declare" | "typeset" | "local") if any(&["-n"]) => true,
            Some("export" | "declare" | "typeset" | "readonly" | "local") => {
                for (name, value) in rest.iter().filter_map(|word| word.value().split_once('=')) {
                    self.assign(name, Some(&Text::literal(value)));
                }
                false
            }
            Some(_) => false,
        };
        self.state.shell.uncertain |= uncertain;
    }

    /// `set -- a b` are the new arguments.
    fn positional(&mut self, words: &[Text]) {
        if let Some(at) = words.iter().position(|word| word.known() == Some("--")) {
            self.give(&words[at + 1..]);
        }
    }

    /// `true` if not all of them can be told.
    fn aliases(&mut self, words: &[Text]) -> bool {
        for word in words {
            let Some(known) = word.known() else { return true };
            if let Some((name, value)) = known.split_once('=') {
                let text = format!("{value} \"$@\"");
                self.define(name, &text);
                self.apart(|walk| walk.script(value));
            }
        }
        false
    }

    /// Everything that a call may really mean: the name itself, and the one behind what only wraps it.
    pub(super) fn follow_all(&mut self, written: &[Text], unwrapped: &unwrap::Unwrapped) {
        self.follow(written);
        if unwrapped.words.len() < written.len() {
            self.follow(&unwrapped.words);
        }
    }
}

fn any_risk(words: &[Text]) -> bool {
    words.iter().any(names_risk)
}

/// Could this word be the name of a variable that changes what programs do?
fn names_risk(word: &Text) -> bool {
    let Some(known) = word.known() else { return true };
    let name = known.split(['=', '[', '+']).next().unwrap_or_default();
    known.contains('[') || is_risky_variable(name.trim_start_matches("-v"))
}
