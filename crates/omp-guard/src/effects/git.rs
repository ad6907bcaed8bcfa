//! `git`: its own options come before the command.

use super::call::{Evaluated, Scene, by_row};
use super::{Effects, Unknown};
use crate::grammar::Word;

/// Settings that change how something is printed and nothing else.
const SETTINGS: &[&str] = &[
    "color.",
    "advice.",
    "core.quotepath=",
    "core.pager=cat",
    "user.name=",
    "user.email=",
    "commit.gpgsign=false",
    "init.defaultbranch=",
    "diff.renames=",
    "core.abbrev=",
    "log.date=",
    "core.fsmonitor=false",
    "gc.auto=0",
];

const REMOTE: &str = "Overwrites or deletes commits on a remote";
const DISCARD: &str = "Discards uncommitted changes";

/// What `git` does with these words.
pub(super) fn evaluate(words: &[Word], scene: &Scene<'_>) -> Evaluated {
    let mut scene = scene.clone();
    let mut rest = words;
    while let [first, behind @ ..] = rest {
        rest = match (first.known(), behind) {
            (
                Some(
                    "--no-pager"
                    | "-P"
                    | "--no-optional-locks"
                    | "--literal-pathspecs"
                    | "--no-replace-objects",
                ),
                _,
            ) => behind,
            (Some("-C"), [directory, behind @ ..]) => {
                let targets = scene.targets(directory);
                scene.cwds = targets.into_iter().map(|target| target.path).collect();
                behind
            }
            (Some("-c"), [setting, behind @ ..]) => match is_harmless(setting) {
                true => behind,
                false => return unknown("-c"),
            },
            _ => break,
        };
    }
    let own_options = rest.len() < words.len();
    let Some(command) = rest.first() else { return by_row("git", rest, &scene) };
    if command.known().is_none() {
        return Unknown::Word { program: "git".to_owned() }.into();
    }
    let mut evaluated = by_row("git", rest, &scene);
    refuse_other_transports(&mut evaluated.effects, rest);
    if evaluated.effects.unknown.is_none() {
        evaluated.effects.unknown = risk(command, &scene).map(Unknown::Repository);
    }
    name_hosts(&mut evaluated.effects, rest);
    if let Some((command, arguments)) = rest.split_first() {
        match command.known() {
            Some("checkout" | "restore") => discard(&mut evaluated.effects, command, arguments, &scene),
            Some("push") if arguments.iter().any(|word| word.beginning().starts_with([':', '+'])) => {
                evaluated.effects.irreversible = Some(REMOTE);
            }
            // Signatures are checked by a program that the settings name.
            _ if arguments.iter().any(|word| word.shown().contains("%G")) => return unknown("%G"),
            _ => {}
        }
    }
    match &mut evaluated.row {
        // `git -C x status` is no beginning that a rule could have.
        Some(row) if own_options => row.words = 0,
        _ => {}
    }
    evaluated
}

/// What the repository itself would have git run.
fn risk(command: &Word, scene: &Scene<'_>) -> Option<String> {
    if matches!(command.known(), Some("version" | "--version" | "clone" | "init")) {
        return None;
    }
    match &scene.cwds {
        Some(directories) => directories.iter().find_map(|directory| (scene.place.git_risk)(directory)),
        None => Some("a setting".to_owned()),
    }
}

fn unknown(option: &str) -> Evaluated {
    Unknown::Option { program: "git".to_owned(), option: option.to_owned() }.into()
}

fn is_harmless(setting: &Word) -> bool {
    let Some(setting) = setting.known().map(str::to_ascii_lowercase) else { return false };
    SETTINGS.iter().any(|known| match known.ends_with(['.', '=']) {
        true => setting.starts_with(known),
        false => setting == *known,
    })
}

/// `ext::sh -c …` as an address runs a command, and so do other helpers.
fn refuse_other_transports(effects: &mut Effects, words: &[Word]) {
    let helper = |word: &Word| word.beginning().contains("::");
    let reaches = effects.network.is_used();
    if reaches && (words.iter().any(helper) || words.iter().skip(1).any(|word| word.known().is_none())) {
        effects
            .unknown
            .get_or_insert(Unknown::Operand { program: "git".to_owned(), operand: "::".to_owned() });
    }
}

/// A remote that is an address reaches its host.
fn name_hosts(effects: &mut Effects, words: &[Word]) {
    let is_address = |word: &&Word| {
        let beginning = word.beginning();
        beginning.contains("://") || beginning.contains('@') && beginning.contains(':')
    };
    if effects.network.project {
        words.iter().filter(is_address).for_each(|word| effects.reach(Some(word)));
    }
}

/// `git checkout -- path` and `git restore path` replace what was not committed.
fn discard(effects: &mut Effects, command: &Word, arguments: &[Word], scene: &Scene<'_>) {
    let has = |names: &[&str]| {
        arguments.iter().any(|word| word.known().is_some_and(|known| names.contains(&known)))
    };
    let restores = command.known() == Some("restore");
    if restores && has(&["--staged", "-S"]) && !has(&["--worktree", "-W"]) {
        return;
    }
    let behind = arguments.iter().position(|word| word.known() == Some("--")).map(|at| at + 1);
    let is_path = |word: &&Word| {
        let beginning = word.beginning();
        restores
            || beginning == "."
            || beginning.starts_with("./")
            || beginning.starts_with(':')
            || word.is_pattern()
            || beginning.ends_with('/')
    };
    let plain: Vec<&Word> = arguments.iter().filter(|word| !word.beginning().starts_with('-')).collect();
    let paths: Vec<&Word> = match behind {
        Some(at) => arguments[at..].iter().collect(),
        // A commit and paths.
        None if !restores && plain.len() > 1 && !has(&["-b", "-B", "--orphan", "-t", "--track"]) => {
            plain[1..].to_vec()
        }
        None => plain.into_iter().filter(is_path).collect(),
    };
    for path in paths {
        let targets = scene.targets(path);
        let here: Vec<_> = scene.here().into_iter().map(|target| target.path).collect();
        let whole = path.beginning().starts_with(':')
            || targets.iter().any(|target| target.path.is_none() || here.contains(&target.path));
        if whole {
            effects.irreversible = Some(DISCARD);
        }
        effects.destroys.extend(targets);
    }
}
