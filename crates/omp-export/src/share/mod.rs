//! A snapshot that only the holder of its link can open.
//!
//! Sharing has three steps. [`Target::choose`] asks where a snapshot can go. [`seal`] makes it: header, entries and
//! instructions as JSON, compressed and encrypted with a fresh key, trimmed until it fits. [`send`] uploads it and
//! gives the [`Shared`] link, whose fragment holds the key, which no server ever sees. The middle step reads files and
//! computes, so it belongs on a blocking thread; the others are futures that may be dropped at any time.

mod key;
mod snapshot;
mod trim;
mod upload;

pub use key::ShareKey;
pub use snapshot::{SealError, Sealed, ShareOptions, seal, snapshot};
pub use trim::Trim;
pub use upload::{Host, Job, Reply, SendError, Shared, Target, send};
