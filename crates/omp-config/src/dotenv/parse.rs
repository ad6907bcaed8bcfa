//! The lines of one `.env` file.

/// The variables that a file defines, in order. What is no definition is left out, line by line.
pub(super) fn parse(bytes: &[u8]) -> Vec<(String, String)> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let lines = bytes.split(|byte| *byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok());
    lines.filter_map(definition).collect()
}

fn definition(line: &str) -> Option<(String, String)> {
    let line = line.trim();
    if line.starts_with('#') {
        return None;
    }
    let (name, value) = line.split_once('=')?;
    let (name, value) = (name.trim_end(), unquoted(value.trim_start()));
    (is_identifier(name) && !value.contains('\0')).then(|| (name.to_owned(), value.to_owned()))
}

fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|character| character.is_ascii_alphanumeric() || character == '_')
}

/// Without one pair of quotes of the same kind around the whole.
fn unquoted(value: &str) -> &str {
    let within = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    within('"').or_else(|| within('\'')).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::parse;

    fn pairs(text: impl AsRef<[u8]>) -> Vec<(String, String)> {
        parse(text.as_ref())
    }

    fn value(line: &str) -> Option<String> {
        pairs(line).into_iter().next().map(|(_, value)| value)
    }

    // proves: CLI-120
    #[test]
    fn nothing_but_quotes_is_interpreted() {
        for (line, expected) in [
            ("A=b", "b"),
            ("  A = b c  ", "b c"),
            ("A=", ""),
            ("A=\"b c\"", "b c"),
            ("A='b c'", "b c"),
            ("A=\"b'", "\"b'"),
            ("A=\"", "\""),
            ("A=\"\"", ""),
            ("A='\"b\"'", "\"b\""),
            ("A=b # not a comment", "b # not a comment"),
            ("A=$HOME ${X} `id` \\n", "$HOME ${X} `id` \\n"),
            ("A=b=c", "b=c"),
            ("A=b\r", "b"),
            ("_a9=é", "é"),
        ] {
            assert_eq!(value(line).as_deref(), Some(expected), "{line:?}");
        }
        for line in
            ["", "   ", "# A=b", "  #A=b", "A", "=b", "9A=b", "A-B=c", "A B=c", "export A=b", "É=b", "A=b\0c"]
        {
            assert_eq!(value(line), None, "{line:?}");
        }
    }

    #[test]
    fn files_of_every_editor_are_read() {
        let ours = [("A".to_owned(), "1".to_owned()), ("B".to_owned(), "2".to_owned())];
        assert_eq!(pairs("\u{feff}A=1\r\n\r\nB=2"), ours);
        assert_eq!(pairs(b"A=1\nX=\xff\xfe\nB=2\n"), ours);
    }
}
