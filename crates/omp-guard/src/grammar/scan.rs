//! Where words end: blanks, operators, quotes.

use super::Unknown;

/// A place in the text of a script.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scan<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Scan<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn starts(&self, with: &str) -> bool {
        self.rest().starts_with(with)
    }

    /// Moves behind the text if it stands here.
    pub(super) fn take(&mut self, text: &str) -> bool {
        let found = self.starts(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    pub(super) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// Moves over blanks, joined lines and a comment.
    pub(super) fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(' ' | '\t') => self.at += 1,
                Some('\\') if self.starts("\\\n") => self.at += 2,
                Some('#') => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
                _ => return,
            }
        }
    }

    /// The rest of this line, without its end.
    pub(super) fn line(&mut self) -> Option<&'t str> {
        if self.rest().is_empty() {
            return None;
        }
        let line = self.rest().split('\n').next().unwrap_or_default();
        self.at = self.text.len().min(self.at + line.len() + 1);
        Some(line)
    }

    /// The word that stands here as it is written; empty where an operator stands.
    pub(super) fn word(&mut self) -> Result<&'t str, Unknown> {
        let start = self.at;
        while let Some(letter) = self.peek() {
            match letter {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' => break,
                '(' | ')' => break,
                '\\' => self.escape()?,
                '\'' => self.single()?,
                '"' => self.double()?,
                '`' => return Err(Unknown::Syntax("command substitution")),
                '$' => self.dollar()?,
                _ => self.at += letter.len_utf8(),
            }
        }
        Ok(&self.text[start..self.at])
    }

    fn escape(&mut self) -> Result<(), Unknown> {
        self.at += 1;
        let escaped = self.peek().ok_or(Unknown::Syntax("an unfinished escape"))?;
        self.at += escaped.len_utf8();
        Ok(())
    }

    fn single(&mut self) -> Result<(), Unknown> {
        let end = self.rest()[1..].find('\'').ok_or(Unknown::Syntax("an unfinished quote"))?;
        self.at += end + 2;
        Ok(())
    }

    fn double(&mut self) -> Result<(), Unknown> {
        self.at += 1;
        loop {
            match self.peek().ok_or(Unknown::Syntax("an unfinished quote"))? {
                '"' => {
                    self.at += 1;
                    return Ok(());
                }
                '\\' => self.escape()?,
                '`' => return Err(Unknown::Syntax("command substitution")),
                '$' => self.dollar_in_quotes()?,
                letter => self.at += letter.len_utf8(),
            }
        }
    }

    fn dollar(&mut self) -> Result<(), Unknown> {
        if self.starts("$'") {
            return self.ansi();
        }
        if self.starts("$\"") {
            return Err(Unknown::Syntax("a translated string"));
        }
        self.dollar_in_quotes()
    }

    fn dollar_in_quotes(&mut self) -> Result<(), Unknown> {
        let length = expansion(self.rest())?;
        self.at += length.max(1);
        Ok(())
    }

    fn ansi(&mut self) -> Result<(), Unknown> {
        self.at += 2;
        loop {
            match self.peek().ok_or(Unknown::Syntax("an unfinished quote"))? {
                '\'' => {
                    self.at += 1;
                    return Ok(());
                }
                '\\' => self.escape()?,
                letter => self.at += letter.len_utf8(),
            }
        }
    }
}

/// The length of the plain expansion that begins here: `$NAME`, `${NAME}`, `$1`, `$?` and their like. Zero for a dollar
/// sign that is just one.
pub(super) fn expansion(text: &str) -> Result<usize, Unknown> {
    let after = &text[1..];
    let name = |text: &str| {
        let first = text.chars().next().is_some_and(|letter| letter.is_ascii_alphabetic() || letter == '_');
        let end = text.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        if first { end.unwrap_or(text.len()) } else { 0 }
    };
    if after.starts_with("((") || after.starts_with('[') {
        return Err(Unknown::Syntax("arithmetic"));
    }
    if after.starts_with('(') {
        return Err(Unknown::Syntax("command substitution"));
    }
    if let Some(inside) = after.strip_prefix('{') {
        let length = name(inside);
        return match length > 0 && inside[length..].starts_with('}') {
            true => Ok(length + 3),
            false => Err(Unknown::Syntax("a parameter expansion that does more than insert a value")),
        };
    }
    Ok(match after.chars().next() {
        Some('0'..='9' | '?' | '$' | '!' | '#' | '@' | '*' | '-') => 2,
        _ if name(after) > 0 => 1 + name(after),
        _ => 0,
    })
}
