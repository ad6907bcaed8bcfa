//! Commands that the program itself answers: `/name arguments`.

pub use omp_commands::{BUILTINS, Builtin, Call, call, named};
