//! Extensions: modules of users that register tools, commands and handlers of events.
//!
//! - [`Extensions`] are those of one program run. They outlive a session: the next one is attached to them ([`ports`]).
//! - [`registered`] is what one of them offers, [`event`] what they can hear, [`ask`] how their answers become one.
//! - [`gate`], [`listener`], [`model`] and [`tool`] put them into the loop.
//! - [`OfferedModules`] says what an extension imports that we do not have.
//! - `host` answers what they ask of the program. Operations are in the table of `operation`.
//! - `js/` is the other side: the API under its three names. It is JavaScript, and runs in `omp_script`.
//!
//! Who may bring extensions is not decided here, and neither is how their interfaces are drawn.

mod ask;
mod builtins;
mod event;
mod extension;
mod extensions;
pub mod gate;
mod host;
mod interface;
pub mod listener;
pub mod model;
mod offered;
mod operation;
mod ports;
mod registered;
mod starting;
mod tool;

pub use ask::{Injected, InputAnswer, StartAnswer};
pub use builtins::scan;
pub use event::EventName;
pub use extension::{Extension, ExtensionForm, ExtensionSource, ExtensionSpec, HostProcess, Problem};
pub use extensions::{Extensions, ExtensionsOptions, LoadFailure, ProgramFacts, SessionFacts};
pub use interface::{Completion, Drawing, PartRequest};
pub use offered::OfferedModules;
pub use omp_script::{CodeSeal, Connector, HostProgram, Limits, ScanReport, UnitUsage, find_host};
pub use ports::Port;
pub use registered::{CommandSpec, FlagKind, FlagSpec, Registered, ShortcutSpec, ToolSpec};
pub use tool::ScriptedTool;

#[cfg(test)]
mod tests;
