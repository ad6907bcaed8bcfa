//! Sixel: bands of six rows, a pass per colour.

use std::collections::BTreeMap;
use std::io::Write as _;

use super::pixels::Pixels;

/// Steps per channel: a cube of 216 colours, which fits the 256 registers every terminal has.
const STEPS: u16 = 6;
/// Thresholds of the dither, 4 by 4.
const DITHER: [[u16; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];

/// The picture as a sixel sequence. What is transparent stays as it is.
pub fn sixel(pixels: &Pixels) -> Vec<u8> {
    let mut out = Vec::new();
    let _ = write!(out, "\x1bP0;1q\"1;1;{};{}", pixels.width, pixels.height);
    let mut defined = [false; (STEPS * STEPS * STEPS) as usize];
    for top in (0..pixels.height).step_by(6) {
        let mut passes: BTreeMap<u16, Vec<u8>> = BTreeMap::new();
        for row in top..(top + 6).min(pixels.height) {
            for column in 0..pixels.width {
                let Some(color) = pixels.at(column, row) else { continue };
                let pass =
                    passes.entry(register(color, column, row)).or_insert_with(|| vec![0; pixels.width]);
                pass[column] |= 1 << (row - top);
            }
        }
        for (register, pass) in passes {
            if !std::mem::replace(&mut defined[usize::from(register)], true) {
                define(register, &mut out);
            }
            let _ = write!(out, "#{register}");
            runs(&pass, &mut out);
            out.push(b'$');
        }
        out.push(b'-');
    }
    out.extend_from_slice(b"\x1b\\");
    out
}

/// The register of a colour, dithered by its place.
fn register(color: [u8; 3], column: usize, row: usize) -> u16 {
    let threshold = DITHER[row % 4][column % 4];
    let [red, green, blue] = color.map(|channel| {
        // 51 is the distance of two steps; the dither decides between the two nearest.
        let channel = u16::from(channel);
        (channel / 51 + u16::from(channel % 51 * 16 > threshold * 51 + 25)).min(STEPS - 1)
    });
    (red * STEPS + green) * STEPS + blue
}

/// Sets a register, in percent.
fn define(register: u16, out: &mut Vec<u8>) {
    let percent = |step: u16| step * 100 / (STEPS - 1);
    let (red, green, blue) = (register / STEPS / STEPS, register / STEPS % STEPS, register % STEPS);
    let _ = write!(out, "#{register};2;{};{};{}", percent(red), percent(green), percent(blue));
}

/// The columns of a pass; equal ones together, nothing behind the last.
fn runs(pass: &[u8], out: &mut Vec<u8>) {
    let end = pass.iter().rposition(|bits| *bits != 0).map_or(0, |last| last + 1);
    for run in pass[..end].chunk_by(|left, right| left == right) {
        let character = run[0] + b'?';
        if run.len() > 3 {
            let _ = write!(out, "!{}", run.len());
            out.push(character);
        } else {
            out.extend(std::iter::repeat_n(character, run.len()));
        }
    }
}
