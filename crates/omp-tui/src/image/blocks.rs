//! Pictures without any protocol: two pixels a cell.

use crate::text::{Color, Line, Style};

use super::pixels::Pixels;

/// The picture in `columns` by `rows` cells, each an upper half in one colour and a lower half in another.
pub fn half_blocks(pixels: &Pixels, columns: usize, rows: usize) -> Vec<Line> {
    let small = pixels.resized(columns, rows * 2);
    let color = |column, row| match small.at(column, row) {
        Some([red, green, blue]) => Color::Rgb(red, green, blue),
        None => Color::Default,
    };
    (0..rows)
        .map(|row| {
            let mut line = Line::new();
            for column in 0..columns {
                let (upper, lower) = (color(column, row * 2), color(column, row * 2 + 1));
                match (upper, lower) {
                    (Color::Default, Color::Default) => line.push(Style::PLAIN, " "),
                    (Color::Default, lower) => line.push(Style::PLAIN.foreground(lower), "▄"),
                    (upper, lower) => line.push(Style::PLAIN.foreground(upper).background(lower), "▀"),
                };
            }
            line
        })
        .collect()
}
