//! The words behind a program, sorted by a row into options, their values and arguments.

use super::table::{Does, Opt, ProgramRow, Slot, Value};
use crate::grammar::{Unknown, Word};

/// A call as its row reads it.
#[derive(Debug, Default)]
pub(super) struct Sorted {
    pub(super) options: Vec<Given>,
    pub(super) operands: Vec<Word>,
    /// The call behind a wrapper.
    pub(super) command: Vec<Word>,
}

/// An option that was given.
#[derive(Clone, Debug)]
pub(super) struct Given {
    pub(super) name: String,
    pub(super) does: Does,
    pub(super) value: Option<Word>,
}

impl Sorted {
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|given| names.contains(&given.name.as_str()))
    }

    pub(super) fn value(&self, names: &[&str]) -> Option<&Word> {
        let given = self.options.iter().rev().find(|given| names.contains(&given.name.as_str()));
        given.and_then(|given| given.value.as_ref())
    }

    fn give(&mut self, name: &str, opt: Opt, value: Option<Word>) {
        self.options.push(Given { name: name.to_owned(), does: opt.does, value });
    }
}

/// Sorts words by a row. `Err` where an option is not in it, or where a word may be one that is not.
pub(super) fn sort(row: &ProgramRow, program: &str, words: &[Word]) -> Result<Sorted, Unknown> {
    let mut sorted = Sorted::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let at = sorted.operands.len();
        if row.slot(at, usize::MAX) == Some(Slot::Command) {
            sorted.command = std::iter::once(word).chain(words.as_slice()).cloned().collect();
            // Options of the wrapper come before its command.
            if !is_option(word) {
                return Ok(sorted);
            }
            sorted.command.clear();
        }
        let operands_begun = row.base.early && !sorted.operands.is_empty();
        match word.known() {
            Some("--") if !operands_begun => {
                rest(row, &mut sorted, words.as_slice());
                return Ok(sorted);
            }
            Some(known) if is_option(word) && !operands_begun => {
                let next = option(row, program, (known, word), words.as_slice().first(), &mut sorted)?;
                if next == Next::Taken {
                    words.next();
                }
            }
            _ if operands_begun => sorted.operands.push(word.clone()),
            // A known option with a value that only a run can tell.
            None if word.beginning().starts_with("--") && word.beginning().contains('=') && !word.splits => {
                let beginning = word.beginning().to_owned();
                option(row, program, (&beginning, word), None, &mut sorted)?;
            }
            _ if word.may_be_option() && !row.base.insensitive => {
                return Err(Unknown::Word { program: program.to_owned() });
            }
            _ => {
                let last = sorted.operands.len();
                sorted.operands.push(word.clone());
                // What follows a script belongs to it.
                if row.slot(last, usize::MAX) == Some(Slot::Script) {
                    sorted.operands.extend(words.as_slice().iter().cloned());
                    return Ok(sorted);
                }
            }
        }
    }
    Ok(sorted)
}

fn rest(row: &ProgramRow, sorted: &mut Sorted, words: &[Word]) {
    let commands = row.operands.first.iter().position(|slot| *slot == Slot::Command);
    match commands {
        Some(at) => {
            let before = at.saturating_sub(sorted.operands.len()).min(words.len());
            sorted.operands.extend(words[..before].iter().cloned());
            sorted.command = words[before..].to_vec();
        }
        None => sorted.operands.extend(words.iter().cloned()),
    }
}

fn is_option(word: &Word) -> bool {
    word.known().is_some_and(|known| {
        known.len() > 1 && (known.starts_with('-') || known.starts_with('+') && known.len() > 1)
    })
}

#[derive(PartialEq, Eq)]
enum Next {
    Taken,
    Left,
}

fn option(
    row: &ProgramRow,
    program: &str,
    (known, word): (&str, &Word),
    next: Option<&Word>,
    sorted: &mut Sorted,
) -> Result<Next, Unknown> {
    let strange = || Unknown::Option { program: program.to_owned(), option: known.to_owned() };
    if known.starts_with('+') && row.option(known).is_none() {
        // Most programs take this for an argument.
        sorted.operands.push(word.clone());
        return Ok(Next::Left);
    }
    let long = |name: &str| {
        let valued = name.len() > 2 && row.option(name).is_some_and(|opt| opt.value != Value::None);
        known.starts_with("--") || row.base.single || valued
    };
    let (name, attached) = match known.split_once('=') {
        _ if row.option(known).is_some() => (known, None),
        Some((name, _)) if long(name) => (name, Some(word.without(name.len() + 1))),
        _ => (known, None),
    };
    if let Some(opt) = row.option(name) {
        return value((name, opt), attached, next, sorted).ok_or_else(strange);
    }
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if known.strip_prefix(['-', '+']).is_some_and(digits) && row.option("-#").is_some() {
        return Ok(Next::Left);
    }
    if known.starts_with("--") || known.starts_with('+') || row.base.single {
        return Err(strange());
    }
    letters(row, (known, word), next, sorted).ok_or_else(strange)
}

/// `-abc`: one letter after the other; what follows one that takes a value is its value.
fn letters(
    row: &ProgramRow,
    (known, word): (&str, &Word),
    next: Option<&Word>,
    sorted: &mut Sorted,
) -> Option<Next> {
    let mut taken = Next::Left;
    for (at, letter) in known.char_indices().skip(1) {
        let end = at + letter.len_utf8();
        let name = format!("-{letter}");
        let opt = row.option(&name)?;
        let rest = (end < known.len()).then(|| word.without(end));
        match opt.value {
            Value::None => sorted.give(&name, opt, None),
            Value::Optional => {
                sorted.give(&name, opt, rest);
                return Some(taken);
            }
            Value::Required if rest.is_some() => {
                sorted.give(&name, opt, rest);
                return Some(taken);
            }
            Value::Required => taken = value((&name, opt), None, next, sorted)?,
        }
    }
    Some(taken)
}

fn value(
    (name, opt): (&str, Opt),
    attached: Option<Word>,
    next: Option<&Word>,
    sorted: &mut Sorted,
) -> Option<Next> {
    match (opt.value, attached) {
        (Value::None, Some(_)) => None,
        (Value::None, None) => {
            sorted.give(name, opt, None);
            Some(Next::Left)
        }
        (Value::Optional, value) => {
            sorted.give(name, opt, value);
            Some(Next::Left)
        }
        (Value::Required, Some(value)) => {
            sorted.give(name, opt, Some(value));
            Some(Next::Left)
        }
        (Value::Required, None) => {
            // Without quotes it may be no word, and then the next one is taken.
            let clear = |word: &&Word| {
                let plain = !word.is_pattern() || opt.does == Does::Nothing && !word.may_be_option();
                !word.splits && plain
            };
            let value = next.filter(clear)?;
            sorted.give(name, opt, Some(value.clone()));
            Some(Next::Taken)
        }
    }
}

impl ProgramRow {
    /// What the argument at this place is, of this many.
    pub(super) fn slot(&self, at: usize, of: usize) -> Option<Slot> {
        let operands = &self.operands;
        if operands.last.is_some() && at + 1 == of {
            return operands.last;
        }
        operands.first.get(at).copied().or(operands.rest)
    }
}
