//! A command as a list of simple commands.

use crate::effects::{Effects, Matched};

/// What a shell command runs, in the order it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    pub commands: Vec<Simple>,
}

/// One program with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simple {
    /// The program and its arguments without quotes; `None` for a word that only a run can tell.
    pub words: Vec<Option<String>>,
    /// It does nothing but run that program: no variables are set for it, no files are written or given by the shell.
    pub plain: bool,
    /// What it does.
    pub effects: Effects,
    /// The row of the table that says so.
    pub(crate) row: Option<Matched>,
}
