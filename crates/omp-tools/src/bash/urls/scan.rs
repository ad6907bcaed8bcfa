//! Finds internal URLs in the text of a command, as far as a shell would take them for words.
//!
//! Comments and here-documents are left alone: they are text for somebody else. So is a bare `local://` between
//! quotes: it is what one searches for, not a name.

use crate::resources::SCHEMES;

/// A URL in a text, and what stands around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FoundUrl {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) quote: Quote,
}

/// How a place in a text is quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quote {
    /// A word of a shell.
    None,
    Single,
    Double,
    /// No shell reads the text.
    Plain,
}

/// The URLs of a shell command.
pub(super) fn command(text: &str) -> Vec<FoundUrl> {
    let mut scan = Scan { text, at: 0, found: Vec::new(), nesting: vec![Quote::None], documents: Vec::new() };
    while scan.at < text.len() {
        scan.step();
    }
    scan.found
}

/// The URLs of a text that is not a command, such as the value of a variable.
pub(super) fn value(text: &str) -> Vec<FoundUrl> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let url = url_at(text, at, Quote::Plain);
        found.extend(url);
        at = url.map_or(at + width(text, at), |url| url.end);
    }
    found
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
    found: Vec<FoundUrl>,
    /// Quotes and parentheses that are open; the last one holds for the place at hand.
    nesting: Vec<Quote>,
    /// Here-documents that begin at the end of the line.
    documents: Vec<&'a str>,
}

impl<'a> Scan<'a> {
    fn step(&mut self) {
        let quote = self.nesting.last().copied().unwrap_or(Quote::None);
        if let Some(url) = url_at(self.text, self.at, quote) {
            self.found.push(url);
            self.at = url.end;
            return;
        }
        let rest = &self.text[self.at..];
        let begins_word =
            self.at == 0 || self.text[..self.at].ends_with([' ', '\t', '\n', ';', '(', '&', '|']);
        match (quote, rest.as_bytes()[0]) {
            (Quote::None | Quote::Double, b'\\') => self.at += 1,
            (Quote::None, b'\'') => self.nesting.push(Quote::Single),
            (Quote::None, b'"') => self.nesting.push(Quote::Double),
            (Quote::Single, b'\'') | (Quote::Double, b'"') => self.close(),
            (Quote::None, b'(') => self.nesting.push(Quote::None),
            (Quote::Double, b'$') if rest.starts_with("$(") => {
                self.nesting.push(Quote::None);
                self.at += 1;
            }
            (Quote::None, b')') => self.close(),
            (Quote::None, b'#') if begins_word => self.at += rest.find('\n').unwrap_or(rest.len()),
            (Quote::None, b'<') if rest.starts_with("<<<") => self.at += 2,
            (Quote::None, b'<') if rest.starts_with("<<") => self.documents.extend(ending_word(rest)),
            (Quote::None, b'\n') if !self.documents.is_empty() => self.pass_documents(),
            _ => {}
        }
        if self.at < self.text.len() {
            self.at += width(self.text, self.at);
        }
    }

    fn close(&mut self) {
        if self.nesting.len() > 1 {
            self.nesting.pop();
        }
    }

    /// From the end of a line to the end of the last document that begins behind it.
    fn pass_documents(&mut self) {
        let mut lines = self.text[self.at + 1..].split_inclusive('\n');
        for word in self.documents.drain(..) {
            for line in lines.by_ref() {
                self.at += line.len();
                if line.trim_start_matches('\t').trim_end_matches('\n') == word {
                    break;
                }
            }
        }
    }
}

/// The word that ends the here-document of `<<word`, `<<-word` or `<<'word'`.
fn ending_word(rest: &str) -> Option<&str> {
    let word = rest.trim_start_matches('<').trim_start_matches('-').trim_start_matches([' ', '\t']);
    let word = word.trim_start_matches(['\'', '"', '\\']);
    let end = word.find(|letter: char| !(letter.is_alphanumeric() || "_-.".contains(letter)));
    Some(&word[..end.unwrap_or(word.len())]).filter(|word| !word.is_empty())
}

/// The URL of a known scheme that begins at `start`, if a word can begin there.
fn url_at(text: &str, start: usize, quote: Quote) -> Option<FoundUrl> {
    let inside_word = |before: char| before.is_alphanumeric() || "+-._/\\".contains(before);
    if text[..start].ends_with(inside_word) {
        return None;
    }
    let rest = &text[start..];
    let head = scheme(rest)?;
    let opened = text[..start].ends_with(['\'', '"']);
    let ends = |letter: char| match quote {
        Quote::None => letter.is_whitespace() || ";|&<>()'\"`$\\".contains(letter),
        Quote::Single => letter == '\'' || (!opened && letter.is_whitespace()),
        Quote::Double => "\"`$\\".contains(letter) || (!opened && letter.is_whitespace()),
        Quote::Plain => letter.is_whitespace() || "'\",;".contains(letter),
    };
    let mut end = rest[head..].find(ends).map_or(rest.len(), |end| head + end);
    if quote == Quote::Plain {
        // A list such as that of PATH.
        let next =
            rest[head..end].match_indices(':').find(|(colon, _)| scheme(&rest[head + colon + 1..]).is_some());
        end = next.map_or(end, |(colon, _)| head + colon);
    }
    let closes = rest[end..].starts_with(['\'', '"']);
    if matches!(quote, Quote::Single | Quote::Double) && !(opened && closes) {
        // In the middle of a sentence.
        end = head + rest[head..end].trim_end_matches([',', ';', ':', '.', '!', '?', ')']).len();
    }
    let is_bare = end == head;
    let means_itself = match quote {
        Quote::None => false,
        Quote::Plain => text.len() != end,
        Quote::Single | Quote::Double => !rest[end..].starts_with('$'),
    };
    (!(is_bare && means_itself)).then_some(FoundUrl { start, end: start + end, quote })
}

/// The length of `scheme://` (or `local:/`) at the start of a text.
fn scheme(text: &str) -> Option<usize> {
    let (name, after) = text.split_at_checked(text.find(':')?)?;
    let name = SCHEMES.into_iter().find(|known| known.eq_ignore_ascii_case(name))?;
    let slashes = match name {
        _ if after.starts_with("://") => 3,
        "local" if after.starts_with(":/") => 2,
        _ => return None,
    };
    Some(name.len() + slashes)
}

/// The bytes of the character at `at`.
fn width(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(1, char::len_utf8)
}
