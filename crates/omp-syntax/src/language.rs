//! Which language a text is written in.

use std::fmt;
use std::path::Path;

use crate::grammars::{GRAMMARS, Grammar};
use crate::names::{NAMES, Names};

/// A language whose grammar is part of the program.
#[derive(Clone, Copy)]
pub struct Language(&'static Grammar);

/// What a language is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Has declarations with bodies.
    Code,
    /// Holds values: every line tells something.
    Data,
    /// Elements within text.
    Markup,
    /// For people to read.
    Prose,
}

impl Language {
    /// The language of a file: by its name, and for names that say nothing by its first line, where a script names its
    /// interpreter.
    pub fn of_path(path: &str, first_line: &str) -> Option<Self> {
        let name = Path::new(path).file_name()?.to_str()?;
        let lower = name.to_ascii_lowercase();
        let find = |list: fn(&Names) -> &'static str, wanted: &str| {
            NAMES.iter().find(|names| list(names).split(' ').any(|one| one == wanted)).map(|names| names.0)
        };
        // `Dockerfile.test` is told by what stands before the dot.
        let (stem, extension) = lower.rsplit_once('.').unwrap_or((&lower, ""));
        let found = find(|names| names.2, &lower)
            .or_else(|| find(|names| names.1, extension).filter(|_| !extension.is_empty()))
            .or_else(|| find(|names| names.2, stem).filter(|_| !stem.is_empty()))
            .or_else(|| find(|names| names.3, interpreter(first_line)?))?;
        Self::named(found)
    }

    /// The language of that name, if its grammar is linked in.
    fn named(name: &str) -> Option<Self> {
        GRAMMARS.iter().find(|grammar| grammar.name == name).map(Self)
    }

    /// All languages, in the order of their names.
    pub fn all() -> impl Iterator<Item = Self> {
        GRAMMARS.iter().map(Self)
    }

    pub fn name(self) -> &'static str {
        self.0.name
    }

    pub fn family(self) -> Family {
        self.0.family
    }

    pub(crate) fn grammar(self) -> tree_sitter::Language {
        self.0.tables.language().into()
    }

    /// The highlighting queries that come with the grammar.
    pub(crate) fn queries(self) -> &'static [&'static str] {
        self.0.tables.queries()
    }

    /// Its place in the order of the names.
    pub(crate) fn index(self) -> usize {
        GRAMMARS.partition_point(|grammar| grammar.name < self.0.name)
    }

    /// Texts to put around a pattern that makes no sense alone, the nearest first.
    pub(crate) fn contexts(self) -> &'static [(&'static str, &'static str)] {
        self.0.contexts
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for Language {}

impl fmt::Debug for Language {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0.name)
    }
}

/// The program named by `#!/usr/bin/env -S python3 -u`, without its version.
fn interpreter(first_line: &str) -> Option<&str> {
    let mut words = first_line.strip_prefix("#!")?.split_whitespace();
    let program = words.next()?.rsplit('/').next()?;
    let program = match program {
        "env" => words.find(|word| !word.starts_with('-') && !word.contains('='))?,
        program => program,
    };
    Some(program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(path: &str, first_line: &str) -> Option<&'static str> {
        Language::of_path(path, first_line).map(Language::name)
    }

    #[test]
    fn names_extensions_and_first_lines() {
        assert_eq!(named("src/Main.RS", ""), Some("rust"));
        assert_eq!(named("Dockerfile", ""), Some("dockerfile"));
        assert_eq!(named("dir/Dockerfile.test", ""), Some("dockerfile"));
        assert_eq!(named("GNUmakefile", ""), Some("make"));
        assert_eq!(named("CMakeLists.txt", ""), Some("cmake"));
        assert_eq!(named("a.tsx", ""), Some("tsx"));
        assert_eq!(named("tool", "#!/usr/bin/env -S LANG=C python3.12 -u"), Some("python"));
        assert_eq!(named("tool", "#!/bin/sh"), Some("bash"));
        assert_eq!(named("tool.txt", "#!/bin/sh"), Some("bash"));
        assert_eq!(named("notes", "hello"), None);
        assert_eq!(named("", ""), None);
    }

    #[test]
    fn the_tables_are_sorted_and_name_nothing_twice() {
        let names: Vec<&str> = Language::all().map(Language::name).collect();
        assert!(names.is_sorted(), "{names:?}");
        assert!(names.iter().all(|name| NAMES.iter().any(|names| names.0 == *name)));
        for list in [|names: &Names| names.1, |names: &Names| names.2, |names: &Names| names.3] {
            let mut all: Vec<&str> = NAMES.iter().flat_map(|names| list(names).split_whitespace()).collect();
            all.sort_unstable();
            let count = all.len();
            all.dedup();
            assert_eq!(all.len(), count);
        }
    }
}
