//! Tokens of an image: each provider has a formula over its size in pixels.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use omp_types::ImageBlock;

/// How the server that gets a request counts an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Billing {
    /// Anthropic: patches of 28 pixels, and a largest number of them above which the image is made smaller.
    Anthropic { most: u64 },
    /// Google since Gemini 3: every image costs the same.
    Google,
    /// OpenAI and those who speak its language: patches of 32 pixels, up to a largest number.
    OpenAi,
}

/// Patches of Claude models that take images in higher resolution.
const ANTHROPIC_HIGH: u64 = 4_784;
/// Patches of the other Claude models: a square of their largest edge, 1568 pixels.
const ANTHROPIC: u64 = 3_136;
const GOOGLE: u64 = 1_120;
const OPENAI_MOST: u64 = 10_000;
/// An image whose size cannot be read.
const UNKNOWN: u64 = 1_600;

impl Default for Billing {
    fn default() -> Self {
        Self::Anthropic { most: ANTHROPIC }
    }
}

impl Billing {
    /// The formula for a request over `api` to `model`.
    pub fn of(api: &str, model: &str) -> Self {
        if api.starts_with("google") {
            Self::Google
        } else if api.starts_with("openai") || api.starts_with("azure") {
            Self::OpenAi
        } else {
            Self::Anthropic { most: if high_resolution(model) { ANTHROPIC_HIGH } else { ANTHROPIC } }
        }
    }

    /// Tokens of an image of this size.
    pub fn tokens(self, width: u32, height: u32) -> u64 {
        let patches = |edge: u32| u64::from(width.div_ceil(edge)) * u64::from(height.div_ceil(edge));
        match self {
            Self::Anthropic { most } => patches(28).min(most),
            Self::Google => GOOGLE,
            Self::OpenAi => patches(32).min(OPENAI_MOST),
        }
    }

    /// Tokens of `image`; its size is read from its first bytes.
    pub fn image(self, image: &ImageBlock) -> u64 {
        image_size(image).map_or(UNKNOWN, |(width, height)| self.tokens(width, height))
    }
}

/// Claude models that take images of up to 4,784 visual tokens: Opus from 4.7, Fable, Mythos.
pub fn high_resolution(model: &str) -> bool {
    let name = model.to_ascii_lowercase();
    if name.contains("fable") || name.contains("mythos") {
        return true;
    }
    let Some((_, rest)) = name.split_once("opus-") else { return false };
    let mut numbers = rest.split(['-', '.', '@', ':']).map_while(|part| part.parse::<u32>().ok());
    let major = numbers.next().unwrap_or(0);
    let minor = numbers.next().filter(|minor| *minor < 100).unwrap_or(0);
    (major, minor) >= (4, 7)
}

/// Base64 characters that hold the size in every format but JPEG.
const HEAD: usize = 64;
/// A JPEG may have a long preface.
const JPEG_HEAD: usize = 256 * 1024;

/// Width and height of an image, from its first bytes.
pub fn image_size(image: &ImageBlock) -> Option<(u32, u32)> {
    let head = decode(&image.data, HEAD);
    match head.as_slice() {
        [0x89, b'P', b'N', b'G', ..] => Some((big(&head, 16)?, big(&head, 20)?)),
        [b'G', b'I', b'F', b'8', ..] => Some((little(&head, 6, 2)?, little(&head, 8, 2)?)),
        [b'R', b'I', b'F', b'F', ..] => webp(&head),
        [0xff, 0xd8, ..] => jpeg(&decode(&image.data, JPEG_HEAD)),
        _ => None,
    }
}

fn decode(data: &str, most: usize) -> Vec<u8> {
    let most = most.min(data.len()) / 4 * 4;
    data.get(..most).and_then(|head| STANDARD.decode(head).ok()).unwrap_or_default()
}

fn big(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes)
}

fn little(bytes: &[u8], at: usize, length: usize) -> Option<u32> {
    let bytes = bytes.get(at..at + length)?;
    Some(bytes.iter().rev().fold(0, |number, byte| (number << 8) | u32::from(*byte)))
}

fn webp(head: &[u8]) -> Option<(u32, u32)> {
    match head.get(12..16)? {
        b"VP8X" => Some((little(head, 24, 3)? + 1, little(head, 27, 3)? + 1)),
        b"VP8L" => {
            let bits = little(head, 21, 4)?;
            Some(((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1))
        }
        b"VP8 " => Some((little(head, 26, 2)? & 0x3fff, little(head, 28, 2)? & 0x3fff)),
        _ => None,
    }
}

/// Walks the segments of a JPEG to the one with the size.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    while let [0xff, marker, high, low, ..] = bytes.get(at..)? {
        if matches!(marker, 0xc0..=0xcf) && !matches!(marker, 0xc4 | 0xc8 | 0xcc) {
            let pair = |at: usize| Some(u32::from(*bytes.get(at)?) << 8 | u32::from(*bytes.get(at + 1)?));
            return Some((pair(at + 7)?, pair(at + 5)?));
        }
        at += 2 + (usize::from(*high) << 8 | usize::from(*low));
    }
    None
}
