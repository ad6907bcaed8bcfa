//! Which key a sequence stands for: kitty, modifyOtherKeys and the old encodings.

use super::event::{Code, Event, Key, KeyEventKind, Modifiers};
use super::reply::Reply;

/// The key of a byte below 0x20, or of 0x7f.
pub(super) fn control(byte: u8, extra: Modifiers) -> Key {
    let ctrl = |character: char| Key::new(Code::Char(character), extra | Modifiers::CTRL);
    match byte {
        0x00 => ctrl(' '),
        0x09 => Key::new(Code::Tab, extra),
        0x0d => Key::new(Code::Enter, extra),
        0x08 => Key::new(Code::Backspace, extra | Modifiers::CTRL),
        0x7f => Key::new(Code::Backspace, extra),
        0x1b => Key::new(Code::Escape, extra),
        0x1c => ctrl('\\'),
        0x1d => ctrl(']'),
        0x1e => ctrl('^'),
        0x1f => ctrl('-'),
        byte => ctrl(char::from(byte | 0x60)),
    }
}

/// The key of `SS3 <byte>`.
pub(super) fn ss3(byte: u8) -> Option<Event> {
    let code = match byte {
        b'M' => Code::Enter,
        byte => letter(byte)?,
    };
    Some(Event::Key(Key::new(code, Modifiers::NONE)))
}

fn letter(byte: u8) -> Option<Code> {
    Some(match byte {
        b'A' => Code::Up,
        b'B' => Code::Down,
        b'C' => Code::Right,
        b'D' => Code::Left,
        b'H' => Code::Home,
        b'F' => Code::End,
        b'P' => Code::F(1),
        b'Q' => Code::F(2),
        b'R' => Code::F(3),
        b'S' => Code::F(4),
        _ => return None,
    })
}

fn tilde(number: u32) -> Option<Code> {
    Some(match number {
        1 | 7 => Code::Home,
        2 => Code::Insert,
        3 => Code::Delete,
        4 | 8 => Code::End,
        5 => Code::PageUp,
        6 => Code::PageDown,
        11..=15 => Code::F((number - 10) as u8),
        17..=21 => Code::F((number - 11) as u8),
        23..=24 => Code::F((number - 12) as u8),
        _ => return None,
    })
}

/// Parameters of a sequence: numbers with sub-numbers.
pub(super) struct Parameters<'a>(pub(super) &'a str);

impl Parameters<'_> {
    fn sub(&self, index: usize, sub: usize) -> Option<u32> {
        self.0.split(';').nth(index)?.split(':').nth(sub)?.parse().ok()
    }

    pub(super) fn number(&self, index: usize) -> Option<u32> {
        self.sub(index, 0)
    }

    fn modifiers(&self) -> Modifiers {
        Modifiers::from_parameter(self.number(1).unwrap_or(1))
    }

    fn kind(&self) -> KeyEventKind {
        match self.sub(1, 1) {
            Some(2) => KeyEventKind::Repeat,
            Some(3) => KeyEventKind::Release,
            _ => KeyEventKind::Press,
        }
    }
}

/// The key of a `CSI` sequence without a private mark.
pub(super) fn csi(parameters: &Parameters<'_>, last: u8) -> Option<Event> {
    let key = |code| Event::Key(Key { code, modifiers: parameters.modifiers(), kind: parameters.kind() });
    match last {
        b'u' => kitty(parameters).map(Event::Key),
        b'Z' => Some(Event::Key(Key::new(Code::Tab, Modifiers::SHIFT | parameters.modifiers()))),
        b'I' if parameters.0.is_empty() => Some(Event::Focus(true)),
        b'O' if parameters.0.is_empty() => Some(Event::Focus(false)),
        // A cursor report looks like F3 with a modifier, if the cursor is in the first row: whoever asked knows better.
        b'R' if parameters.number(0).unwrap_or(1) != 1 => {
            let number = |index| u16::try_from(parameters.number(index)?).ok();
            Some(Event::Reply(Reply::Cursor { row: number(0)?, column: number(1)? }))
        }
        b'~' => match parameters.number(0)? {
            27 => {
                let character = parameters.number(2)?;
                Some(Event::Key(from_code(character, parameters.modifiers(), KeyEventKind::Press, None)?))
            }
            number => tilde(number).map(key),
        },
        letter_byte => letter(letter_byte).map(key),
    }
}

fn kitty(parameters: &Parameters<'_>) -> Option<Key> {
    from_code(parameters.number(0)?, parameters.modifiers(), parameters.kind(), parameters.sub(0, 1))
}

/// The key of a code point as kitty and modifyOtherKeys number keys. `shifted` is what Shift makes of it on the user's
/// keyboard.
fn from_code(number: u32, modifiers: Modifiers, kind: KeyEventKind, shifted: Option<u32>) -> Option<Key> {
    let code = match number {
        9 => Code::Tab,
        13 | 57414 => Code::Enter,
        27 => Code::Escape,
        8 | 127 => Code::Backspace,
        57399..=57408 => Code::Char(char::from_digit(number - 57399, 10)?),
        57409 => Code::Char('.'),
        57410 => Code::Char('/'),
        57411 => Code::Char('*'),
        57412 => Code::Char('-'),
        57413 => Code::Char('+'),
        57415 => Code::Char('='),
        57417 => Code::Left,
        57418 => Code::Right,
        57419 => Code::Up,
        57420 => Code::Down,
        57421 => Code::PageUp,
        57422 => Code::PageDown,
        57423 => Code::Home,
        57424 => Code::End,
        57425 => Code::Insert,
        57426 => Code::Delete,
        57376..=57398 => Code::F((number - 57376 + 13) as u8),
        // Other keys of the private range are modifiers, locks and media keys.
        57344..=63743 => return None,
        number => return character(char::from_u32(number)?, modifiers, kind, shifted),
    };
    Some(Key { code, modifiers, kind })
}

fn character(character: char, modifiers: Modifiers, kind: KeyEventKind, shifted: Option<u32>) -> Option<Key> {
    if character.is_control() {
        return None;
    }
    // Where Shift makes another character that is not just the upper case, that one was typed.
    let shifted = shifted.and_then(char::from_u32).filter(|_| modifiers.contains(Modifiers::SHIFT));
    let typed = match shifted {
        Some(other) if other.to_lowercase().next() != Some(character) && !other.is_control() => {
            Key::new(Code::Char(other), modifiers.without(Modifiers::SHIFT))
        }
        _ => Key::typed(character, modifiers),
    };
    Some(Key { kind, ..typed })
}
