//! Variables that a command sets in ways that only a shell follows: arithmetic, expansions with a default, redirections,
//! loops and coprocesses that are named after them.

use crate::effects::is_risky_variable;

/// Operators of arithmetic behind a name that change the variable.
const OPERATORS: [&str; 13] = ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"];

/// May the text change a variable by which programs are made to run something else? Looks at the letters only, so it also
/// finds some that are only spoken of.
pub(super) fn risky(text: &str) -> bool {
    let mut at = 0;
    while let Some(begin) = text[at..].find(is_letter).map(|found| at + found) {
        let end = text[begin..].find(|letter| !is_letter(letter)).map_or(text.len(), |length| begin + length);
        if is_risky_variable(&text[begin..end]) && is_changed(&text[..begin], &text[end..]) {
            return true;
        }
        at = end;
    }
    false
}

fn is_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

fn is_changed(before: &str, after: &str) -> bool {
    // The element of an array is the array, as far as names go.
    let after = match after.strip_prefix('[') {
        Some(inside) => inside.split_once(']').map_or("", |(_, behind)| behind),
        None => after,
    };
    let default = after.starts_with(":=");
    let descriptor = ["}<", "}>"].iter().any(|end| after.starts_with(end));
    let behind = after.trim_start();
    let changed = OPERATORS.iter().any(|operator| behind.starts_with(operator)) && !behind.starts_with("==");
    let ahead = before.trim_end();
    let counted = ahead.ends_with("++") || ahead.ends_with("--");
    let named = ["coproc", "select", "for"].iter().any(|word| ahead.ends_with(word));
    default || descriptor || changed || counted || named
}

#[cfg(test)]
mod tests {
    use super::risky;

    #[test]
    fn ways_to_set_a_variable_are_seen() {
        for text in [
            "true {PATH}</dev/null",
            "true {PATH[0]}>x",
            ": ${PATH:=10}",
            ": ${PATH=10}",
            "((PATH=10))",
            "((PATH = 10))",
            ": $((PATH+=10))",
            "echo $[PATH=1]",
            "((PATH++))",
            "((--IFS))",
            "a[PATH=1]=2",
            "coproc PATH { :; }",
            "select PATH in 10; do break; done",
        ] {
            assert!(risky(text), "{text}");
        }
        for text in [
            "for f in *; do echo $PATH GOOD $f; done",
            "[[ $HOME == /root ]]",
            "if [ \"$USER\" = x ]; then :; fi",
            "((n = n + 1))",
            "echo ${PATH}/x",
            "for x in USER MAKE; do :; done",
        ] {
            assert!(!risky(text), "{text}");
        }
    }
}
