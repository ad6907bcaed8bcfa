//! Lines that stand for others, as models write them to save words: `// ... existing code ...`. An edit writes text as
//! it is given, so what they stand for would be lost.

use omp_agent::ToolError;

/// What begins and ends a comment, in the languages that there are.
const MARKS: &[&str] = &["//", "/*", "*/", "<!--", "-->", "{/*", "*/}", "#", "--", ";", "%", "*", "{", "}"];
/// What such a line says.
const WORDS: &[&str] = &[
    "existing",
    "rest of",
    "remaining",
    "unchanged",
    "same as before",
    "remain the same",
    "remains the same",
    "stays the same",
    "no changes",
    "previous code",
    "other code",
    "omitted",
];
/// More words than this are a sentence about something else.
const MOST_WORDS: usize = 9;

/// Refuses new lines that stand for text which is left out. Lines that the file has anyway are text.
pub(crate) fn refuse<'a>(
    shown: &str,
    old: &str,
    new: impl IntoIterator<Item = &'a str>,
) -> Result<(), ToolError> {
    let stands_in = |line: &&str| is_placeholder(line) && !old.contains(line.trim());
    let Some(line) = new.into_iter().find(stands_in) else { return Ok(()) };
    Err(ToolError::new(format!(
        "{shown} was not changed: the new text contains \"{}\", which looks like a placeholder for omitted \
         lines. Text is written literally, so those lines would be lost. Change only the lines that differ, \
         or write all of them. If the file should really say that, rephrase it.",
        line.trim()
    )))
}

fn is_placeholder(line: &str) -> bool {
    let text = line.trim();
    if !text.is_ascii() && !text.contains('…') || text.split_whitespace().count() > MOST_WORDS + 4 {
        return false;
    }
    let (inner, marked) = without_marks(text);
    let dots = ["...", "…"].iter().any(|dots| inner.starts_with(dots) || inner.ends_with(dots));
    let said = inner.to_lowercase();
    let says = |words: &&str| said.contains(*words);
    let spoken = WORDS.iter().filter(|words| says(words)).count();
    let short = said.split_whitespace().count() <= MOST_WORDS;
    let bracketed = inner.starts_with(['[', '(']) && inner.ends_with([']', ')']);
    short
        && ((dots && spoken > 0 && (marked || inner.starts_with(['.', '…'])))
            || (spoken > 1 && (marked || bracketed)))
}

/// The text of a comment, and whether it is one.
fn without_marks(text: &str) -> (&str, bool) {
    let mut inner = text;
    loop {
        let stripped =
            MARKS.iter().find_map(|mark| inner.strip_prefix(mark).or_else(|| inner.strip_suffix(mark)));
        match stripped {
            Some(rest) => inner = rest.trim(),
            None => return (inner, inner.len() < text.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{is_placeholder, refuse};

    #[test]
    fn lines_that_stand_for_others_are_known() {
        for line in [
            "// ... existing code ...",
            "    # ... rest of the function unchanged ...",
            "/* … remaining methods … */",
            "<!-- ... existing markup ... -->",
            "{/* ... rest of the component ... */}",
            "// rest of the file remains the same, unchanged",
            "-- ... existing columns",
            "... existing code ...",
            "[... rest of file unchanged ...]",
            "// ...existing code...",
        ] {
            assert!(is_placeholder(line), "{line}");
        }
    }

    #[test]
    fn other_lines_are_text() {
        for line in [
            "...",
            "// ...",
            "def f(self): ...",
            "    pass  # ...",
            "let rest = existing.iter();",
            "// The existing sessions are kept; the rest of them are listed below in order of age",
            "console.log(\"loading...\");",
            "print('... existing')",
            "// existing users only",
            "- unchanged",
            "for x in ...remaining:",
        ] {
            assert!(!is_placeholder(line), "{line}");
        }
        assert!(refuse("a", "x\n  // ... existing code ...\n", ["// ... existing code ..."]).is_ok());
        let error = refuse("a", "x\n", ["y", "  // ... existing code ..."]).unwrap_err();
        assert!(
            error
                .message
                .starts_with("a was not changed: the new text contains \"// ... existing code ...\"")
        );
    }
}
