//! What a complete escape sequence means.

use super::event::{Button, Event, Modifiers, Motion, Mouse};
use super::keys::{self, Parameters};
use super::reply::{Appearance, Mode, Reply};

/// The meaning of `CSI <body> <last>`; `None` if there is none for us.
pub(super) fn csi(body: &str, last: u8) -> Option<Event> {
    match body.as_bytes().first() {
        Some(b'?') => private(&body[1..], last).map(Event::Reply),
        Some(b'<') => mouse(&Parameters(&body[1..]), last).map(Event::Mouse),
        Some(b'>' | b'=') => None,
        _ if last == b't' => window(&Parameters(body)).map(Event::Reply),
        _ => keys::csi(&Parameters(body), last),
    }
}

fn private(body: &str, last: u8) -> Option<Reply> {
    let parameters = Parameters(body);
    match last {
        b'c' => Some(Reply::Attributes(body.split(';').filter_map(|number| number.parse().ok()).collect())),
        b'u' => Some(Reply::Keyboard(u8::try_from(parameters.number(0)?).ok()?)),
        b'n' if parameters.number(0) == Some(997) => match parameters.number(1)? {
            1 => Some(Reply::Appearance(Appearance::Dark)),
            2 => Some(Reply::Appearance(Appearance::Light)),
            _ => None,
        },
        b'y' => {
            let (mode, state) = body.strip_suffix('$')?.split_once(';')?;
            let state = match state {
                "1" => Mode::On,
                "2" => Mode::Off,
                "3" | "4" => Mode::Fixed,
                _ => Mode::Unknown,
            };
            Some(Reply::PrivateMode(mode.parse().ok()?, state))
        }
        _ => None,
    }
}

fn window(parameters: &Parameters<'_>) -> Option<Reply> {
    let number = |index| parameters.number(index).and_then(|number| u16::try_from(number).ok());
    match number(0)? {
        6 => Some(Reply::CellSize { height: number(1)?, width: number(2)? }),
        8 | 48 => Some(Reply::Resized { rows: number(1)?, columns: number(2)? }),
        _ => None,
    }
}

fn mouse(parameters: &Parameters<'_>, last: u8) -> Option<Mouse> {
    let bits = parameters.number(0)?;
    let button = match (bits & 64 != 0, bits & 3) {
        (true, 0) => Button::WheelUp,
        (true, 1) => Button::WheelDown,
        (false, 0) => Button::Left,
        (false, 1) => Button::Middle,
        (false, 2) => Button::Right,
        _ => Button::None,
    };
    let motion = match last {
        b'm' => Motion::Release,
        b'M' if bits & 32 != 0 => Motion::Move,
        b'M' => Motion::Press,
        _ => return None,
    };
    let held = [(4, Modifiers::SHIFT), (8, Modifiers::ALT), (16, Modifiers::CTRL)];
    let modifiers =
        held.into_iter().filter(|(bit, _)| bits & bit != 0).fold(Modifiers::NONE, |all, (_, one)| all | one);
    let cell = |index| Some(parameters.number(index)?.saturating_sub(1) as usize);
    Some(Mouse { button, motion, column: cell(1)?, row: cell(2)?, modifiers })
}
