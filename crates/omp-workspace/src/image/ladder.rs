//! A picture for one question: as small as it can be while a model still sees what it shows.
//!
//! The steps go from what nobody notices to what costs detail: the best of three formats, then less exact colours, then
//! fewer pixels.

use image::DynamicImage;
use image::imageops::FilterType;

use super::{LoadError, Size, decode, encode_jpeg, encode_png, encode_webp, flat, smaller};
use crate::sniff::ImageKind;

/// The largest width and height.
pub const MAX_SIDE: u32 = 1_568;
/// What the picture should take at most.
pub const TARGET_BYTES: usize = 500 * 1024;
/// A picture that takes no more than this, and is no larger, stays as it is.
pub const SMALL_BYTES: usize = TARGET_BYTES / 4;

const FIRST_QUALITY: u8 = 75;
const QUALITIES: [u8; 4] = [70, 60, 50, 40];
/// After the whole size.
const SCALES: [f64; 4] = [0.75, 0.5, 0.35, 0.25];
/// Below this a picture shows nothing any more.
const MIN_SIDE: u32 = 100;

/// Makes the picture in `bytes` small. It may come back in another format, or, when nothing helped, larger than
/// [`TARGET_BYTES`].
pub fn small(bytes: Vec<u8>) -> Result<(Vec<u8>, ImageKind), LoadError> {
    let kind = ImageKind::detect(&bytes).ok_or(LoadError::UnknownFormat)?;
    let picture = decode(&bytes, kind)?;
    let fits = picture.width() <= MAX_SIDE && picture.height() <= MAX_SIDE;
    if fits && bytes.len() <= SMALL_BYTES {
        return Ok((bytes, kind));
    }
    drop(bytes);
    let picture = if fits { picture } else { smaller(picture, Size { width: MAX_SIDE, height: MAX_SIDE }) };
    descend(picture, TARGET_BYTES)
}

fn descend(picture: DynamicImage, target: usize) -> Result<(Vec<u8>, ImageKind), LoadError> {
    let mut best = Best { target, smallest: None };
    let step = Step::new(picture)?;
    best.offer(encode_png(&step.picture)?, ImageKind::Png);
    best.offer(step.jpeg(FIRST_QUALITY)?, ImageKind::Jpeg);
    best.offer(step.webp.clone(), ImageKind::Webp);
    if !best.is_small_enough() {
        step.offer_all(&mut best)?;
    }
    for scale in SCALES {
        let size = step.scaled(scale);
        if best.is_small_enough() || size.width < MIN_SIDE || size.height < MIN_SIDE {
            break;
        }
        let picture = step.picture.resize_exact(size.width, size.height, FilterType::Triangle);
        Step::new(picture)?.offer_all(&mut best)?;
    }
    best.smallest.ok_or(LoadError::StillTooLarge)
}

/// The picture at one size.
struct Step {
    picture: DynamicImage,
    /// The same without transparency, which JPEG does not know.
    flat: DynamicImage,
    /// Without loss, so no quality makes it smaller.
    webp: Vec<u8>,
}

impl Step {
    fn new(picture: DynamicImage) -> Result<Self, LoadError> {
        Ok(Self { webp: encode_webp(&picture)?, flat: flat(&picture), picture })
    }

    fn jpeg(&self, quality: u8) -> Result<Vec<u8>, LoadError> {
        encode_jpeg(&self.flat, quality)
    }

    /// The picture in falling quality, until it is small enough.
    fn offer_all(&self, best: &mut Best) -> Result<(), LoadError> {
        best.offer(self.webp.clone(), ImageKind::Webp);
        for quality in QUALITIES {
            if best.is_small_enough() {
                break;
            }
            best.offer(self.jpeg(quality)?, ImageKind::Jpeg);
        }
        Ok(())
    }

    fn scaled(&self, scale: f64) -> Size {
        let side = |pixels: u32| (f64::from(pixels) * scale).round() as u32;
        Size { width: side(self.picture.width()), height: side(self.picture.height()) }
    }
}

/// The smallest so far.
struct Best {
    target: usize,
    smallest: Option<(Vec<u8>, ImageKind)>,
}

impl Best {
    fn offer(&mut self, bytes: Vec<u8>, kind: ImageKind) {
        if self.smallest.as_ref().is_none_or(|(best, _)| bytes.len() < best.len()) {
            self.smallest = Some((bytes, kind));
        }
    }

    fn is_small_enough(&self) -> bool {
        self.smallest.as_ref().is_some_and(|(bytes, _)| bytes.len() <= self.target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No real picture is so stubborn, so the target is made unreachable.
    #[test]
    fn pictures_do_not_get_smaller_than_can_be_seen() {
        let mut state = 1_u32;
        let noise = image::RgbImage::from_fn(300, 150, |_, _| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let [a, b, c, _] = state.to_be_bytes();
            image::Rgb([a, b, c])
        });
        let (bytes, kind) = descend(noise.into(), 10).unwrap();
        let last = image::load_from_memory(&bytes).unwrap();
        assert_eq!((last.width(), last.height(), kind), (225, 113, ImageKind::Jpeg), "half of it is 75 high");
    }
}
