//! Words of a command, as far as they are known before it runs.

use std::collections::HashMap;
use std::iter::Peekable;
use std::str::Chars;

use brush_parser::ParserOptions;
use brush_parser::word::{
    self, BraceExpressionMember, BraceExpressionOrText, Parameter, ParameterExpr, SpecialParameter,
    TildeExpr, WordPiece,
};

use crate::grammar::Word;

/// Stands for text that only a run can tell, and that may be empty.
const UNKNOWN: char = '\u{0}';
/// Stands for text that only a run can tell, and that is not empty.
const SOMETHING: char = '\u{1}';
/// Words that braces may multiply into.
const MOST_WORDS: usize = 64;

/// One word after expansion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Text {
    text: String,
    /// It ends in a pattern that the shell expands to all names of a directory.
    pub(super) globbed: bool,
    /// A value that stands outside quotes has spaces: the shell makes several words of it.
    splits: bool,
    /// What a command fetched from elsewhere becomes part of the word.
    pub(super) fetched: bool,
    /// Commands whose output becomes part of the word.
    pub(super) substitutions: Vec<String>,
}

impl Text {
    pub(super) fn literal(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    /// The same text, with or without a part that was fetched.
    pub(super) fn with_fetched(self, fetched: bool) -> Self {
        Self { fetched, ..self }
    }

    /// Text that only a run can tell.
    pub(super) fn something() -> Self {
        Self { text: SOMETHING.to_string(), ..Self::default() }
    }

    /// The text as it is kept in a variable.
    pub(super) fn value(&self) -> &str {
        &self.text
    }

    /// The text, if nothing of it is left to the run.
    pub(super) fn known(&self) -> Option<&str> {
        (!self.text.contains([UNKNOWN, SOMETHING])).then_some(self.text.as_str())
    }

    /// The text with nothing in place of variables that may be empty; `None` if a part of it surely is something else.
    pub(super) fn at_worst(&self) -> Option<String> {
        (!self.text.contains(SOMETHING)).then(|| self.text.replace(UNKNOWN, ""))
    }

    /// The same word for the table of effects.
    pub(super) fn word(&self) -> Word {
        Word::partly(&self.text, &[UNKNOWN, SOMETHING])
    }

    fn push(&mut self, other: &Text) {
        self.text.push_str(&other.text);
        self.substitutions.extend_from_slice(&other.substitutions);
    }
}

/// Values of variables that the command itself sets.
pub(super) type Variables = HashMap<String, String>;

/// The words that one written word becomes. `None`: it cannot be read.
pub(super) fn expand(raw: &str, variables: &Variables) -> Option<Vec<Text>> {
    let mut words = Vec::new();
    for raw in braces(raw) {
        let text = one(&raw, variables)?;
        if !text.splits {
            words.push(text);
            continue;
        }
        words.extend(text.text.split_whitespace().map(Text::literal));
        if let Some(last) = words.last_mut() {
            last.substitutions.extend(text.substitutions);
        }
    }
    Some(words)
}

/// One word, without the braces that make several of it.
pub(super) fn one(raw: &str, variables: &Variables) -> Option<Text> {
    let pieces = word::parse(raw, &ParserOptions::default()).ok()?;
    let mut text = Text::default();
    for piece in &pieces {
        add(&mut text, &piece.piece, variables, Quotes::Outside);
    }
    Some(text)
}

/// The commands inside a here-document.
pub(super) fn document(raw: &str, variables: &Variables) -> Option<Text> {
    let pieces = word::parse_heredoc(raw, &ParserOptions::default()).ok()?;
    let mut text = Text::default();
    for piece in &pieces {
        add(&mut text, &piece.piece, variables, Quotes::Inside);
    }
    Some(text)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quotes {
    Inside,
    Outside,
}

fn add(text: &mut Text, piece: &WordPiece, variables: &Variables, quotes: Quotes) {
    text.globbed = false;
    match piece {
        WordPiece::Text(plain) => {
            text.text.push_str(plain);
            text.globbed = quotes == Quotes::Outside && plain.ends_with('*');
        }
        WordPiece::SingleQuotedText(plain) => text.text.push_str(plain),
        WordPiece::AnsiCQuotedText(raw) => text.text.push_str(&ansi(raw)),
        WordPiece::EscapeSequence(escaped) => match escaped.strip_prefix('\\') {
            Some("\n") => {}
            Some(character) => text.text.push_str(character),
            None => text.text.push_str(escaped),
        },
        WordPiece::DoubleQuotedSequence(pieces) | WordPiece::GettextDoubleQuotedSequence(pieces) => {
            for piece in pieces {
                add(text, &piece.piece, variables, Quotes::Inside);
            }
        }
        WordPiece::TildeExpansion(TildeExpr::Home) => text.push(&variable("HOME", variables)),
        WordPiece::TildeExpansion(TildeExpr::WorkingDir) => text.push(&variable("PWD", variables)),
        WordPiece::TildeExpansion(_) => text.text.push(SOMETHING),
        WordPiece::ParameterExpansion(expression) => {
            let value = parameter(expression, variables);
            text.splits |=
                value.splits || quotes == Quotes::Outside && value.text.contains(char::is_whitespace);
            text.push(&value);
        }
        WordPiece::CommandSubstitution(command) => {
            text.substitutions.push(command.clone());
            text.text.push(SOMETHING);
        }
        WordPiece::BackquotedCommandSubstitution(command) => {
            text.substitutions.push(command.replace("\\`", "`"));
            text.text.push(SOMETHING);
        }
        WordPiece::ArithmeticExpression(expression) => {
            text.substitutions.extend(inner(&expression.value, variables));
            text.text.push(SOMETHING);
        }
    }
}

/// The name under which the values hold this one.
fn name_of(parameter: &Parameter) -> Option<String> {
    match parameter {
        Parameter::Named(name) => Some(name.clone()),
        Parameter::Positional(place) => Some(place.to_string()),
        Parameter::Special(SpecialParameter::AllPositionalParameters { .. }) => Some("@".to_owned()),
        Parameter::NamedWithAllIndices { name, .. } => Some(format!("{name}[@]")),
        _ => None,
    }
}

fn variable(name: &str, variables: &Variables) -> Text {
    match variables.get(name) {
        Some(value) => Text::literal(value),
        None => Text::literal(&UNKNOWN.to_string()),
    }
}

fn parameter(expression: &ParameterExpr, variables: &Variables) -> Text {
    use ParameterExpr as E;
    match expression {
        E::Parameter { parameter, indirect: false } => match name_of(parameter) {
            // All arguments are several words, also within quotes.
            Some(name) => {
                Text { splits: name.ends_with('@') || name.ends_with("[@]"), ..variable(&name, variables) }
            }
            None => Text::literal(&UNKNOWN.to_string()),
        },
        E::IndicateErrorIfNullOrUnset { parameter: Parameter::Named(name), indirect: false, .. } => {
            match variables.get(name) {
                Some(value) => Text::literal(value),
                None => Text::something(),
            }
        }
        E::UseDefaultValues { parameter, indirect: false, default_value: default, .. }
        | E::AssignDefaultValues { parameter, indirect: false, default_value: default, .. } => {
            let set = name_of(parameter).and_then(|name| variables.get(&name));
            match (set, default) {
                (Some(value), _) => Text::literal(value),
                (None, Some(default)) => one(default, variables).unwrap_or_default(),
                (None, None) => Text::literal(&UNKNOWN.to_string()),
            }
        }
        other => Text { substitutions: hidden(other, variables), ..Text::literal(&UNKNOWN.to_string()) },
    }
}

/// Commands inside the parts of an expansion that are not followed.
fn hidden(expression: &ParameterExpr, variables: &Variables) -> Vec<String> {
    use ParameterExpr as E;
    match expression {
        E::UseDefaultValues { default_value: Some(raw), .. }
        | E::AssignDefaultValues { default_value: Some(raw), .. }
        | E::IndicateErrorIfNullOrUnset { error_message: Some(raw), .. }
        | E::UseAlternativeValue { alternative_value: Some(raw), .. }
        | E::RemoveSmallestSuffixPattern { pattern: Some(raw), .. }
        | E::RemoveLargestSuffixPattern { pattern: Some(raw), .. }
        | E::RemoveSmallestPrefixPattern { pattern: Some(raw), .. }
        | E::RemoveLargestPrefixPattern { pattern: Some(raw), .. }
        | E::UppercaseFirstChar { pattern: Some(raw), .. }
        | E::UppercasePattern { pattern: Some(raw), .. }
        | E::LowercaseFirstChar { pattern: Some(raw), .. }
        | E::LowercasePattern { pattern: Some(raw), .. } => inner(raw, variables),
        E::ReplaceSubstring { pattern, replacement, .. } => {
            let mut commands = inner(pattern, variables);
            commands.extend(replacement.iter().flat_map(|raw| inner(raw, variables)));
            commands
        }
        E::Substring { offset, length, .. } => {
            let mut commands = inner(&offset.value, variables);
            commands.extend(length.iter().flat_map(|raw| inner(&raw.value, variables)));
            commands
        }
        _ => Vec::new(),
    }
}

fn inner(raw: &str, variables: &Variables) -> Vec<String> {
    one(raw, variables).map(|text| text.substitutions).unwrap_or_default()
}

/// `a{b,c}` as `ab` and `ac`. Sequences and what would become too many words stay as they are written.
fn braces(raw: &str) -> Vec<String> {
    let unchanged = || vec![raw.to_owned()];
    if !raw.contains('{') {
        return unchanged();
    }
    match word::parse_brace_expansions(raw, &ParserOptions::default()) {
        Ok(Some(parts)) => alternatives(&parts).filter(|words| !words.is_empty()).unwrap_or_else(unchanged),
        _ => unchanged(),
    }
}

fn alternatives(parts: &[BraceExpressionOrText]) -> Option<Vec<String>> {
    let mut words = vec![String::new()];
    for part in parts {
        let endings = match part {
            BraceExpressionOrText::Text(text) => vec![text.clone()],
            BraceExpressionOrText::Expr(members) => {
                let mut endings = Vec::new();
                for member in members {
                    match member {
                        BraceExpressionMember::Child(parts) => endings.extend(alternatives(parts)?),
                        _ => return None,
                    }
                }
                endings
            }
        };
        if words.len() * endings.len() > MOST_WORDS {
            return None;
        }
        words = words.iter().flat_map(|word| endings.iter().map(move |end| format!("{word}{end}"))).collect();
    }
    Some(words)
}

/// The text of `$'…'`, as far as its escapes are plain characters or numbers.
fn ansi(raw: &str) -> String {
    let mut text = String::new();
    let mut rest = raw.chars().peekable();
    while let Some(character) = rest.next() {
        if character != '\\' {
            text.push(character);
            continue;
        }
        if rest.peek().is_some_and(|next| next.is_digit(8)) {
            text.push(number(&mut rest, 8, 3));
            continue;
        }
        text.push(match rest.next() {
            Some('n') => '\n',
            Some('t') => '\t',
            Some('r') => '\r',
            Some('x') => number(&mut rest, 16, 2),
            Some('u') => number(&mut rest, 16, 4),
            Some('U') => number(&mut rest, 16, 8),
            Some(other) => other,
            None => '\\',
        });
    }
    text
}

/// The character of a number with at most this many digits.
fn number(rest: &mut Peekable<Chars<'_>>, radix: u32, most: usize) -> char {
    let mut value = 0_u32;
    for _ in 0..most {
        let Some(digit) = rest.peek().and_then(|digit| digit.to_digit(radix)) else { break };
        value = value.wrapping_mul(radix).wrapping_add(digit);
        rest.next();
    }
    char::from_u32(value).unwrap_or(SOMETHING)
}
