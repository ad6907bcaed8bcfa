//! The fonts are what the libraries have; `OMP_BLESS=1` writes the files again.

use std::path::Path;

use embedded_graphics::geometry::{OriginDimensions, Point};
use embedded_graphics::image::GetPixel;
use embedded_graphics::mono_font::{MonoFont, iso_8859_1};
use embedded_graphics::pixelcolor::BinaryColor;
use font8x8::legacy::{BASIC_LEGACY, LATIN_LEGACY};

use super::{Font, has, plain_letter, printable_share, spell};

/// Characters of a file: from space to the end of Latin-1.
fn characters() -> impl Iterator<Item = char> {
    (0x20..0x100_u32).filter_map(char::from_u32)
}

fn fixed(font: &MonoFont<'_>) -> Vec<u8> {
    let size = font.character_size;
    let columns = font.image.size().width / size.width;
    let row = |character: char, y: u32| {
        let index = u32::try_from(font.glyph_mapping.index(character)).expect("an index");
        let (left, top) = (index % columns * size.width, index / columns * size.height);
        let lit = |x: u32| {
            let point = Point::new(i32::try_from(left + x).unwrap(), i32::try_from(top + y).unwrap());
            font.image.pixel(point) == Some(BinaryColor::On)
        };
        (0..size.width).fold(0_u8, |row, x| row | u8::from(has(character) && lit(x)) << (7 - x))
    };
    characters().flat_map(|character| (0..size.height).map(move |y| row(character, y))).collect()
}

fn eight() -> Vec<u8> {
    let glyph = |character: char| {
        let code = character as usize;
        match code {
            0x20..0x7f => BASIC_LEGACY[code],
            0xa0.. => LATIN_LEGACY[code - 0xa0],
            _ => [0; 8],
        }
    };
    characters().flat_map(|character| glyph(character).map(u8::reverse_bits)).collect()
}

#[test]
fn the_files_hold_the_fonts() {
    let fonts = [
        (Font::F4x6, "4x6.bin", fixed(&iso_8859_1::FONT_4X6)),
        (Font::F5x8, "5x8.bin", fixed(&iso_8859_1::FONT_5X8)),
        (Font::F6x12, "6x12.bin", fixed(&iso_8859_1::FONT_6X12)),
        (Font::F8x8, "8x8.bin", eight()),
        (Font::F8x13, "8x13.bin", fixed(&iso_8859_1::FONT_8X13)),
    ];
    for (font, file, data) in fonts {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(file);
        if std::env::var_os("OMP_BLESS").is_some() {
            std::fs::write(&path, &data).unwrap();
        }
        assert_eq!(std::fs::read(&path).unwrap(), data, "run with OMP_BLESS=1 to write {file} again");
        assert_eq!(data.len(), 224 * font.size().1, "{file}");
    }
}

#[test]
fn letters_look_different() {
    for font in [Font::F4x6, Font::F5x8, Font::F6x12, Font::F8x8, Font::F8x13] {
        let letters: std::collections::HashSet<&[u8]> =
            ('!'..='~').map(|letter| font.glyph(letter)).collect();
        assert!(letters.len() >= 90, "{font:?} has {} of 94 letters", letters.len());
        assert!(font.glyph(' ').iter().all(|row| *row == 0));
        assert_eq!(font.glyph('\u{4e00}'), [0_u8; 0]);
    }
}

fn spelled(text: &str) -> String {
    let mut out = String::new();
    text.chars().for_each(|character| spell(character, &mut |letter| out.push(letter)));
    out
}

#[test]
fn signs_are_spelled() {
    assert_eq!(spelled("“it’s” — a → b … ✓ €é"), "\"it's\" - a -> b ... [x] EURé");
    assert_eq!(spelled("Čeština ł Ő œ ſ"), "Cestina l O oe \u{bf}");
    assert_eq!(plain_letter('ž'), Some('z'));
    assert_eq!(plain_letter('\u{100}'), Some('A'));
}

#[test]
fn what_cannot_be_printed_is_known() {
    assert!((printable_share("plain text\n\twith tabs") - 1.0).abs() < 1e-9);
    assert!(printable_share("这个程序") < 0.1);
    assert!((printable_share("") - 1.0).abs() < 1e-9);
}
