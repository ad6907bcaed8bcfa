//! What extensions ask of the screen, before the app knows of it.
//!
//! - [`port`] answers what can be read at once, and sends the app what has to be done.
//! - [`placed`] is what they want to be shown; the app reads it when it draws.
//! - [`facts`] is what they can read of the screen; the app writes it when it draws.

pub(crate) mod facts;
pub(crate) mod placed;
mod port;

pub(crate) use placed::{SurfaceId, WidgetContent};
pub(crate) use port::{Answering, ExtensionRequest, ExtensionScreen};
pub use port::{ExtensionPort, ExtensionRequests};
