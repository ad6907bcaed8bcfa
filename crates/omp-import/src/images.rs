//! Images in the forms in which providers take them.

use omp_types::{ImageBlock, UserBlock};

/// `data:image/png;base64,…` as an image; a note for the model if it is an address or something else.
pub(crate) fn from_url(url: &str) -> UserBlock {
    match data_url(url) {
        Some((mime_type, data)) => from_base64(mime_type, data),
        None => {
            let address: String = url.chars().take(500).collect();
            UserBlock::text(format!("[image, not stored in the conversation: {address}]"))
        }
    }
}

pub(crate) fn from_base64(mime_type: &str, data: &str) -> UserBlock {
    UserBlock::Image(ImageBlock { data: data.to_owned(), mime_type: mime_type.to_owned(), detail: None })
}

fn data_url(url: &str) -> Option<(&str, &str)> {
    let (head, data) = url.strip_prefix("data:")?.split_once(',')?;
    let mime_type = head.strip_suffix(";base64")?;
    Some((mime_type, data)).filter(|(mime_type, data)| mime_type.starts_with("image/") && !data.is_empty())
}
