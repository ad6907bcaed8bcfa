//! Words: literal text, plain expansions, patterns.

use super::Unknown;
use super::scan::expansion;

/// Stands for what only a run can tell.
const RUNTIME: char = '\u{0}';

/// One word of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Word {
    text: String,
    /// A variable outside quotes: the shell may make no word of it, or several.
    pub(crate) splits: bool,
    /// Where the first pattern that the shell expands to names begins.
    glob: Option<usize>,
    /// It begins with the home directory.
    pub(crate) home: bool,
    quoted: bool,
}

impl Word {
    pub(crate) fn literal(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    /// A word that only a run can tell.
    pub(crate) fn runtime() -> Self {
        Self::literal(&RUNTIME.to_string())
    }

    /// A word of which parts are only known at run time.
    pub(crate) fn partly(text: &str, unknown: &[char]) -> Self {
        Self::literal(&text.replace(unknown, "\u{0}"))
    }

    /// Any number of words that only a run can tell.
    pub(crate) fn runtime_words() -> Self {
        Self { splits: true, ..Self::runtime() }
    }

    /// The text, if it is the same before and after expansion.
    pub(crate) fn known(&self) -> Option<&str> {
        (!self.text.contains(RUNTIME) && self.glob.is_none() && !self.home).then_some(self.text.as_str())
    }

    /// The text before what only a run can tell.
    pub(crate) fn beginning(&self) -> &str {
        let runtime = self.text.find(RUNTIME).unwrap_or(self.text.len());
        &self.text[..runtime.min(self.glob.unwrap_or(runtime))]
    }

    /// The path without the pattern that names what is in it; `None` where a variable decides.
    pub(crate) fn directory_of_pattern(&self) -> Option<&str> {
        let at = self.glob.filter(|_| !self.text.contains(RUNTIME))?;
        Some(self.text[..at].rsplit_once('/').map_or("", |(directory, _)| directory))
    }

    pub(crate) fn is_pattern(&self) -> bool {
        self.glob.is_some()
    }

    /// Could a program take this for an option?
    pub(crate) fn may_be_option(&self) -> bool {
        if self.home {
            return false;
        }
        let beginning = self.beginning();
        self.splits || beginning.starts_with('-') || beginning.is_empty() && !self.text.is_empty()
    }

    /// As it was written, as far as a person needs it.
    pub(crate) fn shown(&self) -> String {
        let text = self.text.replace(RUNTIME, "$…");
        if self.home { format!("~{text}") } else { text }
    }

    /// The text behind the home directory, where the word begins with it.
    pub(crate) fn behind_home(&self) -> Option<&str> {
        (self.home && !self.text.contains(RUNTIME) && self.glob.is_none()).then_some(self.text.as_str())
    }

    /// Is it exactly this, without quotes? Only then it is a word of the shell's own.
    pub(super) fn is_bare(&self, text: &str) -> bool {
        !self.quoted && self.known() == Some(text)
    }

    /// This word without its first letters, for values that are attached to an option.
    pub(crate) fn without(&self, bytes: usize) -> Self {
        let glob = self.glob.map(|at| at.saturating_sub(bytes));
        Self { text: self.text[bytes..].to_owned(), glob, ..self.clone() }
    }

    /// Reads one word after braces were expanded.
    pub(super) fn read(raw: &str) -> Result<Self, Unknown> {
        let mut word = Self::default();
        let mut rest = raw;
        if let Some(behind) = raw.strip_prefix('~') {
            rest = word.tilde(behind)?;
        }
        while let Some(letter) = rest.chars().next() {
            rest = match letter {
                '\\' => word.escaped(&rest[1..]),
                '\'' => word.single(&rest[1..]),
                '"' => word.double(&rest[1..])?,
                '$' if rest.starts_with("$'") => word.ansi(&rest[2..])?,
                '$' => word.expanded(rest, false)?,
                // Shells expand it there in some words and not in others.
                '~' if word.text.ends_with(['=', ':']) => {
                    return Err(Unknown::Syntax("a tilde within a word"));
                }
                letter => {
                    word.plain(letter)?;
                    &rest[letter.len_utf8()..]
                }
            };
        }
        if matches!(word.text.as_str(), "[" | "[[") {
            // The test, not the beginning of a pattern.
            word.glob = None;
        }
        Ok(word)
    }

    fn tilde<'r>(&mut self, behind: &'r str) -> Result<&'r str, Unknown> {
        match behind.is_empty() || behind.starts_with('/') {
            true => self.home = true,
            // Another user's home, or a place on the stack of directories.
            false => return Err(Unknown::Syntax("a tilde that is not the home directory")),
        }
        Ok(behind)
    }

    fn plain(&mut self, letter: char) -> Result<(), Unknown> {
        // Shells disagree about such blanks.
        if letter.is_whitespace() || is_invisible(letter) {
            return Err(Unknown::Syntax("an invisible character"));
        }
        if matches!(letter, '*' | '?' | '[') {
            self.glob.get_or_insert(self.text.len());
        }
        self.text.push(letter);
        Ok(())
    }

    fn escaped<'r>(&mut self, rest: &'r str) -> &'r str {
        self.quoted = true;
        let Some(letter) = rest.chars().next() else { return rest };
        if letter != '\n' {
            self.text.push(letter);
        }
        &rest[letter.len_utf8()..]
    }

    fn single<'r>(&mut self, rest: &'r str) -> &'r str {
        self.quoted = true;
        let (inside, rest) = rest.split_once('\'').unwrap_or((rest, ""));
        self.text.push_str(inside);
        rest
    }

    fn double<'r>(&mut self, mut rest: &'r str) -> Result<&'r str, Unknown> {
        self.quoted = true;
        while let Some(letter) = rest.chars().next() {
            rest = match letter {
                '"' => return Ok(&rest[1..]),
                '\\' => self.escaped_in_quotes(&rest[1..]),
                '$' => self.expanded(rest, true)?,
                letter => {
                    self.text.push(letter);
                    &rest[letter.len_utf8()..]
                }
            };
        }
        Ok(rest)
    }

    fn escaped_in_quotes<'r>(&mut self, rest: &'r str) -> &'r str {
        match rest.chars().next() {
            Some(letter @ ('$' | '`' | '"' | '\\')) => {
                self.text.push(letter);
                &rest[1..]
            }
            Some('\n') => &rest[1..],
            _ => {
                self.text.push('\\');
                rest
            }
        }
    }

    fn expanded<'r>(&mut self, rest: &'r str, quoted: bool) -> Result<&'r str, Unknown> {
        let length = expansion(rest)?;
        if length == 0 {
            self.text.push('$');
            return Ok(&rest[1..]);
        }
        // "$@" is several words in spite of the quotes.
        self.splits |= !quoted || rest.starts_with("$@");
        self.text.push(RUNTIME);
        Ok(&rest[length..])
    }

    /// `$'…'` with escapes that mean the same everywhere.
    fn ansi<'r>(&mut self, mut rest: &'r str) -> Result<&'r str, Unknown> {
        self.quoted = true;
        loop {
            let letter = rest.chars().next().ok_or(Unknown::Syntax("an unfinished quote"))?;
            rest = &rest[letter.len_utf8()..];
            if letter == '\'' {
                return Ok(rest);
            }
            if letter != '\\' {
                self.text.push(letter);
                continue;
            }
            let escaped = match rest.chars().next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some(same @ ('\\' | '\'' | '"')) => same,
                _ => return Err(Unknown::Syntax("an encoded character")),
            };
            self.text.push(escaped);
            rest = &rest[1..];
        }
    }
}

fn is_invisible(letter: char) -> bool {
    matches!(letter,
        '\u{00ad}' | '\u{034f}' | '\u{061c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

impl Word {
    /// Any name below a path.
    pub(crate) fn below(path: &str) -> Self {
        let path = path.trim_end_matches('/');
        Self { text: format!("{path}/*"), glob: Some(path.len() + 1), ..Self::default() }
    }
}
