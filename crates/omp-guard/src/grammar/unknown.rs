//! Why a command is not judged.

use std::fmt;

/// What keeps a command from being judged. Never to be taken for harmless.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// A construct of the shell outside the judged grammar.
    Syntax(&'static str),
    /// A variable that changes what programs do.
    Variable(String),
    /// A name that earlier commands of this shell may have given another meaning.
    Name(String),
    /// A program that the table does not have.
    Program(String),
    /// An option that the program's row does not have.
    Option { program: String, option: String },
    /// A word that only a run can tell and that may be an option.
    Word { program: String },
    /// Something in the repository that may make git run a program.
    Repository(String),
    /// An argument that the program's row does not describe.
    Operand { program: String, operand: String },
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(construct) => write!(f, "uses {construct}"),
            Self::Variable(name) => write!(f, "sets {name}, which can change what programs do"),
            Self::Name(name) => write!(f, "{name} may be redefined in this shell"),
            Self::Program(program) => write!(f, "{program} is not a known program"),
            Self::Option { program, option } => write!(f, "{program}: unknown option {option}"),
            Self::Word { program } => {
                write!(f, "{program}: an argument known only at run time may be an option")
            }
            Self::Repository(risk) => write!(f, "git: {risk} of this repository can run a program"),
            Self::Operand { program, operand } => write!(f, "{program}: unknown argument {operand}"),
        }
    }
}
