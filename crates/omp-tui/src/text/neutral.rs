//! Foreign text that a terminal neither obeys nor lets deceive a reader.
//!
//! Three things in a text can mislead: controls (ESC and its sequences, in their 7-bit and 8-bit forms), which a terminal
//! obeys; characters that reorder what stands around them; and characters that take no room, which hide a difference or
//! a whole message. All of them are shown by a picture or by their number, so that whoever decides about a text sees
//! what it is. Text comes out of here the same if it goes in twice.
//!
//! What is exact (a command, a path, a name, a result) is shown with everything that is in it. In prose a joiner between
//! two letters and the selector behind an emoji are how people write, and invisible marks are left out instead of
//! shown.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Everything that cannot be seen is shown. Lines and tabs stay.
pub fn exact(text: &str) -> Cow<'_, str> {
    rewrite(text, |_, c, _| if is_layout(c) || !(is_obeyed(c) || is_unseen(c)) { Keep } else { Show })
}

/// [`exact`] for a name in a row of other things: lines and tabs are shown as well.
pub fn exact_line(text: &str) -> Cow<'_, str> {
    rewrite(text, |_, c, _| if is_obeyed(c) || is_unseen(c) { Show } else { Keep })
}

/// [`exact`] but for 7-bit controls, for text whose colours are still to be read.
pub fn exact_but_colours(text: &str) -> Cow<'_, str> {
    rewrite(text, |_, c, _| if c.is_ascii() || !(is_obeyed(c) || is_unseen(c)) { Keep } else { Show })
}

/// For sentences: controls and what reorders is shown, what joins letters and emoji is kept, other marks go.
pub fn prose(text: &str) -> Cow<'_, str> {
    rewrite(text, |before, c, after| match c {
        c if is_layout(c) => Keep,
        c if is_obeyed(c) || is_reordering(c) => Show,
        '\u{200c}' | '\u{200d}' if joins(before) && joins(after) => Keep,
        '\u{fe00}'..='\u{fe0f}' if before.is_some_and(|before| !is_unseen(before) && before > ' ') => Keep,
        '\u{e0100}'..='\u{e01ef}' if before.is_some_and(is_ideograph) => Keep,
        '\u{e0000}'..='\u{e0fff}' => Show,
        c if is_unseen(c) => Drop,
        _ => Keep,
    })
}

/// JSON whose strings hold no character that a terminal obeys or that cannot be seen: they are escaped, which a reader
/// of JSON undoes. 7-bit controls are escaped in every JSON text.
pub fn json(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_careful_json) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match is_careful_json(c) {
            true => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| _ = write!(clean, "\\u{unit:04x}")),
            false => clean.push(c),
        }
    }
    Cow::Owned(clean)
}

fn is_careful_json(c: char) -> bool {
    !c.is_ascii_control() && (is_obeyed(c) || is_unseen(c)) || c == '\u{7f}'
}

/// What becomes of a character.
enum Fate {
    Keep,
    Show,
    Drop,
}
use Fate::{Drop, Keep, Show};

/// `fate` is told the character, the one that was kept before it and the one behind it.
fn rewrite(text: &str, fate: impl Fn(Option<char>, char, Option<char>) -> Fate) -> Cow<'_, str> {
    if !text.chars().any(|c| is_obeyed(c) || is_unseen(c)) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len() + 16);
    let mut rest = text.chars().peekable();
    let mut before = None;
    while let Some(c) = rest.next() {
        let after = rest.peek().copied();
        if c == '\r' && after == Some('\n') {
            continue;
        }
        match fate(before, c, after) {
            Keep => clean.push(c),
            Show => show(c, &mut clean),
            Drop => continue,
        }
        before = Some(c);
    }
    Cow::Owned(clean)
}

/// A picture of a control, the number of everything else.
fn show(c: char, to: &mut String) {
    match c {
        '\0'..='\u{1f}' => to.push(char::from_u32(0x2400 + u32::from(c)).unwrap_or('?')),
        '\u{7f}' => to.push('\u{2421}'),
        _ => _ = write!(to, "<U+{:04X}>", u32::from(c)),
    }
}

fn is_layout(c: char) -> bool {
    matches!(c, '\n' | '\t')
}

/// Characters that a terminal obeys, or that some take for the end of a line.
fn is_obeyed(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Embeddings, overrides and isolates.
fn is_reordering(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Characters without a shape of their own: Unicode's `Default_Ignorable_Code_Point`, and the annotations beside it.
fn is_unseen(c: char) -> bool {
    c >= '\u{ad}'
        && matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a joiner beside this character means anything: letters of scripts that join, and emoji.
fn joins(c: Option<char>) -> bool {
    c.is_some_and(|c| !c.is_ascii() && !c.is_whitespace() && (!is_unseen(c) || c == '\u{fe0f}'))
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_are_shown_and_text_stays() {
        let text = "a\u{1b}[31mred\u{1b}]52;c;QQ==\u{7}\u{8}\r\nc\td\u{9b}2J\u{7f}é\u{1f600}\rz\0";
        let shown = "a␛[31mred␛]52;c;QQ==␇␈\nc\td<U+009B>2J␡é\u{1f600}␍z␀";
        assert_eq!((exact(text), prose(text)), (shown.into(), shown.into()));
        assert_eq!(exact_line("a\nb\tc"), "a␊b␉c");
        assert_eq!(exact_but_colours("\u{1b}[1mx\u{9b}\u{202e}"), "\u{1b}[1mx<U+009B><U+202E>");
    }

    #[test]
    fn what_reorders_or_hides_is_shown_where_it_matters() {
        let text = "a\u{202e}b\u{2066}c\u{200b}d\u{e0041}e\u{feff}f\u{200f}g\u{ad}";
        assert_eq!(exact(text), "a<U+202E>b<U+2066>c<U+200B>d<U+E0041>e<U+FEFF>f<U+200F>g<U+00AD>");
        assert_eq!(prose(text), "a<U+202E>b<U+2066>cd<U+E0041>efg");
    }

    /// What people write in other scripts, and emoji.
    #[test]
    fn prose_of_every_script_stays() {
        for text in [
            "שלום, עולם (abc)",
            "می\u{200c}خواهم",
            "👩\u{200d}👩\u{200d}👧 ❤\u{fe0f}\u{200d}🔥 1\u{fe0f}\u{20e3}",
            "क्\u{200d}ष",
            "葛\u{e0100}",
            "plain\n\ttext",
        ] {
            assert!(matches!(prose(text), Cow::Borrowed(_)) || prose(text) == text, "{text:?}");
        }
        assert_eq!(prose("a\u{200d}b \u{200c}x"), "ab x");
        assert_eq!(prose("a\u{fe01}\u{fe02}\u{fe03}"), "a\u{fe01}", "bytes hidden in selectors");
        assert_eq!(exact("👩\u{200d}👧"), "👩<U+200D>👧");
    }

    #[test]
    fn json_is_escaped_and_means_the_same() {
        assert_eq!(
            json("{\"a\": \"é\u{9b}\u{202e}\u{e0041}\u{7f}\"}\n"),
            "{\"a\": \"é\\u009b\\u202e\\udb40\\udc41\\u007f\"}\n"
        );
        assert!(matches!(json("{\"שלום\":\"日本\"}\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn twice_is_once() {
        for c in (0..0x11_0000).filter_map(char::from_u32) {
            let text = format!("x{c}y");
            for clean in [exact(&text), prose(&text), exact_line(&text)] {
                assert!(!clean.chars().any(|c| is_obeyed(c) && !is_layout(c) || is_reordering(c)), "{c:?}");
            }
            assert_eq!(exact(&exact(&text)), exact(&text));
        }
    }
}
