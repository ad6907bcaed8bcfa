//! Keys of motions.

use crate::command::Motion;

/// What the keys so far wait for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Pending {
    #[default]
    Nothing,
    /// `d`, `c` or `y`: a motion, or the same key again.
    Operator(char),
    /// `f`, `F`, `t` or `T`, perhaps behind an operator: a character.
    Find(char, Option<char>),
    /// `r`: a character.
    Replace,
    /// `g`, perhaps behind an operator: another one.
    Go(Option<char>),
}

/// The motion of a key.
pub(super) fn motion(key: char) -> Option<Motion> {
    Some(match key {
        'h' => Motion::LeftInLine,
        'l' | ' ' => Motion::RightInLine,
        'j' => Motion::Down,
        'k' => Motion::Up,
        'w' => Motion::NextWord,
        'b' => Motion::WordLeft,
        'e' => Motion::WordEnd,
        '0' => Motion::LineStart,
        '^' => Motion::LineText,
        '$' => Motion::LineEnd,
        _ => return None,
    })
}

/// The motion of a key that looks for a character in the line.
pub(super) fn find(kind: char, target: char) -> Motion {
    let till = matches!(kind, 't' | 'T');
    let target = target.to_string();
    if kind.is_lowercase() {
        Motion::FindForward { target, till, line_only: true }
    } else {
        Motion::FindBackward { target, till, line_only: true }
    }
}
