//! `find`: an expression of tests and actions.

use super::call::{Scene, evaluate as evaluate_call};
use super::{Effects, Unknown};
use crate::grammar::Word;

/// Tests and actions that stand alone.
const ALONE: &[&str] = &[
    "-print",
    "-print0",
    "-ls",
    "-prune",
    "-o",
    "-a",
    "-and",
    "-or",
    "-not",
    "!",
    "(",
    ")",
    ",",
    "-empty",
    "-quit",
    "-depth",
    "-d",
    "-xdev",
    "-mount",
    "-follow",
    "-true",
    "-false",
    "-readable",
    "-writable",
    "-executable",
    "-nouser",
    "-nogroup",
    "-noleaf",
    "-daystart",
    "-ignore_readdir_race",
    "-nowarn",
    "-warn",
    "-help",
    "--help",
    "--version",
];
/// Those with one value.
const VALUED: &[&str] = &[
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-regex",
    "-iregex",
    "-regextype",
    "-type",
    "-xtype",
    "-size",
    "-mtime",
    "-mmin",
    "-atime",
    "-amin",
    "-ctime",
    "-cmin",
    "-newer",
    "-anewer",
    "-cnewer",
    "-newermt",
    "-newerct",
    "-newerat",
    "-maxdepth",
    "-mindepth",
    "-perm",
    "-user",
    "-group",
    "-uid",
    "-gid",
    "-links",
    "-inum",
    "-printf",
    "-lname",
    "-ilname",
    "-fstype",
    "-samefile",
    "-used",
    "-context",
];
const WRITING: &[&str] = &["-fprint", "-fprint0", "-fls"];

pub(super) fn evaluate(words: &[Word], scene: &Scene<'_>) -> Result<Effects, Unknown> {
    let unclear = || Unknown::Word { program: "find".to_owned() };
    let mut rest = words;
    while let [first, behind @ ..] = rest
        && matches!(first.known(), Some("-H" | "-L" | "-P" | "-O0" | "-O1" | "-O2" | "-O3"))
    {
        rest = behind;
    }
    let is_start = |word: &Word| !word.beginning().starts_with(['-', '(', ')', '!', ',']);
    let starts: Vec<Word> = rest.iter().take_while(|word| is_start(word)).cloned().collect();
    if starts.iter().any(Word::may_be_option) {
        return Err(unclear());
    }
    let mut effects = Effects::default();
    let mut words = rest[starts.len()..].iter();
    let starts = if starts.is_empty() { vec![Word::literal(".")] } else { starts };
    while let Some(word) = words.next() {
        let known = word.known().ok_or_else(unclear)?;
        match known {
            known if ALONE.contains(&known) => {}
            known if VALUED.contains(&known) => {
                words.next().filter(|value| !value.splits).ok_or_else(unclear)?;
            }
            known if WRITING.contains(&known) => {
                effects.writes.extend(scene.targets(words.next().ok_or_else(unclear)?));
            }
            "-delete" => destroy(&mut effects, &starts, scene),
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let command: Vec<Word> = words.by_ref().take_while(|word| !ends(word)).cloned().collect();
                for start in &starts {
                    effects.join(evaluate_call(&with_found(&command, start), &scene.deeper()).effects);
                }
            }
            other => {
                return Err(Unknown::Option { program: "find".to_owned(), option: other.to_owned() });
            }
        }
    }
    Ok(effects)
}

fn ends(word: &Word) -> bool {
    matches!(word.known(), Some(";" | "+"))
}

fn destroy(effects: &mut Effects, starts: &[Word], scene: &Scene<'_>) {
    for start in starts {
        let targets = scene.targets(start).into_iter();
        effects.destroys.extend(targets.map(|target| super::Target {
            recursive: true,
            pattern: true,
            ..target
        }));
    }
}

/// The command with something below a start in place of `{}`.
fn with_found(command: &[Word], start: &Word) -> Vec<Word> {
    let below = || match start.known() {
        Some(start) => Word::below(start),
        None => Word::runtime_words(),
    };
    let one = |word: &Word| match word.known() {
        Some(known) if known.contains("{}") => below(),
        _ => word.clone(),
    };
    command.iter().map(one).collect()
}
