//! The clipboard, through the terminal: it works over ssh as well.

use base64::Engine;

/// What makes the terminal put a text into the clipboard (OSC 52).
pub(crate) fn copy(text: &str) -> Vec<u8> {
    let encoded = base64::engine::general_purpose::STANDARD.encode(text);
    format!("\x1b]52;c;{encoded}\x1b\\").into_bytes()
}
