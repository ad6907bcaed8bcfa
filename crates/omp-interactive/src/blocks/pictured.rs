//! Pictures below what they belong to.

use std::sync::Arc;

use omp_tui::text::Line;
use omp_tui::transcript::{Block, BlockId};
use omp_types::ImageBlock;

use crate::pictures::{PictureId, Pictures};

/// The pictures of a message or of a tool's results.
pub(crate) struct Pictured {
    pictures: Pictures,
    block: Option<BlockId>,
    ids: Vec<PictureId>,
}

impl Pictured {
    pub(crate) fn new(pictures: Pictures) -> Self {
        Self { pictures, block: None, ids: Vec::new() }
    }

    /// Names the block that shows them.
    pub(crate) fn belongs_to(&mut self, block: BlockId) {
        self.block = Some(block);
    }

    pub(crate) fn add(&mut self, image: &ImageBlock) {
        self.ids.push(self.pictures.add(self.block, image));
    }
}

impl Block for Pictured {
    fn rows(&mut self, width: usize) -> Arc<[Line]> {
        self.ids.iter().flat_map(|id| self.pictures.rows(*id, width)).collect()
    }

    fn is_final(&self) -> bool {
        self.ids.iter().all(|id| self.pictures.is_settled(*id))
    }
}
