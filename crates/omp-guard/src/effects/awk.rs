//! `awk`: programs that print. Its `system`, `getline`, pipes and redirections reach files and programs.

use super::argument::sort;
use super::call::find;
use super::{Effects, Unknown};
use crate::grammar::Word;

pub(super) fn evaluate(words: &[Word]) -> Result<Effects, Unknown> {
    let Some((row, _)) = find("awk", &[]) else { return Err(Unknown::Program("awk".to_owned())) };
    let sorted = sort(row, "awk", words)?;
    let unclear = || Unknown::Word { program: "awk".to_owned() };
    let program = sorted.operands.first().ok_or_else(unclear)?.known().ok_or_else(unclear)?;
    // `name=value` among the files sets a variable of the program, which only prints.
    match is_plain(program) {
        true => Ok(Effects::default()),
        false => Err(Unknown::Operand { program: "awk".to_owned(), operand: program.to_owned() }),
    }
}

/// Does a program only compute and print? Words are looked for also in strings and patterns: rather too many.
fn is_plain(program: &str) -> bool {
    const REACHING: &[&str] =
        &["system", "getline", "close", "fflush", "@", "|&", "ENVIRON", "PROCINFO", "/inet"];
    if REACHING.iter().any(|word| program.contains(word)) || program.replace("||", "").contains('|') {
        return false;
    }
    // A redirection stands behind `print`; before the first one, `>` compares.
    program.find("print").is_none_or(|at| !program[at..].contains('>'))
}

#[cfg(test)]
mod tests {
    use super::is_plain;

    #[test]
    fn programs_that_only_print() {
        for program in [
            "{print $1}",
            "NR>10",
            "$3 > 5 {print $1, $2}",
            "/a/ || /b/ {n++} END {print n}",
            "{printf \"%s\\n\", $1}",
        ] {
            assert!(is_plain(program), "{program}");
        }
        for program in [
            "{system(\"id\")}",
            "BEGIN{\"id\"|getline x; print x}",
            "{print > \"f\"}",
            "{print | \"sh\"}",
            "{print >> \"f\"}",
            "BEGIN { f=\"sys\" \"tem\"; @f(\"id\") }",
            "{printf \"x\" > $1}",
            "@load \"x\"",
            "BEGIN{while((\"id\" | getline l) > 0) print l}",
            "{print $1 |& \"sh\"}",
        ] {
            assert!(!is_plain(program), "{program}");
        }
    }
}
