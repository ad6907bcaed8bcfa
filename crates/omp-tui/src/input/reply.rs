//! What terminals answer.

/// Whether a private mode exists and is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The terminal does not know the mode.
    Unknown,
    /// It is on.
    On,
    /// It is off and may be turned on.
    Off,
    /// It cannot be changed.
    Fixed,
}

/// The look of the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appearance {
    /// Light text on a dark background.
    Dark,
    /// Dark text on a light background.
    Light,
}

/// An answer of the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The primary attributes (`CSI c`): every terminal answers this, which makes it the end mark of a question.
    Attributes(Vec<u16>),
    /// The flags of the kitty keyboard protocol: it is supported.
    Keyboard(u8),
    /// The state of a private mode.
    PrivateMode(u16, Mode),
    /// The background colour, 8 bits a channel.
    Background(u8, u8, u8),
    /// The user changed between dark and light.
    Appearance(Appearance),
    /// Desktop notifications with these capabilities are understood.
    Notifications(String),
    /// The kitty graphics protocol answered for this picture.
    Graphics {
        /// The number of the picture.
        id: u32,
        /// Whether it was accepted.
        accepted: bool,
    },
    /// The size of a cell in pixels.
    CellSize {
        /// Height in pixels.
        height: u16,
        /// Width in pixels.
        width: u16,
    },
    /// The size of the terminal, told by itself when it is new, or for a question.
    Resized {
        /// Rows.
        rows: u16,
        /// Columns.
        columns: u16,
    },
    /// Where the cursor is, counted from 1.
    Cursor {
        /// The row.
        row: u16,
        /// The column.
        column: u16,
    },
    /// The name and version of the terminal.
    Version(String),
    /// A packet about a paste, for [`crate::clipboard::Reader`].
    Clipboard(String),
}

impl Reply {
    /// The reply in the body of an operating-system command.
    pub(super) fn from_osc(body: &str) -> Option<Self> {
        let (number, rest) = body.split_once(';')?;
        match number {
            "11" => {
                let (red, green, blue) = color(rest)?;
                Some(Self::Background(red, green, blue))
            }
            "99" => Some(Self::Notifications(rest.to_owned())),
            "5522" => Some(Self::Clipboard(rest.to_owned())),
            _ => None,
        }
    }

    /// The reply in the body of a device control string.
    pub(super) fn from_dcs(body: &str) -> Option<Self> {
        body.strip_prefix(">|").map(|version| Self::Version(version.to_owned()))
    }

    /// The reply in the body of an application command.
    pub(super) fn from_apc(body: &str) -> Option<Self> {
        let (keys, message) = body.strip_prefix('G')?.split_once(';')?;
        let id = keys.split(',').find_map(|pair| pair.strip_prefix("i="))?.parse().ok()?;
        Some(Self::Graphics { id, accepted: message == "OK" })
    }
}

/// `rgb:rrrr/gggg/bbbb`, with one to four digits a channel, or `rgba:` with a fourth.
fn color(text: &str) -> Option<(u8, u8, u8)> {
    let channels = text.strip_prefix("rgb:").or_else(|| text.strip_prefix("rgba:"))?;
    let mut channels = channels.split('/').map(|digits| {
        let value = u32::from_str_radix(digits, 16).ok()?;
        let most = 16u32.checked_pow(u32::try_from(digits.len()).ok()?)? - 1;
        (1..=4).contains(&digits.len()).then(|| u8::try_from(value * 255 / most).unwrap_or(u8::MAX))
    });
    Some((channels.next()??, channels.next()??, channels.next()??))
}
