//! Pages as PNG.

use crate::ink::{PALETTE, PAPER};
use crate::page::Page;
use crate::shape::Shape;

/// Draws a page: as wide as its shape, as high as its lines. The same page gives the same bytes.
pub fn draw(page: &Page, shape: Shape) -> Result<Vec<u8>, png::EncodingError> {
    let (across, down) = shape.cell;
    let height = (page.rows() * down).max(down);
    let mut pixels = vec![PAPER; shape.width * height];
    for (row, line) in page.lines.iter().enumerate() {
        for (column, cell) in line.iter().enumerate() {
            let corner = row * down * shape.width + column * across;
            glyph(&mut pixels, shape, corner, cell.character, cell.ink);
        }
    }
    encode(&pixels, shape.width, height)
}

/// Draws one character; the cell's spare lines are above and below it.
fn glyph(pixels: &mut [u8], shape: Shape, corner: usize, character: char, ink: u8) {
    let (wide, high) = shape.font.size();
    let above = shape.cell.1.saturating_sub(high) / 2;
    let beside = shape.cell.0.saturating_sub(wide) / 2;
    for (y, bits) in shape.font.glyph(character).iter().enumerate() {
        let start = corner + (above + y) * shape.width + beside;
        let Some(row) = pixels.get_mut(start..start + wide) else { return };
        for (x, pixel) in row.iter_mut().enumerate() {
            if bits & (0x80 >> x) != 0 {
                *pixel = ink;
            }
        }
    }
}

/// Four bits a pixel, with a palette.
fn encode(pixels: &[u8], width: usize, height: usize) -> Result<Vec<u8>, png::EncodingError> {
    let mut packed = Vec::with_capacity(pixels.len().div_ceil(2));
    for line in pixels.chunks(width) {
        packed.extend(line.chunks(2).map(|pair| match pair {
            [left, right] => left << 4 | right,
            [left] => left << 4,
            _ => 0,
        }));
    }
    let mut bytes = Vec::new();
    let size = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
    let mut encoder = png::Encoder::new(&mut bytes, size(width), size(height));
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Four);
    encoder.set_palette(PALETTE.as_flattened());
    encoder.set_compression(png::Compression::Balanced);
    encoder.set_filter(png::Filter::NoFilter);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&packed)?;
    writer.finish()?;
    Ok(bytes)
}
