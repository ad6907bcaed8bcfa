//! Pictures: passed on, made smaller, or refused.

#[path = "support/pictures.rs"]
mod pictures;

use image::{DynamicImage, ImageFormat, RgbImage, RgbaImage};
use omp_workspace::image::{Fit, LoadError, Loaded, Size};
use pictures::{encoded, noise};

fn load(bytes: Vec<u8>) -> Result<Loaded, LoadError> {
    omp_workspace::image::load(bytes, Fit::Shrink)
}

fn size(width: u32, height: u32) -> Size {
    Size { width, height }
}

#[test]
fn small_pictures_pass_untouched() {
    let picture = noise(20, 10);
    let formats = [
        (ImageFormat::Png, "image/png"),
        (ImageFormat::Jpeg, "image/jpeg"),
        (ImageFormat::Gif, "image/gif"),
        (ImageFormat::WebP, "image/webp"),
    ];
    for (format, mime) in formats {
        let bytes = encoded(&picture, format);
        let loaded = load(bytes.clone()).unwrap();
        assert_eq!((loaded.mime, loaded.original, loaded.sent), (mime, size(20, 10), size(20, 10)));
        assert_eq!(loaded.bytes, bytes);
    }
}

#[test]
fn bitmaps_become_png() {
    let loaded = load(encoded(&noise(20, 10), ImageFormat::Bmp)).unwrap();
    assert_eq!((loaded.mime, loaded.sent), ("image/png", size(20, 10)));
    assert_eq!(image::load_from_memory(&loaded.bytes).unwrap(), noise(20, 10));
}

#[test]
fn large_pictures_are_scaled_with_their_proportions() {
    let flat = DynamicImage::from(RgbImage::new(3_000, 1_500));
    let loaded = load(encoded(&flat, ImageFormat::Png)).unwrap();
    assert_eq!(
        (loaded.mime, loaded.original, loaded.sent),
        ("image/png", size(3_000, 1_500), size(2_000, 1_000))
    );
    let again = image::load_from_memory(&loaded.bytes).unwrap();
    assert_eq!((again.width(), again.height()), (2_000, 1_000));
}

#[test]
fn a_picture_can_be_kept_as_it_is() {
    let bytes = encoded(&noise(2_100, 10), ImageFormat::Png);
    let kept = omp_workspace::image::load(bytes.clone(), Fit::Keep).unwrap();
    assert_eq!((kept.sent, kept.bytes == bytes), (kept.original, true));
    assert_ne!(load(bytes.clone()).unwrap().sent, kept.sent);
    let mut damaged = bytes;
    damaged.truncate(60);
    assert!(matches!(omp_workspace::image::load(damaged, Fit::Keep), Err(LoadError::Damaged { .. })));
}

#[test]
fn what_compresses_badly_becomes_jpeg_unless_it_is_transparent() {
    let loaded = load(encoded(&noise(2_100, 700), ImageFormat::Png)).unwrap();
    assert_eq!((loaded.mime, loaded.sent.width), ("image/jpeg", 2_000));
    let transparent = DynamicImage::from(RgbaImage::new(2_400, 1_200));
    let loaded = load(encoded(&transparent, ImageFormat::Png)).unwrap();
    assert_eq!(loaded.mime, "image/png");
    assert!(image::load_from_memory(&loaded.bytes).unwrap().color().has_alpha());
}

#[test]
fn pictures_of_too_many_bytes_get_fewer() {
    let bytes = encoded(&noise(1_400, 1_400), ImageFormat::Png);
    assert!(bytes.len() > 5_000_000);
    let loaded = load(bytes).unwrap();
    assert!(loaded.bytes.len() < 4_000_000);
}

#[test]
fn damaged_pictures_are_refused() {
    for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP, ImageFormat::Bmp]
    {
        let mut bytes = encoded(&noise(64, 64), format);
        bytes.truncate(40);
        assert!(matches!(load(bytes), Err(LoadError::Damaged { .. })), "{format:?}");
    }
    assert!(matches!(load(b"just text".to_vec()), Err(LoadError::UnknownFormat)));
}

/// A few bytes that claim to be billions of pixels.
#[test]
fn bombs_are_refused() {
    let mut bytes = encoded(&noise(1, 1), ImageFormat::Png);
    bytes[16..24].copy_from_slice(&[0, 1, 0x86, 0xa0, 0, 1, 0x86, 0xa0]);
    // The checksum of the header chunk, as an attacker would compute it.
    let checksum = crc32(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&checksum.to_be_bytes());
    let error = load(bytes).unwrap_err();
    assert!(matches!(error, LoadError::TooLarge(_)), "{error}");
}

fn crc32(bytes: &[u8]) -> u32 {
    let shift = |crc: u32| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0_u32, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), |crc, _| shift(crc)))
}
