//! The clipboard: that of the machine where there is one, else the terminal's, which works over ssh as well.

use base64::Engine;
use futures_util::future::BoxFuture;

/// The clipboard of the machine that the program runs on.
pub trait Clipboard: Send + Sync {
    /// Puts a text into it. `false` where there is no clipboard, or it does not answer.
    fn copy(&self, text: String) -> BoxFuture<'static, bool>;

    /// The picture in it, as a file of any known kind; `None` if there is none.
    fn picture(&self) -> BoxFuture<'static, Option<Vec<u8>>>;

    /// The text in it; `None` if there is none.
    fn text(&self) -> BoxFuture<'static, Option<String>>;
}

/// What makes the terminal put a text into the clipboard (OSC 52).
pub(crate) fn copy(text: &str) -> Vec<u8> {
    let encoded = base64::engine::general_purpose::STANDARD.encode(text);
    format!("\x1b]52;c;{encoded}\x1b\\").into_bytes()
}
