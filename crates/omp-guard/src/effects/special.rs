//! Programs whose arguments are a language of their own.

use super::argument::sort;
use super::call::{Scene, apply, by_row, evaluate as evaluate_call, find as find_row};
use super::variable::{is_harmless, is_risky};
use super::{Effects, Executes, Unknown, awk, find, sed, shells};
use crate::grammar::Word;

type Evaluated = Result<Effects, Unknown>;

/// What such a program does; `None` for one that its row describes.
pub(super) fn evaluate(program: &str, words: &[Word], scene: &Scene<'_>) -> Option<Evaluated> {
    Some(match program {
        "cd" => change_directory(words),
        "find" => find::evaluate(words, scene),
        "sed" | "gsed" => sed::evaluate(words, scene),
        "awk" | "gawk" | "mawk" | "nawk" => awk::evaluate(words),
        "xargs" => xargs(words, scene),
        "env" => env(words, scene),
        "test" | "[" => test(program, words),
        "printf" => printf(words),
        "set" => set(words),
        "export" => export(words),
        "sh" | "bash" | "zsh" | "dash" => shells::evaluate(program, words, scene),
        "rm" => remove(words, scene),
        "dd" => dd(words, scene),
        "date" => date(words, scene),
        "make" | "gmake" => make(program, words, scene),
        "tar" => tar(words, scene),
        "rsync" if words.iter().any(|word| word.beginning().contains(':')) => {
            Err(Unknown::Syntax("a path on another machine"))
        }
        "cargo" => return cargo(words, scene),
        _ => return None,
    })
}

fn operand(program: &str, word: &Word) -> Unknown {
    Unknown::Operand { program: program.to_owned(), operand: word.shown() }
}

fn option(program: &str, word: &Word) -> Unknown {
    Unknown::Option { program: program.to_owned(), option: word.shown() }
}

fn change_directory(words: &[Word]) -> Evaluated {
    match words {
        [] => Ok(Effects::default()),
        [flag, rest @ ..] if matches!(flag.known(), Some("-P" | "-L" | "--")) => change_directory(rest),
        [word] if !word.splits && (word.known() == Some("-") || !word.beginning().starts_with('-')) => {
            Ok(Effects::default())
        }
        [word, ..] => Err(operand("cd", word)),
    }
}

/// The command gets words that only a run can tell.
fn xargs(words: &[Word], scene: &Scene<'_>) -> Evaluated {
    let Some((row, _)) = find_row("xargs", &[]) else { return Err(Unknown::Program("xargs".to_owned())) };
    let sorted = sort(row, "xargs", words)?;
    let mut command = sorted.command.clone();
    match sorted.value(&["-I", "--replace"]).map(Word::known) {
        Some(Some(mark)) if !mark.is_empty() => {
            for word in &mut command {
                if word.known().is_none_or(|known| known.contains(mark)) {
                    *word = Word::runtime();
                }
            }
        }
        Some(_) => return Err(Unknown::Word { program: "xargs".to_owned() }),
        None if command.is_empty() => return Ok(Effects::default()),
        None => command.push(Word::runtime_words()),
    }
    Ok(evaluate_call(&command, &scene.deeper()).effects)
}

fn env(words: &[Word], scene: &Scene<'_>) -> Evaluated {
    let mut rest = words;
    let mut names = Vec::new();
    while let [first, behind @ ..] = rest {
        let known = first.known();
        rest = match known {
            Some("-i" | "-") => behind,
            Some("-u") => {
                names.extend(behind.first().map(Word::shown));
                behind.get(1..).unwrap_or_default()
            }
            Some("--") => behind,
            Some(option_word) if option_word.starts_with('-') => return Err(option("env", first)),
            _ => match first.beginning().split_once('=') {
                Some((name, _)) if !first.splits => {
                    names.push(name.to_owned());
                    behind
                }
                _ => break,
            },
        };
    }
    let effects = match rest {
        [] => Effects::default(),
        [first, ..] if first.may_be_option() => return Err(Unknown::Word { program: "env".to_owned() }),
        command => evaluate_call(command, &scene.deeper()).effects,
    };
    let runs_project = effects.executes >= Executes::Project;
    match names.into_iter().find(|name| !is_harmless(name) && (is_risky(name) || !runs_project)) {
        Some(name) => Err(Unknown::Variable(name)),
        None => Ok(effects),
    }
}

/// Tests of strings and files, with literal arguments: others evaluate subscripts and arithmetic.
fn test(program: &str, words: &[Word]) -> Evaluated {
    let mut texts: Vec<&str> = Vec::new();
    for word in words {
        texts.push(word.known().ok_or_else(|| Unknown::Word { program: program.to_owned() })?);
    }
    if program == "[" && texts.pop() != Some("]") {
        return Err(Unknown::Syntax("an unfinished test"));
    }
    let rest = texts.strip_prefix(&["!"]).unwrap_or(&texts);
    let fits = match rest {
        [] | [_] => true,
        [operator, _] => {
            ["-e", "-f", "-d", "-r", "-w", "-x", "-s", "-L", "-h", "-n", "-z", "-p", "-S"].contains(operator)
        }
        [_, operator, _] => ["=", "==", "!=", "-nt", "-ot"].contains(operator),
        _ => false,
    };
    match fits {
        true => Ok(Effects::default()),
        false => Err(Unknown::Syntax("a test of something other than a string or file")),
    }
}

/// `-v` and `%n` set variables.
fn printf(words: &[Word]) -> Evaluated {
    let rest = match words {
        [first, rest @ ..] if first.known() == Some("--") => rest,
        rest => rest,
    };
    let Some(format) = rest.first() else { return Ok(Effects::default()) };
    let Some(known) = format.known() else { return Err(Unknown::Word { program: "printf".to_owned() }) };
    let mut letters = known.chars();
    if known.starts_with('-') {
        return Err(option("printf", format));
    }
    while letters.by_ref().any(|letter| letter == '%') {
        let conversion = letters.by_ref().find(|letter| !"-+ #0123456789.*'hlLjzt".contains(*letter));
        if matches!(conversion, Some('n' | '(' | 'Q')) {
            return Err(operand("printf", format));
        }
    }
    Ok(Effects::default())
}

/// Options of the shell that make it stricter or more talkative.
fn set(words: &[Word]) -> Evaluated {
    const LONG: &[&str] = &["pipefail", "errexit", "nounset", "xtrace", "noclobber", "noglob", "verbose"];
    let mut named = false;
    for word in words {
        let known = word.known().unwrap_or_default();
        let letters = known.strip_prefix(['-', '+']).filter(|letters| !letters.is_empty());
        match letters {
            _ if named && LONG.contains(&known) => named = false,
            Some(letters) if !named && letters.chars().all(|letter| "euxofCv".contains(letter)) => {
                named = letters.ends_with('o');
            }
            _ => return Err(operand("set", word)),
        }
    }
    Ok(Effects::default())
}

/// The names are looked at where the script is.
fn export(words: &[Word]) -> Evaluated {
    let is_name = |word: &&Word| {
        let name = word.beginning().split('=').next().unwrap_or_default();
        let letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let whole = word.known().is_some() || word.beginning().contains('=');
        !name.is_empty() && name.chars().all(letter) && whole && !word.splits
    };
    match words.iter().find(|word| !is_name(word)) {
        Some(word) => Err(operand("export", word)),
        None => Ok(Effects::default()),
    }
}

fn remove(words: &[Word], scene: &Scene<'_>) -> Evaluated {
    let Some((row, _)) = find_row("rm", &[]) else { return Err(Unknown::Program("rm".to_owned())) };
    let sorted = sort(row, "rm", words)?;
    let mut effects = apply(row, "rm", &sorted, scene);
    let recursive = sorted.has(&["-r", "-R", "--recursive"]);
    effects.destroys.iter_mut().for_each(|target| target.recursive = recursive);
    Ok(effects)
}

fn dd(words: &[Word], scene: &Scene<'_>) -> Evaluated {
    const KEYS: &[&str] =
        &["if", "bs", "count", "skip", "seek", "conv", "status", "iflag", "oflag", "ibs", "obs", "cbs"];
    let mut effects = Effects::default();
    for word in words {
        let (key, _) = word.beginning().split_once('=').ok_or_else(|| operand("dd", word))?;
        match key {
            "of" => effects.destroys.extend(scene.targets(&word.without(3))),
            key if KEYS.contains(&key) && !word.splits => {}
            _ => return Err(operand("dd", word)),
        }
    }
    Ok(effects)
}

/// An argument that is not a format sets the clock.
fn date(words: &[Word], scene: &Scene<'_>) -> Evaluated {
    let Some((row, _)) = find_row("date", &[]) else { return Err(Unknown::Program("date".to_owned())) };
    let sorted = sort(row, "date", words)?;
    match sorted.operands.iter().find(|word| !word.beginning().starts_with('+')) {
        Some(word) => Err(operand("date", word)),
        None => Ok(apply(row, "date", &sorted, scene)),
    }
}

/// `SHELL=…` and other variables among the targets change what runs.
fn make(program: &str, words: &[Word], scene: &Scene<'_>) -> Evaluated {
    match words
        .iter()
        .find(|word| word.known().is_none_or(|known| !known.starts_with('-') && known.contains('=')))
    {
        Some(word) => Err(operand(program, word)),
        None => Ok(by_row(program, words, scene).effects),
    }
}

/// The first word may be letters without a dash.
fn tar(words: &[Word], scene: &Scene<'_>) -> Evaluated {
    let Some((row, _)) = find_row("tar", &[]) else { return Err(Unknown::Program("tar".to_owned())) };
    let mut words = words.to_vec();
    if let Some(first) = words.first_mut()
        && let Some(known) = first.known().filter(|known| !known.starts_with('-'))
    {
        *first = Word::literal(&format!("-{known}"));
    }
    let sorted = sort(row, "tar", &words)?;
    let file = sorted.value(&["-f", "--file"]);
    // `host:file` is another machine.
    if let Some(file) = file.filter(|file| file.known().is_none_or(|name| name.contains(':'))) {
        return Err(operand("tar", file));
    }
    let mut effects = Effects::default();
    let has = |names: &[&str]| sorted.has(names);
    if has(&["-c", "--create", "-r", "--append", "-u", "--update"]) {
        effects.writes.extend(scene.targets(file.ok_or(Unknown::Syntax("a tape"))?));
    } else if has(&["-x", "--extract", "--get"]) && !has(&["-O", "--to-stdout"]) {
        match sorted.value(&["-C", "--directory"]) {
            Some(directory) => effects.writes.extend(scene.targets(directory)),
            None => effects.writes.extend(scene.here()),
        }
    }
    Ok(effects)
}

/// `cargo +nightly test`.
fn cargo(words: &[Word], scene: &Scene<'_>) -> Option<Evaluated> {
    let [toolchain, rest @ ..] = words else { return None };
    let known = toolchain.known()?.strip_prefix('+')?;
    let named = known.chars().all(|letter| letter.is_ascii_alphanumeric() || "-._".contains(letter));
    Some(match named {
        true => Ok(by_row("cargo", rest, scene).effects),
        false => Err(operand("cargo", toolchain)),
    })
}
