//! Our languages as the pattern library knows them.

use std::borrow::Cow;

use ast_grep_core::matcher::PatternBuilder;
use ast_grep_core::meta_var::MetaVariable;
use ast_grep_core::tree_sitter::{LanguageExt, StrDoc, TSLanguage};
use ast_grep_core::{Pattern, PatternError};

use crate::Language;

/// A language in which `$NAME` may stand for code.
#[derive(Clone, Copy)]
pub(crate) struct Dialect(pub(crate) Language);

/// Stands for `$`: letters that may begin a name in every language, and that begin none in any program.
pub(super) const SIGIL: &str = "zzq";

/// Languages without bare names: there `$NAME` is a string.
fn quotes(language: Language) -> bool {
    matches!(language.name(), "json" | "toml")
}

/// Languages in which `$NAME` is a variable of the program.
pub(super) fn owns_dollars(language: Language) -> bool {
    let known = ["bash", "css", "dockerfile", "graphql", "make", "perl", "php", "powershell", "ruby"];
    known.contains(&language.name())
}

impl Dialect {
    /// The pattern as the grammar can read it: `$NAME` becomes a name.
    pub(crate) fn readable(self, pattern: &str) -> String {
        let mut readable = String::with_capacity(pattern.len() + 16);
        let mut rest = pattern;
        let mut before = None;
        while let Some(at) = rest.find('$') {
            readable.push_str(&rest[..at]);
            before = rest[..at].chars().next_back().or(before);
            let (variable, after) = split_variable(&rest[at..]);
            match variable {
                Some(variable) => {
                    let quote = if quotes(self.0) && before != Some('"') { "\"" } else { "" };
                    readable.push_str(&format!("{quote}{}{quote}", variable.replace('$', SIGIL)));
                }
                None => readable.push('$'),
            }
            before = Some('$');
            rest = after;
        }
        readable.push_str(rest);
        readable
    }
}

/// `$NAME`, `$_`, `$$$NAME` or `$$$` at the start of a text, and what follows. `None` for a dollar that is none of these.
pub(super) fn split_variable(text: &str) -> (Option<&str>, &str) {
    let dollars = text.bytes().take_while(|byte| *byte == b'$').count();
    let name =
        text[dollars..].bytes().take_while(u8::is_ascii).take_while(|byte| is_of_name(char::from(*byte)));
    let length = match (dollars, begins_name(&text[dollars..])) {
        (1..=3, true) => dollars + name.count(),
        (3, false) => 3,
        _ => return (None, &text[1..]),
    };
    (Some(&text[..length]), &text[length..])
}

fn is_of_name(character: char) -> bool {
    character.is_ascii_uppercase() || character.is_ascii_digit() || character == '_'
}

fn begins_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_uppercase() || first == '_')
}

/// The variable that a node's whole text is.
fn variable(text: &str) -> Option<MetaVariable> {
    let name = text.trim_start_matches(SIGIL);
    let sigils = (text.len() - name.len()) / SIGIL.len();
    let named = begins_name(name) && name.chars().all(is_of_name);
    match sigils {
        3 if name.is_empty() || (named && name.starts_with('_')) => Some(MetaVariable::Multiple),
        3 if named => Some(MetaVariable::MultiCapture(name.to_owned())),
        1 | 2 if named && name.starts_with('_') => Some(MetaVariable::Dropped(sigils == 1)),
        1 | 2 if named => Some(MetaVariable::Capture(name.to_owned(), sigils == 1)),
        _ => None,
    }
}

impl ast_grep_core::Language for Dialect {
    fn pre_process_pattern<'q>(&self, query: &'q str) -> Cow<'q, str> {
        Cow::Owned(self.readable(query))
    }

    fn extract_meta_var(&self, source: &str) -> Option<MetaVariable> {
        let bare = match quotes(self.0) {
            true => source.strip_prefix('"')?.strip_suffix('"')?,
            // A variable may be a statement, and some grammars take the white space around a value with it.
            false => source.trim().trim_end_matches(';'),
        };
        variable(bare)
    }

    fn kind_to_id(&self, kind: &str) -> u16 {
        self.0.grammar().id_for_node_kind(kind, true)
    }

    fn field_to_id(&self, field: &str) -> Option<u16> {
        self.0.grammar().field_id_for_name(field).map(std::num::NonZero::get)
    }

    fn build_pattern(&self, builder: &PatternBuilder) -> Result<Pattern, PatternError> {
        builder.build(|source| StrDoc::try_new(source, *self))
    }
}

impl LanguageExt for Dialect {
    fn get_ts_language(&self) -> TSLanguage {
        self.0.grammar()
    }
}
