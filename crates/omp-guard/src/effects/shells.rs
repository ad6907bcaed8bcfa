//! Shells: a text, a file, or whatever comes in.

use super::call::Scene;
use super::run::run_in;
use super::{Effects, Executes, Unknown};
use crate::grammar::Word;

pub(super) fn evaluate(program: &str, words: &[Word], scene: &Scene<'_>) -> Result<Effects, Unknown> {
    let mut rest = words;
    let mut checks_only = false;
    while let [first, behind @ ..] = rest {
        let Some(known) = first.known() else { break };
        match known {
            "--version" | "--help" => return Ok(Effects::default()),
            "-c" | "-ec" | "-xc" | "-euc" | "-exc" | "-eu" if known.ends_with('c') => {
                return text(behind, scene);
            }
            "-n" => checks_only = true,
            "-e" | "-x" | "-u" | "-v" | "-eu" | "-ex" | "-eux" => {}
            "--" => {
                rest = behind;
                break;
            }
            other if other.starts_with(['-', '+']) => {
                return Err(Unknown::Option { program: program.to_owned(), option: other.to_owned() });
            }
            _ => break,
        }
        rest = behind;
    }
    let mut effects = Effects::default();
    match rest.first() {
        Some(file) if file.may_be_option() => return Err(Unknown::Word { program: program.to_owned() }),
        Some(_) if checks_only => {}
        Some(file) => effects.run_file(Some(file), scene),
        None => effects.executes = Executes::Arbitrary,
    }
    Ok(effects)
}

/// The text of `-c` is judged like any other.
fn text(words: &[Word], scene: &Scene<'_>) -> Result<Effects, Unknown> {
    let known = words.first().and_then(Word::known);
    let known = known.ok_or(Unknown::Syntax("shell code known only at run time"))?;
    Ok(run_in(known, &scene.deeper()).1)
}
