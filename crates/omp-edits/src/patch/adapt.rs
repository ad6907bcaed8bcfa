//! The indentation and the signs of new lines, where the author had those of the file wrong.

use crate::patch::matcher::{Fit, signs};

/// How lines as their author writes them become lines of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Adapted {
    indents: Indents,
    signs: Vec<(char, char)>,
}

impl Adapted {
    /// Learns from lines as they were written, beside the same lines of the file, which fit so well.
    pub(crate) fn learn<'a>(fit: Fit, lines: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> Self {
        let signs = if fit == Fit::Signs { signs(lines.clone()) } else { Vec::new() };
        Self { indents: Indents::learn(lines), signs }
    }

    /// A new line as the file would have it.
    pub(crate) fn line(&self, line: &str) -> String {
        let line = self.indents.adapt(line);
        if self.signs.is_empty() {
            return line;
        }
        let plain = |letter: char| {
            self.signs.iter().find(|(written, _)| *written == letter).map_or(letter, |(_, real)| *real)
        };
        line.chars().map(plain).collect()
    }
}

/// What stands before the first letter.
fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

/// How indentation as it was written becomes that of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Indents {
    Same,
    /// The file has this before what was written.
    Add(String),
    /// This was written before what the file has.
    Strip(String),
    /// Tabs on one side, spaces on the other, or no system: line by line.
    Table(Vec<Pair>),
}

/// A line as it was written and as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    text: String,
    written: String,
    real: String,
}

impl Indents {
    /// Learns from lines as they were written, beside the same lines of the file.
    pub(crate) fn learn<'a>(lines: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let pairs: Vec<Pair> = lines
            .into_iter()
            .filter(|(written, real)| !written.trim().is_empty() && !real.trim().is_empty())
            .map(|(written, real)| Pair {
                text: written.trim().to_owned(),
                written: indent(written).to_owned(),
                real: indent(real).to_owned(),
            })
            .collect();
        if pairs.iter().all(|pair| pair.written == pair.real) {
            return Self::Same;
        }
        let added = common(pairs.iter().map(|pair| pair.real.strip_suffix(pair.written.as_str())));
        if let Some(added) = added {
            return Self::Add(added.to_owned());
        }
        let stripped = common(pairs.iter().map(|pair| pair.written.strip_suffix(pair.real.as_str())));
        match stripped {
            Some(stripped) => Self::Strip(stripped.to_owned()),
            None => Self::Table(pairs),
        }
    }

    /// A new line with the file's indentation.
    pub(crate) fn adapt(&self, line: &str) -> String {
        if line.trim().is_empty() {
            return line.to_owned();
        }
        match self {
            Self::Same => line.to_owned(),
            Self::Add(added) => format!("{added}{line}"),
            Self::Strip(stripped) => line.strip_prefix(stripped.as_str()).unwrap_or(line).to_owned(),
            Self::Table(pairs) => look_up(pairs, line),
        }
    }
}

/// The value that all have.
fn common<'a>(mut values: impl Iterator<Item = Option<&'a str>>) -> Option<&'a str> {
    let first = values.next()??;
    values.all(|value| value == Some(first)).then_some(first)
}

/// By the same line, by a line with the same indentation, by one with less.
fn look_up(pairs: &[Pair], line: &str) -> String {
    let (written, text) = (indent(line), line.trim_start());
    let same = pairs.iter().find(|pair| pair.text == text.trim_end() && pair.written == written);
    if let Some(pair) = same.or_else(|| pairs.iter().find(|pair| pair.written == written)) {
        return format!("{}{text}", pair.real);
    }
    let above = pairs.iter().filter(|pair| written.starts_with(&pair.written));
    let Some(above) = above.max_by_key(|pair| pair.written.len()) else { return line.to_owned() };
    let rest = deeper(pairs, &written[above.written.len()..]);
    format!("{}{rest}{text}", above.real)
}

/// Further indentation in the signs of the file.
fn deeper(pairs: &[Pair], rest: &str) -> String {
    let tabs = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte == b'\t');
    let spaces = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte == b' ');
    for Pair { written, real, .. } in pairs {
        let width = |tabs: &str, spaces: &str| (spaces.len() / tabs.len()).max(1);
        if tabs(real) && spaces(written) && spaces(rest) {
            let width = width(real, written);
            return "\t".repeat(rest.len() / width) + &" ".repeat(rest.len() % width);
        }
        if spaces(real) && tabs(written) && tabs(rest) {
            return " ".repeat(rest.len() * width(written, real));
        }
    }
    rest.to_owned()
}

#[cfg(test)]
mod tests {
    use super::Indents;

    fn adapted(pairs: &[(&str, &str)], line: &str) -> String {
        Indents::learn(pairs.iter().copied()).adapt(line)
    }

    #[test]
    fn what_is_missing_is_added_and_what_is_too_much_taken() {
        assert_eq!(adapted(&[("a", "    a"), ("  b", "      b")], "    c"), "        c");
        assert_eq!(adapted(&[("    a", "a"), ("      b", "  b")], "    c"), "c");
        assert_eq!(adapted(&[("    a", "a")], "  c"), "  c", "nothing to take");
        assert_eq!(adapted(&[("a", "\ta")], ""), "", "an empty line stays empty");
    }

    #[test]
    fn spaces_become_tabs_and_tabs_spaces() {
        let pairs = [("if a {", "if a {"), ("    b", "\tb"), ("        c", "\t\tc")];
        assert_eq!(adapted(&pairs, "    d"), "\td");
        assert_eq!(adapted(&pairs, "            e"), "\t\t\te");
        let pairs = [("f", "f"), ("\tb", "  b")];
        assert_eq!(adapted(&pairs, "\t\te"), "    e");
    }
}
