//! Pictures in the editor.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use base64::Engine;
use omp_editor::{Content, ContentPart, ImageHandle};
use omp_types::{ImageBlock, UserBlock, UserContent};
use omp_workspace::image::{self, Fit};

/// Larger files are not read.
const MOST_BYTES: u64 = 50 * 1024 * 1024;

/// So many pictures are kept; the oldest go first.
const MOST_PICTURES: usize = 100;

/// The pictures that were put into the editor, by their names.
#[derive(Default)]
pub(crate) struct Images {
    known: VecDeque<(Arc<str>, ImageBlock)>,
    named: usize,
}

/// Reads a picture from a file. Waits for the disk.
pub(crate) fn read(path: &Path) -> Result<ImageBlock, String> {
    let read = || {
        let mut bytes = Vec::new();
        File::open(path)?.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
        Ok::<_, std::io::Error>(bytes)
    };
    let bytes = read().map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    decode(bytes).map_err(|error| format!("{}: {error}", path.display()))
}

/// A picture from its bytes, made smaller where it is too large for models. Takes its time.
pub(crate) fn decode(bytes: Vec<u8>) -> Result<ImageBlock, String> {
    if bytes.len() as u64 > MOST_BYTES {
        return Err("the image is larger than 50 MB".to_owned());
    }
    let loaded = image::load(bytes, Fit::Shrink).map_err(|error| error.to_string())?;
    let data = base64::engine::general_purpose::STANDARD.encode(&loaded.bytes);
    Ok(ImageBlock { data, mime_type: loaded.mime.to_owned(), detail: None })
}

impl Images {
    /// Gives a picture a name.
    pub(crate) fn add(&mut self, picture: ImageBlock) -> ImageHandle {
        self.named += 1;
        let name: Arc<str> = format!("image-{}", self.named).into();
        self.known.push_back((Arc::clone(&name), picture));
        if self.known.len() > MOST_PICTURES {
            self.known.pop_front();
        }
        ImageHandle(name)
    }

    /// The picture of that name.
    pub(crate) fn get(&self, handle: &ImageHandle) -> Option<&ImageBlock> {
        self.known.iter().find(|(name, _)| *name == handle.0).map(|(_, picture)| picture)
    }

    /// What was said, as the editor has it: markers become their pictures again.
    pub(crate) fn take_back(&mut self, said: &UserContent) -> Content {
        let UserContent::Blocks(blocks) = said else { return Content::from(said.text().as_str()) };
        let pictures = blocks.iter().filter_map(|block| match block {
            UserBlock::Image(picture) => Some(picture.clone()),
            UserBlock::Text(_) => None,
        });
        let handles: Vec<ImageHandle> = pictures.map(|picture| self.add(picture)).collect();
        Content::from_marked(&said.text(), &handles)
    }

    /// What is sent for the content of the editor.
    pub(crate) fn content(&self, content: &Content) -> UserContent {
        let text = content.text();
        let wanted = content.parts().iter().filter_map(|part| match part {
            ContentPart::Image(handle) => self.get(handle),
            _ => None,
        });
        let pictures: Vec<UserBlock> = wanted.cloned().map(UserBlock::Image).collect();
        if pictures.is_empty() {
            return UserContent::Text(text);
        }
        UserContent::Blocks(std::iter::once(UserBlock::text(text)).chain(pictures).collect())
    }
}
