//! A whole script: every command, what it does, and where.

use std::path::PathBuf;

use super::call::{Evaluated, Scene, evaluate};
use super::variable::{is_harmless, is_risky};
use super::{Effects, Executes, Unknown};
use crate::command::{Script, ShellContext, Simple};
use crate::grammar::{Item, Redirect, SimpleCommand, Word, read};

/// Directories in which a command may run that are followed.
const MOST_DIRECTORIES: usize = 4;

/// Judges a text as a script. Its commands and what they do together; the commands are only there if all of it is in
/// the judged grammar.
pub(crate) fn run(text: &str, place: ShellContext<'_>) -> (Option<Script>, Effects) {
    let cwds = Some(vec![place.cwd.to_owned()]);
    run_in(text, &Scene { cwds, place, depth: 0 })
}

pub(super) fn run_in(text: &str, scene: &Scene<'_>) -> (Option<Script>, Effects) {
    let items = match read(text) {
        Ok(items) => items,
        Err(why) => return (None, Effects::unknown(why)),
    };
    let mut runner = Runner {
        scene: scene.clone(),
        before: Vec::new(),
        outer: Vec::new(),
        commands: Vec::new(),
        effects: Effects::default(),
        changed: None,
    };
    items.iter().for_each(|item| runner.item(item));
    let Runner { commands, effects, changed, .. } = runner;
    let script = changed.is_none().then_some(Script { commands });
    (script, effects)
}

struct Runner<'p> {
    scene: Scene<'p>,
    /// Directories in which a chain would continue if a `cd` in it failed.
    before: Vec<PathBuf>,
    outer: Vec<(Option<Vec<PathBuf>>, Vec<PathBuf>)>,
    commands: Vec<Simple>,
    effects: Effects,
    /// The variable after which names and words may mean anything.
    changed: Option<Unknown>,
}

impl Runner<'_> {
    fn item(&mut self, item: &Item) {
        match item {
            Item::Enter => self.outer.push((self.scene.cwds.clone(), self.before.clone())),
            Item::Leave => {
                if let Some((cwds, before)) = self.outer.pop() {
                    (self.scene.cwds, self.before) = (cwds, before);
                }
            }
            Item::ChainEnds => self.end_chain(),
            Item::Command(command) => self.command(command),
        }
    }

    fn end_chain(&mut self) {
        let before = std::mem::take(&mut self.before);
        self.also_in(before);
    }

    fn also_in(&mut self, more: Vec<PathBuf>) {
        let Some(cwds) = &mut self.scene.cwds else { return };
        for directory in more {
            if !cwds.contains(&directory) {
                cwds.push(directory);
            }
        }
        if cwds.len() > MOST_DIRECTORIES {
            self.scene.cwds = None;
        }
    }

    fn command(&mut self, command: &SimpleCommand) {
        let Evaluated { mut effects, row } = evaluate(&command.words, &self.scene);
        self.names(command, &mut effects);
        self.assignments(command, &mut effects);
        self.redirects(command, &mut effects);
        if let Some(changed) = &self.changed {
            effects.unknown.get_or_insert_with(|| changed.clone());
        }
        self.effects.join(effects.clone());
        if !command.words.is_empty() || !command.redirects.is_empty() {
            let words = command.words.iter().map(|word| word.known().map(str::to_owned)).collect();
            let plain =
                command.assignments.is_empty() && command.redirects.is_empty() && !command.words.is_empty();
            self.commands.push(Simple { words, plain, effects, row });
        }
        self.change_directory(command);
    }

    /// A name that the shell knows otherwise is not the program of the table.
    fn names(&mut self, command: &SimpleCommand, effects: &mut Effects) {
        let shell = self.scene.place.shell;
        if shell.stand_ins.is_empty() {
            return;
        }
        let known = command.words.iter().filter_map(Word::known);
        // Behind a wrapper such a name is an argument.
        if let Some(name) = known.into_iter().find(|name| shell.stand_ins.contains_key(*name)) {
            let unknown = Unknown::Name(name.to_owned());
            self.changed.get_or_insert_with(|| unknown.clone());
            effects.unknown.get_or_insert(unknown);
        }
    }

    fn assignments(&mut self, command: &SimpleCommand, effects: &mut Effects) {
        let exports = command.words.first().and_then(Word::known) == Some("export");
        let exported = command.words.iter().skip(1).filter(|_| exports).map(name_of);
        let assigned = command.assignments.iter().map(|(name, _)| name.as_str());
        let stays = command.words.is_empty() || exports;
        let runs_project = effects.executes >= Executes::Project;
        for name in assigned.chain(exported) {
            let harmless = is_harmless(name) || !is_risky(name) && (stays || runs_project);
            if !harmless {
                let unknown = Unknown::Variable(name.to_owned());
                effects.unknown.get_or_insert_with(|| unknown.clone());
                // Also as a prefix: it stays set behind some builtins.
                self.changed.get_or_insert(unknown);
            }
        }
    }

    fn redirects(&mut self, command: &SimpleCommand, effects: &mut Effects) {
        for redirect in &command.redirects {
            match redirect {
                Redirect::Text => {}
                Redirect::Reads(word) | Redirect::Writes(word) if is_network(word) => {
                    effects.reach_device(word);
                }
                Redirect::Reads(word) | Redirect::Writes(word)
                    if word.splits || word.beginning().is_empty() =>
                {
                    // It may be a connection, too.
                    effects.unknown.get_or_insert(Unknown::Syntax("a file known only at run time"));
                }
                Redirect::Reads(_) => {}
                Redirect::Writes(word) => effects.writes.extend(self.scene.targets(word)),
            }
        }
    }

    fn change_directory(&mut self, command: &SimpleCommand) {
        let [program, rest @ ..] = command.words.as_slice() else { return };
        if program.known() != Some("cd") {
            return;
        }
        let old = self.scene.cwds.clone();
        let to = rest.iter().find(|word| !word.beginning().starts_with('-') || word.known() == Some("-"));
        let home = self.scene.place.home.map(|home| vec![home.to_owned()]);
        self.scene.cwds = match to {
            None => home,
            Some(word) if word.known().is_some_and(|known| known == "-" || known.is_empty()) => None,
            Some(word) if word.is_pattern() => None,
            Some(word) => self.scene.targets(word).into_iter().map(|target| target.path).collect(),
        };
        match (command.checked, old) {
            (true, Some(old)) => self.before.extend(old),
            (false, Some(old)) => self.also_in(old),
            (_, None) => self.scene.cwds = None,
        }
    }
}

/// The name in `NAME=value`.
fn name_of(word: &Word) -> &str {
    word.beginning().split('=').next().unwrap_or_default()
}

/// Shells open connections for such files.
fn is_network(word: &Word) -> bool {
    let beginning = word.beginning();
    ["/dev/tcp", "/dev/udp"].iter().any(|device| beginning.starts_with(device))
        || word.known().is_none() && "/dev/tcp/".starts_with(beginning) && beginning.len() > 1
        || word.known().is_none() && "/dev/udp/".starts_with(beginning) && beginning.len() > 1
}

impl Effects {
    fn reach_device(&mut self, word: &Word) {
        let host = word.known().and_then(|path| path.split('/').nth(3)).map(Word::literal);
        self.reach(host.as_ref());
    }
}
