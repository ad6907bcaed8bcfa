//! Where bodies begin and end, told from the rows of a text alone.

use std::collections::HashMap;

use crate::Language;

/// Rows of a declaration before its body.
const LONGEST_HEADER: usize = 40;

/// How bodies are told from their rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// Between brackets.
    Brackets,
    /// Between brackets, with rows for a preprocessor and labels in the first column.
    Preprocessed,
    /// Between a word and `end`.
    Words,
    /// Below a colon.
    Colon,
}

impl Style {
    pub(super) fn of(language: Language) -> Option<Self> {
        match language.name() {
            "c" | "cpp" | "csharp" | "objc" => Some(Self::Preprocessed),
            "elixir" | "julia" | "lua" | "ruby" => Some(Self::Words),
            "python" | "starlark" => Some(Self::Colon),
            "bash" | "dart" | "go" | "java" | "javascript" | "kotlin" | "odin" | "php" | "powershell"
            | "r" | "rust" | "scala" | "solidity" | "swift" | "tsx" | "typescript" | "zig" => {
                Some(Self::Brackets)
            }
            _ => None,
        }
    }

    /// Does the row say nothing about the structure around it?
    fn ignores(self, row: &str) -> bool {
        let label = || row.strip_suffix(':').is_some_and(|name| name.bytes().all(is_word));
        match self {
            Self::Preprocessed => row.starts_with('#') || label(),
            Self::Colon => row.trim_start().starts_with('#'),
            Self::Words => row.trim_start().starts_with(['#', '-']),
            Self::Brackets => false,
        }
    }

    /// What closes the body that the row opens.
    fn opens(self, row: &str) -> Option<&'static str> {
        let word = || row.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        match row.as_bytes().last()? {
            b':' if self == Self::Colon => Some(""),
            b'{' => Some("}"),
            b'[' => Some("]"),
            b'(' => Some(")"),
            _ if self != Self::Words => None,
            _ if row.ends_with(" do") => Some("end"),
            _ => {
                matches!(word(), "class" | "def" | "function" | "local" | "macro" | "module").then_some("end")
            }
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn indent(row: &str) -> usize {
    row.len() - row.trim_start().len()
}

/// The indentation of the statement that a row ends: its parameters may stand on several rows, deeper than the first.
fn header_indent(rows: &[&str], at: usize) -> usize {
    let open = |row: &str| row.matches('(').count() as isize - row.matches(')').count() as isize;
    let mut depth = 0;
    for row in rows[..=at].iter().rev().take(LONGEST_HEADER) {
        depth += open(row);
        if depth >= 0 {
            return indent(row);
        }
    }
    usize::MAX
}

/// A row that opens a body, while its end is looked for.
struct Opened {
    row: usize,
    indent: usize,
    closer: &'static str,
    /// The first row inside that is no comment, and the last.
    inside: Option<(usize, usize)>,
}

/// The first and the last row inside of each body, by the row above it.
pub(super) struct Bodies(HashMap<usize, Body>);

pub(super) struct Body {
    pub(super) first: usize,
    pub(super) last: usize,
    /// What stands for the inside, where a language needs something there.
    pub(super) instead: Option<String>,
}

impl Bodies {
    /// The body below a row.
    pub(super) fn below(&self, row: usize) -> Option<&Body> {
        self.0.get(&row)
    }

    /// The rows above bodies.
    pub(super) fn headers(&self) -> impl Iterator<Item = usize> {
        self.0.keys().copied()
    }

    pub(super) fn find(rows: &[&str], style: Style) -> Self {
        let mut bodies = Self(HashMap::new());
        let mut around: Vec<Opened> = Vec::new();
        for (at, row) in rows.iter().enumerate() {
            let words = row.trim();
            if words.is_empty() || style.ignores(row.trim_end()) {
                continue;
            }
            let indent = indent(row);
            while let Some(inner) = around.pop_if(|inner| inner.indent >= indent) {
                let closes =
                    inner.closer.is_empty() || (inner.indent == indent && words.starts_with(inner.closer));
                if closes {
                    bodies.add(&inner, at, rows);
                }
            }
            for outer in &mut around {
                outer.inside = Some((outer.inside.map_or(at, |(first, _)| first), at));
            }
            if let Some(closer) = style.opens(words) {
                around.push(Opened {
                    row: at,
                    indent: indent.min(header_indent(rows, at)),
                    closer,
                    inside: None,
                });
            }
        }
        for inner in around {
            if inner.closer.is_empty() {
                bodies.add(&inner, rows.len(), rows);
            }
        }
        bodies
    }

    fn add(&mut self, opened: &Opened, end: usize, rows: &[&str]) {
        let something = match opened.closer {
            "" => "pass",
            "end" => "return nil",
            _ => {
                if end > opened.row + 1 {
                    self.0.insert(opened.row, Body { first: opened.row + 1, last: end - 1, instead: None });
                }
                return;
            }
        };
        let Some((first, last)) = opened.inside else { return };
        // A string that begins inside and ends outside.
        let quotes =
            |mark: &str| rows[first..=last].iter().map(|row| row.matches(mark).count()).sum::<usize>();
        if quotes("\"\"\"") % 2 == 1 || quotes("'''") % 2 == 1 {
            return;
        }
        let indent = &rows[first][..indent(rows[first])];
        self.0.insert(opened.row, Body { first, last, instead: Some(format!("{indent}{something}")) });
    }
}
