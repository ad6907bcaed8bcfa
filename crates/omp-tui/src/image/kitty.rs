//! kitty's graphics protocol: the data is sent once, the picture placed as often as needed.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::text::{Color, Line, Style};

/// The data of a command, at most.
const CHUNK: usize = 4096;
/// The character that stands for a cell of a picture.
pub(super) const PLACEHOLDER: char = '\u{10eeee}';

/// The marks that number rows and columns of placeholders, as far as we need them.
pub(super) const MARKS: [u32; 64] = [
    0x305, 0x30d, 0x30e, 0x310, 0x312, 0x33d, 0x33e, 0x33f, 0x346, 0x34a, 0x34b, 0x34c, 0x350, 0x351, 0x352,
    0x357, 0x35b, 0x363, 0x364, 0x365, 0x366, 0x367, 0x368, 0x369, 0x36a, 0x36b, 0x36c, 0x36d, 0x36e, 0x36f,
    0x483, 0x484, 0x485, 0x486, 0x487, 0x592, 0x593, 0x594, 0x595, 0x597, 0x598, 0x599, 0x59c, 0x59d, 0x59e,
    0x59f, 0x5a0, 0x5a1, 0x5a8, 0x5a9, 0x5ab, 0x5ac, 0x5af, 0x5c4, 0x610, 0x611, 0x612, 0x613, 0x614, 0x615,
    0x616, 0x617, 0x657, 0x658,
];

/// Sends a PNG; the terminal keeps it and is not to answer.
pub(super) fn transmit(id: u32, png: &[u8]) -> Vec<u8> {
    let data = STANDARD.encode(png);
    let mut out = Vec::with_capacity(data.len() + data.len() / CHUNK * 16 + 64);
    let mut chunks = data.as_bytes().chunks(CHUNK).peekable();
    let mut keys = format!("a=t,f=100,i={id},q=2,");
    while let Some(chunk) = chunks.next() {
        let more = u8::from(chunks.peek().is_some());
        out.extend_from_slice(format!("\x1b_G{keys}m={more};").as_bytes());
        out.extend_from_slice(chunk);
        out.extend_from_slice(b"\x1b\\");
        keys = "q=2,".to_owned();
    }
    out
}

/// Places a picture: at the cursor, which does not move, or wherever its placeholders stand.
pub(super) fn place(id: u32, columns: usize, rows: usize, placeholders: bool) -> Vec<u8> {
    let how = if placeholders { "U=1" } else { "C=1" };
    format!("\x1b_Ga=p,i={id},p=1,c={columns},r={rows},{how},q=2\x1b\\").into()
}

/// Removes a picture with its data.
pub(super) fn delete(id: u32) -> Vec<u8> {
    format!("\x1b_Ga=d,d=I,i={id},q=2\x1b\\").into()
}

/// The rows of text that stand for a picture: its number is their colour; the first cell of each names its row, those
/// behind it follow.
pub(super) fn placeholders(id: u32, (columns, rows): (usize, usize)) -> Vec<Line> {
    let [_, red, green, blue] = id.to_be_bytes();
    let style = Style::PLAIN.foreground(Color::Rgb(red, green, blue));
    let mark = |index: usize| MARKS.get(index).and_then(|mark| char::from_u32(*mark));
    (0..rows)
        .map(|row| {
            let mut text = String::from(PLACEHOLDER);
            text.extend(mark(row));
            text.extend(mark(0));
            text.extend(std::iter::repeat_n(PLACEHOLDER, columns.saturating_sub(1)));
            Line::styled(style, &text)
        })
        .collect()
}
