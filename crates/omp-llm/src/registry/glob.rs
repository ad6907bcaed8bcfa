//! `*` and `?` in lists of models. A star crosses slashes: ids have them in the middle.

/// Is this a pattern rather than a name?
pub(super) fn is_glob(text: &str) -> bool {
    text.contains(['*', '?'])
}

/// Linear in practice: on a mismatch only the last star is tried again.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let mut rest = text.chars();
    let mut at = 0;
    let mut retry: Option<(usize, std::str::Chars<'_>)> = None;
    loop {
        if pattern.get(at) == Some(&'*') {
            at += 1;
            retry = Some((at, rest.clone()));
            continue;
        }
        let mut ahead = rest.clone();
        match (ahead.next(), pattern.get(at)) {
            (None, None) => return true,
            (Some(letter), Some(wanted)) if *wanted == '?' || *wanted == letter => {
                rest = ahead;
                at += 1;
            }
            _ => {
                let Some((star, from)) = &mut retry else { return false };
                if from.next().is_none() {
                    return false;
                }
                (at, rest) = (*star, from.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_and_question_marks() {
        for (pattern, text, expected) in [
            ("openai/*", "openai/gpt-5", true),
            ("openai/*", "openrouter/openai/gpt-5", false),
            ("openrouter/*", "openrouter/openai/gpt-5", true),
            ("*sonnet*", "anthropic/claude-sonnet-4-5", true),
            ("*sonnet", "anthropic/claude-sonnet-4-5", false),
            ("gpt-?", "gpt-5", true),
            ("gpt-?", "gpt-55", false),
            ("*", "", true),
            ("a*b*c", "a-b-b-c", true),
            ("*ä?", "xäö", true),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
        assert!(!matches(&"*a".repeat(50), &"a".repeat(40)));
    }
}
