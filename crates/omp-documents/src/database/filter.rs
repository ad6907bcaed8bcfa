//! A condition that was typed by somebody: it must stay a condition.

/// Words that begin something else than a condition.
const WORDS: [&str; 8] = ["LIMIT", "OFFSET", "UNION", "INTERSECT", "EXCEPT", "ATTACH", "DETACH", "PRAGMA"];

/// Refuses everything that is more than a condition. What is in quotes is text.
pub(super) fn check(condition: &str) -> Result<(), String> {
    if condition.trim().is_empty() {
        return Err("the condition after where= is empty".into());
    }
    let bare = without_quotes(condition)?;
    for (sign, name) in [("--", "comments"), ("/*", "comments"), (";", "';'")] {
        if bare.contains(sign) {
            return Err(format!("where must be a single condition, without {name}"));
        }
    }
    let words = bare.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    for word in words.map(str::to_ascii_uppercase) {
        if WORDS.contains(&word.as_str()) {
            return Err(format!(
                "where must be a single condition, without {word}; use ?q=SELECT … for more"
            ));
        }
    }
    let mut depth = 0_i64;
    for letter in bare.chars() {
        depth += i64::from(letter == '(') - i64::from(letter == ')');
        if depth < 0 {
            break;
        }
    }
    if depth == 0 { Ok(()) } else { Err("the parentheses after where= do not match".into()) }
}

/// The condition with blanks in place of what is quoted.
fn without_quotes(condition: &str) -> Result<String, String> {
    let mut bare = String::with_capacity(condition.len());
    let mut until = None;
    for letter in condition.chars() {
        match (until, letter) {
            (Some(end), letter) if letter == end => until = None,
            (Some(_), _) => {}
            (None, '\'' | '"' | '`') => until = Some(letter),
            (None, '[') => until = Some(']'),
            (None, letter) => {
                bare.push(letter);
                continue;
            }
        }
        bare.push(' ');
    }
    match until {
        None => Ok(bare),
        Some(quote) => Err(format!("the condition after where= has an unclosed {quote}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_stay_conditions() {
        for good in ["a = 1", "name='a;b'", "\"limit\" > 3", "n LIKE '%--%' AND (a OR b)", "unioned = 1"] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for bad in [
            "1=1; drop",
            "1 -- x",
            "1 /* x */",
            "1 limit 3",
            "1 OFFSET 2",
            "1) UNION SELECT (1",
            "a) or (b",
            "attach",
            "x'",
            "1 intersect select 2",
            "",
            "PRAGMA x",
        ] {
            assert!(check(bad).is_err(), "{bad}");
        }
    }
}
