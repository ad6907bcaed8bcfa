//! A picture in a form that models accept: not too large, in a format every provider knows, and sound.
//!
//! Every picture is decoded once, even if its bytes are passed on as they are. A broken picture in a
//! conversation would make the provider refuse every later request. [`ladder`] is for pictures that are asked about
//! once, [`facts`] for those that are not shown at all.

pub mod facts;
pub mod ladder;

use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::codecs::webp::WebPEncoder;
use image::{DynamicImage, ExtendedColorType, ImageDecoder, ImageError, ImageFormat, ImageReader};

use crate::sniff::ImageKind;

/// The largest file that is read.
pub const MAX_INPUT_BYTES: u64 = 20 * 1024 * 1024;
/// The largest width and height that is sent. Providers scale larger pictures down themselves, for more tokens.
const MAX_SIDE: u32 = 2_000;
/// Providers accept 5 MB of base64.
const MAX_OUTPUT_BYTES: usize = 5 * 1024 * 1024 / 4 * 3;
/// A file of few bytes can claim to be a picture of many pixels. Few cameras make more than this: 130 million.
const MAX_INPUT_SIDE: u32 = 30_000;
const MAX_DECODED_BYTES: u64 = 400 * 1024 * 1024;
const JPEG_QUALITY: u8 = 85;

/// A picture that can be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    pub bytes: Vec<u8>,
    pub mime: &'static str,
    pub original: Size,
    /// The size of the picture in `bytes`.
    pub sent: Size,
}

/// Pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub width: u32,
    pub height: u32,
}

#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("not an image in a supported format (PNG, JPEG, GIF, WebP, BMP)")]
    UnknownFormat,
    #[error("the image is too large to decode ({0})")]
    TooLarge(String),
    #[error("the {kind} data is corrupt: {reason}")]
    Damaged { kind: &'static str, reason: String },
    #[error("the image cannot be made small enough to send")]
    StillTooLarge,
}

/// What is done about a picture that is larger than models like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    Shrink,
    /// It is sent as it is, for providers that take large ones.
    Keep,
}

/// Checks the picture in `bytes` and makes it fit.
pub fn load(bytes: Vec<u8>, fit: Fit) -> Result<Loaded, LoadError> {
    load_within(bytes, fit, MAX_OUTPUT_BYTES)
}

/// The same with a limit of its own to what it may take when it is sent.
pub fn load_within(bytes: Vec<u8>, fit: Fit, most: usize) -> Result<Loaded, LoadError> {
    let kind = ImageKind::detect(&bytes).ok_or(LoadError::UnknownFormat)?;
    let picture = decode(&bytes, kind)?;
    let original = Size::of(&picture);
    let known_everywhere = kind != ImageKind::Bmp;
    let fits = original.fits() && bytes.len() <= most;
    if known_everywhere && (fits || fit == Fit::Keep) {
        return Ok(Loaded { bytes, mime: kind.mime(), original, sent: original });
    }
    let (bytes, kind, sent) = shrink(picture, kind, most)?;
    Ok(Loaded { bytes, mime: kind.mime(), original, sent })
}

/// A picture to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The picture as PNG.
    pub png: Vec<u8>,
    /// Red, green, blue and opacity of every pixel, row by row.
    pub pixels: Vec<u8>,
    /// Its size as it is shown.
    pub size: Size,
}

/// Decodes a picture for a screen; one that is larger than `most` is made smaller.
pub fn show(bytes: &[u8], most: Size) -> Result<Shown, LoadError> {
    let kind = ImageKind::detect(bytes).ok_or(LoadError::UnknownFormat)?;
    let mut picture = decode(bytes, kind)?;
    if picture.width() > most.width || picture.height() > most.height {
        picture = smaller(picture, most);
    }
    Ok(Shown { png: encode_png(&picture)?, size: Size::of(&picture), pixels: picture.to_rgba8().into_raw() })
}

fn limits() -> image::Limits {
    let mut limits = image::Limits::default();
    limits.max_image_width = Some(MAX_INPUT_SIDE);
    limits.max_image_height = Some(MAX_INPUT_SIDE);
    limits.max_alloc = Some(MAX_DECODED_BYTES);
    limits
}

fn reader(bytes: &[u8], kind: ImageKind) -> ImageReader<Cursor<&[u8]>> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), kind.format());
    reader.limits(limits());
    reader
}

fn decode(bytes: &[u8], kind: ImageKind) -> Result<DynamicImage, LoadError> {
    let decoded = reader(bytes, kind).into_decoder().and_then(|mut decoder| {
        // The decoder counts what it needs beside the pixels, not the pixels.
        limits().reserve(decoder.total_bytes())?;
        let orientation = decoder.orientation()?;
        let mut picture = DynamicImage::from_decoder(decoder)?;
        // The note about it is lost when the picture is encoded again.
        picture.apply_orientation(orientation);
        Ok(picture)
    });
    decoded.map_err(|error| LoadError::of(kind, error))
}

impl LoadError {
    fn of(kind: ImageKind, error: ImageError) -> Self {
        match error {
            ImageError::Limits(error) => Self::TooLarge(error.to_string()),
            error => {
                let reason = error.to_string().trim_end().trim_end_matches('.').to_owned();
                Self::Damaged { kind: kind.mime(), reason }
            }
        }
    }
}

/// The picture within other sides. A very large one is averaged first, which takes neither memory nor time.
fn smaller(picture: DynamicImage, most: Size) -> DynamicImage {
    const ROUGHLY: u32 = 2;
    let (width, height) = (most.width.saturating_mul(ROUGHLY), most.height.saturating_mul(ROUGHLY));
    let picture = match picture.width() > width || picture.height() > height {
        true => picture.thumbnail(width, height),
        false => picture,
    };
    picture.resize(most.width, most.height, image::imageops::FilterType::Triangle)
}

/// Scales down until both the sides and the bytes fit.
fn shrink(
    picture: DynamicImage,
    kind: ImageKind,
    most: usize,
) -> Result<(Vec<u8>, ImageKind, Size), LoadError> {
    let mut side = MAX_SIDE;
    let mut picture = picture;
    while side >= 64 {
        let size = Size::of(&picture);
        if size.width > side || size.height > side {
            picture = smaller(picture, Size { width: side, height: side });
        }
        let (bytes, kind) = encode(&picture, kind, most)?;
        if bytes.len() <= most {
            return Ok((bytes, kind, Size::of(&picture)));
        }
        side = side * 3 / 4;
    }
    Err(LoadError::StillTooLarge)
}

/// JPEG for photographs; PNG otherwise, unless it is too large or JPEG is much smaller, and nothing is
/// transparent.
fn encode(picture: &DynamicImage, kind: ImageKind, most: usize) -> Result<(Vec<u8>, ImageKind), LoadError> {
    if kind == ImageKind::Jpeg {
        return Ok((encode_jpeg(picture, JPEG_QUALITY)?, ImageKind::Jpeg));
    }
    let png = encode_png(picture)?;
    if !picture.color().has_alpha() {
        let jpeg = encode_jpeg(picture, JPEG_QUALITY)?;
        if jpeg.len() * 3 < png.len() || png.len() > most {
            return Ok((jpeg, ImageKind::Jpeg));
        }
    }
    Ok((png, ImageKind::Png))
}

fn encode_png(picture: &DynamicImage) -> Result<Vec<u8>, LoadError> {
    let mut bytes = Vec::new();
    // PNG knows no floating point; eight bits are what models see.
    let picture = if picture.color().has_alpha() {
        picture.to_rgba8().into()
    } else {
        DynamicImage::from(picture.to_rgb8())
    };
    let result = picture.write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png);
    result.map_err(|error| LoadError::Damaged { kind: "image/png", reason: error.to_string() })?;
    Ok(bytes)
}

fn encode_jpeg(picture: &DynamicImage, quality: u8) -> Result<Vec<u8>, LoadError> {
    let mut bytes = Vec::new();
    let result = JpegEncoder::new_with_quality(&mut bytes, quality).encode_image(&picture.to_rgb8());
    result.map_err(|error| LoadError::of(ImageKind::Jpeg, error))?;
    Ok(bytes)
}

/// WebP without loss.
fn encode_webp(picture: &DynamicImage) -> Result<Vec<u8>, LoadError> {
    let mut bytes = Vec::new();
    let (pixels, color) = match picture.color().has_alpha() {
        true => (picture.to_rgba8().into_raw(), ExtendedColorType::Rgba8),
        false => (picture.to_rgb8().into_raw(), ExtendedColorType::Rgb8),
    };
    let encoder = WebPEncoder::new_lossless(&mut bytes);
    let result = encoder.encode(&pixels, picture.width(), picture.height(), color);
    result.map_err(|error| LoadError::of(ImageKind::Webp, error))?;
    Ok(bytes)
}

/// The picture on white paper.
fn flat(picture: &DynamicImage) -> DynamicImage {
    if !picture.color().has_alpha() {
        return picture.to_rgb8().into();
    }
    let pixels = picture.to_rgba8();
    let on_white = |channel: u8, alpha: u8| {
        let (channel, alpha) = (u32::from(channel), u32::from(alpha));
        ((channel * alpha + 255 * (255 - alpha)) / 255) as u8
    };
    let mut flat = image::RgbImage::new(pixels.width(), pixels.height());
    for (to, from) in flat.pixels_mut().zip(pixels.pixels()) {
        let [red, green, blue, alpha] = from.0;
        to.0 = [red, green, blue].map(|channel| on_white(channel, alpha));
    }
    flat.into()
}

impl Size {
    fn of(picture: &DynamicImage) -> Self {
        Self { width: picture.width(), height: picture.height() }
    }

    fn fits(self) -> bool {
        self.width <= MAX_SIDE && self.height <= MAX_SIDE
    }
}

impl ImageKind {
    fn format(self) -> ImageFormat {
        match self {
            Self::Png => ImageFormat::Png,
            Self::Jpeg => ImageFormat::Jpeg,
            Self::Gif => ImageFormat::Gif,
            Self::Webp => ImageFormat::WebP,
            Self::Bmp => ImageFormat::Bmp,
        }
    }
}
