//! What the patcher asks about a language.

/// Knows the syntax of some languages. The path says which.
pub trait Syntax {
    /// First and last line of the construct that begins on `line`, if there is one without a syntax error.
    fn block(&self, path: &str, text: &str, line: usize) -> Option<(usize, usize)>;

    /// Is the whole text free of syntax errors? `None` where the language is not known.
    fn parses(&self, path: &str, text: &str) -> Option<bool>;
}

/// Knows no language.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSyntax;

impl Syntax for NoSyntax {
    fn block(&self, _path: &str, _text: &str, _line: usize) -> Option<(usize, usize)> {
        None
    }

    fn parses(&self, _path: &str, _text: &str) -> Option<bool> {
        None
    }
}
