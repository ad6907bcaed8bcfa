//! Why a script failed, and where.

use std::fmt;

/// A position in a source file, counted from one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptErrorKind {
    /// The script threw.
    Thrown,
    /// A file cannot be compiled.
    Syntax,
    /// The prelude exports no such function.
    NoFunction,
    /// The unit is over: see [`crate::Unit::ended`].
    Ended,
    /// The engine itself could not do it.
    Engine,
}

/// What a call gives back when it fails. Positions are those of the source, not of what it was compiled to.
#[derive(Clone, Debug)]
pub struct ScriptError {
    pub kind: ScriptErrorKind,
    pub message: String,
    pub place: Option<Place>,
    pub stack: Option<String>,
}

impl ScriptError {
    pub(crate) fn new(kind: ScriptErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), place: None, stack: None }
    }

    pub(crate) fn ended(name: &str, reason: &str) -> Self {
        Self::new(ScriptErrorKind::Ended, format!("{name} has ended: {reason}"))
    }

    pub(crate) fn engine(message: impl Into<String>) -> Self {
        Self::new(ScriptErrorKind::Engine, message)
    }

    /// From what a script threw: its stack is mapped already.
    pub(crate) fn thrown(message: String, stack: Option<String>) -> Self {
        let kind = if message.starts_with("SyntaxError") {
            ScriptErrorKind::Syntax
        } else {
            ScriptErrorKind::Thrown
        };
        let place = stack.as_deref().and_then(first_place);
        Self { kind, message, place, stack }
    }
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            // Errors of the compiler name their place already.
            Some(place) if !self.message.contains(&place.file) => write!(f, "{} (at {place})", self.message),
            _ => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for ScriptError {}

/// The first line of a stack that names a file of the user.
pub(crate) fn first_place(stack: &str) -> Option<Place> {
    stack.lines().filter_map(place).find(|place| place.file.starts_with('/'))
}

/// The position in one line of a stack: `    at name (file:line:column)` or `    at file:line:column`.
pub(crate) fn place(line: &str) -> Option<Place> {
    let line = line.trim().strip_prefix("at ")?;
    let inner = match line.rfind(" (") {
        Some(open) => line[open + 2..].strip_suffix(')')?,
        None => line,
    };
    let (rest, column) = inner.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    Some(Place { file: file.to_owned(), line: line.parse().ok()?, column: column.parse().ok()? })
}
