//! Names of settings for people.

/// `compaction.keepRecentTokens` is "Compaction: keep recent tokens".
pub(super) fn label(path: &str) -> String {
    let mut parts: Vec<String> = path.split('.').map(words).collect();
    let Some(last) = parts.pop() else { return String::new() };
    match parts.is_empty() {
        true => capital(&last),
        false => format!("{}: {last}", capital(&parts.join(" "))),
    }
}

/// The words of a name in camel case. Letters that are capital together are one word and stay so.
fn words(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut words: Vec<String> = vec![String::new()];
    for (at, letter) in letters.iter().enumerate() {
        let lower = |place: Option<&char>| place.is_some_and(|letter| !letter.is_uppercase());
        let before = at.checked_sub(1).and_then(|before| letters.get(before));
        let begins =
            letter.is_uppercase() && (lower(before) || (before.is_some() && lower(letters.get(at + 1))));
        if begins {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.push(*letter);
        }
    }
    let is_short_for = |word: &str| word.len() > 1 && word.chars().all(char::is_uppercase);
    let shown = words.iter().map(|word| if is_short_for(word) { word.clone() } else { word.to_lowercase() });
    shown.collect::<Vec<_>>().join(" ")
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::label;

    #[test]
    fn names_become_words() {
        for (path, expected) in [
            ("temperature", "Temperature"),
            ("autoResume", "Auto resume"),
            ("compaction.keepRecentTokens", "Compaction: keep recent tokens"),
            ("skills.enableMCPServers", "Skills: enable MCP servers"),
            ("auth.broker.url", "Auth broker: url"),
        ] {
            assert_eq!(label(path), expected);
        }
    }
}
