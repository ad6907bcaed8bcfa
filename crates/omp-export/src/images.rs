//! Images of a session: inline in its entries, or in the blob store.

use std::io::Read;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use omp_session::{BlobHash, BlobStore};
use omp_types::ImageBlock;

use crate::markup::Html;

/// Larger images are named instead of shown.
const LARGEST: u64 = 32 * 1024 * 1024;
/// What every browser shows and none runs.
const TYPES: [&str; 6] = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "image/avif"];

/// Where images that are not in the entries themselves are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Images {
    blobs: Option<BlobStore>,
}

impl Images {
    pub(crate) fn new(blobs: Option<&Path>) -> Self {
        Self { blobs: blobs.map(BlobStore::new) }
    }

    /// The image's data as base64; `None` if it is elsewhere and not to be found.
    pub(crate) fn data(&self, stored: &str) -> Option<String> {
        if !stored.starts_with("blob:") {
            return Some(stored.to_owned());
        }
        let path = self.blobs.as_ref()?.path(&BlobHash::from_reference(stored)?);
        if !std::fs::metadata(&path).ok()?.is_file() {
            return None;
        }
        let mut bytes = Vec::new();
        std::fs::File::open(path).ok()?.take(LARGEST + 1).read_to_end(&mut bytes).ok()?;
        (bytes.len() as u64 <= LARGEST).then(|| STANDARD.encode(bytes))
    }

    /// Shows the image, or says that it cannot be shown.
    pub(crate) fn show(&self, image: &ImageBlock, html: &mut Html) {
        let known = TYPES.iter().find(|known| **known == image.mime_type);
        match (known, self.data(&image.data)) {
            (Some(mime_type), Some(data)) if is_base64(&data) => {
                html.raw("<figure class=\"image\"><img loading=\"lazy\" alt=\"Image in the conversation\" src=\"data:");
                html.raw(mime_type).raw(";base64,").base64(&data);
                html.raw("\"></figure>");
            }
            _ => {
                html.raw("<p class=\"missing\">Image not available (").text(&image.mime_type).raw(")</p>");
            }
        }
    }
}

fn is_base64(data: &str) -> bool {
    !data.is_empty() && data.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte))
}
