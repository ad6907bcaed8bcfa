//! What one program does with its words.

use std::path::PathBuf;

use super::argument::{Sorted, sort};
use super::table::{Does, Kinds, ProgramRow, Slot, rows};
use super::{Effects, Executes, Target, Unknown, git, special};
use crate::command::ShellContext;
use crate::grammar::Word;

/// Where programs of the system are.
const SYSTEM: &[&str] =
    &["/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/", "/opt/homebrew/bin/"];
/// Programs that read further options from a file.
const COMPILERS: &[&str] =
    &["gcc", "cc", "clang", "g++", "c++", "clang++", "javac", "rustc", "ld", "curl", "wget", "rsync", "scp"];
/// Wrappers around wrappers that are followed.
pub(super) const DEEPEST: usize = 6;

/// Where a program runs.
#[derive(Clone, Debug)]
pub(crate) struct Scene<'p> {
    /// The directories in which it may run; `None` if only a run can tell.
    pub(crate) cwds: Option<Vec<PathBuf>>,
    pub(crate) place: ShellContext<'p>,
    /// How many wrappers are around it.
    pub(crate) depth: usize,
}

impl Scene<'_> {
    pub(super) fn targets(&self, word: &Word) -> Vec<Target> {
        Target::of(word, self.cwds.as_deref(), self.place)
    }

    pub(super) fn here(&self) -> Vec<Target> {
        Target::current(self.cwds.as_deref(), self.place)
    }

    pub(super) fn deeper(&self) -> Self {
        Self { depth: self.depth + 1, ..self.clone() }
    }
}

/// What a call does, and the row that says so.
#[derive(Clone, Debug, Default)]
pub(crate) struct Evaluated {
    pub(crate) effects: Effects,
    pub(crate) row: Option<Matched>,
}

/// The row that a call was read by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Matched {
    /// How many words of the call chose it, from the first one; 0 where they do not stand together.
    pub(crate) words: usize,
    pub(crate) kinds: Kinds,
    /// The arguments name what is run.
    pub(crate) named: bool,
    /// Further words would choose a row of their own.
    pub(crate) family: bool,
}

impl From<Effects> for Evaluated {
    fn from(effects: Effects) -> Self {
        Self { effects, row: None }
    }
}

impl From<Unknown> for Evaluated {
    fn from(why: Unknown) -> Self {
        Effects::unknown(why).into()
    }
}

/// What a program does with these words.
pub(crate) fn evaluate(words: &[Word], scene: &Scene<'_>) -> Evaluated {
    let Some((first, rest)) = words.split_first() else { return Evaluated::default() };
    let Some(written) = first.known().filter(|name| !name.is_empty()) else {
        return Unknown::Syntax("a program known only at run time").into();
    };
    if scene.depth > DEEPEST {
        return Unknown::Syntax("too many nested commands").into();
    }
    let program = name(written);
    if program.contains('/') {
        return own_program(first, scene).into();
    }
    if program == "git" {
        return git::evaluate(rest, scene);
    }
    if let Some(effects) = special::evaluate(program, rest, scene) {
        let effects = effects.unwrap_or_else(Effects::unknown);
        return Evaluated { effects, row: find(program, rest).map(|(row, family)| matched(row, family)) };
    }
    by_row(program, rest, scene)
}

/// The program that a word means: its name where it is one of the system's.
fn name(written: &str) -> &str {
    SYSTEM.iter().find_map(|directory| written.strip_prefix(directory)).unwrap_or(written)
}

/// A program that is named by its path belongs to whoever owns the path.
fn own_program(first: &Word, scene: &Scene<'_>) -> Effects {
    let programs = scene.targets(first);
    let writes = scene.here();
    Effects { executes: Executes::Project, programs, writes, ..Effects::default() }
}

/// The row with the longest path that the words begin with.
pub(super) fn find(program: &str, words: &[Word]) -> Option<(&'static ProgramRow, bool)> {
    let rows = rows(program);
    let fits = |row: &&ProgramRow| {
        let behind = &row.path[1..];
        behind.len() <= words.len() && behind.iter().zip(words).all(|(own, word)| word.known() == Some(own))
    };
    let row = rows.iter().find(fits)?;
    let family =
        rows.iter().any(|other| other.path.len() > row.path.len() && other.path.starts_with(&row.path));
    Some((row, family))
}

pub(super) fn by_row(program: &str, words: &[Word], scene: &Scene<'_>) -> Evaluated {
    let Some((row, family)) = find(program, words) else {
        return Unknown::Program(program.to_owned()).into();
    };
    let shown = row.path.join(" ");
    // Options in a file.
    if COMPILERS.contains(&program)
        && let Some(word) = words.iter().find(|word| names_more(word))
    {
        return Unknown::Operand { program: shown, operand: word.shown() }.into();
    }
    let effects = match sort(row, &shown, &words[row.path.len() - 1..]) {
        Ok(sorted) => apply(row, &shown, &sorted, scene),
        Err(why) => unsorted(row, &words[row.path.len() - 1..], why, scene),
    };
    Evaluated { effects, row: Some(matched(row, family)) }
}

fn matched(row: &ProgramRow, family: bool) -> Matched {
    Matched { words: row.path.len(), kinds: row.kinds(), named: row.base.named, family }
}

/// A call that its row cannot read does at least what every call does, and what its options say that nothing can undo.
fn unsorted(row: &ProgramRow, words: &[Word], why: Unknown, scene: &Scene<'_>) -> Effects {
    let mut effects = Effects { unknown: Some(why), ..every_call(row, scene) };
    let names = words.iter().filter_map(Word::known).flat_map(|known| {
        let name = known.split('=').next().unwrap_or_default();
        let letters = known.strip_prefix('-').filter(|rest| !rest.starts_with('-')).unwrap_or_default();
        std::iter::once(name.to_owned()).chain(letters.chars().map(|letter| format!("-{letter}")))
    });
    for name in names {
        if let Some(Does::Irreversible(reason)) = row.option(&name).map(|option| option.does) {
            effects.irreversible = Some(reason);
        }
    }
    effects
}

/// Options in a file, a file that a format names, a machine before a path.
fn names_more(word: &Word) -> bool {
    let beginning = word.beginning();
    beginning.starts_with('@') || beginning.contains("%output")
}

/// What a row says about a sorted call.
pub(super) fn apply(row: &ProgramRow, program: &str, sorted: &Sorted, scene: &Scene<'_>) -> Effects {
    let only_reads = sorted.options.iter().any(|given| given.does == Does::OnlyReads);
    let mut effects = if only_reads { Effects::default() } else { every_call(row, scene) };
    let given_script = row.operands.first.first() == Some(&Slot::Script) && !sorted.operands.is_empty();
    if given_script {
        // The script says what runs; what comes in is only its input.
        effects.executes = Executes::Nothing;
    }
    let in_place = sorted.options.iter().any(|given| given.does == Does::InPlace);
    for given in &sorted.options {
        by_option(&mut effects, given.does, given.value.as_ref(), scene);
    }
    for (at, word) in sorted.operands.iter().enumerate() {
        let Some(slot) = row.slot(at, sorted.operands.len()) else {
            let (program, operand) = (program.to_owned(), word.shown());
            return Effects::unknown(Unknown::Operand { program, operand });
        };
        let slot = if in_place && slot == Slot::Read { Slot::Write } else { slot };
        let slot = if only_reads && slot != Slot::Host { Slot::Read } else { slot };
        by_slot(&mut effects, slot, word, scene);
        if slot == Slot::Script {
            // The rest belongs to the script.
            break;
        }
    }
    if !sorted.command.is_empty() && !only_reads {
        effects.join(evaluate(&sorted.command, &scene.deeper()).effects);
    }
    effects
}

fn every_call(row: &ProgramRow, scene: &Scene<'_>) -> Effects {
    let base = &row.base;
    let mut effects = Effects {
        executes: base.executes,
        outside: base.outside,
        irreversible: base.irreversible,
        ..Effects::default()
    };
    effects.network.project = base.network;
    effects.network.any = base.any_host;
    if base.writes {
        effects.writes = scene.here();
    }
    effects
}

fn by_option(effects: &mut Effects, does: Does, value: Option<&Word>, scene: &Scene<'_>) {
    let targets = || value.map_or_else(|| scene.here(), |value| scene.targets(value));
    match does {
        Does::Nothing | Does::InPlace | Does::OnlyReads => {}
        Does::Write => effects.writes.extend(targets()),
        Does::Destroy => effects.destroys.extend(targets()),
        Does::Arbitrary => effects.executes = Executes::Arbitrary,
        Does::Project => effects.executes = effects.executes.max(Executes::Project),
        Does::Network => effects.network.project = true,
        Does::Host => effects.reach(value),
        Does::Outside => effects.outside = true,
        Does::Script => effects.run_file(value, scene),
        Does::Irreversible(reason) => effects.irreversible = Some(reason),
    }
}

fn by_slot(effects: &mut Effects, slot: Slot, word: &Word, scene: &Scene<'_>) {
    match slot {
        Slot::Read | Slot::Command => {}
        Slot::Write => effects.writes.extend(scene.targets(word)),
        Slot::Destroy => effects.destroys.extend(scene.targets(word)),
        Slot::Script => effects.run_file(Some(word), scene),
        Slot::Task => effects.executes = effects.executes.max(Executes::Project),
        Slot::Host => effects.reach(Some(word)),
        Slot::Name => effects.writes.extend(scene.here()),
    }
}

impl Effects {
    /// A host or an address is reached.
    pub(super) fn reach(&mut self, word: Option<&Word>) {
        match word.and_then(Word::known).and_then(host) {
            Some(host) => self.network.hosts.push(host),
            None => self.network.any = true,
        }
    }

    /// A file is run. What it does is the project's, so it may write where it runs.
    pub(super) fn run_file(&mut self, word: Option<&Word>, scene: &Scene<'_>) {
        match word
            .filter(|word| word.known().is_some_and(|known| known != "-" && !known.starts_with("/dev/")))
        {
            Some(word) => {
                self.executes = self.executes.max(Executes::Project);
                self.programs.extend(scene.targets(word));
                self.writes.extend(scene.here());
            }
            None => self.executes = Executes::Arbitrary,
        }
    }
}

/// The host of an address: `https://user@host:1/path`, `user@host:path`, `host`.
fn host(address: &str) -> Option<String> {
    if address.starts_with(['/', '.', '~']) {
        return None;
    }
    let scheme = address.split_once("://");
    if scheme.is_some_and(|(scheme, _)| !matches!(scheme, "http" | "https" | "ftp" | "ftps" | "ssh" | "git"))
    {
        return None;
    }
    let behind = scheme.map_or(address, |(_, behind)| behind);
    let authority = behind.split(['/', '?', '#']).next()?;
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = match host.strip_prefix('[') {
        Some(literal) => literal.split(']').next()?,
        None => host.split(':').next()?,
    };
    let plain = |letter: char| letter.is_ascii_alphanumeric() || ".-_:".contains(letter);
    (!host.is_empty() && host.chars().all(plain)).then(|| host.to_ascii_lowercase())
}
