//! Names of sessions that are made from other names.

/// A name for people from the title of a plan: dashes and underscores become spaces, the first letter a capital.
/// `None` if nothing is left.
pub fn humanize_title(title: &str) -> Option<String> {
    let words: Vec<&str> = title.split(['-', '_']).filter(|word| !word.is_empty()).collect();
    let joined = words.join(" ");
    let name = joined.trim();
    let mut letters = name.chars();
    let first = letters.next()?;
    Some(first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// proves: SES-176
    #[test]
    fn titles_of_plans_become_names() {
        for (title, name) in [
            ("migrate-mcp-loader", Some("Migrate mcp loader")),
            ("fix_session_naming", Some("Fix session naming")),
            ("foo--bar__baz", Some("Foo bar baz")),
            ("RefactorRouter", Some("RefactorRouter")),
            ("-_ über-uns _-", Some("Über uns")),
            ("---", None),
            ("", None),
            (" \t", None),
        ] {
            assert_eq!(humanize_title(title).as_deref(), name, "{title:?}");
        }
    }
}
