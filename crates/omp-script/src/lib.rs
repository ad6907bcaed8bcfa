//! The one script engine of the program.
//!
//! An [`Engine`] runs **units**: scripts of somebody else (an extension, a hook, a tool), each with a QuickJS runtime, globals,
//! limits and a life of its own. A unit asks the program for things through its [`Host`], in JSON; the program calls what the
//! unit's prelude exports with [`Unit::call`]. What a prelude is, and what a host offers, is decided elsewhere: nothing here
//! knows of tools, sessions, terminals or models.
//!
//! - [`engine`] is the thread that all units share. It starts with the first unit. `pulse` notices when it is stuck.
//! - `worker` is the event loop of one unit; `vm` its runtime and its limits; `state` what both share with `ops`.
//! - `modules` finds and loads modules: files, packages, CommonJS, JSON, virtual modules.
//! - `process` runs units in a Bun or a Node of the user, where they need what only those have.
//! - [`scan()`] says what a script imports without running it.
//! - `compile` turns TypeScript and JSX into JavaScript, and positions back.
//! - `ops` is what scripts reach of the system. The modules of Node above it are JavaScript, in `js/`.

mod compile;
mod engine;
mod error;
mod memory;
mod modules;
mod ops;
mod process;
mod pulse;
mod scan;
mod seal;
mod state;
mod sys;
mod unit;
mod vm;
mod worker;

pub use engine::{Connector, Engine, EngineOptions};
pub use error::{Place, ScriptError, ScriptErrorKind};
pub use process::{HostProgram, HostRuntime, find_host, load_in_process};
pub use scan::{ScanReport, scan};
pub use seal::CodeSeal;
pub use unit::{BuiltinModule, Host, Limits, Unit, UnitOptions, UnitUsage};
