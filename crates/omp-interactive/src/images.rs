//! Pictures in the editor.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use base64::Engine;
use omp_editor::{Content, Part};
use omp_types::{ImageBlock, UserBlock, UserContent};
use omp_workspace::image::{self, Fit};

/// Larger files are not read.
const MOST_BYTES: u64 = 50 * 1024 * 1024;

/// The pictures that were put into the editor, by their names.
#[derive(Default)]
pub(crate) struct Images(Vec<(Arc<str>, ImageBlock)>);

impl Images {
    /// Loads a picture and gives it a name.
    pub(crate) fn load(&mut self, path: &Path) -> Result<Arc<str>, String> {
        let read = || {
            let mut bytes = Vec::new();
            File::open(path)?.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
            Ok::<_, std::io::Error>(bytes)
        };
        let bytes = read().map_err(|error| format!("{} cannot be read: {error}.", path.display()))?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(format!("{} is larger than 50 MB.", path.display()));
        }
        let loaded =
            image::load(bytes, Fit::Shrink).map_err(|error| format!("{}: {error}", path.display()))?;
        let data = base64::engine::general_purpose::STANDARD.encode(&loaded.bytes);
        let name: Arc<str> = format!("image-{}", self.0.len() + 1).into();
        self.0.push((Arc::clone(&name), ImageBlock { data, mime_type: loaded.mime.to_owned() }));
        Ok(name)
    }

    /// What is sent for the content of the editor.
    pub(crate) fn content(&self, content: &Content) -> UserContent {
        let text = content.text();
        let wanted = content.parts().iter().filter_map(|part| match part {
            Part::Image(handle) => self.0.iter().find(|(name, _)| *name == handle.0).map(|(_, image)| image),
            _ => None,
        });
        let pictures: Vec<UserBlock> = wanted.cloned().map(UserBlock::Image).collect();
        if pictures.is_empty() {
            return UserContent::Text(text);
        }
        UserContent::Blocks(std::iter::once(UserBlock::text(text)).chain(pictures).collect())
    }
}
