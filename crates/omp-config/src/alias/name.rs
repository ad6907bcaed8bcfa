//! Names that a shell function may have.

use super::Shell;

const LONGEST_NAME: usize = 64;

/// A name that is safe to write into a start file without quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AliasName(String);

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidAlias {
    #[error(
        "invalid command name {0:?}: use a letter or \"_\", then letters, digits, \"_\" and \"-\", at most \
         64 characters"
    )]
    Shape(String),
    #[error("an alias cannot be named omp: it would shadow the program")]
    Omp,
    #[error("{name} is a reserved word of {shell}; choose another name")]
    Reserved { name: String, shell: &'static str },
}

impl AliasName {
    pub fn parse(name: &str, shell: Shell) -> Result<Self, InvalidAlias> {
        let first = |c: char| c.is_ascii_alphabetic() || c == '_';
        let rest = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        if !(name.starts_with(first) && name.chars().all(rest) && name.len() <= LONGEST_NAME) {
            return Err(InvalidAlias::Shape(name.to_owned()));
        }
        // Commands are the same in any case on some file systems.
        if name.eq_ignore_ascii_case("omp") {
            return Err(InvalidAlias::Omp);
        }
        if shell.reserves(name) {
            return Err(InvalidAlias::Reserved { name: name.to_owned(), shell: shell.name() });
        }
        Ok(Self(name.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}
