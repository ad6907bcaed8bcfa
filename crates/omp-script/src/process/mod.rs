//! Units that run in a process of the user's Bun or Node, because they need what only those have: threads, `vm`, native packages.
//!
//! The process runs `js/process/host.js`, which gives the script the same modules of the program as the engine, over the same
//! operations of the [`crate::Host`]. Both sides write lines of JSON. Ours:
//!
//! | `type` | meaning |
//! |---|---|
//! | (first line) | the modules of the program, the names that are wanted of them, the directory, the prelude, the mark |
//! | `run` | call a function of the prelude |
//! | `now` | the answer to `ask` or `own`, for which the script waits |
//! | `answer` | the answer to `call` |
//! | `end` | the unit is over |
//!
//! Theirs begin with the mark, because others may write to the same stream; what has none is output of the script:
//!
//! | `type` | meaning |
//! |---|---|
//! | `ready` | the prelude has run; which runtime it is |
//! | `result`, `failed` | the end of a call |
//! | `ask` | an operation of the host, at once |
//! | `call` | an operation of the host that takes time |
//! | `own` | a file: where it is, what it is as JavaScript |
//! | `log`, `exit` | what was printed; the process ends |

mod files;
mod find;
mod lines;
mod run;

pub use find::{HostProgram, HostRuntime, find_host};
pub use run::load_in_process;
