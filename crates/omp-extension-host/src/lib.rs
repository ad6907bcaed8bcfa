//! Extensions: modules of users that register tools, commands and handlers of events.
//!
//! - [`Extensions`] are those of one program run. They outlive a session: the next one is attached to them ([`ports`]).
//! - [`registered`] is what one of them offers, [`event`] what they can hear, [`ask`] how their answers become one.
//! - [`gate`], [`listener`], [`model`], [`conduct`] and [`tool`] put them into the loop, [`requests`] between it and providers.
//! - [`shortening`] and [`travel`] are what they say to compactions and to moves in the tree; [`announce`] says what nobody
//!   waits for.
//! - [`OfferedModules`] says what an extension imports that we do not have.
//! - `host` answers what they ask of the program. Operations are in the table of `operation`.
//! - `js/` is the other side: the API under its three names. It is JavaScript, and runs in `omp_script`.
//!
//! Who may bring extensions is not decided here, and neither is how their interfaces are drawn.

mod announce;
mod ask;
mod builtins;
pub mod conduct;
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
mod requests;
mod serving;
mod shortening;
mod starting;
mod survey;
mod tool;
mod travel;

pub use ask::{Injected, InputAnswer, StartAnswer, SuppliedResult};
pub use builtins::{is_built_in, scan};
pub use event::EventName;
pub use extension::{Extension, ExtensionForm, ExtensionSource, ExtensionSpec, HostProcess, Problem};
pub use extensions::{Extensions, ExtensionsOptions, LoadFailure, ProgramFacts, SessionFacts};
pub use host::NO_PENDING;
pub use interface::{Completion, Drawing, PartRequest};
pub use offered::OfferedModules;
pub use omp_script::{CodeSeal, Connector, HostProgram, Limits, ScanReport, UnitUsage, find_host};
pub use ports::Port;
pub use registered::{CommandSpec, FlagKind, FlagSpec, Registered, ShortcutSpec, ToolSpec};
pub use requests::RequestWatch;
pub use serving::model_value;
pub use shortening::{Shortening, ShorteningAnswer, SummaryWishes};
pub use survey::{ExtensionSurvey, SurveyedExtension};
pub use tool::ScriptedTool;
pub use travel::{Travel, TravelAnswer};

#[cfg(test)]
mod tests;
