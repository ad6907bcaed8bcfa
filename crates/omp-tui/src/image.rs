//! Pictures in the conversation.
//!
//! A picture becomes rows like anything else. With kitty's placeholders the rows are text that stands for the cells of
//! the picture; with the other protocols the last row carries the bytes that draw it, and the rows above are kept free.
//! Only the newest pictures stay alive; an older one gives up its pixels but not its rows, so that nothing moves.

mod blocks;
mod kitty;
mod pixels;
mod sixel;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::capability::ImageProtocol;
use crate::text::{Attributes, Graphic, Line, Style};

pub use blocks::half_blocks;
pub use pixels::Pixels;
pub use sixel::sixel;

/// The most rows a picture may ever take: as many as kitty has marks for in our table.
const MOST_ROWS: usize = kitty::MARKS.len();

/// A picture.
#[derive(Clone, Debug)]
pub struct Picture {
    /// What stands for it where it cannot be shown.
    pub name: String,
    /// The picture as PNG, for kitty and iTerm2.
    pub png: Arc<[u8]>,
    /// The picture as pixels, for sixel and blocks; for the others its size is enough ([`Pixels::sized`]).
    pub pixels: Arc<Pixels>,
}

/// How pictures are shown here.
#[derive(Clone, Copy, Debug)]
pub struct ImageOptions {
    /// The protocol.
    pub protocol: ImageProtocol,
    /// Whether kitty's pictures are placed by characters.
    pub placeholders: bool,
    /// How many pictures stay alive; 0 for all.
    pub most: usize,
    /// Height and width of a cell in pixels.
    pub cell: (usize, usize),
    /// How many rows a picture may take. One that is higher than the screen cannot be drawn.
    pub rows: usize,
}

impl Default for ImageOptions {
    fn default() -> Self {
        Self { protocol: ImageProtocol::None, placeholders: false, most: 8, cell: (20, 10), rows: 20 }
    }
}

/// Names a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ImageId(u32);

#[derive(Debug)]
struct Entry {
    picture: Picture,
    /// Columns and rows it was last shown with.
    placed: Option<(usize, usize)>,
    graphic: Option<Graphic>,
    alive: bool,
}

/// All pictures of an interface.
#[derive(Debug, Default)]
pub struct Images {
    options: ImageOptions,
    entries: BTreeMap<ImageId, Entry>,
    alive: VecDeque<ImageId>,
    pending: Vec<u8>,
    next: u32,
}

impl Images {
    /// No pictures yet.
    pub fn new(options: ImageOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// How pictures are shown from now on; rows have to be asked for again.
    pub fn set_options(&mut self, options: ImageOptions) {
        self.options = options;
    }

    /// How pictures are shown.
    pub fn options(&self) -> ImageOptions {
        self.options
    }

    /// Forgets all pictures: those that the terminal keeps are deleted with the next bytes.
    pub fn clear(&mut self) {
        self.entries.clear();
        for id in self.alive.drain(..) {
            if self.options.protocol == ImageProtocol::Kitty {
                self.pending.extend(kitty::delete(id.0));
            }
        }
    }

    /// Takes a picture.
    pub fn add(&mut self, picture: Picture) -> ImageId {
        self.next += 1;
        let id = ImageId(self.next);
        self.entries.insert(id, Entry { picture, placed: None, graphic: None, alive: false });
        id
    }

    /// Bytes that have to be written before the rows are painted: for [`crate::render::Renderer::ahead`].
    pub fn take_bytes(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.pending)
    }

    /// The rows of a picture, at most `width` cells wide. A picture that was not shown before becomes alive, and the
    /// oldest gives way. Returns those that lost their pixels, whose rows have to be asked for again.
    pub fn rows(&mut self, id: ImageId, width: usize) -> (Vec<Line>, Vec<ImageId>) {
        let options = self.options;
        let Some(entry) = self.entries.get_mut(&id) else { return (Vec::new(), Vec::new()) };
        let fallback = fallback(&entry.picture, width);
        if options.protocol == ImageProtocol::None || width == 0 {
            return (vec![fallback], Vec::new());
        }
        if let (Some((_, rows)), false) = (entry.placed, entry.alive) {
            let mut lines = vec![Line::new(); rows];
            lines[0] = fallback;
            return (lines, Vec::new());
        }
        let place = entry.picture.pixels.cells(options.cell, width, options.rows.clamp(1, MOST_ROWS));
        let first = !std::mem::replace(&mut entry.alive, true);
        if entry.placed != Some(place) {
            entry.placed = Some(place);
            entry.graphic = prepare(id, entry, &options, place, first, &mut self.pending);
        }
        let lines = match &entry.graphic {
            None if options.protocol == ImageProtocol::Blocks => {
                half_blocks(&entry.picture.pixels, place.0, place.1)
            }
            None => kitty::placeholders(id.0, place),
            Some(graphic) => {
                let mut lines = vec![Line::new(); place.1];
                lines[place.1 - 1] = Line::new().with_graphic(graphic.clone());
                lines
            }
        };
        let gone = if first { self.make_room(id) } else { Vec::new() };
        (lines, gone)
    }

    fn make_room(&mut self, newest: ImageId) -> Vec<ImageId> {
        self.alive.push_back(newest);
        let mut gone = Vec::new();
        while self.options.most > 0 && self.alive.len() > self.options.most {
            let Some(oldest) = self.alive.pop_front() else { break };
            if let Some(entry) = self.entries.get_mut(&oldest) {
                entry.alive = false;
                entry.graphic = None;
                // Its pixels will not be needed again.
                let Pixels { width, height, .. } = *entry.picture.pixels;
                entry.picture.png = Arc::from([]);
                entry.picture.pixels = Arc::new(Pixels::sized(width, height));
            }
            if self.options.protocol == ImageProtocol::Kitty {
                self.pending.extend(kitty::delete(oldest.0));
            }
            gone.push(oldest);
        }
        gone
    }
}

/// Sends what has to be sent once, and returns what draws the picture; nothing for placeholders, which are text.
fn prepare(
    id: ImageId,
    entry: &Entry,
    options: &ImageOptions,
    (columns, rows): (usize, usize),
    first: bool,
    pending: &mut Vec<u8>,
) -> Option<Graphic> {
    let bytes = match options.protocol {
        ImageProtocol::Kitty => {
            if first {
                pending.extend(kitty::transmit(id.0, &entry.picture.png));
            }
            let place = kitty::place(id.0, columns, rows, options.placeholders);
            if options.placeholders {
                pending.extend(place);
                return None;
            }
            place
        }
        ImageProtocol::Iterm2 => iterm2(&entry.picture.png, columns, rows),
        ImageProtocol::Sixel => {
            let (height, width) = options.cell;
            // One cell less in height: some terminals continue to the next row behind a picture that fills the last one.
            let height = (rows * height).saturating_sub(height).max(6);
            sixel(&entry.picture.pixels.resized(columns * width, height))
        }
        ImageProtocol::Blocks | ImageProtocol::None => return None,
    };
    Some(Graphic { bytes: bytes.into(), rows })
}

/// iTerm2's inline picture.
fn iterm2(png: &[u8], columns: usize, rows: usize) -> Vec<u8> {
    let size = png.len();
    let data = STANDARD.encode(png);
    format!(
        "\x1b]1337;File=inline=1;size={size};width={columns};height={rows};preserveAspectRatio=1:{data}\x07"
    )
    .into()
}

fn fallback(picture: &Picture, width: usize) -> Line {
    let Pixels { width: columns, height, .. } = &*picture.pixels;
    let dim = Style::PLAIN.with(Attributes::DIM);
    Line::styled(dim, &format!("[image: {} {columns}x{height}]", picture.name)).clamp(width)
}
