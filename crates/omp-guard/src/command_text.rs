//! Small changes to a command before it runs, each of them only where it is certain to be one.
//!
//! A trailing `| head` or `| tail` hides output before it can be kept; the output is bounded anyway. A trailing `2>&1`
//! says what is the case. A leading `cd x &&` is a working directory.

use brush_parser::{Token, tokenize_str};

/// Programs and words that run forever: there a limit is what ends the command.
const ENDLESS: &[&str] = &["yes", "watch", "ping", "top", "while", "until", "-f", "-F", "--follow"];
const ENDLESS_PARTS: &[&str] = &["/dev/", "--follow="];

/// A command without a trailing limit of its output and without a redundant `2>&1`.
pub fn without_limits(command: &str) -> String {
    let mut text = command.trim_end();
    while let Some(shorter) = Parts::of(text).and_then(|parts| parts.limit().or_else(|| parts.merge())) {
        text = text[..shorter].trim_end();
    }
    // Nothing of it was changed, so not its end either.
    if text.len() == command.trim_end().len() { command.to_owned() } else { text.to_owned() }
}

/// The directory and the rest of `cd directory && rest`.
pub fn leading_cd(command: &str) -> Option<(String, &str)> {
    let parts = Parts::of(command)?;
    let [cd, directory, and, _, ..] = parts.pieces.as_slice() else { return None };
    let matches = cd.is_word("cd") && directory.kind == TokenKind::Word && and.is_operator("&&");
    if !matches || command[..and.end].contains('\n') {
        return None;
    }
    // With these the rest does not depend on the directory alone.
    if parts.pieces.iter().any(|piece| piece.is_operator("||") || piece.is_operator("&")) {
        return None;
    }
    Some((literal(directory.text)?, command[and.end..].trim_start()))
}

/// The files that a command writes by redirection.
pub fn written_files(command: &str) -> Vec<String> {
    let Some(parts) = Parts::of(command) else { return Vec::new() };
    let pairs = parts.pieces.windows(2).filter(|pair| pair[0].kind == TokenKind::Operator);
    let targets = pairs.filter_map(|pair| match (pair[0].text, pair[1].text) {
        (">" | ">>" | ">|" | "&>" | "&>>", target) => Some(target),
        (">&", target) if target != "-" && !target.bytes().all(|byte| byte.is_ascii_digit()) => Some(target),
        _ => None,
    });
    let plain = ["/dev/null", "/dev/tty", "/dev/stdout", "/dev/stderr"];
    targets.filter(|target| !plain.contains(target)).map(str::to_owned).collect()
}

/// Words that stand before the name of a program.
const BEFORE_A_PROGRAM: &[&str] = &[
    "!", "{", "command", "do", "else", "env", "exec", "if", "nice", "sudo", "then", "time", "until", "while",
];

/// The names of the programs that a command starts, as far as they are written out.
pub fn programs(command: &str) -> Vec<&str> {
    let Some(parts) = Parts::of(command) else { return Vec::new() };
    let mut names = Vec::new();
    let mut expected = true;
    for piece in &parts.pieces {
        match piece.kind {
            TokenKind::Operator => expected = !piece.text.contains(['<', '>']),
            TokenKind::Word
                if !expected || BEFORE_A_PROGRAM.contains(&piece.text) || piece.text.contains('=') => {}
            TokenKind::Word => {
                names.push(piece.text.rsplit('/').next().unwrap_or(piece.text));
                expected = false;
            }
        }
    }
    names
}

/// A word that means itself, without its quotes.
fn literal(word: &str) -> Option<String> {
    let quoted = |quote: char| word.strip_prefix(quote)?.strip_suffix(quote);
    let (inner, special) = match (quoted('\''), quoted('"')) {
        (Some(inner), _) => (inner, "'"),
        (None, Some(inner)) => (inner, "\"$`\\!"),
        (None, None) => (word, "'\"$`\\*?[]{}~!()<>#"),
    };
    let is_option = inner.starts_with('-');
    (!inner.is_empty() && !is_option && !inner.contains(|letter| special.contains(letter)))
        .then(|| inner.to_owned())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TokenKind {
    Word,
    Operator,
}

/// A token and its place, in bytes.
#[derive(Clone, Copy, Debug)]
struct Piece<'a> {
    kind: TokenKind,
    text: &'a str,
    start: usize,
    end: usize,
}

impl Piece<'_> {
    fn is_operator(&self, text: &str) -> bool {
        self.kind == TokenKind::Operator && self.text == text
    }

    fn is_word(&self, text: &str) -> bool {
        self.kind == TokenKind::Word && self.text == text
    }
}

/// What a shell sees in a command, outside of quotes, substitutions and comments.
struct Parts<'a> {
    pieces: Vec<Piece<'a>>,
}

impl<'a> Parts<'a> {
    /// `None` for what is not a complete command, and for here-documents, whose text follows the command.
    fn of(command: &'a str) -> Option<Self> {
        let tokens = tokenize_str(command).ok()?;
        let mut places: Vec<usize> = command.char_indices().map(|(at, _)| at).collect();
        places.push(command.len());
        let mut pieces = Vec::with_capacity(tokens.len());
        for token in &tokens {
            let location = token.location();
            let (start, end) = (*places.get(location.start.index)?, *places.get(location.end.index)?);
            let kind = match token {
                Token::Operator(..) => TokenKind::Operator,
                Token::Word(..) => TokenKind::Word,
            };
            pieces.push(Piece { kind, text: command.get(start..end)?, start, end });
        }
        let has_document = pieces.iter().any(|piece| piece.is_operator("<<") || piece.is_operator("<<-"));
        // A comment at the end is not a token: what comes before it is not the end.
        let is_whole = pieces.last().is_none_or(|last| command[last.end..].trim().is_empty());
        (!has_document && is_whole).then_some(Self { pieces })
    }

    /// Where a last stage that only limits the output begins.
    fn limit(&self) -> Option<usize> {
        let pipe = self.pieces.iter().rposition(|piece| piece.kind == TokenKind::Operator)?;
        let (before, last) = (&self.pieces[..pipe], &self.pieces[pipe + 1..]);
        let is_pipe = matches!(self.pieces[pipe].text, "|" | "|&");
        let endless = before.iter().any(|piece| {
            ENDLESS.contains(&piece.text) || ENDLESS_PARTS.iter().any(|part| piece.text.contains(part))
        });
        let words: Vec<&str> = last.iter().map(|piece| piece.text).collect();
        (is_pipe && !before.is_empty() && !endless && only_limits(&words)).then_some(self.pieces[pipe].start)
    }

    /// Where a last `2>&1` begins that changes nothing.
    fn merge(&self) -> Option<usize> {
        let [before @ .., two, and, one] = self.pieces.as_slice() else { return None };
        let is_merge = two.is_word("2") && and.is_operator(">&") && one.is_word("1") && two.end == and.start;
        let begins = before
            .iter()
            .rposition(|piece| piece.kind == TokenKind::Operator && !piece.text.contains(['<', '>']));
        let own = &before[begins.map_or(0, |at| at + 1)..];
        let redirected = own.iter().any(|piece| piece.kind == TokenKind::Operator);
        (is_merge && !own.is_empty() && !redirected).then_some(two.start)
    }
}

/// `head` or `tail` with a number of lines or bytes, reading what is piped to it.
fn only_limits(words: &[&str]) -> bool {
    let ["head" | "tail", options @ ..] = words else { return false };
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match options {
        [] => true,
        [flag, count] => matches!(*flag, "-n" | "-c" | "--lines" | "--bytes") && number(count),
        [one] => {
            let attached = ["-n", "-c", "--lines=", "--bytes=", "-"];
            attached.iter().any(|prefix| one.strip_prefix(prefix).is_some_and(number))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests;
