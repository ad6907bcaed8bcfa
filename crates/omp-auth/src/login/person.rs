//! Who logs in, as far as a login talks with them.

use futures_util::future::BoxFuture;

/// What a login says. Nothing of it is secret but the code of a device login, which is meant to be seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// Open this address in a browser.
    Open { url: String },
    /// What the browser shows at the end, or the address it ends at, can be entered here as well.
    PasteOffered,
    /// The browser cannot come back here, because another program has the port.
    PortBusy { port: u16, reason: String },
    /// Open this address on any device and enter the code.
    EnterCode { url: String, code: String },
    /// What was entered is of no use.
    NotUsable { reason: String },
}

/// The person and the way to reach them.
pub trait Person: Send + Sync {
    fn tell(&self, notice: Notice);

    /// The next line they enter; `None` when there will be none.
    fn line(&self) -> BoxFuture<'_, Option<String>>;
}
