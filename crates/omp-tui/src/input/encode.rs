//! Keys as bytes again: what an xterm would send to the program it shows.

use super::event::{Code, Key, KeyEventKind, Modifiers};

/// The form that a program wants cursor keys in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CursorKeys {
    /// `CSI A`.
    #[default]
    Normal,
    /// `SS3 A`, after the program turned application mode on.
    Application,
}

/// The bytes of a key; none if it was let go, or if no terminal sends anything for it.
pub fn encode(key: Key, cursor: CursorKeys) -> Vec<u8> {
    if key.kind == KeyEventKind::Release {
        return Vec::new();
    }
    let modifiers = key.modifiers;
    match key.code {
        Code::Char(character) => characters(character, key),
        Code::Enter => after_alt(modifiers, b"\r"),
        Code::Tab if modifiers.contains(Modifiers::SHIFT) => b"\x1b[Z".to_vec(),
        Code::Tab => after_alt(modifiers, b"\t"),
        Code::Backspace if modifiers.contains(Modifiers::CTRL) => after_alt(modifiers, b"\x08"),
        Code::Backspace => after_alt(modifiers, b"\x7f"),
        Code::Escape => after_alt(modifiers, b"\x1b"),
        Code::Up => letter('A', modifiers, cursor),
        Code::Down => letter('B', modifiers, cursor),
        Code::Right => letter('C', modifiers, cursor),
        Code::Left => letter('D', modifiers, cursor),
        Code::Home => letter('H', modifiers, cursor),
        Code::End => letter('F', modifiers, cursor),
        Code::Insert => tilde(2, modifiers),
        Code::Delete => tilde(3, modifiers),
        Code::PageUp => tilde(5, modifiers),
        Code::PageDown => tilde(6, modifiers),
        Code::F(number @ 1..=4) => letter(char::from(b'P' + number - 1), modifiers, CursorKeys::Application),
        Code::F(number @ 5) => tilde(u16::from(number) + 10, modifiers),
        Code::F(number @ 6..=10) => tilde(u16::from(number) + 11, modifiers),
        Code::F(number @ 11..=12) => tilde(u16::from(number) + 12, modifiers),
        Code::F(_) => Vec::new(),
    }
}

/// Bytes behind an escape if Alt is held.
fn after_alt(modifiers: Modifiers, bytes: &[u8]) -> Vec<u8> {
    let escape: &[u8] = if modifiers.contains(Modifiers::ALT) { b"\x1b" } else { b"" };
    [escape, bytes].concat()
}

fn characters(character: char, key: Key) -> Vec<u8> {
    if key.modifiers.contains(Modifiers::CTRL) {
        let control = match character {
            ' ' | '@' | '2' => 0,
            'a'..='z' => character as u8 & 0x1f,
            '[' | '3' => 0x1b,
            '\\' | '4' => 0x1c,
            ']' | '5' => 0x1d,
            '^' | '6' => 0x1e,
            '-' | '_' | '/' | '7' => 0x1f,
            '8' | '?' => 0x7f,
            _ => return Vec::new(),
        };
        return after_alt(key.modifiers, &[control]);
    }
    let plain = Key { modifiers: key.modifiers.without(Modifiers::ALT), ..key };
    let Some(typed) = plain.text() else { return Vec::new() };
    after_alt(key.modifiers, typed.to_string().as_bytes())
}

/// The parameter that names modifiers; 1 for none.
fn parameter(modifiers: Modifiers) -> u8 {
    let bit = |held, bit| if modifiers.contains(held) { bit } else { 0 };
    1 + bit(Modifiers::SHIFT, 1) + bit(Modifiers::ALT, 2) + bit(Modifiers::CTRL, 4) + bit(Modifiers::SUPER, 8)
}

fn letter(last: char, modifiers: Modifiers, cursor: CursorKeys) -> Vec<u8> {
    match (parameter(modifiers), cursor) {
        (1, CursorKeys::Normal) => format!("\x1b[{last}"),
        (1, CursorKeys::Application) => format!("\x1bO{last}"),
        (parameter, _) => format!("\x1b[1;{parameter}{last}"),
    }
    .into()
}

fn tilde(number: u16, modifiers: Modifiers) -> Vec<u8> {
    match parameter(modifiers) {
        1 => format!("\x1b[{number}~"),
        parameter => format!("\x1b[{number};{parameter}~"),
    }
    .into()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::input::{Decoder, Event};

    /// What our own decoder makes of the bytes of a key.
    fn read_back(key: Key, cursor: CursorKeys) -> Vec<Event> {
        let (mut decoder, mut events) = (Decoder::new(), Vec::new());
        decoder.feed(&encode(key, cursor), Duration::ZERO, &mut events);
        decoder.expire(Duration::from_secs(60), &mut events);
        events
    }

    #[test]
    fn what_is_encoded_is_understood() {
        let codes = [
            Code::Up,
            Code::Down,
            Code::Left,
            Code::Right,
            Code::Home,
            Code::End,
            Code::Insert,
            Code::Delete,
            Code::PageUp,
            Code::PageDown,
        ];
        let functions = (1..=12).map(Code::F);
        let held = [
            Modifiers::NONE,
            Modifiers::SHIFT,
            Modifiers::CTRL,
            Modifiers::ALT,
            Modifiers::CTRL | Modifiers::SHIFT,
        ];
        for code in codes.into_iter().chain(functions) {
            for modifiers in held {
                for cursor in [CursorKeys::Normal, CursorKeys::Application] {
                    let key = Key::new(code, modifiers);
                    assert_eq!(read_back(key, cursor), [Event::Key(key)], "{key:?} {cursor:?}");
                }
            }
        }
        for text in ['a', 'Z', '%', 'ü', '漢'] {
            let key = Key::typed(text, Modifiers::NONE);
            assert_eq!(read_back(key, CursorKeys::Normal), [Event::Key(key)]);
        }
        for letter in 'a'..='z' {
            let key = Key::new(Code::Char(letter), Modifiers::ALT);
            assert_eq!(read_back(key, CursorKeys::Normal), [Event::Key(key)]);
        }
    }

    #[test]
    fn programs_get_what_an_xterm_sends() {
        let key = |code, modifiers| encode(Key::new(code, modifiers), CursorKeys::Normal);
        assert_eq!(encode(Key::new(Code::Up, Modifiers::NONE), CursorKeys::Application), b"\x1bOA");
        assert_eq!(key(Code::Up, Modifiers::NONE), b"\x1b[A");
        assert_eq!(key(Code::Up, Modifiers::CTRL), b"\x1b[1;5A");
        assert_eq!(key(Code::Char('c'), Modifiers::CTRL), b"\x03");
        assert_eq!(key(Code::Char(' '), Modifiers::CTRL), b"\0");
        assert_eq!(key(Code::Char('a'), Modifiers::SHIFT), b"A");
        assert_eq!(key(Code::Char('b'), Modifiers::ALT), b"\x1bb");
        assert_eq!(key(Code::Enter, Modifiers::SHIFT), b"\r");
        assert_eq!(key(Code::Tab, Modifiers::SHIFT), b"\x1b[Z");
        assert_eq!(key(Code::Backspace, Modifiers::NONE), b"\x7f");
        assert_eq!(key(Code::Escape, Modifiers::ALT), b"\x1b\x1b");
        assert_eq!(key(Code::F(20), Modifiers::NONE), b"");
        let released = Key { kind: KeyEventKind::Release, ..Key::new(Code::Char('a'), Modifiers::NONE) };
        assert_eq!(encode(released, CursorKeys::Normal), b"");
    }
}
