//! What a picture is, without its pixels.

use image::ImageDecoder;

use super::{LoadError, Size, reader};
use crate::sniff::ImageKind;

/// What the head of a picture says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    pub kind: ImageKind,
    pub size: Size,
    /// Values per pixel: 1 for grey, 3 for colours, one more with transparency.
    pub channels: u8,
    /// Can it be transparent?
    pub alpha: bool,
}

/// Reads the head of the picture in `bytes`; its pixels are not looked at.
pub fn of(bytes: &[u8]) -> Result<Facts, LoadError> {
    let kind = ImageKind::detect(bytes).ok_or(LoadError::UnknownFormat)?;
    let decoder = reader(bytes, kind).into_decoder().map_err(|error| LoadError::of(kind, error))?;
    let ((width, height), color) = (decoder.dimensions(), decoder.color_type());
    let size = Size { width, height };
    Ok(Facts { kind, size, channels: color.channel_count(), alpha: color.has_alpha() })
}
