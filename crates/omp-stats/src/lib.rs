//! Requests, tokens and cost over all sessions.
//!
//! Session files are the source; `stats.db` beside them remembers what was read, so that only new lines are read the
//! next time, and what was spent in sessions that are gone.
//!
//! - [`Store`]: the database; [`Store::sync`] reads what is new in the session files, [`Store::summary`] adds it up.
//! - [`Summary`]: totals, and the same by model, project and day; [`Summary::text`] for people, serde for programs.
//! - [`ToolReports`]: what models report about tools, which no session file has.
//! - [`Dashboard`]: the same as a page with plots, served to browsers of this machine.

mod chart;
mod line;
mod page;
mod serve;
mod store;
mod summary;
mod sync;
mod text;
mod tool_reports;

pub use serve::{DEFAULT_PORT, Dashboard, ServeError};
pub use store::{StatsError, Store};
pub use summary::{Group, Summary, Totals};
pub use sync::Synced;
pub use tool_reports::{ToolReport, ToolReports};
