//! Words for the world around the terminal: its title, and notices on the desktop.

use crate::text::neutral;

/// The longest text that is sent, in characters.
const LONGEST: usize = 256;

/// How the terminal passes a notice on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notices {
    /// With title and text of their own (OSC 99).
    Rich,
    /// As one line (OSC 9).
    Line,
    /// With a title (OSC 777).
    Titled,
    /// By ringing.
    Bell,
}

/// Sets the title of the window and the tab. It was saved when the terminal was taken over, and comes back at the end.
pub fn title(text: &str) -> Vec<u8> {
    format!("\x1b]0;{}\x1b\\", clean(text)).into()
}

/// A notice on the desktop.
pub fn notice(how: Notices, title: &str, text: &str) -> Vec<u8> {
    let (title, text) = (clean(title), clean(text));
    match how {
        Notices::Rich => {
            format!("\x1b]99;i=omp:d=0:p=title;{title}\x1b\\\x1b]99;i=omp:d=1:p=body;{text}\x1b\\").into()
        }
        Notices::Line => format!("\x1b]9;{title}: {text}\x1b\\").into(),
        Notices::Titled => format!("\x1b]777;notify;{};{text}\x1b\\", title.replace(';', ",")).into(),
        Notices::Bell => b"\x07".to_vec(),
    }
}

/// Text without anything that could end the sequence it is in.
fn clean(text: &str) -> String {
    let visible = neutral::prose(text);
    visible.chars().filter(|character| !character.is_control()).take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_breaks_out() {
        let nasty = "a\x1b\\\x1b[2J\x07b\u{9c}\nc";
        assert_eq!(title(nasty), "\x1b]0;a␛\\␛[2J␇b<U+009C>c\x1b\\".as_bytes());
        for how in [Notices::Rich, Notices::Line, Notices::Titled] {
            let bytes = String::from_utf8(notice(how, nasty, nasty)).unwrap();
            assert_eq!(bytes.matches('\x1b').count(), if how == Notices::Rich { 4 } else { 2 }, "{bytes:?}");
            assert!(!bytes.contains('\x07') && !bytes.contains('\n'));
        }
        assert_eq!(notice(Notices::Bell, "x", "y"), b"\x07");
        assert!(title(&"x".repeat(10_000)).len() < 300);
    }
}
