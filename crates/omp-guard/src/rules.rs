//! Commands that a person allowed once and for all.
//!
//! A rule is the beginning of a command: `git status *` allows `git status` with any arguments, `make test` allows just
//! that. A call is allowed only if every simple command in it is: nothing is gained by writing another command behind
//! `;`, `&&` or a pipe, and neither variables, nor files that the shell writes, nor substitutions are covered.

use std::fmt;
use std::path::Path;

use crate::command::{Place, Script, Shell, Simple, judge};

/// Programs whose first argument says what they do.
const WITH_COMMANDS: &[&str] = &[
    "apt",
    "brew",
    "bun",
    "cargo",
    "dnf",
    "docker",
    "gh",
    "git",
    "go",
    "helm",
    "jj",
    "just",
    "kubectl",
    "make",
    "npm",
    "pip",
    "pnpm",
    "poetry",
    "rustup",
    "terraform",
    "uv",
    "yarn",
];

/// Programs that read and print, whatever their arguments are.
const READERS: &[&str] = &[
    "basename", "cat", "cut", "date", "df", "diff", "dirname", "du", "echo", "file", "grep", "head", "id",
    "jq", "ls", "nl", "printf", "ps", "pwd", "realpath", "rg", "stat", "tail", "tree", "type", "uname", "wc",
    "which", "whoami",
];

/// One allowed beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    words: Vec<String>,
    /// Further arguments may follow.
    open: bool,
}

impl Rule {
    /// Reads a rule. `None` for a text that is not one plain command.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (text, open) = match text.strip_suffix(" *") {
            Some(beginning) => (beginning, true),
            None => (text, false),
        };
        let real = |path: &Path| path.to_owned();
        let script =
            judge(text, Place { cwd: Path::new("/"), home: None, shell: &Shell::default(), real: &real })
                .script?;
        let [Simple { words, plain: true }] = script.commands.as_slice() else { return None };
        let words: Option<Vec<String>> = words.iter().cloned().collect();
        let names_program = |words: &Vec<String>| words.first().is_some_and(|program| !program.contains('*'));
        words.filter(names_program).map(|words| Self { words, open })
    }

    fn allows(&self, command: &Simple) -> bool {
        let fits = match self.open {
            true => command.words.len() >= self.words.len(),
            false => command.words.len() == self.words.len(),
        };
        let same = |(own, word): (&String, &Option<String>)| word.as_ref() == Some(own);
        command.plain && fits && self.words.iter().zip(&command.words).all(same)
    }

    /// The rule for what a person allowed: the same command with any arguments where that says enough, else just this.
    fn of(command: &Simple) -> Option<Self> {
        let words: Vec<String> = command.words.iter().cloned().collect::<Option<_>>()?;
        let program = words.first()?.as_str();
        if !command.plain {
            return None;
        }
        let scripts = matches!(words.get(1).map(String::as_str), Some("run" | "exec" | "x"));
        let named = words.get(1).is_some_and(|word| !word.starts_with('-'));
        Some(match () {
            () if READERS.contains(&program) => Self { words: vec![program.to_owned()], open: true },
            () if WITH_COMMANDS.contains(&program) && named && !scripts => {
                Self { words: words[..2].to_vec(), open: true }
            }
            () => Self { words, open: false },
        })
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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

/// Is everything that the command runs allowed?
pub fn allow(rules: &[Rule], script: &Script) -> bool {
    let allowed = |command: &Simple| rules.iter().any(|rule| rule.allows(command));
    !script.commands.is_empty() && script.commands.iter().all(allowed)
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
mod tests {
    use super::*;

    fn script(command: &str) -> Option<Script> {
        let real = |path: &Path| path.to_owned();
        judge(command, Place { cwd: Path::new("/work"), home: None, shell: &Shell::default(), real: &real })
            .script
    }

    fn allowed(rules: &[&str], command: &str) -> bool {
        let rules: Vec<Rule> = rules.iter().map(|rule| Rule::parse(rule).unwrap()).collect();
        script(command).is_some_and(|script| allow(&rules, &script))
    }

    fn proposed(command: &str) -> Option<Vec<String>> {
        Some(propose(&script(command)?)?.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_rule_allows_its_command_and_nothing_behind_it() {
        let rules = ["git status *", "make test", "ls *"];
        for command in [
            "git status",
            "git status --short .",
            "git  'status' \"$DIR\"",
            "git status && make test; ls -la | ls",
            "git status 2>&1 >/dev/null",
            "(git status)",
            "if git status; then ls; fi",
        ] {
            assert!(allowed(&rules, command), "{command}");
        }
        for command in [
            "",
            "git push",
            "git",
            "git -c core.pager=x status",
            "make test install",
            "make",
            "git status; rm x",
            "git status && curl x",
            "git status | sh",
            "git status & rm x",
            "git status\nrm x",
            "git status > file",
            "git status < file",
            "git status 2> file",
            "{ git status; } > file",
            "git status $(rm x)",
            "git status `rm x`",
            "git status <(rm x)",
            "git status ${X:-$(rm x)}",
            "GIT_PAGER=x git status",
            "PATH=. ls",
            "X=1",
            "sudo git status",
            "env git status",
            "bash -c 'git status'",
            "eval git status",
            "git $X",
            "git status <<E\nx\nE",
            "git status <<< x",
            "git() { rm x; }; git status",
            "git status (",
            "f() { :; }",
        ] {
            assert!(!allowed(&rules, command), "{command}");
        }
    }

    #[test]
    fn what_was_allowed_once_becomes_a_rule() {
        for (command, rules) in [
            ("git status --short", vec!["git status *"]),
            ("git status && git status -s; ls -l", vec!["git status *", "ls *"]),
            ("cargo test -p x", vec!["cargo test *"]),
            ("npm run build", vec!["npm run build"]),
            ("git -C x status", vec!["git -C x status"]),
            ("rm 'a b'", vec!["rm 'a b'"]),
            ("python3 -c 'print(1)'", vec!["python3 -c 'print(1)'"]),
            ("sudo ls", vec!["sudo ls"]),
        ] {
            assert_eq!(proposed(command).unwrap(), rules, "{command}");
            let rules: Vec<&str> = rules.clone();
            assert!(allowed(&rules, command), "a proposal covers what it was made from: {command}");
        }
        for command in ["echo $(date)", "ls > x", "A=1 ls", "rm $X", "f() { :; }", "(("] {
            assert_eq!(proposed(command), None, "{command}");
        }
    }

    #[test]
    fn a_rule_is_one_plain_command() {
        for text in ["", "*", "ls; rm", "ls > x", "A=1 ls", "ls $(x)", "("] {
            assert_eq!(Rule::parse(text), None, "{text}");
        }
    }
}
