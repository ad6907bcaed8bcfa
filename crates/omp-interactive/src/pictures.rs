//! Pictures on the screen: what is decoded, what is shown, and who has to be drawn again.
//!
//! A picture is a line of text in the view that has it. Where the terminal can show it, its rows follow below. Decoding is
//! slow, so it is done elsewhere ([`Pictures::take_wanted`]); until then the block with the picture is not final. Only as many
//! of the newest pictures as may be shown are ever decoded or kept.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use omp_tui::capability::ImageProtocol;
use omp_tui::image::{ImageId, ImageOptions, Images, Picture, Pixels};
use omp_tui::text::Line;
use omp_tui::transcript::BlockId;
use omp_types::ImageBlock;
use omp_workspace::image::{self, Size};

/// No picture is decoded larger than this.
const MOST: Size = Size { width: 1280, height: 1280 };
/// So many are remembered while it is not known whether they can be shown, if the user sets no limit.
const MOST_WAITING: usize = 32;

/// All pictures of the conversation; every clone is the same.
#[derive(Clone, Default)]
pub(crate) struct Pictures(Rc<RefCell<Inner>>);

#[derive(Default)]
struct Inner {
    images: Images,
    entries: BTreeMap<PictureId, PictureEntry>,
    next: u64,
    /// Nothing is shown, whatever the terminal can.
    off: bool,
    gone: Vec<ImageId>,
}

/// Names a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PictureId(u64);

struct PictureEntry {
    block: Option<BlockId>,
    state: PictureState,
}

enum PictureState {
    /// As it came.
    Waiting(ImageBlock),
    /// Somebody decodes it.
    Decoding,
    /// It can be shown.
    Ready(ImageId),
}

/// A picture that has to be decoded.
pub(crate) struct Wanted {
    pub(crate) id: PictureId,
    image: ImageBlock,
    pixels: bool,
}

impl Wanted {
    /// Decodes it; `None` if it is damaged. Takes a while.
    pub(crate) fn decode(self) -> Option<Picture> {
        let bytes = STANDARD.decode(self.image.data.as_bytes()).ok()?;
        let shown = image::show(&bytes, MOST).ok()?;
        let (width, height) = (shown.size.width as usize, shown.size.height as usize);
        let pixels = match self.pixels {
            true => Pixels::new(width, height, shown.pixels)?,
            false => Pixels::sized(width, height),
        };
        Some(Picture { name: self.image.mime_type, png: shown.png.into(), pixels: pixels.into() })
    }
}

impl Pictures {
    /// How pictures are shown; `off` if the user wants none.
    pub(crate) fn set(&self, options: ImageOptions, off: bool) {
        let mut inner = self.0.borrow_mut();
        inner.images.set_options(options);
        inner.off = off;
    }

    /// Pictures may take so many rows from now on.
    pub(crate) fn set_room(&self, rows: usize) {
        let mut inner = self.0.borrow_mut();
        let options = inner.images.options();
        inner.images.set_options(ImageOptions { rows: rows.max(1), ..options });
    }

    /// The terminal shows pictures this way. Says whether that changes something that is on the screen.
    pub(crate) fn set_protocol(&self, protocol: ImageProtocol) -> bool {
        let mut inner = self.0.borrow_mut();
        let options = inner.images.options();
        inner.images.set_options(ImageOptions { protocol, ..options });
        options.protocol != protocol && !inner.entries.is_empty()
    }

    /// Takes a picture that belongs to a block.
    pub(crate) fn add(&self, block: Option<BlockId>, image: &ImageBlock) -> PictureId {
        let mut inner = self.0.borrow_mut();
        inner.next += 1;
        let id = PictureId(inner.next);
        if inner.off {
            return id;
        }
        inner.entries.insert(id, PictureEntry { block, state: PictureState::Waiting(image.clone()) });
        let most = inner.images.options().most;
        let most = if most == 0 { MOST_WAITING } else { most };
        let waiting = |entry: &PictureEntry| matches!(entry.state, PictureState::Waiting(_));
        let old: Vec<PictureId> =
            inner.entries.iter().filter(|(_, entry)| waiting(entry)).map(|(id, _)| *id).collect();
        for id in old.iter().take(old.len().saturating_sub(most)) {
            inner.entries.remove(id);
        }
        id
    }

    /// Forgets all of them, for another conversation.
    pub(crate) fn clear(&self) {
        let mut inner = self.0.borrow_mut();
        inner.entries.clear();
        inner.gone.clear();
        inner.images.clear();
    }

    /// The pictures that have to be decoded now.
    pub(crate) fn take_wanted(&self) -> Vec<Wanted> {
        let mut inner = self.0.borrow_mut();
        let protocol = inner.images.options().protocol;
        if protocol == ImageProtocol::None {
            return Vec::new();
        }
        let pixels = matches!(protocol, ImageProtocol::Sixel | ImageProtocol::Blocks);
        let mut wanted = Vec::new();
        for (id, entry) in &mut inner.entries {
            match std::mem::replace(&mut entry.state, PictureState::Decoding) {
                PictureState::Waiting(image) => wanted.push(Wanted { id: *id, image, pixels }),
                other => entry.state = other,
            }
        }
        wanted
    }

    /// A picture was decoded; without one, its line of text has to do.
    pub(crate) fn decoded(&self, id: PictureId, picture: Option<Picture>) {
        let mut inner = self.0.borrow_mut();
        match picture {
            None => {
                inner.entries.remove(&id);
            }
            // The conversation may be another one meanwhile.
            Some(_) if !inner.entries.contains_key(&id) => {}
            Some(picture) => {
                let image = inner.images.add(picture);
                if let Some(entry) = inner.entries.get_mut(&id) {
                    entry.state = PictureState::Ready(image);
                }
            }
        }
    }

    /// Whether nothing more will happen to the rows of a picture.
    pub(crate) fn is_settled(&self, id: PictureId) -> bool {
        let inner = self.0.borrow();
        let pending = |entry: &PictureEntry| !matches!(entry.state, PictureState::Ready(_));
        inner.images.options().protocol == ImageProtocol::None || !inner.entries.get(&id).is_some_and(pending)
    }

    /// The rows of a picture, behind so many blank cells; none if it is not shown.
    pub(crate) fn rows(&self, id: PictureId, width: usize) -> Vec<Line> {
        let mut inner = self.0.borrow_mut();
        let shown = inner.images.options().protocol != ImageProtocol::None;
        let Some(PictureState::Ready(image)) = inner.entries.get(&id).map(|entry| &entry.state) else {
            return Vec::new();
        };
        let image = *image;
        if !shown {
            return Vec::new();
        }
        let (rows, gone) = inner.images.rows(image, width);
        inner.gone.extend(gone);
        rows
    }

    /// What has to be written before the next frame.
    pub(crate) fn take_bytes(&self) -> Vec<u8> {
        self.0.borrow_mut().images.take_bytes()
    }

    /// The blocks with a picture that lost its pixels to a newer one.
    pub(crate) fn take_faded(&self) -> Vec<BlockId> {
        let mut inner = self.0.borrow_mut();
        let gone = std::mem::take(&mut inner.gone);
        let lost =
            |entry: &PictureEntry| matches!(entry.state, PictureState::Ready(image) if gone.contains(&image));
        inner.entries.values().filter(|entry| lost(entry)).filter_map(|entry| entry.block).collect()
    }
}
